#include "scene/parts.h"

#include "scene/space.h"

#include <stdio.h>

#define LEAST_SINE 1e-6   // of the angle between an edge and the direction that m1 is to have there
#define UPRIGHT_SINE 1e-3 // of the angle to z below which an edge is along it: m1 is made from x there

// ---- sections and materials

// All lengths of a section times `by`.
static CordSection scaled(CordSection s, double by)
{
    double by2 = by * by, by4 = by2 * by2;
    s.area *= by2;
    s.I1 *= by4, s.I2 *= by4, s.J *= by4;
    s.radius *= by;
    return s;
}

static CordSection section_of(const SceneRod* rod, int edge)
{
    const SceneNetwork* n = &rod->network;
    int part = n->edges ? n->edges[edge].section : 0;
    CordSection section = part > 0 ? section_make(&n->parts[part - 1].section.stations[0]) : rod->def.section;
    return n->size ? scaled(section, n->size[edge]) : section;
}

static CordStiffness stiffness_of(const SceneRod* rod, int edge)
{
    int part = rod->network.edges[edge].material;
    CordSection section = section_of(rod, edge);
    return part > 0 ? cord_stiffness_from(&rod->network.parts[part - 1].material, &section)
                    : cord_stiffness_unset();
}

// ---- frames

static CordVec3 across(CordVec3 a, CordVec3 t)
{
    return space_add(a, t, -space_dot(a, t));
}

// What m1 is made from where nothing says it; `first` goes before, if it is given.
static CordVec3 usual_m1(const CordVec3* first, CordVec3 t)
{
    const CordVec3 x = {1, 0, 0}, z = {0, 0, 1};
    CordVec3 m1 = first ? across(space_unit(*first, z), t) : (CordVec3){0, 0, 0};
    if (!(space_length(m1) > UPRIGHT_SINE)) {
        m1 = across(z, t);
    }
    return space_length(m1) > UPRIGHT_SINE ? m1 : across(x, t);
}

// As the frame of the rod has it; zero if it has no direction here.
static CordVec3 frame_m1(const SceneRod* rod, CordVec3 t, CordVec3 middle)
{
    const SceneFrame* frame = &rod->frame;
    const CordVec3 none = {0, 0, 0}, z = {0, 0, 1};
    switch (frame->rule) {
    case FRAME_TOWARD: return across(space_unit(frame->toward, none), t);
    case FRAME_RADIAL:
        return across(space_unit(across(space_sub(middle, frame->center), space_unit(frame->axis, z)), none),
                      t);
    case FRAME_CARRIED: break;
    }
    return usual_m1(frame->at ? &rod->def.m1 : NULL, t);
}

static CordResult refuse_m1(CordScene* scene, const SceneRod* rod, const JsonValue* at, int edge, int part)
{
    char where[40] = "frame";
    if (part > 0) {
        snprintf(where, sizeof where, "parts[%d].m1", part - 1);
    }
    notes_add(&scene->notes, true, at->source, at->offset,
              "rods[%d].%s is parallel to edge %d, so m1 cannot point that way there; choose another "
              "direction, or give that edge "
              "a part of its own with another m1",
              rod->entry, where, edge);
    return CORD_BAD_ARGUMENT;
}

static CordResult fill_m1(CordScene* scene, int index, CordVec3* m1)
{
    const SceneRod* rod = &scene->rods[index];
    const CordShape* s = &rod->def.shape;
    for (int j = 0; j < s->edge_count; j++) {
        int edge = j / rod->network.split, part = rod->network.edges ? rod->network.edges[edge].m1 : 0;
        CordVec3 a = s->points[s->ends[2 * (size_t)j]], b = s->points[s->ends[2 * (size_t)j + 1]],
                 e = space_sub(b, a);
        CordVec3 t = space_unit(e, (CordVec3){1, 0, 0});
        const NetworkPart* of = part > 0 ? &rod->network.parts[part - 1] : NULL;
        CordVec3 out = of ? across(space_unit(of->m1, t), t) : frame_m1(rod, t, space_add(a, e, 0.5));
        if (!(space_length(out) > LEAST_SINE)) {
            return refuse_m1(scene, rod, of ? of->m1_at : rod->frame.at, edge, part);
        }
        m1[j] = space_unit(out, t);
    }
    return CORD_OK;
}

// ---- all

static bool have_parts(const SceneNetwork* n, bool of_material)
{
    bool some = false;
    for (int i = 0; i < n->part_count; i++) {
        some = some || (of_material ? n->parts[i].has_material : n->parts[i].section.count > 0);
    }
    return some;
}

CordResult parts_along(CordScene* scene, int index, Along* along)
{
    Memory* memory = &scene->pool.memory;
    const SceneRod* rod = &scene->rods[index];
    const SceneNetwork* n = &rod->network;
    bool sections = n->size || have_parts(n, false), stiffnesses = have_parts(n, true);
    int count = along->edge_count = rod->def.shape.edge_count;
    along->m1 = memory_array(memory, CordVec3, count);
    along->sections = sections ? memory_array(memory, CordSection, count) : NULL;
    along->stiffnesses = stiffnesses ? memory_array(memory, CordStiffness, count) : NULL;
    if (!along->m1 || (sections && !along->sections) || (stiffnesses && !along->stiffnesses)) {
        return CORD_NO_MEMORY;
    }
    for (int j = 0; sections && j < count; j++) {
        along->sections[j] = section_of(rod, j / n->split);
    }
    for (int j = 0; stiffnesses && j < count; j++) {
        along->stiffnesses[j] = stiffness_of(rod, j / n->split);
    }
    return fill_m1(scene, index, along->m1);
}
