// The laws of framed rods that measure the turn from frame to frame, CORDE's and that of position-based rods.
// Their strains are k tan(phi/k), with k = 4 and k = 2. (Their derivatives are checked beside those of DER's
// law, in framed_corner.c.)
#include "framed_links.h"

#include "model/framed/framed.h"

typedef struct Law {
    CornerLaw law;
    CordModel model;
    double k;               // of k tan(phi/k)
    double most;            // a corner may be turned by at least so much [rad]
    double bent;            // and bent by so much,
    double twisted;         // and twisted by so much,
    double none[2];         // but if it is twisted on to angles between these there is no energy
    double accuracy;        // of strains, over 1 + strain^2
    double small;           // strains at which it agrees with DER's law
    double fourth;          // what energies of glued rings differ by from DER's, beyond second order
    int steps[2];           // of a hundredth of a radian a corner, twice over, between which it holds no more
    double too_far;         // a twist that four elements cannot hold, and five can [rad]
    const char* refusal[2]; // what is said of it
} Law;

static const Law laws[] = {
    {.law = CORNER_LAW_CORDE,
     .model = CORD_MODEL_CORDE,
     .k = 4.0,
     .most = 4.5,
     .bent = 3.0,
     .twisted = 5.4,
     .none = {5.5, 7.0},
     .accuracy = 2e-14,
     .small = 0.01,
     .fourth = 8e-6,
     .steps = {100, 200}, // 2 * 5.5 rad at 0.55 s
     .too_far = 9.5,
     .refusal = {"3.16667 rad", "half a turn"}},
    {.law = CORNER_LAW_PBD,
     .model = CORD_MODEL_PBD,
     .k = 2.0,
     .most = 2.8,
     .bent = 2.94,
     .twisted = 2.94,
     .none = {2.95, 6.0},
     .accuracy = 1e-14,
     .small = 0.001,
     .fourth = 3e-6,
     .steps = {55, 62}, // 2 * 2.945 rad
     .too_far = 8.4,
     .refusal = {"2.8 rad", "an element of a pbd rod holds less than 7/16 of a turn, 2.74889 rad"}},
};

#define FOR_LAWS(l) for (const Law* l = laws; l < laws + sizeof laws / sizeof *laws; l++)

// ---- one corner

// Vectors that the turn is taken from are good to 1e-15, which the slope of the tangent enlarges and, of
// edges that are nearly folded, 1 / (1 + cosine).
TEST(the_strain_of_a_turn_is_a_tangent)
{
    FOR_LAWS(law)
    {
        for (int k = 0; k < 3; k++) {
            double most = k < 2 ? law->bent : law->twisted;
            for (double angle = -most; angle <= most; angle += 0.01) {
                double axis[3] = {k == 0, k == 1, k == 2}, strain[3], right = law->k * tan(angle / law->k);
                double slope = 1.0 + right * right / (law->k * law->k);
                double larger = fmax(slope, k < 2 ? 0.1 / (1.0 + cos(angle)) : 1.0);
                Links* c = turned_links(law->law, &(Turned){{axis[0], axis[1], axis[2]}, angle}, 1, 0.0);
                strain_of(c, strain);
                for (int i = 0; i < 3; i++) {
                    CHECK_NEAR(strain[i], axis[i] * right, 1e-14 * larger);
                }
                free(c);
            }
        }
    }
}

// The paper's Darboux vector times l, from the axes d of two edges: 2 (d_j d'_i - d_i d'_j) / (1 + the sum of
// d_n d'_n), the sign such that turns count forward.
static void darboux(const Links* c, double beta[3])
{
    CordVec3 d[2][3];
    double trace = 1.0;
    for (int k = 0; k < 2; k++) {
        d[k][0] = slot_get(c->edges.m1, k), d[k][2] = slot_get(c->edges.t, k);
        d[k][1] = vec3_cross(d[k][2], d[k][0]);
    }
    for (int i = 0; i < 3; i++) {
        trace += vec3_dot(d[0][i], d[1][i]);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        beta[k] = 2.0 * (vec3_dot(d[0][j], d[1][i]) - vec3_dot(d[0][i], d[1][j])) / trace;
    }
}

