// Which steps lead from frame to frame.
#include "scene_text.h"

#include <cordage/ledger.h>
#include <cordage/pace.h>

// A rope that swings: explicit steps, their length advised.
static const char swing[] =
    SCENE_WITH("'gravity': [0, 0, -9.81], 'clamps': [{'rod': 'rope', 'at': 'start'}], ", "");

// A thread so soft that its edges are stretched threefold and squeezed to little: the step changes all the
// time.
static const char soft[] =
    "{'cordage': 1, 'gravity': [0, 0, -9.81], 'time': {'end': 2},"
    " 'materials': {'gel': {'young': %g, 'poisson': 0.5, 'density': 1000}},"
    " 'rods': [{'name': 'thread', 'model': 'der', 'material': 'gel', 'elements': %d,"
    " 'section': {'disc': {'radius': 0.001}}, 'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}}],"
    " 'clamps': [{'rod': 'thread', 'at': 'start', 'fix': 'position'}]}";

typedef struct Paced {
    CordScene* scene;
    CordWorld* world;
    CordPace pace;
} Paced;

static Paced paced(const char* text, double step, double end, double fps)
{
    Paced p;
    char* quoted = scene_text_quoted(text);
    CHECK_OK(cord_scene_parse(quoted, strlen(quoted), "scene.json", NULL, 0, &p.scene));
    CHECK_OK(cord_scene_build(p.scene, NULL, &p.world));
    free(quoted);
    p.pace = cord_pace_begin(&(CordPaceDef){p.scene, step, end, fps});
    return p;
}

static void paced_end(Paced* p)
{
    cord_world_destroy(p->world);
    cord_scene_destroy(p->scene);
}

// To the next frame, at most `piece` steps between two questions. Returns what stopped it.
static CordPaceNext frame_reach(Paced* p, int piece)
{
    CordPaceNext next = cord_pace_next(&p->pace, p->world);
    while (next.kind == CORD_PACE_STEPS) {
        CHECK(next.count >= 1 && next.count <= 32);
        CHECK_OK(cord_world_step_many(p->world, next.h, next.count < piece ? next.count : piece));
        next = cord_pace_next(&p->pace, p->world);
    }
    return next;
}

TEST(frames_come_at_their_times_and_at_the_end)
{
    Paced p = paced(swing, 0.0, 0.25, 10.0);
    const double times[] = {0.1, 0.2, 0.25};
    for (int i = 0; i < 3; i++) {
        CHECK(!cord_pace_is_done(&p.pace, p.world));
        CHECK(frame_reach(&p, 32).kind == CORD_PACE_FRAME);
        CHECK_NEAR(cord_world_time(p.world), times[i], 1e-12); // rounding of some thousand sums of order 0.1
        CHECK(cord_pace_is_frame_time(&p.pace, p.world) == (i < 2));
    }
    CHECK(cord_pace_is_done(&p.pace, p.world));
    int64_t steps = cord_world_steps(p.world);
    CHECK(frame_reach(&p, 32).kind == CORD_PACE_END);
    CHECK_INT(cord_world_steps(p.world), steps);
    paced_end(&p);
}

TEST(pieces_do_not_change_the_bits)
{
    const int pieces[] = {32, 1, 5};
    uint64_t hash[3];
    int64_t steps[3];
    for (int i = 0; i < 3; i++) {
        Paced p = paced(swing, 0.0, 0.25, 30.0);
        while (frame_reach(&p, pieces[i]).kind == CORD_PACE_FRAME) {
        }
        hash[i] = cord_world_state_hash(p.world);
        steps[i] = cord_world_steps(p.world);
        paced_end(&p);
    }
    CHECK(steps[0] > 64); // or there would be one piece in a frame
    CHECK(hash[1] == hash[0] && hash[2] == hash[0]);
    CHECK(steps[1] == steps[0] && steps[2] == steps[0]);
}

// As after a kill: another pace finds the world in the middle of a frame.
static void check_goes_on(const char* text, double end)
{
    Paced whole = paced(text, 0.0, end, 10.0), parted = paced(text, 0.0, end, 10.0);
    while (frame_reach(&whole, 32).kind == CORD_PACE_FRAME) {
    }
    for (CordPaceNext next = cord_pace_next(&parted.pace, parted.world); next.kind != CORD_PACE_END;
         next = cord_pace_next(&parted.pace, parted.world)) {
        if (next.kind == CORD_PACE_STEPS) {
            CHECK_OK(cord_world_step_many(parted.world, next.h, next.count < 7 ? next.count : 7));
        }
        if (!next.shortened) {
            parted.pace = cord_pace_begin(&parted.pace.def);
        }
    }
    CHECK_INT(cord_world_steps(parted.world), cord_world_steps(whole.world));
    CHECK(cord_world_state_hash(parted.world) == cord_world_state_hash(whole.world));
    paced_end(&whole);
    paced_end(&parted);
}

