// CORDE's law of framed rods: the strain 4 tan(phi/4), its energy, what a corner may be turned by, and its
// likeness to DER's law where strains are small.
#include "framed_links.h"

#include "model/framed/framed.h"

// ---- one corner

// Twist of up to 7/8 of a turn, and bending of up to half a turn. Vectors that the turn is taken from are
// good to 1e-15, which the slope of the tangent enlarges and, of edges that are nearly folded, 1 / (1 +
// cosine).
TEST(the_strain_of_a_turn_is_four_times_the_tangent_of_its_quarter)
{
    for (int k = 0; k < 3; k++) {
        double most = k < 2 ? 3.0 : 5.4;
        for (double angle = -most; angle <= most; angle += 0.05) {
            double axis[3] = {k == 0, k == 1, k == 2}, alpha[3], right = 4.0 * tan(0.25 * angle);
            double larger = fmax(1.0 + 0.0625 * right * right, k < 2 ? 0.1 / (1.0 + cos(angle)) : 1.0);
            Links* c = turned_links(CORNER_LAW_CORDE, &(Turned){{axis[0], axis[1], axis[2]}, angle}, 1, 0.0);
            strain_of(c, alpha);
            for (int i = 0; i < 3; i++) {
                CHECK_NEAR(alpha[i], axis[i] * right, 1e-14 * larger);
            }
            free(c);
        }
    }
}

// Any axis, turns of up to 5 radians: the paper's (25) with 1/|q|^2 kept, and its energy (26), written out.
TEST(the_energy_is_that_of_the_paper)
{
    for (uint64_t seed = 1; seed <= 500; seed++) {
        uint64_t own = seed;
        Turned by = random_turn(&own, 5.0);
        Links* c = turned_links(CORNER_LAW_CORDE, &by, seed, 0.7);
        CornerNodes* n = &c->nodes;
        double tangent = 4.0 * tan(0.25 * by.angle), given[3],
               rest[3] = {-n->rest_A[1][1], n->rest_A[0][1], n->rest_B[0][1]};
        double past[3] = {-n->past_A[1][1], n->past_A[0][1], n->past_B[0][1]}, sum[2] = {0},
               size = 1.0 + tangent * tangent;
        double EI1 = 0.5 * (c->edges.B22[0] + c->edges.B22[1]),
               EI2 = 0.5 * (c->edges.B11[0] + c->edges.B11[1]);
        double EI12 = 0.5 * (c->edges.B12[0] + c->edges.B12[1]), GJ = n->GJ2[1] / (2 * n->inv_l[1]),
               l = 0.5 / n->inv_l[1];
        strain_of(c, given);
        double twist = 0.0;
        for (int k = 0; k < 2; k++) {
            double d[3];
            for (int i = 0; i < 3; i++) {
                CHECK_NEAR(given[i], tangent * by.axis[i], 2e-14 * size);
                d[i] = tangent * by.axis[i] - (k == 0 ? rest : past)[i];
            }
            sum[k] = (EI1 * d[0] * d[0] - 2 * EI12 * d[0] * d[1] + EI2 * d[1] * d[1]) / (2 * l);
            twist = k == 0 ? GJ * d[2] * d[2] / (2 * l) : twist;
            sum[k] += k == 0 ? 0.0 : GJ * d[2] * d[2] / (2 * l);
        }
        CornerEnergy e = c->kernels->energy(&c->in);
        CHECK_NEAR(e.bend, sum[0], 1e-13 * size * size);
        CHECK_NEAR(e.twist, twist, 1e-13 * size * size);
        CHECK_NEAR(e.viscous, 0.7 * sum[1], 1e-13 * size * size);
        free(c);
    }
}

// Moments and forces of a corner that is turned as a whole do no work.
TEST(a_rigid_motion_does_no_work)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        Links* c = random_links(CORNER_LAW_CORDE, SLOTS, seed, seed % 2 ? 0.7 : 0.0);
        c->kernels->gradient(&c->in, &c->terms.gradient);
        const CornerGradient* g = &c->terms.gradient;
        for (int s = 1; s < SLOTS - 1; s++) {
            CordVec3 sum = {0, 0, 0};
            double size = 0.0;
            for (int k = 0; k < 2; k++) {
                CordVec3 t = slot_get(c->edges.t, s - 1 + k), p = slot_get(k == 0 ? g->e : g->f, s);
                double phi = (k == 0 ? g->phi_e : g->phi_f)[s];
                sum = vec3_madd(vec3_madd(sum, vec3_cross(t, p), 1.0 / c->edges.inv_len[s - 1 + k]), t, phi);
                size = fmax(size, fmax(vec3_length(p), fabs(phi)));
            }
            CHECK_VEC3(sum, ((CordVec3){0, 0, 0}), 1e-13 * size);
        }
        free(c);
    }
}

