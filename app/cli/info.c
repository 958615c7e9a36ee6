#include "info.h"

#include "branch_report.h"
#include "command.h"
#include "input.h"
#include "json.h"
#include "report.h"
#include "rod_method.h"
#include "settings.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RODS_SHOWN = 20, BODIES_SHOWN = 20 }; // in text; JSON lists all

// All that is printed about a file.
typedef struct Info {
    const Input* input;
    const char* title;
    double first_time, last_time; // of the frames [s]
    int frame;                    // reported
    Report report;
    const CordFrameRod* rods; // of any frame, for their names
    const CordFrame* shown;   // the reported frame
    ForceReport forces;       // of a recording
    ContactReport contacts;   // of a recording
    LinkReport links;         // of the reported frame
    bool is_branch;
    BranchReport branch; // valid if is_branch
} Info;

static const char* body_shape(const BodyReport* b)
{
    return b->is_joint ? "joint" : cord_solid_kind((int)b->body.solid.shape)->name;
}

// The rod's def in the scene; NULL: unknown.
static const CordRodDef* rod_def(const Input* input, int rod)
{
    return input->sim.scene ? cord_scene_rod(input->sim.scene, rod) : NULL;
}

// ---- as text

static void print_label(const char* indent, const char* label)
{
    printf("%s%-*s", indent, 20 - (int)strlen(indent), label);
}

static void print_energy(const char* indent, CordEnergy e)
{
    print_label(indent, "energy [J]");
    printf("total %.6g: kinetic %.6g, bend %.6g, twist %.6g, stretch %.6g, gravity %.6g\n", report_total(e),
           e.kinetic, e.bend, e.twist, e.stretch, e.gravity);
}

static void print_momentum(const char* indent, CordMomentum m)
{
    print_label(indent, "momentum");
    printf("linear (%.6g, %.6g, %.6g) kg m/s, angular (%.6g, %.6g, %.6g) kg m^2/s\n", m.linear.x, m.linear.y,
           m.linear.z, m.angular.x, m.angular.y, m.angular.z);
    print_label(indent, "centre of mass");
    printf("(%.6g, %.6g, %.6g) m\n", m.center.x, m.center.y, m.center.z);
}

static void print_turns(const RodReport* r)
{
    printf("  turns             twist %.9g", r->twist);
    if (isnan(r->writhe)) {
        printf(", writhe not reckoned");
    } else {
        printf(", writhe %.9g, link %.9g", r->writhe, r->twist + r->writhe);
    }
    if (r->knot >= 0 && r->knot != 1) {
        printf("\n  knot              determinant %lld", (long long)r->knot);
    }
    printf("\n");
}

static void print_rod(const RodReport* r, const CordRodDef* def)
{
    printf("\n"
           "rod \"%s\": %s, %d elements",
           r->rod.name,
           r->rod.network  ? "network"
           : r->rod.closed ? "closed"
                           : "open",
           r->rod.edge_count);
    if (!isnan(r->mass)) {
        printf(", length %.6g m, mass %.6g kg", r->length, r->mass);
    }
    printf("\n");
    if (def) {
        RodMethod way = rod_method(def);
        printf("  model             %s\n", rod_method_text(&way).text);
    }
    if (r->adapt.count > 0) {
        AdaptiveText text = adaptive_text(&r->adapt);
        printf("  nodes             %s\n  changes           %s\n", text.nodes, text.changes);
    }
    print_energy("  ", r->energy);
    if (r->has_momentum) {
        print_momentum("  ", r->momentum);
    }
    if (!r->rod.network) {
        print_turns(r);
    }
    printf("  tension           %.6g to %.6g N\n", r->tension_least, r->tension_greatest);
    if (!isnan(r->stretch)) {
        printf("  greatest stretch  %.3g\n", r->stretch);
    }
}

static void print_body(const BodyReport* b)
{
    const CordFrameBody* body = &b->body;
    CordVec3 x = body->position, v = body->velocity, w = body->spin;
    printf("\nbody \"%s\": %s", body->name, body_shape(b));
    if (!isnan(b->mass)) {
        printf(", mass %.6g kg", b->mass);
    }
    printf("\n  position          (%.6g, %.6g, %.6g) m\n", x.x, x.y, x.z);
    if (isnan(v.x)) { // a reel has no velocities
        return;
    }
    printf("  velocity          (%.6g, %.6g, %.6g) m/s, spin (%.6g, %.6g, %.6g) rad/s\n", v.x, v.y, v.z, w.x,
           w.y, w.z);
    printf("  energy [J]        total %.6g: kinetic %.6g, gravity %.6g\n", report_total(body->energy),
           body->energy.kinetic, body->energy.gravity);
}

