// Tables of claims of which some do not hold yet.
//
// A row that must hold fails its test if it does not. A row that is marked as open is printed with its figure
// and with what keeps it from holding, and fails its test if it holds, so that the mark is taken out. A mark
// is a pattern of names (* and ? as in a shell).
#ifndef CORDAGE_TEST_VALIDATE_OPEN_ROWS_H
#define CORDAGE_TEST_VALIDATE_OPEN_ROWS_H

#include "check.h"

#include <fnmatch.h>

typedef struct OpenRow {
    const char* name; // a pattern
    const char* why;  // it does not hold
} OpenRow;

typedef struct Rows {
    const OpenRow* open; // the last has no name
    int held, opened;
    int wrong; // rows that do not hold, or hold against their mark
} Rows;

static inline const OpenRow* open_row(const Rows* rows, const char* name) // NULL: it must hold
{
    for (const OpenRow* row = rows->open; row->name != NULL; row++) {
        if (fnmatch(row->name, name, 0) == 0) {
            return row;
        }
    }
    return NULL;
}

// The claim is that the value is at most the limit; not a number: the run was refused, and `note` says why.
static inline void check_row(Rows* rows, const char* name, double value, double limit, const char* note)
{
    const OpenRow* open = open_row(rows, name);
    bool holds = value <= limit, wrong = holds == (open != NULL);
    rows->held += holds, rows->opened += !holds && open != NULL, rows->wrong += wrong;
    print_message("    %-6s %-50s %10.3g, at most %.3g%s%s%s%s\n",
                  wrong   ? holds ? "HOLDS" : "FAILS"
                  : holds ? "holds"
                          : "open",
                  name, value, limit, open ? "; " : "", open ? open->why : "", *note ? "; " : "", note);
}

static inline void check_rows(const Rows* rows)
{
    print_message("    %d rows hold, %d are open, %d are not as they are marked\n", rows->held, rows->opened,
                  rows->wrong);
    CHECK_INT(rows->wrong, 0);
}

#endif