TEST(another_pace_goes_on_where_the_first_was)
{
    check_goes_on(swing, 0.25);
    char text[1000];
    snprintf(text, sizeof text, soft, 5e3, 30);
    check_goes_on(text, 1.96);
}

static double energy_of(const CordWorld* world)
{
    CordEnergy e = cord_rod_energy(world, cord_world_rod(world, 0));
    return e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
}

// 1 m of rubber thread, held at one end: edges are stretched sevenfold and squeezed to a thousandth, turn at
// thousands of radians a second, and the stable step varies by a factor of 1000. Each change of the step adds
// energy (src/scene/pace.c). The motion is chaotic: 22 such runs of 5 s, of 3 to 30 kPa, have 2.6e-6 J in the
// mean and 7.1e-6 J at most, which is 0.046 % of the weight times half a metre. Twice of that is allowed.
TEST(an_automatic_step_keeps_the_energy_of_a_soft_rod)
{
    const double young[] = {3e3, 5e3, 6e3, 10e3, 30e3};
    for (int i = 0; i < 5; i++) {
        char text[1000];
        snprintf(text, sizeof text, soft, young[i], 60);
        Paced p = paced(text, 0.0, 4.0, 30.0);
        CordPaceNext next = frame_reach(&p, 32);
        while (next.kind == CORD_PACE_FRAME) {
            next = frame_reach(&p, 32);
        }
        CHECK(next.kind == CORD_PACE_END);
        double exchanged = 9.81 * 3.14159e-6 * 1000.0 * 0.5;
        CHECK_NEAR(energy_of(p.world), 0.0, 0.0009 * exchanged);
        paced_end(&p);
    }
}

// A rope that nothing moves is spun about its start for some steps, and put back. A memory of the advice that
// holds the event lasts for up to 512 steps; then one without it begins.
TEST(a_step_that_a_short_event_shortened_grows_later)
{
    Paced p = paced(SCENE_WITH("", ""), 0.0, INFINITY, 0.01);
    CordRodId rod = cord_world_rod(p.world, 0);
    CordVec3 x[64], v[64], still[64] = {{0, 0, 0}};
    int n = cord_rod_node_count(p.world, rod);
    CHECK(n <= 64);
    cord_rod_positions(p.world, rod, x);
    CordPaceNext next = cord_pace_next(&p.pace, p.world);
    double first = next.h;
    for (int i = 0; i < n; i++) {
        v[i] = (CordVec3){0, 0.2 / first * (x[i].x - x[0].x), 0}; // edges turn by at most 0.1 in a step
    }
    CHECK_OK(cord_rod_set_velocities(p.world, rod, v));
    while (next.h == first) {
        CHECK_OK(cord_world_step(p.world, next.h));
        next = cord_pace_next(&p.pace, p.world);
    }
    CHECK(next.h < 0.5 * first);
    CHECK_OK(cord_rod_set_positions(p.world, rod, x));
    CHECK_OK(cord_rod_set_velocities(p.world, rod, still));
    int64_t begun = cord_world_steps(p.world);
    for (double h = next.h; next.h == h && cord_world_steps(p.world) < begun + 2000;
         next = cord_pace_next(&p.pace, p.world)) {
        CHECK_OK(cord_world_step(p.world, next.h));
    }
    CHECK_NEAR(next.h, 0.85 * first, 0.01 * first); // 0.85 of what fits, in a whole number of steps
    CHECK(cord_world_steps(p.world) - begun >= 512 && cord_world_steps(p.world) - begun <= 1024 + 64);
    paced_end(&p);
}

