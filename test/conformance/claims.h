// The conformance suite is a table of claims, each of which runs over every subject that has what it needs.
// Every pair of a claim and a subject is a test of its own, named "claim: subject":
//
//     test_conformance states 'resume*'            one claim
//     test_conformance states '*: xpbd*'           all claims of a group, on some subjects
#ifndef CORDAGE_TEST_CLAIMS_H
#define CORDAGE_TEST_CLAIMS_H

#include "subjects.h"

typedef struct Claim {
    const char* name;
    unsigned needs; // traits of subjects.h that a subject must have, all of them; 0: any subject will do
    unsigned bars;  // traits that it must not have
    void (*run)(const Subject* s);
} Claim;

typedef struct Trial {
    const Claim* claim;
    const Subject* subject;
} Trial;

static inline void run_trial(void** state)
{
    const Trial* trial = *state;
    trial->claim->run(trial->subject);
}

enum { MOST_TRIALS = 1024 };

static inline int run_claims(const char* group, const Claim* claims, int count)
{
    static char names[MOST_TRIALS][128];
    static Trial trials[MOST_TRIALS];
    static struct CMUnitTest tests[MOST_TRIALS];
    size_t n = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < SUBJECTS; k++) {
            unsigned traits = subject_traits(&subjects[k]);
            if ((traits & claims[i].needs) == claims[i].needs && (traits & claims[i].bars) == 0) {
                snprintf(names[n], sizeof *names, "%s: %s", claims[i].name, subjects[k].name);
                trials[n] = (Trial){&claims[i], &subjects[k]};
                tests[n] = (struct CMUnitTest){names[n], run_trial, NULL, NULL, &trials[n]};
                n++;
            }
        }
    }
    return _cmocka_run_group_tests(group, tests, n, NULL, NULL);
}

#define CLAIM_GROUP(group)                                                                                   \
    int group##_group(void);                                                                                 \
    int group##_group(void)                                                                                  \
    {                                                                                                        \
        return run_claims(#group, claims, (int)(sizeof claims / sizeof *claims));                            \
    }

#endif
