// Rigid bodies by the Open Dynamics Engine, behind cordage/body.h. Values are copied and converted here.
#include <cordage/body.h>

#include <ode/ode.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CONTACTS 8         // of two bodies
#define MOST_PIECES 1000        // substeps of a step
#define SIDES 24                // of the tessellation of a round shape that ODE does not have
#define UNIT_TO_ROUND_OFF 2e-15 // 14 roundings of 1.1e-16: ten as ODE normalises, four in the sum of squares
#define MOST_SPEED 1e50         // of a body [m/s, rad/s]: its square and what ODE makes of that are finite
#define MOST_DISTANCE 1e50      // of a body or an anchor from the origin [m], for the same reason

typedef struct Triangles { // ODE keeps pointers to the arrays
    double* x;             // vertices, three numbers each
    dTriIndex* corners;
    int vertex_count, corner_count, vertex_room, corner_room;
    bool failed; // no memory
    dTriMeshDataID data;
} Triangles;

typedef struct OdeBody {
    char name[64];
    dBodyID body;
    dGeomID geom;
    dMass mass;          // in the body's axes
    Triangles triangles; // of a shape that ODE does not have
    CordVec3 force, torque;
    struct OdeBody* next;
} OdeBody;

typedef struct Ode {
    CordOdeDef def;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts; // of the present substep
    OdeBody* bodies;        // in order of creation
    char message[256];
} Ode;

static int engines; // ODE is initialised while there are any

extern const CordBodyEngine cord_ode_engine;

static CordVec3 from_ode(const dReal* a)
{
    return (CordVec3){a[0], a[1], a[2]};
}

