// Which rods of a frame are linked with each other.
#ifndef CORDAGE_CLI_INFO_LINKS_H
#define CORDAGE_CLI_INFO_LINKS_H

#include "json.h"
#include "report.h"

typedef struct LinkedPair {
    int rod[2];
    int64_t link; // not 0
} LinkedPair;

typedef struct LinkReport {
    LinkedPair* pairs; // (count)
    int count;
    bool skipped; // some were left out: they would take too long
} LinkReport;

// Of chains that are closed, or held at both ends in `world`, which was built from the frame's scene. NULL:
// of closed ones alone. False: no memory.
bool links_find(LinkReport* links, const CordFrame* frame, const CordWorld* world);
void links_free(LinkReport* links);

// `report` is that of the frame.
void links_print(const LinkReport* links, const Report* report);
void links_json(Json* j, const LinkReport* links, const Report* report);

#endif
