// Friction: its law, its coefficients, and what is remembered from step to step.
#include "collider_rods.h"
#include "contact/friction.h"

#define RADIUS 0.01
#define SLIP (0.01 * RADIUS) // a hundredth of a radius, at which it slides [m]

static const CordVec3 up = {0, 0, 1}, ahead = {1, 0, 0}, aside = {0, 1, 0};

static FrictionAnchor new_anchor(double mu, double push)
{
    return (FrictionAnchor){.contact = {.kind = CONTACT_SEGMENTS,
                                        .n = up,
                                        .axis = {ahead, aside},
                                        .radius = RADIUS,
                                        .push = push},
                            .grip = {mu, {1.0, 1.0}}};
}

static double size_after(FrictionAnchor* anchor, CordVec3 u)
{
    friction_anchor_update(anchor, u);
    CHECK(vec3_dot(anchor->force, u) <= 0.0); // against the slip,
    CHECK_NEAR(vec3_length(vec3_cross(anchor->force, anchor->slip)), 0.0,
               1e-15 * vec3_length(anchor->force) * vec3_length(anchor->slip)); // along it,
    CHECK_NEAR(vec3_dot(anchor->force, anchor->contact.n), 0.0, 1e-14);         // and across the normal
    return vec3_length(anchor->force);
}

// ---- the law

TEST(friction_grows_with_the_slip_to_its_limit_and_no_further)
{
    uint64_t seed = 1;
    for (int i = 0; i < 200; i++) {
        double mu = random_in(&seed, 0.1, 1.0), push = random_in(&seed, 0.1, 10.0), most = mu * push;
        FrictionAnchor anchor = new_anchor(mu, push);
        anchor.contact.n = vec3_unit(random_vec3(&seed, 1.0));
        CordVec3 e = vec3_unit(vec3_reject(random_vec3(&seed, 1.0), anchor.contact.n));
        double last = 0.0;
        for (int k = 0; k <= 20; k++) {
            double x = 0.1 * k;
            CordVec3 u = vec3_madd(vec3_mul(e, x * SLIP), anchor.contact.n, random_in(&seed, -1.0, 1.0));
            friction_anchor_update(&anchor, u);
            double now = vec3_length(anchor.force);
            CHECK_NEAR(vec3_length(anchor.slip), x * SLIP, 1e-15); // what goes along the normal is none
            CHECK_NEAR(now, x < 1.0 ? most * x * (2.0 - x) : most, 1e-10 * most); // 1e-16 over a slip of 1e-4
            CHECK(k == 10 || anchor.slides == (k > 10));
            CHECK(now >= last - 1e-10 * most);
            last = now;
        }
        CHECK(size_after(&anchor, vec3_mul(e, 100.0 * SLIP)) <= most * (1.0 + 1e-15));
        CHECK_NEAR(size_after(&anchor, (CordVec3){0, 0, 0}), 0.0, 0.0);
    }
}

// A rod that is pulled aside by a force below mu times the push comes to rest where friction holds it; above,
// nowhere.
TEST(it_sticks_below_the_limit_and_slides_above)
{
    for (int over = 0; over < 2; over++) {
        FrictionAnchor anchor = new_anchor(0.5, 2.0);
        double pull = over ? 1.1 : 0.9, x = 0.0; // of 1 N
        for (int k = 0; k < 20000; k++) {
            friction_anchor_update(&anchor, vec3_mul(ahead, x));
            x += 1e-3 * SLIP * (pull + anchor.force.x); // as in a thick fluid
        }
        CHECK(anchor.slides == (over == 1));
        if (over) {
            CHECK(x > 1.1 * SLIP);
            CHECK_NEAR(anchor.force.x, -1.0, 1e-14);
        } else {
            CHECK_NEAR(anchor.force.x, -0.9, 1e-6);      // nears it by e^-12
            CHECK_NEAR(x / SLIP, 1.0 - sqrt(0.1), 1e-5); // x (2 - x) = 0.9
        }
    }
}

