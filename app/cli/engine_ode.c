#include "engine.h"

#include "talk.h"

#include <cordage/body.h>

#include <string.h>

const char* const engine_feature = "ode";

CordResult engine_create(const CordScene* scene, CordWorldDef* hooks, void** engine)
{
    *engine = NULL;
    if (strcmp(cord_scene_engine(scene), "ode") != 0) {
        return CORD_OK;
    }
    CordOdeDef def = cord_ode_def_default();
    CordResult result = cord_ode_create(&def, &hooks->engine, engine);
    hooks->engine_user = *engine;
    return result;
}

static CordOdeJointKind kind_of(CordSceneJointKind kind)
{
    switch (kind) {
    case CORD_SCENE_JOINT_BALL: return CORD_ODE_BALL;
    case CORD_SCENE_JOINT_HINGE: return CORD_ODE_HINGE;
    case CORD_SCENE_JOINT_SLIDER: return CORD_ODE_SLIDER;
    case CORD_SCENE_JOINT_FIXED: break;
    }
    return CORD_ODE_FIXED;
}

CordResult engine_join(void* engine, const CordScene* scene)
{
    for (int i = 0; i < cord_scene_body_joint_count(scene); i++) {
        const CordSceneBodyJoint* joint = cord_scene_body_joint(scene, i);
        CordOdeJointDef def = {.kind = kind_of(joint->kind),
                               .bodies = {joint->bodies[0], joint->bodies[1]},
                               .anchor = joint->anchor,
                               .axis = joint->axis};
        CordResult result = cord_ode_joint(engine, &def);
        if (result != CORD_OK) {
            talk_error("%s: body_joints[%d]: %s", cord_scene_path(scene), i, cord_ode_message(engine));
            return result;
        }
    }
    return CORD_OK;
}

void engine_destroy(void* engine)
{
    cord_ode_destroy(engine);
}
