#include "overlap.h"

#include "command.h"
#include "talk.h"

static const char* other_name(const CordWorld* world, const CordContact* c)
{
    switch (c->kind) {
    case CORD_TOUCH_OBSTACLE: return cord_obstacle_name(world, cord_world_obstacle(world, c->other));
    case CORD_TOUCH_BODY: return cord_body_name(world, cord_world_body(world, c->other));
    default: return cord_rod_name(world, cord_world_rod(world, c->other));
    }
}

static void say_overlap(const CordWorld* world, const CordContact* c)
{
    static const char* const kinds[] = {"rod", "obstacle", "body"};
    bool itself = c->kind == CORD_TOUCH_ROD && c->other == c->rod;
    talk_error("rod \"%s\" overlaps %s%s%s%s by %.3g m at its edge %d, near (%.4g, %.4g, %.4g) m; move them apart or make them "
               "thinner, or push them apart with --untangle",
               cord_rod_name(world, cord_world_rod(world, c->rod)), itself ? "itself" : kinds[c->kind],
               itself ? "" : " \"", itself ? "" : other_name(world, c), itself ? "" : "\"", -c->gap, c->edge,
               c->point.x, c->point.y, c->point.z);
}

int overlap_settle(CordWorld* world, const CordScene* scene, bool untangle)
{
    CordContact deepest;
    const CordContactDef* contact = cord_scene_contact(scene);
    if (!contact || !contact->on || !cord_world_deepest(world, &deepest)) {
        return EXIT_GOOD;
    }
    if (!untangle) {
        say_overlap(world, &deepest);
        return EXIT_USAGE;
    }
    if (cord_world_untangle(world) != CORD_OK) {
        talk_error("%s", cord_world_message(world));
        return EXIT_FAILED;
    }
    talk_note("pushed rods apart that overlapped by up to %.3g m", -deepest.gap);
    return EXIT_GOOD;
}
