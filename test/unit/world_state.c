// The state as bytes: got, set, hashed, and refused.
#include "world_parts.h"

// One rod of each kind; a clamp on the first lets go at 0.03 s, two on the ring at 0.04 s and 0.05 s.
static CordWorld* build(void)
{
    CordWorld* world = new_world(down);
    CordRodDef line = line_def(14), rope = line_def(11), ring = ring_def(16), hoop = ring_def(12);
    line.twist = 4.0, ring.twist = 1.0;
    rope.inextensible = hoop.inextensible = true;
    CordRodId a = add_rod(world, &line), b = add_rod(world, &rope), c = add_rod(world, &ring);
    hold(world, add_rod(world, &hoop), cord_at_node(5), CORD_FIX_POSITION);
    hold(world, a, cord_at_start(), CORD_FIX_FRAME);
    hold_until(world, a, cord_at_end(), CORD_FIX_FRAME, 0.03);
    hold(world, b, cord_at_start(), CORD_FIX_POSITION);
    hold_until(world, c, cord_at_edge(3), CORD_FIX_FRAME, 0.04);
    hold_until(world, c, cord_at_edge(9), CORD_FIX_FRAME, 0.05);
    add_force(world, b, cord_at_end(), (CordVec3){0, 0.1, 0});
    add_drag(world, a, 0.05);
    return world;
}

// Twist that nothing holds is there until the first step: a state from before it has more to tell than one
// from after.
TEST(a_state_from_before_the_first_step_can_be_put_back_after_it)
{
    CordWorld* world = new_world(down);
    CordRodDef def = line_def(9);
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0.3, 0.5, 0.8}, 9);
    def.twist = 2.0;
    CordRodId free_rod = add_rod(world, &def), held = add_rod(world, &def);
    hold(world, held, cord_at_end(), CORD_FIX_FRAME);
    Saved before = save(world);
    run(world, 1e-4, 10);
    Saved after = save(world);
    CHECK_NEAR(cord_rod_twist(world, free_rod), 0.0, 0.0);
    restore(world, &before);
    CHECK_NEAR(cord_rod_twist(world, free_rod), 2.0 / (2 * CORD_PI), 1e-15);
    restore(world, &after);
    restore(world, &before);
    run(world, 1e-4, 10);
    CHECK(cord_world_state_hash(world) == after.hash);
    drop_saved(&before), drop_saved(&after);
    cord_world_destroy(world);
}

// A position-based rod that is inextensible is as stiff as its weight asks for, whether gravity was there at
// its creation, was set later, or came with a state.
TEST(gravity_may_be_set_at_any_time)
{
    const CordVec3 strong = {0, 0, -300.0};
    Saved first = {0};
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        CordWorld* world = i == 0 ? new_world(strong) : new_weightless_world();
        CordRodDef def = line_def(9);
        def.model = CORD_MODEL_PBD, def.inextensible = true, def.stiffness.EA = 1.0;
        hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_POSITION);
        if (i == 1) {
            CHECK_OK(cord_world_set_gravity(world, strong));
        } else if (i == 2) {
            restore(world, &first);
        } else {
            first = save(world);
        }
        run(world, 1e-3, 10);
        hash[i] = cord_world_state_hash(world);
        CHECK(hash[i] == hash[0]);
        cord_world_destroy(world);
    }
    drop_saved(&first);
}

// A torque that no clamp takes turns frames for ever.
TEST(frames_without_equilibrium_are_told_after_a_restore)
{
    CordWorld* world[2];
    for (int i = 0; i < 2; i++) {
        world[i] = new_weightless_world();
        CordRodDef def = line_def(9);
        def.damping_time = 1e-4; // has frames of its own
        CordLoadDef torque = cord_load_def_default();
        torque.kind = CORD_LOAD_TORQUE, torque.rod = add_rod(world[i], &def), torque.at = cord_at_edge(3);
        torque.torque = (CordVec3){1e-3, 0, 0};
        if (i == 0) {
            run(world[i], 1e-4, 1);
        }
        add_load(world[i], &torque);
    }
    Saved saved = save(world[0]);
    restore(world[1], &saved);
    for (int i = 0; i < 2; i++) {
        CHECK_RESULT(cord_world_step(world[i], 1e-4), CORD_NOT_CONVERGED);
        CHECK_CONTAINS(cord_world_message(world[i]), "found no equilibrium");
        CHECK(cord_world_state_hash(world[i]) == saved.hash);
        cord_world_destroy(world[i]);
    }
    drop_saved(&saved);
}

