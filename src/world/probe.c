#include "math/vec3.h"
#include "rod/grid.h"
#include "world/world.h"

#include <cordage/contact.h>

#include <stdio.h>
#include <string.h>

typedef struct MeasureInfo {
    const char* name;
    int size;
    const char* columns[CORD_PROBE_MOST];
} MeasureInfo;

static const MeasureInfo measures[CORD_MEASURE_COUNT] = {
    [CORD_MEASURE_POSITION] = {"position", 3, {"x", "y", "z"}},
    [CORD_MEASURE_VELOCITY] = {"velocity", 3, {"x", "y", "z"}},
    [CORD_MEASURE_FRAME] = {"frame", 9, {"tx", "ty", "tz", "m1x", "m1y", "m1z", "m2x", "m2y", "m2z"}},
    [CORD_MEASURE_FORCE] = {"force", 3, {"x", "y", "z"}},
    [CORD_MEASURE_TORQUE] = {"torque", 3, {"x", "y", "z"}},
    [CORD_MEASURE_TENSION] = {"tension", 1, {"tension"}},
    [CORD_MEASURE_MOMENT] = {"moment", 3, {"x", "y", "z"}},
    [CORD_MEASURE_ENERGY] = {"energy", 5, {"kinetic", "bend", "twist", "stretch", "gravity"}},
    [CORD_MEASURE_MOMENTUM] = {"momentum", 6, {"px", "py", "pz", "lx", "ly", "lz"}},
    [CORD_MEASURE_TWIST] = {"twist", 1, {"turns"}},
    [CORD_MEASURE_WRITHE] = {"writhe", 1, {"turns"}},
    [CORD_MEASURE_LINK] = {"link", 1, {"turns"}},
};

CordProbeDef cord_probe_def_default(void)
{
    return (CordProbeDef){.at = {.kind = CORD_AT_END}, .measure = CORD_MEASURE_POSITION};
}

const char* cord_measure_name(CordMeasure measure)
{
    return (unsigned)measure < CORD_MEASURE_COUNT ? measures[measure].name : NULL;
}

int cord_measure_size(CordMeasure measure)
{
    return (unsigned)measure < CORD_MEASURE_COUNT ? measures[measure].size : 0;
}

const char* cord_measure_column(CordMeasure measure, int column)
{
    return column >= 0 && column < cord_measure_size(measure) ? measures[measure].columns[column] : NULL;
}

// ---- creation

static bool needs_edge(CordMeasure measure)
{
    return measure == CORD_MEASURE_FRAME || measure == CORD_MEASURE_TENSION;
}

static bool needs_clamp(CordMeasure measure)
{
    return measure == CORD_MEASURE_FORCE || measure == CORD_MEASURE_TORQUE;
}

static bool needs_node(CordMeasure measure)
{
    return measure == CORD_MEASURE_POSITION || measure == CORD_MEASURE_VELOCITY ||
           measure == CORD_MEASURE_MOMENT;
}

static bool needs_body(CordMeasure measure)
{
    return measure == CORD_MEASURE_POSITION || measure == CORD_MEASURE_VELOCITY ||
           measure == CORD_MEASURE_FRAME || measure == CORD_MEASURE_ENERGY ||
           measure == CORD_MEASURE_MOMENTUM;
}

// Finds the clamp or weld that holds this node, or this edge.
static const Clamp* find_clamp(CordWorld* w, const Rod* rod, CordPlace at)
{
    Message unused;
    int node = at.kind == CORD_AT_EDGE ? -1 : place_node(&rod->line, at, &unused);
    int edge = at.kind == CORD_AT_NODE ? -1 : place_edge(&rod->line, at, &unused);
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if ((edge >= 0 && clamp->edge == edge) ||
            (node >= 0 && (clamp->node[0] == node || (clamp->node_count > 1 && clamp->node[1] == node)))) {
            return clamp;
        }
    }
    message_fail(&w->message, CORD_BAD_ARGUMENT,
                 "a probe of force or torque needs a clamp or weld at its place on rod '%s'; there is none",
                 rod->name);
    return NULL;
}

static CordResult place_probe(CordWorld* w, Probe* probe, const CordProbeDef* def)
{
    if (needs_clamp(def->measure)) {
        probe->clamp = find_clamp(w, probe->rod, def->at);
        return probe->clamp ? CORD_OK : CORD_BAD_ARGUMENT;
    }
    if (needs_edge(def->measure)) {
        probe->edge = place_edge(&probe->rod->line, def->at, &w->message);
    } else if (needs_node(def->measure)) {
        probe->node = place_node(&probe->rod->line, def->at, &w->message);
    }
    if (probe->edge >= 0 && probe->rod->grid) {
        const RodGrid* g = probe->rod->grid;
        probe->twice_tick = g->tick[probe->edge] + grid_tick_after(g, &probe->rod->line, probe->edge);
    }
    return probe->edge < 0 || probe->node < 0 ? CORD_BAD_ARGUMENT : CORD_OK;
}

