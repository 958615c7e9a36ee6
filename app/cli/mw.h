// What the experiments of modal warping share.
#ifndef CORDAGE_CLI_MW_H
#define CORDAGE_CLI_MW_H

#include <cordage/modal.h>

#include <stdbool.h>

static const double mw_step = 1.0 / 30.0; // the paper's [s]

CordModalHooks mw_hooks(void); // as the program finds modes, but always anew, and in silence

// The world of a shipped scene, with them. NULL: it could not be made, and that was said.
CordWorld* mw_scene(const char* name, const char* const* settings, int setting_count);

// So many steps; false: they failed, and that has been printed.
bool mw_advance(CordWorld* world, int steps);

CordVec3 mw_node(const CordWorld* world, int rod, int node); // its position [m]; node -1: the last
double mw_length(const CordWorld* world, int rod); // of all its elements as they are, over that at rest
double mw_distance(CordVec3 a, CordVec3 b);

typedef struct MwView { // of a picture
    CordVec3 eye, target;
    double degrees; // field of view
    double ground;  // z [m]
    double thick;   // rods are drawn so many times as thick as they are
} MwView;

// DIRECTORY/NAME.png of the world as it is. A build without pictures says so, and that is no failure of the experiment.
void mw_picture(CordWorld* world, const MwView* view, const char* directory, const char* name);

const char* mw_verdict(bool good); // "pass" or "FAIL"

#endif
