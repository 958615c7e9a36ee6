// Viscous drag of a rod in moving air, over all its length. Explicit steps treat it implicitly, which is
// stable at any step.
#include "math/elementary.h"
#include "rod/drag_kernel.h"
#include "rod/rod.h"

static CordResult check_wind(const CordWind* w, Message* message)
{
    bool finite = vec3_finite(w->velocity) && isfinite(w->gust) && isfinite(w->period) &&
                  isfinite(w->vortex) && isfinite(w->spacing);
    if (!finite || (w->gust != 0.0 && w->period <= 0.0) || (w->vortex != 0.0 && w->spacing <= 0.0)) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "a wind must be finite, gusts need a positive period [s] and vortices a positive spacing [m]");
    }
    return CORD_OK;
}

static CordResult check(const CordLoadDef* def, Message* message)
{
    CORD_TRY(check_wind(&def->wind, message));
    bool right = isfinite(def->along) && def->along >= 0.0 && isfinite(def->across) && def->across >= 0.0;
    return right
               ? CORD_OK
               : message_fail(message, CORD_BAD_ARGUMENT,
                              "drag is %g along and %g across; both are in N s/m^2 and must not be negative",
                              def->along, def->across);
}

// ---- moving air

CordVec3 wind_mean(const CordWind* w, double time)
{
    double gust = w->gust != 0.0 ? 1.0 + w->gust * cord_sin(2.0 * CORD_PI * time / w->period) : 1.0;
    return vec3_mul(w->velocity, gust);
}

WindVortices wind_vortices(const CordWind* w)
{
    return (WindVortices){CORD_PI / w->spacing, w->vortex / sqrt(6.0)};
}

// The wind carries its vortices past.
static double rate(const Load* load)
{
    const CordWind* w = &load->def.wind;
    double gusts = w->gust != 0.0 ? 2.0 * CORD_PI / w->period : 0.0;
    double passing = w->vortex != 0.0 ? wind_vortices(w).wave_number * vec3_length(w->velocity) : 0.0;
    return real_max(gusts, passing);
}

// Vortices as large as their spacing, carried by the wind: the ABC flow (Arnold, Beltrami and Childress),
// which is divergence-free and parallel to its curl. Its greatest speed is sqrt(6).
static CordVec3 wind_at(const CordWind* w, CordVec3 x, double time)
{
    CordVec3 u = wind_mean(w, time), s, c;
    if (w->vortex == 0.0) {
        return u;
    }
    WindVortices vortices = wind_vortices(w);
    CordVec3 at = vec3_mul(vec3_madd(x, w->velocity, -time), vortices.wave_number);
    cord_sin_cos(at.x, &s.x, &c.x);
    cord_sin_cos(at.y, &s.y, &c.y);
    cord_sin_cos(at.z, &s.z, &c.z);
    CordVec3 turn = {s.z + c.y, s.x + c.z, s.y + c.x};
    return vec3_madd(u, turn, vortices.speed);
}

// An even wind that pushes as hard along the rod as across it is a constant force, which has a potential.
static LoadFlow flow(const Load* load, CordVec3 x, double time)
{
    const CordLoadDef* d = &load->def;
    bool even = d->wind.vortex == 0.0, blows = !even || vec3_dot(d->wind.velocity, d->wind.velocity) > 0.0;
    return (LoadFlow){.along = d->along,
                      .across = d->across,
                      .wind = wind_at(&d->wind, x, time),
                      .circulates = blows && (d->along != d->across || (!even && d->along > 0.0))};
}

static void flow_gradient(const Load* load, CordVec3 x, double time, double G[9])
{
    const CordWind* w = &load->def.wind;
    CordVec3 s = {0, 0, 0}, c = {0, 0, 0};
    double rate = 0.0;
    if (w->vortex != 0.0) {
        WindVortices vortices = wind_vortices(w);
        CordVec3 at = vec3_mul(vec3_madd(x, w->velocity, -time), vortices.wave_number);
        cord_sin_cos(at.x, &s.x, &c.x);
        cord_sin_cos(at.y, &s.y, &c.y);
        cord_sin_cos(at.z, &s.z, &c.z);
        rate = vortices.speed * vortices.wave_number;
    }
    const double of_turn[9] = {0, -s.y, c.z, c.x, 0, -s.z, -s.x, c.y, 0};
    for (int i = 0; i < 9; i++) {
        G[i] = rate * of_turn[i];
    }
}

// ---- explicit steps

static void kick(Rod* rod, const LoadStep* step, double* const v[3])
{
    const CordCenterline* c = &rod->line;
    if (!loads_have_drag(rod, step->time)) {
        return;
    }
    const DragKernels* kernels = KERNEL_CHOOSE(drag_kernels);
    DragArrays a = {.first = c->halo,
                    .count = c->node_count,
                    .open = !c->closed,
                    .w = c->w,
                    .rest_len = c->rest_len,
                    .time = step->time,
                    .kick = step->kick,
                    .loads = rod->loads,
                    .load_count = rod->load_count};
    for (int k = 0; k < 3; k++) {
        a.x[k] = c->x[k];
        a.start[k] = c->v[k];
        a.v[k] = v[k];
    }
    kernels->apply(&a);
}

#define DRAG_FIELD(field_key, field_about)                                                                   \
    {                                                                                                        \
        .key = #field_key, .about = field_about, .unit = "N s/m^2", .type = CORD_FIELD_NUMBER,               \
        .offset = offsetof(CordLoadDef, field_key), .high = 1e9                                              \
    }
#define WIND_FIELD(field_key, field_about, field_unit, field_high, open, other)                              \
    {                                                                                                        \
        .key = #field_key, .group = "wind", .about = field_about, .unit = field_unit,                        \
        .type = CORD_FIELD_NUMBER, .offset = offsetof(CordLoadDef, wind.field_key), .high = field_high,      \
        .low_open = open, .otherwise = other                                                                 \
    }

static const CordField fields[] = {
    DRAG_FIELD(along, "Drag against motion along the rod."),
    DRAG_FIELD(across, "Drag against motion across the rod."),
    {.key = "velocity",
     .group = "wind",
     .about = "Velocity of the air.",
     .unit = "m/s",
     .type = CORD_FIELD_VECTOR,
     .offset = offsetof(CordLoadDef, wind.velocity),
     .low = -1e9,
     .high = 1e9,
     .needed = true},
    WIND_FIELD(gust, "Strength of gusts, as a fraction of the wind.", "", 1000, false, NULL),
    WIND_FIELD(period, "Time between gusts.", "s", 1e9, true, "needed with `gust`"),
    WIND_FIELD(vortex, "Greatest speed in the vortices that the wind carries.", "m/s", 1e6, false, NULL),
    WIND_FIELD(spacing, "Distance between vortices, which is also their size.", "m", 1e9, true,
               "needed with `vortex`"),
    {.key = NULL},
};

const LoadKind load_drag = {
    .info = {"drag",
             "Viscous drag along a whole rod: a force per length against the velocity relative to the air.",
             CORD_LOAD_ON_ROD, fields},
    .value = offsetof(CordLoadDef, force), // unused: a drag has no state
    .check = check,
    .flow = flow,
    .flow_gradient = flow_gradient,
    .rate = rate,
    .kick = kick,
};
