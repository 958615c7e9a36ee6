// The parts of `cordage info`. Each collects its quantities and prints them as text and as JSON.
#ifndef CORDAGE_CLI_INFO_H
#define CORDAGE_CLI_INFO_H

#include "json.h"
#include "report.h"

// ---- info_contacts.c: contacts in the frames of a recording, and its obstacles

typedef struct ContactReport { // starts as {0}
    int frames;                // read so far; 0: a scene, or the recording is too long
    int most;                  // largest number of contacts in a frame
    int most_frame;
    double most_time; // [s]
    bool overlaps;    // there is a penetration; the deepest one:
    CordContact deepest;
    double share; // its depth over the smaller radius
    int deepest_frame;
    double deepest_time; // [s]
} ContactReport;

void contacts_add_frame(ContactReport* contacts, const CordFrame* frame, int index);

// Print nothing where there are neither contacts nor obstacles. `report` describes one frame.
void contacts_print(const ContactReport* contacts, const Report* report);
void contacts_json(Json* j, const ContactReport* contacts, const Report* report);

// ---- info_forces.c: the largest internal forces in the frames of a recording

typedef enum ForceKind {
    FORCE_TENSION,       // the greatest [N]
    FORCE_LEAST_TENSION, // negative: compression [N]
    FORCE_SHEAR,         // [N]
    FORCE_BENDING,       // moment [N m]
    FORCE_TORQUE,        // the largest in either direction [N m]
    FORCE_COUNT
} ForceKind;

typedef struct ForceExtreme {
    bool found; // false: not recorded
    double value;
    double rank;    // what is compared: the highest counts
    int rod, place; // place: the edge, or the node of a moment
    double arc;     // from the rod's start [m]
    int frame;
    double time; // [s]
} ForceExtreme;

typedef struct ForceReport {
    int first, last; // frames read
    bool skipped;    // there are too many
    ForceExtreme extremes[FORCE_COUNT];
} ForceReport;

// Starts a report on frames [first, last]; then every frame is added.
void forces_begin(ForceReport* report, int first, int last);
void forces_add_frame(ForceReport* report, const CordFrame* frame, int index);

// `rods` may be of any frame: it gives their names.
void forces_print(const ForceReport* report, const CordFrameRod* rods);
void forces_json(Json* j, const ForceReport* report, const CordFrameRod* rods);

// ---- info_ledger.c: the ledger of energy and momentum at a frame of a recording

void ledger_print(const CordFrame* frame); // prints nothing where there is none
void ledger_json(Json* j, const CordFrame* frame);

// ---- info_links.c: linking numbers of the rods of a frame

typedef struct LinkedPair {
    int rod[2];
    int64_t link; // not 0
} LinkedPair;

typedef struct LinkReport {
    LinkedPair* pairs; // (count)
    int count;
    bool skipped; // some pairs were left out, because they would take too long
} LinkReport;

// Linking numbers of chains that are closed, or held at both ends in `world`, which was built from the
// frame's scene. If world is NULL only closed chains count.
LinkReport links_find(const CordFrame* frame, const CordWorld* world);
void links_free(LinkReport* links);
void links_print(const LinkReport* links, const Report* report);
void links_json(Json* j, const LinkReport* links, const Report* report);

#endif