// Any axis, turns of up to 2.9 radians.
TEST(the_strain_of_position_based_rods_is_the_papers_darboux_vector)
{
    for (uint64_t seed = 1; seed <= 500; seed++) {
        uint64_t own = seed;
        Turned by = random_turn(&own, 2.9);
        Links* c = turned_links(CORNER_LAW_PBD, &by, seed, 0.7);
        double given[3], beta[3], tangent = 2.0 * tan(0.5 * by.angle);
        strain_of(c, given);
        darboux(c, beta);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(given[i], beta[i], 2e-14 * (1.0 + tangent * tangent));
        }
        free(c);
    }
}

static bool is_held_by_the_law(Links* c)
{
    CornerEnergy e = c->kernels->energy(&c->in);
    c->kernels->gradient(&c->in, &c->terms.gradient);
    bool energy = isfinite(e.bend + e.twist), moment = isfinite(c->terms.gradient.phi_f[1]);
    CHECK(energy == moment);
    return energy;
}

// About whatever axis: from 15/32 of a turn on a position-based corner has no energy, and nothing that looks
// like one.
TEST(at_half_a_turn_the_energy_of_position_based_rods_is_not_finite)
{
    const double end = 15.0 / 16.0 * CORD_PI;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t own = seed;
        Turned by = random_turn(&own, 1.0);
        for (int beyond = 0; beyond < 2; beyond++) {
            by.angle = beyond ? random_in(&own, end + 1e-9, CORD_PI) : random_in(&own, 2.9, end - 1e-9);
            Links* c = turned_links(CORNER_LAW_PBD, &by, 4, 0.0);
            CHECK(is_held_by_the_law(c) == !beyond);
            free(c);
        }
    }
}

// Beyond 7/8 of a turn by CORDE's law, and beyond half a turn by the other: it does not come back from the
// other side.
TEST(twist_beyond_what_a_law_holds_has_no_energy)
{
    FOR_LAWS(law)
    {
        for (int sign = -1; sign <= 1; sign += 2) {
            for (double angle = law->none[0]; angle <= law->none[1]; angle += 0.05) {
                Links* c = turned_links(law->law, &(Turned){{0, 0, 1}, sign * law->twisted}, 4, 0.0);
                CHECK(is_held_by_the_law(c));
                c->turn[1] = 2 * tan(0.5 * sign * (angle - law->twisted));
                turn_frames(c);
                CHECK_NEAR(c->nodes.m[1], sign * angle, 1e-13);
                CHECK(!is_held_by_the_law(c));
                free(c);
            }
        }
    }
}

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

// Where all strains are of size h the two laws differ by h^4, whatever the sections of the two edges.
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
                framed_mean_stiffness(&c->edges, &c->nodes, 1);
                for (int k = 0; k < 2; k++) { // the same strain of size h at rest in both laws
                    c->nodes.rest_A[k][1] = c->nodes.rest_B[k][1] = 0.0;
                }
                CornerEnergy own = c->kernels->energy(&c->in);
                CornerEnergy der = corner_kernels(CORNER_LAW_DER)->energy(&c->in);
                off[fine] = fabs(own.bend + own.twist - der.bend - der.twist);
                free(c);
            }
            CHECK_NEAR(log2(off[0] / off[1]), 4.0, 0.05);
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

// A ring of n corners that was a straight ribbon: each turns by 2 pi / n about one axis, to a strain alpha,
// and the moment is EI alpha / l times its slope by the angle.
static void check_bent_ring(CordRodDef def, int n, double alpha, double slope)
{
    for (int wide = 0; wide < 2; wide++) {
        CordWorld* world = new_weightless_world();
        CordVec3 all[40];
        def.stiffness.EI2 = 7 * RODS_EI;
        def.m1 = wide ? (CordVec3){0, 0, 1} : (CordVec3){1, 0, 0}; // bends about m1, or about m2
        CordRodId rod = add_of_law(world, &def);
        double EI = wide ? RODS_EI : 7 * RODS_EI, edge = 2 * 0.2 * sin(CORD_PI / n);
        double moment = EI * alpha * slope / edge;
        CordEnergy e = cord_rod_energy(world, rod);
        CHECK_NEAR(e.bend / (n * EI * alpha * alpha / (2 * edge)), 1.0, 1e-12);
        CHECK_NEAR(e.twist, 0.0, 1e-28);
        CHECK_OK(cord_rod_moments(world, rod, all));
        for (int i = 0; i < n; i++) {
            CHECK_VEC3(all[i], ((CordVec3){0, 0, moment}), 1e-12 * moment);
        }
        cord_world_destroy(world);
    }
}

