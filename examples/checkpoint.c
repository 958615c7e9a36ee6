// The state of a world is one block of bytes. A run that is saved and restored continues with the same bits,
// also in a new world built by the same calls.
#include <cordage/cordage.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// A rope that swings from a shaken hinge.
static CordWorld* make_world(void)
{
    CordWorldDef world_def = cord_world_def_default();
    CordWorld* world = NULL;
    CordRodDef rod_def = cord_rod_def_default();
    rod_def.material.bend_modulus = 1e7;
    rod_def.inextensible = true;
    CordRodId rod;
    if (cord_world_create(&world_def, &world) != CORD_OK ||
        cord_rod_create(world, &rod_def, &rod) != CORD_OK) {
        return world;
    }
    CordMotion shake = cord_motion_oscillate((CordVec3){0.05, 0, 0}, 3.0, 0.0);
    CordClampDef clamp_def = cord_clamp_def_default();
    clamp_def.rod = rod;
    clamp_def.motions = &shake;
    clamp_def.motion_count = 1;
    CordClampId clamp;
    cord_clamp_create(world, &clamp_def, &clamp);
    return world;
}

static int fail(const CordWorld* world)
{
    fprintf(stderr, "it failed: %s\n", world ? cord_world_message(world) : "no world");
    return 1;
}

int main(void)
{
    const double h = 1e-4;
    CordWorld* world = make_world();
    if (!world || cord_world_step_many(world, h, 2000) != CORD_OK) {
        return fail(world);
    }
    size_t size = cord_world_state_size(world);
    void* saved = malloc(size);
    if (!saved || cord_world_state_get(world, saved, size) != CORD_OK) {
        return fail(world);
    }
    printf("saved at t = %.2f s: %zu bytes, hash %016" PRIx64 "\n", cord_world_time(world), size,
           cord_world_state_hash(world));

    cord_world_step_many(world, h, 3000);
    uint64_t first = cord_world_state_hash(world);
    printf("went on to t = %.2f s:         hash %016" PRIx64 "\n", cord_world_time(world), first);

    cord_world_set_gravity(world, (CordVec3){0, 0, 9.81}); // a trial that is to leave no trace
    cord_world_step_many(world, h, 500);
    if (cord_world_state_set(world, saved, size) != CORD_OK ||
        cord_world_step_many(world, h, 3000) != CORD_OK) {
        return fail(world);
    }
    uint64_t second = cord_world_state_hash(world);
    printf("back, and on again:            hash %016" PRIx64 "\n", second);

    CordWorld* other = make_world();
    if (!other || cord_world_state_set(other, saved, size) != CORD_OK ||
        cord_world_step_many(other, h, 3000) != CORD_OK) {
        return fail(other);
    }
    uint64_t third = cord_world_state_hash(other);
    printf("taken up by another world:     hash %016" PRIx64 "\n", third);
    cord_world_destroy(other);
    cord_world_destroy(world);
    free(saved);
    puts(first == second && first == third ? "the same bits" : "DIFFERENT");
    return first == second && first == third ? 0 : 1;
}
