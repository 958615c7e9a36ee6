#include "interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t raised; // a signal handler can reach nothing but a global

static void on_signal(int signal_number)
{
    (void)signal_number;
    raised = 1;
}

void interrupt_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    // Restart: a write to the recording that was under way goes on. Reset: the second signal meets the
    // default action.
    action.sa_flags = (int)(SA_RESTART | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupt_raised(void)
{
    return raised != 0;
}
