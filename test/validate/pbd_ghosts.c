// Gravity on ghost points: the paper's Algorithm 1 with its three treatments (PBER figure 3), and xpbd, which
// has nothing to treat.
#include "contacts.h"

enum { ELEMENTS = 20 };

static const double g = 9.81, h = 0.01;
// of ghosts: their share of the mass, and their distance, one edge [m]
static const double mass_share = 0.5, side = 0.05;

// A rod of 1 m down from the origin, or along x; its ghost points are to the side of it, away from the
// vertical.
static CordRodDef straight(bool upright, CordPbdSolver solver, CordPbdMethod method, CordPbdGravity gravity,
                           int iterations)
{
    CordRodDef def = cord_rod_def_default();
    def.model = CORD_MODEL_PBD, def.pbd.solver = solver, def.pbd.method = method;
    def.pbd.gravity = gravity, def.pbd.iterations = iterations;
    def.pbd.ghost_mass = mass_share, def.pbd.ghost_length = side * ELEMENTS;
    def.material.young = 1e6;
    CordVec3 end = upright ? (CordVec3){0, 0, -1} : (CordVec3){1, 0, 0};
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, end, ELEMENTS + 1);
    def.m1 = upright ? (CordVec3){1, 0, 0} : (CordVec3){0, 1, 0};
    return def;
}

// ---- falling

typedef struct Fall {
    double fallen; // the middle of the rod [m]
    double bent;   // the farthest that any node is from the line through the ends, over its length
    double turned; // that line [rad]
    double frames; // the frame that has turned most [rad]
} Fall;

static double angle_between(CordVec3 a, CordVec3 b)
{
    return atan2(size_of(cross(a, b)), dot(a, b));
}

static Fall fall(const CordRodDef* def, int steps)
{
    CordVec3 x[ELEMENTS + 1], before[ELEMENTS], m1[ELEMENTS];
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    CordRodId rod = add_rod(world, def);
    CHECK_OK(cord_rod_positions(world, rod, x));
    CHECK_OK(cord_rod_material_frames(world, rod, before));
    CordVec3 middle = x[ELEMENTS / 2], line = minus(x[ELEMENTS], x[0]);
    run_many(world, h, steps);
    CHECK_OK(cord_rod_positions(world, rod, x));
    CHECK_OK(cord_rod_material_frames(world, rod, m1));
    CordVec3 now = minus(x[ELEMENTS], x[0]);
    Fall f = {.fallen = middle.z - x[ELEMENTS / 2].z, .turned = angle_between(line, now)};
    for (int i = 0; i <= ELEMENTS; i++) {
        f.bent = fmax(f.bent, size_of(cross(minus(x[i], x[0]), now)) / dot(now, now));
        f.frames = fmax(f.frames, i < ELEMENTS ? angle_between(before[i], m1[i]) : 0.0);
    }
    cord_world_destroy(world);
    return f;
}

static void check_falls(const CordRodDef* def, const char* name)
{
    enum { STEPS = 1000 };
    Fall f = fall(def, STEPS);
    // Euler's method: g h in every step, before positions move
    double way = 0.5 * g * h * h * STEPS * (STEPS + 1);
    print_message("    %s: falls %.1e too far, bends by %.1e, turns by %.1e and its frames by %.1e\n", name,
                  f.fallen / way - 1.0, f.bent, f.turned, f.frames);
    CHECK_NEAR(f.fallen, way, 1e-11 * way); // a thousand roundings, which grow as velocities do
    CHECK_NEAR(f.bent, 0.0, 1e-10);
    // 500 m below, places are rounded to 6e-14 m. In a step, that is a spin of 1e-10 rad/s of what is 5 cm
    // wide; for 10 s.
    CHECK_NEAR(fmax(f.turned, f.frames), 0.0, 1e-8);
}

// Undamped, for 10 s. With a single sweep it does turn, whatever gravity does: one pass of Gauss-Seidel, from
// one end to the other, makes round-off grow, until the rod is crooked and calm again.
TEST(modified_gravity_neither_turns_nor_bends_a_falling_rod)
{
    const int iterations[] = {2, 5, 20};
    for (int i = 0; i < 3; i++) {
        for (int upright = 0; upright < 2; upright++) {
            CordRodDef def =
                straight(upright, CORD_PBD_PBD, CORD_PBD_DIRECT, CORD_PBD_GRAVITY_MODIFIED, iterations[i]);
            check_falls(&def, upright ? "upright" : "level");
        }
    }
}

TEST(xpbd_neither_turns_nor_bends_a_falling_rod)
{
    for (int i = 0; i < 4; i++) {
        CordPbdMethod method = i / 2 ? CORD_PBD_SWEEPS : CORD_PBD_DIRECT;
        CordRodDef def = straight(i % 2, CORD_PBD_XPBD, method, CORD_PBD_GRAVITY_NONE, 0);
        check_falls(&def, method == CORD_PBD_DIRECT ? "direct" : "sweeps");
    }
}