TEST(friction_across_a_rod_differs_from_that_along_it)
{
    const CordVec3 axis[2] = {ahead, aside};
    const double across[2] = {3.0, 0.5};
    CHECK_NEAR(friction_anisotropy(axis, across, 1, ahead), 1.0, 1e-15);
    CHECK_NEAR(friction_anisotropy(axis, across, 1, aside), 3.0, 1e-15);
    CHECK_NEAR(friction_anisotropy(axis, across, 1, vec3_unit((CordVec3){1, 1, 0})), sqrt(0.5 + 0.5 * 9.0),
               1e-14);
    // along the one, across the other
    CHECK_NEAR(friction_anisotropy(axis, across, 2, ahead), sqrt(1.0 * 0.5), 1e-15);
    CHECK_NEAR(friction_anisotropy(axis, across, 2, aside), sqrt(3.0 * 1.0), 1e-15);
    FrictionAnchor anchor = new_anchor(0.5, 2.0);
    anchor.contact.kind = CONTACT_SOLID;
    anchor.grip.across[0] = 3.0;
    CHECK_NEAR(size_after(&anchor, vec3_mul(ahead, 2.0 * SLIP)), 1.0, 1e-15);
    CHECK_NEAR(size_after(&anchor, vec3_mul(aside, -2.0 * SLIP)), 3.0, 1e-14);
    anchor.contact.kind = CONTACT_SEGMENTS;
    CHECK_NEAR(size_after(&anchor, vec3_mul(aside, 2.0 * SLIP)), sqrt(3.0), 1e-14);
}

// By differences of the force, where it is the same in all directions.
TEST(stiffness_is_how_the_force_changes)
{
    uint64_t seed = 4;
    for (int i = 0; i < 100; i++) {
        FrictionAnchor anchor = new_anchor(0.4, 3.0);
        double x = random_in(&seed, 0.05, 2.0), d = 1e-6 * SLIP;
        x = fabs(x - 1.0) < 0.01 ? 0.5 : x; // it has a corner where it begins to slide
        anchor.contact.n = vec3_unit(random_vec3(&seed, 1.0));
        CordVec3 u = vec3_mul(vec3_unit(vec3_reject(random_vec3(&seed, 1.0), anchor.contact.n)), x * SLIP);
        friction_anchor_update(&anchor, u);
        FrictionStiffness k = friction_anchor_stiffness(&anchor, 0.0),
                          all = friction_anchor_stiffness(&anchor, 1.0);
        CHECK_NEAR(vec3_dot(k.e[0], k.e[1]), 0.0, 1e-15);
        CHECK_NEAR(vec3_dot(k.e[0], anchor.contact.n), 0.0, 1e-12); // 1e-16 over a slip of 1e-6
        for (int c = 0; c < 2; c++) {
            FrictionAnchor more = anchor, less = anchor;
            friction_anchor_update(&more, vec3_madd(u, k.e[c], d));
            friction_anchor_update(&less, vec3_madd(u, k.e[c], -d));
            CordVec3 change = vec3_mul(vec3_sub(less.force, more.force), 1.0 / (2.0 * d));
            double scale = 1.2 / SLIP; // the limit over the slip length
            // round-off of 1e-16 over 1e-6, and d^2
            CHECK_NEAR(vec3_dot(change, k.e[c]) / scale, k.k[c] / scale, 1e-6);
            CHECK_NEAR(vec3_dot(change, k.e[1 - c]) / scale, 0.0, 1e-6);
        }
        // of a spring that ends here: force over slip, both ways
        CHECK_NEAR(all.k[0], all.k[1], 1e-12 * all.k[1]);
        CHECK_NEAR(all.k[0] * x * SLIP, vec3_length(anchor.force), 1e-10);
    }
    FrictionAnchor still = new_anchor(0.4, 3.0);
    friction_anchor_update(&still, (CordVec3){0, 0, 0});
    FrictionStiffness k = friction_anchor_stiffness(&still, 0.0);
    CHECK_NEAR(k.k[0], 2.0 * 1.2 / SLIP, 1e-9);
    CHECK_NEAR(k.k[1], k.k[0], 0.0);
}

// ---- from step to step

typedef struct Scene { // two crossing rods above a plane, with one touch of each kind
    CordWorld* world;
    Colliders colliders;
    ContactPoints contacts;
    FrictionAnchors anchors;
} Scene;

