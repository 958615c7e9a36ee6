#include "engine.h"

const char* const engine_feature = NULL;

CordResult engine_create(const CordScene* scene, CordWorldDef* hooks, void** engine)
{
    (void)scene, (void)hooks;
    *engine = NULL;
    return CORD_OK;
}

CordResult engine_join(void* engine, const CordScene* scene)
{
    (void)engine, (void)scene;
    return CORD_OK;
}

void engine_destroy(void* engine)
{
    (void)engine;
}
