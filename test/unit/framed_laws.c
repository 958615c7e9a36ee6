// The laws of framed rods that measure the turn from frame to frame, CORDE's and that of position-based rods:
// what they have in common. Their strains are k tan(phi/k), with k = 4 and k = 2.
#include "framed_links.h"

#include "model/framed/framed.h"

typedef struct Law {
    CornerLaw law;
    CordModel model;
    double k;        // of k tan(phi/k)
    double most;     // a corner may be turned by at least so much [rad]
    double accuracy; // of strains, over 1 + strain^2
    double small;    // strains at which it agrees with DER's law
    int steps[2];    // of a hundredth of a radian a corner, twice over, between which it holds no more
} Law;

static const Law laws[] = {
    {CORNER_LAW_CORDE, CORD_MODEL_CORDE, 4.0, 4.5, 2e-14, 0.01, {100, 200}}, // 2 * 5.5 rad at 0.55 s
    {CORNER_LAW_PBD, CORD_MODEL_PBD, 2.0, 2.8, 1e-14, 0.001, {55, 62}},      // 2 * 2.945 rad
};

#define FOR_LAWS(l) for (const Law* l = laws; l < laws + sizeof laws / sizeof *laws; l++)

// ---- one corner

// Any axis: the strain of the law with stiffnesses as the papers have them, (25) and (26) of CORDE's.
TEST(the_energy_is_that_of_the_papers)
{
    FOR_LAWS(law)
    {
        for (uint64_t seed = 1; seed <= 500; seed++) {
            uint64_t own = seed;
            Turned by = random_turn(&own, law->most + (law->k == 4.0 ? 0.5 : 0.1));
            Links* c = turned_links(law->law, &by, seed, 0.7);
            CornerNodes* n = &c->nodes;
            double given[3], tangent = law->k * tan(by.angle / law->k), size = 1.0 + tangent * tangent;
            double rest[3] = {-n->rest_A[1][1], n->rest_A[0][1], n->rest_B[0][1]};
            double past[3] = {-n->past_A[1][1], n->past_A[0][1], n->past_B[0][1]}, bend[2], twist[2];
            double EI1 = 0.5 * (c->edges.B22[0] + c->edges.B22[1]);
            double EI2 = 0.5 * (c->edges.B11[0] + c->edges.B11[1]);
            double EI12 = 0.5 * (c->edges.B12[0] + c->edges.B12[1]);
            double GJ = n->GJ2[1] / (2 * n->inv_l[1]), l = 0.5 / n->inv_l[1];
            double most = 1e-13 * size * (law->k == 4.0 ? size : sqrt(size)); // the strain's error times it
            strain_of(c, given);
            for (int k = 0; k < 2; k++) {
                double d[3];
                for (int i = 0; i < 3; i++) {
                    CHECK_NEAR(given[i], tangent * by.axis[i], law->accuracy * size);
                    d[i] = tangent * by.axis[i] - (k == 0 ? rest : past)[i];
                }
                bend[k] = (EI1 * d[0] * d[0] - 2 * EI12 * d[0] * d[1] + EI2 * d[1] * d[1]) / (2 * l);
                twist[k] = GJ * d[2] * d[2] / (2 * l);
            }
            CornerEnergy e = c->kernels->energy(&c->in);
            CHECK_NEAR(e.bend, bend[0], most);
            CHECK_NEAR(e.twist, twist[0], most);
            CHECK_NEAR(e.viscous, 0.7 * (bend[1] + twist[1]), most);
            free(c);
        }
    }
}

// Moments and forces of a corner that is turned as a whole do no work.
TEST(a_rigid_motion_does_no_work)
{
    FOR_LAWS(law)
    {
        for (uint64_t seed = 1; seed <= 50; seed++) {
            Links* c = random_links(law->law, SLOTS, seed, seed % 2 ? 0.7 : 0.0);
            c->kernels->gradient(&c->in, &c->terms.gradient);
            const CornerGradient* g = &c->terms.gradient;
            for (int s = 1; s < SLOTS - 1; s++) {
                CordVec3 sum = {0, 0, 0};
                double size = 0.0;
                for (int k = 0; k < 2; k++) {
                    CordVec3 t = slot_get(c->edges.t, s - 1 + k), p = slot_get(k == 0 ? g->e : g->f, s);
                    double phi = (k == 0 ? g->phi_e : g->phi_f)[s];
                    sum = vec3_madd(vec3_madd(sum, vec3_cross(t, p), 1.0 / c->edges.inv_len[s - 1 + k]), t,
                                    phi);
                    size = fmax(size, fmax(vec3_length(p), fabs(phi)));
                }
                CHECK_VEC3(sum, ((CordVec3){0, 0, 0}), 1e-13 * size);
            }
            free(c);
        }
    }
}