static void print_bodies(const Report* report)
{
    int shown = 0, left = 0;
    for (int i = 0; i < report->body_count; i++) {
        bool shows = !report->bodies[i].is_joint && shown < BODIES_SHOWN;
        if (shows) {
            print_body(&report->bodies[i]);
        }
        shown += shows;
        left += !shows && !report->bodies[i].is_joint;
    }
    if (left > 0) {
        printf("\n... and %d more bodies; --json lists them all\n", left);
    }
}

static void print_body_count(const Report* report)
{
    int joints = 0, bodies = 0;
    double mass = 0.0;
    for (int i = 0; i < report->body_count; i++) {
        const BodyReport* b = &report->bodies[i];
        joints += b->is_joint;
        bodies += !b->is_joint;
        mass += b->is_joint ? 0.0 : b->mass;
    }
    if (bodies > 0) {
        printf("bodies              %d", bodies);
        if (!isnan(mass)) {
            printf(", with a mass of %.6g kg", mass);
        }
        printf("\n");
    }
    if (joints > 0) {
        printf("joints              %d\n", joints);
    }
}

static void print_distance(const Report* report)
{
    const Distance* d = &report->distance;
    printf("\nleast distance      ");
    if (d->skipped) {
        printf("not reckoned: %d elements are too many pairs to try\n", report->edge_count);
    } else if (!d->found) {
        printf("no rod comes near another or itself\n");
    } else {
        printf("%.6g m between \"%s\" edge %d and \"%s\" edge %d; their surfaces %s by %.3g m\n", d->distance,
               report->rods[d->rod[0]].rod.name, d->edge[0], report->rods[d->rod[1]].rod.name, d->edge[1],
               d->gap < 0.0 ? "overlap" : "are apart", fabs(d->gap));
    }
}

static void print_probes(const Input* input)
{
    int count = input_probe_count(input);
    for (int i = 0; i < count; i++) {
        InputProbe probe = input_probe(input, i);
        printf("probe \"%s\": %s\n", probe.name, cord_measure_name(probe.measure));
    }
    if (input->recording && count > 0) {
        printf("probe readings      %s of each\n",
               text_count(cord_recording_probe_rows(input->recording)).text);
    }
}

static void print_recording(const CordRecording* recording, const char* path)
{
    const char* failure = cord_recording_failure(recording);
    printf("%s: a recording by cordage %s, %s\n", path, cord_recording_version(recording),
           failure                              ? "of a run that failed"
           : cord_recording_complete(recording) ? "complete"
                                                : "not closed: a run is still writing it, or was cut off");
    if (failure) {
        printf("failure             %s\n", failure);
    }
}

static void print_head(const Info* info)
{
    const Input* input = info->input;
    if (input->recording) {
        print_recording(input->recording, input->path);
    } else {
        printf("%s: a %s\n", input->path,
               !input->reel       ? "scene"
               : !input->recorded ? "reel with a scene to be run"
               : input->sim.scene ? "reel with its scene"
                                  : "reel");
    }
    if (info->title && *info->title) {
        printf("title               %s\n", info->title);
    }
    if (info->is_branch) {
        branch_print(&info->branch, info->frame);
    } else if (input->recorded) {
        printf("frames              %d, t = %.6g to %.6g s\n", input->frames.count, info->first_time,
               info->last_time);
    } else {
        const CordSceneRun* run = cord_scene_run(input->sim.scene);
        printf("to run              t = 0 to %.6g s, %g frames/s\n", run->end, run->fps);
    }
}

// Totals of all rods and bodies, as far as a reel keeps them.
static void print_whole(const Report* report)
{
    if (!isnan(report_total(report->energy))) {
        print_energy("", report->energy);
    }
    if (report->has_momentum) {
        print_momentum("", report->momentum);
    }
    if (!isnan(report->stretch)) {
        printf("greatest stretch    %.3g\n", report->stretch);
    }
}

