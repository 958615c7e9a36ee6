// The tests of one folder: every file there is a group (check.h). CMake lists the groups in groups.inc.
//
//     test_unit                      runs all groups
//     test_unit GROUP [PATTERN]      runs one group, or its tests whose names match (* and ? as in a shell)
//     test_unit GROUP --all          runs what takes long as well, where a group leaves it out
#include "check.h"

typedef struct Group {
    const char* name;
    int (*run)(void); // returns how many tests failed
} Group;

#define GROUP(name) int name##_group(void);
#include "groups.inc"
#undef GROUP

static const Group groups[] = {
#define GROUP(name) {#name, name##_group},
#include "groups.inc"
#undef GROUP
};

bool check_all;

int main(int argc, char** argv)
{
    int ran = 0, failed = 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); // keeps its order with standard error in a log
    if (argc > 2 && strcmp(argv[argc - 1], "--all") == 0) {
        check_all = true, argc--;
    }
    if (argc > 2) {
        cmocka_set_test_filter(argv[2]);
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (argc < 2 || strcmp(argv[1], groups[i].name) == 0) {
            failed += groups[i].run() != 0;
            ran++;
        }
    }
    if (ran == 0) {
        fprintf(stderr, "there is no group of tests named '%s'\n", argv[1]);
    }
    return ran > 0 && failed == 0 ? 0 : 1;
}
