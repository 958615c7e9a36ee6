// Cross-sections and stiffnesses of a rod. Either may vary along it.
#include "scene/values.h"

#include <math.h>

// ---- one section

typedef struct Sizes {
    Taper size[SECTION_SIZES];
} Sizes;

typedef struct SectionKeys {
    double at; // of a station
    bool varies;
    SectionStation from, to;
    List along; // SectionStation
} SectionKeys;

#define SIZE_FIELD(key, k, unit, about_quantity, sentence)                                                   \
    {                                                                                                        \
        FIELD(key, TAPER, Sizes, size[k]),                                                                   \
            .about = sentence " One number, or [at the rod's start, at its end].", .needed = "it in " unit,  \
            .quantity = &(about_quantity)                                                                    \
    }
#define LENGTH_FIELD(key, k, about_quantity, sentence) SIZE_FIELD(key, k, "metres", about_quantity, sentence)

static const Quantity quantity_area = POSITIVE("an area is in square metres", "m^2", 1e12);
static const Quantity quantity_moment =
    POSITIVE("a second moment of area is in metres to the fourth", "m^4", 1e12);

static const Field disc_fields[] = {
    LENGTH_FIELD("radius", 0, quantity_radius, "Radius."),
};
static const Table table_disc = TABLE("disc", "a disc", disc_fields, .about = "A solid circle.");

static const Field tube_fields[] = {
    LENGTH_FIELD("outer_radius", 0, quantity_radius, "Outer radius."),
    LENGTH_FIELD("inner_radius", 1, quantity_radius, "Inner radius."),
};
static const Table table_tube = TABLE("tube", "a tube", tube_fields, .about = "A hollow circle.");

static const Field ellipse_fields[] = {
    LENGTH_FIELD("half1", 0, quantity_length, "Half-axis along m1."),
    LENGTH_FIELD("half2", 1, quantity_length, "Half-axis along m2."),
};
static const Table table_section_ellipse =
    TABLE("section_ellipse", "an elliptic section", ellipse_fields, .about = "A solid ellipse.");

static const Field rectangle_fields[] = {
    LENGTH_FIELD("width1", 0, quantity_length, "Full width along m1."),
    LENGTH_FIELD("width2", 1, quantity_length, "Full width along m2."),
};
static const Table table_rectangle =
    TABLE("rectangle", "a rectangle", rectangle_fields, .about = "A solid rectangle.");

static const Field h_fields[] = {
    LENGTH_FIELD("height", 0, quantity_length, "Height along m1."),
    LENGTH_FIELD("width", 1, quantity_length, "Width of the flanges, along m2."),
    LENGTH_FIELD("web", 2, quantity_length, "Thickness of the web."),
    LENGTH_FIELD("flange", 3, quantity_length, "Thickness of each flange."),
};
static const Table table_h =
    TABLE("h", "an H section", h_fields, .about = "An H section, as of a steel beam.");

static const Field explicit_fields[] = {
    SIZE_FIELD("area", 0, "m^2", quantity_area, "Area."),
    SIZE_FIELD("I1", 1, "m^4", quantity_moment, "Second moment of area for bending about m1."),
    SIZE_FIELD("I2", 2, "m^4", quantity_moment, "Second moment of area for bending about m2."),
    SIZE_FIELD("J", 3, "m^4", quantity_moment, "Torsion constant."),
    LENGTH_FIELD("radius", 4, quantity_radius, "Radius for contact and pictures."),
};
static const Table table_explicit = TABLE("explicit", "an explicit section", explicit_fields,
                                          .about = "A section that is given by its moments.");

static void read_kind(Reader* r, const JsonValue* value, void* target)
{
    SectionKeys* keys = target;
    SectionKind kind = (SectionKind)r->field->tag;
    Sizes sizes = {0};
    if (!read_table(r, value, r->field->table, &sizes)) {
        return;
    }
    keys->from = (SectionStation){.at = 0.0, .kind = kind};
    keys->to = (SectionStation){.at = 1.0, .kind = kind};
    for (int i = 0; i < SECTION_SIZES; i++) {
        keys->from.size[i] = sizes.size[i].from;
        keys->to.size[i] = sizes.size[i].to;
        keys->varies = keys->varies || sizes.size[i].varies;
    }
    const char* problem = section_problem(&keys->from);
    problem = problem ? problem : section_problem(&keys->to);
    if (problem) {
        reader_error(r, value, "%s", problem);
    }
}

