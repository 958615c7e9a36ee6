// A module for the test alone: the branch of equilibria that "cordage solve" follows, as the table that
// "cordage export" writes of it.
#include <cordage/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

typedef struct Text {
    char* bytes; // a zero is after them
    size_t size, capacity;
} Text;

static Text csv;

static void put(const char* part)
{
    size_t length = strlen(part);
    if (csv.size + length + 1 > csv.capacity) {
        csv.capacity = 2 * (csv.size + length + 1);
        csv.bytes = realloc(csv.bytes, csv.capacity);
    }
    memcpy(csv.bytes + csv.size, part, length + 1);
    csv.size += length;
}

static void put_number(double value, const char* after)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value) {
        snprintf(text, sizeof text, "%.17g", value);
    }
    put(text);
    put(after);
}

static CordResult put_frame(CordWorld* world)
{
    CordFrame frame;
    CordResult result = cord_world_frame(world, &frame);
    for (int r = 0; r < frame.rod_count && result == CORD_OK; r++) {
        const CordFrameRod* rod = &frame.rods[r];
        for (int i = 0; i < rod->node_count; i++) {
            char place[300];
            snprintf(place, sizeof place, "%.250s,%d,", rod->name, i);
            CordVec3 x = frame.x[rod->first_node + i];
            put_number(frame.time, ",");
            put(place);
            put_number(x.x, ",");
            put_number(x.y, ",");
            put_number(x.z, "\n");
        }
    }
    return result;
}

static CordResult take_switch(CordBranch* branch, const CordSceneSolve* plan, int bifurcation)
{
    for (int i = 0; i < plan->switch_count; i++) {
        if (plan->switches[i].at == bifurcation) {
            return cord_branch_switch(branch, plan->switches[i].amplitude);
        }
    }
    return CORD_OK;
}

// As app/cli/continuation.c, for a scene in which something moves, and which is not pushed first.
static CordResult follow(CordWorld* world, const CordSceneSolve* plan)
{
    CordSolveReport report;
    CordBranch* branch = NULL;
    CordBranchPoint point = {.event = CORD_BRANCH_POINT};
    int bifurcations = 0;
    CordResult result = cord_world_set_time(world, plan->branch.from);
    result = result == CORD_OK ? cord_world_solve(world, &plan->branch.solve, &report) : result;
    result = result == CORD_OK ? cord_branch_create(world, &plan->branch, &branch) : result;
    while (result == CORD_OK && point.event != CORD_BRANCH_END) {
        result = cord_branch_next(branch, &point);
        if (result == CORD_OK && point.event != CORD_BRANCH_END) {
            result = put_frame(world);
        }
        if (result == CORD_OK && point.event == CORD_BRANCH_BIFURCATION) {
            result = take_switch(branch, plan, ++bifurcations);
        }
    }
    cord_branch_destroy(branch);
    return result;
}

EXPORT(branch_alloc) void* branch_alloc(size_t size)
{
    return malloc(size);
}

// The table, or an empty text: the scene is none, it is pushed first, or it has no such branch.
EXPORT(branch_csv) const char* branch_csv(const char* text, size_t size, int points)
{
    char setting[40];
    const char* settings[] = {setting};
    snprintf(setting, sizeof setting, "solve.points=%d", points);
    CordScene* scene = NULL;
    CordWorld* world = NULL;
    CordWorldDef hooks = cord_world_def_default();
    csv.size = 0;
    put("time,rod,node,x,y,z\n");
    CordResult result = cord_scene_parse(text, size, "", settings, 1, &scene);
    result = result == CORD_OK ? cord_scene_build(scene, &hooks, &world) : result;
    if (result == CORD_OK) {
        const CordSceneSolve* plan = cord_scene_solve(scene);
        result = plan->push == 0.0 ? follow(world, plan) : CORD_NOT_SUPPORTED;
    }
    cord_world_destroy(world);
    cord_scene_destroy(scene);
    return result == CORD_OK ? csv.bytes : "";
}
