// A scene, the world built from it, and the engine that moves its rigid bodies; the state a simulation may
// start from; and where in the scene an error comes from.
#ifndef CORDAGE_CLI_SIMULATION_H
#define CORDAGE_CLI_SIMULATION_H

#include "library.h"
#include "options.h"

#include <cordage/contact.h>

typedef struct Simulation {
    CordScene* scene;
    CordWorld* world;
    void* engine; // moves the world's bodies; NULL: the library's own engine
} Simulation;

extern const char* const simulation_engine; // "ode"; NULL: not in this build

// The path of the scene that the user named. A recording is refused with the advice, which ends in a command
// that takes it. False: an error has been reported.
#define SIMULATION_INFO "to see what is in it write: cordage info"
bool simulation_find(const char* name, const char* advice, char path[LIBRARY_PATH_MOST]);

// Read the scene, and build its world on the engine that the scene asks for. The scene's notes are printed,
// warnings only if `warnings`. Both return an exit status; an error has been reported.
int simulation_load(Simulation* s, const char* path, const OptionList* settings, bool warnings);
int simulation_build(Simulation* s, int threads, bool warnings);
CordResult simulation_build_with(Simulation* s, CordWorldDef hooks); // prints no notes
void simulation_destroy(Simulation* s);                              // any part may be NULL

int64_t simulation_node_count(const CordWorld* world); // of all rods

// Equilibria ignore the scene's engine. False: they would be wrong without it, which has been reported.
bool simulation_has_equilibria(const Simulation* s);

// ---- errors of the world

typedef struct ScenePlace {
    int line, column; // 0: unknown
} ScenePlace;

// Where the scene causes an error of the world, by cord_scene_blame.
ScenePlace scene_place_of_error(const Simulation* s, double time, const char* message);
// "path:line:column: error: message", or without a place if it is unknown.
void scene_error_at(const CordScene* scene, ScenePlace place, const char* message);
// The world's own message, at the time where it stands.
void simulation_error(const Simulation* s);
void simulation_warn_of_failure(const Simulation* s); // likewise, of a run that would fail

// ---- the start: overlaps, and what no branch of equilibria can have

typedef struct StartReport {
    bool refused;  // the world cannot start from this state, or the scene's branch cannot be followed
    bool overlaps; // because surfaces overlap; otherwise for another reason
    double depth;  // of the overlap [m]
    ScenePlace place;
    CordMessage message;
} StartReport;

// Checks the initial state of a world with contact. A world without contact is never refused.
StartReport overlap_check(const Simulation* s);

// Checks whether the branch that the scene's "solve" asks for can be followed at all.
StartReport branch_check(const Simulation* s);

// Checks the initial state, and pushes rods apart if `untangle`. Returns an exit status; an error has been
// reported.
int overlap_resolve(const Simulation* s, bool untangle);

#endif
