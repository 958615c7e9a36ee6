// What varies along a rod: given at some places, its stations, and linear between them; before the first and
// after the last it stays as it is there.
#ifndef CORD_SCENE_STATIONS_H
#define CORD_SCENE_STATIONS_H

#include <cordage/cordage.h>

typedef enum SectionKind {
    SECTION_DISC,
    SECTION_TUBE,
    SECTION_ELLIPSE,
    SECTION_RECTANGLE,
    SECTION_H,
    SECTION_EXPLICIT
} SectionKind;

#define SECTION_SIZES 5 // dimensions of a section at the most

typedef struct SectionStation {
    double at; // fraction of the rod's length
    SectionKind kind;
    // in the order of the arguments of its cord_section_ function, or of CordSection's fields
    double size[SECTION_SIZES];
} SectionStation;

typedef struct StiffnessStation {
    double at;
    CordStiffness value; // the same fields are given at every station
} StiffnessStation;

CordSection section_make(const SectionStation* station);
const char* section_problem(const SectionStation* station); // why there is no such section; NULL: there is

// At a fraction of the rod's length. Dimensions vary linearly, not the moments that follow from them. (count)
// at least one.
CordSection section_at(const SectionStation* stations, int count, double at);
CordStiffness stiffness_at(const StiffnessStation* stations, int count, double at);

#endif
