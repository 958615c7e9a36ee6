// Friction: its coefficients, and the keys under which contacts are remembered from step to step.
#include "collider_rods.h"
#include "contact/chord.h"
#include "contact/surface_law.h"

#define RADIUS 0.01

static const CordVec3 ahead = {1, 0, 0}, aside = {0, 1, 0};

TEST(friction_across_a_rod_differs_from_that_along_it)
{
    const CordVec3 axis[2] = {ahead, aside};
    const FrictionShape shape = {{3.0, 0.5}, {1.0, 1.0}, false};
    CHECK_NEAR(friction_anisotropy(axis, &shape, 1, ahead), 1.0, 1e-15);
    CHECK_NEAR(friction_anisotropy(axis, &shape, 1, aside), 3.0, 1e-15);
    CHECK_NEAR(friction_anisotropy(axis, &shape, 1, vec3_unit((CordVec3){1, 1, 0})), sqrt(0.5 + 0.5 * 9.0),
               1e-14);
    // along the one, across the other
    CHECK_NEAR(friction_anisotropy(axis, &shape, 2, ahead), sqrt(1.0 * 0.5), 1e-15);
    CHECK_NEAR(friction_anisotropy(axis, &shape, 2, aside), sqrt(3.0 * 1.0), 1e-15);
}

// A force on a that points forwards along its axis is against sliding backwards. The force on b is opposite.
TEST(friction_backwards_differs_from_that_forwards)
{
    const CordVec3 axis[2] = {ahead, ahead}, behind = {-1, 0, 0};
    const FrictionShape shape = {{0.5, 1.0}, {3.0, 7.0}, false};
    CHECK_NEAR(friction_anisotropy(axis, &shape, 1, ahead), 3.0, 1e-15);
    CHECK_NEAR(friction_anisotropy(axis, &shape, 1, behind), 1.0, 1e-15);
    CHECK_NEAR(friction_anisotropy(axis, &shape, 1, aside), 0.5, 1e-15);
    CHECK_NEAR(friction_anisotropy(axis, &shape, 2, ahead), sqrt(3.0 * 1.0), 1e-15);
    CHECK_NEAR(friction_anisotropy(axis, &shape, 2, behind), sqrt(1.0 * 7.0), 1e-15);
}

typedef struct Scene { // two crossing rods above a plane, with one touch of each kind
    CordWorld* world;
    Colliders colliders;
    ContactPoints contacts;
} Scene;

static Scene open_scene(void)
{
    Scene s = {.world = new_weightless_world()};
    add_straight_rods(s.world, &s.colliders, 2, 3, 0.5, RADIUS);
    for (int i = 0; i < 2; i++) {
        Rod* rod = s.colliders.rods[i].rod;
        rod->surface.friction = i == 0 ? 0.4 : 0.9, rod->surface.friction_across = i == 0 ? 1.0 : 2.0;
        rod->surface.friction_kinetic = i == 0 ? 0.3 : 0.9, rod->surface.id = i + 1;
    }
    s.colliders.reach = 0.05 * RADIUS;
    add_still_solid(s.world, &s.colliders, CORD_SOLID_PLANE, (CordVec3){0, 0, 0}, (CordVec3){0, 0, 0}, 0.1);
    s.colliders.solids[0].surface.id = 7;
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
    contact_points_free(&s->world->memory, &s->contacts);
    colliders_free(&s->world->memory, &s->colliders);
    cord_world_destroy(s->world);
}

// ---- the lever

