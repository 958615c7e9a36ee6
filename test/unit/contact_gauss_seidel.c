// ContactConstraints: what a push moves, what sweeps leave, and what is remembered.
#include "constraint_scenes.h"
#include "contact/contact_gap.h"
#include "contact/gauss_seidel.h"

// ---- one constraint

// All that moves if the last step had this force at the touch.
static void push_with(Scene* s, const ContactPoint* contact, double normal, CordVec3 friction)
{
    ContactPoint same = *contact;
    CHECK(contact_constraints_reserve(&s->world->memory, &s->constraints, 1));
    s->constraints.warm[0] =
        (ImpulseWarmStart){.key = contact_persistent_key(&same), .force = normal, .friction = friction};
    s->constraints.warm_count = 1;
    begin(s);
}

typedef void (*ConstraintClaim)(Scene* s, int i, uint64_t* seed);

// Of many constraints, of two rods and of a rod and a solid.
static void for_many_constraints(ConstraintClaim claim)
{
    static const double sines[] = {0.0, 0.01, 0.1, 0.5, 1.0};
    int ends = 0, crossings = 0, balls = 0;
    uint64_t seed = 3;
    for (int i = 0; i < 150; i++) {
        Scene s = open_scene(i % 3 == 2 ? 1 : 2);
        if (i % 3 == 2) {
            add_solid(&s, CORD_SOLID_SPHERE, (CordVec3){0.05, 0, 0},
                      (CordVec3){0.01, 0, -0.05 - 1.05 * RADIUS});
        }
        place_pair(&s, &seed, sines[i % 5]);
        begin(&s);
        int count = s.constraints.count;
        CHECK(count > 0);
        for (int k = 0; k < count; k++) {
            ends += touch_of(&s, k)->key.part > 0;
            crossings += touch_of(&s, k)->key.part == 0;
            balls += touch_of(&s, k)->kind == CONTACT_SOLID;
            claim(&s, k, &seed);
            CHECK_INT(s.constraints.count, count);
        }
        close_scene(&s);
    }
    CHECK(ends > 30 && crossings > 50 && balls > 30);
}

static void check_scatter(Scene* s, int i, uint64_t* seed)
{
    const ContactPoint contact = *touch_of(s, i);
    const Colliders* cs = &s->colliders;
    double normal = random_in(seed, 0.5, 2.0);
    CordVec3 friction = vec3_reject(random_vec3(seed, 1.0), contact.n);
    DofVector f = {0};
    size_t size = 0;
    CHECK(dof_vector_reserve(&s->world->memory, &f, cs, &size));
    dof_vector_clear(&f, cs);
    push_with(s, &contact, normal, friction);
    double push = H * H; // of a force of 1 in a step
    contact_point_scatter(cs, &contact, vec3_mul(vec3_madd(friction, contact.n, normal), push), &f);
    divide_by_masses(s);
    const DofVector* impulse = &s->constraints.moved;
    for (int n = 0; n < cs->node_count; n++) {
        CHECK_VEC3(impulse->x[n], f.x[n], 1e-13 * push); // forces of 1 with arms of a fifth of an element
    }
    for (int k = 0; k < cs->segment_count; k++) {
        CHECK_NEAR(impulse->spin[k], f.spin[k], 1e-15 * push);
    }
    if (contact.kind == CONTACT_SEGMENTS) {
        check_balance(cs, cs->begin, impulse, 1e-13 * push, 1e-14 * push); // arms are centimetres
    }
    dof_vector_free(&s->world->memory, &f, &size);
}

TEST(a_push_keeps_momentum_and_is_what_its_touch_scatters)
{
    for_many_constraints(check_scatter);
}

static void check_transpose(Scene* s, int i, uint64_t* seed)
{
    const ContactPoint contact = *touch_of(s, i);
    const Colliders* cs = &s->colliders;
    DofVector* moved = &s->constraints.moved;
    double work = 0.0;
    double normal = random_in(seed, 0.5, 2.0);
    CordVec3 friction = vec3_reject(random_vec3(seed, 1.0), contact.n), u[6];
    double turns[4];
    push_with(s, &contact, normal, friction);
    for (int n = 0; n < cs->node_count; n++) {
        u[n] = random_vec3(seed, 1.0);
        work += vec3_dot(u[n], moved->x[n]) / (H * H * s->constraints.w[n]);
        moved->x[n] = u[n];
    }
    for (int k = 0; k < cs->segment_count; k++) {
        turns[k] = random_in(seed, -1.0, 1.0);
        work += turns[k] * moved->spin[k] / (H * H * s->constraints.w_spin[k]);
        moved->spin[k] = turns[k];
    }
    CordVec3 own = constraint_motion(&s->constraints.all[i], moved),
             force = vec3_madd(friction, contact.n, normal);
    CHECK_NEAR(vec3_dot(force, own), work, 1e-13); // of sums of products of 1
    CHECK_VEC3(own, contact_point_gather(cs, &contact, moved), 1e-14);
}