TEST(a_ring_bent_from_a_straight_ribbon_has_the_energy_of_its_bending)
{
    double tangent = tan(CORD_PI / 40);
    check_bent_ring(ring_def(40), 40, 2 * tangent, 1.0 + tangent * tangent);
    FOR_LAWS(law)
    {
        tangent = tan(2 * CORD_PI / 12 / law->k);
        check_bent_ring(law_def(law, ring_def(12)), 12, law->k * tangent, 1.0 + tangent * tangent);
    }
}

static CordEnergy crooked_ring(CordRodDef def, int nodes, double twist)
{
    CordVec3 x[160];
    for (int i = 0; i < nodes; i++) {
        double a = 2 * CORD_PI * i / nodes;
        x[i] = (CordVec3){0.2 * cos(a), 0.2 * sin(a), 0.05 * sin(2 * a) + 0.03 * cos(3 * a)};
    }
    CordWorld* world = new_weightless_world();
    def.shape = cord_shape_points(x, nodes), def.twist = twist;
    def.stiffness.EI2 = 7 * RODS_EI, def.stiffness.EI12 = RODS_EI;
    CordEnergy e = cord_rod_energy(world, add_rod(world, &def));
    cord_world_destroy(world);
    return e;
}

// A ribbon, straight at rest, that is twisted and glued into a ring as it comes: at the seam its sections
// stand at any angle to each other, where the laws have to agree as they do elsewhere, to second order in the
// length of an edge. With this extrapolated, up to 2e-3 or 6e-4 become the fourth order's 7e-6 or 2e-6.
TEST(rings_are_glued_at_any_angle)
{
    FOR_LAWS(law)
    {
        double largest = 0.0;
        for (double twist = -3.0; twist <= 3.5; twist += 0.5) {
            double bend[2], turned[2];
            for (int fine = 0; fine < 2; fine++) {
                int nodes = fine ? 160 : 80;
                CordEnergy own = crooked_ring(law_def(law, ring_def(nodes)), nodes, twist);
                CordEnergy der = crooked_ring(ring_def(nodes), nodes, twist);
                bend[fine] = own.bend / der.bend - 1.0, turned[fine] = (own.twist - der.twist) / der.bend;
                largest = fmax(largest, fabs(bend[fine]));
                CHECK_NEAR(own.twist, der.twist, 1e-2 * der.twist + 1e-28);
            }
            CHECK_NEAR((4.0 * bend[1] - bend[0]) / 3.0, 0.0, law->fourth);
            CHECK_NEAR((4.0 * turned[1] - turned[0]) / 3.0, 0.0, 3e-6);
        }
        CHECK(largest > 1e-4); // or it would show nothing
    }
}

// Four elements, three corners: at rest, and as it is.
TEST(twist_of_an_element_by_more_than_it_can_hold_is_refused)
{
    FOR_LAWS(law)
    {
        for (int i = 0; i < 4; i++) {
            CordWorld* world = new_weightless_world();
            CordRodDef def = law_def(law, line_def(5));
            CordRodId rod;
            char turned[40];
            snprintf(turned, sizeof turned, "by %s%s", i % 2 ? "-" : "", law->refusal[0]);
            *(i < 2 ? &def.twist : &def.rest_twist) = i % 2 ? -law->too_far : law->too_far;
            def.name = "wire";
            CHECK_RESULT(cord_rod_create(world, &def, &rod), CORD_BAD_ARGUMENT);
            CHECK_CONTAINS(cord_world_message(world), "rod 'wire'");
            CHECK_CONTAINS(cord_world_message(world), "node 1");
            CHECK_CONTAINS(cord_world_message(world), turned);
            CHECK_CONTAINS(cord_world_message(world), law->refusal[1]);
            CHECK_CONTAINS(cord_world_message(world), "at least 5 elements would hold it");
            def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 6);
            CHECK_OK(cord_rod_create(world, &def, &rod));
            CHECK_INT(cord_world_rod_count(world), 1);
            cord_world_destroy(world);
        }
    }
}

