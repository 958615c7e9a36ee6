// What must hold of every kind of load: its row against itself, against finite differences, and against its
// explicit kick.
#include "rod/load.h"
#include "world_rods.h"

#define NODES 9

// A load with all values that any kind uses.
static CordLoadDef any_def(int kind, uint64_t* seed)
{
    CordLoadDef def = cord_load_def_default();
    def.kind = (CordLoadKind)kind;
    def.at = cord_at_arc(0.55);
    def.force = random_vec3(seed, 2.0), def.torque = random_vec3(seed, 0.5),
    def.target = random_vec3(seed, 1.0);
    def.stiffness = 7.0, def.damping = 0.4, def.along = 0.03, def.across = 0.1;
    def.wind = (CordWind){{3, 1, 0}, 0.5, 2.0, 4.0, 0.3};
    return def;
}

typedef struct Case { // a rod with one load, bent and moving
    CordWorld* world;
    Rod* rod;
    Load* load;
    CordLoadId id;
} Case;

static Case make_case(int kind, uint64_t seed)
{
    Case c = {.world = new_weightless_world()};
    CordRodDef def = line_def(NODES);
    CordRodId rod = add_rod(c.world, &def);
    CordLoadDef load = any_def(kind, &seed);
    shake(c.world, rod, &seed, 0.02);
    load.rod = rod;
    CHECK_OK(cord_load_create(c.world, &load, &c.id));
    c.rod = world_rod(c.world, rod);
    c.load = slots_get(&c.world->loads, c.id.slot, c.id.generation);
    for (int i = 0; i < NODES; i++) {
        slot_set(c.rod->line.v, slot_of(&c.rod->line, i), random_vec3(&seed, 1.0));
    }
    return c;
}

static LoadPoint point_of(const Case* c)
{
    CordVec3 x = node_position(&c->rod->line, c->load->node);
    LoadPoint at = {.time = 0.3, .x = x, .from = x, .ahead = x};
    if (c->load->edge >= 0) {
        at.edge = at.edge_from = edge_vector(&c->rod->line, c->load->edge);
    }
    return at;
}

// What a load's force depends on: the node's position, or the edge's vector.
static LoadPoint moved(const Case* c, int k, double by)
{
    LoadPoint at = point_of(c);
    CordVec3* x = c->load->edge >= 0 ? &at.edge : &at.x;
    double* part[3] = {&x->x, &x->y, &x->z};
    *part[k] += by;
    at.from = at.ahead = at.x;
    return at;
}

