#include "base/tasks.h"

void tasks_run(const CordTasks* tasks, void (*task)(void* context, int index), void* context, int count)
{
    if (tasks->run && count > 1) {
        tasks->run(tasks->user, task, context, count);
        return;
    }
    for (int i = 0; i < count; i++) {
        task(context, i);
    }
}

int tasks_ranges(const CordTasks* tasks, int count, int least)
{
    int most = tasks->run ? count / least : 1;
    return most > TASKS_RANGES ? TASKS_RANGES : most > 1 ? most : 1;
}

int tasks_range_start(int ranges, int count, int range)
{
    return (int)((int64_t)count * range / ranges);
}

typedef struct RangeLoop {
    RangeTask task;
    void* context;
    int ranges, count;
} RangeLoop;

static void run_range(void* context, int i)
{
    const RangeLoop* loop = context;
    loop->task(loop->context, i, tasks_range_start(loop->ranges, loop->count, i),
               tasks_range_start(loop->ranges, loop->count, i + 1));
}

void tasks_run_ranges(const CordTasks* tasks, int ranges, int count, RangeTask task, void* context)
{
    RangeLoop loop = {task, context, ranges, count};
    tasks_run(tasks, run_range, &loop, ranges);
}