// Of position-based rods 160 degrees are too much, 150 are not: at rest, and as it is; with some twist they
// are.
TEST(hairpins_are_refused)
{
    for (int i = 0; i < 6; i++) {
        double angle = i % 2 ? 150.0 : 160.0, a = angle / 180.0 * CORD_PI;
        CordVec3 x[3] = {{0, 0, 0}, {1, 0, 0}, {1 + cos(a), sin(a), 0}};
        CordWorld* world = new_weightless_world();
        CordRodDef def = law_def(&laws[1], line_def(3));
        CordRodId rod;
        def.shape = cord_shape_points(x, 3), def.name = "pin";
        def.rest = i < 2 ? CORD_REST_STRAIGHT : CORD_REST_AS_SHAPED;
        def.twist = i < 4 ? 0.0 : 1.5; // cos(turn / 2) = cos(bend / 2) cos(twist / 2): 158 and 165 degrees
        bool refused = i % 2 == 0 || i == 5;
        CHECK_RESULT(cord_rod_create(world, &def, &rod), refused ? CORD_BAD_ARGUMENT : CORD_OK);
        if (refused) {
            CHECK_CONTAINS(cord_world_message(world), "rod 'pin' turns by ");
            CHECK_CONTAINS(cord_world_message(world), i < 4    ? "2.79253 rad at node 1"
                                                      : i == 4 ? "2.88679 rad"
                                                               : "2.76054 rad");
            CHECK_CONTAINS(cord_world_message(world), "put more nodes where it turns");
        }
        cord_world_destroy(world);
    }
}

// What is told of a node at rest: its strain by the law, and by what it was made of.
static void check_rest(const Rod* rod, int node, CordVec3 alpha, CordVec3 strain)
{
    double own[3], made[3];
    framed_rest_alpha(framed_of(rod), rod, node, own);
    framed_rest_strain(framed_of(rod), rod, node, made);
    CHECK_VEC3(((CordVec3){own[0], own[1], own[2]}), alpha, 1e-14);
    CHECK_VEC3(((CordVec3){made[0], made[1], made[2]}), strain, 1e-14);
    CHECK_NEAR(framed_turn_at(framed_of(rod), rod, node), strain.z, 1e-14);
}

// A twist alone, and a ring whose frames do not turn.
TEST(stress_free_strains_are_told)
{
    FOR_LAWS(law)
    {
        CordWorld* world = new_weightless_world();
        CordRodDef def = law_def(law, line_def(5)), ring = law_def(law, ring_def(12));
        def.twist = def.rest_twist = 6.0;
        ring.rest = CORD_REST_AS_SHAPED, ring.m1 = (CordVec3){0, 0, 1};
        Rod* rod = world_rod(world, add_of_law(world, &def));
        Rod* round = world_rod(world, add_of_law(world, &ring));
        for (int i = 1; i < 4; i++) {
            check_rest(rod, i, (CordVec3){0, 0, law->k * tan(2.0 / law->k)}, (CordVec3){0, 0, 2});
            check_rest(round, i, (CordVec3){law->k * tan(CORD_PI / 6 / law->k), 0, 0},
                       (CordVec3){0, -CORD_PI / 6, 0});
        }
        cord_world_destroy(world);
    }
}

// Strains that are set come back: bending and twist up to where the narrower law's own bound is.
TEST(stress_free_strains_come_back)
{
    FOR_LAWS(law)
    {
        CordWorld* world = new_weightless_world();
        CordRodDef def = law_def(law, line_def(5));
        Rod* rod = world_rod(world, add_of_law(world, &def));
        uint64_t seed = 5;
        for (int n = 0; n < 200; n++) {
            double strain[3], told[3];
            for (int k = 0; k < 3; k++) {
                strain[k] = random_in(&seed, -1.4, 1.4);
            }
            framed_set_rest(framed_of(rod), rod, 2, strain);
            framed_rest_strain(framed_of(rod), rod, 2, told);
            CHECK_VEC3(((CordVec3){told[0], told[1], told[2]}), ((CordVec3){strain[0], strain[1], strain[2]}),
                       1e-14);
        }
        cord_world_destroy(world);
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

TEST_GROUP(framed_laws)
