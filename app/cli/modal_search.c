#include "modal_search.h"

#include "command.h"
#include "interrupt.h"
#include "talk.h"

#include <cordage/math.h>

bool modal_is(const CordScene* scene, int rod)
{
    return cord_scene_rod(scene, rod)->model == CORD_MODEL_MODAL;
}

double modal_frequency(const CordMode* mode)
{
    return sqrt(fmax(mode->omega2, 0.0)) / (2.0 * CORD_PI);
}

// ---- before

ModalSearch modal_search_estimate(const CordScene* scene, const CordWorld* world)
{
    ModalSearch s = {.rods = 0};
    for (int i = 0; i < cord_scene_rod_count(scene); i++) {
        if (modal_is(scene, i)) {
            CordRodId rod = cord_world_rod(world, i);
            CordModalCost cost =
                cord_modal_cost(cord_rod_node_count(world, rod), cord_rod_edge_count(world, rod),
                                cord_scene_rod(scene, i)->modal.modes);
            s.rods++;
            s.unknowns += cost.unknowns;
            s.seconds += cost.seconds;
            s.memory = cost.memory > s.memory ? cost.memory : s.memory; // one after the other
        }
    }
    return s;
}

void modal_search_print(const ModalSearch* s, const CordScene* scene, const CordWorld* world, bool found)
{
    if (s->rods == 0) {
        return;
    }
    printf("modes           of %s unknowns: at most %s and %s to find, less if they were found before\n",
           talk_count((int64_t)s->unknowns).text, talk_duration(s->seconds).text, talk_bytes(s->memory).text);
    for (int i = 0; i < cord_scene_rod_count(scene) && found; i++) {
        CordModalReport report;
        CordRodId rod = cord_world_rod(world, i);
        CordMode lowest, highest;
        if (modal_is(scene, i) && cord_rod_modal_report(world, rod, &report) == CORD_OK &&
            cord_rod_mode(world, rod, 0, &lowest) == CORD_OK &&
            cord_rod_mode(world, rod, report.found - 1, &highest) == CORD_OK) {
            printf("                rod \"%s\": %d, from %.4g to %.4g Hz\n", cord_rod_name(world, rod),
                   report.found, modal_frequency(&lowest), modal_frequency(&highest));
        }
    }
}

void modal_search_json(Json* j, const ModalSearch* s)
{
    json_object(j, "modal");
    json_int(j, "rods", s->rods);
    json_number(j, "unknowns", s->unknowns);
    json_number(j, "seconds_at_most", s->seconds);
    json_number(j, "memory_bytes_at_most", s->memory);
    json_close_object(j);
}

// ---- after

typedef struct OrdinalText {
    char text[16];
} OrdinalText;

static OrdinalText ordinal(int n) // "1st", "12th"
{
    OrdinalText t;
    bool teen = n / 10 % 10 == 1;
    const char* ending = teen ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
    snprintf(t.text, sizeof t.text, "%d%s", n, ending);
    return t;
}

// Modes of one frequency stay together, so more may be found than asked for.
static void say_found(const CordWorld* world, CordRodId rod)
{
    CordModalReport report;
    CordMode last;
    const char* name = cord_rod_name(world, rod);
    if (cord_rod_modal_report(world, rod, &report) != CORD_OK) {
        return;
    }
    if (report.found > report.asked && cord_rod_mode(world, rod, report.asked - 1, &last) == CORD_OK) {
        bool pair = last.cluster_count == 2;
        talk_note("rod \"%s\": asked for %d mode%s; %d are kept, since the %s %s the %s have one frequency",
                  name, report.asked, talk_plural(report.asked), report.found,
                  ordinal(last.cluster_first + 1).text, pair ? "and" : "to",
                  ordinal(last.cluster_first + last.cluster_count).text);
    } else if (report.found < report.asked) {
        talk_note("rod \"%s\": asked for %d modes; it has %d", name, report.asked, report.found);
    }
    if (report.rigid > 0) {
        talk_note("rod \"%s\": %d motion%s that no stiffness resists %s left out, so nothing carries it away",
                  name, report.rigid, talk_plural(report.rigid), report.rigid == 1 ? "is" : "are");
    }
}

int modal_search_go(const Simulation* s, bool quiet)
{
    const CordScene* scene = s->scene;
    CordWorld* world = s->world;
    for (int i = 0; i < cord_scene_rod_count(scene); i++) {
        CordRodId rod = cord_world_rod(world, i);
        if (!modal_is(scene, i)) {
            continue;
        }
        bool found = cord_rod_mode_count(world, rod) > 0;
        if (!found && interrupt_raised()) {
            talk_note("interrupted: the modes of rod \"%s\" are not found, and nothing of them is kept",
                      cord_rod_name(world, rod));
            return EXIT_FAILED;
        }
        if (!found) {
            simulation_error(s);
            return EXIT_USAGE;
        }
        if (!quiet) {
            say_found(world, rod);
        }
    }
    return EXIT_GOOD;
}