static void print_text(const Info* info)
{
    const Report* report = &info->report;
    print_head(info);
    printf("this frame          %d, t = %.6g s, step %s\n", info->frame, report->time,
           text_count(report->steps).text);
    printf("rods                %d, with %d nodes and %d elements\n", report->rod_count, report->node_count,
           report->edge_count);
    print_body_count(report);
    if (report->obstacle_count > 0) {
        printf("obstacles           %d\n", report->obstacle_count);
    }
    for (int i = 0; i < report->surface_count; i++) {
        const CordFrameSurface* s = &report->surfaces[i];
        printf("surface             \"%s\" of %d triangles, goes along with \"%s\"\n", s->name,
               s->triangle_count, report->rods[s->rod].rod.name);
    }
    if (report->rod_count + report->body_count > 1) {
        print_whole(report);
    }
    for (int i = 0; i < report->rod_count && i < RODS_SHOWN; i++) {
        print_rod(&report->rods[i], rod_def(info->input, i));
    }
    if (report->rod_count > RODS_SHOWN) {
        printf("\n... and %d more rods; --json lists them all\n", report->rod_count - RODS_SHOWN);
    }
    links_print(&info->links, report);
    print_bodies(report);
    contacts_print(&info->contacts, report);
    if (info->input->recording) {
        forces_print(&info->forces, info->rods);
    }
    ledger_print(info->shown);
    print_distance(report);
    print_probes(info->input);
}

// ---- as JSON

static void json_momentum(Json* j, bool has_momentum, CordMomentum m)
{
    if (!has_momentum) {
        json_null(j, "momentum");
        return;
    }
    json_object(j, "momentum");
    json_vector(j, "linear", m.linear);
    json_vector(j, "angular", m.angular);
    json_vector(j, "center", m.center);
    json_close_object(j);
}

static void json_rod(Json* j, const RodReport* r, const CordRodDef* def)
{
    json_object(j, NULL);
    json_text(j, "name", r->rod.name);
    json_text(j, "model", def ? cord_model_name(def->model) : NULL);
    json_bool(j, "closed", r->rod.closed);
    json_bool(j, "network", r->rod.network);
    json_int(j, "nodes", r->rod.node_count);
    json_int(j, "elements", r->rod.edge_count);
    json_number(j, "length", r->length);
    json_number(j, "mass", r->mass);
    report_json_energy(j, r->energy);
    json_momentum(j, r->has_momentum, r->momentum);
    json_number(j, "twist", r->twist);
    json_number(j, "writhe", r->writhe);
    json_number(j, "link", r->twist + r->writhe);
    if (r->knot >= 0) {
        json_int(j, "knot_determinant", r->knot);
    } else {
        json_null(j, "knot_determinant");
    }
    json_number(j, "greatest_stretch", r->stretch);
    json_number(j, "least_tension", r->tension_least);
    json_number(j, "greatest_tension", r->tension_greatest);
    adaptive_json(j, &r->adapt);
    json_close_object(j);
}

static void json_body(Json* j, const BodyReport* b)
{
    const CordFrameBody* body = &b->body;
    json_object(j, NULL);
    json_text(j, "name", body->name);
    json_text(j, "shape", body_shape(b));
    json_vector(j, "size", body->solid.size);
    json_number(j, "mass", b->mass);
    json_vector(j, "position", body->position);
    json_quat(j, "rotation", body->rotation);
    json_vector(j, "velocity", body->velocity);
    json_vector(j, "spin", body->spin);
    json_object(j, "energy");
    json_number(j, "total", report_total(body->energy));
    json_number(j, "kinetic", body->energy.kinetic);
    json_number(j, "gravity", body->energy.gravity);
    json_close_object(j);
    json_momentum(j, b->has_momentum, b->momentum);
    json_close_object(j);
}

static void json_surfaces(Json* j, const Report* report)
{
    json_array(j, "surfaces");
    for (int i = 0; i < report->surface_count; i++) {
        const CordFrameSurface* s = &report->surfaces[i];
        json_object(j, NULL);
        json_text(j, "name", s->name);
        json_text(j, "rod", report->rods[s->rod].rod.name);
        json_int(j, "vertices", s->vertex_count);
        json_int(j, "triangles", s->triangle_count);
        json_close_object(j);
    }
    json_close_array(j);
}

