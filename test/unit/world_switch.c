// Explicit rods that switch to Newton's method, because contact couples them to something that needs it.
#include "world_bodies.h"

#include <cordage/adapt.h>

enum { NODES = 13 };

typedef enum Kind {
    PLAIN,
    TWISTED,
    DAMPED,
    SPINNING,
    CURVED,
    CORDE,
    CORDE_EXPLICIT,
    INEXTENSIBLE,
    FAST,
    EULER,
    KINDS
} Kind;

static const char* const kind_names[KINDS] = {
    "der",   "twisted",        "damped",       "dynamic twist",   "curved",
    "corde", "corde explicit", "inextensible", "fast projection", "symplectic Euler"};

static CordRodDef def_of(Kind kind)
{
    CordRodDef def = line_def(NODES);
    def.section = cord_section_disc(0.01);
    def.stiffness.spin_inertia = 1e-5;
    def.stiffness.rotary1 = def.stiffness.rotary2 = 1e-5;
    def.twist = kind == TWISTED ? 0.5 : 0.0;
    def.damping_time = kind == DAMPED ? 1e-3 : 0.0;
    def.dynamic_twist = kind == SPINNING;
    def.spin = kind == SPINNING || kind == CORDE_EXPLICIT ? (CordVec3){2, 0, 0} : (CordVec3){0, 0, 0};
    def.velocity = (CordVec3){0, 0, 0.5};
    if (kind == CURVED) {
        def.shape = cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 0.15, 0.4, 1.0, NODES);
    }
    def.model = kind == CORDE || kind == CORDE_EXPLICIT ? CORD_MODEL_CORDE : CORD_MODEL_DER;
    def.corde.orientations = kind == CORDE_EXPLICIT ? CORD_ORIENTATIONS_EXPLICIT : def.corde.orientations;
    def.inextensible = kind == INEXTENSIBLE || kind == FAST;
    def.length_method = kind == FAST ? CORD_LENGTH_FAST_PROJECTION : CORD_LENGTH_RATTLE;
    def.integrator = kind == EULER ? CORD_INTEGRATOR_SYMPLECTIC_EULER : CORD_INTEGRATOR_VERLET;
    return def;
}

static CordRodId add_swinging(CordWorld* world, Kind kind)
{
    CordRodDef def = def_of(kind);
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    if (kind == TWISTED) {
        hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
    }
    return rod;
}

static bool is_explicit(const CordWorld* world, CordRodId rod)
{
    return world_rod(world, rod)->stepper == STEPPER_EXPLICIT;
}

// ---- a switch in the middle of a run

typedef enum Cause { BODY_COMES, IMPLICIT_ROD_COMES, CONTACT_COMES, WELD_COMES, CAUSES } Cause;

static void prepare_cause(CordWorld* world, Cause cause, CordBodyId* body)
{
    CordBodyDef def = cord_body_def_default();
    def.position = (CordVec3){0, 5, 0};
    def.intangible = cause == WELD_COMES;
    if (cause == CONTACT_COMES || cause == WELD_COMES) {
        *body = add_body(world, &def);
    }
    if (cause != CONTACT_COMES) {
        turn_contact_on(world);
    }
}

static void bring(CordWorld* world, Cause cause, CordBodyId body)
{
    CordBodyDef ball = cord_body_def_default();
    CordRodDef other = line_def(5);
    ball.position = (CordVec3){0, 5, 0};
    other.shape = cord_shape_line((CordVec3){0, 5, 0}, (CordVec3){0, 6, 0}, 5);
    other.section = cord_section_disc(0.01);
    other.integrator = CORD_INTEGRATOR_MIDPOINT;
    switch (cause) {
    case BODY_COMES: add_body(world, &ball); break;
    case IMPLICIT_ROD_COMES: add_rod(world, &other); break;
    case CONTACT_COMES: turn_contact_on(world); break;
    default: // of a rod that was not there
        other.integrator = CORD_INTEGRATOR_VERLET;
        add_weld(world, add_rod(world, &other), cord_at_start(), body, CORD_FIX_POSITION);
        break;
    }
}

