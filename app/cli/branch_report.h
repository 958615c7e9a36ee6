// What can be told of a recorded branch of equilibria: where it goes, and where its stability changes.
#ifndef CORDAGE_CLI_BRANCH_REPORT_H
#define CORDAGE_CLI_BRANCH_REPORT_H

#include "input.h"
#include "json.h"

typedef struct BranchReport {
    int count;
    CordBranchPoint* points;      // (count)
    double least_time, most_time; // [s]
    int not_converged;            // points
} BranchReport;

int branch_read(BranchReport* report, const Input* input); // of a branch; what is wrong has been said
void branch_free(BranchReport* report);

// Stable but for round-off: its softest motion costs no energy. (What counts as unstable is below zero by
// more than that.)
bool branch_is_neutral(const CordBranchPoint* point);

void branch_print_stable(int unstable);                   // "stable", and the like
void branch_print(const BranchReport* report, int point); // the one looked at
void branch_json(Json* j, const BranchReport* report, int point);

#endif