static double part_of(CordVec3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

static LoadTerms terms_at(const Case* c, const LoadPoint* at)
{
    return c->load->kind->terms ? c->load->kind->terms(c->load, 0.7, at) : (LoadTerms){.torque = 0.0};
}

static double energy_at(const Case* c, const LoadPoint* at)
{
    return c->load->kind->energy(c->load, 0.7, at);
}

#define FOR_EACH_CASE(c)                                                                                     \
    for (int number = 0; number < 8 * CORD_LOAD_COUNT; number++)                                             \
        for (Case c = make_case(number % CORD_LOAD_COUNT, (uint64_t)number + 1); c.world;                    \
             cord_world_destroy(c.world), c.world = NULL)

// Rounding of energies near 1 J over 2e-6 m is 1e-10, the third derivative's part below 1e-8.
static void check_gradient(const Case* c, CordVec3 force)
{
    const double d = 1e-6;
    for (int k = 0; k < 3; k++) {
        LoadPoint less = moved(c, k, -d), more = moved(c, k, d);
        CHECK_NEAR(part_of(force, k), (energy_at(c, &less) - energy_at(c, &more)) / (2 * d), 1e-7);
    }
}

TEST(forces_are_minus_the_gradient_of_the_energy)
{
    FOR_EACH_CASE(c)
    {
        LoadPoint at = point_of(&c);
        LoadTerms f = terms_at(&c, &at);
        if (c.load->kind->energy) {
            check_gradient(&c, f.force);
        }
        if (c.load->edge >= 0) {
            const double d = 1e-6;
            LoadPoint less = at, more = at;
            less.turned = -d, more.turned = d;
            CHECK_NEAR(f.torque, (energy_at(&c, &less) - energy_at(&c, &more)) / (2 * d), 1e-9);
        }
    }
}

TEST(a_spring_that_pulls_with_all_it_may_still_has_its_gradient)
{
    FOR_EACH_CASE(c)
    {
        c.load->def.most = 0.5;
        LoadPoint at = point_of(&c);
        LoadTerms f = terms_at(&c, &at);
        if (c.load->kind->tether) {
            check_gradient(&c, f.force);
            CHECK(vec3_length(f.force) <= 0.5 * (1.0 + 1e-15));
        }
    }
}

TEST(stiffness_is_minus_the_derivative_of_the_force)
{
    const double d = 1e-6;
    FOR_EACH_CASE(c)
    {
        LoadPoint at = point_of(&c);
        LoadTerms f = terms_at(&c, &at);
        for (int k = 0; k < 3; k++) {
            LoadPoint less = moved(&c, k, -d), more = moved(&c, k, d);
            LoadTerms a = terms_at(&c, &less), b = terms_at(&c, &more);
            for (int i = 0; i < 3; i++) {
                // third derivatives go with the inverse fourth power of an edge of 0.1 m
                CHECK_NEAR(f.K[3 * i + k], (part_of(a.force, i) - part_of(b.force, i)) / (2 * d), 1e-5);
            }
            CHECK_NEAR(part_of(f.turning, k), (a.torque - b.torque) / (2 * d), 1e-6);
        }
    }
}

// A force on all of a rod at once: by node, and about the tangents of edges.
TEST(a_load_on_an_edge_has_no_force_in_all_and_its_moment_exactly)
{
    FOR_EACH_CASE(c)
    {
        CordVec3 f[NODES] = {{0, 0, 0}}, force = {0, 0, 0}, moment = {0, 0, 0};
        if (c.load->edge < 0) {
            continue;
        }
        double torque[NODES + 8] = {0};
        loads_add_forces(c.rod, 0.0, f);
        loads_set_torques(c.rod, 0.0, false, torque);
        for (int i = 0; i < NODES; i++) {
            force = vec3_add(force, f[i]);
            moment = vec3_add(moment, vec3_cross(node_position(&c.rod->line, i), f[i]));
            moment = i + 1 < NODES ? vec3_madd(moment, edge_tangent(&c.rod->line, i), torque[i]) : moment;
        }
        CHECK_VEC3(force, ((CordVec3){0, 0, 0}), 1e-14);
        CHECK_VEC3(moment, c.load->def.torque, 1e-14);
    }
}

// In the limit of short steps the velocity that a kick adds is force times time over mass.
TEST(kicks_agree_with_forces)
{
    const double h = 1e-8;
    FOR_EACH_CASE(c)
    {
        const CordCenterline* line = &c.rod->line;
        CordVec3 f[NODES] = {{0, 0, 0}};
        double w[NODES];
        bool any = false;
        loads_add_forces(c.rod, 0.0, f);
        for (int i = 0; i < NODES; i++) {
            slot_set(line->v_next, slot_of(line, i), node_velocity(line, i));
            w[i] = line->w[slot_of(line, i)];
        }
        loads_kick(c.rod, &(LoadStep){0.0, h, h, true}, LOAD_ANYWHERE, line->v_next);
        for (int i = 0; i < NODES; i++) {
            CordVec3 gained = vec3_sub(slot_get(line->v_next, slot_of(line, i)), node_velocity(line, i));
            // rounding of v over h
            CHECK_VEC3(vec3_mul(gained, 1.0 / (h * w[i])), f[i], 1e-5 * (1.0 + vec3_length(f[i])));
            any |= vec3_length(f[i]) > 0.0;
        }
        CHECK(any);
        loads_restore_masses(c.rod);
        for (int i = 0; i < NODES; i++) {
            CHECK_NEAR(line->w[slot_of(line, i)], w[i], 0.0);
        }
    }
}

// The force of a distributed load on a rod at rest, and its derivatives by the positions of the nodes that it
// depends on: third derivatives of the vortices, of 0.3 m, make up for 1e-6 of them.
TEST(wind_at_rest_has_the_force_of_drag_and_its_derivatives)
{
    const double d = 1e-6, time = 0.3;
    FOR_EACH_CASE(c)
    {
        const CordCenterline* line = &c.rod->line;
        for (int node = 0; node < NODES && c.load->kind->flow; node++) {
            NodeWind wind = loads_wind_at(c.rod, node, line->x, (CordVec3){0, 0, 0}, time);
            CHECK_VEC3(wind.force, loads_drag_at(c.rod, node, time).force, 1e-15);
            for (int m = 0; m < 3 * NODES; m++) {
                int s = slot_of(line, m / 3), k = m % 3;
                double x = line->x[k][s];
                line->x[k][s] = x - d;
                CordVec3 less = loads_wind_at(c.rod, node, line->x, (CordVec3){0, 0, 0}, time).force;
                line->x[k][s] = x + d;
                CordVec3 more = loads_wind_at(c.rod, node, line->x, (CordVec3){0, 0, 0}, time).force;
                line->x[k][s] = x;
                for (int i = 0; i < 3; i++) {
                    double of_span = (s == wind.ahead) - (s == wind.behind), own = s == slot_of(line, node);
                    double K = of_span * wind.K_span[3 * i + k] + own * wind.K[3 * i + k];
                    CHECK_NEAR(K, (part_of(less, i) - part_of(more, i)) / (2 * d), 1e-7);
                }
            }
        }
    }
}

TEST(damping_is_minus_the_derivative_by_the_velocity)
{
    FOR_EACH_CASE(c)
    {
        const CordCenterline* line = &c.rod->line;
        int node = c.load->node;
        uint64_t seed = 5;
        CordVec3 before[NODES] = {{0, 0, 0}}, after[NODES] = {{0, 0, 0}}, by = random_vec3(&seed, 1.0);
        LoadPoint at = point_of(&c);
        LoadTerms f = terms_at(&c, &at);
        LoadFlow flow = load_flow(c.load, at.x, 0.0);
        double length = rod_node_length(c.rod, node);
        CordVec3 t = loads_drag_at(c.rod, node, 0.0).t, along = vec3_mul(t, vec3_dot(by, t));
        loads_add_forces(c.rod, 0.0, before);
        slot_set(line->v, slot_of(line, node), vec3_add(node_velocity(line, node), by));
        loads_add_forces(c.rod, 0.0, after);
        CordVec3 wanted = vec3_mul(by, -f.damping);
        wanted = vec3_madd(vec3_madd(wanted, along, -flow.along * length), vec3_sub(by, along),
                           -flow.across * length);
        CHECK_VEC3(vec3_sub(after[node], before[node]), wanted, 1e-12);
    }
}

TEST(what_may_be_changed_is_part_of_the_state)
{
    FOR_EACH_CASE(c)
    {
        char state[20000];
        size_t size = cord_world_state_size(c.world);
        CordVec3 before = *load_value(c.load);
        CHECK(size <= sizeof state);
        CHECK_OK(cord_world_state_get(c.world, state, size));
        uint64_t hash = cord_world_state_hash(c.world);
        *load_value(c.load) = (CordVec3){1, 2, 3};
        CHECK(cord_world_state_hash(c.world) != hash);
        CHECK_OK(cord_world_state_set(c.world, state, size));
        CHECK_VEC3(*load_value(c.load), before, 0.0);
        CHECK(cord_world_state_hash(c.world) == hash);
    }
}

TEST(what_a_load_does_not_have_cannot_be_set)
{
    CordResult (*const set[])(CordWorld*, CordLoadId, CordVec3) = {
        [CORD_LOAD_FORCE] = cord_load_set_force,
        [CORD_LOAD_TORQUE] = cord_load_set_torque,
        [CORD_LOAD_SPRING] = cord_load_set_target,
    };
    FOR_EACH_CASE(c)
    {
        uint64_t before = cord_world_state_hash(c.world);
        for (int k = 0; k < (int)(sizeof set / sizeof *set); k++) {
            bool own = c.load->kind->info.name == cord_load_kind(k)->name;
            CHECK_RESULT(set[k](c.world, c.id, (CordVec3){NAN, 0, 0}), own ? CORD_BAD_ARGUMENT : CORD_BAD_ID);
            CHECK(cord_world_state_hash(c.world) == before);
        }
        for (int k = 0; k < (int)(sizeof set / sizeof *set); k++) {
            bool own = c.load->kind->info.name == cord_load_kind(k)->name;
            CHECK_RESULT(set[k](c.world, c.id, (CordVec3){1, 2, 3}), own ? CORD_OK : CORD_BAD_ID);
            CHECK((cord_world_state_hash(c.world) != before) == own);
            before = cord_world_state_hash(c.world);
        }
    }
}

TEST(kinds_say_what_they_are)
{
    CHECK(cord_load_kind(-1) == NULL && cord_load_kind(CORD_LOAD_COUNT) == NULL);
    for (int i = 0; i < CORD_LOAD_COUNT; i++) {
        const CordLoadKindInfo* kind = cord_load_kind(i);
        for (int k = 0; k < i; k++) {
            CHECK(strcmp(kind->name, cord_load_kind(k)->name) != 0);
        }
        CHECK(kind->on != 0);
        for (const CordField* f = kind->fields; f->key; f++) {
            CHECK(f->offset < sizeof(CordLoadDef) && f->low < f->high && f->about && f->unit);
        }
    }
}

// Each kind on what it cannot act on.
TEST(loads_are_refused_where_they_cannot_act)
{
    uint64_t seed = 1;
    for (int i = 0; i < CORD_LOAD_COUNT; i++) {
        CordWorld* world = new_weightless_world();
        CordBodyDef body = cord_body_def_default();
        CordLoadDef def = any_def(i, &seed);
        CordLoadId id;
        body.mass = 1.0;
        unsigned on = cord_load_kind(i)->on;
        CHECK_RESULT(cord_load_create(world, &def, &id), on & CORD_LOAD_ON_ROD ? CORD_OK : CORD_BAD_ARGUMENT);
        CHECK_OK(cord_body_create(world, &body, &def.body));
        CHECK_RESULT(cord_load_create(world, &def, &id),
                     on & CORD_LOAD_ON_BODY ? CORD_OK : CORD_BAD_ARGUMENT);
        cord_world_destroy(world);
    }
}

TEST_GROUP(rod_load_kinds)
