// Rods and bodies welded together: what the projection keeps, and what can be read of it.
#include "world_bodies.h"

static const CordVec3 along = {1, 0, 0};

// ---- momentum

// A rod with a body at either end, off its axis and of odd inertia, all thrown and spinning.
static CordWorld* thrown_pair(bool inextensible, double mass)
{
    CordWorld* w = new_weightless_world();
    CordBodyDef a = odd_body_def((CordVec3){1.03, 0.04, -0.02}, mass, 0.05),
                b = odd_body_def((CordVec3){-0.03, 0.02, 0.05}, mass, 0.05);
    a.velocity = (CordVec3){0.1, 0.2, 0.3}, a.spin = (CordVec3){1, 2, -1};
    b.velocity = (CordVec3){0.2, 0.1, 0.0}, b.spin = (CordVec3){-1, 0.5, 1};
    add_thrown_pair(w, 17, inextensible, &a, &b);
    return w;
}

// So many steps of a share of what is advised keep momentum, and angular momentum to such a share.
static void run_and_check_momentum(CordWorld* w, double share, int steps, double angular)
{
    Totals before = totals(w);
    run(w, share * cord_world_step_advice(w).step, steps);
    Totals after = totals(w);
    CHECK_VEC3(after.linear, before.linear, 1e-12 * before.size); // each step rounds a few sums
    CHECK_VEC3(after.angular, before.angular, angular * vec3_length(before.angular));
}

static void check_momentum(bool inextensible, double mass)
{
    CordWorld* w = thrown_pair(inextensible, mass);
    run_and_check_momentum(w, 0.3, 10000, 1e-9);
    CHECK_NEAR(weld_gap(w), 0.0, 1e-12);
    CHECK_NEAR(most_stretch(w), 0.0, 1e-12);
    cord_world_destroy(w);
}

TEST(momentum_is_kept_with_bodies_of_any_mass)
{
    const double masses[] = {0.1, 1e3, 1e-5}; // as heavy as the rod, ten thousand times heavier and lighter
    for (int i = 0; i < 6; i++) {
        check_momentum(i % 2, masses[i / 2]);
    }
}

// ---- what holds

// Every edge and weld, over a second of violent motion under gravity.
static void check_holds(CordWorld* w, double seconds)
{
    double h = 0.3 * cord_world_step_advice(w).step;
    for (double t = 0.0; t < seconds; t += h) {
        run(w, h, 1);
        CHECK_NEAR(weld_gap(w), 0.0, 1e-12);
        // 1e-12 asked of each, and the rounding of positions over an edge
        CHECK_NEAR(most_stretch(w), 0.0, 1e-11);
    }
    cord_world_destroy(w);
}

TEST(a_chain_of_bodies_light_and_heavy_holds)
{
    CordWorld* w = new_world(down);
    CordRodId before = {0};
    for (int i = 0; i < 6; i++) {
        CordVec3 from = {0.3 * i, 0, 0}, to = {0.3 * (i + 1), 0, 0};
        CordRodId r = add_between(w, from, to, 9, true);
        if (i == 0) {
            hold(w, r, cord_at_start(), CORD_FIX_POSITION);
        } else {
            CordBodyId b = add_odd_body(w, from, i % 2 ? 1e-4 : 1.0, 0.02);
            add_weld(w, before, cord_at_end(), b, CORD_FIX_POSITION);
            add_weld(w, r, cord_at_start(), b, CORD_FIX_POSITION);
        }
        before = r;
    }
    check_holds(w, 0.3);
}

// Rods of three edges: the one between two welds has no node of its own to give way.
TEST(edges_with_nothing_but_bodies_at_their_ends_keep_their_length)
{
    CordWorld* w = new_world(down);
    CordBodyId last = {0};
    for (int i = 0; i < 5; i++) {
        CordVec3 from = {0.3 * i, 0, 0}, to = {0.3 * (i + 1), 0, 0};
        CordRodId r = add_between(w, from, to, 4, true);
        CordBodyId b = add_odd_body(w, to, 0.05, 0.03);
        if (i == 0) {
            hold(w, r, cord_at_start(), CORD_FIX_DIRECTION); // and the one between a clamp and a weld
        } else {
            add_weld(w, r, cord_at_start(), last, CORD_FIX_FRAME);
        }
        add_weld(w, r, cord_at_end(), b, CORD_FIX_FRAME);
        last = b;
    }
    check_holds(w, 0.7);
}

