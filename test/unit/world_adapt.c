// Rods that change their nodes in a world: what is on them goes along, what they did is told, and what cannot
// be is refused.
#include "rod/grid.h"
#include "world/adapt_parts.h"
#include "world_bodies.h"

#define MOST 128 // nodes

static CordRodId add_adaptive(CordWorld* world, CordRodDef def)
{
    def.adapt.on = true;
    return add_rod(world, &def);
}

static CordRodDef coil_def(void) // a turn of a helix that stays as it is made
{
    CordRodDef def = line_def(9);
    def.shape = cord_shape_helix(origin, (CordVec3){0, 0, 1}, 0.3, 0.2, 1.0, 9);
    def.adapt.refine_turn = 3.0;
    return def;
}

static double arc_of(const CordWorld* world, CordRodId rod, int node)
{
    double arc[MOST];
    CHECK(cord_rod_node_count(world, rod) <= MOST);
    CHECK_OK(cord_rod_arcs(world, rod, arc));
    return arc[node];
}

// Changes by hand, anywhere; those that are refused are left.
static int change_at_random(CordWorld* world, CordRodId rod, int tries, uint64_t* seed)
{
    int changes = 0;
    for (int k = 0; k < tries; k++) {
        int at = (int)random_in(seed, 0, cord_rod_node_count(world, rod));
        bool halves = random_in(seed, -1, 1) < 0.0;
        CordResult result = halves ? cord_rod_refine(world, rod, at) : cord_rod_merge(world, rod, at);
        CHECK(result == CORD_OK || result == CORD_BAD_ARGUMENT);
        changes += result == CORD_OK;
    }
    return changes;
}

static CordProbeId measure(CordWorld* world, CordRodId rod, CordPlace at, CordMeasure what)
{
    return add_probe(world, &(CordProbeDef){.rod = rod, .at = at, .measure = what});
}

static const Probe* probe_at(const CordWorld* world, int index)
{
    return slots_at(&world->probes, index);
}

// ---- what is on a rod

TEST(clamps_welds_loads_and_probes_stay_where_they_are_on_the_rod)
{
    for (int longest = 1; longest <= 4; longest *= 4) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(17);
        def.adapt.longest = longest;
        CordRodId id = add_adaptive(world, def);
        const Rod* rod = world_rod(world, id);
        hold(world, id, cord_at_edge(3), CORD_FIX_FRAME);
        hold(world, id, cord_at_node(6), CORD_FIX_POSITION);
        add_force(world, id, cord_at_node(9), (CordVec3){0, 0, 0});
        add_weld(world, id, cord_at_edge(11), add_odd_body(world, (CordVec3){0.7, 0, 0}, 0.1, 0.1),
                 CORD_FIX_FRAME);
        CordProbeId place = measure(world, id, cord_at_node(14), CORD_MEASURE_POSITION);
        measure(world, id, cord_at_edge(8), CORD_MEASURE_TENSION);
        uint64_t seed = (uint64_t)longest;
        CHECK(change_at_random(world, id, 1000, &seed) > 200);
        const double l = 1.0 / 16;
        const Clamp *edge = rod->clamps[0], *node = rod->clamps[1], *weld = rod->clamps[2];
        CHECK_NEAR(arc_of(world, id, edge->edge), 3 * l, 1e-15); // sums of sixteenths
        CHECK_NEAR(edge_rest_len(&rod->line, edge->edge), l, 1e-15);
        CHECK_INT(edge->node[0], edge->edge);
        CHECK_INT(edge->node[1], edge->edge + 1);
        CHECK_NEAR(arc_of(world, id, node->node[0]), 6 * l, 1e-15);
        CHECK_NEAR(arc_of(world, id, rod->loads[0]->node), 9 * l, 1e-15);
        CHECK_NEAR(arc_of(world, id, weld->edge), 11 * l, 1e-15);
        CHECK_NEAR(edge_rest_len(&rod->line, weld->edge), l, 1e-15);
        CHECK_NEAR(arc_of(world, id, probe_at(world, 0)->node), 14 * l, 1e-15);
        int measured = probe_at(world, 1)->edge; // the element that the middle of the edge is in, or begins
        double from = arc_of(world, id, measured);
        CHECK(from <= 8.5 * l + 1e-15 && 8.5 * l < from + edge_rest_len(&rod->line, measured) - 1e-15);
        double at[3];
        CHECK_OK(cord_probe_read(world, place, at));
        // a straight rod: searches leave it as straight as they end, by 1e-7 of its energy
        CHECK_NEAR(at[0], 14 * l, 1e-7);
        run(world, 1e-4, 20); // and all of it can be stepped
        CHECK_NEAR(node_position(&rod->line, node->node[0]).x, 6 * l, 1e-15);
        cord_world_destroy(world);
    }
}