TEST(a_run_that_ends_later_has_the_same_steps_up_to_the_last)
{
    Paced ends = paced(swing, 0.0004, 0.025, 100.0), goes_on = paced(swing, 0.0004, INFINITY, 100.0);
    CHECK(frame_reach(&ends, 32).kind == CORD_PACE_FRAME && frame_reach(&ends, 32).kind == CORD_PACE_FRAME);
    CHECK(frame_reach(&goes_on, 32).kind == CORD_PACE_FRAME &&
          frame_reach(&goes_on, 32).kind == CORD_PACE_FRAME);
    CHECK(cord_world_state_hash(ends.world) == cord_world_state_hash(goes_on.world));
    CordPaceNext next = cord_pace_next(&ends.pace, ends.world);
    CHECK_NEAR(next.h, 0.0004, 1e-13); // a frame in 25
    CHECK_INT(next.plan.count, 25);
    CHECK_INT(next.count, 12);
    CHECK_OK(cord_world_step_many(ends.world, next.h, next.count));
    next = cord_pace_next(&ends.pace, ends.world);
    CHECK(next.shortened && next.count == 1);
    CHECK_NEAR(next.h, 0.0002, 1e-13);
    paced_end(&ends);
    paced_end(&goes_on);
}

TEST(the_step_is_chosen_once_a_frame_and_says_why)
{
    Paced p = paced(swing, 0.0, INFINITY, 10.0);
    CordPaceNext next = cord_pace_next(&p.pace, p.world);
    CHECK(next.chosen && next.choice.automatic);
    CHECK(next.h <= CORD_PACE_SAFETY * next.choice.advice.step);
    CHECK_NEAR(next.h * (double)next.plan.count, 0.1, 1e-12);
    CHECK_OK(cord_world_step_many(p.world, next.h, next.count));
    next = cord_pace_next(&p.pace, p.world);
    CHECK(!next.chosen && next.kind == CORD_PACE_STEPS);
    CHECK(frame_reach(&p, 32).kind == CORD_PACE_FRAME);
    CHECK(cord_pace_next(&p.pace, p.world).chosen);
    paced_end(&p);
}

TEST(a_step_that_would_never_get_there_is_refused)
{
    Paced p = paced(swing, 1e-12, 1.0, 10.0);
    CordPaceNext next = cord_pace_next(&p.pace, p.world);
    CHECK(next.kind == CORD_PACE_TOO_SHORT && next.count == 0);
    CHECK_NEAR(next.plan.h, 1e-12, 2e-16); // one that was written down is taken as up to 1e-4 longer
    CHECK(cord_pace_next(&p.pace, p.world).kind == CORD_PACE_TOO_SHORT);
    paced_end(&p);
}

// A rubber cord under its weight between two vices, of which one opens: the half element at its end, which
// was held, then shortens the stable step. What the run makes of energy is told by its ledger, less what the
// end stores more than it did.
TEST(the_step_is_bounded_again_when_a_clamp_lets_go)
{
    Paced p = paced("{'cordage': 1, 'gravity': [0, 0, -9.81], 'time': {'end': 1}, 'rods': [{'name': 'cord',"
                    " 'material': 'rubber', 'section': {'disc': {'radius': 0.005}}, 'elements': 40,"
                    " 'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}}],"
                    " 'clamps': [{'at': 'start', 'fix': 'frame'},"
                    " {'at': 'end', 'fix': 'frame', 'release': 0.5}]}",
                    0.0, 0.7, 60.0);
    CHECK_OK(cord_ledger_open(p.world));
    double before = 0.0, after = 0.0;
    for (CordPaceNext next = cord_pace_next(&p.pace, p.world); next.kind != CORD_PACE_END;
         next = cord_pace_next(&p.pace, p.world)) {
        if (next.kind == CORD_PACE_STEPS) {
            *(cord_world_time(p.world) < 0.49 ? &before : &after) = next.h;
            CHECK_OK(cord_world_step_many(p.world, next.h, next.count));
        }
    }
    CordLedger ledger;
    CHECK_OK(cord_ledger_read(p.world, &ledger));
    print_message("    steps of %.3g and %.3g s, %.2g J of %.2g J\n", before, after, ledger.error,
                  ledger.turnover);
    CHECK(after < 0.6 * before); // stable are 0.645 ms, and with the free end 0.35 ms
    CHECK_NEAR(ledger.error, 0.0, 1e-3 * ledger.turnover);
    paced_end(&p);
}