TEST(four_bodies_in_a_ring_of_four_rods_hold)
{
    for (int inextensible = 0; inextensible <= 1; inextensible++) {
        CordWorld* w = new_weightless_world();
        const CordVec3 x[4] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
        CordBodyId b[4];
        for (int i = 0; i < 4; i++) {
            b[i] = add_odd_body(w, x[i], i % 2 ? 0.5 : 0.005, 0.05);
        }
        for (int i = 0; i < 4; i++) {
            CordRodId r = add_between(w, x[i], x[(i + 1) % 4], 12, inextensible);
            add_weld(w, r, cord_at_start(), b[i], CORD_FIX_FRAME);
            add_weld(w, r, cord_at_end(), b[(i + 1) % 4], CORD_FIX_FRAME);
        }
        CHECK_OK(cord_body_set_velocity(w, b[1], (CordVec3){0.3, 0.2, 0.5}, (CordVec3){1, 0, 2}));
        double energy = totals(w).energy;
        run_and_check_momentum(w, 0.2, 3000, 1e-10);
        CHECK_NEAR(totals(w).energy, energy, 5e-3 * energy); // of a step this long it swings
        check_holds(w, 0.01);
    }
}

TEST(a_ring_carries_bodies_at_an_edge_across_its_seam_and_at_a_node)
{
    CordWorld* w = new_weightless_world();
    CordRodDef def = ring_def(24);
    def.inextensible = true, def.twist = 2.0, def.velocity = (CordVec3){0.1, 0, 0.2};
    CordRodId r = add_rod(w, &def);
    CordBodyId a = add_odd_body(w, (CordVec3){0.25, -0.02, 0}, 0.3, 0.05),
               b = add_odd_body(w, (CordVec3){-0.2, 0.01, 0.05}, 0.01, 0.03);
    add_weld(w, r, cord_at_edge(23), a, CORD_FIX_FRAME);
    add_weld(w, r, cord_at_node(12), b, CORD_FIX_POSITION);
    CHECK_OK(cord_body_set_velocity(w, b, (CordVec3){0, 1, 0.5}, (CordVec3){1, 0, 2}));
    run_and_check_momentum(w, 0.2, 2000, 1e-10);
    check_holds(w, 0.1);
}

// Two pins side by side, made in either order, anywhere along an implicit rod or around a ring: only where
// they are counts.
static double pinned_pair(bool ring, int a, int b)
{
    enum { EDGES = 12 };
    CordWorld* world = new_weightless_world();
    CordRodDef def = ring ? ring_def(EDGES) : line_def(EDGES + 1);
    def.integrator = CORD_INTEGRATOR_MIDPOINT, def.rest = CORD_REST_AS_SHAPED;
    CordRodId rod = add_rod(world, &def);
    CordVec3 x[EDGES + 1];
    CHECK_OK(cord_rod_positions(world, rod, x));
    int nodes[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        CordBodyDef body = cord_body_def_default();
        body.mass = 0.02, body.position = x[nodes[i]], body.velocity = (CordVec3){0, 0, 0.3};
        add_weld(world, rod, cord_at_node(nodes[i]), add_body(world, &body), CORD_FIX_POSITION);
    }
    run(world, 2e-3, 1);
    Totals before = totals(world);
    run(world, 2e-3, 40);
    Totals after = totals(world);
    CHECK(weld_gap(world) < 1e-12);
    CHECK_VEC3(after.linear, before.linear, 1e-12 * before.size);
    double bend = cord_rod_energy(world, rod).bend;
    cord_world_destroy(world);
    return bend;
}

