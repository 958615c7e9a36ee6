#include "scene/along.h"

#include "scene/parts.h"

#include <math.h>

#define LEAST_SINE 1e-6 // of the angle between an edge and the direction that m1 is to have there

static CordVec3 sub(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(CordVec3 a, CordVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double length(CordVec3 a)
{
    return sqrt(dot(a, a));
}

// What is left of a without what it has along the unit vector t.
static CordVec3 across(CordVec3 a, CordVec3 t)
{
    double along = dot(a, t);
    return (CordVec3){a.x - along * t.x, a.y - along * t.y, a.z - along * t.z};
}

static CordVec3 unit(CordVec3 a)
{
    double size = length(a);
    return (CordVec3){a.x / size, a.y / size, a.z / size};
}

// ---- sampling

// From a rod of the same shape in a world of its own.
CordResult along_sample(CordScene* scene, int index, const CordWorldDef* hooks, CordVec3* x)
{
    const CordRodDef* from = &scene->rods[index].def;
    CordWorldDef world_def = *hooks;
    CordRodDef def = cord_rod_def_default();
    CordWorld* world;
    CordRodId rod;
    world_def.engine = NULL;
    def.name = from->name;
    def.shape = from->shape;
    def.closed = from->closed;
    def.rest = CORD_REST_STRAIGHT;
    def.half_edge_start = from->half_edge_start;
    def.half_edge_end = from->half_edge_end;
    CordResult result = cord_world_create(&world_def, &world);
    if (result != CORD_OK) {
        return result;
    }
    result = cord_rod_create(world, &def, &rod);
    if (result == CORD_OK) {
        result = cord_rod_positions(world, rod, x);
    } else if (result != CORD_NO_MEMORY) {
        const SceneRod* rod_read = &scene->rods[index];
        notes_add(&scene->notes, true, rod_read->at->source, rod_read->at->offset, "rods[%d]: %s",
                  rod_read->entry, cord_world_message(world));
    }
    cord_world_destroy(world);
    return result;
}

static CordVec3 edge_vector(const Along* along, int edge)
{
    return sub(along->x[(edge + 1) % along->node_count], along->x[edge]);
}

// ---- sections and stiffnesses

static void fill_stations(const SceneRod* rod, const Along* along)
{
    double whole = 0.0, before = 0.0;
    for (int i = 0; i < along->edge_count; i++) {
        whole += length(edge_vector(along, i));
    }
    for (int i = 0; i < along->edge_count; i++) {
        double len = length(edge_vector(along, i));
        double middle = (before + 0.5 * len) / whole;
        before += len;
        if (along->sections) {
            along->sections[i] = section_at(rod->section.stations, rod->section.count, middle);
        }
        if (along->stiffnesses) {
            along->stiffnesses[i] = stiffness_at(rod->stiffness.stations, rod->stiffness.count, middle);
        }
    }
}

// ---- frames

// Where m1 should point at an edge, of any length; zero if nowhere.
static CordVec3 wanted(const SceneFrame* frame, const Along* along, int edge)
{
    if (frame->rule == FRAME_TOWARD) {
        return unit(frame->toward);
    }
    CordVec3 a = along->x[edge], e = edge_vector(along, edge);
    CordVec3 middle = {a.x + 0.5 * e.x, a.y + 0.5 * e.y, a.z + 0.5 * e.z};
    CordVec3 out = across(sub(middle, frame->center), unit(frame->axis));
    double far = length(out);
    return far > LEAST_SINE * length(e) ? unit(out) : (CordVec3){0, 0, 0};
}

static CordResult refuse_frame(CordScene* scene, int index, int edge)
{
    static const char* const texts[] = {
        [FRAME_CARRIED] = "rods[%d].frame is parallel to edge %d of the rod, so m1 cannot point that way "
                          "there; choose another direction",
        [FRAME_TOWARD] = "rods[%d].frame.toward is parallel to edge %d of the rod, so m1 cannot point that "
                         "way there; choose a direction that "
                         "no edge has",
        [FRAME_RADIAL] = "rods[%d].frame.radial has no direction at edge %d of the rod, which lies on the "
                         "axis or points straight away "
                         "from it; choose another axis",
    };
    const SceneFrame* frame = &scene->rods[index].frame;
    notes_add(&scene->notes, true, frame->at->source, frame->at->offset, texts[frame->rule],
              scene->rods[index].entry, edge);
    return CORD_BAD_ARGUMENT;
}

static CordResult fill_frames(CordScene* scene, int index, const Along* along)
{
    const SceneFrame* frame = &scene->rods[index].frame;
    for (int i = 0; i < along->edge_count; i++) {
        CordVec3 m1 = across(wanted(frame, along, i), unit(edge_vector(along, i)));
        if (!(length(m1) > LEAST_SINE)) {
            return refuse_frame(scene, index, i);
        }
        along->m1[i] = unit(m1);
    }
    return CORD_OK;
}

static CordResult check_first_frame(CordScene* scene, int index, const Along* along)
{
    CordVec3 m1 = across(unit(scene->rods[index].def.m1), unit(edge_vector(along, 0)));
    return length(m1) > LEAST_SINE ? CORD_OK : refuse_frame(scene, index, 0);
}

// ---- all

static bool make_arrays(Memory* memory, const SceneRod* rod, Along* along)
{
    int nodes = rod->def.shape.node_count, edges = rod->def.closed ? nodes : nodes - 1;
    bool sections = rod->section.count > 1, stiffnesses = rod->stiffness.count > 0;
    bool frames = rod->frame.rule != FRAME_CARRIED;
    if (!sections && !stiffnesses && !rod->frame.at) {
        return true;
    }
    along->node_count = nodes;
    along->edge_count = edges;
    along->x = memory_array(memory, CordVec3, nodes);
    along->sections = sections ? memory_array(memory, CordSection, edges) : NULL;
    along->stiffnesses = stiffnesses ? memory_array(memory, CordStiffness, edges) : NULL;
    along->m1 = frames ? memory_array(memory, CordVec3, edges) : NULL;
    return along->x && (!sections || along->sections) && (!stiffnesses || along->stiffnesses) &&
           (!frames || along->m1);
}

static void hand_out(const Along* along, CordRodDef* def)
{
    def->sections = along->sections;
    def->stiffnesses = along->stiffnesses;
    def->m1_along = along->m1;
    def->along_count = along->edge_count;
}

CordResult along_make(CordScene* scene, int index, const CordWorldDef* hooks, Along* along, CordRodDef* def)
{
    const SceneRod* rod = &scene->rods[index];
    *along = (Along){0};
    *def = rod->def;
    def->integrator = rod->integrator; // the world chooses for itself
    if (rod->network.edge_count > 0) {
        CordResult made = parts_along(scene, index, along);
        hand_out(along, def);
        return made;
    }
    if (!make_arrays(&scene->pool.memory, rod, along)) {
        return CORD_NO_MEMORY;
    }
    CordResult result = along->x ? along_sample(scene, index, hooks, along->x) : CORD_OK;
    if (result == CORD_OK && along->x) {
        fill_stations(rod, along);
    }
    if (result == CORD_OK && rod->frame.at) {
        result = along->m1 ? fill_frames(scene, index, along) : check_first_frame(scene, index, along);
    }
    hand_out(along, def);
    return result;
}

void along_free(CordScene* scene, Along* along)
{
    Memory* memory = &scene->pool.memory;
    memory_array_free(memory, along->x, along->node_count);
    memory_array_free(memory, along->sections, along->edge_count);
    memory_array_free(memory, along->stiffnesses, along->edge_count);
    memory_array_free(memory, along->m1, along->edge_count);
    *along = (Along){0};
}