// Read from its other end, a corner has its tangents and m2 the other way round: turns about m1 change their
// sign.
TEST(a_corner_is_the_same_read_backwards)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t own = seed;
        Turned by = random_turn(&own, 4.5);
        Links *c = turned_links(CORNER_LAW_CORDE, &by, seed, 0.0),
              *d = turned_links(CORNER_LAW_CORDE, &by, seed, 0.0);
        for (int k = 0; k < 2; k++) {
            slot_set(d->edges.t, k, vec3_mul(slot_get(c->edges.t, 1 - k), -1.0));
            slot_set(d->edges.m1, k, slot_get(c->edges.m1, 1 - k));
        }
        d->nodes.K[1][1] = -c->nodes.K[1][1];
        d->nodes.rest_A[1][1] = -c->nodes.rest_A[1][1];
        d->kernels->measure(&d->in);
        CHECK_NEAR(d->nodes.m[1], c->nodes.m[1], 1e-13);
        CornerEnergy e = c->kernels->energy(&c->in), f = d->kernels->energy(&d->in);
        CHECK_NEAR(f.bend, e.bend, 1e-12 * (1.0 + e.bend));
        CHECK_NEAR(f.twist, e.twist, 1e-12 * (1.0 + e.twist));
        free(c);
        free(d);
    }
}

// Where all strains are of size h the two laws differ by h^4 if both edges have one section, and by h^3 if
// they have not.
TEST(small_strains_cost_what_they_cost_by_ders_law)
{
    for (int uneven = 0; uneven < 2; uneven++) {
        double off[2];
        for (int fine = 0; fine < 2; fine++) {
            double h = fine ? 0.01 : 0.02;
            Links* c = turned_links(CORNER_LAW_CORDE, &(Turned){{0.48, -0.6, 0.64}, h}, 3, 0.0);
            for (int i = 0; i < 3; i++) {
                double* B = i == 0 ? c->edges.B11 : i == 1 ? c->edges.B12 : c->edges.B22;
                B[1] = uneven ? B[1] : B[0];
                c->nodes.K[i][1] = c->nodes.inv_l[1] * (B[0] + B[1]);
            }
            for (int k = 0; k < 2; k++) { // the same strain of size h at rest in both laws
                c->nodes.rest_A[k][1] = c->nodes.rest_B[k][1] = 0.0;
            }
            CornerEnergy corde = c->kernels->energy(&c->in);
            CornerEnergy der = corner_kernels(CORNER_LAW_DER)->energy(&c->in);
            off[fine] = fabs(corde.bend + corde.twist - der.bend - der.twist);
            free(c);
        }
        CHECK_NEAR(log2(off[0] / off[1]), uneven ? 3.0 : 4.0, 0.05);
    }
}

// Beyond 7/8 of a turn there is no energy, and nothing that looks like one.
TEST(at_a_whole_turn_the_energy_is_not_finite)
{
    for (double angle = 5.5; angle <= 7.0; angle += 0.1) {
        Links* c = turned_links(CORNER_LAW_CORDE, &(Turned){{0, 0, 1}, 5.4}, 4, 0.0);
        CornerEnergy e = c->kernels->energy(&c->in);
        CHECK(isfinite(e.bend + e.twist));
        c->turn[1] = 2 * tan(0.5 * (angle - 5.4));
        c->kernels->turn(&c->edges, c->turn, 2);
        c->kernels->measure(&c->in);
        CHECK_NEAR(c->nodes.m[1], angle, 1e-13);
        e = c->kernels->energy(&c->in);
        c->kernels->gradient(&c->in, &c->terms.gradient);
        CHECK(!isfinite(e.bend + e.twist) && !isfinite(c->terms.gradient.phi_f[1]));
        free(c);
    }
}

// What does the work when all that follows is turned: exactly.
TEST(the_moment_is_the_work_of_a_turn)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        Links* c = random_links(CORNER_LAW_CORDE, SLOTS, seed, seed % 2 ? 0.7 : 0.0);
        double space[3][SLOTS + 2 * PAD], *moment[3] = {space[0] + PAD, space[1] + PAD, space[2] + PAD};
        c->kernels->moments(&c->in, moment);
        c->kernels->gradient(&c->in, &c->terms.gradient);
        for (int s = 1; s < SLOTS - 1; s++) {
            CordVec3 p = slot_get(c->terms.gradient.f, s), t = slot_get(c->edges.t, s);
            CordVec3 work = vec3_mul(vec3_cross(t, p), 1.0 / c->edges.inv_len[s]);
            work = vec3_madd(work, t, c->terms.gradient.phi_f[s]);
            CHECK_VEC3(slot_get(moment, s), work, 1e-13 * (1.0 + vec3_length(work)));
        }
        free(c);
    }
}

