// An engine for rigid bodies of your own, with one body: a buoy that floats in water. Cordage needs eight
// functions (cordage/body.h). A rope moors the buoy to the bottom, and at rest its pull balances the
// buoyancy.
#include <cordage/body.h>
#include <cordage/math.h>

#include <stdio.h>

typedef struct Buoy { // the engine has this one body: a ball
    CordBodyState state;
    double mass, inertia, radius;
    CordVec3 force, torque; // of the next step
} Buoy;

static CordQuat turned(CordQuat q, CordVec3 spin, double time) // by a small angle
{
    CordQuat p = {0.5 * time * spin.x, 0.5 * time * spin.y, 0.5 * time * spin.z, 1.0};
    return cord_quat_unit(cord_quat_mul(p, q));
}

// Drag, and the buoyancy of the ball. The surface is at z = 0.
static CordVec3 water_force(const Buoy* b, CordVec3 gravity)
{
    double r = b->radius, depth = fmin(fmax(r - b->state.position.z, 0.0), 2.0 * r);
    double volume = CORD_PI * depth * depth * (r - depth / 3.0);
    CordVec3 drag = cord_vec3_scale(b->state.velocity, -20.0 * depth / r);
    return cord_vec3_madd(drag, gravity, -1000.0 * volume);
}

static CordResult create(void* user, const CordBodyDef* def, void** body)
{
    Buoy* b = *body = user;
    *b = (Buoy){.mass = def->mass, .inertia = def->inertia[0], .radius = def->solid.size.x};
    b->state = (CordBodyState){def->position, def->rotation, def->velocity, def->spin};
    return CORD_OK;
}

static void destroy(void* user, void* body)
{
    (void)user, (void)body;
}

static CordBodyState get(void* user, void* body)
{
    (void)user;
    return ((Buoy*)body)->state;
}

static void set(void* user, void* body, const CordBodyState* state)
{
    (void)user;
    ((Buoy*)body)->state = *state;
}

static CordBodyInertia inertia(void* user, void* body)
{
    const Buoy* b = body;
    (void)user;
    return (CordBodyInertia){b->mass, {b->inertia, b->inertia, b->inertia, 0, 0, 0}};
}

static void add_wrench(void* user, void* body, CordVec3 force, CordVec3 torque)
{
    Buoy* b = body;
    (void)user;
    b->force = cord_vec3_add(b->force, force);
    b->torque = cord_vec3_add(b->torque, torque);
}

static void push(Buoy* b, CordVec3 force, CordVec3 torque, double time, double lever)
{
    b->state.velocity = cord_vec3_madd(b->state.velocity, force, time / b->mass);
    b->state.spin = cord_vec3_madd(b->state.spin, torque, time / b->inertia);
    b->state.position = cord_vec3_madd(b->state.position, force, time * lever / b->mass);
    b->state.rotation = turned(b->state.rotation, torque, time * lever / b->inertia);
}

static void step(void* user, CordVec3 gravity, double before, double h, double after)
{
    Buoy* b = user;
    CordVec3 force = cord_vec3_add(cord_vec3_madd(water_force(b, gravity), gravity, b->mass), b->force);
    push(b, force, b->torque, before, 0.0);
    b->state.position = cord_vec3_madd(b->state.position, b->state.velocity, h);
    b->state.rotation = turned(b->state.rotation, b->state.spin, h);
    push(b, force, b->torque, after, 0.0);
    b->force = b->torque = (CordVec3){0, 0, 0};
}

static void correct(void* user, void* body, CordVec3 impulse, CordVec3 angular_impulse, double lever)
{
    (void)user;
    push(body, impulse, angular_impulse, 1.0, lever);
}

// 1.5 m of rope from the bottom, 2 m deep, to a ball that floats.
static CordResult moor(CordWorld* world, CordWeldId* weld)
{
    CordRodDef rope = cord_rod_def_default();
    rope.shape = cord_shape_line((CordVec3){0, 0, -2}, (CordVec3){0.9, 0, -0.8}, 31);
    rope.section = cord_section_disc(0.004);
    rope.material.young = 1e7;
    rope.inextensible = true;
    CordBodyDef ball = cord_body_def_default();
    ball.solid.size.x = 0.1, ball.density = 300.0, ball.position = (CordVec3){0.9, 0, -0.8};
    CordClampDef anchor = cord_clamp_def_default();
    CordWeldDef tie = {.at = cord_at_end(), .fix = CORD_FIX_POSITION};
    CordClampId clamp;
    CordResult result = cord_rod_create(world, &rope, &tie.rod);
    anchor.rod = tie.rod;
    result = result == CORD_OK ? cord_clamp_create(world, &anchor, &clamp) : result;
    result = result == CORD_OK ? cord_body_create(world, &ball, &tie.body) : result;
    return result == CORD_OK ? cord_weld_create(world, &tie, weld) : result;
}

int main(void)
{
    static const CordBodyEngine engine = {"sea",      false, create,  destroy, get,  set,  inertia,
                                          add_wrench, step,  correct, NULL,    NULL, NULL, false};
    Buoy buoy;
    CordWorldDef def = cord_world_def_default();
    def.engine = &engine, def.engine_user = &buoy;
    CordWorld* world = NULL;
    CordWeldId weld;
    CordVec3 pull = {0, 0, 0}, torque;
    CordResult result = cord_world_create(&def, &world);
    result = result == CORD_OK ? moor(world, &weld) : result;
    while (result == CORD_OK && cord_world_time(world) < 20.0) {
        result = cord_world_step(world, 1e-3);
    }
    result = result == CORD_OK ? cord_weld_reaction(world, weld, &pull, &torque) : result;
    if (result != CORD_OK) {
        fprintf(stderr, "%s: %s\n", cord_result_name(result), world ? cord_world_message(world) : "no world");
        cord_world_destroy(world);
        return 1;
    }
    double up = water_force(&buoy, def.gravity).z - 9.81 * buoy.mass;
    printf("the water lifts the buoy by %.4f N, the rope holds it by %.4f N\n", up, -pull.z);
    cord_world_destroy(world);
    return fabs(up + pull.z) < 1e-3 * up ? 0 : 1;
}
