#include "scene.h"

#include "random.h"
#include "vectors.h"

#include <stdio.h>
#include <string.h>

const char* const stepper_names[STEPPERS] = {"explicit", "implicit", "position-based", "mixed"};

static const CordVec3 octahedron[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
static const int faces[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
enum { FACES = sizeof faces / sizeof *faces / 3 };
static CordVec3 vertices[MOST_SOLIDS][6]; // of the meshes of the present scene

static double random_power(uint64_t* seed, double from, double to) // logarithmically even
{
    return exp(random_in(seed, log(from), log(to)));
}

static CordVec3 random_direction(uint64_t* seed)
{
    for (;;) {
        CordVec3 p = random_vec3(seed, 1.0);
        double size = size_of(p);
        if (size > 0.1 && size < 1.0) {
            return times(p, 1.0 / size);
        }
    }
}

static bool chance(uint64_t* seed, double share)
{
    return random_in(seed, 0.0, 1.0) < share;
}

// ---- rods

typedef struct Draft {      // what the rods of a scene share
    double radius, element; // [m]
    double young;           // [Pa]
    double room;            // half the width of the space that they start in [m]
    double speed;           // [m/s]
} Draft;

static void draw_model(CordRodDef* def, Scene* s, uint64_t* seed)
{
    Stepper own = s->stepper == MIXED ? (Stepper)random_int(seed, MIXED) : s->stepper;
    def->inextensible = chance(seed, 0.4);
    if (own == POSITION_BASED) {
        def->model = CORD_MODEL_PBD;
        def->pbd.substeps = 1;
        return;
    }
    def->model = chance(seed, 0.3) ? CORD_MODEL_CORDE : CORD_MODEL_DER;
    def->integrator = own == EXPLICIT
                          ? chance(seed, 0.5) ? CORD_INTEGRATOR_VERLET : CORD_INTEGRATOR_SYMPLECTIC_EULER
                      : chance(seed, 0.3) ? CORD_INTEGRATOR_MIDPOINT
                                          : CORD_INTEGRATOR_BACKWARD_EULER;
    if (own == IMPLICIT && chance(seed, 0.2)) {
        def->model = CORD_MODEL_PBD, def->inextensible = false;
    }
    s->swings |= def->integrator == CORD_INTEGRATOR_MIDPOINT;
}

static CordRodDef draw_rod(const Draft* d, Scene* s, uint64_t* seed)
{
    CordRodDef def = cord_rod_def_default();
    int elements = 4 + random_int(seed, 32);
    double length = elements * d->element;
    draw_model(&def, s, seed);
    def.section = cord_section_disc(d->radius);
    def.material.young = d->young;
    def.dynamic_twist = chance(seed, 0.3);
    CordVec3 center = random_vec3(seed, d->room), along = random_direction(seed);
    def.closed = chance(seed, 0.35) && elements > 7 && length > 40.0 * d->radius;
    if (def.closed) {
        def.shape = cord_shape_circle(center, along, length / (2 * pi), elements);
    } else if (chance(seed, 0.4)) {
        double turns = random_in(seed, 0.3, 1.5), coil = 0.8 * length / (2 * pi * turns);
        def.shape = cord_shape_helix(center, along, coil, 0.6 * length / turns, turns, elements + 1);
    } else {
        CordVec3 half = times(along, length / 2);
        def.shape = cord_shape_line(minus(center, half), plus(center, half), elements + 1);
    }
    def.rest = chance(seed, 0.5) ? CORD_REST_AS_SHAPED : CORD_REST_STRAIGHT;
    CordVec3 aim = plus(times(random_direction(seed), 0.5), times(center, -1.0 / d->room));
    def.velocity = times(aim, d->speed * random_in(seed, 0.3, 1.0) / fmax(size_of(aim), 1.0));
    def.spin = times(random_direction(seed), random_in(seed, 0.0, 0.3) * d->speed / length);
    return def;
}

static bool take_axis(const CordWorld* world, CordRodId rod, double radius, bool closed, Axis* a)
{
    a->nodes = cord_rod_node_count(world, rod), a->edges = cord_rod_edge_count(world, rod);
    a->closed = closed, a->radius = radius;
    a->edge_length = cord_rod_length(world, rod) / a->edges;
    return a->nodes <= MOST_NODES && cord_rod_positions(world, rod, a->x) == CORD_OK;
}

// A rod that would start in an overlap, or within a tenth of a radius of one, is taken out again.
static CordResult throw_rod(CordWorld* world, Scene* s, const CordRodDef* def)
{
    CordRodId id;
    CordResult result = cord_rod_create(world, def, &id);
    if (result != CORD_OK) {
        return result;
    }
    int k = s->start.rod_count++;
    if (!take_axis(world, id, def->section.radius, def->closed, &s->start.rods[k]) ||
        clearance_of(&s->start, k) < 0.1 * def->section.radius) {
        s->start.rod_count--;
        return cord_rod_destroy(world, id);
    }
    s->thrown = fmax(s->thrown, size_of(def->velocity) / def->section.radius); // per second, for now
    return CORD_OK;
}

// ---- obstacles

static CordSolid draw_solid(int index, double size, double radius, uint64_t* seed)
{
    CordSolid s = {.shape = (CordSolidShape)random_int(seed, CORD_SOLID_COUNT)};
    double a = size * random_in(seed, 0.2, 0.6), b = size * random_in(seed, 0.2, 1.0);
    double thin = radius * random_power(seed, 0.05, 5.0);
    s.size = (CordVec3){a, chance(seed, 0.5) ? fmin(thin, 0.5 * a) : 0.4 * a, b};
    if (s.shape == CORD_SOLID_BOX) {
        s.size = (CordVec3){2 * a, 2 * b, chance(seed, 0.5) ? thin : a};
    } else if (s.shape == CORD_SOLID_TUBE) {
        s.size.y = chance(seed, 0.5) ? fmax(a - thin, 0.5 * a) : 0.7 * a;
    } else if (s.shape == CORD_SOLID_MESH) {
        for (int k = 0; k < 6; k++) {
            CordVec3 v = octahedron[k];
            vertices[index][k] = (CordVec3){a * v.x, a * v.y, b * v.z};
        }
        s.mesh = (CordSolidMesh){vertices[index], 6, faces, FACES};
    }
    return s;
}

static CordResult place_solid(CordWorld* world, Scene* s, const Draft* d, uint64_t* seed)
{
    int k = s->start.solid_count;
    CordObstacleDef def = cord_obstacle_def_default();
    CordObstacleId id;
    def.solid = draw_solid(k, d->room, d->radius, seed);
    def.position = def.solid.shape == CORD_SOLID_PLANE ? (CordVec3){0, 0, -1.5 * d->room}
                                                       : random_vec3(seed, 1.2 * d->room);
    def.rotation = cord_quat_about(random_direction(seed), random_in(seed, 0.0, 3.0));
    def.rotation = def.solid.shape == CORD_SOLID_PLANE ? (CordQuat){0, 0, 0, 1} : def.rotation;
    s->start.solids[k] = (Placed){def.solid, def.position, def.rotation};
    s->start.solid_count++;
    for (int i = 0; i < s->start.rod_count; i++) {
        if (clearance_of(&s->start, i) < 0.1 * d->radius) {
            s->start.solid_count--;
            return CORD_OK;
        }
    }
    double time = s->steps * s->step;
    CordMotion motions[2] = {
        cord_motion_translate(times(random_direction(seed), d->speed * time * random_in(seed, 0.1, 1.0)), 0.0,
                              time),
        cord_motion_rotate(random_direction(seed), fmin(0.02 * s->steps, 6.0), 0.0, time)};
    if (chance(seed, 0.3)) {
        def.motions = motions, def.motion_count = chance(seed, 0.5) ? 2 : 1, s->driven = true;
    }
    return cord_obstacle_create(world, &def, &id);
}

// ---- clamps

static CordResult place_clamp(CordWorld* world, Scene* s, int rod, uint64_t* seed)
{
    CordClampDef def = cord_clamp_def_default();
    CordClampId id;
    def.rod = cord_world_rod(world, rod);
    def.at = chance(seed, 0.5) ? cord_at_start() : cord_at_end();
    def.fix = chance(seed, 0.4) ? CORD_FIX_FRAME : CORD_FIX_POSITION;
    CordResult result = cord_clamp_create(world, &def, &id);
    if (result == CORD_OK && chance(seed, 0.6)) {
        s->jerked[s->clamp_count++] = id, s->driven = true;
    }
    return result;
}

// ---- scenes

// Explicit rods stretch by waves, which must be faster than what hits them: hundreds of radii in a step are
// for thin threads.
static Draft draw_sizes(Scene* s, uint64_t* seed)
{
    bool thread = chance(seed, 0.25);
    Draft d = {.radius = random_power(seed, 1e-3, 1e-2)};
    s->slenderness = thread ? random_power(seed, 20.0, 2000.0) : random_power(seed, 0.1, 10.0);
    d.element = s->slenderness * d.radius;
    d.room = random_in(seed, 4.0, 10.0) * fmax(d.element, 1.5 * d.radius);
    if (s->stepper == EXPLICIT || s->stepper == MIXED) {
        d.young = random_power(seed, 1e5, 1e8);
        d.speed = random_in(seed, 0.05, 0.5) * sqrt(d.young / cord_material_default().density);
        return d;
    }
    d.young = random_power(seed, 1e5, 1e10);
    s->step = random_power(seed, 1e-4, 1e-2);
    d.speed = d.radius * random_power(seed, 0.5, 300.0) / s->step;
    d.speed = fmin(d.speed, 0.5 * d.room / s->step);
    return d;
}

static CordResult fill_rods(CordWorld* world, Scene* s, const Draft* d, uint64_t* seed)
{
    int rods = 1 + random_int(seed, MOST_RODS);
    CordResult result = CORD_OK;
    for (int i = 0; i < 10 * rods && s->start.rod_count < rods && result == CORD_OK; i++) {
        CordRodDef def = draw_rod(d, s, seed);
        result = throw_rod(world, s, &def);
    }
    return result;
}

// Explicit scenes last until what was thrown has crossed the room.
static void choose_steps(const CordWorld* world, Scene* s, const Draft* d)
{
    if (s->step == 0.0) {
        s->step = fmin(0.3 * cord_world_step_advice(world).step, 1e-2);
        s->steps = (int)fmin(fmax(s->steps, d->room / (d->speed * s->step)), 1500.0);
    }
    s->thrown *= s->step;
}

static CordResult fill(CordWorld* world, Scene* s, const Draft* d, uint64_t* seed)
{
    int solids = random_int(seed, MOST_SOLIDS + 1);
    CordResult result = fill_rods(world, s, d, seed);
    choose_steps(world, s, d);
    for (int i = 0; i < solids && result == CORD_OK; i++) {
        result = place_solid(world, s, d, seed);
    }
    for (int i = 0; i < s->start.rod_count && result == CORD_OK; i++) {
        if (!s->start.rods[i].closed && chance(seed, 0.25)) {
            result = place_clamp(world, s, i, seed);
        }
    }
    s->jerk = d->radius * random_power(seed, 0.1, 30.0);
    s->jerk = fmin(s->jerk, (s->stepper == EXPLICIT ? 0.2 : 10.0) * d->element);
    return result;
}

static CordResult turn_contact_on(CordWorld* world, uint64_t* seed)
{
    CordContactDef def = cord_contact_def_default();
    def.friction = chance(seed, 0.4) ? 0.0 : random_in(seed, 0.05, 0.8);
    return cord_world_set_contact(world, &def);
}

static uint64_t mixed_seed(uint64_t seed) // neighbouring seeds have nothing in common (splitmix64)
{
    seed = (seed + 1) * 0x9e3779b97f4a7c15u;
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
    return seed ^ (seed >> 31);
}

CordWorld* scene_build(uint64_t seed, bool contact, Scene* s, char message[256])
{
    uint64_t random = mixed_seed(seed);
    CordWorldDef def = cord_world_def_default();
    CordWorld* world;
    *s = (Scene){.steps = 300};
    double kind = random_in(&random, 0.0, 1.0);
    s->stepper = kind < 0.35 ? EXPLICIT : kind < 0.6 ? IMPLICIT : kind < 0.95 ? POSITION_BASED : MIXED;
    def.gravity = chance(&random, 0.5) ? (CordVec3){0, 0, -9.81} : (CordVec3){0, 0, 0};
    if (cord_world_create(&def, &world) != CORD_OK) {
        snprintf(message, 256, "no world");
        return NULL;
    }
    Draft d = draw_sizes(s, &random);
    CordResult result = fill(world, s, &d, &random);
    if (result == CORD_OK && contact) {
        result = turn_contact_on(world, &random);
    }
    if (result != CORD_OK) {
        snprintf(message, 256, "%s", cord_world_message(world));
        cord_world_destroy(world);
        return NULL;
    }
    return world;
}

void scene_snapshot(const CordWorld* world, const Scene* scene, Snapshot* snapshot)
{
    *snapshot = scene->start;
    for (int i = 0; i < snapshot->rod_count; i++) {
        (void)cord_rod_positions(world, cord_world_rod(world, i), snapshot->rods[i].x);
    }
    for (int k = 0; k < snapshot->solid_count; k++) {
        Placed* p = &snapshot->solids[k];
        (void)cord_obstacle_pose(world, cord_world_obstacle(world, k), &p->position, &p->rotation);
    }
}