typedef struct Answers {
    CordVec3 x[NODES], v[NODES], m1[NODES];
    CordEnergy energy;
    CordMomentum momentum;
    double twist;
} Answers;

static Answers ask(const CordWorld* world, CordRodId rod)
{
    Answers a = {.energy = cord_rod_energy(world, rod),
                 .momentum = cord_rod_momentum(world, rod),
                 .twist = cord_rod_twist(world, rod)};
    CHECK_OK(cord_rod_positions(world, rod, a.x));
    CHECK_OK(cord_rod_velocities(world, rod, a.v));
    CHECK_OK(cord_rod_material_frames(world, rod, a.m1));
    return a;
}

static void check_same(const Answers* a, const Answers* b, Kind kind)
{
    // directors of corde rods leave their tangents by an angle that implicit ones do not have
    bool corde = kind == CORDE || kind == CORDE_EXPLICIT;
    double size = a->energy.kinetic + a->energy.bend + a->energy.twist + a->energy.stretch;
    double same = (corde ? 2e-2 : 1e-11) * size;
    for (int i = 0; i < NODES; i++) {
        CHECK_VEC3(b->x[i], a->x[i], 0.0);
        CHECK_VEC3(b->v[i], a->v[i], 1e-12);
    }
    for (int j = 0; j < NODES - 1; j++) {
        CHECK_VEC3(b->m1[j], a->m1[j], 1e-11);
    }
    CHECK_NEAR(b->twist, a->twist, 1e-12);
    CHECK_NEAR(b->energy.kinetic, a->energy.kinetic, same);
    CHECK_NEAR(b->energy.bend, a->energy.bend, same);
    CHECK_NEAR(b->energy.twist, a->energy.twist, same);
    CHECK_NEAR(b->energy.stretch, a->energy.stretch, same);
    CHECK_VEC3(b->momentum.linear, a->momentum.linear, 1e-12);
    CHECK_VEC3(b->momentum.angular, a->momentum.angular, corde ? 1e-4 : 1e-12);
}

TEST(a_switch_keeps_positions_velocities_frames_and_energy)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        for (Cause cause = 0; cause < CAUSES; cause++) {
            CordWorld* world = new_world(down);
            CordRodId rod = add_swinging(world, kind);
            CordBodyId body = {0};
            prepare_cause(world, cause, &body);
            run(world, 1e-4, 300);
            CHECK(is_explicit(world, rod));
            Answers before = ask(world, rod);
            CHECK(before.energy.kinetic > 1e-4);
            bring(world, cause, body);
            CHECK_OK(world_prepare(world));
            CHECK(!is_explicit(world, rod));
            CHECK_INT(world_rod(world, rod)->integrator, CORD_INTEGRATOR_MIDPOINT);
            Answers after = ask(world, rod);
            print_message("    %s, %d\n", kind_names[kind], cause);
            check_same(&before, &after, kind);
            run(world, 1e-4, 10);
            cord_world_destroy(world);
        }
    }
}

static CordVec3 tip_after(Kind kind, Cause cause, double h)
{
    CordWorld* world = new_world(down);
    CordRodId rod = add_swinging(world, kind);
    CordBodyId body = {0};
    int steps = (int)round(0.05 / h);
    prepare_cause(world, cause, &body);
    run(world, h, steps);
    bring(world, cause, body);
    run(world, h, steps);
    CHECK(!is_explicit(world, rod));
    CordVec3 tip = node_of(world, rod, NODES - 4);
    cord_world_destroy(world);
    return tip;
}

