#include "overlap.h"

#include "command.h"
#include "talk.h"

#include <math.h>
#include <stdio.h>

static const char* other_name(const CordWorld* world, const CordContact* c)
{
    switch (c->kind) {
    case CORD_TOUCH_OBSTACLE: return cord_obstacle_name(world, cord_world_obstacle(world, c->other));
    case CORD_TOUCH_BODY: return cord_body_name(world, cord_world_body(world, c->other));
    default: return cord_rod_name(world, cord_world_rod(world, c->other));
    }
}

static OverlapReport report_overlap(const CordWorld* world, const CordScene* scene, const CordContact* c)
{
    static const char* const kinds[] = {"rod", "obstacle", "body"};
    bool itself = c->kind == CORD_TOUCH_ROD && c->other == c->rod;
    OverlapReport r = {.refused = true, .overlaps = true, .depth = -c->gap};
    r.place = place_of(scene, CORD_SCENE_ROD, c->rod);
    snprintf(r.message.text, sizeof r.message.text,
             "rod \"%s\" overlaps %s%s%s%s by %.3g m at its edge %d, near (%.4g, %.4g, %.4g) m; move them "
             "apart or make "
             "them thinner, or push them apart with --untangle",
             cord_rod_name(world, cord_world_rod(world, c->rod)), itself ? "itself" : kinds[c->kind],
             itself ? "" : " \"", itself ? "" : other_name(world, c), itself ? "" : "\"", -c->gap, c->edge,
             c->point.x, c->point.y, c->point.z);
    return r;
}

OverlapReport overlap_look(CordWorld* world, const CordScene* scene)
{
    OverlapReport r = {0};
    CordFrame frame;
    CordContact deepest;
    if (!cord_scene_contact(scene)->on) {
        return r;
    }
    if (cord_world_frame(world, &frame) != CORD_OK) {
        // where rods or obstacles do not go together there is none
        r.refused = true;
        snprintf(r.message.text, sizeof r.message.text, "%s", cord_world_message(world));
        r.place = place_of_failure(scene, world, NAN, r.message.text);
        return r;
    }
    return cord_world_deepest(world, &deepest) ? report_overlap(world, scene, &deepest) : r;
}

int overlap_settle(CordWorld* world, const CordScene* scene, bool untangle)
{
    OverlapReport r = overlap_look(world, scene);
    if (!r.refused) {
        return EXIT_GOOD;
    }
    if (!r.overlaps || !untangle) {
        place_say(scene, r.place, r.message.text);
        return EXIT_USAGE;
    }
    if (cord_world_untangle(world) != CORD_OK) {
        talk_error("%s", cord_world_message(world));
        return EXIT_FAILED;
    }
    talk_note("pushed rods apart that overlapped by up to %.3g m", r.depth);
    return EXIT_GOOD;
}