// What does the work when all that follows is turned: exactly.
TEST(the_moment_is_the_work_of_a_turn)
{
    FOR_LAWS(law)
    {
        for (uint64_t seed = 1; seed <= 50; seed++) {
            Links* c = random_links(law->law, SLOTS, seed, seed % 2 ? 0.7 : 0.0);
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
}

// Read from its other end, a corner has its tangents and m2 the other way round: turns about m1 change their
// sign.
TEST(a_corner_is_the_same_read_backwards)
{
    FOR_LAWS(law)
    {
        for (uint64_t seed = 1; seed <= 100; seed++) {
            uint64_t own = seed;
            Turned by = random_turn(&own, law->most);
            Links *c = turned_links(law->law, &by, seed, 0.0), *d = turned_links(law->law, &by, seed, 0.0);
            for (int k = 0; k < 2; k++) {
                slot_set(d->edges.t, k, vec3_mul(slot_get(c->edges.t, 1 - k), -1.0));
                slot_set(d->edges.m1, k, slot_get(c->edges.m1, 1 - k));
            }
            d->nodes.K[1][1] = -c->nodes.K[1][1];
            d->nodes.rest_A[1][1] = -c->nodes.rest_A[1][1];
            d->kernels->measure(&d->in);
            CHECK(law->k != 4.0 || fabs(d->nodes.m[1] - c->nodes.m[1]) <= 1e-13);
            CornerEnergy e = c->kernels->energy(&c->in), f = d->kernels->energy(&d->in);
            CHECK_NEAR(f.bend, e.bend, 1e-12 * (1.0 + e.bend));
            CHECK_NEAR(f.twist, e.twist, 1e-12 * (1.0 + e.twist));
            free(c);
            free(d);
        }
    }
}

// Where all strains are of size h the two laws differ by h^4 if both edges have one section, and by h^3 if
// they have not.
TEST(small_strains_cost_what_they_cost_by_ders_law)
{
    FOR_LAWS(law)
    {
        for (int uneven = 0; uneven < 2; uneven++) {
            double off[2];
            for (int fine = 0; fine < 2; fine++) {
                double h = law->small * (fine ? 1 : 2);
                Links* c = turned_links(law->law, &(Turned){{0.48, -0.6, 0.64}, h}, 3, 0.0);
                for (int i = 0; i < 3; i++) {
                    double* B = i == 0 ? c->edges.B11 : i == 1 ? c->edges.B12 : c->edges.B22;
                    B[1] = uneven ? B[1] : B[0];
                    c->nodes.K[i][1] = c->nodes.inv_l[1] * (B[0] + B[1]);
                }
                for (int k = 0; k < 2; k++) { // the same strain of size h at rest in both laws
                    c->nodes.rest_A[k][1] = c->nodes.rest_B[k][1] = 0.0;
                }
                CornerEnergy own = c->kernels->energy(&c->in);
                CornerEnergy der = corner_kernels(CORNER_LAW_DER)->energy(&c->in);
                off[fine] = fabs(own.bend + own.twist - der.bend - der.twist);
                free(c);
            }
            CHECK_NEAR(log2(off[0] / off[1]), uneven ? 3.0 : 4.0, 0.05);
        }
    }
}

// ---- rods

static CordRodDef law_def(const Law* law, CordRodDef def)
{
    def.model = law->model, def.integrator = CORD_INTEGRATOR_MIDPOINT;
    return def;
}

static CordRodId add_of_law(CordWorld* world, const CordRodDef* def)
{
    CordRodId rod = add_rod(world, def);
    CHECK(world_rod(world, rod)->form == MODEL_FRAMED);
    return rod;
}

// A ring of N corners that was a straight ribbon: each turns by 2 pi / N about one axis.
TEST(a_ring_bent_from_a_straight_ribbon_has_the_energy_of_its_bending)
{
    enum { N = 12 };
    FOR_LAWS(law)
    {
        for (int wide = 0; wide < 2; wide++) {
            CordWorld* world = new_weightless_world();
            CordRodDef def = law_def(law, ring_def(N));
            def.stiffness.EI2 = 7 * RODS_EI;
            def.m1 = wide ? (CordVec3){0, 0, 1} : (CordVec3){1, 0, 0}; // bends about m1, or about m2
            CordRodId rod = add_of_law(world, &def);
            double edge = 2 * 0.2 * sin(CORD_PI / N);
            double tangent = tan(2 * CORD_PI / N / law->k), alpha = law->k * tangent;
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
}

// Twist alone has derivatives of third order, too: a straight round rod whose sections vary, twisted by a
// radian a corner, with frames that are off by little. In equilibrium all corners pass the same moment on, to
// 1e-12 of the least 2 GJ / l.
TEST(twist_alone_comes_to_equilibrium)
{
    FOR_LAWS(law)
    {
        enum { NODES = 20 };
        CordStiffness along[NODES - 1];
        uint64_t seed = 7;
        for (double off = 1e-6; off < 0.1; off *= 3) {
            CordWorld* world = new_weightless_world();
            CordRodDef def = law_def(law, line_def(NODES));
            for (int j = 0; j < NODES - 1; j++) {
                along[j] = def.stiffness;
                along[j].GJ = RODS_GJ * random_in(&seed, 0.5, 1.5);
            }
            def.stiffness = cord_stiffness_unset(), def.stiffnesses = along, def.along_count = NODES - 1;
            def.twist = 18.0;
            CordRodId id = add_of_law(world, &def);
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
}

// Twisted at its end by ever more, an element comes to its bound: the step that would take it there fails,
// and says so; nothing that was there before is spoilt.
TEST(a_twist_that_no_element_can_hold_is_an_error)
{
    FOR_LAWS(law)
    {
        CordWorld* world = new_weightless_world();
        CordRodDef def = law_def(law, line_def(4));            // three elements, two corners
        def.stiffness.EI1 = def.stiffness.EI2 = 100 * RODS_EI; // it does not buckle
        CordRodId rod = add_of_law(world, &def);
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
        CHECK(result != CORD_OK && steps > law->steps[0] && steps < law->steps[1]);
        CHECK_CONTAINS(cord_world_message(world), "rod1");
        cord_world_destroy(world);
    }
}

TEST_GROUP(framed_laws, the_energy_is_that_of_the_papers, a_rigid_motion_does_no_work,
           the_moment_is_the_work_of_a_turn, a_corner_is_the_same_read_backwards,
           small_strains_cost_what_they_cost_by_ders_law,
           a_ring_bent_from_a_straight_ribbon_has_the_energy_of_its_bending, twist_alone_comes_to_equilibrium,
           a_twist_that_no_element_can_hold_is_an_error)