// Velocities that lag behind the positions by half a step would make an error of first order.
TEST(a_switch_in_mid_run_keeps_the_order)
{
    const Kind kinds[] = {PLAIN, DAMPED, SPINNING, CURVED, CORDE_EXPLICIT, INEXTENSIBLE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (Cause cause = 0; cause < CAUSES; cause++) {
            CordVec3 tip[3];
            for (int k = 0; k < 3; k++) {
                tip[k] = tip_after(kinds[i], cause, 2e-4 / (1 << k));
            }
            double coarse = vec3_length(vec3_sub(tip[0], tip[1])),
                   fine = vec3_length(vec3_sub(tip[1], tip[2]));
            print_message("    %s, %d: %.2g, %.2g, order %.2f\n", kind_names[kinds[i]], cause, coarse, fine,
                          log2(coarse / fine));
            CHECK(log2(coarse / fine) >
                  (kinds[i] == DAMPED ? 0.9 : 1.8)); // explicit friction is of first order
        }
    }
}

// Bodies are staggered in time with the rods that they are welded to, and switch with them.
static CordVec3 welded_tip_after(bool joint, double h)
{
    CordWorld* world = new_world(down);
    CordRodId rod = add_swinging(world, PLAIN);
    int steps = (int)round(0.05 / h);
    if (joint) {
        CordRodDef other = def_of(PLAIN);
        other.shape = cord_shape_line((CordVec3){1, 0, 0}, (CordVec3){1, 1, 0}, NODES);
        add_joint(world, CORD_JOINT_WELD, rod, cord_at_end(), add_rod(world, &other), cord_at_start());
    } else {
        CordBodyId body = add_odd_body(world, (CordVec3){1, 0, 0}, 0.05, 0.05);
        add_weld(world, rod, cord_at_end(), body, CORD_FIX_FRAME);
    }
    run(world, h, steps);
    CHECK(is_explicit(world, rod));
    CordVec3 v[NODES], w[NODES];
    CordEnergy before = cord_rod_energy(world, rod), after;
    CHECK_OK(cord_rod_velocities(world, rod, v));
    turn_contact_on(world);
    CHECK_OK(cord_rod_velocities(world, rod, w));
    CHECK(!is_explicit(world, rod));
    after = cord_rod_energy(world, rod);
    CHECK_NEAR(after.kinetic, before.kinetic, 1e-11 * before.kinetic);
    CHECK_NEAR(after.bend, before.bend, 1e-11 * before.kinetic);
    CHECK_NEAR(after.stretch, before.stretch, 1e-11 * before.kinetic);
    for (int i = 0; i < NODES; i++) {
        CHECK_VEC3(w[i], v[i], 1e-11);
    }
    run(world, h, steps);
    CordVec3 tip = tip_of(world, rod);
    cord_world_destroy(world);
    return tip;
}

TEST(welded_rods_switch_with_what_they_are_welded_to)
{
    for (int joint = 0; joint < 2; joint++) {
        CordVec3 tip[3];
        for (int k = 0; k < 3; k++) {
            tip[k] = welded_tip_after(joint, 1e-4 / (1 << k));
        }
        double coarse = vec3_length(vec3_sub(tip[0], tip[1])), fine = vec3_length(vec3_sub(tip[1], tip[2]));
        print_message("    %s: %.2g, %.2g, order %.2f\n", joint ? "joint" : "body", coarse, fine,
                      log2(coarse / fine));
        CHECK(log2(coarse / fine) > 1.8);
    }
}

// ---- mixtures

typedef enum Mixture { ON_IMPLICIT_ROD, ON_BODY, WELDED_BODY, JOINED_RODS, BESIDE_WELDED, MIXTURES } Mixture;

static const char* const mixture_names[MIXTURES] = {"falls on an implicit rod", "falls on a body",
                                                    "carries a body onto a rod", "joined, onto the ground",
                                                    "beside a welded rod"};