static void json_distance(Json* j, const Report* report)
{
    const Distance* d = &report->distance;
    if (d->skipped || !d->found) {
        json_null(j, "least_distance");
        return;
    }
    json_object(j, "least_distance");
    json_number(j, "distance", d->distance);
    json_number(j, "gap", d->gap);
    json_array(j, "between");
    for (int i = 0; i < 2; i++) {
        json_object(j, NULL);
        json_text(j, "rod", report->rods[d->rod[i]].rod.name);
        json_int(j, "edge", d->edge[i]);
        json_close_object(j);
    }
    json_close_array(j);
    json_close_object(j);
}

static void json_probes(Json* j, const Input* input)
{
    int count = input_probe_count(input);
    json_array(j, "probes");
    for (int i = 0; i < count; i++) {
        InputProbe probe = input_probe(input, i);
        json_object(j, NULL);
        json_text(j, "name", probe.name);
        json_text(j, "measure", cord_measure_name(probe.measure));
        json_array(j, "columns");
        for (int c = 0; c < cord_measure_size(probe.measure); c++) {
            json_text(j, NULL, cord_measure_column(probe.measure, c));
        }
        json_close_array(j);
        json_close_object(j);
    }
    json_close_array(j);
    json_int(j, "probe_readings",
             input->recording && count > 0 ? cord_recording_probe_rows(input->recording) : 0);
}

static void print_json(const Info* info)
{
    const Input* input = info->input;
    const Report* report = &info->report;
    Json json = json_begin(stdout);
    Json* j = &json;
    json_object(j, NULL);
    json_text(j, "file", input->path);
    json_text(j, "kind", input->reel ? "reel" : input->recording ? "recording" : "scene");
    json_text(j, "title", info->title);
    if (input->recording) {
        json_text(j, "version", cord_recording_version(input->recording));
        json_bool(j, "complete", cord_recording_complete(input->recording));
        json_text(j, "failure", cord_recording_failure(input->recording));
    }
    json_int(j, "frames", input->frames.count);
    json_number(j, "first_time", info->first_time);
    json_number(j, "last_time", info->last_time);
    json_int(j, "frame", info->frame);
    json_number(j, "time", report->time);
    json_int(j, "steps", report->steps);
    json_int(j, "nodes", report->node_count);
    json_int(j, "elements", report->edge_count);
    report_json_energy(j, report->energy);
    json_momentum(j, report->has_momentum, report->momentum);
    json_number(j, "greatest_stretch", report->stretch);
    json_distance(j, report);
    json_array(j, "rods");
    for (int i = 0; i < report->rod_count; i++) {
        json_rod(j, &report->rods[i], rod_def(input, i));
    }
    json_close_array(j);
    links_json(j, &info->links, report);
    json_array(j, "bodies");
    for (int i = 0; i < report->body_count; i++) {
        json_body(j, &report->bodies[i]);
    }
    json_close_array(j);
    json_surfaces(j, report);
    contacts_json(j, &info->contacts, report);
    ledger_json(j, info->shown);
    if (input->recording) {
        forces_json(j, &info->forces, info->rods);
    }
    if (info->is_branch) {
        branch_json(j, &info->branch, info->frame);
    }
    json_probes(j, input);
    json_close_object(j);
    json_end(j);
}

// ---- the command

// Collects what describes a recording as a whole, or only the frame that the user asked for.
static int info_whole(Info* info, bool one_frame)
{
    const Input* input = info->input;
    int status = EXIT_GOOD, first = one_frame ? info->frame : 0;
    int last = one_frame ? info->frame : input->frames.count - 1;
    forces_begin(&info->forces, first, last);
    for (int i = first; input->recording && status == EXIT_GOOD && !info->forces.skipped && i <= last; i++) {
        CordFrame frame;
        status = input_read_frame(input, i, &frame);
        if (status == EXIT_GOOD) {
            forces_add_frame(&info->forces, &frame, i);
        }
        if (status == EXIT_GOOD && !info->forces.skipped) {
            contacts_add_frame(&info->contacts, &frame, i);
        }
    }
    info->is_branch = input->recording && cord_recording_is_branch(input->recording);
    if (status == EXIT_GOOD && info->is_branch) {
        status = branch_read(&info->branch, input);
    }
    return status;
}