static CordVec3 madd(CordVec3 a, CordVec3 b, double s)
{
    return (CordVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static bool is_below(CordVec3 a, double most)
{
    return fabs(a.x) < most && fabs(a.y) < most && fabs(a.z) < most;
}

// ---- the engine itself

static void ignore_message(int number, const char* text, va_list arguments)
{
    (void)number, (void)text, (void)arguments;
}

CordOdeDef cord_ode_def_default(void)
{
    return (CordOdeDef){.friction = 0.3, .step = 1e-3};
}

static bool is_good(const CordOdeDef* def)
{
    return def->friction >= 0.0 && def->bounce >= 0.0 && def->bounce <= 1.0 && isfinite(def->step) &&
           def->step > 0.0;
}

CordResult cord_ode_create(const CordOdeDef* def, const CordBodyEngine** engine, void** user)
{
    *engine = NULL, *user = NULL;
    if (!is_good(def)) {
        return CORD_BAD_ARGUMENT;
    }
    Ode* ode = calloc(1, sizeof *ode);
    if (!ode || (engines == 0 && !dInitODE2(0)) || !dAllocateODEDataForThread((unsigned)dAllocateMaskAll)) {
        free(ode);
        return CORD_NO_MEMORY;
    }
    engines++;
    dSetMessageHandler(ignore_message); // a library does not print
    ode->def = *def;
    ode->world = dWorldCreate();
    ode->space = dSimpleSpaceCreate(NULL);
    ode->contacts = dJointGroupCreate(0);
    dWorldSetGravity(ode->world, 0, 0, 0); // part of the kicks
    dWorldSetERP(ode->world, 0.2);
    dWorldSetCFM(ode->world, 1e-10);
    dWorldSetLinearDamping(ode->world, 0);
    dWorldSetAngularDamping(ode->world, 0);
    dWorldSetAutoDisableFlag(ode->world, 0);
    *engine = &cord_ode_engine;
    *user = ode;
    return CORD_OK;
}

void cord_ode_destroy(void* user)
{
    Ode* ode = user;
    if (!ode) {
        return;
    }
    while (ode->bodies) {
        OdeBody* next = ode->bodies->next;
        free(ode->bodies);
        ode->bodies = next;
    }
    dJointGroupDestroy(ode->contacts);
    dSpaceDestroy(ode->space);
    dWorldDestroy(ode->world);
    free(ode);
    if (--engines == 0) {
        dCloseODE();
    }
}

const char* cord_ode_message(const void* user)
{
    return ((const Ode*)user)->message;
}

// ---- bodies

static void* grow(Triangles* t, void* array, int* room, int count, size_t size)
{
    if (count <= *room || t->failed) {
        return array;
    }
    void* larger = realloc(array, 2 * (size_t)count * size);
    t->failed = !larger;
    *room = larger ? 2 * count : *room;
    return larger ? larger : array;
}

static void add_vertex(void* user, CordVec3 x, CordVec3 normal, int point)
{
    Triangles* t = user;
    (void)normal, (void)point;
    t->x = grow(t, t->x, &t->vertex_room, t->vertex_count + 1, 3 * sizeof *t->x);
    if (!t->failed) {
        memcpy(&t->x[3 * t->vertex_count++], &x, sizeof x);
    }
}

static void add_face(void* user, int count, const int* vertices)
{
    Triangles* t = user;
    t->corners = grow(t, t->corners, &t->corner_room, t->corner_count + 6, sizeof *t->corners);
    for (int k = 1; !t->failed && k + 1 < count; k++) {
        t->corners[t->corner_count++] = (dTriIndex)vertices[0];
        t->corners[t->corner_count++] = (dTriIndex)vertices[k];
        t->corners[t->corner_count++] = (dTriIndex)vertices[k + 1];
    }
}

static void triangles_free(Triangles* t)
{
    if (t->data) {
        dGeomTriMeshDataDestroy(t->data);
    }
    free(t->x);
    free(t->corners);
    *t = (Triangles){0};
}

// Triangle mesh of a shape that ODE does not have; NULL: no memory.
static dGeomID make_triangles(dSpaceID space, const CordSolid* solid, Triangles* t)
{
    cord_solid_tessellate(solid, SIDES, &(CordMeshSink){add_vertex, add_face, t});
    if (t->failed) {
        return NULL;
    }
    t->data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(t->data, t->x, 3 * sizeof *t->x, t->vertex_count, t->corners, t->corner_count,
                                3 * sizeof *t->corners);
    return dCreateTriMesh(space, t->data, NULL, NULL, NULL);
}

static dGeomID make_geom(dSpaceID space, const CordSolid* solid, Triangles* triangles)
{
    CordVec3 s = solid->size;
    switch (solid->shape) { // ODE's own shapes
    case CORD_SOLID_SPHERE: return dCreateSphere(space, s.x);
    case CORD_SOLID_BOX: return dCreateBox(space, s.x, s.y, s.z);
    case CORD_SOLID_CYLINDER: return dCreateCylinder(space, s.x, s.z);
    case CORD_SOLID_CAPSULE: return dCreateCapsule(space, s.x, s.z);
    default: return make_triangles(space, solid, triangles);
    }
}

// ODE normalises what it is given, which may change the last bits of a quaternion of unit length. A pose that
// ODE had before must come back to the bit, so these bits and their matrix are written over ODE's.
static void keep_bits(dBodyID body, const dQuaternion q)
{
    memcpy((dReal*)dBodyGetQuaternion(body), q, sizeof(dQuaternion));
    dRfromQ((dReal*)dBodyGetRotation(body), q);
}

// ODE ends the program where it cannot normalise a quaternion. Such a rotation is reported by a position that
// is not finite; the world then fails the step.
static void set_pose(dBodyID body, CordVec3 x, CordQuat q)
{
    const dQuaternion ode_q = {q.w, q.x, q.y, q.z};
    double norm2 = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!(norm2 > 0.0 && isfinite(norm2))) {
        dBodySetPosition(body, NAN, NAN, NAN);
        return;
    }
    dBodySetPosition(body, x.x, x.y, x.z);
    dBodySetQuaternion(body, ode_q);
    if (fabs(norm2 - 1.0) <= UNIT_TO_ROUND_OFF) {
        keep_bits(body, ode_q);
    }
}

static void ode_set(void* user, void* handle, const CordBodyState* s)
{
    OdeBody* b = handle;
    (void)user;
    set_pose(b->body, s->position, s->rotation);
    dBodySetLinearVel(b->body, s->velocity.x, s->velocity.y, s->velocity.z);
    dBodySetAngularVel(b->body, s->spin.x, s->spin.y, s->spin.z);
}

static CordBodyState ode_get(void* user, void* handle)
{
    const OdeBody* b = handle;
    const dReal* q = dBodyGetQuaternion(b->body);
    (void)user;
    return (CordBodyState){from_ode(dBodyGetPosition(b->body)),
                           {q[1], q[2], q[3], q[0]},
                           from_ode(dBodyGetLinearVel(b->body)),
                           from_ode(dBodyGetAngularVel(b->body))};
}

static CordResult ode_create(void* user, const CordBodyDef* def, void** handle)
{
    Ode* ode = user;
    OdeBody* b = calloc(1, sizeof *b);
    *handle = NULL;
    if (!b) {
        return CORD_NO_MEMORY;
    }
    const double* t = def->inertia;
    snprintf(b->name, sizeof b->name, "%s", def->name ? def->name : "");
    b->body = dBodyCreate(ode->world);
    b->geom = make_geom(ode->space, &def->solid, &b->triangles);
    if (!b->geom) {
        triangles_free(&b->triangles);
        dBodyDestroy(b->body);
        free(b);
        return CORD_NO_MEMORY;
    }
    dMassSetParameters(&b->mass, def->mass, 0, 0, 0, t[0], t[1], t[2], t[3], t[4], t[5]);
    dBodySetMass(b->body, &b->mass);
    dBodySetGyroscopicMode(b->body, 1);
    dBodySetFiniteRotationMode(b->body, 1);
    dGeomSetBody(b->geom, b->body);
    CordBodyState state = {def->position, def->rotation, def->velocity, def->spin};
    ode_set(user, b, &state);
    OdeBody** last = &ode->bodies;
    while (*last) {
        last = &(*last)->next;
    }
    *last = b;
    *handle = b;
    return CORD_OK;
}

static void ode_destroy(void* user, void* handle)
{
    Ode* ode = user;
    OdeBody *b = handle, **at = &ode->bodies;
    while (*at != b) {
        at = &(*at)->next;
    }
    *at = b->next;
    while (dBodyGetNumJoints(b->body) > 0) {
        dJointDestroy(dBodyGetJoint(b->body, 0));
    }
    dGeomDestroy(b->geom);
    triangles_free(&b->triangles);
    dBodyDestroy(b->body);
    free(b);
}

static CordBodyInertia ode_inertia(void* user, void* handle)
{
    const OdeBody* b = handle;
    dMass m = b->mass;
    (void)user;
    dMassRotate(&m, dBodyGetRotation(b->body));
    return (CordBodyInertia){m.mass, {m.I[0], m.I[5], m.I[10], m.I[1], m.I[2], m.I[6]}};
}

// I^-1 a, in space.
static CordVec3 inverse_inertia(OdeBody* b, CordVec3 a)
{
    CordBodyInertia inertia = ode_inertia(NULL, b);
    const double* t = inertia.tensor;
    double xx = t[1] * t[2] - t[5] * t[5], xy = t[4] * t[5] - t[3] * t[2], xz = t[3] * t[5] - t[4] * t[1];
    double yy = t[0] * t[2] - t[4] * t[4], yz = t[3] * t[4] - t[0] * t[5], zz = t[0] * t[1] - t[3] * t[3];
    double det = t[0] * xx + t[3] * xy + t[4] * xz;
    return (CordVec3){(xx * a.x + xy * a.y + xz * a.z) / det, (xy * a.x + yy * a.y + yz * a.z) / det,
                      (xz * a.x + yz * a.y + zz * a.z) / det};
}

// ---- the step

static void ode_add_wrench(void* user, void* handle, CordVec3 force, CordVec3 torque)
{
    OdeBody* b = handle;
    (void)user;
    b->force = madd(b->force, force, 1.0);
    b->torque = madd(b->torque, torque, 1.0);
}

static void add_velocity(OdeBody* b, CordVec3 impulse, CordVec3 angular_impulse)
{
    CordVec3 v = madd(from_ode(dBodyGetLinearVel(b->body)), impulse, 1.0 / b->mass.mass);
    CordVec3 s = madd(from_ode(dBodyGetAngularVel(b->body)), inverse_inertia(b, angular_impulse), 1.0);
    dBodySetLinearVel(b->body, v.x, v.y, v.z);
    dBodySetAngularVel(b->body, s.x, s.y, s.z);
}

static void kick(Ode* ode, CordVec3 gravity, double time)
{
    for (OdeBody* b = ode->bodies; b; b = b->next) {
        CordVec3 force = madd(b->force, gravity, b->mass.mass), none = {0, 0, 0};
        add_velocity(b, madd(none, force, time), madd(none, b->torque, time));
    }
}

static void touch(void* user, dGeomID a, dGeomID b)
{
    Ode* ode = user;
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    dContact contacts[MOST_CONTACTS];
    if ((!body_a && !body_b) ||
        (body_a && body_b && dAreConnectedExcluding(body_a, body_b, dJointTypeContact))) {
        return;
    }
    int count = dCollide(a, b, MOST_CONTACTS, &contacts[0].geom, sizeof *contacts);
    for (int i = 0; i < count; i++) {
        contacts[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = ode->def.friction};
        if (ode->def.bounce > 0.0) {
            contacts[i].surface.mode |= dContactBounce;
            contacts[i].surface.bounce = ode->def.bounce;
            contacts[i].surface.bounce_vel = 1e-3;
        }
        dJointAttach(dJointCreateContact(ode->world, ode->contacts, &contacts[i]), body_a, body_b);
    }
}

// ODE aborts on overflow. A body that is too fast, too far away or not finite gets a velocity that is not
// finite, so that the world fails the step.
static bool are_within_bounds(Ode* ode)
{
    bool all = true;
    for (OdeBody* b = ode->bodies; b; b = b->next) {
        bool within = is_below(from_ode(dBodyGetLinearVel(b->body)), MOST_SPEED) &&
                      is_below(from_ode(dBodyGetAngularVel(b->body)), MOST_SPEED) &&
                      is_below(from_ode(dBodyGetPosition(b->body)), MOST_DISTANCE);
        if (!within) {
            dBodySetLinearVel(b->body, NAN, NAN, NAN);
        }
        all &= within;
    }
    return all;
}

// ODE moves a geom that moved to the front of its list, and detects contacts in that order, on which the
// rounding of its solver depends. The list is put in order of creation, so that a step follows from the
// state.
static void order_geoms(Ode* ode)
{
    for (OdeBody* b = ode->bodies; b; b = b->next) {
        dSpaceRemove(ode->space, b->geom);
        dSpaceAdd(ode->space, b->geom);
    }
}

// Forces act as kicks: a body without contacts moves to second order, as rods do.
static void ode_step(void* user, CordVec3 gravity, double before, double h, double after)
{
    Ode* ode = user;
    double pieces = ceil(h / ode->def.step);
    int count = pieces < MOST_PIECES ? (int)pieces : MOST_PIECES;
    kick(ode, gravity, before);
    for (int i = 0; i < count && are_within_bounds(ode); i++) {
        order_geoms(ode);
        dSpaceCollide(ode->space, ode, touch);
        dWorldStep(ode->world, h / count);
        dJointGroupEmpty(ode->contacts);
    }
    if (after != 0.0) {
        kick(ode, gravity, after);
    }
    for (OdeBody* b = ode->bodies; b; b = b->next) {
        b->force = b->torque = (CordVec3){0, 0, 0};
    }
}

static CordQuat rotated(CordQuat q, CordVec3 by) // q rotated by a vector
{
    double half = 0.5 * sqrt(by.x * by.x + by.y * by.y + by.z * by.z),
           s = half > 1e-8 ? 0.5 * sin(half) / half : 0.5;
    CordQuat p = {s * by.x, s * by.y, s * by.z, cos(half)};
    return (CordQuat){
        p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
        p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z};
}

static void ode_correct(void* user, void* handle, CordVec3 impulse, CordVec3 angular_impulse, double lever)
{
    OdeBody* b = handle;
    CordBodyState s = ode_get(user, b);
    CordVec3 spin = inverse_inertia(b, angular_impulse), none = {0, 0, 0};
    set_pose(b->body, madd(s.position, impulse, lever / b->mass.mass),
             rotated(s.rotation, madd(none, spin, lever)));
    s.velocity = madd(s.velocity, impulse, 1.0 / b->mass.mass);
    s.spin = madd(s.spin, spin, 1.0);
    dBodySetLinearVel(b->body, s.velocity.x, s.velocity.y, s.velocity.z);
    dBodySetAngularVel(b->body, s.spin.x, s.spin.y, s.spin.z);
}

// ---- joints and ground

static CordResult refuse(Ode* ode, const char* format, const char* name)
{
    snprintf(ode->message, sizeof ode->message, format, name);
    return CORD_BAD_ARGUMENT;
}

static dBodyID find(const Ode* ode, const char* name)
{
    for (const OdeBody* b = ode->bodies; b; b = b->next) {
        if (strcmp(b->name, name) == 0) {
            return b->body;
        }
    }
    return NULL;
}

static dJointID make_joint(const Ode* ode, const CordOdeJointDef* def, dBodyID a, dBodyID b)
{
    CordVec3 p = def->anchor, t = def->axis;
    dJointID joint = NULL;
    switch (def->kind) {
    case CORD_ODE_BALL:
        joint = dJointCreateBall(ode->world, NULL);
        dJointAttach(joint, a, b);
        dJointSetBallAnchor(joint, p.x, p.y, p.z);
        break;
    case CORD_ODE_HINGE:
        joint = dJointCreateHinge(ode->world, NULL);
        dJointAttach(joint, a, b);
        dJointSetHingeAnchor(joint, p.x, p.y, p.z);
        dJointSetHingeAxis(joint, t.x, t.y, t.z);
        break;
    case CORD_ODE_SLIDER:
        joint = dJointCreateSlider(ode->world, NULL);
        dJointAttach(joint, a, b);
        dJointSetSliderAxis(joint, t.x, t.y, t.z);
        break;
    case CORD_ODE_FIXED:
        joint = dJointCreateFixed(ode->world, NULL);
        dJointAttach(joint, a, b);
        dJointSetFixed(joint);
        break;
    }
    return joint;
}

CordResult cord_ode_joint(void* user, const CordOdeJointDef* def)
{
    Ode* ode = user;
    dBodyID bodies[2] = {NULL, NULL};
    if ((unsigned)def->kind > CORD_ODE_FIXED) {
        return refuse(ode, "%s", "there is no such kind of joint");
    }
    for (int i = 0; i < 2; i++) {
        bodies[i] = def->bodies[i] ? find(ode, def->bodies[i]) : NULL;
        if (!bodies[i] && (i == 0 || def->bodies[i])) {
            return refuse(ode, "a joint needs a body that there is; '%s' is none",
                          def->bodies[i] ? def->bodies[i] : "(nothing)");
        }
    }
    if (bodies[0] == bodies[1]) {
        return refuse(ode, "a joint is of two bodies; both are '%s'", def->bodies[0]);
    }
    bool guided = def->kind == CORD_ODE_HINGE || def->kind == CORD_ODE_SLIDER;
    CordVec3 t = def->axis;
    double axis2 = t.x * t.x + t.y * t.y + t.z * t.z;
    if (!is_below(def->anchor, MOST_DISTANCE) || (guided && !(isfinite(axis2) && axis2 > 0.0))) {
        return refuse(ode, "the joint of '%s' needs a finite anchor, and an axis that is not zero",
                      def->bodies[0]);
    }
    make_joint(ode, def, bodies[0], bodies[1]);
    return CORD_OK;
}

CordResult cord_ode_plane(void* user, CordVec3 normal, double offset)
{
    Ode* ode = user;
    double length = sqrt(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
    if (!(isfinite(length) && length > 0.0 && isfinite(offset))) {
        return refuse(ode, "%s", "a plane needs a normal that is not zero, and a finite offset");
    }
    dCreatePlane(ode->space, normal.x / length, normal.y / length, normal.z / length, offset / length);
    return CORD_OK;
}

// The next step depends on the states of the bodies alone: ODE has no warm starts here and no random numbers,
// and order_geoms undoes what it keeps of their order.
const CordBodyEngine cord_ode_engine = {
    .name = "ode",
    .same_bits = false,
    .makes_energy = true,
    .create = ode_create,
    .destroy = ode_destroy,
    .get = ode_get,
    .set = ode_set,
    .inertia = ode_inertia,
    .add_wrench = ode_add_wrench,
    .step = ode_step,
    .correct = ode_correct,
};