// One rod falls on something, by the integrator that is given; what else there is has its own.
static CordRodId add_mixture(CordWorld* world, Mixture mixture, CordRodDef def)
{
    CordRodDef other = def;
    CordBodyDef ball = cord_body_def_default();
    ball.solid = (CordSolid){.shape = CORD_SOLID_SPHERE, .size = {0.05, 0, 0}}, ball.mass = 0.05;
    def.velocity = (CordVec3){0, 0, -1};
    if (mixture == BESIDE_WELDED) {
        def.shape = cord_shape_line((CordVec3){0, 0, -0.02}, (CordVec3){0.95, 0, 0.3}, NODES);
    }
    CordRodId rod = add_rod(world, &def);
    other.velocity = (CordVec3){0, 0, 0}, other.inextensible = false; // it would be taut
    other.shape = cord_shape_line((CordVec3){0.52, -0.4, -0.04}, (CordVec3){0.52, 0.4, -0.04}, NODES);
    if (mixture == ON_IMPLICIT_ROD) {
        other.integrator = CORD_INTEGRATOR_MIDPOINT, other.model = CORD_MODEL_DER;
        CordRodId below = add_rod(world, &other);
        hold(world, below, cord_at_start(), CORD_FIX_POSITION);
        hold(world, below, cord_at_end(), CORD_FIX_POSITION);
    } else if (mixture == ON_BODY) {
        ball.position = (CordVec3){0.52, 0, -0.08};
        add_body(world, &ball);
    } else if (mixture == WELDED_BODY) {
        ball.position = (CordVec3){1, 0, 0}, ball.velocity = def.velocity, ball.solid.size.x = 0.02;
        CordRodId below = add_rod(world, &other);
        hold(world, below, cord_at_start(), CORD_FIX_POSITION);
        hold(world, below, cord_at_end(), CORD_FIX_POSITION);
        add_weld(world, rod, cord_at_end(), add_body(world, &ball), CORD_FIX_FRAME);
    } else if (mixture == JOINED_RODS) {
        other.velocity = def.velocity;
        other.shape = cord_shape_line((CordVec3){1, 0, 0}, (CordVec3){1, 1, 0.3}, NODES);
        add_joint(world, CORD_JOINT_WELD, rod, cord_at_end(), add_rod(world, &other), cord_at_start());
        add_ground(world, -0.04);
    } else {
        ball.intangible = true, ball.position = (CordVec3){3, 0, 0};
        other.shape = cord_shape_line((CordVec3){2, 0, 0}, (CordVec3){3, 0, 0}, NODES);
        add_weld(world, add_rod(world, &other), cord_at_end(), add_body(world, &ball), CORD_FIX_FRAME);
        add_ground(world, -0.04);
    }
    return rod;
}

typedef struct Shape {
    CordVec3 x[8 * NODES];
    int count;
} Shape;

static Shape shape_of(Mixture mixture, CordModel model, bool inextensible, bool adapts,
                      CordIntegrator integrator, double h)
{
    CordWorld* world = new_world(down);
    CordRodDef def = line_def(NODES);
    def.section = cord_section_disc(0.01);
    def.stiffness.spin_inertia = 1e-5;
    def.model = model, def.integrator = integrator, def.inextensible = inextensible;
    def.adapt = cord_adapt_def_default(), def.adapt.on = adapts;
    turn_contact_on(world);
    CordRodId rod = add_mixture(world, mixture, def);
    Shape s = {0};
    run(world, h, (int)round(0.06 / h));
    CHECK(!is_explicit(world, rod));
    CHECK(cord_world_contact_report(world).deepest < 1e-3);
    CHECK(cord_world_contact_count(world) > 0);
    s.count = cord_rod_node_count(world, rod);
    CHECK(s.count <= 8 * NODES);
    CHECK_OK(cord_rod_positions(world, rod, s.x));
    cord_world_destroy(world);
    return s;
}

static double difference(const Shape* a, const Shape* b)
{
    double most = 0.0;
    CHECK_INT(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        most = fmax(most, vec3_length(vec3_sub(a->x[i], b->x[i])));
    }
    return most;
}