// ---- rods

static CordRodDef corde_def(CordRodDef def)
{
    def.model = CORD_MODEL_CORDE, def.integrator = CORD_INTEGRATOR_MIDPOINT;
    return def;
}

// A ring of N corners that was a straight ribbon: each turns by 2 pi / N about one axis.
TEST(a_ring_bent_from_a_straight_ribbon_has_the_energy_of_its_bending)
{
    enum { N = 12 };
    for (int wide = 0; wide < 2; wide++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = corde_def(ring_def(N));
        def.stiffness.EI2 = 7 * RODS_EI;
        def.m1 = wide ? (CordVec3){0, 0, 1} : (CordVec3){1, 0, 0}; // bends about m1, or about m2
        CordRodId rod = add_rod(world, &def);
        double edge = 2 * 0.2 * sin(CORD_PI / N), tangent = tan(0.5 * CORD_PI / N), alpha = 4 * tangent;
        double EI = wide ? RODS_EI : 7 * RODS_EI, moment = EI * alpha * (1 + tangent * tangent) / edge;
        CordEnergy e = cord_rod_energy(world, rod);
        CHECK_NEAR(e.bend / (N * EI * alpha * alpha / (2 * edge)), 1.0, 1e-12);
        CHECK_NEAR(e.twist, 0.0, 1e-28);
        CordVec3 all[N];
        CHECK_OK(cord_rod_moments(world, rod, all));
        for (int i = 0; i < N; i++) {
            CHECK_VEC3(all[i], ((CordVec3){0, 0, moment}), 1e-12 * moment);
        }
        cord_world_destroy(world);
    }
}

static CordEnergy crooked_ring(CordModel model, int nodes, double twist)
{
    CordVec3 x[160];
    for (int i = 0; i < nodes; i++) {
        double a = 2 * CORD_PI * i / nodes;
        x[i] = (CordVec3){0.2 * cos(a), 0.2 * sin(a), 0.05 * sin(2 * a) + 0.03 * cos(3 * a)};
    }
    CordWorld* world = new_weightless_world();
    CordRodDef def = corde_def(ring_def(nodes));
    def.model = model, def.shape = cord_shape_points(x, nodes);
    def.rest = CORD_REST_STRAIGHT, def.twist = twist;
    def.stiffness.EI2 = 7 * RODS_EI, def.stiffness.EI12 = RODS_EI;
    CordEnergy e = cord_rod_energy(world, add_rod(world, &def));
    cord_world_destroy(world);
    return e;
}

// A ribbon, straight at rest, that is twisted and glued into a ring as it comes: at the seam its sections
// stand at any angle to each other, where the laws have to agree as they do elsewhere, to second order in the
// length of an edge.
TEST(rings_are_glued_at_any_angle)
{
    for (double twist = -3.0; twist <= 3.5; twist += 0.5) {
        double off[2];
        for (int fine = 0; fine < 2; fine++) {
            CordEnergy corde = crooked_ring(CORD_MODEL_CORDE, fine ? 160 : 80, twist);
            CordEnergy der = crooked_ring(CORD_MODEL_DER, fine ? 160 : 80, twist);
            off[fine] = fabs(corde.bend / der.bend - 1.0);
            CHECK_NEAR(corde.twist, der.twist, 1e-2 * der.twist + 1e-28);
        }
        CHECK_NEAR(log2(off[0] / off[1]), 2.0, 0.1);
    }
}

TEST(turns_of_an_element_by_half_a_turn_are_refused)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = corde_def(line_def(5)); // four elements, three corners
        CordRodId rod;
        double twist = i % 2 ? -9.5 : 9.5;
        def.twist = i < 2 ? twist : 0.0, def.rest_twist = i < 2 ? 0.0 : twist, def.name = "wire";
        CHECK_RESULT(cord_rod_create(world, &def, &rod), CORD_BAD_ARGUMENT);
        CHECK_CONTAINS(cord_world_message(world), "rod 'wire'");
        CHECK_CONTAINS(cord_world_message(world), "node 1");
        CHECK_CONTAINS(cord_world_message(world), i % 2 ? "-3.16667 rad" : "3.16667 rad");
        CHECK_CONTAINS(cord_world_message(world), "at least 5 elements would hold it");
        def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 6);
        CHECK_OK(cord_rod_create(world, &def, &rod));
        CHECK_INT(cord_world_rod_count(world), 1);
        cord_world_destroy(world);
    }
}