#define SECTION_KIND(key, section, keys)                                                                     \
    {                                                                                                        \
        VARIANT(key, keys), .read = read_kind, .tag = (section)                                              \
    }
#define SECTION_KINDS                                                                                        \
    SECTION_KIND("disc", SECTION_DISC, table_disc), SECTION_KIND("tube", SECTION_TUBE, table_tube),          \
        SECTION_KIND("ellipse", SECTION_ELLIPSE, table_section_ellipse),                                     \
        SECTION_KIND("rectangle", SECTION_RECTANGLE, table_rectangle),                                       \
        SECTION_KIND("h", SECTION_H, table_h), SECTION_KIND("explicit", SECTION_EXPLICIT, table_explicit)

// ---- stations

static const Quantity quantity_fraction =
    NOT_NEGATIVE("a station's place is a fraction of the rod's length", NULL, 1);

#define STATION_AT(type)                                                                                     \
    {                                                                                                        \
        FIELD("at", NUMBER, type, at), .about = "Place along the rod, from 0 at its start to 1 at its end.", \
                                       .needed = "where, from 0 at the rod's start to 1 at its end",         \
                                       .quantity = &quantity_fraction                                        \
    }

static const Field section_station_fields[] = {
    STATION_AT(SectionKeys),
    SECTION_KINDS,
};
static const Table table_section_station =
    TABLE("section_station", "a station", section_station_fields,
          .about = "A section at a place along the rod: exactly one kind, with one number for each size.");

// Whether the station comes after the one before it; `before` is NAN if there is none, or it is wrong itself.
static bool check_follows(Reader* r, const JsonValue* entry, double before, double at)
{
    if (at <= before) {
        reader_error(r, entry, "is not after the station before it; their places must increase");
    }
    return at > before;
}

static void read_section_station(Reader* r, const JsonValue* entry, int index, void* entries)
{
    SectionStation* stations = entries;
    SectionKeys keys = {.at = 0.0};
    double before = index > 0 ? stations[index - 1].at : NAN;
    stations[index].at = NAN;
    if (!read_table(r, entry, &table_section_station, &keys)) {
        return;
    }
    if (keys.varies) {
        reader_error(r, entry, "has a size at the start and at the end; at one station a size is one number");
    }
    stations[index] = keys.from;
    stations[index].at = keys.at;
    if (check_follows(r, entry, before, keys.at) && stations[index - 1].kind != keys.from.kind) {
        reader_error(r, entry, "is of another kind than the station before it; all must be of one kind");
    }
}

static const Field section_fields[] = {
    SECTION_KINDS,
    {FIELD("along", LIST, SectionKeys, along),
     .about = "Stations along the rod, all of one kind; sizes are linear between them.", .variant = true,
     .table = &table_section_station, .least = 2, ENTRIES(SectionStation, read_section_station)},
};
static void section_convert(Reader* r, const JsonValue* value, const void* from, void* target)
{
    const SectionKeys* keys = from;
    SceneSection* section = target;
    (void)value;
    if (keys->along.count > 0) {
        *section = (SceneSection){keys->along.entries, keys->along.count};
        return;
    }
    SectionStation* stations = pool_array(r->pool, SectionStation, 2);
    if (stations) {
        stations[0] = keys->from;
        stations[1] = keys->to;
        *section = (SceneSection){stations, keys->varies ? 2 : 1};
    }
}

const Table table_section =
    TABLE("section", "a section", section_fields, .about = "A cross-section: exactly one kind.",
          .size = sizeof(SectionKeys), .convert = section_convert);

// ---- stiffness

static const Quantity quantity_bend =
    NOT_NEGATIVE("a bending stiffness is in newton square metres", "N m^2", 1e18);
static const Quantity quantity_coupling =
    AT_LEAST(-1e18, "a coupling of bending stiffness is in newton square metres", "N m^2", 1e18);
static const Quantity quantity_twist =
    NOT_NEGATIVE("a twisting stiffness is in newton square metres", "N m^2", 1e18);
static const Quantity quantity_stretch = POSITIVE("a stretching stiffness is in newtons", "N", 1e18);
static const Quantity quantity_mass = POSITIVE("mass per length is in kilograms per metre", "kg/m", 1e9);
static const Quantity quantity_spin_inertia =
    POSITIVE("spin inertia per length is in kilogram metres", "kg m", 1e9);