TEST(a_mixture_is_the_same_as_one_of_implicit_rods)
{
    const CordIntegrator explicits[] = {CORD_INTEGRATOR_VERLET, CORD_INTEGRATOR_SYMPLECTIC_EULER};
    for (Mixture mixture = 0; mixture < MIXTURES; mixture++) {
        for (int i = 0; i < 8; i++) {
            CordModel model = i & 1 ? CORD_MODEL_CORDE : CORD_MODEL_DER;
            bool inextensible = i & 2, adapts = i & 4;
            Shape a = shape_of(mixture, model, inextensible, adapts, explicits[i / 4], 1e-3);
            Shape b = shape_of(mixture, model, inextensible, adapts, CORD_INTEGRATOR_MIDPOINT, 1e-3);
            print_message("    %s, %d: %.2g\n", mixture_names[mixture], i, difference(&a, &b));
            CHECK(difference(&a, &b) < 1e-6); // what Newton's method may leave, with contact
        }
    }
}

// Contact is of first order, as backward Euler is.
TEST(a_mixture_converges_with_the_step)
{
    for (Mixture mixture = 0; mixture < MIXTURES; mixture++) {
        Shape s[3];
        for (int k = 0; k < 3; k++) {
            s[k] =
                shape_of(mixture, CORD_MODEL_DER, false, false, CORD_INTEGRATOR_VERLET, 2e-3 / (1 << 2 * k));
        }
        double coarse = difference(&s[0], &s[2]), fine = difference(&s[1], &s[2]);
        print_message("    %s: %.2g, %.2g\n", mixture_names[mixture], coarse, fine);
        CHECK(fine < 0.5 * coarse);
    }
}

// Explicit rods resolve contact by impulses after their steps, which is another algorithm for the same
// problem.
TEST(a_mixture_moves_as_explicit_rods_do)
{
    Shape s[3]; // all explicit, a mixture, and without contact
    for (int i = 0; i < 3; i++) {
        CordWorld* world = new_world(down);
        CordRodDef def = line_def(NODES), below = def;
        def.section = below.section = cord_section_disc(0.01);
        def.velocity = (CordVec3){0, 0, -1};
        below.shape = cord_shape_line((CordVec3){0.52, -0.4, -0.04}, (CordVec3){0.52, 0.4, -0.04}, NODES);
        below.integrator = i == 0 ? CORD_INTEGRATOR_VERLET : CORD_INTEGRATOR_MIDPOINT;
        CordRodId rod = add_rod(world, &def);
        hold(world, add_rod(world, &below), cord_at_start(), CORD_FIX_POSITION);
        if (i < 2) {
            turn_contact_on(world);
        }
        run(world, 1e-4, 600);
        CHECK(is_explicit(world, rod) == (i != 1));
        s[i].count = cord_rod_node_count(world, rod);
        CHECK_OK(cord_rod_positions(world, rod, s[i].x));
        cord_world_destroy(world);
    }
    double off = difference(&s[0], &s[1]), moved = difference(&s[0], &s[2]);
    print_message("    %.2g m of the %.2g m that contact moves it\n", off, moved);
    CHECK(off < 0.05 * moved);
}

// ---- what does not switch

TEST(a_weld_without_contact_leaves_an_explicit_rod_explicit)
{
    CordWorld* world = new_world(down);
    CordRodId rod = add_swinging(world, PLAIN);
    CordBodyDef ball = cord_body_def_default();
    ball.position = (CordVec3){1, 0, 0};
    add_weld(world, rod, cord_at_end(), add_body(world, &ball), CORD_FIX_FRAME);
    run(world, 1e-4, 20);
    CHECK(is_explicit(world, rod));
    CHECK_INT(world_rod(world, rod)->integrator, CORD_INTEGRATOR_VERLET);
    CordContactDef contact = cord_contact_def_default();
    contact.on = false;
    CHECK_OK(cord_world_set_contact(world, &contact));
    run(world, 1e-4, 20);
    CHECK(is_explicit(world, rod));
    cord_world_destroy(world);
}

