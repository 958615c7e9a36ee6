#include "rod/rod.h"

#include "rod/shape.h"

#include <stdio.h>
#include <string.h>

CordRodDef cord_rod_def_default(void)
{
    return (CordRodDef){.model = CORD_MODEL_DER,
                        .material = cord_material_default(),
                        .section = cord_section_disc(0.005),
                        .stiffness = {NAN, NAN, NAN, NAN, NAN},
                        .shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 101)};
}

// ---- checks

static CordResult positive(double value, const char* what, const char* unit, Message* message)
{
    return isfinite(value) && value > 0.0
               ? CORD_OK
               : message_fail(message, CORD_BAD_ARGUMENT, "%s is %g; it is in %s and must be positive", what,
                              value, unit);
}

static CordResult not_negative(double value, const char* what, const char* unit, Message* message)
{
    return isfinite(value) && value >= 0.0
               ? CORD_OK
               : message_fail(message, CORD_BAD_ARGUMENT, "%s is %g; it is in %s and must not be negative",
                              what, value, unit);
}

static CordStiffness stiffness_of(const CordRodDef* def)
{
    CordStiffness s = cord_stiffness_from(&def->material, &def->section);
    const CordStiffness* o = &def->stiffness;
    s.EI1 = isnan(o->EI1) ? s.EI1 : o->EI1;
    s.EI2 = isnan(o->EI2) ? s.EI2 : o->EI2;
    s.GJ = isnan(o->GJ) ? s.GJ : o->GJ;
    s.EA = isnan(o->EA) ? s.EA : o->EA;
    s.mass_per_length = isnan(o->mass_per_length) ? s.mass_per_length : o->mass_per_length;
    return s;
}

CordResult rod_check_def(const CordRodDef* def, Message* message)
{
    CordStiffness s = stiffness_of(def);
    CORD_TRY(not_negative(s.EI1, "the bending stiffness EI1", "N m^2", message));
    CORD_TRY(not_negative(s.EI2, "the bending stiffness EI2", "N m^2", message));
    CORD_TRY(not_negative(s.GJ, "the twisting stiffness GJ", "N m^2", message));
    CORD_TRY(positive(s.mass_per_length, "the mass per length", "kg/m", message));
    CORD_TRY(positive(def->section.radius, "the radius", "m", message));
    if (!def->inextensible) {
        CORD_TRY(positive(s.EA, "the stretching stiffness EA", "N", message));
    }
    if (!isfinite(def->twist) || !vec3_finite(def->velocity) || !vec3_finite(def->spin)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "the initial twist, velocity and spin must be finite");
    }
    if (def->closed && (def->half_edge_start || def->half_edge_end)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a closed rod has no ends to make half edges at");
    }
    CORD_TRY(shape_check(&def->shape, def->closed, message));
    bool halves = def->half_edge_start || def->half_edge_end;
    if (halves && def->shape.kind != CORD_SHAPE_POINTS && def->shape.node_count < 4) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "a rod with a half edge at a clamped end needs at least 3 elements");
    }
    if (def->rest == CORD_REST_SHAPE) {
        CORD_TRY(shape_check(&def->rest_shape, def->closed, message));
        if (def->rest_shape.node_count != def->shape.node_count) {
            return message_fail(message, CORD_BAD_ARGUMENT,
                                "the rest shape has %d nodes and the shape %d; they must agree",
                                def->rest_shape.node_count, def->shape.node_count);
        }
    }
    return CORD_OK;
}

// ---- creation

static CordResult set_lengths(Memory* m, Rod* rod, const CordRodDef* def, ShapeEnds ends, CordVec3* x,
                              Message* message)
{
    CordCenterline* c = &rod->line;
    if (def->rest == CORD_REST_SHAPE) {
        CORD_TRY(shape_sample(m, &def->rest_shape, ends, x, message));
    }
    for (int j = 0; j < c->edge_count; j++) {
        double len = vec3_length(vec3_sub(x[edge_end(c, j)], x[j]));
        if (!(isfinite(len) && len > 0.0)) {
            return message_fail(message, CORD_BAD_ARGUMENT,
                                "edge %d has length %g m; the shape's nodes must be apart", j, len);
        }
        c->rest_len[slot_of(c, j)] = len;
        c->inv_rest[slot_of(c, j)] = 1.0 / len;
    }
    centerline_wrap_one(c, c->rest_len);
    centerline_wrap_one(c, c->inv_rest);
    return CORD_OK;
}