TEST(places_by_rest_length_mean_the_nodes_there_are)
{
    CordWorld* world = new_weightless_world();
    CordRodId id = add_adaptive(world, line_def(9));
    CHECK_OK(cord_rod_refine(world, id, 4));
    CHECK_OK(cord_rod_refine(world, id, 4));
    CordClampId clamp = hold(world, id, cord_at_arc(0.54), CORD_FIX_POSITION); // 0.53125 is a node now
    const Rod* rod = world_rod(world, id);
    CHECK_INT(rod->clamps[0]->node[0], 5);
    CHECK_NEAR(arc_of(world, id, 5), 0.53125, 1e-15);
    CHECK_RESULT(cord_rod_merge(world, id, 5), CORD_BAD_ARGUMENT);
    CHECK_OK(cord_clamp_destroy(world, clamp));
    CHECK_OK(cord_rod_merge(world, id, 5));
    hold(world, id, cord_at_arc(0.54), CORD_FIX_POSITION);
    CHECK_NEAR(arc_of(world, id, rod->clamps[0]->node[0]), 0.5625, 1e-15); // and 0.5 is farther
    int level[MOST];
    CHECK_OK(cord_rod_levels(world, id, level));
    for (int i = 0; i < cord_rod_node_count(world, id); i++) {
        CHECK_INT(level[i], i == 5);
    }
    cord_world_destroy(world);
}

// ---- what is refused

static void refused(CordWorld* world, CordResult result, const char* part)
{
    CHECK_RESULT(result, CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), part);
}

TEST(changes_that_cannot_be_are_refused_and_change_nothing)
{
    CordWorld* world = new_weightless_world();
    CordRodId stiff = add_line(world, 9), id = add_adaptive(world, line_def(9)), none = {99, 1};
    double arc[9];
    int level[9];
    CHECK(cord_rod_is_adaptive(world, id) && !cord_rod_is_adaptive(world, stiff));
    CHECK(!cord_rod_is_adaptive(world, none));
    CHECK_INT(cord_rod_adapt_report(world, stiff).made_with, 0);
    CHECK_INT(cord_rod_adapt_report(world, none).made_with, 0);
    CHECK_RESULT(cord_rod_refine(world, none, 0), CORD_BAD_ID);
    CHECK_RESULT(cord_rod_merge(world, none, 1), CORD_BAD_ID);
    CHECK_RESULT(cord_rod_arcs(world, none, arc), CORD_BAD_ID);
    CHECK_RESULT(cord_rod_levels(world, none, level), CORD_BAD_ID);
    CHECK_OK(cord_rod_levels(world, stiff, level));
    CHECK_INT(level[4], 0);
    hold(world, id, cord_at_edge(2), CORD_FIX_FRAME);
    CHECK_OK(cord_rod_refine(world, id, 5)); // nodes 6 and 7 are new
    CHECK_OK(cord_rod_refine(world, id, 5));
    measure(world, id, cord_at_node(6), CORD_MEASURE_POSITION);
    CHECK_OK(world_prepare(world));
    uint64_t hash = cord_world_state_hash(world);
    refused(world, cord_rod_refine(world, stiff, 0), "rod 'rod1' is not adaptive");
    refused(world, cord_rod_merge(world, stiff, 1), "set adapt.on");
    refused(world, cord_rod_refine(world, id, -1), "edge -1 of rod 'rod2' cannot be halved");
    refused(world, cord_rod_refine(world, id, 10), "there is none");
    refused(world, cord_rod_refine(world, id, 5), "as short as adapt.shortest allows");
    refused(world, cord_rod_refine(world, id, 2), "or it is held");
    refused(world, cord_rod_merge(world, id, 6), "measures it");
    refused(world, cord_rod_merge(world, id, 7), "the elements beside it were not one");
    refused(world, cord_rod_merge(world, id, 4), "node 4 of rod 'rod2' cannot go");
    const int none_there[] = {-1, 0, 10, 11};
    for (int i = 0; i < 4; i++) {
        refused(world, cord_rod_merge(world, id, none_there[i]), "there is none");
    }
    CHECK(cord_world_state_hash(world) == hash);
    cord_world_destroy(world);
}

