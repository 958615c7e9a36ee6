// Twist, writhe and link of closed rods.
#include "rods.h"

enum { NODES = 60 };

static CordVec3 unit(CordVec3 a)
{
    return times(a, 1.0 / size_of(a));
}

// A ring bent out of its plane by low harmonics: smooth, large, and free of crossings.
static void wavy_ring(unsigned seed, double amplitude, CordVec3* x)
{
    double c[4], phase[4];
    for (int k = 0; k < 4; k++) {
        c[k] = amplitude * random_pm(&seed) / (k + 1);
        phase[k] = pi * random_pm(&seed);
    }
    for (int i = 0; i < NODES; i++) {
        double a = 2.0 * pi * i / NODES, z = 0.0;
        for (int k = 0; k < 4; k++) {
            z += c[k] * cos((k + 1) * a + phase[k]);
        }
        x[i] = (CordVec3){cos(a) * (1.0 + 0.3 * c[1] * cos(2 * a)), sin(a), z};
    }
}

// Rodrigues' rotation that takes s to t, written out here so that the program is not compared with itself.
static CordVec3 transported(CordVec3 u, CordVec3 s, CordVec3 t)
{
    CordVec3 w = cross(s, t);
    double c = dot(s, t), k = dot(w, u) / (1.0 + c);
    return plus(plus(times(u, c), cross(w, u)), times(w, k));
}

TEST(holonomy_of_the_bishop_frame_is_the_writhe_modulo_one)
{
    for (unsigned seed = 1; seed <= 50; seed++) {
        CordVec3 x[NODES];
        wavy_ring(seed, 1.5, x);
        CordVec3 first = unit(minus(x[1], x[0])), s = first;
        CordVec3 start = unit(cross(first, (CordVec3){0.3, -0.5, 0.8})), u = start;
        for (int j = 1; j <= NODES; j++) {
            CordVec3 t = unit(minus(x[(j + 1) % NODES], x[j % NODES]));
            u = transported(u, s, t);
            s = t;
        }
        double holonomy = atan2(dot(cross(start, u), first), dot(start, u)) / (2.0 * pi);
        double apart = holonomy - cord_polygon_writhe(x, NODES, true);
        CHECK_NEAR(apart - round(apart), 0.0, 1e-9); // round-off of 60 rotations and 1,700 solid angles
    }
}

// The ring is twisted beyond Michell's threshold, so that twist turns into writhe; nothing touches yet when
// it ends.
TEST(link_is_kept_while_twist_becomes_writhe)
{
    CordVec3 x[NODES], m1[NODES];
    wavy_ring(3, 0.05, x);
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = (CordVec3){0, 0, 0};
    CordWorld* world;
    CHECK_OK(cord_world_create(&world_def, &world));
    CordRodDef def = cord_rod_def_default();
    def.stiffness = (CordStiffness){.EI1 = 1.0, .EI2 = 1.0, .GJ = 1.0, .EA = 1e4, .mass_per_length = 1.0};
    def.shape = cord_shape_points(x, NODES);
    def.rest = CORD_REST_STRAIGHT;
    def.closed = true;
    double writhe = cord_polygon_writhe(x, NODES, true), start = writhe;
    def.twist = (3.0 - start) * 2.0 * pi; // link 3, so that the frames close; threshold: 2 pi sqrt(3) EI / GJ
    CordRodId rod;
    CHECK_OK(cord_rod_create(world, &def, &rod));
    double h = 0.5 * cord_world_step_advice(world).step, most = 0.0;
    while (fabs(writhe - start) < 0.8 && cord_world_time(world) < 20.0) {
        CHECK_OK(cord_world_step_many(world, h, 50));
        CHECK_OK(cord_rod_positions(world, rod, x));
        CHECK_OK(cord_rod_material_frames(world, rod, m1));
        double twist = cord_polygon_twist(x, NODES, true, m1); // from the frames, edge by edge
        writhe = cord_polygon_writhe(x, NODES, true);
        most = fmax(most, fabs(twist + writhe - 3.0));
        CHECK_NEAR(cord_rod_twist(world, rod), twist, 1e-9);
    }
    print_message("  twist %.4f and writhe %.4f turns at t = %.3f s; link off by %.2g at the most\n",
                  cord_rod_twist(world, rod), writhe, cord_world_time(world), most);
    CHECK(most <= 1e-9);
    CHECK(fabs(writhe - start) >= 0.8);
    cord_world_destroy(world);
}

TEST_GROUP(topology)
