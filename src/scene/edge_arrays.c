// Per-edge arrays of a rod, as cord_rod_create takes them: sections, stiffnesses and material axes. They are
// computed when the rod is built, from the nodes of its sampled shape or from the edges of its network.
#include "scene/build.h"

#include <cordage/math.h>

#define LEAST_SINE 1e-6   // least sine of the angle between an edge and the direction given for m1
#define UPRIGHT_SINE 1e-3 // an edge whose angle to z has a smaller sine makes m1 from x

// ---- sampling

// The library samples the shape: a rod of that shape is created in a world of its own.
CordResult sample_shape(CordScene* scene, int index, const CordWorldDef* hooks, CordVec3* x)
{
    const SceneRod* from = &scene->rods[index];
    CordWorldDef world_def = *hooks;
    CordRodDef def = cord_rod_def_default();
    CordWorld* world;
    CordRodId rod;
    world_def.engine = NULL;
    def.name = from->def.name;
    def.shape = from->def.shape;
    def.closed = from->def.closed;
    def.rest = CORD_REST_STRAIGHT;
    def.half_edge_start = from->def.half_edge_start;
    def.half_edge_end = from->def.half_edge_end;
    CordResult result = cord_world_create(&world_def, &world);
    if (result != CORD_OK) {
        return result;
    }
    result = cord_rod_create(world, &def, &rod);
    if (result == CORD_OK) {
        result = cord_rod_positions(world, rod, x);
    } else if (result != CORD_NO_MEMORY) {
        note_refusal(scene, from->at, from->at, cord_world_message(world));
    }
    cord_world_destroy(world);
    return result;
}

static CordVec3 edge_vector(const EdgeArrays* a, int edge)
{
    return cord_vec3_sub(a->x[(edge + 1) % a->node_count], a->x[edge]);
}

static CordVec3 unit(CordVec3 a)
{
    return cord_vec3_div(a, cord_vec3_length(a));
}

// ---- chains: sections and stiffnesses at stations

static void fill_from_stations(const SceneRod* rod, const EdgeArrays* a)
{
    double length = 0.0, before = 0.0;
    for (int i = 0; i < a->edge_count; i++) {
        length += cord_vec3_length(edge_vector(a, i));
    }
    for (int i = 0; i < a->edge_count; i++) {
        double edge = cord_vec3_length(edge_vector(a, i));
        double middle = (before + 0.5 * edge) / length;
        before += edge;
        if (a->sections) {
            a->sections[i] = section_at(rod->section.stations, rod->section.count, middle);
        }
        if (a->stiffnesses) {
            a->stiffnesses[i] = stiffness_at(rod->stiffness.stations, rod->stiffness.count, middle);
        }
    }
}

// ---- networks: sections and materials of parts

static CordSection scale_section(CordSection s, double by) // every length times `by`
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
    return n->size ? scale_section(section, n->size[edge]) : section;
}

static CordStiffness stiffness_of(const SceneRod* rod, int edge)
{
    int part = rod->network.edges[edge].material;
    CordSection section = section_of(rod, edge);
    return part > 0 ? cord_stiffness_from(&rod->network.parts[part - 1].material, &section)
                    : cord_stiffness_unset();
}

static void fill_from_parts(const SceneRod* rod, const EdgeArrays* a)
{
    for (int i = 0; a->sections && i < a->edge_count; i++) {
        a->sections[i] = section_of(rod, i / rod->network.split);
    }
    for (int i = 0; a->stiffnesses && i < a->edge_count; i++) {
        a->stiffnesses[i] = stiffness_of(rod, i / rod->network.split);
    }
}

// ---- material axes

