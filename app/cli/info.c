#include "command.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "source.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { RODS_SHOWN = 20 }; // in text; JSON lists them all

// All that is told of a file.
typedef struct Info {
    const Source* source;
    const char* title;
    double first_time, last_time; // of the frames [s]
    int frame;                    // the one reported
    Report report;
} Info;

// ---------------------------------------------------------------------------------------------------- as text

static void print_energy(const char* indent, CordEnergy e)
{
    printf("%senergy [J]        total %.6g: kinetic %.6g, bend %.6g, twist %.6g, stretch %.6g, gravity %.6g\n",
           indent, report_total(e), e.kinetic, e.bend, e.twist, e.stretch, e.gravity);
}

static void print_momentum(const char* indent, CordMomentum m)
{
    printf("%smomentum          linear (%.6g, %.6g, %.6g) kg m/s, angular (%.6g, %.6g, %.6g) kg m^2/s\n",
           indent, m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z);
    printf("%scentre of mass    (%.6g, %.6g, %.6g) m\n", indent, m.center.x, m.center.y, m.center.z);
}

static void print_rod(const RodReport* r)
{
    printf("\n"
           "rod \"%s\": %s, %d elements",
           r->rod.name, r->rod.closed ? "closed" : "open", r->rod.edge_count);
    if (!isnan(r->mass)) {
        printf(", length %.6g m, mass %.6g kg", r->length, r->mass);
    }
    printf("\n");
    print_energy("  ", r->energy);
    if (r->has_momentum) {
        print_momentum("  ", r->momentum);
    }
    printf("  turns             twist %.9g", r->twist);
    if (isnan(r->writhe)) {
        printf(", writhe not reckoned");
    } else {
        printf(", writhe %.9g", r->writhe);
        if (r->rod.closed) {
            printf(", link %.9g", r->twist + r->writhe);
        }
    }
    printf("\n  tension           %.6g to %.6g N\n", r->tension_least, r->tension_greatest);
    printf("  greatest stretch  %.3g\n", r->stretch);
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

static void print_probes(const Source* source)
{
    int count = source_probe_count(source);
    for (int i = 0; i < count; i++) {
        SourceProbe probe = source_probe(source, i);
        printf("probe \"%s\": %s\n", probe.name, cord_measure_name(probe.measure));
    }
    if (source->recording && count > 0) {
        printf("probe readings      %s of each\n", talk_count(cord_recording_probe_rows(source->recording)).text);
    }
}

static void print_text(const Info* info)
{
    const Source* source = info->source;
    const Report* report = &info->report;
    if (source->recording) {
        printf("%s: a recording by cordage %s, %s\n", source->path, cord_recording_version(source->recording),
               cord_recording_complete(source->recording) ? "complete" : "cut off before it was closed");
    } else {
        printf("%s: a scene\n", source->path);
    }
    if (info->title && *info->title) {
        printf("title               %s\n", info->title);
    }
    if (source->recording) {
        printf("frames              %d, t = %.6g to %.6g s\n", source->frames.count, info->first_time,
               info->last_time);
    } else {
        const CordSceneRun* run = cord_scene_run(source->scene);
        printf("to run              t = 0 to %.6g s, %g frames/s\n", run->end, run->fps);
    }
    printf("this frame          %d, t = %.6g s, step %s\n", info->frame, report->time,
           talk_count(report->steps).text);
    printf("rods                %d, with %d nodes and %d elements\n", report->rod_count, report->node_count,
           report->edge_count);
    if (report->rod_count > 1) {
        print_energy("", report->energy);
        if (report->has_momentum) {
            print_momentum("", report->momentum);
        }
        printf("greatest stretch    %.3g\n", report->stretch);
    }
    for (int i = 0; i < report->rod_count && i < RODS_SHOWN; i++) {
        print_rod(&report->rods[i]);
    }
    if (report->rod_count > RODS_SHOWN) {
        printf("\n... and %d more rods; --json lists them all\n", report->rod_count - RODS_SHOWN);
    }
    print_distance(report);
    print_probes(source);
}

// ---------------------------------------------------------------------------------------------------- as JSON

static void json_energy(Json* j, CordEnergy e)
{
    json_object(j, "energy");
    json_number(j, "total", report_total(e));
    json_number(j, "kinetic", e.kinetic);
    json_number(j, "bend", e.bend);
    json_number(j, "twist", e.twist);
    json_number(j, "stretch", e.stretch);
    json_number(j, "gravity", e.gravity);
    json_close_object(j);
}

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

static void json_rod(Json* j, const RodReport* r)
{
    json_object(j, NULL);
    json_text(j, "name", r->rod.name);
    json_bool(j, "closed", r->rod.closed);
    json_int(j, "nodes", r->rod.node_count);
    json_int(j, "elements", r->rod.edge_count);
    json_number(j, "length", r->length);
    json_number(j, "mass", r->mass);
    json_energy(j, r->energy);
    json_momentum(j, r->has_momentum, r->momentum);
    json_number(j, "twist", r->twist);
    json_number(j, "writhe", r->writhe);
    json_number(j, "link", r->rod.closed ? r->twist + r->writhe : NAN);
    json_number(j, "greatest_stretch", r->stretch);
    json_number(j, "least_tension", r->tension_least);
    json_number(j, "greatest_tension", r->tension_greatest);
    json_close_object(j);
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

static void json_probes(Json* j, const Source* source)
{
    int count = source_probe_count(source);
    json_array(j, "probes");
    for (int i = 0; i < count; i++) {
        SourceProbe probe = source_probe(source, i);
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
             source->recording && count > 0 ? cord_recording_probe_rows(source->recording) : 0);
}

static void print_json(const Info* info)
{
    const Source* source = info->source;
    const Report* report = &info->report;
    Json json = json_begin(stdout);
    Json* j = &json;
    json_object(j, NULL);
    json_text(j, "file", source->path);
    json_text(j, "kind", source->recording ? "recording" : "scene");
    json_text(j, "title", info->title);
    if (source->recording) {
        json_text(j, "version", cord_recording_version(source->recording));
        json_bool(j, "complete", cord_recording_complete(source->recording));
    }
    json_int(j, "frames", source->frames.count);
    json_number(j, "first_time", info->first_time);
    json_number(j, "last_time", info->last_time);
    json_int(j, "frame", info->frame);
    json_number(j, "time", report->time);
    json_int(j, "steps", report->steps);
    json_int(j, "nodes", report->node_count);
    json_int(j, "elements", report->edge_count);
    json_energy(j, report->energy);
    json_momentum(j, report->has_momentum, report->momentum);
    json_number(j, "greatest_stretch", report->stretch);
    json_distance(j, report);
    json_array(j, "rods");
    for (int i = 0; i < report->rod_count; i++) {
        json_rod(j, &report->rods[i]);
    }
    json_close_array(j);
    json_probes(j, source);
    json_close_object(j);
    json_end(j);
}

// ---------------------------------------------------------------------------------------------------- the command

static int info_tell(Source* source, int wanted, bool as_json)
{
    Info info = {.source = source, .title = source->scene ? cord_scene_run(source->scene)->title : NULL};
    CordFrame frame;
    if (!source_frame_index(wanted, source->frames.count, &info.frame)) {
        return EXIT_USAGE;
    }
    int ends[2] = {0, source->frames.count - 1};
    double* times[2] = {&info.first_time, &info.last_time};
    for (int i = 0; i < 2; i++) {
        if (source_read_frame(source, ends[i], &frame) != EXIT_GOOD) {
            return EXIT_FAILED;
        }
        *times[i] = frame.time;
    }
    if (source_read_frame(source, info.frame, &frame) != EXIT_GOOD) {
        return EXIT_FAILED;
    }
    if (!report_make(&info.report, &frame, source->world, source->recording != NULL)) {
        talk_error("%s: there is no memory for a report on %d rods", source->path, frame.rod_count);
        return EXIT_FAILED;
    }
    if (as_json) {
        print_json(&info);
    } else {
        print_text(&info);
    }
    report_free(&info.report);
    return EXIT_GOOD;
}

int cordage_info(int argc, char** argv)
{
    bool as_json = false;
    int frame = -1;
    OptionList settings;
    if (!option_list_make(&settings, argc)) {
        return EXIT_FAILED;
    }
    const Option options[] = {
        {"frame", 0, OPTION_INT, &frame, "K",
         "which frame of a recording: from 0, or from -1 (the last, the default)\nbackwards"},
        {"json", 0, OPTION_FLAG, &as_json, NULL, "print JSON; a number that is not known is null"},
        {"set", 0, OPTION_LIST, &settings, "PATH=VALUE", "change a value of a scene; may be given many times"},
    };
    const OptionSet set = {
        .usage = "info FILE [options]",
        .about = "Says what is in a scene or a recording: counts, times, energies, momentum, twist, writhe\n"
                 "and link, the least distance between rods, the greatest stretch, probes.",
        .options = options,
        .option_count = (int)(sizeof options / sizeof options[0]),
        .closing = "Twist, writhe and link are in turns; link (twist + writhe) is given for closed rods. The\n"
                   "least distance is between centrelines, and counts two places of one rod only where\n"
                   "they are nearer to each other than half the way between them along the rod.\n"
                   "\n"
                   "examples:\n"
                   "  cordage info swing.h5\n"
                   "  cordage info swing.h5 --frame 0\n"
                   "  cordage info swing --json          a shipped scene",
        .least = 1,
        .most = 1,
    };
    Operands operands;
    Source source;
    int status = options_parse(&set, argc, argv, &operands);
    if (status == OPTIONS_PARSED) {
        status = source_open(&source, operands.items[0], &settings);
        if (status == EXIT_GOOD) {
            source_build(&source);
            status = info_tell(&source, frame, as_json);
            source_close(&source);
        }
    }
    option_list_free(&settings);
    return status;
}
