#include "command.h"
#include "console.h"
#include "heap.h"
#include "json.h"
#include "modal.h"
#include "modes.h"
#include "output.h"

#include <cordage/math.h>
#include <cordage/solve.h>

#include <stdlib.h>
#include <string.h>

bool modes_modal_any(const CordScene* scene)
{
    for (int i = 0; i < cord_scene_rod_count(scene); i++) {
        if (scene_rod_is_modal(scene, i)) {
            return true;
        }
    }
    return false;
}

// ---- tables

typedef struct ModalRod {
    CordRodId id;
    int count;      // number of modes
    CordMode* mode; // (count)
    CordModalReport report;
    double mass;     // [kg]
    CordVec3 moving; // effective mass of all modes, over the mass of the rod
} ModalRod;

static CordVec3 share_of(const CordMode* mode, double mass)
{
    return cord_vec3_div(mode->effective_mass, mass);
}

// The modes must have been found.
static ModalRod rod_ask(const CordWorld* world, CordRodId id)
{
    ModalRod r = {.id = id, .count = cord_rod_mode_count(world, id), .mass = cord_rod_mass(world, id)};
    r.mode = heap_take((size_t)r.count, sizeof *r.mode);
    (void)cord_rod_modal_report(world, id, &r.report);
    for (int k = 0; k < r.count; k++) {
        (void)cord_rod_mode(world, id, k, &r.mode[k]);
        r.moving = cord_vec3_add(r.moving, share_of(&r.mode[k], r.mass));
    }
    return r;
}

static void print_heading(const CordWorld* world, const ModalRod* r)
{
    const CordModalReport* report = &r->report;
    printf("rod \"%s\": %s nodes, %s elements, %s unknowns, %.4g kg; %s%s\n", cord_rod_name(world, r->id),
           text_count(cord_rod_node_count(world, r->id)).text,
           text_count(cord_rod_edge_count(world, r->id)).text, text_count(report->unknowns).text, r->mass,
           report->kept ? "modes kept from before" : "solver: ", report->kept ? "" : report->solver);
    if (report->rigid > 0) {
        printf("%d motion%s that no stiffness resists %s left out\n", report->rigid,
               text_plural(report->rigid), report->rigid == 1 ? "is" : "are");
    }
}

static double percent(double share) // without a sign for round-off
{
    return fabs(share) < 5e-4 ? 0.0 : 100.0 * share;
}

static void print_mode(const ModalRod* r, int k)
{
    const CordMode* m = &r->mode[k];
    CordVec3 s = share_of(m, r->mass);
    char same[24] = "";
    if (m->cluster_count > 1) {
        snprintf(same, sizeof same, "%d-%d", m->cluster_first + 1, m->cluster_first + m->cluster_count);
    }
    printf("%4d %14.7g %7s %9.4g  %-8s %6.1f %6.1f %8.1f %8.2f %6.2f %6.2f\n", k + 1, modal_frequency(m),
           same, m->ratio, cord_mode_kind_name(m->kind), percent(m->bend), percent(m->twist),
           percent(m->stretch), 100.0 * s.x, 100.0 * s.y, 100.0 * s.z);
}

static void print_rod(const CordWorld* world, const ModalRod* r)
{
    print_heading(world, r);
    printf("%4s %14s %7s %9s  %-8s %22s %24s\n", "", "", "same", "damping", "", "energy [%]",
           "effective mass [%]");
    printf("%4s %14s %7s %9s  %-8s %6s %6s %8s %8s %6s %6s\n", "mode", "frequency [Hz]", "as", "ratio",
           "kind", "bend", "twist", "stretch", "x", "y", "z");
    for (int k = 0; k < r->count; k++) {
        print_mode(r, k);
    }
    printf("%4s %14s %7s %9s  %-8s %6s %6s %8s %8.2f %6.2f %6.2f\n", "all", "", "", "", "", "", "", "",
           100.0 * r->moving.x, 100.0 * r->moving.y, 100.0 * r->moving.z);
}

static void json_mode(Json* j, const CordMode* m)
{
    json_object(j, NULL);
    json_number(j, "frequency", modal_frequency(m));
    json_number(j, "omega2", m->omega2);
    json_number(j, "damping_ratio", m->ratio);
    json_text(j, "kind", cord_mode_kind_name(m->kind));
    json_number(j, "bend", m->bend);
    json_number(j, "twist", m->twist);
    json_number(j, "stretch", m->stretch);
    json_vector(j, "effective_mass", m->effective_mass);
    json_int(j, "same_from", m->cluster_first + 1);
    json_int(j, "same_to", m->cluster_first + m->cluster_count);
    json_close_object(j);
}

