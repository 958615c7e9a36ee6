#include "saddle.h"

#include "heap.h"

#include <cordage/math.h>
#include <cordage/solve.h>

#include <stdlib.h>

enum {
    NODES_MOST = 1000, // more take longer than a moment to solve for
    ITERATIONS = 30,
    MODES_MOST = 4,
};

// Distances are over the length of a rod. In a run that has not been pushed, round-off alone is in the motion
// that would grow, and the rest of the motion stays close to the equilibrium.
static const double close_by = 0.02;
static const double untouched = 1e-6;

typedef struct Saddle {
    const Simulation* sim;
    int nodes, modes;
    CordVec3 *x, *v; // at the end of the run (nodes)
    CordVec3* still; // the equilibrium (nodes)
    CordVec3* shape; // motions that grow (modes x nodes)
    double omega2[MODES_MOST];
} Saddle;

typedef CordResult (*NodeQuery)(const CordWorld* world, CordRodId rod, CordVec3* values);

static bool read_nodes(const CordWorld* world, NodeQuery query, CordVec3* all)
{
    bool good = true;
    for (int r = 0, first = 0; r < cord_world_rod_count(world); r++) {
        CordRodId rod = cord_world_rod(world, r);
        good = good && query(world, rod, all + first) == CORD_OK;
        first += cord_rod_node_count(world, rod);
    }
    return good;
}

static double longest_rod(const CordWorld* world)
{
    double most = 0.0;
    for (int r = 0; r < cord_world_rod_count(world); r++) {
        most = fmax(most, cord_rod_length(world, cord_world_rod(world, r)));
    }
    return most;
}

// Solves from the end of the run. False: there is no unstable equilibrium, or it is not known.
static bool find_saddle(Saddle* s)
{
    CordWorld* world = s->sim->world;
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    def.iterations = ITERATIONS, def.accept_saddle = true;
    bool found = read_nodes(world, cord_rod_positions, s->x) &&
                 read_nodes(world, cord_rod_velocities, s->v) &&
                 cord_world_solve(world, &def, &report) == CORD_OK && report.unstable > 0 &&
                 read_nodes(world, cord_rod_positions, s->still);
    if (!found) {
        return false;
    }
    s->modes = report.unstable < MODES_MOST ? report.unstable : MODES_MOST;
    s->shape = heap_take((size_t)s->modes * (size_t)s->nodes, sizeof *s->shape);
    return cord_world_modes(world, s->modes, s->omega2, s->shape) == CORD_OK && s->omega2[0] < 0.0;
}

// Has the run stayed at the equilibrium, with nothing in the motions that grow?
static bool run_stays(const Saddle* s)
{
    double length = longest_rod(s->sim->world);
    for (int i = 0; i < s->nodes; i++) {
        if (!(cord_vec3_length(cord_vec3_sub(s->x[i], s->still[i])) <= close_by * length)) {
            return false;
        }
    }
    for (int k = 0; k < s->modes && s->omega2[k] < 0.0; k++) {
        const CordVec3* shape = s->shape + (size_t)k * (size_t)s->nodes;
        double gone = 0.0, speed = 0.0, size = 0.0, most = 0.0;
        for (int i = 0; i < s->nodes; i++) {
            gone += cord_vec3_dot(cord_vec3_sub(s->x[i], s->still[i]), shape[i]);
            speed += cord_vec3_dot(s->v[i], shape[i]);
            size += cord_vec3_dot(shape[i], shape[i]);
            most = fmax(most, cord_vec3_length(shape[i]));
        }
        double reach = fabs(gone) + fabs(speed) / sqrt(-s->omega2[k]);
        if (!(reach * most <= untouched * length * size)) {
            return false;
        }
    }
    return true;
}

static const char* rod_that_moves(const Saddle* s)
{
    const CordWorld* world = s->sim->world;
    const char* name = "";
    double most = 0.0;
    for (int r = 0, first = 0; r < cord_world_rod_count(world); r++) {
        CordRodId rod = cord_world_rod(world, r);
        for (int i = 0; i < cord_rod_node_count(world, rod); i++, first++) {
            double moves = cord_vec3_length(s->shape[first]);
            name = moves > most ? cord_rod_name(world, rod) : name;
            most = fmax(most, moves);
        }
    }
    return name;
}

void saddle_warn(const Simulation* sim, double duration)
{
    CordWorld* world = sim->world;
    int64_t nodes = simulation_node_count(world);
    if (nodes == 0 || nodes > NODES_MOST || sim->engine || cord_scene_contact(sim->scene)->on) {
        return;
    }
    Saddle s = {.sim = sim, .nodes = (int)nodes};
    size_t size = cord_world_state_size(world);
    void* state = heap_take(1, size);
    s.x = heap_take((size_t)nodes, sizeof *s.x), s.v = heap_take((size_t)nodes, sizeof *s.v);
    s.still = heap_take((size_t)nodes, sizeof *s.still);
    if (cord_world_state_get(world, state, size) == CORD_OK) {
        if (find_saddle(&s) && run_stays(&s) && sqrt(-s.omega2[0]) * duration >= 1.0) {
            console_warning(
                "the run ends in an unstable equilibrium, which rod '%s' would leave within some %.2g s if "
                "anything pushed it: give it a small imperfection, such as a force to one side or a shape "
                "that is bent a little, or solve for the stable state (cordage solve)",
                rod_that_moves(&s), 1.0 / sqrt(-s.omega2[0]));
        }
        cord_world_state_set(world, state, size);
    }
    free(s.x), free(s.v), free(s.still), free(s.shape);
    free(state);
}
