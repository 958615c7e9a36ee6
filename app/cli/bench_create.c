#include "bench_create.h"

#include "bench_world.h"
#include "talk.h"

#include <cordage/body.h>
#include <cordage/contact.h>

#include <math.h>

static CordVec3 place_of(int i) // of rod i: in rows, apart from each other [m]
{
    return (CordVec3){0.2 * (i % 1000), 0.01 * (i / 1000), 1.0};
}

static CordResult add_rod(CordWorld* world, int i)
{
    CordVec3 from = place_of(i), to = {from.x + 0.1, from.y, from.z};
    CordRodDef def = cord_rod_def_default();
    CordRodId id;
    def.shape = cord_shape_line(from, to, 9);
    return cord_rod_create(world, &def, &id);
}

static CordResult add_others(CordWorld* world, int i)
{
    CordRodId rod = cord_world_rod(world, i);
    CordClampDef clamp = cord_clamp_def_default();
    CordLoadDef load = cord_load_def_default();
    CordProbeDef probe = cord_probe_def_default();
    CordBodyDef body = cord_body_def_default();
    CordWeldDef weld = cord_weld_def_default();
    CordObstacleDef obstacle = cord_obstacle_def_default();
    CordClampId clamp_id;
    CordLoadId load_id;
    CordProbeId probe_id;
    CordWeldId weld_id;
    CordObstacleId obstacle_id;
    clamp.rod = load.rod = probe.rod = weld.rod = rod;
    clamp.at = cord_at_start(), clamp.fix = CORD_FIX_POSITION;
    load.kind = CORD_LOAD_FORCE, load.at = cord_at_end(), load.force = (CordVec3){0, 0, 1e-3};
    body.position = place_of(i);
    body.position.x += 0.1;
    weld.fix = CORD_FIX_POSITION;
    obstacle.position = (CordVec3){0, 0, -1.0 - i};
    CordResult result = cord_clamp_create(world, &clamp, &clamp_id);
    result = result == CORD_OK ? cord_load_create(world, &load, &load_id) : result;
    result = result == CORD_OK ? cord_probe_create(world, &probe, &probe_id) : result;
    result = result == CORD_OK ? cord_body_create(world, &body, &weld.body) : result;
    result = result == CORD_OK ? cord_weld_create(world, &weld, &weld_id) : result;
    return result == CORD_OK ? cord_obstacle_create(world, &obstacle, &obstacle_id) : result;
}

static CordResult destroy_rods(CordWorld* world)
{
    CordResult result = CORD_OK;
    while (cord_world_rod_count(world) > 0 && result == CORD_OK) {
        result = cord_rod_destroy(world, cord_world_rod(world, 0));
    }
    return result;
}

static CordResult destroy_others(CordWorld* world)
{
    CordResult result = CORD_OK;
    while (cord_world_body_count(world) > 0 && result == CORD_OK) {
        result = cord_body_destroy(world, cord_world_body(world, 0));
    }
    while (cord_world_obstacle_count(world) > 0 && result == CORD_OK) {
        result = cord_obstacle_destroy(world, cord_world_obstacle(world, 0));
    }
    return result;
}

static double lap(double* clock, bool good) // since the last one [s]
{
    double now = talk_cpu_clock(), seconds = now - *clock;
    *clock = now;
    return good ? seconds : (double)NAN;
}

BenchCreation bench_creation(int count)
{
    BenchWorld b;
    BenchCreation cost = {NAN, NAN, NAN, NAN, NAN};
    bench_empty_open(&b);
    bool good = b.world != NULL;
    double clock = talk_cpu_clock();
    for (int i = 0; i < count && good; i++) {
        good = add_rod(b.world, i) == CORD_OK;
    }
    cost.rods = lap(&clock, good);
    for (int i = 0; i < count && good; i++) {
        good = add_others(b.world, i) == CORD_OK;
    }
    cost.others = lap(&clock, good);
    good = good && cord_world_step(b.world, 1e-6) == CORD_OK;
    cost.step = lap(&clock, good);
    good = good && destroy_rods(b.world) == CORD_OK;
    cost.rods_destroyed = lap(&clock, good);
    good = good && destroy_others(b.world) == CORD_OK;
    bench_world_close(&b);
    cost.others_destroyed = lap(&clock, good);
    return cost;
}