// The ghosts' share s of the mass is d to the side of the rest, and nothing pulls at it: gravity on the rest
// turns the rod about its centre of mass with s (1 - s) m g d.
VALIDATE(a_falling_rod_spins_without_gravity_on_ghosts, .source = "s (1 - s) g d over L^2/12 + s (1 - s) d^2",
         .tolerance = 0.02) // it bends, by 0.2 % of its length, and masses are at nodes
{
    enum { STEPS = 60 };
    CordRodDef def = straight(true, CORD_PBD_PBD, CORD_PBD_DIRECT, CORD_PBD_GRAVITY_NONE, 80);
    double lever = mass_share * (1.0 - mass_share) * side, spin_up = lever * g / (1.0 / 12.0 + lever * side);
    return fall(&def, STEPS).turned / (0.5 * spin_up * h * h * STEPS * (STEPS + 1)) - 1.0;
}

// ---- hanging

typedef struct Hang { // the farthest that any node is from the vertical [m]
    double most;      // at any time
    double rest;      // at the end
} Hang;

static Hang hang(const CordRodDef* def)
{
    CordVec3 x[ELEMENTS + 1];
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    CordRodId rod = add_rod(world, def);
    Hang s = {0};
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    for (int n = 0; n < 400; n++) {
        run_many(world, h, 1);
        CHECK_OK(cord_rod_positions(world, rod, x));
        s.rest = 0.0;
        for (int i = 0; i <= ELEMENTS; i++) {
            s.rest = fmax(s.rest, hypot(x[i].x, x[i].y));
        }
        s.most = fmax(s.most, s.rest);
    }
    cord_world_destroy(world);
    return s;
}

// To the side, of a metre, in 4 s: at any time, and at the end [mm]
//
//     iterations       full             modified
//              5     155     133       6.3    1.6
//             20     112      45       2.8    1.3
//             80      68      55       2.0    0.2
TEST(modified_gravity_bends_a_hanging_rod_less_than_a_tenth_of_what_full_gravity_does)
{
    const int iterations[] = {5, 20, 80};
    double before = INFINITY;
    for (int i = 0; i < 3; i++) {
        CordRodDef full = straight(true, CORD_PBD_PBD, CORD_PBD_DIRECT, CORD_PBD_GRAVITY_FULL, iterations[i]);
        CordRodDef modified = full;
        modified.pbd.gravity = CORD_PBD_GRAVITY_MODIFIED;
        Hang a = hang(&full), b = hang(&modified);
        print_message("    %d iterations: full %.2e m, %.2e m at the end; modified %.2e m, %.2e m\n",
                      iterations[i], a.most, a.rest, b.most, b.rest);
        CHECK(a.rest > 0.03); // of a metre
        CHECK(b.most < 0.1 * a.most && b.rest < 0.1 * a.rest);
        CHECK(b.most < before);
        before = b.most;
    }
}

TEST(xpbd_leaves_a_hanging_rod_straight)
{
    for (int i = 0; i < 2; i++) {
        CordRodDef def =
            straight(true, CORD_PBD_XPBD, i ? CORD_PBD_SWEEPS : CORD_PBD_DIRECT, CORD_PBD_GRAVITY_NONE, 0);
        Hang s = hang(&def);
        CHECK_NEAR(s.most, 0.0, 1e-13); // no number in it is other than 0 but for round-off, of 1 m
    }
}

// ---- forces: a node is lighter by its ghosts' mass, and moves all of it in the end

TEST(forces_and_contact_move_ghosts_with_their_nodes)
{
    const CordVec3 push = {0.1, 0, 0};
    for (int touches = 0; touches < 2; touches++) {
        CordRodDef def = straight(false, CORD_PBD_PBD, CORD_PBD_SWEEPS, CORD_PBD_GRAVITY_MODIFIED, 20);
        def.section = cord_section_disc(0.01);
        def.m1 = (CordVec3){0, 0, -1}; // ghosts hang below it
        CordWorld* world = new_world((CordVec3){0, 0, touches ? -g : 0.0});
        if (touches) {
            CordObstacleDef ground =
                obstacle_def(CORD_SOLID_PLANE, (CordVec3){0, 0, 0}, (CordVec3){0, 0, -0.01});
            touch_with(world, 0.0);
            add_obstacle(world, &ground);
        }
        CordRodId rod = add_rod(world, &def);
        CordLoadDef load = cord_load_def_default();
        CordLoadId id;
        load.rod = rod, load.at = cord_at_node(ELEMENTS / 2), load.force = push;
        CHECK_OK(cord_load_create(world, &load, &id));
        CordVec3 up = {0, 0, 0}, force;
        for (int n = 0; n < 100; n++) {
            CHECK_WORLD_OK(world, cord_world_step(world, 1e-3));
            if (touches) {
                CHECK_OK(cord_obstacle_force(world, cord_world_obstacle(world, 0), &force, NULL));
                up = plus(up, times(force, -1e-3));
            }
        }
        CordVec3 p = cord_rod_momentum(world, rod).linear;
        double weight = touches ? cord_rod_mass(world, rod) * g * 0.1 : 0.0;
        // ghosts, which nodes stand for here, swing about their nodes by 0.7 % of that; half of it was lost
        CHECK_NEAR(p.x, push.x * 0.1, 0.01 * push.x * 0.1);
        CHECK_NEAR(p.z, up.z - weight, 0.01 * push.x * 0.1);
        cord_world_destroy(world);
    }
}

TEST_GROUP(pbd_ghosts)
