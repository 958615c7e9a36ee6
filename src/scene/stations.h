// Properties that vary along a rod. They are given at stations, linear between them, and constant before the
// first and after the last.
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
    // arguments of its cord_section_ function, or the fields of CordSection
    double size[SECTION_SIZES];
} SectionStation;

typedef struct StiffnessStation {
    double at;
    CordStiffness value; // the same fields are given at every station
} StiffnessStation;

CordSection section_make(const SectionStation* station);
const char* section_problem(const SectionStation* station); // why the section is impossible; NULL: it is not

// The section and stiffness at a fraction of the rod's length, from one station or more. The dimensions of a
// section are linear, not its moments of area.
CordSection section_at(const SectionStation* stations, int count, double at);
CordStiffness stiffness_at(const StiffnessStation* stations, int count, double at);

#endif
