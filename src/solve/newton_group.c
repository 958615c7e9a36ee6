// Several islands as one Newton system. Each island assembles its own equations; what couples them, such as
// contact, has the matrix of all and solves it.
#include "solve/newton_parts.h"

#include <string.h>

int newton_group_rods(const NewtonGroup* group)
{
    int count = 0;
    for (int i = 0; i < group->island_count; i++) {
        count += group->islands[i].rod_count;
    }
    return count;
}

int newton_group_bodies(const NewtonGroup* group)
{
    int count = group->body_count;
    for (int i = 0; i < group->island_count; i++) {
        count += island_body_count(&group->islands[i]);
    }
    return count;
}

size_t newton_group_scratch(const NewtonGroup* group)
{
    size_t sum = arena_space(sizeof(NewtonSystem), group->island_count) +
                 arena_space(sizeof(NewtonRod), newton_group_rods(group)) +
                 arena_space(sizeof(NewtonBody), newton_group_bodies(group));
    for (int i = 0; i < group->island_count; i++) {
        sum += newton_scratch(&group->islands[i]);
    }
    return sum;
}

static void open_parts(NewtonSystem* sys, const NewtonGroup* group, Arena* scratch)
{
    NewtonRod* rods = sys->rods;
    NewtonBody* bodies = sys->bodies;
    for (int i = 0; i < sys->part_count; i++) {
        const Island* island = &group->islands[i];
        newton_open_in(&sys->parts[i], island, true, rods, bodies, scratch);
        rods += island->rod_count;
        bodies += island_body_count(island);
    }
    for (int i = 0; i < group->body_count; i++) {
        bodies[i] = newton_body_at_rest(group->bodies[i]);
    }
}

void newton_open_group(NewtonSystem* sys, const NewtonGroup* group, Arena* scratch)
{
    if (!group->coupling) {
        newton_open(sys, group->islands, true, scratch);
        return;
    }
    *sys = (NewtonSystem){.rod_count = newton_group_rods(group),
                          .body_count = newton_group_bodies(group),
                          .part_count = group->island_count,
                          .coupling = group->coupling,
                          .coupled = group->coupled,
                          .resistance = 1.0};
    sys->parts = arena_push(scratch, NewtonSystem, sys->part_count);
    sys->rods = arena_push(scratch, NewtonRod, sys->rod_count);
    sys->bodies = arena_push(scratch, NewtonBody, sys->body_count);
    open_parts(sys, group, scratch);
}

// The parts are assembled with the settings of the whole.
static void share_settings(const NewtonSystem* sys, NewtonSystem* part)
{
    part->time = sys->time;
    part->origin = sys->origin;
    part->gravity = sys->gravity;
    part->mass = sys->mass;
    part->augment = sys->augment;
    part->pull = sys->pull;
    part->frames_weigh = sys->frames_weigh;
    part->resistance = sys->resistance;
    part->right_only = sys->right_only;
    part->symmetric = sys->symmetric;
    part->only_shift = sys->only_shift;
    part->rate_step = sys->rate_step;
}

static int first_alone(const NewtonSystem* sys) // index of the first body that is in no part
{
    int count = 0;
    for (int i = 0; i < sys->part_count; i++) {
        count += sys->parts[i].body_count;
    }
    return count;
}

void newton_assemble_group(NewtonSystem* sys)
{
    sys->given = false;
    for (int i = 0; i < sys->part_count; i++) {
        share_settings(sys, &sys->parts[i]);
    }
    sys->coupling->assemble(sys->coupled);
    for (int i = 0; i < sys->part_count; i++) {
        newton_assemble(&sys->parts[i]);
    }
    for (int i = first_alone(sys); i < sys->body_count; i++) {
        newton_set_own_force(sys, &sys->bodies[i]);
    }
}

void newton_put_group_right(NewtonSystem* sys)
{
    sys->given = true;
    for (int i = 0; i < sys->part_count; i++) {
        newton_put_right(&sys->parts[i]);
    }
    for (int i = first_alone(sys); i < sys->body_count; i++) {
        memcpy(sys->bodies[i].own, sys->bodies[i].force, sizeof sys->bodies[i].own);
    }
}
