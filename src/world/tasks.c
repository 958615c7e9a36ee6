#include "base/tasks.h"
#include "world/world.h"

#ifdef _OPENMP
#include <omp.h>

static void run_openmp(void* user, void (*task)(void* context, int index), void* context, int count)
{
    int threads = (int)(intptr_t)user;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int i = 0; i < count; i++) {
        task(context, i);
    }
}
#endif

CordTasks cord_tasks_openmp(int threads)
{
    CordTasks tasks = {0};
#ifdef _OPENMP
    if (threads > 1) {
        tasks = (CordTasks){run_openmp, (void*)(intptr_t)threads};
    }
#else
    (void)threads;
#endif
    return tasks;
}

void world_run(CordWorld* w, void (*task)(void* context, int index), void* tasks, int count)
{
    tasks_run(&w->tasks, task, tasks, count);
}