// ---- what is told

TEST(the_report_counts_what_was_done)
{
    CordWorld* world = new_weightless_world();
    CordRodId id = add_adaptive(world, coil_def());
    CHECK_OK(cord_rod_refine(world, id, 2));
    CHECK_OK(cord_rod_refine(world, id, 5));
    CHECK_OK(cord_rod_merge(world, id, 3));
    CordAdaptReport r = cord_rod_adapt_report(world, id);
    CHECK_INT(r.made_with, 9);
    CHECK_INT(r.nodes, 10);
    CHECK_INT(r.nodes, cord_rod_node_count(world, id));
    CHECK_INT(r.finest, 33);
    CHECK_INT(r.coarsest, 9);
    CHECK_INT(r.refined, 2);
    CHECK_INT(r.merged, 1);
    CHECK_INT(r.kept_off, 0);
    CHECK_INT(r.steps, 0);
    CHECK(r.iterations > 0 && r.iterations <= 3 * 20);
    CHECK_NEAR(r.node_steps, 0.0, 0.0);
    run(world, 1e-5, 7);
    CHECK_NEAR(cord_rod_adapt_report(world, id).node_steps, 70.0, 0.0);
    CordFrame frame;
    CHECK_OK(cord_world_frame(world, &frame));
    CHECK(frame.adapt && frame.level && frame.skin);
    CHECK_INT(frame.adapt[0].nodes, 10);
    for (int i = 0; i < 10; i++) {
        CHECK_INT(frame.level[i], i == 5);
    }
    cord_world_destroy(world);
}

// Halved again within merge_time of having become one: that is to and fro.
TEST(what_goes_to_and_fro_is_counted)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(9);
    def.adapt.longest = 2.0, def.adapt.merge_time = 0.01;
    CordRodId id = add_adaptive(world, def);
    CHECK_OK(cord_rod_merge(world, id, 1));
    CHECK_OK(cord_rod_refine(world, id, 4)); // another
    CHECK_INT(cord_rod_adapt_report(world, id).flickers, 0);
    CHECK_OK(cord_rod_refine(world, id, 0));
    CHECK_INT(cord_rod_adapt_report(world, id).flickers, 1);
    CHECK_OK(cord_rod_merge(world, id, 1));
    run(world, 1e-3, 11);
    CHECK_OK(cord_rod_refine(world, id, 0)); // by now it is another matter
    CHECK_INT(cord_rod_adapt_report(world, id).flickers, 1);
    cord_world_destroy(world);
}

// A rod that is bent like a bow and let go: it takes in nodes, springs open, and gives them up.
static CordWorld* bow(CordRodId* id, CordIntegrator integrator, const CordWorldDef* world_def)
{
    CordWorld* world = make_world(world_def);
    CordRodDef def = line_def(13);
    CordVec3 x[13] = {{0, 0, 0}};
    for (int i = 1; i < 13; i++) {
        double angle = 0.7 * (i - 1);
        x[i] = vec3_madd(x[i - 1], (CordVec3){cos(angle), sin(angle), 0.1}, 0.05);
    }
    def.shape = cord_shape_points(x, 13);
    def.rest = CORD_REST_STRAIGHT;
    def.integrator = integrator;
    def.adapt.merge_time = 0.02;
    *id = add_adaptive(world, def);
    return world;
}