TEST(what_a_constraint_gathers_is_the_transpose_of_what_it_pushes)
{
    for_many_constraints(check_transpose);
}

TEST(what_has_no_friction_has_no_drag_left_of_the_last_step)
{
    Scene s = open_scene(2);
    uint64_t seed = 2;
    place_pair(&s, &seed, 1.0);
    begin(&s);
    const ContactPoint contact = *touch_of(&s, 0);
    s.friction.friction = 0.0;
    push_with(&s, &contact, 1.0, vec3_reject((CordVec3){1, 0, 0}, contact.n));
    CHECK(s.constraints.all[0].normal_impulse > 0.0);
    CHECK(vec3_length(s.constraints.all[0].friction_impulse) == 0.0);
    close_scene(&s);
}

TEST(what_is_held_on_both_sides_is_left_alone)
{
    Scene s = open_scene(2);
    uint64_t seed = 1;
    place_pair(&s, &seed, 1.0);
    begin(&s);
    CHECK_INT(s.constraints.count, 1);
    s.constraints.w[0] = s.constraints.w[1] = 0.0; // one of them is held: the other one gives
    begin(&s);
    CHECK_INT(s.constraints.count, 1);
    s.constraints.w[3] = s.constraints.w[4] = 0.0;
    begin(&s);
    CHECK_INT(s.constraints.contacts.count, 1);
    CHECK_INT(s.constraints.count, 0);
    close_scene(&s);
}

// A node between two that are held slides exactly sideways on the ground, where it has no friction, but it
// has some along the rod. The normal impulse is found at once, and exactly.
TEST(a_contact_without_friction_where_it_slides_is_solved_exactly)
{
    Scene s = open_scene(1);
    Colliders* cs = &s.colliders;
    cs->rods[0].rod->surface.friction_across = 0.0;
    add_solid(&s, CORD_SOLID_PLANE, (CordVec3){1, 0, 0}, (CordVec3){0, 0, 0});
    for (int n = 0; n < 3; n++) {
        cs->begin[n] = cs->to[n] = (CordVec3){LEN * n, 0, RADIUS};
        s.constraints.w[n] = n == 1 ? 2.0 : 0.0;
    }
    for (int k = 0; k < cs->segment_count; k++) {
        s.constraints.w_spin[k] = 0.0;
    }
    cs->to[1] = (CordVec3){LEN, 0.4 * RADIUS, 0.9 * RADIUS};
    begin(&s);
    s.since.x[1] = vec3_sub(cs->to[1], cs->begin[1]);
    CHECK_INT(s.constraints.count, 1);
    contact_constraints_measure(&s.constraints, cs, &s.since);
    Delassus y = {0};
    CHECK(delassus_find(&s.world->memory, &y, &s.constraints, cs));
    DelassusBatch all = delassus_all(&y);
    delassus_begin(&y, &s.constraints, all);
    gauss_seidel_solve(&y, &s.constraints, all,
                       &(SweepLimits){.loose = INFINITY, .far = INFINITY, .few = 1, .most = 1});
    delassus_apply(&y, &s.constraints, all, 1.0);
    CHECK_NEAR(s.constraints.moved.x[1].z, 0.1 * RADIUS, 1e-14 * RADIUS);
    CHECK_NEAR(vec3_length(s.constraints.all[0].friction_impulse), 0.0, 0.0);
    CHECK(s.constraints.all[0].slides);
    delassus_free(&s.world->memory, &y);
    close_scene(&s);
}

// ---- a stack

static double deepest_of(const Scene* s)
{
    double deepest = 0.0;
    for (int i = 0; i < s->constraints.count; i++) {
        deepest = fmax(deepest, -contact_point_gap(&s->colliders, touch_of(s, i), s->colliders.to) / RADIUS);
    }
    return deepest;
}