// How far the start of a position-based rope gets from where it is, and the steps that this takes.
static double farthest(const char* motion, int64_t* steps)
{
    char text[20000];
    snprintf(text, sizeof text,
             SCENE_WITH("'clamps': [{'rod': 'rope', 'at': 'start', 'motion': [%s]}], ", "'model': 'pbd', "),
             motion);
    Paced p = paced(text, 0.0, 0.1, 60.0);
    CordRodId rod = cord_world_rod(p.world, 0);
    CordVec3 x[64], start = {0, 0, 0};
    CHECK(cord_rod_node_count(p.world, rod) <= 64);
    CHECK_OK(cord_rod_positions(p.world, rod, x));
    start = x[0];
    double most = 0.0;
    for (CordPaceNext next = cord_pace_next(&p.pace, p.world); next.kind != CORD_PACE_END;
         next = cord_pace_next(&p.pace, p.world)) {
        for (int i = 0; next.kind == CORD_PACE_STEPS && i < next.count; i++) {
            bool shakes = cord_world_time(p.world) >= 0.05 && cord_world_time(p.world) < 0.06;
            CHECK(!shakes || next.h * 600.0 < 0.08);                         // half a radian
            CHECK(cord_world_time(p.world) > 0.045 || next.h * 600.0 > 0.9); // it may end close to the motion
            CHECK_OK(cord_world_step(p.world, next.h));
            CHECK_OK(cord_rod_positions(p.world, rod, x));
            most = fmax(most, fabs(x[0].x - start.x));
        }
    }
    *steps = cord_world_steps(p.world);
    paced_end(&p);
    return most;
}

// Six periods of a shaker that a tenth of a frame would see at the same place after every step, from 0.05 s
// on: as an oscillation, as keyframes and as smooth translations.
TEST(automatic_steps_follow_what_shakes)
{
    const double period = 1.0 / 600.0;
    char keys[16000] = "{'keyframes': [", strokes[4000] = "";
    size_t n = strlen(keys), m = 0;
    for (int i = 0; i <= 96; i++) {
        n +=
            (size_t)snprintf(keys + n, sizeof keys - n, "%s{'time': %.17g, 'offset': [%.17g, 0, 0]}",
                             i > 0 ? ", " : "", 0.05 + i * period / 16, 0.02 * sin(3.14159265358979 * i / 8));
    }
    snprintf(keys + n, sizeof keys - n, "]}");
    for (int i = 0; i < 12; i++) { // from 0 to 0.02 and back
        m += (size_t)snprintf(strokes + m, sizeof strokes - m,
                              "%s{'translate': {'by': [%g, 0, 0]}, 'from': %.17g, 'to': %.17g, 'ease': "
                              "'smooth'}",
                              i > 0 ? ", " : "", i % 2 ? -0.02 : 0.02, 0.05 + i * period / 2,
                              0.05 + (i + 1) * period / 2);
    }
    int64_t steps[3];
    double swung = farthest("{'oscillate': {'amplitude': [0.02, 0, 0], 'frequency': 600}, 'from': 0.05, "
                            "'to': 0.06}",
                            &steps[0]);
    CHECK_NEAR(swung, 0.02, 0.02 * 0.04); // 1 - cos(0.25)
    CHECK_NEAR(farthest(keys, &steps[1]), 0.02, 0.02 * 0.04);
    CHECK_NEAR(farthest(strokes, &steps[2]), 0.02, 0.02 * 0.04);
    print_message("    %d, %d and %d steps\n", (int)steps[0], (int)steps[1], (int)steps[2]);
    CHECK(steps[1] < 2 * steps[0] && steps[2] < 3 * steps[0]); // strokes go at up to 15/8 of their mean speed
}

// A blow of 1 ms that a tenth of a frame would step over, or take for three times as long. Steps end where it
// begins and ends, so that its impulse is exact but for what counts as reached: 1e-10 of 0.05 s.
TEST(automatic_steps_follow_loads_that_come_and_go)
{
    const char* const rods[] = {"'model': 'pbd', ",
                                "'integrator': 'verlet', ",
                                "'integrator': 'symplectic_euler', ",
                                "'integrator': 'implicit', ",
                                "'integrator': 'backward_euler', ",
                                "'model': 'corde', ",
                                "'model': 'corde', 'integrator': 'backward_euler', "};
    for (size_t i = 0; i < sizeof rods / sizeof *rods; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 SCENE_WITH("'gravity': [0, 0, 0], 'loads': [{'force': {'rod': 'rope', 'at': 'end', "
                            "'force': [0, 1, 0], 'from': 0.0501, 'to': 0.0511}}], ",
                            "%s"),
                 rods[i]);
        Paced p = paced(text, 0.0, 0.1, 30.0);
        while (frame_reach(&p, 32).kind == CORD_PACE_FRAME) {
        }
        double gained = cord_rod_momentum(p.world, cord_world_rod(p.world, 0)).linear.y;
        CHECK_NEAR(gained, 1e-3, 1e-10);
        CHECK(i > 0 || cord_world_steps(p.world) < 200);
        paced_end(&p);
    }
}

