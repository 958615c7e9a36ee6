// What must hold between two runs, or within one, whatever the right answer is.
#ifndef CORDAGE_TEST_PROPERTY_RELATIONS_H
#define CORDAGE_TEST_PROPERTY_RELATIONS_H

#include "trial.h"

typedef struct Subject { // a scene, its run, and how much that amplifies noise
    Scene scene;
    Outcome base;
    double amplification[GROUPS]; // difference at the end over the displacement of nodes by noise [unit/m]
    bool is_chaotic;              // round-off decides how a run ends
    double element;               // shortest [m]
    double extent;                // largest coordinate [m]
    double mass;                  // largest of a node, or of a body [kg]
    double EA;                    // largest stretching stiffness, about [N]
} Subject;

typedef enum Finding { HOLDS, FAILS, NOT_TESTED } Finding;

typedef struct Verdict {
    Finding finding;
    double ratio; // largest difference over what is allowed
    Group group;  // of that
    char text[640];
} Verdict;

typedef struct Change { // how what is observed changes with the scene
    Isometry isometry;
    Units units;
} Change;

typedef struct Relation {
    const char* name;
    const char* tolerance; // where it comes from
    Manner manner;
    bool (*applies)(const Scene* s);                         // NULL: to every scene
    Change (*transform)(Scene* s, uint64_t seed);            // NULL: the scene is run as it is, by `run`
    RunDef (*run)(uint64_t seed);                            // NULL: as the base
    bool exact;                                              // to the bit
    unsigned skip;                                           // groups that are not compared, by 1 << group
    void (*check)(const Subject* subject, Verdict* verdict); // instead of all that
} Relation;

extern const Relation relations[]; // ends with a name of NULL

// Runs the scene and measures its amplification. HOLDS: it can be tested.
Finding subject_prepare(Subject* subject, const Scene* s, Verdict* verdict);
// Makes the scene smaller while it fails by at least that ratio.
void scene_minimise(const Relation* r, Scene* s, double least, Verdict* verdict);
void relation_check(const Relation* r, const Subject* subject, Verdict* verdict);

#endif
