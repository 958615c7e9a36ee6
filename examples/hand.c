// A hand drags a rope as a pointer would in a game, with a bounded force, at 60 steps a second. Half way the
// rope changes its model: a new world takes over the state of the old one.
#include <cordage/cordage.h>
#include <cordage/math.h>

#include <stdio.h>

enum { NODES = 41 };

typedef struct Play {
    CordWorld* world;
    CordRodId rope;
    CordLoadId hand;
} Play;

// The hand starts at its target.
static CordResult make_rope(CordModel model, CordVec3 target, Play* play)
{
    CordWorldDef world_def = cord_world_def_default();
    CordRodDef rope = cord_rod_def_default();
    CordClampDef hook = cord_clamp_def_default();
    CordLoadDef hand = cord_load_def_default(), drag = hand;
    CordClampId hook_id;
    CordLoadId drag_id;
    CordResult result = cord_world_create(&world_def, &play->world);
    rope.model = model, rope.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    rope.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0, 0, -1}, NODES);
    rope.section = cord_section_disc(0.005), rope.material.young = 1e6;
    if (result == CORD_OK) {
        result = cord_rod_create(play->world, &rope, &play->rope);
    }
    hook.rod = drag.rod = hand.rod = play->rope;
    drag.kind = CORD_LOAD_DRAG, drag.along = drag.across = 0.1;
    hand.kind = CORD_LOAD_SPRING, hand.target = target, hand.stiffness = 100.0, hand.damping = 0.5,
    hand.most = 3.0;
    if (result == CORD_OK) {
        result = cord_clamp_create(play->world, &hook, &hook_id);
    }
    if (result == CORD_OK) {
        result = cord_load_create(play->world, &drag, &drag_id);
    }
    return result == CORD_OK ? cord_load_create(play->world, &hand, &play->hand) : result;
}

static CordVec3 pointer_at(double t) // to and fro, and then far beyond what the rope can reach
{
    return t < 4.0 ? (CordVec3){0.4 * cos(2.0 * t), 0, -0.8} : (CordVec3){3, 0, 0};
}

// Continues with the same rope under another model.
static CordResult go_on(Play* play, CordModel model)
{
    Play next = {0};
    CordResult result = make_rope(model, pointer_at(cord_world_time(play->world)), &next);
    if (result == CORD_OK) {
        result = cord_world_carry(next.world, play->world);
    }
    cord_world_destroy(play->world);
    *play = next;
    return result;
}

int main(void)
{
    Play play = {0};
    CordVec3 x[NODES] = {{0}}, pull = {0};
    CordResult result = make_rope(CORD_MODEL_DER, pointer_at(0.0), &play);
    for (int step = 1; result == CORD_OK && step <= 360; step++) {
        if (step == 150) {
            result = go_on(&play, CORD_MODEL_PBD);
        }
        if (result == CORD_OK) {
            result = cord_load_set_target(play.world, play.hand, pointer_at(step / 60.0));
        }
        if (result == CORD_OK) {
            result = cord_world_step(play.world, 1.0 / 60.0);
        }
        if (result == CORD_OK && step % 30 == 0) {
            cord_rod_positions(play.world, play.rope, x);
            cord_load_force(play.world, play.hand, &pull);
            printf(
                "t = %.1f s   pointer at (%5.2f, %5.2f) m   end at (%5.2f, %5.2f) m   pulled with %.2f N\n",
                step / 60.0, pointer_at(step / 60.0).x, pointer_at(step / 60.0).z, x[NODES - 1].x,
                x[NODES - 1].z, cord_vec3_length(pull));
        }
    }
    if (result != CORD_OK) {
        fprintf(stderr, "%s: %s\n", cord_result_name(result),
                play.world ? cord_world_message(play.world) : "");
    }
    cord_world_destroy(play.world);
    double reach = sqrt(x[NODES - 1].x * x[NODES - 1].x + x[NODES - 1].z * x[NODES - 1].z);
    // stretched out towards the pointer, by no more than 3 N
    return result == CORD_OK && fabs(reach - 1.0) < 0.1 ? 0 : 1;
}