static const Quantity quantity_rotary_inertia =
    POSITIVE("rotary inertia per length is in kilogram metres", "kg m", 1e9);

_Static_assert(offsetof(CordStiffness, EI2) == offsetof(CordStiffness, EI1) + sizeof(double) &&
                   offsetof(CordStiffness, rotary2) == offsetof(CordStiffness, rotary1) + sizeof(double),
               "pairs");

#define STIFFNESS_FIELDS(type, member)                                                                       \
    {FIELD("bend", PAIR, type, member.EI1),                                                                  \
     .about = "Bending stiffness EI: one number, or [about m1, about m2].", .quantity = &quantity_bend},     \
        {FIELD("bend_coupling", NUMBER, type, member.EI12),                                                  \
         .about = "Stiffness EI12 that couples the two bendings, if m1 and m2 are not the section's "        \
                  "principal axes.",                                                                         \
         .otherwise = "0", .quantity = &quantity_coupling},                                                  \
        {FIELD("twist", NUMBER, type, member.GJ), .about = "Twisting stiffness GJ.",                         \
         .quantity = &quantity_twist},                                                                       \
        {FIELD("stretch", NUMBER, type, member.EA), .about = "Stretching stiffness EA.",                     \
         .quantity = &quantity_stretch},                                                                     \
        {FIELD("mass_per_length", NUMBER, type, member.mass_per_length), .about = "Mass per length.",        \
         .quantity = &quantity_mass},                                                                        \
        {FIELD("spin_inertia", NUMBER, type, member.spin_inertia),                                           \
         .about =                                                                                            \
             "Inertia about the tangent per length, for dynamic_twist and explicit orientations of corde.",  \
         .quantity = &quantity_spin_inertia},                                                                \
    {                                                                                                        \
        FIELD("rotary_inertia", PAIR, type, member.rotary1),                                                 \
            .about = "Inertia per length for explicit orientations of corde: one number, or [about m1, "     \
                     "about m2].",                                                                           \
            .quantity = &quantity_rotary_inertia                                                             \
    }

static const Field stiffness_station_fields[] = {
    STATION_AT(StiffnessStation),
    STIFFNESS_FIELDS(StiffnessStation, value),
};
static const Table table_stiffness_station =
    TABLE("stiffness_station", "a station", stiffness_station_fields,
          .about = "Stiffnesses at a place along the rod; all stations give the same ones.");

static bool same_fields(const CordStiffness* a, const CordStiffness* b)
{
    return isnan(a->EI1) == isnan(b->EI1) && isnan(a->EI12) == isnan(b->EI12) &&
           isnan(a->GJ) == isnan(b->GJ) && isnan(a->EA) == isnan(b->EA) &&
           isnan(a->mass_per_length) == isnan(b->mass_per_length) &&
           isnan(a->spin_inertia) == isnan(b->spin_inertia) && isnan(a->rotary1) == isnan(b->rotary1);
}

static void read_stiffness_station(Reader* r, const JsonValue* entry, int index, void* entries)
{
    StiffnessStation* stations = entries;
    StiffnessStation station = {.value = cord_stiffness_unset()};
    double before = index > 0 ? stations[index - 1].at : NAN;
    stations[index].at = NAN;
    if (!read_table(r, entry, &table_stiffness_station, &station)) {
        return;
    }
    stations[index] = station;
    if (check_follows(r, entry, before, station.at) &&
        !same_fields(&stations[index - 1].value, &station.value)) {
        reader_error(r, entry,
                     "gives other stiffnesses than the station before it; all must give the same ones");
    }
}

static void read_stiffness_along(Reader* r, const JsonValue* value, void* target)
{
    SceneStiffness* stiffness = target;
    List stations;
    if (read_entries(r, value, read_stiffness_station, sizeof(StiffnessStation), &stations)) {
        stiffness->stations = stations.entries;
        stiffness->count = stations.count;
    }
}

static const Field stiffness_fields[] = {
    STIFFNESS_FIELDS(SceneStiffness, whole),
    {WHOLE("along", LIST), .about = "Stations along the rod; their values are linear between them.",
     .table = &table_stiffness_station, .least = 2, .read = read_stiffness_along},
};
const Table table_stiffness = TABLE("stiffness", "a stiffness", stiffness_fields,
                                    .about = "Stiffnesses that replace those of material and section.");