static int info_tell(Input* input, int wanted, bool as_json)
{
    Info info = {.input = input, .title = input->sim.scene ? cord_scene_run(input->sim.scene)->title : NULL};
    CordFrame frame;
    if (!input_frame_index(wanted == INT_MIN ? -1 : wanted, input->frames.count, &info.frame)) {
        return EXIT_USAGE;
    }
    int ends[2] = {0, input->frames.count - 1};
    double* times[2] = {&info.first_time, &info.last_time};
    for (int i = 0; i < 2; i++) {
        if (input_read_frame(input, ends[i], &frame) != EXIT_GOOD) {
            return EXIT_FAILED;
        }
        *times[i] = frame.time;
    }
    if (info_whole(&info, wanted != INT_MIN) != EXIT_GOOD ||
        input_read_frame(input, info.frame, &frame) != EXIT_GOOD) {
        branch_free(&info.branch);
        return EXIT_FAILED;
    }
    info.rods = frame.rods;
    info.shown = &frame;
    info.links = links_find(&frame, input->sim.world);
    report_make(&info.report, &frame, input->sim.world, input->recorded);
    if (as_json) {
        print_json(&info);
    } else {
        print_text(&info);
    }
    report_free(&info.report);
    links_free(&info.links);
    branch_free(&info.branch);
    return EXIT_GOOD;
}

typedef struct InfoOptions {
    int frame; // INT_MIN: not given
    bool json;
    OptionList settings;
} InfoOptions;

static int info_command(void* given, const Operands* operands)
{
    const InfoOptions* o = given;
    Input input;
    int status = input_open(&input, operands->items[0], &o->settings);
    if (status == EXIT_GOOD) {
        input_build(&input);
        status = info_tell(&input, o->frame, o->json);
        input_close(&input);
    }
    return status;
}

static const Option options[] = {
    {"frame", 0, OPTION_INT, offsetof(InfoOptions, frame), "K",
     "which frame of a recording: from 0, or from -1 (the last, the default)\nbackwards. Internal forces and "
     "penetration are then those\nof this frame alone"},
    {"json", 0, OPTION_FLAG, offsetof(InfoOptions, json), NULL,
     "print JSON; a number that is not known is null"},
    SETTINGS_OPTION(offsetof(InfoOptions, settings), SETTINGS_HELP_FILE),
};

const Command command_info = {
    .name = "info",
    .arguments = "FILE",
    .summary = "what is in a scene or a recording",
    .usage = "info FILE [options]",
    .about =
        "Says what is in a scene, a recording or a reel: counts, times, energies, momentum, twist, writhe\n"
        "and link, the least distance between rods, the greatest stretch, bodies, obstacles and the\n"
        "forces on them, contacts, probes; and of a recording the largest internal forces of all its\n"
        "frames, the most contacts and the deepest penetration in any, and where a branch folds,\n"
        "bifurcates and changes its stability.",
    .closing =
        "Twist, writhe and link (twist + writhe) are in turns; an open rod goes on straight beyond "
        "its ends,\n"
        "to infinity. Linking numbers are of pairs of rods that are closed or held at both ends, "
        "where not 0. The\n"
        "least distance is between centrelines, and counts two places of one rod only where\n"
        "they are nearer to each other than half the way between them along the rod; rods that are\n"
        "joined do not count as a pair. A network has no twist, writhe, knot or link, and counts as\n"
        "one place for the least distance.\n"
        "\n"
        "The ledger tells what has changed the energy and the momenta: the impulse of gravity, whose\n"
        "work is part of the energy, the work and the impulse of each clamp, load and obstacle, what\n"
        "damping and contact have taken, what the first step has projected away (start), what the\n"
        "method has made and taken of motion that its steps do not resolve (integrator), rods and\n"
        "bodies that came or went (changes), nodes that adaptive rods took in or gave up (remeshing),\n"
        "and the rest (unaccounted).\n"
        "\n"
        "examples:\n"
        "  cordage info swing.h5\n"
        "  cordage info swing.h5 --frame 0\n"
        "  cordage info swing --json          a shipped scene",
    .operands = {1, 1},
    COMMAND_OPTIONS(InfoOptions, .frame = INT_MIN),
    .run = info_command,
};