static void set_velocities(Rod* rod, const CordRodDef* def)
{
    CordCenterline* c = &rod->line;
    CordVec3 center = {0, 0, 0};
    double mass = 0.0;
    for (int i = 0; i < c->node_count; i++) {
        center = vec3_madd(center, node_position(c, i), rod_node_mass(rod, i));
        mass += rod_node_mass(rod, i);
    }
    center = vec3_mul(center, 1.0 / mass);
    for (int i = 0; i < c->node_count; i++) {
        CordVec3 arm = vec3_sub(node_position(c, i), center);
        slot_set(c->v, slot_of(c, i), vec3_add(def->velocity, vec3_cross(def->spin, arm)));
    }
    centerline_wrap(c, c->v);
}

CordResult rod_init(Memory* m, Rod* rod, const CordRodDef* def, Message* message)
{
    bool points = def->shape.kind == CORD_SHAPE_POINTS; // explicit nodes are taken as they are
    *rod = (Rod){.model = def->model,
                 .integrator = def->integrator,
                 .inextensible = def->inextensible,
                 .length_method = def->length_method,
                 .stiffness = stiffness_of(def),
                 .radius = def->section.radius,
                 .half_start = def->half_edge_start,
                 .half_end = def->half_edge_end};
    snprintf(rod->name, sizeof rod->name, "%s", def->name ? def->name : "rod");
    int n = def->shape.node_count;
    if (centerline_create(m, &rod->line, n, def->closed) != CORD_OK) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for a rod of %d nodes", n);
    }
    CordVec3* x = memory_array(m, CordVec3, n);
    if (!x) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for a rod of %d nodes", n);
    }
    ShapeEnds ends = {def->closed, def->half_edge_start && !points, def->half_edge_end && !points};
    CordResult result = shape_sample(m, &def->shape, ends, x, message);
    if (result == CORD_OK) {
        for (int i = 0; i < n; i++) {
            slot_set(rod->line.x, slot_of(&rod->line, i), x[i]);
        }
        centerline_wrap(&rod->line, rod->line.x);
        result = set_lengths(m, rod, def, ends, x, message);
    }
    memory_array_free(m, x, n);
    if (result == CORD_OK) {
        rod->length = centerline_rest_length(&rod->line);
        set_velocities(rod, def);
        rod->held_changed = true;
    }
    return result;
}

void rod_free(Memory* m, Rod* rod)
{
    centerline_destroy(m, &rod->line);
    memory_array_free(m, rod->clamps, rod->clamp_capacity);
    memory_array_free(m, rod->loads, rod->load_capacity);
}

// ---- lengths and masses

double rod_node_length(const Rod* rod, int node)
{
    const CordCenterline* c = &rod->line;
    bool has_before = c->closed || node > 0;
    double before = has_before ? edge_rest_len(c, edge_before(c, node)) : 0.0;
    return 0.5 * (before + c->rest_len[slot_of(c, node)]); // past the last edge the rest length is 0
}

double rod_node_mass(const Rod* rod, int node)
{
    return rod->stiffness.mass_per_length * rod_node_length(rod, node);
}

static bool is_held(const Rod* rod, int edge)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        if (rod->clamps[i]->holds && rod->clamps[i]->edge == edge) {
            return true;
        }
    }
    return false;
}

static double bend_share(const Rod* rod, int edge)
{
    bool twice = (rod->double_start && edge == 0) || (rod->double_end && edge == rod->line.edge_count - 1);
    return edge_rest_len(&rod->line, edge) * (twice ? 2.0 : 1.0);
}

double rod_bend_length(const Rod* rod, int node)
{
    return bend_share(rod, edge_before(&rod->line, node)) + bend_share(rod, edge_after(&rod->line, node));
}

void rod_update_held(Rod* rod)
{
    CordCenterline* c = &rod->line;
    rod->double_start = rod->half_start && is_held(rod, 0);
    rod->double_end = rod->half_end && is_held(rod, c->edge_count - 1);
    for (int i = 0; i < c->node_count; i++) {
        c->w[slot_of(c, i)] = 1.0 / rod_node_mass(rod, i);
    }
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && !clamp->def.slides && k < clamp->node_count; k++) {
            c->w[slot_of(c, clamp->node[k])] = 0.0;
        }
    }
    centerline_wrap_one(c, c->w);
}

void rod_state(Rod* rod, Bytes* b)
{
    CordCenterline* c = &rod->line;
    bytes_expect(b, c->node_count);
    for (int k = 0; k < 3; k++) {
        bytes_doubles(b, c->x[k] + c->halo, c->node_count);
        bytes_doubles(b, c->v[k] + c->halo, c->node_count);
    }
    if (rod->inextensible) {
        bytes_doubles(b, c->pull + c->halo, c->edge_count);
    }
    bytes_double(b, &rod->last_step);
    bytes_bool(b, &rod->stepped);
    if (b->mode == BYTES_READ) {
        centerline_wrap(c, c->x);
        centerline_wrap(c, c->v);
        centerline_wrap_one(c, c->pull);
        rod->started = rod->stepped;
        rod->held_changed = true;
    }
}
