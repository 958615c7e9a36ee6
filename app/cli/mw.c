#include "mw.h"

#include "finding.h"
#include "reproduce.h"
#include "talk.h"

#include <cordage/io.h>

#include <math.h>
#include <stdlib.h>

CordModalHooks mw_hooks(void)
{
    CordModalHooks hooks = *finding_hooks();
    hooks.load = NULL;
    hooks.save = NULL;
    hooks.progress = NULL;
    return hooks;
}

CordWorld* mw_scene(const char* name, const char* const* settings, int setting_count)
{
    CordModalHooks modal = mw_hooks();
    CordWorldDef hooks = cord_world_def_default();
    hooks.modal = &modal;
    return reproduce_scene_with(&hooks, name, settings, setting_count);
}

bool mw_advance(CordWorld* world, int steps)
{
    bool good = cord_world_step_many(world, mw_step, steps) == CORD_OK;
    if (!good) {
        printf("  %s: FAIL\n", cord_world_message(world));
    }
    return good;
}

double mw_distance(CordVec3 a, CordVec3 b)
{
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

static CordVec3* positions(const CordWorld* world, CordRodId rod, int nodes)
{
    CordVec3* x = malloc(sizeof *x * (size_t)nodes);
    if (x && cord_rod_positions(world, rod, x) != CORD_OK) {
        free(x);
        x = NULL;
    }
    return x;
}

CordVec3 mw_node(const CordWorld* world, int rod, int node)
{
    CordRodId id = cord_world_rod(world, rod);
    int nodes = cord_rod_node_count(world, id);
    CordVec3* x = positions(world, id, nodes);
    CordVec3 there = x ? x[node < 0 ? nodes - 1 : node] : (CordVec3){NAN, NAN, NAN};
    free(x);
    return there;
}

double mw_length(const CordWorld* world, int rod)
{
    CordRodId id = cord_world_rod(world, rod);
    int nodes = cord_rod_node_count(world, id);
    CordVec3* x = positions(world, id, nodes);
    double length = x ? 0.0 : (double)NAN;
    for (int i = 1; x && i < nodes; i++) {
        length += mw_distance(x[i - 1], x[i]);
    }
    free(x);
    return length / cord_rod_length(world, id);
}

void mw_picture(CordWorld* world, const MwView* view, const char* directory, const char* name)
{
    char path[4096];
    CordPictureDef def = cord_picture_def_default();
    CordMessage message = {""};
    CordFrame frame;
    def.width = 960, def.height = 600;
    def.fit = false;
    def.eye = view->eye;
    def.target = view->target;
    def.field_of_view = view->degrees * 3.14159265358979324 / 180.0;
    def.radius_scale = view->thick;
    def.ground = true;
    def.ground_height = view->ground;
    snprintf(path, sizeof path, "%s/%s.png", directory, name);
    if (cord_world_frame(world, &frame) != CORD_OK || cord_picture_png(&frame, &def, path, &message) != CORD_OK) {
        talk_warning("no picture was drawn: %s", message.text);
    } else {
        talk_note("%s shows it", path);
    }
}

const char* mw_verdict(bool good)
{
    return good ? "pass" : "FAIL";
}
