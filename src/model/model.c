#include "model/model.h"

static const CordModelOps* const models[CORD_MODEL_COUNT] = {
    [CORD_MODEL_DER] = &cord_model_der,
    [CORD_MODEL_CORDE] = &cord_model_corde,
};

const CordModelOps* model_ops(CordModel model)
{
    return (unsigned)model < CORD_MODEL_COUNT ? models[model] : NULL;
}

const char* cord_model_name(CordModel model)
{
    return (unsigned)model < CORD_MODEL_COUNT ? models[model]->name : NULL;
}