// As a step of rods without forces of their own does it, until a sweep changes less than `enough` of a
// radius. Returns how many sweeps it took.
static int resolve(Scene* s, const CordVec3* predicted, double enough)
{
    Colliders* cs = &s->colliders;
    ContactConstraints* b = &s->constraints;
    memcpy(cs->to, predicted, sizeof(CordVec3) * (size_t)cs->node_count);
    begin(s);
    Delassus y = {0};
    int sweeps = 0;
    double deepest = INFINITY, change = INFINITY;
    for (int round = 0; round < 100 && (deepest > 0.5 * TOLERANCE || change > enough); round++) {
        for (int n = 0; n < cs->node_count; n++) {
            cs->to[n] = vec3_add(predicted[n], b->moved.x[n]);
            s->since.x[n] = vec3_sub(cs->to[n], cs->begin[n]);
        }
        for (int k = 0; k < cs->segment_count; k++) {
            s->since.spin[k] = b->moved.spin[k];
        }
        deepest = contact_constraints_measure(b, cs, &s->since);
        CHECK_NEAR(deepest, deepest_of(s), 1e-12); // rounding of positions, over the radius
        CHECK(delassus_find(&s->world->memory, &y, b, cs));
        DelassusBatch all = delassus_all(&y);
        delassus_begin(&y, b, all);
        SweepResult done = gauss_seidel_solve(
            &y, b, all, &(SweepLimits){.loose = INFINITY, .far = 0.2 * enough, .few = 1, .most = 50});
        delassus_apply(&y, b, all, 1.0);
        change = done.change / RADIUS;
        sweeps += done.count;
    }
    delassus_free(&s->world->memory, &y);
    CHECK(deepest <= 0.5 * TOLERANCE && change <= enough);
    return sweeps;
}

static void check_laws(const Scene* s, Tally* tally)
{
    const ContactConstraints* b = &s->constraints;
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* constraint = &b->all[i];
        const ContactPoint* contact = touch_of(s, i);
        CordVec3 slip = constraint->slip; // to within the last change
        double gap = contact_point_gap(&s->colliders, contact, s->colliders.to) / RADIUS,
               size = vec3_length(constraint->friction_impulse);
        CHECK(constraint->normal_impulse >= 0.0);
        CHECK(gap >= -0.5 * TOLERANCE);
        CHECK(constraint->normal_impulse == 0.0 || gap <= TOLERANCE); // what pushes touches
        CHECK_NEAR(vec3_dot(constraint->friction_impulse, constraint->n), 0.0,
                   1e-14 * constraint->normal_impulse);
        double most = limit_of(s, i);
        CHECK(size <= most * (1.0 + 1e-12));
        tally->pushing += constraint->normal_impulse > 0.0, tally->idle += constraint->normal_impulse == 0.0;
        if (constraint->normal_impulse == 0.0) {
            CHECK_NEAR(size, 0.0, 0.0);
        } else if (constraint->slides || constraint->mu == 0.0) {
            CHECK_NEAR(size, most, 1e-12 * most);
            CHECK(constraint->mu == 0.0 || vec3_dot(constraint->friction_impulse, slip) < 0.0);
            tally->sliding += constraint->mu > 0.0;
        } else {
            CHECK_NEAR(vec3_length(slip) / RADIUS, 0.0, TOLERANCE); // it is brought back to where it stuck
            tally->sticking++;
        }
    }
}

TEST(a_stack_is_pushed_and_never_pulled_and_friction_stays_in_its_cone)
{
    uint64_t seed = 17;
    Tally tally = {0};
    for (int i = 0; i < 60; i++) {
        CordVec3 predicted[MOST_NODES];
        Scene s = open_stack(&seed,
                             i % 3 == 0   ? 1.0
                             : i % 3 == 1 ? 3.0
                                          : 0.3,
                             RADIUS * (i % 2 == 0 ? 1e-3 : 2e-2));
        s.friction.friction = i % 5 == 0 ? 0.0 : 0.3;
        memcpy(predicted, s.colliders.to, sizeof predicted);
        resolve(&s, predicted, 0.1 * TOLERANCE);
        check_laws(&s, &tally);
        CHECK(s.constraints.count > 12); // four crossings at each of three levels, and the ground
        close_scene(&s);
    }
    CHECK(tally.pushing > 500 && tally.idle > 20 && tally.sliding > 100 && tally.sticking > 100);
}

TEST(what_is_remembered_makes_the_same_step_take_one_sweep)
{
    uint64_t seed = 29;
    for (int i = 0; i < 30; i++) {
        CordVec3 predicted[MOST_NODES], first[MOST_NODES];
        Scene s = open_stack(&seed, i % 2 == 0 ? 1.0 : 3.0, RADIUS * (i % 4 < 2 ? 1e-3 : 1e-2));
        memcpy(predicted, s.colliders.to, sizeof predicted);
        int cold = resolve(&s, predicted, 0.01 * TOLERANCE);
        for (int n = 0; n < MOST_NODES; n++) {
            first[n] = s.constraints.moved.x[n];
        }
        CHECK(contact_constraints_end(&s.world->memory, &s.constraints, &s.colliders, H));
        for (int k = 0; k < s.constraints.warm_count; k++) { // memories of those that pushed, in order
            CHECK(s.constraints.warm[k].force > 0.0);
            CHECK(k == 0 ||
                  contact_key_compare(&s.constraints.warm[k - 1].key, &s.constraints.warm[k].key) < 0);
        }
        int warm = resolve(&s, predicted, 0.1 * TOLERANCE);
        CHECK_INT(warm, 1);
        CHECK(cold > 3);
        for (int n = 0; n < MOST_NODES; n++) {
            CHECK_VEC3(s.constraints.moved.x[n], first[n], 2.0 * TOLERANCE * RADIUS);
        }
        close_scene(&s);
    }
}