// Elements of 0.6 radii: the chord has five of them about a segment, and four about a node.
TEST(the_lever_is_two_radii_long_whatever_place_on_a_segment_is_closest)
{
    CordWorld* w = new_weightless_world();
    Colliders cs = {0};
    add_straight_rods(w, &cs, 1, 11, 0.6 * RADIUS, RADIUS);
    for (int n = 0; n < 11; n++) {
        cs.to[n] = (CordVec3){0.6 * RADIUS * n, 0, 0};
    }
    ContactPoint contact = {.key = {4, 0, 0, 0}, .kind = CONTACT_SEGMENTS, .axis = {ahead, ahead}};
    for (double s = 0.0; s <= 1.0; s += 0.5) { // also where it is a node
        contact.s = s;
        Chord chord = chord_of(&cs, cs.to, &contact, 0);
        CHECK_INT(chord.node[0], 2);
        CHECK_INT(chord.node[1], 7); // symmetric about the segment from 4 to 5
        CHECK_NEAR(chord.inv_len, 1.0 / (3.0 * RADIUS), 1e-9);
    }
    contact.key.part = 2, contact.s = 1.0; // the end of the segment, for good
    Chord chord = chord_of(&cs, cs.to, &contact, 0);
    CHECK_INT(chord.node[0], 3);
    CHECK_INT(chord.node[1], 7);
    colliders_free(&w->memory, &cs);
    cord_world_destroy(w);
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

static SurfaceLaw law_of(const Colliders* cs, const ContactPoint* contact, const SurfaceLaws* law)
{
    return surface_pair_law(law, contact_point_surfaces(cs, contact));
}

TEST(coefficients_are_those_of_pairs_then_of_contact_then_of_materials)
{
    Scene s = open_scene();
    const ContactPoint *rods = first_of(&s, CONTACT_SEGMENTS), *ground = first_of(&s, CONTACT_SOLID);
    const CordSurfacePair pairs[] = {{{2, 1}, 0.77, NAN, NAN, NAN, NAN},
                                     {{1, 7}, 0.0, NAN, NAN, NAN, NAN},
                                     {{1, 1}, 5.0, NAN, NAN, NAN, NAN}},
                          others[] = {{{7, 1}, 0.33, NAN, NAN, NAN, NAN}, {{2, 2}, 6.0, NAN, NAN, NAN, NAN}};
    SurfaceLaws by_pair = {.friction = 0.2, .pairs = pairs, .pair_count = 3},
                turned = {.friction = 0.2, .pairs = others, .pair_count = 2};
    SurfaceLaws by_contact = {.friction = 0.2}, by_material = {.friction = NAN}, none = {.friction = 0.0};
    CHECK_NEAR(law_of(&s.colliders, rods, &by_pair).mu, 0.77, 0.0);
    CHECK_NEAR(law_of(&s.colliders, ground, &by_pair).mu, 0.0, 0.0);
    CHECK_NEAR(law_of(&s.colliders, ground, &turned).mu, 0.33, 0.0);
    CHECK_NEAR(law_of(&s.colliders, rods, &turned).mu, 0.2, 0.0);
    CHECK_NEAR(law_of(&s.colliders, rods, &by_contact).mu, 0.2, 0.0);
    CHECK_NEAR(law_of(&s.colliders, rods, &by_material).mu, sqrt(0.4 * 0.9), 1e-15);
    CHECK_NEAR(law_of(&s.colliders, ground, &by_material).mu, sqrt(0.4 * 0.1),
               1e-15); // the first rod's
    CHECK_NEAR(law_of(&s.colliders, rods, &none).mu, 0.0, 0.0);
    SurfaceLaw grip = law_of(&s.colliders, rods, &by_contact);
    CHECK_NEAR(grip.shape.across[0], 1.0, 0.0);
    CHECK_NEAR(grip.shape.across[1], 2.0, 0.0);
    grip = law_of(&s.colliders, ground, &by_contact);
    CHECK_NEAR(grip.shape.across[1], 1.0, 0.0); // of what is no rod
    close_scene(&s);
}

TEST(what_slips_faster_than_the_stick_speed_has_kinetic_friction)
{
    Scene s = open_scene();
    SurfaceLaws law = {.friction = NAN, .stick_speed = 0.1};
    SurfaceLaw grip = law_of(&s.colliders, first_of(&s, CONTACT_SEGMENTS), &law);
    CHECK_NEAR(grip.mu_kinetic, sqrt(0.3 * 0.9), 1e-15);
    const CordVec3 up = {0, 0, 1};
    CHECK_NEAR(friction_coefficient(&law, &grip, up, (CordVec3){0.06, 0.07, 5.0}), grip.mu, 0.0);
    CHECK_NEAR(friction_coefficient(&law, &grip, up, (CordVec3){0.08, 0.07, 5.0}), grip.mu_kinetic, 0.0);
    const CordSurfacePair pair = {{1, 2}, 0.8, 0.6, NAN, NAN, NAN};
    law.pairs = &pair, law.pair_count = 1;
    grip = law_of(&s.colliders, first_of(&s, CONTACT_SEGMENTS), &law);
    CHECK_NEAR(grip.mu, 0.8, 0.0);
    CHECK_NEAR(grip.mu_kinetic, 0.6, 0.0);
    close_scene(&s);
}

TEST(restitution_is_that_of_pairs_then_of_contact_then_the_larger_of_two_materials)
{
    Scene s = open_scene();
    const ContactPoint* rods = first_of(&s, CONTACT_SEGMENTS);
    s.colliders.rods[0].rod->surface.restitution = 0.3, s.colliders.rods[1].rod->surface.restitution = 0.6;
    CordSurfacePair pair = {{1, 2}, 0.8, 0.6, NAN, NAN, NAN};
    SurfaceLaws laws = {.friction = NAN, .restitution = NAN, .pairs = &pair, .pair_count = 1};
    CHECK_NEAR(law_of(&s.colliders, rods, &laws).restitution, 0.6, 0.0);
    laws.restitution = 0.2;
    CHECK_NEAR(law_of(&s.colliders, rods, &laws).restitution, 0.2, 0.0);
    pair.restitution = 0.9;
    CHECK_NEAR(law_of(&s.colliders, rods, &laws).restitution, 0.9, 0.0);
    close_scene(&s);
}

TEST(resistance_to_rolling_is_that_of_pairs_or_the_larger_of_two_materials)
{
    Scene s = open_scene();
    const ContactPoint* rods = first_of(&s, CONTACT_SEGMENTS);
    ContactSurface *a = &s.colliders.rods[0].rod->surface, *b = &s.colliders.rods[1].rod->surface;
    a->rolling = 1e-3, b->rolling = 2e-3, a->spinning = 4e-3, b->spinning = 3e-3;
    CordSurfacePair pair = cord_surface_pair_default(1, 2, 0.8);
    SurfaceLaws laws = {.friction = NAN, .restitution = NAN, .pairs = &pair, .pair_count = 1};
    CHECK_NEAR(law_of(&s.colliders, rods, &laws).rolling, 2e-3, 0.0);
    CHECK_NEAR(law_of(&s.colliders, rods, &laws).spinning, 4e-3, 0.0);
    pair.rolling_friction = 1e-4, pair.spinning_friction = 0.0;
    CHECK_NEAR(law_of(&s.colliders, rods, &laws).rolling, 1e-4, 0.0);
    CHECK_NEAR(law_of(&s.colliders, rods, &laws).spinning, 0.0, 0.0);
    pair.friction = 0.0; // nothing holds the surfaces to each other
    CHECK_NEAR(law_of(&s.colliders, rods, &laws).rolling, 0.0, 0.0);
    close_scene(&s);
}

TEST(what_closes_fast_enough_in_the_step_rebounds)
{
    SurfaceLaws laws = {.impact_speed = 0.1};
    SurfaceLaw law = {.restitution = 0.5};
    const CordVec3 up = {0, 0, 1}, none = {0, 0, 0}, fast = {0.4, 0, -2.0}, slow = {0.4, 0, -0.1};
    const double h = 1e-3;
    Rebound r = surface_rebound(&laws, &law, up, fast, none, 0.002, h);
    CHECK_NEAR(r.parts, 0.001, 1e-15);
    CHECK_NEAR(r.slip.x, 0.5 * 0.4e-3, 1e-15);
    CHECK_NEAR(surface_rebound(&laws, &law, up, fast, (CordVec3){0, 0, -0.2}, 0.002, h).parts, 0.8e-3, 1e-15);
    CHECK_NEAR(surface_rebound(&laws, &law, up, fast, (CordVec3){0, 0, 0.2}, 0.002, h).parts, 1e-3, 1e-15);
    CHECK_NEAR(surface_rebound(&laws, &law, up, fast, none, 0.0021, h).parts, 0.0, 0.0); // not in this step
    CHECK_NEAR(surface_rebound(&laws, &law, up, slow, none, 0.0, h).parts, 0.0, 0.0);
    law.restitution = 0.0;
    CHECK_NEAR(surface_rebound(&laws, &law, up, fast, none, 0.0, h).parts, 0.0, 0.0);
}

TEST(the_last_stretch_that_holds_a_contact_has_its_surface)
{
    Scene s = open_scene();
    const ContactPoint* rods = first_of(&s, CONTACT_SEGMENTS);
    const Segment* g = &s.colliders.segments[rods->key.a];
    Rod* rod = s.colliders.rods[g->rod].rod;
    double arc = g->arc[0] + rods->s * (g->arc[1] - g->arc[0]);
    ContactStretch stretches[3] = {{0.0, 10.0, contact_surface_of_solid(11, 0.1, NAN, 0.0)},
                                   {arc - 1e-6, arc + 1e-6, contact_surface_of_solid(12, 0.2, 0.15, 0.0)},
                                   {arc + 1e-6, 10.0, contact_surface_of_solid(13, 0.3, NAN, 0.0)}};
    rod->stretches = stretches, rod->stretch_count = 3;
    const ContactSurface* surface = contact_point_surfaces(&s.colliders, rods).a;
    CHECK_INT(surface->id, 12);
    CHECK_NEAR(surface->friction_kinetic, 0.15, 0.0);
    rod->stretch_count = 1;
    CHECK_INT(contact_point_surfaces(&s.colliders, rods).a->id, 11);
    rod->stretches = NULL, rod->stretch_count = 0;
    CHECK_INT(contact_point_surfaces(&s.colliders, rods).a->id, rod->surface.id);
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
