// Ranges of loops: they hold every index once, in order, and are no shorter than they are worth.
#include "base/tasks.h"
#include "check.h"

typedef struct Record {
    int first[TASKS_RANGES], last[TASKS_RANGES], calls;
} Record;

static void note_range(void* context, int range, int first, int last)
{
    Record* r = context;
    r->first[range] = first, r->last[range] = last;
    r->calls++;
}

static void run_backwards(void* user, void (*task)(void* context, int index), void* context, int count)
{
    (void)user;
    for (int i = count - 1; i >= 0; i--) {
        task(context, i);
    }
}

TEST(ranges_hold_every_index_once)
{
    const CordTasks tasks = {run_backwards, NULL};
    const int counts[] = {0, 1, 9, 10, 19, 20, 639, 640, 641, 100000, 2147483647};
    for (int i = 0; i < (int)(sizeof counts / sizeof *counts); i++) {
        Record r = {.calls = 0};
        int ranges = tasks_ranges(&tasks, counts[i], 10), at = 0;
        CHECK(ranges >= 1 && ranges <= TASKS_RANGES);
        CHECK(ranges == 1 || counts[i] / ranges >= 10);
        tasks_run_ranges(&tasks, ranges, counts[i], note_range, &r);
        CHECK_INT(r.calls, ranges);
        for (int k = 0; k < ranges; k++) {
            CHECK_INT(r.first[k], at);
            CHECK_INT(r.first[k], tasks_range_start(ranges, counts[i], k));
            at = r.last[k];
        }
        CHECK_INT(at, counts[i]);
    }
    CHECK_INT(tasks_ranges(&tasks, 100000, 10), TASKS_RANGES);
}

TEST(one_thread_takes_one_range)
{
    const CordTasks none = {NULL, NULL};
    Record r = {.calls = 0};
    CHECK_INT(tasks_ranges(&none, 100000, 10), 1);
    tasks_run_ranges(&none, 1, 100000, note_range, &r);
    CHECK_INT(r.calls, 1);
    CHECK_INT(r.last[0], 100000);
}

TEST_GROUP(base_tasks)