// Stress-free strains are told as they are: a helix whose frames turn, and a twist alone.
TEST(stress_free_strains_are_told)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = corde_def(line_def(5));
    def.rest_twist = 6.0;
    Rod* rod = world_rod(world, add_rod(world, &def));
    CordRodDef ring = corde_def(ring_def(12));
    ring.rest = CORD_REST_AS_SHAPED, ring.m1 = (CordVec3){0, 0, 1};
    Rod* round = world_rod(world, add_rod(world, &ring));
    for (int i = 1; i < 4; i++) {
        double alpha[3];
        framed_rest_alpha(framed_of(rod), rod, i, alpha);
        CHECK_VEC3(((CordVec3){alpha[0], alpha[1], alpha[2]}), ((CordVec3){0, 0, 4 * tan(0.5)}), 1e-14);
        CHECK_NEAR(framed_turn_at(framed_of(rod), rod, i), 2.0, 1e-14);
        framed_rest_alpha(framed_of(round), round, i, alpha);
        CHECK_VEC3(((CordVec3){alpha[0], alpha[1], alpha[2]}), ((CordVec3){4 * tan(CORD_PI / 24), 0, 0}),
                   1e-14);
        CHECK_NEAR(framed_turn_at(framed_of(round), round, i), 0.0, 1e-14);
    }
    cord_world_destroy(world);
}

// Twist alone has derivatives of third order, too: a straight round rod whose sections vary, twisted by a
// radian a corner, with frames that are off by little. In equilibrium all corners pass the same moment on, to
// 1e-12 of the least 2 GJ / l.
TEST(twist_alone_comes_to_equilibrium)
{
    enum { NODES = 20 };
    CordStiffness along[NODES - 1];
    uint64_t seed = 7;
    for (double off = 1e-6; off < 0.1; off *= 3) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = corde_def(line_def(NODES));
        for (int j = 0; j < NODES - 1; j++) {
            along[j] = def.stiffness;
            along[j].GJ = RODS_GJ * random_in(&seed, 0.5, 1.5);
        }
        def.stiffness = cord_stiffness_unset(), def.stiffnesses = along, def.along_count = NODES - 1;
        def.twist = 18.0;
        CordRodId id = add_rod(world, &def);
        hold(world, id, cord_at_start(), CORD_FIX_FRAME), hold(world, id, cord_at_end(), CORD_FIX_FRAME);
        CHECK_OK(world_prepare(world));
        Rod* rod = world_rod(world, id);
        Framed* g = framed_of(rod);
        CHECK(framed_relax(g, &g->now, rod, 0.0) > 0);
        for (int s = 0; s < NODES - 1; s++) {
            g->turn[s] = g->may_turn[s] * random_in(&seed, -off, off);
        }
        framed_turn(g, &g->now, rod, g->turn);
        CHECK(framed_relax(g, &g->now, rod, 0.0) > 0);
        for (int j = 1; j < NODES - 2; j++) {
            CHECK_NEAR(framed_spin_moment(g, rod, j) / g->bounds.GJ2_least, 0.0, 1e-12);
        }
        cord_world_destroy(world);
    }
}

// Twisted at its end by ever more, an element comes to a whole turn: the step that would take it there fails,
// and says so; nothing that was there before is spoilt.
TEST(a_twist_that_no_element_can_hold_is_an_error)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = corde_def(line_def(4));               // three elements, two corners
    def.stiffness.EI1 = def.stiffness.EI2 = 100 * RODS_EI; // it does not buckle
    CordRodId rod = add_rod(world, &def);
    CordMotion motion = cord_motion_rotate((CordVec3){1, 0, 0}, 20.0, 0, 1.0);
    CordClampDef end = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
    end.motions = &motion, end.motion_count = 1;
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    add_clamp(world, &end);
    CordResult result = CORD_OK;
    int steps = 0;
    CordVec3 x[4];
    while (result == CORD_OK && steps < 200) {
        result = cord_world_step(world, 0.005);
        CHECK_OK(cord_rod_positions(world, rod, x));
        CHECK(isfinite(x[1].x + x[1].y + x[1].z + x[2].x + x[2].y + x[2].z));
        steps++;
    }
    CHECK(result != CORD_OK && steps > 100); // half of 20 rad a second: 2 * 5.5 are reached after 0.55 s
    CHECK_CONTAINS(cord_world_message(world), "rod1");
    cord_world_destroy(world);
}

TEST_GROUP(framed_corde, the_strain_of_a_turn_is_four_times_the_tangent_of_its_quarter,
           the_energy_is_that_of_the_paper, a_rigid_motion_does_no_work, a_corner_is_the_same_read_backwards,
           small_strains_cost_what_they_cost_by_ders_law, at_a_whole_turn_the_energy_is_not_finite,
           the_moment_is_the_work_of_a_turn, a_ring_bent_from_a_straight_ribbon_has_the_energy_of_its_bending,
           rings_are_glued_at_any_angle, turns_of_an_element_by_half_a_turn_are_refused,
           stress_free_strains_are_told, twist_alone_comes_to_equilibrium,
           a_twist_that_no_element_can_hold_is_an_error)