static CordWorldDef weightless(void)
{
    CordWorldDef def = cord_world_def_default();
    def.gravity = (CordVec3){0, 0, 0};
    return def;
}

TEST(a_bow_that_springs_open_takes_in_nodes_and_gives_them_up)
{
    for (int implicit = 0; implicit < 2; implicit++) {
        CordRodId id;
        CordWorldDef def = weightless();
        CordWorld* world = bow(&id, implicit ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_VERLET, &def);
        add_drag(world, id, 0.5);
        int most = 0;
        double length = cord_rod_length(world, id);
        for (int k = 0; k < (implicit ? 600 : 60); k++) {
            if (implicit) {
                run(world, 2e-3, 1);
            } else {
                run(world, 1e-4, 200);
            }
            int n = cord_rod_node_count(world, id);
            most = n > most ? n : most;
            CHECK_NEAR(arc_of(world, id, n - 1), length, 1e-14);
        }
        CordAdaptReport r = cord_rod_adapt_report(world, id);
        CHECK(most > 20);
        CHECK_INT(r.nodes, 13); // straight again
        CHECK_INT(r.refined, r.merged);
        CHECK(r.steps > 2 && r.steps <= r.refined + r.merged);
        CHECK(r.node_steps > 13.0 * (implicit ? 600 : 12000));
        cord_world_destroy(world);
    }
}

// Searches among all that touches, while bows far from each other take in nodes.
static int64_t searches_of_bows(int bows, CordIntegrator integrator)
{
    CordWorldDef def = weightless();
    CordRodId id;
    CordWorld* world = bow(&id, integrator, &def);
    CordContactDef contact = cord_contact_def_default();
    CHECK_OK(cord_world_set_contact(world, &contact));
    for (int i = 1; i < bows; i++) {
        CordVec3 x[13];
        CordRodDef other = line_def(13);
        CHECK_OK(cord_rod_positions(world, id, x));
        for (int n = 0; n < 13; n++) {
            x[n].z += 2.0 * i;
        }
        other.shape = cord_shape_points(x, 13);
        other.rest = CORD_REST_STRAIGHT;
        other.integrator = integrator;
        add_adaptive(world, other);
    }
    run(world, 1e-4, 20);
    int64_t refined = 0;
    for (int i = 0; i < bows; i++) {
        refined += cord_rod_adapt_report(world, cord_world_rod(world, i)).refined;
    }
    CHECK(refined >= 3 * bows);
    int last = cord_rod_node_count(world, cord_world_rod(world, bows - 1));
    CHECK(world->adapt->near.node_count > 0 && world->adapt->near.node_count <= last);
    int64_t searches = cord_world_contact_report(world).searches;
    cord_world_destroy(world);
    return searches;
}

TEST(a_rod_that_changes_looks_for_what_is_near_it)
{
    const CordIntegrator integrators[] = {CORD_INTEGRATOR_VERLET, CORD_INTEGRATOR_BACKWARD_EULER};
    for (int k = 0; k < 2; k++) {
        int64_t few = searches_of_bows(2, integrators[k]), many = searches_of_bows(8, integrators[k]);
        print_message("    %lld searches for 2 bows, %lld for 8\n", (long long)few, (long long)many);
        CHECK_INT(few, many);
    }
}

