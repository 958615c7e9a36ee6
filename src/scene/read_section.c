// Cross-sections, and stiffnesses given directly.
#include "scene/values.h"

#include <math.h>

#define LENGTH_FIELD(type, member, about)                                                                    \
    {                                                                                                        \
        FIELD(#member, NUMBER, type, member), .needed = "it in metres", .quantity = &(about)                 \
    }

typedef struct Disc {
    double radius;
} Disc;

typedef struct Tube {
    double outer_radius, inner_radius;
} Tube;

typedef struct Ellipse {
    double half1, half2;
} Ellipse;

typedef struct Rectangle {
    double width1, width2;
} Rectangle;

typedef struct H {
    double height, width, web, flange;
} H;

static const Quantity quantity_area = {
    .what = "an area is in square metres", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e12)};
static const Quantity quantity_moment = {
    .what = "a second moment of area is in metres to the fourth", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e12)};

static const Field disc_fields[] = {LENGTH_FIELD(Disc, radius, quantity_radius)};
const Table table_disc = TABLE("disc", "a disc", disc_fields);

static const Field tube_fields[] = {
    LENGTH_FIELD(Tube, outer_radius, quantity_radius),
    LENGTH_FIELD(Tube, inner_radius, quantity_radius),
};
const Table table_tube = TABLE("tube", "a tube", tube_fields);

static const Field ellipse_fields[] = {
    LENGTH_FIELD(Ellipse, half1, quantity_length),
    LENGTH_FIELD(Ellipse, half2, quantity_length),
};
const Table table_section_ellipse = TABLE("section_ellipse", "an elliptic section", ellipse_fields);

static const Field rectangle_fields[] = {
    LENGTH_FIELD(Rectangle, width1, quantity_length),
    LENGTH_FIELD(Rectangle, width2, quantity_length),
};
const Table table_rectangle = TABLE("rectangle", "a rectangle", rectangle_fields);

static const Field h_fields[] = {
    LENGTH_FIELD(H, height, quantity_length),
    LENGTH_FIELD(H, width, quantity_length),
    LENGTH_FIELD(H, web, quantity_length),
    LENGTH_FIELD(H, flange, quantity_length),
};
const Table table_h = TABLE("h", "an H section", h_fields);

#define MOMENT_FIELD(member)                                                                                 \
    {                                                                                                        \
        FIELD(#member, NUMBER, CordSection, member), .needed = "it in m^4", .quantity = &quantity_moment     \
    }

static const Field explicit_fields[] = {
    {FIELD("area", NUMBER, CordSection, area), .needed = "it in m^2", .quantity = &quantity_area},
    MOMENT_FIELD(I1),
    MOMENT_FIELD(I2),
    MOMENT_FIELD(J),
    LENGTH_FIELD(CordSection, radius, quantity_radius),
};
const Table table_explicit = TABLE("explicit", "an explicit section", explicit_fields);

static void read_disc(Reader* r, const JsonValue* value, void* section)
{
    Disc disc = {0};
    if (read_table(r, value, &table_disc, &disc)) {
        *(CordSection*)section = cord_section_disc(disc.radius);
    }
}

static void read_tube(Reader* r, const JsonValue* value, void* section)
{
    Tube tube = {0};
    if (!read_table(r, value, &table_tube, &tube)) {
        return;
    }
    if (tube.inner_radius >= tube.outer_radius) {
        reader_error(r, value, "has an inner_radius that is not smaller than its outer_radius");
        return;
    }
    *(CordSection*)section = cord_section_tube(tube.outer_radius, tube.inner_radius);
}

static void read_ellipse(Reader* r, const JsonValue* value, void* section)
{
    Ellipse ellipse = {0};
    if (read_table(r, value, &table_section_ellipse, &ellipse)) {
        *(CordSection*)section = cord_section_ellipse(ellipse.half1, ellipse.half2);
    }
}

static void read_rectangle(Reader* r, const JsonValue* value, void* section)
{
    Rectangle rectangle = {0};
    if (read_table(r, value, &table_rectangle, &rectangle)) {
        *(CordSection*)section = cord_section_rectangle(rectangle.width1, rectangle.width2);
    }
}

static void read_h(Reader* r, const JsonValue* value, void* section)
{
    H h = {0};
    if (!read_table(r, value, &table_h, &h)) {
        return;
    }
    if (h.web > h.width || 2.0 * h.flange >= h.height) {
        reader_error(r, value,
                     "is no H: its web must not be wider than its width, and two flanges lower than its height");
        return;
    }
    *(CordSection*)section = cord_section_h(h.height, h.width, h.web, h.flange);
}

static void read_explicit(Reader* r, const JsonValue* value, void* section)
{
    CordSection given = {0};
    if (read_table(r, value, &table_explicit, &given)) {
        *(CordSection*)section = given;
    }
}

static const Field section_fields[] = {
    {.name = "disc", .kind = FIELD_OTHER, .variant = true, .read = read_disc},
    {.name = "tube", .kind = FIELD_OTHER, .variant = true, .read = read_tube},
    {.name = "ellipse", .kind = FIELD_OTHER, .variant = true, .read = read_ellipse},
    {.name = "rectangle", .kind = FIELD_OTHER, .variant = true, .read = read_rectangle},
    {.name = "h", .kind = FIELD_OTHER, .variant = true, .read = read_h},
    {.name = "explicit", .kind = FIELD_OTHER, .variant = true, .read = read_explicit},
};
const Table table_section = TABLE("section", "a section", section_fields);

void read_section(Reader* r, const JsonValue* value, void* section)
{
    read_table(r, value, &table_section, section);
}

// ---- stiffness

static const Quantity quantity_bend = {
    .what = "a bending stiffness is in newton square metres", QUANTITY_NOT_NEGATIVE, QUANTITY_UP_TO(1e18)};
static const Quantity quantity_twist = {
    .what = "a twisting stiffness is in newton square metres", QUANTITY_NOT_NEGATIVE, QUANTITY_UP_TO(1e18)};
static const Quantity quantity_stretch = {
    .what = "a stretching stiffness is in newtons", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e18)};
static const Quantity quantity_mass = {
    .what = "mass per length is in kilograms per metre", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e9)};

static void read_bend(Reader* r, const JsonValue* value, void* target)
{
    CordStiffness* stiffness = target;
    if (value->kind == JSON_NUMBER) {
        if (read_number(r, value, &quantity_bend, &stiffness->EI1)) {
            stiffness->EI2 = stiffness->EI1;
        }
    } else if (value->kind == JSON_ARRAY && value->count == 2) {
        read_number(r, value->first, &quantity_bend, &stiffness->EI1);
        read_number(r, value->first->next, &quantity_bend, &stiffness->EI2);
    } else {
        reader_error(r, value, "is %s; %s and must be a number, or two as [about m1, about m2]",
                     reader_describe(r, value), quantity_bend.what);
    }
}

static const Field stiffness_fields[] = {
    {.name = "bend", .kind = FIELD_OTHER, .read = read_bend},
    {FIELD("twist", NUMBER, CordStiffness, GJ), .quantity = &quantity_twist},
    {FIELD("stretch", NUMBER, CordStiffness, EA), .quantity = &quantity_stretch},
    {FIELD("mass_per_length", NUMBER, CordStiffness, mass_per_length), .quantity = &quantity_mass},
};
const Table table_stiffness = TABLE("stiffness", "a stiffness", stiffness_fields);

void read_stiffness(Reader* r, const JsonValue* value, void* stiffness)
{
    read_table(r, value, &table_stiffness, stiffness);
}
