#include "engine.h"

#include "finding.h"
#include "talk.h"

#include <string.h>

CordResult engine_build(CordScene* scene, CordWorldDef hooks, CordWorld** world, void** engine)
{
    *world = NULL;
    hooks.modal = hooks.modal ? hooks.modal : finding_hooks();
    CordResult result = engine_create(scene, &hooks, engine);
    if (result == CORD_OK) {
        result = cord_scene_build(scene, &hooks, world);
    }
    if (result == CORD_OK) {
        result = engine_join(*engine, scene);
        finding_expect(scene, *world);
    }
    if (result != CORD_OK) {
        cord_world_destroy(*world);
        engine_destroy(*engine);
        *world = NULL;
        *engine = NULL;
    }
    return result;
}

bool engine_leaves_equilibria(const CordScene* scene)
{
    if (cord_scene_body_joint_count(scene) > 0) {
        talk_error("%s: its body_joints are the engine's, and equilibria know nothing of them; run the scene "
                   "until it "
                   "comes to rest instead",
                   cord_scene_path(scene));
        return false;
    }
    if (strcmp(cord_scene_engine(scene), "free") != 0) {
        talk_warning("%s: in equilibria bodies do not touch each other", cord_scene_path(scene));
    }
    return true;
}