// No force from outside: what a change does to momentum is nothing but rounding.
TEST(momentum_is_kept_as_nodes_come_and_go)
{
    CordRodId id;
    CordWorldDef def = weightless();
    CordWorld* world = bow(&id, CORD_INTEGRATOR_SYMPLECTIC_EULER, &def);
    run(world, 1e-4, 1000);
    CordAdaptReport r = cord_rod_adapt_report(world, id);
    CHECK(r.refined > 5);
    CordVec3 v[MOST], p = cord_rod_momentum(world, id).linear;
    CHECK_OK(cord_rod_velocities(world, id, v));
    double size = 0.0;
    for (int i = 0; i < r.nodes; i++) {
        size += vec3_length(v[i]) * RODS_MASS * 0.6 / r.nodes;
    }
    CHECK(size > 1e-3);
    CHECK_VEC3(p, ((CordVec3){0, 0, 0}), 1e-12 * size * 100); // a thousand steps, each of some thirty sums
    cord_world_destroy(world);
}

// ---- energy

// Two turns of a helix without stress, a fifth of whose elements are halved. What it takes to straighten it
// is the unit.
static double energy_of_halved_helix(CordModel model, CordPlacement placement, int nodes)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(nodes);
    def.model = model;
    def.shape = cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.1, 0.1, 2.0, nodes);
    def.stiffness.EI2 *= 2.0;
    def.adapt.refine_turn = 3.0;
    def.adapt.placement = placement;
    CordRodId id = add_adaptive(world, def);
    CHECK(elastic_energy(world, id) < 1e-20);
    for (int j = 2; j + 1 < cord_rod_edge_count(world, id); j += 6) {
        CHECK_OK(cord_rod_refine(world, id, j));
    }
    double kappa = 0.1 / (0.01 + 0.01 / (4 * CORD_PI * CORD_PI)), length = cord_rod_length(world, id);
    double energy = elastic_energy(world, id);
    cord_world_destroy(world);
    return energy / (0.5 * RODS_EI * kappa * kappa * length);
}

// Halved, it is still one: bending and twist of the new corners are those of the old ones in smaller parts,
// and nodes find their way to where these have no stress. What is in their way is length: an arc is longer
// than its chord by (kappa l)^2 / 24, which two moved nodes cannot make. So the energy falls fast as elements
// get shorter: nearly ten times with half the length.
TEST(a_helix_without_stress_hardly_gets_any)
{
    static const CordModel models[] = {CORD_MODEL_DER, CORD_MODEL_CORDE};
    for (int k = 0; k < 2; k++) {
        double coarse = energy_of_halved_helix(models[k], CORD_PLACEMENT_MINIMUM, 25),
               fine = energy_of_halved_helix(models[k], CORD_PLACEMENT_MINIMUM, 49),
               middle = energy_of_halved_helix(models[k], CORD_PLACEMENT_MIDPOINT, 49);
        print_message("  %.3g, with twice as many elements %.3g, nodes in the middle %.3g\n", coarse, fine,
                      middle);
        CHECK(coarse < 2e-3);
        CHECK(fine < coarse / 8.0);
        CHECK(middle > 100.0 * fine);
    }
}

// ---- the skin

TEST(the_skin_goes_from_where_it_was_to_the_nodes_in_the_time_to_blend)
{
    CordWorld* world = new_weightless_world();
    CordRodId id = add_adaptive(world, coil_def());
    const Rod* rod = world_rod(world, id);
    CordVec3 before[MOST], after[MOST], later[MOST];
    rod_skin(rod, 0.0, before);
    CHECK_OK(cord_rod_refine(world, id, 4));
    rod_skin(rod, 0.0, after);
    rod_skin(rod, 0.05, later);
    bool moved = false;
    for (int i = 0; i < 10; i++) {
        if (i != 5) {
            CHECK_VEC3(after[i], before[i < 5 ? i : i - 1], 1e-16); // as it was, to a rounding
            moved |= vec3_length(vec3_sub(after[i], node_position(&rod->line, i))) > 1e-6;
        }
        CHECK_VEC3(later[i], node_position(&rod->line, i), 0.0);
    }
    CHECK(moved); // the neighbour did
    // the new one begins on the curve, not on the chord
    double on = vec3_length((CordVec3){after[5].x, after[5].y, 0});
    CHECK_NEAR(on, 0.3, 0.01 * 0.3);
    CHECK(on > 0.3 * cos(CORD_PI / 8) + 0.01);
    cord_world_destroy(world);
}

