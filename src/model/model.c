#include "model/model.h"

static const CordModelOps* const models[CORD_MODEL_COUNT] = {
    [CORD_MODEL_DER] = &cord_model_der,
    [CORD_MODEL_CORDE] = &cord_model_corde,
    [CORD_MODEL_PBD] = &cord_model_pbd,
    [CORD_MODEL_MODAL] = &cord_model_modal,
};

const CordModelOps* model_ops(CordModel model)
{
    return (unsigned)model < CORD_MODEL_COUNT ? models[model] : NULL;
}

const char* cord_model_name(CordModel model)
{
    return (unsigned)model < CORD_MODEL_COUNT ? models[model]->name : NULL;
}

CordVec3 model_couple(const Clamp* clamp)
{
    if (clamp->edge < 0) {
        return (CordVec3){0, 0, 0};
    }
    CordVec3 couple = model_ops(clamp->rod->model)->couple(clamp->rod, clamp->edge);
    bool turns = clamp->def.fix != CORD_FIX_FRAME;
    return turns ? vec3_reject(couple, edge_tangent(&clamp->rod->line, clamp->edge)) : couple;
}