static void json_rod(Json* j, const CordWorld* world, const ModalRod* r)
{
    json_object(j, NULL);
    json_text(j, "name", cord_rod_name(world, r->id));
    json_number(j, "mass", r->mass);
    json_int(j, "unknowns", r->report.unknowns);
    json_int(j, "nonzeros", r->report.nonzeros);
    json_int(j, "asked", r->report.asked);
    json_int(j, "found", r->report.found);
    json_int(j, "rigid_motions", r->report.rigid);
    json_bool(j, "kept", r->report.kept);
    json_text(j, "solver", r->report.solver);
    json_array(j, "modes");
    for (int k = 0; k < r->count; k++) {
        json_mode(j, &r->mode[k]);
    }
    json_close_array(j);
    json_close_object(j);
}

// Prints one table for each modal rod, or one JSON document.
static void modes_tell(const CordScene* scene, CordWorld* world, bool as_json)
{
    Json json;
    int left_out = 0;
    if (as_json) {
        json = json_begin(stdout);
        json_object(&json, NULL);
        json_text(&json, "file", cord_scene_path(scene));
        json_array(&json, "rods");
    }
    for (int i = 0, told = 0; i < cord_world_rod_count(world); i++) {
        if (!scene_rod_is_modal(scene, i)) {
            left_out++;
            continue;
        }
        ModalRod r = rod_ask(world, cord_world_rod(world, i));
        if (as_json) {
            json_rod(&json, world, &r);
        } else {
            printf("%s", told++ > 0 ? "\n" : "");
            print_rod(world, &r);
        }
        free(r.mode);
    }
    if (as_json) {
        json_close_array(&json);
        json_close_object(&json);
        json_end(&json);
    }
    if (left_out > 0) {
        console_note("%d rod%s of other models %s left out: modal rods have modes of their own, and the "
                     "others are not joined to them",
                     left_out, text_plural(left_out), left_out == 1 ? "is" : "are");
    }
}

// ---- one vibration

typedef struct ModalVibration {
    CordWorld* world;
    CordRodId rod;
    int count, shown; // number of modes, and the one shown, from 0
    double scale;     // amplitude [m kg^1/2]
    double omega;     // [rad/s]
    double *q, *rate; // (count)
} ModalVibration;

static CordResult modal_pose(void* user, double time)
{
    ModalVibration* v = user;
    v->q[v->shown] = v->scale * sin(v->omega * time);
    v->rate[v->shown] = v->scale * v->omega * cos(v->omega * time);
    CordResult result = cord_world_set_time(v->world, time);
    return result == CORD_OK ? cord_rod_set_amplitudes(v->world, v->rod, v->q, v->rate) : result;
}

static CordRodId rod_chosen(const CordScene* scene, const CordWorld* world, const char* name)
{
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordRodId rod = cord_world_rod(world, i);
        if (scene_rod_is_modal(scene, i) && (!name || strcmp(name, cord_rod_name(world, rod)) == 0)) {
            return rod;
        }
    }
    console_error("modes --rod: the scene has no modal rod \"%s\"", name);
    return (CordRodId){0, 0};
}

static bool modal_vibration_make(ModalVibration* v, const ModalModesOptions* o)
{
    CordMode mode;
    int nodes = cord_rod_node_count(v->world, v->rod);
    v->count = cord_rod_mode_count(v->world, v->rod);
    if (v->shown >= v->count) {
        return error_false(
            "modes --mode %d is not one of the %d of rod \"%s\"; modes are counted from 1, and "
            "--count takes more",
            v->shown + 1, v->count, cord_rod_name(v->world, v->rod));
    }
    CordVec3* u = heap_take(2 * (size_t)nodes, sizeof *u);
    v->q = heap_take((size_t)v->count, sizeof *v->q);
    v->rate = heap_take((size_t)v->count, sizeof *v->rate);
    (void)cord_rod_mode(v->world, v->rod, v->shown, &mode);
    (void)cord_rod_mode_shape(v->world, v->rod, v->shown, u, NULL);
    (void)cord_rod_positions(v->world, v->rod, u + nodes);
    v->scale = vibration_scale(u + nodes, u, nodes, o->amplitude);
    v->omega = sqrt(mode.omega2);
    free(u);
    return true;
}

// Errors in the options are reported before anything is printed.
int modes_modal_run(const Simulation* s, const ModalModesOptions* o)
{
    const CordScene* scene = s->scene;
    CordWorld* world = s->world;
    ModalVibration v = {.world = world, .shown = o->shown - 1};
    int status = modal_search_run(s, true);
    if (status == EXIT_GOOD && o->output) {
        v.rod = rod_chosen(scene, world, o->rod);
        bool good = v.rod.generation != 0 && modal_vibration_make(&v, o);
        status = good ? EXIT_GOOD : EXIT_USAGE;
    }
    if (status == EXIT_GOOD) {
        modes_tell(scene, world, o->json);
    }
    if (status == EXIT_GOOD && o->output) {
        const Vibration shown = {
            .pose = modal_pose, .user = &v, .number = v.shown + 1, .period = 2.0 * CORD_PI / v.omega};
        status = vibration_show(&shown, scene, world, o->output);
    }
    free(v.q);
    free(v.rate);
    return status;
}