// ---- what is found

// Two rods of two elements that cross at right angles, `apart` from axis to axis and `beside` each other; the
// upper one falls by `fall`.
static Scene open_crossing(double apart, double beside, double fall)
{
    Scene s = open_scene(2);
    uint64_t seed = 11;
    for (int n = 0; n < 3; n++) {
        s.colliders.begin[n] = s.colliders.to[n] = (CordVec3){LEN * (n - 1.2), 0, 0};
        s.colliders.begin[3 + n] = s.colliders.to[3 + n] = (CordVec3){0, LEN * (n - 0.7) + beside, apart};
        s.colliders.to[3 + n].z -= fall;
    }
    random_masses(&s, &seed, 5.0);
    begin(&s);
    return s;
}

TEST(rods_that_pass_at_a_distance_do_not_touch)
{
    Scene s = open_crossing(8.0 * RADIUS, 0.0, 16.0 * RADIUS);
    CHECK(s.constraints.count == 1);
    CHECK_NEAR(fabs(s.constraints.all[0].n.z), 1.0, 1e-12);
    CHECK(contact_constraints_measure(&s.constraints, &s.colliders, &s.since) > 5.0); // it is through
    close_scene(&s);
    s = open_crossing(8.0 * RADIUS, 2.0 * LEN, 16.0 * RADIUS); // past the end
    CHECK(s.constraints.count == 0);
    close_scene(&s);
    s = open_crossing(8.0 * RADIUS, 0.0, 0.0);
    for (int n = 0; n < 6; n++) { // both fall alike
        s.colliders.to[n] = vec3_sub(s.colliders.begin[n], (CordVec3){0, 0, 16.0 * RADIUS});
    }
    begin(&s);
    CHECK(s.constraints.count == 0);
    close_scene(&s);
}

TEST(contacts_are_added_where_rods_have_moved_and_none_twice)
{
    ContactLaw law = {.gap = 0.2, .tolerance = TOLERANCE};
    Scene s = open_crossing(8.0 * RADIUS, 0.0, 0.0);
    CHECK(s.constraints.count == 0);
    for (int n = 3; n < 6; n++) {
        s.colliders.to[n].z = -8.0 * RADIUS;
    }
    for (int again = 0, first = 0; again < 2; again++) {
        CHECK(broad_phase_update(&s.world->memory, &s.colliders));
        CHECK(contact_constraints_extend(&s.world->memory, &s.constraints, &s.colliders, &law, &s.friction));
        CHECK(s.constraints.count > 0 && !s.constraints.postponed);
        CHECK(again == 0 || s.constraints.count == first);
        first = s.constraints.count;
    }
    close_scene(&s);
}

TEST(a_contact_beside_a_nearer_one_yields_to_it)
{
    Scene s = open_crossing(2.1 * RADIUS, 0.0, 0.0); // beside a node of either
    int yielding = 0;
    for (int i = 0; i < s.constraints.count; i++) {
        bool yields = touch_of(&s, i)->yields;
        yielding += yields;
        CHECK_NEAR(s.constraints.past[i].asked, yields ? -0.1 * TOLERANCE * RADIUS : 0.0, 1e-15 * RADIUS);
    }
    CHECK(s.constraints.count == yielding + 1);
    close_scene(&s);
}

TEST(an_impulse_follows_its_contact_to_the_next_segment)
{
    Scene s = open_crossing(2.1 * RADIUS, 0.0, 0.0);
    for (int i = 0; i < s.constraints.count; i++) {
        s.constraints.all[i].normal_impulse = touch_of(&s, i)->yields ? 0.0 : 1.0;
    }
    CHECK(contact_constraints_end(&s.world->memory, &s.constraints, &s.colliders, H));
    for (int n = 0; n < 3; n++) { // by half an element
        s.colliders.begin[n].x += 0.5 * LEN, s.colliders.to[n].x += 0.5 * LEN;
    }
    begin(&s);
    double sum = 0.0;
    for (int i = 0; i < s.constraints.count; i++) {
        sum += s.constraints.all[i].normal_impulse;
    }
    CHECK_NEAR(sum, 1.0, 1e-12);
    close_scene(&s);
}

TEST_GROUP(contact_gauss_seidel)
