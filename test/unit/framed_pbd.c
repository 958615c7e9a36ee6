// The law of position-based rods: the strain 2 tan(phi/2), its energy, what a corner may be turned by, and
// its likeness to DER's law where strains are small. (Its derivatives are checked beside those of the other
// laws, in framed_corner.c.)
#include "framed_links.h"

#include "model/framed/framed.h"

// ---- one corner

// Turns of up to 15/16 of half a turn. Vectors that the turn is taken from are good to 1e-15, which the slope
// of the tangent enlarges.
TEST(the_strain_of_a_turn_is_twice_the_tangent_of_its_half)
{
    for (int k = 0; k < 3; k++) {
        for (double angle = -2.94; angle <= 2.94; angle += 0.01) {
            double axis[3] = {k == 0, k == 1, k == 2}, beta[3], right = 2.0 * tan(0.5 * angle);
            Links* c = turned_links(CORNER_LAW_PBD, &(Turned){{axis[0], axis[1], axis[2]}, angle}, 1, 0.0);
            strain_of(c, beta);
            for (int i = 0; i < 3; i++) {
                CHECK_NEAR(beta[i], axis[i] * right, 1e-14 * (1.0 + 0.25 * right * right));
            }
            free(c);
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

// Any axis, turns of up to 2.9 radians. (framed_laws.c has the energy.)
TEST(the_strain_is_the_papers_darboux_vector)
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

// From 15/32 of a turn on there is no energy, and nothing that looks like one, about whatever axis.
TEST(at_half_a_turn_the_energy_is_not_finite)
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

// Twisted beyond half a turn, and up to one and a half, it does not come back from the other side.
TEST(twist_of_more_than_half_a_turn_is_no_less_the_other_way)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        for (double angle = 2.95; angle < 2.9 + 3.1; angle += 0.05) {
            Links* c = turned_links(CORNER_LAW_PBD, &(Turned){{0, 0, 1}, sign * 2.9}, 4, 0.0);
            CHECK(is_held_by_the_law(c));
            c->turn[1] = 2 * tan(0.5 * sign * (angle - 2.9));
            c->kernels->turn(&c->edges, c->turn, 2);
            c->kernels->measure(&c->in);
            CHECK_NEAR(c->nodes.m[1], sign * angle, 1e-13);
            CHECK(!is_held_by_the_law(c));
            free(c);
        }
    }
}

// ---- rods

// A rod of frames, with another law: DER's steps and solves leave the law to the frames.
static CordResult take_law(CordWorld* world, CordRodId id, const CordRodDef* def, Message* message)
{
    Rod* rod = world_rod(world, id);
    CHECK(rod->form == MODEL_FRAMED);
    framed_destroy(&world->memory, framed_of(rod));
    CordResult result = framed_create_rod(&world->memory, rod, def, CORNER_LAW_PBD, message);
    if (result == CORD_OK && rod_def_is_implicit(def)) {
        framed_of(rod)->keeps_trial = true;
        CHECK(framed_open_trial(&world->memory, framed_of(rod), rod));
    }
    return result;
}

static CordRodDef ribbon_def(CordRodDef def)
{
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.stiffness.EI2 = 7 * RODS_EI;
    return def;
}

static CordRodId add_pbd(CordWorld* world, const CordRodDef* def)
{
    CordRodId id = add_rod(world, def);
    Message message;
    CHECK_OK(take_law(world, id, def, &message));
    return id;
}

static CordEnergy crooked_ring(bool pbd, int nodes, double twist)
{
    CordVec3 x[160];
    for (int i = 0; i < nodes; i++) {
        double a = 2 * CORD_PI * i / nodes;
        x[i] = (CordVec3){0.2 * cos(a), 0.2 * sin(a), 0.05 * sin(2 * a) + 0.03 * cos(3 * a)};
    }
    CordWorld* world = new_weightless_world();
    CordRodDef def = ribbon_def(ring_def(nodes));
    def.shape = cord_shape_points(x, nodes);
    def.rest = CORD_REST_STRAIGHT, def.twist = twist;
    def.stiffness.EI12 = RODS_EI;
    CordRodId rod = pbd ? add_pbd(world, &def) : add_rod(world, &def);
    CordEnergy e = cord_rod_energy(world, rod);
    cord_world_destroy(world);
    return e;
}

// A ribbon, straight at rest, that is twisted and glued into a ring as it comes: at the seam its sections
// stand at any angle to each other, where the laws have to agree as they do elsewhere, to second order in the
// length of an edge. With this extrapolated, up to 6e-4 become the fourth order's 2e-6 at the most.
TEST(rings_are_glued_at_any_angle)
{
    double largest = 0.0;
    for (double twist = -3.0; twist <= 3.5; twist += 0.5) {
        double bend[2], turned[2];
        for (int fine = 0; fine < 2; fine++) {
            CordEnergy pbd = crooked_ring(true, fine ? 160 : 80, twist);
            CordEnergy der = crooked_ring(false, fine ? 160 : 80, twist);
            bend[fine] = pbd.bend / der.bend - 1.0, turned[fine] = (pbd.twist - der.twist) / der.bend;
            largest = fmax(largest, fabs(bend[fine]));
        }
        CHECK_NEAR((4.0 * bend[1] - bend[0]) / 3.0, 0.0, 3e-6);
        CHECK_NEAR((4.0 * turned[1] - turned[0]) / 3.0, 0.0, 3e-6);
    }
    CHECK(largest > 1e-4); // or it would show nothing
}

TEST(twist_of_an_element_by_more_than_it_can_hold_is_refused)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = ribbon_def(line_def(5)); // four elements, three corners
        double twist = i % 2 ? -8.4 : 8.4;
        Message message;
        def.twist = i < 2 ? twist : 0.0, def.rest_twist = i < 2 ? 0.0 : twist, def.name = "wire";
        CordRodId rod = add_rod(world, &def);
        CHECK_RESULT(take_law(world, rod, &def, &message), CORD_BAD_ARGUMENT);
        CHECK_CONTAINS(message.text, "rod 'wire'");
        CHECK_CONTAINS(message.text, "node 1");
        CHECK_CONTAINS(message.text, i % 2 ? "by -2.8 rad" : "by 2.8 rad");
        CHECK_CONTAINS(message.text, "an element of a pbd rod holds less than 7/16 of a turn, 2.74889 rad");
        CHECK_CONTAINS(message.text, "at least 5 elements would hold it");
        def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 6), def.name = "finer";
        CHECK_OK(take_law(world, add_rod(world, &def), &def, &message));
        cord_world_destroy(world);
    }
}

