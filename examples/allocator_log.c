// The allocator and the log belong to the caller: a world takes every byte from the allocator in its def, and
// sends its messages to the log there. Here the allocator counts and the log prints.
#include <cordage/cordage.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct Tally {
    size_t bytes, most, calls;
} Tally;

static void* tally_alloc(void* user, size_t size, size_t align)
{
    Tally* t = user;
    void* memory = aligned_alloc(align, (size + align - 1) / align * align);
    if (memory) {
        t->bytes += size;
        t->most = t->bytes > t->most ? t->bytes : t->most;
        t->calls++;
    }
    return memory;
}

static void tally_free(void* user, void* memory, size_t size, size_t align)
{
    Tally* t = user;
    (void)align;
    t->bytes -= size;
    free(memory);
}

static void print_log(void* user, CordLogLevel level, const char* text)
{
    static const char* const names[] = {"debug", "info", "warning", "error"};
    ++*(int*)user;
    printf("[%s] %s\n", names[level], text);
}

static int fail(const CordWorld* world, CordResult result)
{
    fprintf(stderr, "%s: %s\n", cord_result_name(result), world ? cord_world_message(world) : "no world");
    return 1;
}

int main(void)
{
    Tally tally = {0};
    int lines = 0;
    CordWorldDef world_def = cord_world_def_default();
    world_def.allocator = (CordAllocator){tally_alloc, tally_free, &tally};
    world_def.log = (CordLog){print_log, &lines};
    CordWorld* world = NULL;
    CordResult result = cord_world_create(&world_def, &world);

    CordRodDef rod_def = cord_rod_def_default();
    rod_def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 1001);
    CordRodId rod;
    if (result == CORD_OK) {
        result = cord_rod_create(world, &rod_def, &rod);
    }
    if (result != CORD_OK) {
        return fail(world, result);
    }
    double h = 0.5 * cord_world_step_advice(world).step;
    result = cord_world_step(world, h); // the first step reserves what the others use
    size_t warm = tally.calls;
    for (int i = 0; i < 1000 && result == CORD_OK; i++) {
        result = cord_world_step(world, h);
    }
    if (result != CORD_OK) {
        return fail(world, result);
    }
    size_t during = tally.calls - warm;
    printf("1000 elements: %zu bytes at the most, in %zu allocations\n", tally.most, warm);
    printf("1000 steps: %zu allocations\n", during);

    rod_def.shape.node_count = 1; // what is refused says why, and changes nothing
    CordRodId refused;
    result = cord_rod_create(world, &rod_def, &refused);
    printf("%s: %s\n", cord_result_name(result), cord_world_message(world));

    cord_world_destroy(world);
    printf("after the world is gone: %zu bytes\n", tally.bytes);
    return during == 0 && lines > 0 && result == CORD_BAD_ARGUMENT && tally.bytes == 0 ? 0 : 1;
}