// The unit direction that the frame's rule gives to m1 at an edge; zero if it gives none there.
static CordVec3 frame_direction(const SceneFrame* frame, CordVec3 middle, CordVec3 edge)
{
    if (frame->rule == FRAME_TOWARD) {
        return unit(frame->toward);
    }
    CordVec3 out = cord_vec3_reject(cord_vec3_sub(middle, frame->center), unit(frame->axis));
    bool is_off_axis = cord_vec3_length(out) > LEAST_SINE * cord_vec3_length(edge);
    return is_off_axis ? unit(out) : cord_vec3(0, 0, 0);
}

static CordResult refuse_frame(CordScene* scene, int index, int edge)
{
    static const char* const texts[] = {
        [FRAME_CARRIED] = "is parallel to edge %d of the rod, so m1 cannot point that way "
                          "there; choose another direction",
        [FRAME_TOWARD] = "is parallel to edge %d of the rod, so m1 cannot point that "
                         "way there; choose a direction that no edge has",
        [FRAME_RADIAL] = "has no direction at edge %d of the rod, which lies on the "
                         "axis or points straight away from it; choose another axis",
    };
    const SceneFrame* frame = &scene->rods[index].frame;
    Reader r = scene_reader(scene);
    reader_error(&r, frame->at, texts[frame->rule], edge);
    return CORD_BAD_ARGUMENT;
}

static CordResult fill_m1_of_chain(CordScene* scene, int index, const EdgeArrays* a)
{
    const SceneFrame* frame = &scene->rods[index].frame;
    for (int i = 0; i < a->edge_count; i++) {
        CordVec3 e = edge_vector(a, i), middle = cord_vec3_madd(a->x[i], e, 0.5);
        CordVec3 m1 = cord_vec3_reject(frame_direction(frame, middle, e), unit(e));
        if (!(cord_vec3_length(m1) > LEAST_SINE)) {
            return refuse_frame(scene, index, i);
        }
        a->m1[i] = unit(m1);
    }
    return CORD_OK;
}

static CordResult check_first_m1(CordScene* scene, int index, const EdgeArrays* a)
{
    CordVec3 m1 = cord_vec3_reject(unit(scene->rods[index].def.m1), unit(edge_vector(a, 0)));
    return cord_vec3_length(m1) > LEAST_SINE ? CORD_OK : refuse_frame(scene, index, 0);
}

// m1 of an edge of a network that has no rule of its own: made from `first` if it is given, else from z, else
// from x.
static CordVec3 default_m1(const CordVec3* first, CordVec3 t)
{
    CordVec3 m1 = first ? cord_vec3_reject(unit(*first), t) : cord_vec3(0, 0, 0);
    if (!(cord_vec3_length(m1) > UPRIGHT_SINE)) {
        m1 = cord_vec3_reject(cord_vec3(0, 0, 1), t);
    }
    return cord_vec3_length(m1) > UPRIGHT_SINE ? m1 : cord_vec3_reject(cord_vec3(1, 0, 0), t);
}

// The note is about m1 of a part, or about the rod's frame, and stands at the direction in it.
static CordResult refuse_m1(CordScene* scene, const SceneRod* rod, const NetworkPart* part, int edge)
{
    Reader r = scene_reader(scene);
    part_error(&r, part ? part->m1_at : json_member(rod->at, "frame"), part ? part->m1_at : rod->frame.at,
               "is parallel to edge %d, so m1 cannot point that way there; choose another direction, or give "
               "that edge a part of its own with another m1",
               edge);
    return CORD_BAD_ARGUMENT;
}