static Scene open_scene(void)
{
    Scene s = {.world = new_weightless_world()};
    add_straight_rods(s.world, &s.colliders, 2, 3, 0.5, RADIUS);
    for (int i = 0; i < 2; i++) {
        Rod* rod = s.colliders.rods[i].rod;
        rod->friction = i == 0 ? 0.4 : 0.9, rod->friction_across = i == 0 ? 1.0 : 2.0;
        rod->surface = i + 1;
    }
    s.colliders.reach = 0.05 * RADIUS;
    add_still_solid(s.world, &s.colliders, CORD_SOLID_PLANE, (CordVec3){0, 0, 0}, (CordVec3){0, 0, 0}, 0.1);
    s.colliders.solids[0].surface = 7;
    for (int n = 0; n < 3; n++) {
        s.colliders.begin[n] = (CordVec3){0.1 * n - 0.06, 0, 1.02 * RADIUS};
        s.colliders.begin[3 + n] = (CordVec3){0, 0.1 * n - 0.06, 3.04 * RADIUS};
    }
    memcpy(s.colliders.from, s.colliders.begin, sizeof(CordVec3) * 6);
    memcpy(s.colliders.to, s.colliders.begin, sizeof(CordVec3) * 6);
    ContactLaw law = {.gap = 0.05};
    CHECK(broad_phase_update(&s.world->memory, &s.colliders));
    CHECK(narrow_phase_find(&s.world->memory, &s.contacts, &s.colliders, s.colliders.begin, &law));
    return s;
}

static void close_scene(Scene* s)
{
    friction_anchors_free(&s->world->memory, &s->anchors);
    contact_points_free(&s->world->memory, &s->contacts);
    colliders_free(&s->world->memory, &s->colliders);
    cord_world_destroy(s->world);
}

// A step in which all surfaces move by u over each other.
static const FrictionAnchor* step(Scene* s, CordVec3 u)
{
    FrictionLaw law = {.friction = 0.5};
    CHECK(friction_anchors_begin(&s->world->memory, &s->anchors, &s->colliders, &s->contacts, &law));
    CHECK_INT(s->anchors.count, s->contacts.count);
    for (int i = 0; i < s->anchors.count; i++) {
        friction_anchor_update(&s->anchors.all[i], u);
    }
    CHECK(friction_anchors_end(&s->world->memory, &s->anchors));
    return &s->anchors.all[0];
}

TEST(drifts_are_remembered_and_what_slides_beyond_is_lost)
{
    Scene s = open_scene();
    CHECK(s.contacts.count >= 4);
    CHECK(friction_anchors_warm_start(&s.anchors, &s.contacts.all[0]) == NULL);
    double push = s.contacts.all[0].push;
    for (int k = 1; k <= 5; k++) { // five tenths of a slip length are as good as a half
        step(&s, vec3_mul(ahead, 0.1 * SLIP));
    }
    const FrictionWarmStart* memory = friction_anchors_warm_start(&s.anchors, &s.contacts.all[0]);
    CHECK(memory && !memory->slides);
    CHECK_VEC3(memory->deflection, vec3_mul(ahead, 0.5 * SLIP), 1e-17);
    double held = -memory->force.x;
    CHECK(held > 0.0);
    for (int k = 0; k < 10; k++) { // at rest nothing creeps
        CHECK_NEAR(step(&s, (CordVec3){0, 0, 0})->force.x, -held, 0.0);
    }
    step(&s, vec3_mul(ahead, 5.0 * SLIP));
    memory = friction_anchors_warm_start(&s.anchors, &s.contacts.all[0]);
    CHECK(memory->slides);
    CHECK_VEC3(memory->deflection, vec3_mul(ahead, SLIP), 1e-17);
    double most =
        0.5 * push * friction_anisotropy(s.contacts.all[0].axis, (const double[2]){1.0, 2.0}, 2, ahead);
    CHECK_NEAR(-memory->force.x, most, 1e-12 * push);
    // it yielded: back by as much is none
    CHECK_NEAR(step(&s, vec3_mul(ahead, -SLIP))->force.x, 0.0, 1e-10 * push);
    CHECK_NEAR(step(&s, vec3_mul(ahead, -3.0 * SLIP))->force.x, most, 1e-12 * push);
    close_scene(&s);
}

