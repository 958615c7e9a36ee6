// The events and the stability along a branch of equilibria, as text and as JSON.
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

BranchReport branch_of(CordBranchPoint* points, int count); // keeps the points

int branch_read(BranchReport* report, const Input* input); // exit status; an error has been reported
void branch_free(BranchReport* report);

// Stable within round-off: its softest motion costs no energy.
bool branch_is_neutral(const CordBranchPoint* point);

// "stable", "2 unstable modes" or "stability not known"; under loads without a potential "no divergence"
void branch_print_stable(const CordBranchPoint* point);
void branch_print(const BranchReport* report, int point); // `point` is described in detail
void branch_json(Json* j, const BranchReport* report, int point);

#endif
