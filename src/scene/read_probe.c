// Probes: quantities that are measured in every step.
#include "scene/values.h"

static const char* measure_name(int i)
{
    return i < CORD_MEASURE_COUNT ? cord_measure_name((CordMeasure)i) : NULL;
}

static const Words measure_words = {.what = "a measure", .name = measure_name};

static const Field probe_fields[] = {
    {FIELD("name", NAME, SceneProbe, def.name), .about = "Name in recordings and tables.",
     .otherwise = "`probe1`, `probe2`, ..."},
    {FIELD("rod", ROD, SceneProbe, rod), .about = "Name of the rod.", .otherwise = "the only rod"},
    {FIELD("at", PLACE, SceneProbe, def.at),
     .about = "Place of the measurement; energy, momentum, twist, writhe and link have none.",
     .otherwise = "needed, but for what is of the whole rod", .table = &table_place},
    {FIELD("body", BODY, SceneProbe, body),
     .about = "Name of a body in place of a rod, for position, velocity, frame, energy or momentum."},
    {FIELD("obstacle", OBSTACLE, SceneProbe, obstacle),
     .about = "Name of an obstacle in place of a rod, for its position or the force or torque of all rods "
              "on it."},
    {FIELD("measure", WORD, SceneProbe, def.measure), .about = "Quantity that is measured.",
     .needed = "what it measures, such as \"position\"", .words = &measure_words},
};
const Table table_probe = TABLE("probe", "a probe", probe_fields, .about = "A probe.");

#define BIT(measure) (1u << CORD_MEASURE_##measure)

// Measures of the whole rod, and those of a node or of an edge.
static const unsigned of_rod = BIT(ENERGY) | BIT(MOMENTUM) | BIT(TWIST) | BIT(WRITHE) | BIT(LINK);
static const unsigned of_node = BIT(POSITION) | BIT(VELOCITY) | BIT(MOMENT);
static const unsigned of_edge = BIT(FRAME) | BIT(TENSION);
static const unsigned of_obstacle = BIT(POSITION) | BIT(FORCE) | BIT(TORQUE);
static const unsigned of_body = BIT(POSITION) | BIT(VELOCITY) | BIT(FRAME) | BIT(ENERGY) | BIT(MOMENTUM);

static bool is_one(CordMeasure measure, unsigned set)
{
    return set >> measure & 1;
}

static void check_rod_probe(Reader* r, const JsonValue* entry, const SceneProbe* probe)
{
    CordMeasure measure = probe->def.measure;
    bool of_whole = is_one(measure, of_rod), at = json_member(entry, "at") != NULL;
    if (at && of_whole) {
        member_warning(r, entry, "at", "is not used: the %s is that of the whole rod",
                       cord_measure_name(measure));
    } else if (at) {
        PlaceUse use = is_one(measure, of_node)   ? PLACE_OF_NODE
                       : is_one(measure, of_edge) ? PLACE_OF_EDGE
                                                  : PLACE_OF_ANY;
        place_check(r, json_member(entry, "at"), probe->def.at, probe->rod, use, "this is measured at");
    } else if (!of_whole) {
        reader_error(r, entry, "has no at; write where it measures, such as \"end\"");
    }
}

static void check_obstacle_probe(Reader* r, const JsonValue* entry, CordMeasure measure)
{
    if (json_member(entry, "rod") || json_member(entry, "at") || json_member(entry, "body")) {
        reader_error(r, entry, "measures an obstacle; leave out rod, at and body");
    }
    if (!is_one(measure, of_obstacle)) {
        reader_error(r, entry, "measures the %s of an obstacle; an obstacle has position, force and torque",
                     cord_measure_name(measure));
    }
    if (measure != CORD_MEASURE_POSITION && !r->scene->contact.on) {
        reader_warning(r, entry,
                       "measures what rods do to an obstacle, and contact is false: it will read 0");
    }
}

static void check_body_probe(Reader* r, const JsonValue* entry, CordMeasure measure)
{
    if (json_member(entry, "rod") || json_member(entry, "at")) {
        reader_error(r, entry, "measures a body; leave out rod and at");
    }
    if (!is_one(measure, of_body)) {
        reader_error(r, entry,
                     "measures the %s of a body; a body has position, velocity, frame, energy and momentum",
                     cord_measure_name(measure));
    }
}

static void read_entry(Reader* r, const JsonValue* entry, int index, void* entries)
{
    SceneProbe* probe = (SceneProbe*)entries + index;
    *probe = (SceneProbe){.rod = -1, .body = -1, .obstacle = -1, .at = entry};
    probe->def.name = pool_format(r->pool, "probe%d", index + 1);
    bool good = read_table(r, entry, &table_probe, probe);
    if (good && json_member(entry, "obstacle")) {
        check_obstacle_probe(r, entry, probe->def.measure);
    } else if (good && json_member(entry, "body")) {
        check_body_probe(r, entry, probe->def.measure);
    } else if (good) {
        probe->rod = rod_or_only(r, entry, probe->rod);
        check_rod_probe(r, entry, probe);
    }
}

void read_probes(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    List probes = read_named(r, value, read_entry, NAMED_LIST(SceneProbe, def.name, NULL, 0), NULL);
    scene->probes = probes.entries;
    scene->probe_count = probes.count;
}