static CordResult measures_many(CordWorld* w)
{
    return message_fail(&w->message, CORD_BAD_ARGUMENT,
                        "a probe measures a rod, a body or an obstacle, and one of them");
}

static CordResult check_obstacle(CordWorld* w, const CordProbeDef* def)
{
    const char* name = cord_obstacle_name(w, def->obstacle);
    if (!name) {
        return bad_id(w, "obstacle");
    }
    if (def->rod.slot != 0) {
        return measures_many(w);
    }
    if (def->measure != CORD_MEASURE_POSITION && !needs_clamp(def->measure)) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "obstacle '%s' has no %s to measure; it has position, force and torque", name,
                            cord_measure_name(def->measure));
    }
    return CORD_OK;
}

static CordResult check_body(CordWorld* w, const CordProbeDef* def)
{
    const Body* body = world_body(w, def->body);
    if (!body) {
        return bad_id(w, "body");
    }
    if (def->rod.slot != 0 || def->obstacle.slot != 0) {
        return measures_many(w);
    }
    if (!needs_body(def->measure)) {
        return message_fail(
            &w->message, CORD_BAD_ARGUMENT,
            "body '%s' has no %s to measure; it has position, velocity, frame, energy and momentum",
            body->name, cord_measure_name(def->measure));
    }
    return CORD_OK;
}

CordResult cord_probe_create(CordWorld* w, const CordProbeDef* def, CordProbeId* probe_id)
{
    *probe_id = (CordProbeId){0};
    CORD_TRY(check_def_given(w, def, "probe"));
    if ((unsigned)def->measure >= CORD_MEASURE_COUNT) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT, "there is no measure number %d",
                            (int)def->measure);
    }
    bool on_body = def->body.slot != 0, on_obstacle = def->obstacle.slot != 0;
    Rod* rod = on_body || on_obstacle ? NULL : world_rod(w, def->rod);
    if (on_body) {
        CORD_TRY(check_body(w, def));
    } else if (on_obstacle) {
        CORD_TRY(check_obstacle(w, def));
    } else if (!rod) {
        return bad_id(w, "rod");
    }
    bool along = def->measure == CORD_MEASURE_MOMENT || def->measure == CORD_MEASURE_TWIST ||
                 def->measure == CORD_MEASURE_WRITHE || def->measure == CORD_MEASURE_LINK;
    if (rod && rod->line.ends && along) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "rod '%s' is a network, of which %s is not told: many edges meet at its nodes",
                            rod->name, cord_measure_name(def->measure));
    }
    Probe* probe = memory_alloc(&w->memory, sizeof *probe);
    if (!probe) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for a probe");
    }
    *probe = (Probe){.measure = def->measure, .rod = rod, .body = def->body, .obstacle = def->obstacle};
    if (def->name) {
        snprintf(probe->name, sizeof probe->name, "%s", def->name);
    } else {
        snprintf(probe->name, sizeof probe->name, "probe%d", w->probes.live_count + 1);
    }
    SlotId id = {0};
    CordResult result = rod ? place_probe(w, probe, def) : CORD_OK;
    if (result == CORD_OK && !slots_add(&w->memory, &w->probes, probe, NULL, &id)) {
        result = message_fail(&w->message, CORD_NO_MEMORY, "no memory for a probe");
    }
    if (result != CORD_OK) {
        memory_free(&w->memory, probe, sizeof *probe);
        return result;
    }
    *probe_id = probe->id = (CordProbeId){id.slot, id.generation};
    if (rod) {
        list_append(&rod->probes, &probe->link);
    }
    return CORD_OK;
}

int cord_world_probe_count(const CordWorld* w)
{
    return w->probes.live_count;
}

CordProbeId cord_world_probe(const CordWorld* w, int index)
{
    SlotId id = slots_id_at(&w->probes, index);
    return (CordProbeId){id.slot, id.generation};
}

const char* cord_probe_name(const CordWorld* w, CordProbeId id)
{
    const Probe* probe = slots_get(&w->probes, id.slot, id.generation);
    return probe ? probe->name : NULL;
}

CordMeasure cord_probe_measure(const CordWorld* w, CordProbeId id)
{
    const Probe* probe = slots_get(&w->probes, id.slot, id.generation);
    return probe ? probe->measure : CORD_MEASURE_COUNT;
}

// ---- reading

static void write_vec3(double* values, CordVec3 a)
{
    values[0] = a.x, values[1] = a.y, values[2] = a.z;
}

static CordResult read_clamp(const CordWorld* w, const Probe* probe, double* values)
{
    CordVec3 force = {0, 0, 0}, torque = {0, 0, 0};
    CordResult result = probe->clamp ? clamp_reaction_now(w, probe->clamp, &force, &torque) : CORD_OK;
    write_vec3(values, probe->measure == CORD_MEASURE_FORCE ? force : torque);
    return result;
}