TEST(pins_side_by_side_may_be_made_in_any_order)
{
    double middle = pinned_pair(false, 4, 5), end = pinned_pair(false, 11, 12),
           ring = pinned_pair(true, 4, 5);
    CHECK(middle > 0.0 && end > 0.0 && ring > 0.0);
    CHECK_NEAR(pinned_pair(false, 5, 4) / middle, 1.0, 1e-9); // the tolerance of implicit steps
    CHECK_NEAR(pinned_pair(false, 12, 11) / end, 1.0, 1e-9);
    CHECK_NEAR(pinned_pair(false, 0, 1) / end, 1.0, 1e-9); // seen from the other end
    CHECK_NEAR(pinned_pair(true, 5, 4) / ring, 1.0, 1e-9);
    CHECK_NEAR(pinned_pair(true, 11, 0) / ring, 1.0, 1e-9); // across the seam
    CHECK_NEAR(pinned_pair(true, 0, 11) / ring, 1.0, 1e-9);
}

TEST(a_clamp_may_slide_on_a_rod_with_a_body)
{
    for (int edge = 0; edge <= 1; edge++) {
        CordWorld* w = new_world(down);
        CordRodId r = add_between(w, origin, (CordVec3){0.6, 0, 0}, 13, true);
        hold_sliding(w, r, cord_at_start(), edge ? CORD_FIX_DIRECTION : CORD_FIX_POSITION, along);
        CordBodyId b = add_odd_body(w, (CordVec3){0.63, 0, 0.01}, 0.2, 0.03);
        add_weld(w, r, cord_at_end(), b, CORD_FIX_FRAME);
        Totals before = totals(w);
        double h = 0.1 * cord_world_step_advice(w).step;
        for (int i = 0; i < 2000; i++) {
            run(w, h, 1);
            CHECK_NEAR(weld_gap(w), 0.0, 1e-12);
            CHECK_NEAR(most_stretch(w), 0.0, 1e-11);
        }
        CordVec3 x = node_of(w, r, 0);
        CHECK(fabs(x.x) > 0.01); // it slid
        CHECK_VEC3(x, ((CordVec3){x.x, 0, 0}), 1e-15);
        Totals after = totals(w);
        CHECK_NEAR(after.linear.x, before.linear.x, 1e-12); // nothing pulls along the rail
        CHECK_NEAR(after.energy, before.energy, 1e-4 * 0.2 * 9.81 * 0.6);
        cord_world_destroy(w);
    }
}

// Four ropes where three would do: how they share the load is not determined, and must stay bounded all the
// same.
TEST(a_platform_on_four_ropes_shares_its_weight)
{
    CordWorld* w = new_world(down);
    CordBodyDef def = cord_body_def_default();
    def.solid.shape = CORD_SOLID_BOX, def.solid.size = (CordVec3){0.2, 0.2, 0.02}, def.mass = 0.5,
    def.position = (CordVec3){0, 0, -1};
    CordBodyId b = add_body(w, &def);
    CordRodId r[4];
    for (int i = 0; i < 4; i++) {
        double x = i & 1 ? 0.1 : -0.1, y = i & 2 ? 0.1 : -0.1;
        r[i] = add_between(w, (CordVec3){x, y, 0}, (CordVec3){x, y, -1}, 11, true);
        hold(w, r[i], cord_at_start(), CORD_FIX_POSITION);
        add_weld(w, r[i], cord_at_end(), b, CORD_FIX_POSITION);
    }
    CHECK_OK(cord_body_set_velocity(w, b, (CordVec3){0.2, 0.1, 0}, origin));
    double h = 0.3 * cord_world_step_advice(w).step, sum = 0.0, least = INFINITY, most = 0.0;
    for (int i = 0; i < 20000; i++) {
        run(w, h, 1);
        CHECK_NEAR(most_stretch(w), 0.0, 1e-11);
        for (int k = 0; k < 4 && i >= 19000; k++) { // the jerk at the start makes the ropes vibrate
            double tension[10];
            CHECK_OK(cord_rod_tensions(w, r[k], tension));
            least = fmin(least, tension[0]), most = fmax(most, tension[0]);
            sum += tension[9] / 1000.0;
        }
    }
    print_message("    tensions of %.3g to %.3g N\n", least, most);
    CHECK(least > -20.0 && most < 20.0); // four times the weight: round-off alone decides
    // it swings by a twentieth of a radian, and the ropes weigh as much
    CHECK_NEAR(sum, 0.5 * 9.81, 0.05 * 0.5 * 9.81);
    cord_world_destroy(w);
}

