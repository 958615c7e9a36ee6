#include "model/model.h"

static const Model* const forms[MODEL_ID_COUNT] = {
    [MODEL_UNIFORM] = &model_uniform,   [MODEL_QUATERNION] = &model_quaternion,
    [MODEL_POSITION] = &model_position, [MODEL_MODAL] = &model_modal,
    [MODEL_FRAMED] = &model_framed,
};

static const struct {
    const char* name;
    ModelId form; // the form that model_create starts from
} models[CORD_MODEL_COUNT] = {
    [CORD_MODEL_DER] = {"der", MODEL_UNIFORM},
    [CORD_MODEL_CORDE] = {"corde", MODEL_QUATERNION},
    [CORD_MODEL_PBD] = {"pbd", MODEL_POSITION},
    [CORD_MODEL_MODAL] = {"modal", MODEL_MODAL},
};

const Model* model_of(const Rod* rod)
{
    return forms[rod->form];
}

const char* cord_model_name(CordModel model)
{
    return (unsigned)model < CORD_MODEL_COUNT ? models[model].name : NULL;
}

CordResult model_create(Memory* m, Rod* rod, const CordRodDef* def, const CordModalHooks* hooks,
                        Message* message)
{
    rod->form = models[def->model].form;
    return forms[rod->form]->create(m, rod, def, hooks, message);
}

CordVec3 model_couple(const Clamp* clamp)
{
    if (clamp->edge < 0) {
        return (CordVec3){0, 0, 0};
    }
    double stiffness;
    CordVec3 couple = model_of(clamp->rod)->couple(clamp->rod, clamp->edge, &stiffness);
    bool turns = clamp->def.fix != CORD_FIX_FRAME;
    return turns ? vec3_reject(couple, edge_tangent(&clamp->rod->line, clamp->edge)) : couple;
}