TEST(everything_that_can_be_set_is_in_the_hash)
{
    CordWorld* world = build();
    uint64_t hash = cord_world_state_hash(world);
    CordVec3 x[14];
    CordRodId rod = cord_world_rod(world, 0);
    CHECK_OK(cord_rod_positions(world, rod, x));
    x[5].y = 1e-300;
    CHECK_OK(cord_rod_set_positions(world, rod, x));
    check_hash_changed(world, &hash);
    x[5] = (CordVec3){0, 0, -0.0}; // as velocities
    CHECK_OK(cord_rod_set_velocities(world, rod, x));
    check_hash_changed(world, &hash);
    cord_world_set_gravity(world, (CordVec3){0, 0, -9.8});
    check_hash_changed(world, &hash);
    CHECK_OK(cord_clamp_move(world, cord_world_clamp(world, 0), (CordVec3){0, 1e-9, 0}, quat_identity()));
    check_hash_changed(world, &hash);
    cord_world_destroy(world);
}

// ---- what is refused

static void refused(CordWorld* world, const CordWorld* other) // the other's state
{
    Saved foreign = save(other);
    uint64_t before = cord_world_state_hash(world);
    CHECK_RESULT(cord_world_state_set(world, foreign.bytes, foreign.size), CORD_BAD_STATE);
    CHECK_CONTAINS(cord_world_message(world), "does not fit this world");
    CHECK(cord_world_state_hash(world) == before);
    drop_saved(&foreign);
}

TEST(the_wrong_room_for_a_state_is_refused)
{
    CordWorld* world = build();
    uint8_t bytes[16];
    CHECK_RESULT(cord_world_state_get(world, bytes, sizeof bytes), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "16 were offered");
    cord_world_destroy(world);
}

TEST(the_state_of_another_world_is_refused)
{
    CordWorld *world = build(), *other = build();
    add_line(other, 5);
    refused(world, other);
    cord_world_destroy(other);
    other = new_world(down);
    CordRodId rod = add_line(other, 15); // one node more
    refused(world, other);
    hold(other, rod, cord_at_start(), CORD_FIX_FRAME);
    refused(world, other);
    cord_world_destroy(world);
    cord_world_destroy(other);
}

// A file may be damaged anywhere: what no longer makes sense is refused, what still does is only another
// state.
TEST(a_damaged_byte_never_does_more_than_change_a_number)
{
    CordWorld* world = build();
    run(world, 1e-3, 5);
    Saved s = save(world);
    int refusals = 0;
    for (size_t i = 0; i < s.size; i++) {
        uint8_t kept = s.bytes[i];
        s.bytes[i] ^= 0x55;
        CordResult result = cord_world_state_set(world, s.bytes, s.size);
        CHECK(result == CORD_OK || result == CORD_BAD_STATE);
        if (result == CORD_BAD_STATE) {
            CHECK(cord_world_state_hash(world) == s.hash);
            refusals++;
        }
        s.bytes[i] = kept;
        restore(world, &s);
    }
    CHECK(refusals > 100); // counts, versions, flags, edges
    drop_saved(&s);
    cord_world_destroy(world);
}

// Clamps that hold in one part of the bytes and not in another are found out by the model, half-way through.
TEST(a_state_that_the_model_refuses_is_put_back_in_every_rod)
{
    CordWorld* world = new_world(down);
    CordRodDef def = line_def(8);
    for (int i = 0; i < 2; i++) {
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        hold_with_torque(world, rod, cord_at_end(), 1e-3);
    }
    run(world, 1e-4, 5);
    Saved s = save(world);
    int refusals = 0;
    for (size_t i = 0; i + 8 <= s.size; i += 8) {
        uint64_t one = 1, word;
        memcpy(&word, s.bytes + i, 8);
        if (word == one) { // a flag of a clamp, or a version
            s.bytes[i] = 0;
            CordResult result = cord_world_state_set(world, s.bytes, s.size);
            CHECK(result == CORD_OK || result == CORD_BAD_STATE);
            CHECK(result == CORD_OK || cord_world_state_hash(world) == s.hash);
            refusals += result == CORD_BAD_STATE;
            s.bytes[i] = 1;
            restore(world, &s);
        }
    }
    CHECK(refusals >= 3); // the version, and the two clamps that hold
    run(world, 1e-4, 5);
    drop_saved(&s);
    cord_world_destroy(world);
}

// It may grow in the middle of a step that must still be undone: contacts that were found since take more
// bytes.
TEST(a_snapshot_that_grows_keeps_its_bytes)
{
    CordWorld* world = new_weightless_world();
    unsigned char pattern[64];
    memset(pattern, 0xa5, sizeof pattern);
    CHECK_OK(world_reserve_snapshot(world, sizeof pattern));
    memcpy(world->snapshot, pattern, sizeof pattern);
    CHECK_OK(world_reserve_snapshot(world, 1 << 16));
    CHECK(memcmp(world->snapshot, pattern, sizeof pattern) == 0);
    cord_world_destroy(world);
}

TEST_GROUP(world_state)
