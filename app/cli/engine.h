// What moves a scene's rigid bodies, where it is not the library's own engine: ODE, in builds that have it.
#ifndef CORDAGE_CLI_ENGINE_H
#define CORDAGE_CLI_ENGINE_H

#include <cordage/io.h>

// Builds the scene's world with these hooks, on the engine that the scene asks for, and joins its bodies.
// *engine is to be destroyed after the world; NULL: it is the library's own. What is wrong is in the scene's
// notes, or has been said.
CordResult engine_build(CordScene* scene, CordWorldDef hooks, CordWorld** world, void** engine);

// Says that equilibria know nothing of what the scene's engine does, if that matters. False: it does.
bool engine_leaves_equilibria(const CordScene* scene);

// ---- engine_ode.c, or engine_none.c in builds without it

extern const char* const engine_feature; // "ode"; NULL: not in this build

// The engine that the scene asks for, in hooks; without it hooks stay as they are, and the scene is then
// refused by name and line.
CordResult engine_create(const CordScene* scene, CordWorldDef* hooks, void** engine);
CordResult engine_join(void* engine, const CordScene* scene); // its bodies, once the world is there
void engine_destroy(void* engine);                            // after the world; NULL is fine

#endif
