// What must hold between two runs, or within one, whatever the right answer is.
#ifndef CORDAGE_TEST_PROPERTY_RELATIONS_H
#define CORDAGE_TEST_PROPERTY_RELATIONS_H

#include "trial.h"

#include <cordage/solve.h>

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

typedef enum Finding { // from NOT_TESTED on, why it is not known
    HOLDS,
    FAILS,
    NOT_TESTED, // outside the range in which the relation's own measure counts: too large, or round-off
    LEFT_OUT,   // the relation does not apply to such scenes
    REFUSED,    // by the reader of scene files
    RUN_FAILS,  // or a solve does
    RETRIED,    // some step was taken in parts, or its iterations ran out: round-off may decide where that
                // happens
    CHAOTIC,    // round-off decides everything
    FINDINGS
} Finding;

extern const char* const finding_names[FINDINGS];

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

void transform_observation(Observation* o, const Change* c);
// Whether two observations differ by no more than round-off, amplified; `extent`: of the coordinates [m].
void compare_near(unsigned skip, const Subject* u, const Observation* expected, const Observation* seen,
                  double extent, Verdict* v);
int order_of(const Scene* s); // of the error of a step, as the pages of the models state it

CordWorld* solved(const Scene* s, CordSolveReport* report, Verdict* v); // NULL: not, and the verdict says why

// ---- checks that have their own files

bool has_balance(const Scene* s);
void check_balance(const Subject* u, Verdict* v);
void check_balance_order(const Subject* u, Verdict* v);
void check_settle(const Subject* u, Verdict* v);
bool has_spectrum(const Scene* s);
void check_spectrum(const Subject* u, Verdict* v);
void check_symmetry(const Subject* u, Verdict* v);
void check_elements(const Subject* u, Verdict* v);
void check_models(const Subject* u, Verdict* v);
void check_integrators(const Subject* u, Verdict* v);

#endif