static CordResult fill_m1_of_network(CordScene* scene, int index, const EdgeArrays* a)
{
    const SceneRod* rod = &scene->rods[index];
    const SceneFrame* frame = &rod->frame;
    const CordShape* s = &rod->def.shape;
    for (int i = 0; i < a->edge_count; i++) {
        int edge = i / rod->network.split, number = rod->network.edges ? rod->network.edges[edge].m1 : 0;
        const NetworkPart* part = number > 0 ? &rod->network.parts[number - 1] : NULL;
        CordVec3 start = s->points[s->ends[2 * (size_t)i]];
        CordVec3 e = cord_vec3_sub(s->points[s->ends[2 * (size_t)i + 1]], start),
                 t = unit_or(e, cord_vec3(1, 0, 0));
        CordVec3 m1 = part ? cord_vec3_reject(unit(part->m1), t)
                      : frame->rule == FRAME_CARRIED
                          ? default_m1(frame->at ? &rod->def.m1 : NULL, t)
                          : cord_vec3_reject(frame_direction(frame, cord_vec3_madd(start, e, 0.5), e), t);
        if (!(cord_vec3_length(m1) > LEAST_SINE)) {
            return refuse_m1(scene, rod, part, edge);
        }
        a->m1[i] = unit(m1);
    }
    return CORD_OK;
}

// ---- all arrays

static bool have_parts(const SceneNetwork* n, bool of_material)
{
    bool some = false;
    for (int i = 0; i < n->part_count; i++) {
        some = some || (of_material ? n->parts[i].has_material : n->parts[i].section.count > 0);
    }
    return some;
}

static bool allocate(const SceneRod* rod, EdgeArrays* a)
{
    const SceneNetwork* n = &rod->network;
    bool is_network = n->edge_count > 0;
    int nodes = rod->def.shape.node_count;
    bool sections = is_network ? n->size || have_parts(n, false) : rod->section.count > 1;
    bool stiffnesses = is_network ? have_parts(n, true) : rod->stiffness.count > 0;
    bool m1 = is_network || rod->frame.rule != FRAME_CARRIED;
    bool x = !is_network && (sections || stiffnesses || rod->frame.at);
    a->node_count = x ? nodes : 0;
    a->edge_count = is_network ? rod->def.shape.edge_count : !x ? 0 : rod->def.closed ? nodes : nodes - 1;
    a->x = x ? pool_array(&a->pool, CordVec3, a->node_count) : NULL;
    a->sections = sections ? pool_array(&a->pool, CordSection, a->edge_count) : NULL;
    a->stiffnesses = stiffnesses ? pool_array(&a->pool, CordStiffness, a->edge_count) : NULL;
    a->m1 = m1 ? pool_array(&a->pool, CordVec3, a->edge_count) : NULL;
    return (!x || a->x) && (!sections || a->sections) && (!stiffnesses || a->stiffnesses) && (!m1 || a->m1);
}

static CordResult fill_chain(CordScene* scene, int index, const CordWorldDef* hooks, const EdgeArrays* a)
{
    const SceneRod* rod = &scene->rods[index];
    if (!a->x) {
        return CORD_OK;
    }
    CordResult result = sample_shape(scene, index, hooks, a->x);
    if (result != CORD_OK) {
        return result;
    }
    fill_from_stations(rod, a);
    if (!rod->frame.at) {
        return CORD_OK;
    }
    return a->m1 ? fill_m1_of_chain(scene, index, a) : check_first_m1(scene, index, a);
}

CordResult edge_arrays_make(CordScene* scene, int index, const CordWorldDef* hooks, EdgeArrays* arrays,
                            CordRodDef* def)
{
    const SceneRod* rod = &scene->rods[index];
    *arrays = (EdgeArrays){.pool = pool_beside(&scene->pool)};
    *def = rod->def;
    def->integrator = rod->integrator; // the world decides itself which rods Newton's method steps
    if (!allocate(rod, arrays)) {
        return CORD_NO_MEMORY;
    }
    CordResult result;
    if (rod->network.edge_count > 0) {
        fill_from_parts(rod, arrays);
        result = fill_m1_of_network(scene, index, arrays);
    } else {
        result = fill_chain(scene, index, hooks, arrays);
    }
    def->sections = arrays->sections;
    def->stiffnesses = arrays->stiffnesses;
    def->m1_along = arrays->m1;
    def->along_count = arrays->edge_count;
    return result;
}

void edge_arrays_free(CordScene* scene, EdgeArrays* arrays)
{
    pool_end(&arrays->pool, &scene->pool);
}