// Vortices of 1 cm that pass at 20 m/s.
TEST(automatic_steps_follow_vortices)
{
    Paced p = paced(SCENE_WITH("'loads': [{'wind': {'velocity': [0, 20, 0], 'vortex': 1, 'spacing': 0.01, "
                               "'across': 0.01}}], ",
                               "'model': 'pbd', "),
                    0.0, 0.1, 30.0);
    CHECK(cord_pace_next(&p.pace, p.world).h <= 0.5 / (3.14159 * 20.0 / 0.01));
    paced_end(&p);
}

// A torque at a clamp that slides: the twist of the rod is a triangle in time, 0 to 6 rad and back in 40 ms,
// since fronts of spin run along it at 100 m/s.
TEST(automatic_implicit_steps_follow_the_twist)
{
    Paced p = paced("{'cordage': 1, 'gravity': [0, 0, 0], 'rods': [{'name': 'drill', 'elements': 20,"
                    " 'stiffness': {'bend': 1, 'twist': 1, 'stretch': 1e4, 'mass_per_length': 0.1,"
                    " 'spin_inertia': 1e-4}, 'dynamic_twist': true, 'integrator': 'implicit',"
                    " 'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}}],"
                    " 'clamps': [{'at': 'start', 'fix': 'frame'},"
                    " {'at': 'end', 'fix': 'frame', 'free_along': [1, 0, 0], 'torque': 3}]}",
                    0.0, 0.2, 60.0);
    double sum = 0.0, time = 0.0;
    for (CordPaceNext next = cord_pace_next(&p.pace, p.world); next.kind != CORD_PACE_END;
         next = cord_pace_next(&p.pace, p.world)) {
        if (next.kind == CORD_PACE_STEPS) {
            CHECK_OK(cord_world_step_many(p.world, next.h, 1));
            double cycle = cord_world_time(p.world) / 0.04, phase = cycle - floor(cycle);
            double turned = 2.0 * 3.14159265358979 * cord_rod_twist(p.world, cord_world_rod(p.world, 0));
            double off = turned - 6.0 * (1.0 - fabs(2.0 * phase - 1.0));
            sum += next.h * off * off, time += next.h;
        }
    }
    print_message("    rms error %.2g rad\n", sqrt(sum / time));
    CHECK(sqrt(sum / time) < 0.3); // fixed steps of 0.1 ms have 0.14 rad over 1 s, those of 1 ms 0.67 rad
    paced_end(&p);
}

TEST(steps_end_at_frames)
{
    CHECK(cord_pace_exceeds_frame(0.1, 30.0));
    CHECK(!cord_pace_exceeds_frame(0.033334, 30.0)); // a frame, as somebody writes it down
    Paced p = paced(swing, 1.0, 1.0, 1000.0);
    CordPaceNext next = cord_pace_next(&p.pace, p.world);
    CHECK_INT(next.count, 1);
    CHECK_NEAR(next.h, 0.001, 1e-15);
    paced_end(&p);
}

TEST(scenes_that_take_any_step_have_one_of_their_own)
{
    Paced rope = paced(swing, 0.0, 1.0, 10.0);
    Paced pbd = paced(SCENE_WITH("", "'model': 'pbd', "), 0.0, 1.0, 10.0);
    Paced modal = paced(SCENE_WITH("'clamps': [{'rod': 'rope', 'at': 'start'}], ", "'model': 'modal', "), 0.0,
                        1.0, 10.0);
    CHECK_NEAR(cord_pace_any_step(rope.scene, 0.1).step, 0.01, 1e-15);
    CHECK(strcmp(cord_pace_any_step(rope.scene, 0.1).why, "nothing oscillates") == 0);
    CHECK(strcmp(cord_pace_any_step(pbd.scene, 0.1).why, "position-based") == 0);
    CHECK_NEAR(cord_pace_next(&pbd.pace, pbd.world).h, 0.01, 1e-15);
    CHECK_NEAR(cord_pace_any_step(modal.scene, 0.1).step, 1.0 / 30.0, 1e-15);
    CHECK_NEAR(cord_pace_any_step(modal.scene, 0.01).step, 0.01, 1e-15);
    CHECK_INT(cord_pace_next(&modal.pace, modal.world).plan.count, 3);
    paced_end(&rope);
    paced_end(&pbd);
    paced_end(&modal);
}

TEST_GROUP(scene_pace)