// Reads one entry of an array by node or by edge.
static CordResult read_entry(const CordWorld* w, const Probe* probe, double* values)
{
    const CordCenterline* c = &probe->rod->line;
    CordVec3* a = memory_array((Memory*)&w->memory, CordVec3, c->node_count);
    if (!a) {
        return message_fail(world_message(w), CORD_NO_MEMORY, "no memory to read probe '%s'", probe->name);
    }
    CordRodId id = probe->rod->id;
    CordResult result;
    if (probe->measure == CORD_MEASURE_TENSION) {
        result = cord_rod_tensions(w, id, (double*)a);
        values[0] = ((double*)a)[probe->edge];
    } else if (probe->measure == CORD_MEASURE_FRAME) {
        result = cord_rod_material_frames(w, id, a);
        CordVec3 t = edge_tangent(c, probe->edge);
        write_vec3(values, t);
        write_vec3(values + 3, a[probe->edge]);
        write_vec3(values + 6, vec3_cross(t, a[probe->edge]));
    } else {
        result = probe->measure == CORD_MEASURE_MOMENT ? cord_rod_moments(w, id, a)
                                                       : cord_rod_velocities(w, id, a);
        write_vec3(values, a[probe->node]);
    }
    memory_array_free((Memory*)&w->memory, a, c->node_count);
    return result;
}

static void write_energy(double* values, CordEnergy e)
{
    memcpy(values, (double[]){e.kinetic, e.bend, e.twist, e.stretch, e.gravity}, 5 * sizeof(double));
}

static void write_momentum(double* values, CordMomentum m)
{
    write_vec3(values, m.linear);
    write_vec3(values + 3, m.angular);
}

static CordResult read_body(const CordWorld* w, const Probe* probe, double* values)
{
    CordVec3 position, velocity, spin;
    CordQuat q;
    if (!world_body(w, probe->body)) { // destroyed: reads as a clamp that has let go
        memset(values, 0, (size_t)cord_measure_size(probe->measure) * sizeof *values);
        return CORD_OK;
    }
    CORD_TRY(cord_body_pose(w, probe->body, &position, &q));
    CORD_TRY(cord_body_velocity(w, probe->body, &velocity, &spin));
    switch (probe->measure) {
    case CORD_MEASURE_POSITION: write_vec3(values, position); break;
    case CORD_MEASURE_VELOCITY: write_vec3(values, velocity); break;
    case CORD_MEASURE_ENERGY: write_energy(values, cord_body_energy(w, probe->body)); break;
    case CORD_MEASURE_MOMENTUM: write_momentum(values, cord_body_momentum(w, probe->body)); break;
    default:
        write_vec3(values, quat_rotate(q, (CordVec3){1, 0, 0}));
        write_vec3(values + 3, quat_rotate(q, (CordVec3){0, 1, 0}));
        write_vec3(values + 6, quat_rotate(q, (CordVec3){0, 0, 1}));
    }
    return CORD_OK;
}

static void read_obstacle(const CordWorld* w, const Probe* probe, double* values)
{
    CordVec3 position = {0, 0, 0}, force = {0, 0, 0}, torque = {0, 0, 0};
    if (cord_obstacle_name(w, probe->obstacle)) { // it still exists
        cord_obstacle_pose(w, probe->obstacle, &position, NULL);
        cord_obstacle_force(w, probe->obstacle, &force, &torque);
    }
    write_vec3(values, probe->measure == CORD_MEASURE_POSITION ? position
                       : probe->measure == CORD_MEASURE_FORCE  ? force
                                                               : torque);
}

CordResult cord_probe_read(const CordWorld* w, CordProbeId id, double* values)
{
    const Probe* probe = slots_get(&w->probes, id.slot, id.generation);
    if (!probe) {
        return bad_id(w, "probe");
    }
    if (probe->obstacle.slot != 0) {
        read_obstacle(w, probe, values);
        return CORD_OK;
    }
    if (!probe->rod) {
        return read_body(w, probe, values);
    }
    CordRodId rod = probe->rod->id;
    switch (probe->measure) {
    case CORD_MEASURE_POSITION:
        write_vec3(values, node_position(&probe->rod->line, probe->node));
        return CORD_OK;
    case CORD_MEASURE_FORCE:
    case CORD_MEASURE_TORQUE: return read_clamp(w, probe, values);
    case CORD_MEASURE_ENERGY: write_energy(values, cord_rod_energy(w, rod)); return CORD_OK;
    case CORD_MEASURE_MOMENTUM: write_momentum(values, cord_rod_momentum(w, rod)); return CORD_OK;
    case CORD_MEASURE_TWIST: values[0] = cord_rod_twist(w, rod); return CORD_OK;
    case CORD_MEASURE_WRITHE: values[0] = cord_rod_writhe(w, rod); return CORD_OK;
    case CORD_MEASURE_LINK: values[0] = cord_rod_link(w, rod); return CORD_OK;
    default: return read_entry(w, probe, values);
    }
}
