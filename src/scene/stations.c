#include "scene/stations.h"

// ---- sections by their dimensions

CordSection section_make(const SectionStation* s)
{
    const double* size = s->size;
    switch (s->kind) {
    case SECTION_DISC: return cord_section_disc(size[0]);
    case SECTION_TUBE: return cord_section_tube(size[0], size[1]);
    case SECTION_ELLIPSE: return cord_section_ellipse(size[0], size[1]);
    case SECTION_RECTANGLE: return cord_section_rectangle(size[0], size[1]);
    case SECTION_H: return cord_section_h(size[0], size[1], size[2], size[3]);
    case SECTION_EXPLICIT: break;
    }
    return (CordSection){.area = size[0], .I1 = size[1], .I2 = size[2], .J = size[3], .radius = size[4]};
}

// The conditions are linear: what holds at two stations holds between them.
const char* section_problem(const SectionStation* s)
{
    if (s->kind == SECTION_TUBE && s->size[1] >= s->size[0]) {
        return "has an inner_radius that is not smaller than its outer_radius";
    }
    if (s->kind == SECTION_H && (s->size[2] > s->size[1] || 2.0 * s->size[3] >= s->size[0])) {
        return "is no H: its web must not be wider than its width, and two flanges lower than its height";
    }
    return NULL;
}

// ---- between stations

// The place of `at` between two stations, 0 to 1.
static double part_between(double from, double to, double at)
{
    if (at <= from) {
        return 0.0;
    }
    return at < to ? (at - from) / (to - from) : 1.0;
}

static double mix(double a, double b, double part)
{
    return part == 0.0 ? a : part == 1.0 ? b : a + part * (b - a);
}

// The last station before `at`, but not the last of all. Stations are `stride` bytes apart, and `first` is
// the place of the first.
static int station_before(const double* first, size_t stride, int count, double at)
{
    int low = 0, high = count > 1 ? count - 2 : 0;
    while (low < high) {
        int middle = high - (high - low) / 2;
        double fraction = *(const double*)((const char*)first + (size_t)middle * stride);
        if (fraction < at) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

CordSection section_at(const SectionStation* stations, int count, double at)
{
    const SectionStation* a = &stations[station_before(&stations->at, sizeof *stations, count, at)];
    const SectionStation* b = count > 1 ? a + 1 : a;
    SectionStation here = *a;
    double part = part_between(a->at, b->at, at);
    for (int k = 0; k < SECTION_SIZES; k++) {
        here.size[k] = mix(a->size[k], b->size[k], part);
    }
    return section_make(&here);
}

CordStiffness stiffness_at(const StiffnessStation* stations, int count, double at)
{
    const StiffnessStation* a = &stations[station_before(&stations->at, sizeof *stations, count, at)];
    const StiffnessStation* b = count > 1 ? a + 1 : a;
    double part = part_between(a->at, b->at, at);
    return (CordStiffness){.EI1 = mix(a->value.EI1, b->value.EI1, part),
                           .EI2 = mix(a->value.EI2, b->value.EI2, part),
                           .GJ = mix(a->value.GJ, b->value.GJ, part),
                           .EA = mix(a->value.EA, b->value.EA, part),
                           .mass_per_length = mix(a->value.mass_per_length, b->value.mass_per_length, part),
                           .EI12 = mix(a->value.EI12, b->value.EI12, part),
                           .spin_inertia = mix(a->value.spin_inertia, b->value.spin_inertia, part),
                           .rotary1 = mix(a->value.rotary1, b->value.rotary1, part),
                           .rotary2 = mix(a->value.rotary2, b->value.rotary2, part)};
}