// 160 degrees are too much, 150 are not: at rest, and as it is; with some twist they are.
TEST(hairpins_are_refused)
{
    for (int i = 0; i < 6; i++) {
        double angle = i % 2 ? 150.0 : 160.0, a = angle / 180.0 * CORD_PI;
        CordVec3 x[3] = {{0, 0, 0}, {1, 0, 0}, {1 + cos(a), sin(a), 0}};
        CordWorld* world = new_weightless_world();
        CordRodDef def = ribbon_def(line_def(3));
        Message message;
        def.shape = cord_shape_points(x, 3), def.name = "pin";
        def.rest = i < 2 ? CORD_REST_STRAIGHT : CORD_REST_AS_SHAPED;
        def.twist = i < 4 ? 0.0 : 1.5; // cos(turn / 2) = cos(bend / 2) cos(twist / 2): 158 and 165 degrees
        CordResult result = take_law(world, add_rod(world, &def), &def, &message);
        bool refused = i % 2 == 0 || i == 5;
        CHECK(result == (refused ? CORD_BAD_ARGUMENT : CORD_OK));
        if (refused) {
            CHECK_CONTAINS(message.text, "rod 'pin' turns by ");
            CHECK_CONTAINS(message.text, i < 4    ? "2.79253 rad at node 1"
                                         : i == 4 ? "2.88679 rad"
                                                  : "2.76054 rad");
            CHECK_CONTAINS(message.text, "put more nodes where it turns");
        }
        cord_world_destroy(world);
    }
}

// A twist alone and a ring whose frames do not turn; and what is told of both is what they were made of.
TEST(stress_free_strains_are_told)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = ribbon_def(line_def(5));
    def.rest_twist = 6.0;
    Rod* rod = world_rod(world, add_pbd(world, &def));
    CordRodDef ring = ribbon_def(ring_def(12));
    ring.rest = CORD_REST_AS_SHAPED, ring.m1 = (CordVec3){0, 0, 1};
    Rod* round = world_rod(world, add_pbd(world, &ring));
    for (int i = 1; i < 4; i++) {
        double beta[3], strain[3];
        framed_rest_alpha(framed_of(rod), rod, i, beta);
        CHECK_VEC3(((CordVec3){beta[0], beta[1], beta[2]}), ((CordVec3){0, 0, 2 * tan(1.0)}), 1e-14);
        CHECK_NEAR(framed_turn_at(framed_of(rod), rod, i), 2.0, 1e-14);
        framed_rest_strain(framed_of(rod), rod, i, strain);
        CHECK_VEC3(((CordVec3){strain[0], strain[1], strain[2]}), ((CordVec3){0, 0, 2}), 1e-14);
        framed_rest_alpha(framed_of(round), round, i, beta);
        CHECK_VEC3(((CordVec3){beta[0], beta[1], beta[2]}), ((CordVec3){2 * tan(CORD_PI / 12), 0, 0}), 1e-14);
        framed_rest_strain(framed_of(round), round, i, strain);
        CHECK_VEC3(((CordVec3){strain[0], strain[1], strain[2]}), ((CordVec3){0, -CORD_PI / 6, 0}), 1e-14);
    }
    cord_world_destroy(world);
}

// Strains that are set come back: bending and twist up to where the law's own bound is.
TEST(stress_free_strains_come_back)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = ribbon_def(line_def(5));
    Rod* rod = world_rod(world, add_pbd(world, &def));
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

TEST_GROUP(framed_pbd, the_strain_of_a_turn_is_twice_the_tangent_of_its_half,
           the_strain_is_the_papers_darboux_vector, at_half_a_turn_the_energy_is_not_finite,
           twist_of_more_than_half_a_turn_is_no_less_the_other_way, rings_are_glued_at_any_angle,
           twist_of_an_element_by_more_than_it_can_hold_is_refused, hairpins_are_refused,
           stress_free_strains_are_told, stress_free_strains_come_back)