TEST(drifts_follow_a_normal_that_turns)
{
    Scene s = open_scene();
    step(&s, vec3_mul(ahead, 0.5 * SLIP));
    s.contacts.all[0].n = vec3_unit((CordVec3){1, 0, 1});
    const FrictionAnchor* anchor = step(&s, (CordVec3){0, 0, 0});
    CHECK_NEAR(vec3_dot(anchor->deflection, anchor->contact.n), 0.0, 1e-18);
    CHECK_NEAR(vec3_length(anchor->deflection), 0.5 * SLIP * sqrt(0.5), 1e-17);
    close_scene(&s);
}

TEST(friction_takes_energy_on_any_way_there_and_back)
{
    Scene s = open_scene();
    uint64_t seed = 8;
    for (int k = 0; k < 50; k++) {
        double work = 0.0;
        CordVec3 at = {0, 0, 0};
        s.anchors.warm_count = 0; // as if they had just met
        for (int i = 0; i < 40; i++) {
            CordVec3 to = i == 39 ? (CordVec3){0, 0, 0} : vec3_reject(random_vec3(&seed, 3.0 * SLIP), up);
            for (int j = 0; j < 50; j++) { // in steps so short that the force is that of the way
                CordVec3 u = vec3_mul(vec3_sub(to, at), 1.0 / 50.0);
                work += vec3_dot(step(&s, u)->force, u);
            }
            at = to;
        }
        CHECK(work < 0.0);
    }
    close_scene(&s);
}

TEST(what_does_not_push_is_forgotten)
{
    Scene s = open_scene();
    step(&s, vec3_mul(ahead, 0.5 * SLIP));
    ContactPoint gone = s.contacts.all[0];
    s.contacts.count--;
    memmove(s.contacts.all, s.contacts.all + 1, sizeof(ContactPoint) * (size_t)s.contacts.count);
    step(&s, (CordVec3){0, 0, 0});
    CHECK(friction_anchors_warm_start(&s.anchors, &gone) == NULL);
    CHECK(friction_anchors_warm_start(&s.anchors, &s.contacts.all[0]) != NULL);
    s.contacts.all[0].push = 0.0;
    FrictionLaw law = {.friction = 0.5}, none = {.friction = 0.0};
    CHECK(friction_anchors_begin(&s.world->memory, &s.anchors, &s.colliders, &s.contacts, &law));
    CHECK_INT(s.anchors.count, s.contacts.count - 1);
    CHECK(friction_anchors_begin(&s.world->memory, &s.anchors, &s.colliders, &s.contacts, &none));
    CHECK_INT(s.anchors.count, 0);
    close_scene(&s);
}

// ---- keys

static ContactKey random_key(uint64_t* seed, int range)
{
    int k[4];
    for (int i = 0; i < 4; i++) {
        k[i] = (int)random_in(seed, i == 2 ? -1.0 : 0.0, (double)range);
    }
    k[2] = random_in(seed, 0.0, 1.0) < 0.5 ? -1 : abs(k[2]); // of rods: none
    return (ContactKey){k[0], k[1], k[2], k[3]};
}

static bool same_key(const ContactKey* p, const ContactKey* q)
{
    return p->a == q->a && p->b == q->b && p->feature == q->feature && p->part == q->part;
}

TEST(keys_are_in_one_strict_order)
{
    uint64_t seed = 6;
    int equal = 0, chains = 0;
    for (int i = 0; i < 200000; i++) {
        int range = i % 2 == 0 ? 2 : 1000000000;
        ContactKey p = random_key(&seed, range), q = random_key(&seed, range), r = random_key(&seed, range);
        int pq = contact_key_compare(&p, &q), qr = contact_key_compare(&q, &r),
            pr = contact_key_compare(&p, &r);
        CHECK(pq == -1 || pq == 0 || pq == 1);
        CHECK_INT(contact_key_compare(&q, &p), -pq);
        CHECK(same_key(&p, &q) == (pq == 0));
        CHECK_INT(contact_key_compare(&p, &p), 0);
        if (pq <= 0 && qr <= 0) {
            CHECK_INT(pr, pq < 0 || qr < 0 ? -1 : 0);
            chains++;
        }
        equal += pq == 0;
    }
    CHECK(equal > 1000 && chains > 20000);
}

