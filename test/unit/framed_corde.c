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

// ---- rods

static CordRodDef corde_def(CordRodDef def)
{
    def.model = CORD_MODEL_CORDE, def.integrator = CORD_INTEGRATOR_MIDPOINT;
    return def;
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

TEST_GROUP(framed_corde, the_strain_of_a_turn_is_four_times_the_tangent_of_its_quarter,
           at_a_whole_turn_the_energy_is_not_finite, rings_are_glued_at_any_angle,
           turns_of_an_element_by_half_a_turn_are_refused, stress_free_strains_are_told)