TEST(explicit_rods_among_themselves_stay_explicit)
{
    CordWorld* world = new_world(down);
    CordRodId rod = add_swinging(world, PLAIN);
    CordBodyDef ball = cord_body_def_default();
    ball.position = (CordVec3){0, 5, 0}, ball.intangible = true;
    add_body(world, &ball);
    add_ground(world, -1.0);
    turn_contact_on(world);
    run(world, 1e-4, 20);
    CHECK(is_explicit(world, rod));
    cord_world_destroy(world);
}

TEST(impact_zones_take_no_mixture)
{
    static const char* const parts[] = {
        ("rod 'rope' shares its contacts with body 'ball', which it may touch; the "
         "response \"zones\" takes explicit rods alone"),
        "with rod 'wire', which is implicit", "with rod 'rope', which is welded"};
    for (int i = 0; i < 3; i++) {
        CordWorld* world = new_world(down);
        CordContactDef contact = cord_contact_def_default();
        contact.response = CORD_RESPONSE_ZONES;
        CHECK_OK(cord_world_set_contact(world, &contact));
        CordRodDef def = def_of(PLAIN), wire = def_of(PLAIN);
        CordBodyDef ball = cord_body_def_default();
        def.name = "rope", wire.name = "wire", ball.name = "ball";
        ball.position = (CordVec3){1, 0, i == 2 ? 0 : 5}, ball.intangible = i == 2;
        wire.integrator = CORD_INTEGRATOR_MIDPOINT;
        wire.shape = cord_shape_line((CordVec3){0, 1, 0}, (CordVec3){1, 1, 0}, 5);
        CordRodId rod = add_rod(world, &def);
        if (i == 1) {
            add_rod(world, &wire);
        } else {
            CordBodyId body = add_body(world, &ball);
            if (i == 2) {
                add_weld(world, rod, cord_at_end(), body, CORD_FIX_FRAME);
            }
        }
        CHECK_RESULT(cord_world_step(world, 1e-4), CORD_NOT_SUPPORTED);
        CHECK_CONTAINS(cord_world_message(world), parts[i]);
        CHECK(is_explicit(world, rod));
        contact.response = CORD_RESPONSE_IMPULSES; // as the message says
        CHECK_OK(cord_world_set_contact(world, &contact));
        run(world, 1e-4, 5);
        CHECK(!is_explicit(world, rod));
        cord_world_destroy(world);
    }
}

