// What can be told of the contacts in the frames of a recording, and of its obstacles.
#ifndef CORDAGE_CLI_INFO_CONTACTS_H
#define CORDAGE_CLI_INFO_CONTACTS_H

#include "json.h"
#include "report.h"

typedef struct ContactReport {
    int frames; // looked at; 0: none, as of a scene, or because they are too many
    int most;   // contacts in any of them, and in which
    int most_frame;
    double most_time; // [s]
    bool overlaps;    // is there any penetration? the deepest:
    CordContact deepest;
    double share; // of the thinner radius
    int deepest_frame;
    double deepest_time; // [s]
} ContactReport;

// Takes one more frame into account. Starts from all zero.
void contacts_look(ContactReport* contacts, const CordFrame* frame, int index);

// Nothing is told where there are neither contacts nor obstacles. `report` is that of one frame.
void contacts_print(const ContactReport* contacts, const Report* report);
void contacts_json(Json* j, const ContactReport* contacts, const Report* report);

#endif