// ---- states

TEST(states_with_any_nodes_can_be_gone_back_to)
{
    static const int nodes[] = {9, 8, 7, 14};
    for (int kind = 0; kind < 4; kind++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = kind < 3 ? line_def(nodes[kind]) : ring_def(nodes[kind]);
        def.adapt.longest = 4.0;
        CordRodId id = add_adaptive(world, def);
        uint64_t seed = (uint64_t)kind;
        Saved states[8];
        for (int k = 0; k < 8; k++) {
            change_at_random(world, id, 30, &seed);
            for (int i = 1; k == 5 && i < cord_rod_node_count(world, id); i++) { // as coarse as it may be
                i = cord_rod_merge(world, id, i) == CORD_OK ? 0 : i;
            }
            states[k] = save(world);
        }
        for (int k = 0; k < 100; k++) {
            restore(world, &states[random_int(&seed, 8)]);
        }
        for (int k = 0; k < 8; k++) {
            drop_saved(&states[k]);
        }
        cord_world_destroy(world);
    }
}

// Rest strains are those of the nodes there are, whatever nodes there were before.
TEST(a_state_goes_on_with_the_same_bits_in_a_new_world)
{
    for (int kind = 0; kind < 2; kind++) {
        CordWorld *world = new_weightless_world(), *other = new_weightless_world();
        CordRodId id = add_adaptive(world, coil_def());
        add_adaptive(other, coil_def());
        if (kind == 0) { // else it gets back the nodes that it was made with
            CHECK_OK(cord_rod_refine(world, id, 1));
        }
        CHECK_OK(cord_rod_refine(world, id, 6));
        CHECK_OK(cord_rod_merge(world, id, 7));
        Saved state = save(world);
        CHECK_WORLD_OK(other, cord_world_state_set(other, state.bytes, state.size));
        run(world, 1e-4, 3), run(other, 1e-4, 3);
        CHECK(cord_world_state_hash(world) == cord_world_state_hash(other));
        drop_saved(&state);
        cord_world_destroy(world), cord_world_destroy(other);
    }
}

// Frames of a rod that was held once start from that edge still, which has become part of another in the
// state that is set.
TEST(a_state_may_have_lost_the_edge_that_frames_start_from)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(9);
    def.adapt.longest = 2.0;
    CordRodId id = add_adaptive(world, def);
    CordClampId clamp = hold(world, id, cord_at_edge(5), CORD_FIX_FRAME);
    run(world, 1e-4, 1);
    CHECK_OK(cord_clamp_destroy(world, clamp));
    run(world, 1e-4, 1);
    Saved fine = save(world);
    CHECK_OK(cord_rod_merge(world, id, 5));
    Saved coarse = save(world);
    restore(world, &fine);
    restore(world, &coarse);
    drop_saved(&fine), drop_saved(&coarse);
    cord_world_destroy(world);
}

TEST(a_state_without_a_node_that_is_measured_is_refused)
{
    CordWorld* world = new_weightless_world();
    CordRodId id = add_adaptive(world, line_def(9));
    Saved coarse = save(world);
    CHECK_OK(cord_rod_refine(world, id, 4));
    CordProbeId probe = measure(world, id, cord_at_node(5), CORD_MEASURE_POSITION);
    uint64_t hash = cord_world_state_hash(world);
    CHECK_RESULT(cord_world_state_set(world, coarse.bytes, coarse.size), CORD_BAD_STATE);
    CHECK(cord_world_state_hash(world) == hash);
    double x[3];
    CHECK_OK(cord_probe_read(world, probe, x));
    CHECK_NEAR(x[0], 0.5625, 1e-9);
    drop_saved(&coarse);
    cord_world_destroy(world);
}

// ---- memory