TEST(the_printed_strain_takes_no_mixture)
{
    CordWorld* world = new_world(down);
    CordRodDef def = def_of(CORDE);
    def.name = "rope", def.corde.printed_strain = true;
    CordRodId rod = add_rod(world, &def);
    turn_contact_on(world);
    run(world, 1e-4, 5);
    CordBodyDef ball = cord_body_def_default();
    ball.position = (CordVec3){0, 5, 0};
    CordBodyId body = add_body(world, &ball);
    CHECK_RESULT(cord_world_step(world, 1e-4), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(cord_world_message(world), "rod 'rope' would have to be stepped implicitly");
    CHECK(is_explicit(world, rod));
    CHECK_OK(cord_body_destroy(world, body));
    run(world, 1e-4, 5);
    cord_world_destroy(world);
}

// What would switch a rod is refused itself, and velocities stay where they are.
TEST(what_is_refused_changes_nothing)
{
    CordWorld* world = new_world(down);
    CordRodId rod = add_swinging(world, PLAIN), other;
    CordBodyId body;
    CordWeldId weld;
    CordBodyDef ghost = cord_body_def_default(), ball = ghost;
    ghost.intangible = true, ghost.position = (CordVec3){0, 5, 0}, ball.mass = -1.0;
    body = add_body(world, &ghost);
    turn_contact_on(world);
    run(world, 1e-4, 20);
    uint64_t hash = cord_world_state_hash(world);
    CordRodDef implicit = def_of(PLAIN);
    implicit.integrator = CORD_INTEGRATOR_MIDPOINT, implicit.stiffness.EA = -1.0;
    CordWeldDef nowhere = weld_def(rod, cord_at_node(100), body, CORD_FIX_FRAME);
    CHECK(cord_rod_create(world, &implicit, &other) != CORD_OK);
    CHECK(cord_weld_create(world, &nowhere, &weld) != CORD_OK);
    CHECK(cord_body_create(world, &ball, &body) != CORD_OK);
    CHECK(cord_world_state_hash(world) == hash);
    CHECK(is_explicit(world, rod));
    cord_world_destroy(world);
}

// ---- memory, states and the log

TEST(a_switch_that_finds_no_memory_is_made_later)
{
    const Kind kinds[] = {PLAIN, DAMPED, CORDE_EXPLICIT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool failed = true;
        for (int n = 1; failed; n++) {
            Heap heap = {0};
            CordWorld* world = world_on(&heap);
            CordRodId a = add_swinging(world, kinds[i]);
            turn_contact_on(world);
            run(world, 1e-4, 3);
            bring(world, BODY_COMES, (CordBodyId){0});
            heap.fail = heap.calls + n;
            CordResult result = cord_world_step(world, 1e-4);
            failed = heap.calls >= heap.fail;
            heap.fail = 0;
            CHECK_INT(result, failed ? CORD_NO_MEMORY : CORD_OK);
            run(world, 1e-4, 3);
            CHECK(!is_explicit(world, a));
            cord_world_destroy(world);
            CHECK_INT(heap.held, 0);
        }
    }
}

TEST(a_state_after_the_switch_goes_on_with_the_same_bits)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        CordWorld* worlds[2];
        for (int i = 0; i < 2; i++) {
            worlds[i] = new_world(down);
            add_swinging(worlds[i], kind);
            turn_contact_on(worlds[i]);
            bring(worlds[i], BODY_COMES, (CordBodyId){0});
        }
        run(worlds[0], 1e-3, 5);
        Saved saved = save(worlds[0]);
        restore(worlds[1], &saved);
        run(worlds[0], 1e-3, 5);
        run(worlds[1], 1e-3, 5);
        CHECK(cord_world_state_hash(worlds[0]) == cord_world_state_hash(worlds[1]));
        drop_saved(&saved);
        cord_world_destroy(worlds[0]);
        cord_world_destroy(worlds[1]);
    }
}

typedef struct Told {
    int count;
    char last[300];
} Told;

static void listen(void* user, CordLogLevel level, const char* text)
{
    Told* told = user;
    if (level >= CORD_LOG_INFO && strstr(text, "is stepped implicitly")) {
        told->count++;
        snprintf(told->last, sizeof told->last, "%s", text);
    }
}

TEST(a_switch_is_told_once)
{
    Told told = {0};
    CordWorldDef world_def = cord_world_def_default();
    world_def.log = (CordLog){listen, &told};
    CordWorld* world = make_world(&world_def);
    CordRodDef def = def_of(PLAIN);
    CordBodyDef ball = cord_body_def_default();
    def.name = "rope", ball.name = "ball", ball.position = (CordVec3){0, 5, 0};
    add_rod(world, &def);
    add_body(world, &ball);
    turn_contact_on(world);
    run(world, 1e-4, 5);
    CHECK_INT(told.count, 1);
    CHECK_STR(told.last,
              "rod 'rope' is stepped implicitly, as the scene holds body 'ball', which it may touch; "
              "write \"integrator\": \"implicit\" to say so");
    cord_world_destroy(world);
}

TEST_GROUP(world_switch)