// ---- back again

TEST(a_run_backwards_ends_where_it_began)
{
    for (int inextensible = 0; inextensible <= 1; inextensible++) {
        CordWorld* w = thrown_pair(inextensible, 0.1);
        CordRodId r = cord_world_rod(w, 0);
        CordBodyId b[2] = {cord_world_body(w, 0), cord_world_body(w, 1)};
        CordVec3 x0[17], p0[2] = {body_of(w, b[0]).position, body_of(w, b[1]).position};
        double h = 0.1 * cord_world_step_advice(w).step;
        CHECK_OK(cord_rod_positions(w, r, x0));
        for (int way = 0; way < 3; way++) { // first velocities that obey the welds, then there, then back
            CordVec3 v[17];
            CordBodyState s[2];
            run(w, h, way == 0 ? 0 : 300);
            CHECK_OK(cord_rod_velocities(w, r, v));
            for (int i = 0; i < 17; i++) {
                v[i] = vec3_mul(v[i], way == 0 ? 1.0 : -1.0);
            }
            for (int i = 0; i < 2; i++) {
                s[i] = body_of(w, b[i]);
            }
            CHECK_OK(cord_rod_set_velocities(w, r, v));
            for (int i = 0; i < 2; i++) {
                double sign = way == 0 ? 1.0 : -1.0;
                CHECK_OK(cord_body_set_velocity(w, b[i], vec3_mul(s[i].velocity, sign),
                                                vec3_mul(s[i].spin, sign)));
            }
        }
        for (int i = 0; i < 17; i++) {
            CHECK_VEC3(node_of(w, r, i), x0[i], 1e-9); // rounding, which 600 steps of a shaking rod let grow
        }
        for (int i = 0; i < 2; i++) {
            CHECK_VEC3(body_of(w, b[i]).position, p0[i], 1e-9);
        }
        cord_world_destroy(w);
    }
}

// ---- what can be read

TEST(velocities_read_obey_welds_and_lengths)
{
    for (int inextensible = 0; inextensible <= 1; inextensible++) {
        CordWorld* w = thrown_pair(inextensible, 0.1);
        run(w, 0.3 * cord_world_step_advice(w).step, 50);
        CordVec3 v[17], x[17];
        CordRodId r = cord_world_rod(w, 0);
        CHECK_OK(cord_rod_velocities(w, r, v));
        CHECK_OK(cord_rod_positions(w, r, x));
        for (int i = 0; i < 2; i++) {
            CordBodyState s = body_of(w, cord_world_body(w, i));
            for (int k = 0; k < 2; k++) {
                int node = i == 0 ? 15 + k : k;
                CordVec3 arm = vec3_sub(x[node], s.position);
                CHECK_VEC3(v[node], vec3_add(s.velocity, vec3_cross(s.spin, arm)), 1e-12);
            }
        }
        for (int j = 0; inextensible && j < 16; j++) {
            CHECK_NEAR(vec3_dot(vec3_sub(v[j + 1], v[j]), vec3_sub(x[j + 1], x[j])), 0.0, 1e-14);
        }
        cord_world_destroy(w);
    }
}

// At rest: body below, rope above, all of it hanging straight down from a clamp.
TEST(a_weld_carries_the_weight_of_what_hangs_on_it)
{
    for (int fix = CORD_FIX_POSITION; fix <= CORD_FIX_FRAME; fix++) {
        CordWorld* w = new_world(down);
        CordRodId r = add_between(w, origin, (CordVec3){0, 0, -1}, 21, true);
        hold(w, r, cord_at_start(), CORD_FIX_POSITION);
        CordBodyId b = add_odd_body(w, (CordVec3){0, 0, -1.1}, 0.4, 0.03);
        Reaction of = weld_reaction(w, add_weld(w, r, cord_at_end(), b, (CordFix)fix));
        CHECK_VEC3(of.force, ((CordVec3){0, 0, 0.4 * 9.81}), 1e-9); // of the rod on the body
        CHECK_VEC3(of.torque, origin, 1e-9);
        double tension[20], mass[21], below = 0.4;
        CHECK_OK(cord_rod_tensions(w, r, tension));
        CHECK_OK(cord_rod_masses(w, r, mass));
        for (int j = 19; j >= 0; j--) {
            below += mass[j + 1];
            CHECK_NEAR(tension[j], 9.81 * below, 1e-9); // in the edge that is part of the body, too
        }
        cord_world_destroy(w);
    }
}