TEST(a_step_that_changes_no_nodes_allocates_nothing)
{
    for (int kind = 0; kind < 3; kind++) {
        Heap heap = {0};
        CordWorld* world = world_on(&heap);
        CordRodDef def = line_def(20);
        def.integrator = kind == 1 ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_VERLET;
        def.section = cord_section_disc(1e-3);
        CordRodId id = add_adaptive(world, def);
        def.shape = cord_shape_line((CordVec3){0.5, -0.5, 2e-2}, (CordVec3){0.5, 0.5, 2e-2}, 20);
        add_adaptive(world, def);
        hold(world, id, cord_at_start(), CORD_FIX_FRAME);
        if (kind > 0) {
            turn_contact_on(world);
        }
        run(world, 1e-4, 20);
        int64_t calls = heap.calls;
        run(world, 1e-4, 100);
        CHECK_INT(heap.calls, calls);
        CHECK_INT(cord_rod_adapt_report(world, id).refined, 0);
        cord_world_destroy(world);
        CHECK_INT(heap.held, 0);
    }
}

// By hand: without memory the call says so and all is as it was, or, if it was but for the search, the node
// is in the middle.
TEST(when_any_one_allocation_fails_a_change_is_made_or_not)
{
    for (int merges = 0; merges < 2; merges++) {
        CordResult result = CORD_OK;
        bool failed = true;
        for (int64_t n = 1; failed; n++) {
            Heap heap = {0};
            CordWorld* world = world_on(&heap);
            CordRodDef def = line_def(9);
            def.stiffness.EI2 *= 2.0, def.inextensible = n % 2 == 0;
            CordRodId id = add_adaptive(world, def);
            measure(world, id, cord_at_edge(5), CORD_MEASURE_TENSION);
            hold(world, id, cord_at_edge(7), CORD_FIX_FRAME);
            CHECK_OK(merges ? cord_rod_refine(world, id, 4) : CORD_OK);
            CHECK_OK(world_prepare(world));
            uint64_t hash = cord_world_state_hash(world);
            int nodes = cord_rod_node_count(world, id);
            heap.fail = heap.calls + n;
            result = merges ? cord_rod_merge(world, id, 5) : cord_rod_refine(world, id, 4);
            failed = heap.calls >= heap.fail;
            heap.fail = 0;
            CHECK(result == CORD_OK || (failed && result == CORD_NO_MEMORY));
            if (result == CORD_NO_MEMORY) {
                CHECK_CONTAINS(cord_world_message(world), "no memory");
                CHECK_INT(cord_rod_node_count(world, id), nodes);
                CHECK(cord_world_state_hash(world) == hash);
            } else {
                CHECK_INT(cord_rod_node_count(world, id), merges ? nodes - 1 : nodes + 1);
            }
            run(world, 1e-4, 5); // whatever is out of date is seen to
            cord_world_destroy(world);
            CHECK_INT(heap.held, 0);
            CHECK(n < 200);
        }
    }
}

// In steps: whichever allocation fails, the step stands or is not taken, and the rod goes on.
TEST(when_any_one_allocation_fails_steps_go_on)
{
    int64_t calls = 1;
    for (int64_t n = 0; n < calls; n += 1 + n / 20) {
        Heap heap = {0};
        CordWorldDef def = def_on(&heap);
        def.gravity = (CordVec3){0, 0, 0};
        CordRodId id;
        CordWorld* world = bow(&id, CORD_INTEGRATOR_VERLET, &def);
        int64_t made = heap.calls;
        heap.fail = n > 0 ? made + n : 0;
        for (int k = 0; k < 60; k++) {
            CordResult result = cord_world_step(world, 1e-4);
            CHECK(result == CORD_OK || (n > 0 && result == CORD_NO_MEMORY));
        }
        heap.fail = 0;
        calls = n == 0 ? heap.calls - made : calls;
        CordAdaptReport r = cord_rod_adapt_report(world, id);
        CHECK(r.refined > 3);
        CHECK_INT(r.nodes, 13 + r.refined - r.merged);
        CHECK_INT(r.nodes, cord_rod_node_count(world, id));
        cord_world_destroy(world);
        CHECK_INT(heap.held, 0);
    }
    CHECK(calls > 50);
}

TEST_GROUP(world_adapt)