TEST(touches_are_found_in_the_order_of_their_keys)
{
    Scene s = open_scene();
    int kinds = 0;
    for (int i = 1; i < s.contacts.count; i++) {
        ContactKey p = contact_persistent_key(&s.contacts.all[i - 1]),
                   q = contact_persistent_key(&s.contacts.all[i]);
        CHECK_INT(contact_key_compare(&p, &q), -1);
        kinds += s.contacts.all[i - 1].kind != s.contacts.all[i].kind;
    }
    CHECK_INT(kinds, 1); // rods, then the plane
    ContactPoint rods = {.key = {1, 2, 0, 0}, .kind = CONTACT_SEGMENTS},
                 solid = {.key = {1, 2, 0, 0}, .kind = CONTACT_SOLID};
    ContactKey p = contact_persistent_key(&rods), q = contact_persistent_key(&solid);
    CHECK_INT(contact_key_compare(&p, &q), -1); // the same numbers, of other things
    close_scene(&s);
}

// ---- coefficients

static const ContactPoint* first_of(const Scene* s, ContactKind kind)
{
    for (int i = 0; i < s->contacts.count; i++) {
        if (s->contacts.all[i].kind == kind) {
            return &s->contacts.all[i];
        }
    }
    CHECK(false);
    return NULL;
}

TEST(coefficients_are_those_of_pairs_then_of_contact_then_of_materials)
{
    Scene s = open_scene();
    const ContactPoint *rods = first_of(&s, CONTACT_SEGMENTS), *ground = first_of(&s, CONTACT_SOLID);
    const CordFrictionPair pairs[] = {{{2, 1}, 0.77}, {{1, 7}, 0.0}, {{1, 1}, 5.0}},
                           others[] = {{{7, 1}, 0.33}, {{2, 2}, 6.0}};
    FrictionLaw by_pair = {.friction = 0.2, .pairs = pairs, .pair_count = 3},
                turned = {.friction = 0.2, .pairs = others, .pair_count = 2};
    FrictionLaw by_contact = {.friction = 0.2}, by_material = {.friction = NAN}, none = {.friction = 0.0};
    CHECK_NEAR(contact_point_friction(&s.colliders, rods, &by_pair).mu, 0.77, 0.0);
    CHECK_NEAR(contact_point_friction(&s.colliders, ground, &by_pair).mu, 0.0, 0.0);
    CHECK_NEAR(contact_point_friction(&s.colliders, ground, &turned).mu, 0.33, 0.0);
    CHECK_NEAR(contact_point_friction(&s.colliders, rods, &turned).mu, 0.2, 0.0);
    CHECK_NEAR(contact_point_friction(&s.colliders, rods, &by_contact).mu, 0.2, 0.0);
    CHECK_NEAR(contact_point_friction(&s.colliders, rods, &by_material).mu, sqrt(0.4 * 0.9), 1e-15);
    CHECK_NEAR(contact_point_friction(&s.colliders, ground, &by_material).mu, sqrt(0.4 * 0.1),
               1e-15); // the first rod's
    CHECK_NEAR(contact_point_friction(&s.colliders, rods, &none).mu, 0.0, 0.0);
    FrictionCoefficients grip = contact_point_friction(&s.colliders, rods, &by_contact);
    CHECK_NEAR(grip.across[0], 1.0, 0.0);
    CHECK_NEAR(grip.across[1], 2.0, 0.0);
    grip = contact_point_friction(&s.colliders, ground, &by_contact);
    CHECK_NEAR(grip.across[1], 1.0, 0.0); // of what is no rod
    close_scene(&s);
}

TEST(the_way_of_a_solid_is_that_of_the_point_which_is_touched)
{
    Scene s = open_scene();
    ColliderSolid* solid = &s.colliders.solids[0];
    ContactPoint contact = *first_of(&s, CONTACT_SOLID);
    contact.arm[1] = (CordVec3){0.3, 0, 0};
    solid->to = (Pose){{1, 2, 3}, cord_quat_about((CordVec3){0, 0, 1}, 0.5 * CORD_PI)};
    CHECK_VEC3(contact_point_solid_motion(&s.colliders, &contact), ((CordVec3){1.0 - 0.3, 2.0 + 0.3, 3.0}),
               1e-15);
    CHECK_VEC3(contact_point_solid_motion(&s.colliders, first_of(&s, CONTACT_SEGMENTS)),
               ((CordVec3){0, 0, 0}), 0.0);
    close_scene(&s);
}

TEST_GROUP(contact_friction)