// Off the rope's line the body starts to turn. Its centre then falls with a = g m e^2 / (I + m e^2) about the
// taut rope's end, and the rope carries the rest.
TEST(a_body_hung_off_its_centre_starts_to_turn)
{
    CordWorld* w = new_world(down);
    CordRodId r = add_between(w, origin, (CordVec3){0, 0, -1}, 21, true);
    hold(w, r, cord_at_start(), CORD_FIX_POSITION);
    CordBodyDef def = cord_body_def_default();
    double m = 0.4, I = 2e-4, e = 0.05;
    def.mass = m, def.position = (CordVec3){e, 0, -1};
    def.inertia[0] = def.inertia[1] = def.inertia[2] = I;
    CordBodyId b = add_body(w, &def);
    CordWeldId weld = add_weld(w, r, cord_at_end(), b, CORD_FIX_POSITION);
    Reaction of = weld_reaction(w, weld);
    CHECK_VEC3(of.force, ((CordVec3){0, 0, m * 9.81 * I / (I + m * e * e)}), 1e-9);
    cord_world_destroy(w);
}

TEST(a_weld_of_the_frame_passes_twist_on)
{
    CordWorld* w = new_weightless_world();
    CordRodDef def = line_def(11);
    def.twist = 1.5;
    CordRodId r = add_rod(w, &def);
    hold(w, r, cord_at_start(), CORD_FIX_FRAME);
    CordBodyId b = add_odd_body(w, (CordVec3){1, 0.1, 0}, 0.4, 0.1);
    CordWeldId weld = add_weld(w, r, cord_at_end(), b, CORD_FIX_FRAME);
    Reaction of = weld_reaction(w, weld);
    double twisted = 0.9; // from the middle of the first edge to the middle of the last
    CHECK_NEAR(of.torque.x, -RODS_GJ * 1.5 / twisted, 1e-12); // it turns back
    run(w, 1e-3, 100);
    CHECK(body_of(w, b).spin.x < -0.01);
    CHECK(cord_rod_twist(w, r) < 1.5 / (2.0 * CORD_PI));
    cord_world_destroy(w);
}

// The other sign would pump energy: a wound-up rod between two bodies swings, and has in the end what it had.
TEST(twist_turns_into_spin_and_back_without_loss)
{
    CordWorld* w = new_weightless_world();
    CordRodDef def = line_def(11);
    def.twist = 1.0;
    CordRodId r = add_rod(w, &def);
    CordBodyDef ball = cord_body_def_default();
    ball.mass = 0.4;
    ball.inertia[0] = ball.inertia[1] = ball.inertia[2] = 1e-4;
    CordBodyId a = add_body(w, &ball);
    ball.position = along;
    CordBodyId b = add_body(w, &ball);
    add_weld(w, r, cord_at_start(), a, CORD_FIX_FRAME);
    add_weld(w, r, cord_at_end(), b, CORD_FIX_FRAME);
    double energy = totals(w).energy, omega = sqrt(2.0 * RODS_GJ / (0.9 * 1e-4)), least = 1e9;
    double h = 0.05 / omega;
    for (int i = 0; i < 20000; i++) {
        run(w, h, 1);
        least = fmin(least, cord_rod_energy(w, r).twist);
        CHECK_NEAR(totals(w).energy, energy, 2e-3 * energy); // (omega h)^2 / 4 of it swings
    }
    CHECK(least < 1e-3 * energy); // and all of it turned into spin at times
    cord_world_destroy(w);
}

TEST_GROUP(welds)
