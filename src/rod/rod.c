#include "rod/rod.h"

#include "base/real.h"
#include "rod/grid.h"
#include "rod/knot_shape.h"
#include "rod/network.h"
#include "rod/shape.h"

#include <stdio.h>
#include <string.h>

#define MOST_TWIST 1e7 // [rad]: more than a million turns; counting them is exact to 1e-9

CordRodDef cord_rod_def_default(void)
{
    return (CordRodDef){.model = CORD_MODEL_DER,
                        .material = cord_material_default(),
                        .section = cord_section_disc(0.005),
                        .stiffness = cord_stiffness_unset(),
                        .damping_time = NAN,
                        .step_error = 1e-5,
                        .adapt = cord_adapt_def_default(),
                        .pbd = {.substeps = 1,
                                .tolerance = 1e-5,
                                .weight_bend1 = 1.0,
                                .weight_bend2 = 1.0,
                                .weight_twist = 1.0,
                                .weight_stretch = 1.0,
                                .ghost_mass = 0.5,
                                .ghost_length = 1.0},
                        .modal = {.modes = 8},
                        .corde = {.penalty = NAN, .friction_stretch = NAN, .friction_turn = NAN},
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

static void override(CordStiffness* s, const CordStiffness* by)
{
    s->EI1 = isnan(by->EI1) ? s->EI1 : by->EI1;
    s->EI2 = isnan(by->EI2) ? s->EI2 : by->EI2;
    s->GJ = isnan(by->GJ) ? s->GJ : by->GJ;
    s->EA = isnan(by->EA) ? s->EA : by->EA;
    s->mass_per_length = isnan(by->mass_per_length) ? s->mass_per_length : by->mass_per_length;
    s->EI12 = isnan(by->EI12) ? s->EI12 : by->EI12;
    s->spin_inertia = isnan(by->spin_inertia) ? s->spin_inertia : by->spin_inertia;
    s->rotary1 = isnan(by->rotary1) ? s->rotary1 : by->rotary1;
    s->rotary2 = isnan(by->rotary2) ? s->rotary2 : by->rotary2;
}

static CordStiffness stiffness_at(const CordRodDef* def, int edge)
{
    CordStiffness s =
        cord_stiffness_from(&def->material, def->sections ? &def->sections[edge] : &def->section);
    override(&s, &def->stiffness);
    if (def->stiffnesses) {
        override(&s, &def->stiffnesses[edge]);
    }
    return s;
}

static CordResult check_stiffness(const CordRodDef* def, int edge, Message* message)
{
    CordStiffness s = stiffness_at(def, edge);
    CORD_TRY(not_negative(s.EI1, "the bending stiffness EI1", "N m^2", message));
    CORD_TRY(not_negative(s.EI2, "the bending stiffness EI2", "N m^2", message));
    CORD_TRY(not_negative(s.GJ, "the twisting stiffness GJ", "N m^2", message));
    CORD_TRY(positive(s.mass_per_length, "the mass per length", "kg/m", message));
    CORD_TRY(positive(def->sections ? def->sections[edge].radius : def->section.radius, "the radius", "m",
                      message));
    if (!def->inextensible) {
        CORD_TRY(positive(s.EA, "the stretching stiffness EA", "N", message));
    }
    if (!(s.EI12 * s.EI12 <= s.EI1 * s.EI2)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the coupling EI12 of the two bendings is %g N m^2; it must be below the root of "
                            "EI1 EI2 (%g and %g), or "
                            "bending would give energy away",
                            s.EI12, s.EI1, s.EI2);
    }
    return CORD_OK;
}

CordResult rod_check_spin_inertia(const Rod* rod, Message* message)
{
    for (int j = 0; j < (rod->along ? rod->line.edge_count : 1); j++) {
        CORD_TRY(
            positive(rod_stiffness_at(rod, j)->spin_inertia, "the spin inertia per length", "kg m", message));
    }
    return CORD_OK;
}

// What varies along the rod needs one entry for each edge.
static CordResult check_along(const CordRodDef* def, Message* message)
{
    bool varies = def->sections || def->stiffnesses || def->m1_along;
    bool network = def->shape.kind == CORD_SHAPE_NETWORK;
    int edges = network ? def->shape.edge_count : def->shape.node_count - (def->closed ? 0 : 1);
    if (varies && def->along_count != edges) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "what varies along the rod is given for %d edges, and the rod has %d",
                            def->along_count, edges);
    }
    for (int j = 0; j < (def->sections || def->stiffnesses ? edges : 1); j++) {
        CORD_TRY(check_stiffness(def, j, message));
    }
    for (int j = 0; def->m1_along && j < edges; j++) {
        if (!vec3_finite(def->m1_along[j])) {
            return message_fail(message, CORD_BAD_ARGUMENT, "the material axis m1 of edge %d is not finite",
                                j);
        }
    }
    return CORD_OK;
}

// Values outside an enumeration come from callers in other languages.
static CordResult check_choices(const CordRodDef* def, Message* message)
{
    bool good =
        def->integrator >= CORD_INTEGRATOR_VERLET && def->integrator <= CORD_INTEGRATOR_BACKWARD_EULER &&
        def->length_method >= CORD_LENGTH_RATTLE && def->length_method <= CORD_LENGTH_FAST_PROJECTION &&
        def->rest >= CORD_REST_AS_SHAPED && def->rest <= CORD_REST_SHAPE;
    return good ? CORD_OK
                : message_fail(
                      message, CORD_BAD_ARGUMENT,
                      "the integrator (%d), length method (%d) or rest shape (%d) is none that there is",
                      (int)def->integrator, (int)def->length_method, (int)def->rest);
}

static double retardation_time(const CordRodDef* def)
{
    const CordMaterial* m = &def->material; // its E may be of no use where stiffnesses are given
    return !isnan(def->damping_time) ? def->damping_time : m->viscosity > 0.0 ? m->viscosity / m->young : 0.0;
}

CordResult rod_check_def(const CordRodDef* def, Message* message)
{
    CORD_TRY(check_choices(def, message));
    if (!isfinite(def->twist) || !vec3_finite(def->velocity) || !vec3_finite(def->spin)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the initial twist, velocity and spin must be finite");
    }
    if (!isfinite(def->rest_twist) || !vec3_finite(def->m1) || !vec3_finite(def->rest_m1)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the rest twist and the material axes m1 must be finite");
    }
    if (fabs(def->twist) > MOST_TWIST || fabs(def->rest_twist) > MOST_TWIST) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a twist of %g rad is beyond what a rod can have",
                            real_max(fabs(def->twist), fabs(def->rest_twist)));
    }
    CORD_TRY(not_negative(def->material.viscosity, "the viscosity", "Pa s", message));
    CORD_TRY(not_negative(retardation_time(def), "the retardation time of the damping", "s", message));
    CORD_TRY(contact_surface_check_material(&def->material, message));
    if (def->adapt.on) {
        CORD_TRY(grid_check_def(&def->adapt, message));
    }
    CORD_TRY(positive(def->step_error, "the error a step may make", "shares of the rod's length", message));
    if (def->closed && (def->half_edge_start || def->half_edge_end)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a closed rod has no ends to make half edges at");
    }
    CORD_TRY(shape_check(&def->shape, def->closed, message));
    if (def->shape.kind == CORD_SHAPE_NETWORK && def->model != CORD_MODEL_MODAL) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "a network of edges is for modal rods (\"model\": \"modal\"); those of other "
                            "models are chains, and joints make them into more");
    }
    CORD_TRY(check_along(def, message));
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

static ShapeEnds ends_of(const Rod* rod, const CordRodDef* def)
{
    bool points = def->shape.kind == CORD_SHAPE_POINTS; // given nodes are not resampled
    ShapeEnds ends = {.closed = def->closed,
                      .half_start = def->half_edge_start && !points,
                      .half_end = def->half_edge_end && !points};
    if (rod->grid && !points) {
        ends.tick = rod->grid->tick, ends.tick_unit = rod->grid->unit,
        ends.tick_count = rod->grid->node_count;
    }
    return ends;
}

// A curved adaptive rod starts with halved elements where it bends sharply. A rod given by points, or with an
// axis for each edge, starts with the elements of its def.
static CordResult begin_adaptive(Memory* m, Rod* rod, const CordRodDef* def, Message* message)
{
    int elements = def->shape.node_count - (def->closed ? 0 : 1);
    bool plain = def->m1_along || def->shape.kind == CORD_SHAPE_POINTS || def->shape.kind == CORD_SHAPE_LINE;
    rod->grid = grid_create(m, &def->adapt, elements, def->closed);
    int most = rod->grid ? grid_tick_count(rod->grid, def->closed) : 0;
    CordVec3* x = rod->grid ? memory_array(m, CordVec3, most) : NULL;
    if (!x) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for a rod of %d nodes",
                            def->shape.node_count);
    }
    CordResult result = plain ? CORD_OK : shape_sample(m, &def->shape, ends_of(rod, def), x, message);
    if (result == CORD_OK) {
        grid_choose_nodes(rod->grid, x, def->closed, def->half_edge_start, def->half_edge_end, plain);
    }
    memory_array_free(m, x, most);
    return result;
}

CordResult rod_rest_nodes(Memory* m, const Rod* rod, const CordRodDef* def, CordVec3* x, Message* message)
{
    if (def->rest == CORD_REST_STRAIGHT) {
        x[0] = (CordVec3){0, 0, 0};
        for (int j = 0; j + 1 < rod->line.node_count; j++) {
            x[j + 1] = (CordVec3){x[j].x + edge_rest_len(&rod->line, j), 0, 0};
        }
        return CORD_OK;
    }
    return shape_sample(m, def->rest == CORD_REST_SHAPE ? &def->rest_shape : &def->shape, ends_of(rod, def),
                        x, message);
}

static CordResult set_lengths(Memory* m, Rod* rod, const CordRodDef* def, CordVec3* x, Message* message)
{
    CordCenterline* c = &rod->line;
    if (def->rest == CORD_REST_SHAPE) {
        CORD_TRY(rod_rest_nodes(m, rod, def, x, message));
    }
    for (int j = 0; j < c->edge_count; j++) {
        double len = vec3_length(vec3_sub(x[edge_end(c, j)], x[edge_start(c, j)]));
        if (!(isfinite(len) && isfinite(1.0 / len))) {
            return message_fail(message, CORD_BAD_ARGUMENT,
                                "edge %d has length %g m; the shape's nodes must be apart", j, len);
        }
        if (c->ends) {
            c->edge_len[j] = len;
            continue;
        }
        c->rest_len[slot_of(c, j)] = len;
        c->inv_rest[slot_of(c, j)] = 1.0 / len;
    }
    centerline_wrap_one(c, c->rest_len);
    centerline_wrap_one(c, c->inv_rest);
    return CORD_OK;
}

static double half_mass(const Rod* rod, int edge)
{
    return 0.5 * rod_edge_mass(rod, edge);
}

static CordResult set_node_masses(Memory* m, Rod* rod, Message* message)
{
    const CordCenterline* c = &rod->line;
    if (!c->ends) {
        return CORD_OK;
    }
    rod->node_mass = memory_array(m, double, c->node_count);
    rod->node_length = memory_array(m, double, c->node_count);
    if (!rod->node_mass || !rod->node_length) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for a network of %d nodes", c->node_count);
    }
    for (int j = 0; j < c->edge_count; j++) {
        for (int k = 0; k < 2; k++) {
            rod->node_mass[c->ends[2 * j + k]] += half_mass(rod, j);
            rod->node_length[c->ends[2 * j + k]] += 0.5 * c->edge_len[j];
        }
    }
    return CORD_OK;
}

static CordResult set_sections(Memory* m, Rod* rod, const CordRodDef* def, Message* message)
{
    int n = rod->line.edge_count;
    if (!def->sections && !def->stiffnesses) {
        return CORD_OK;
    }
    rod->along = memory_array(m, CordStiffness, n);
    rod->radii = memory_array(m, double, n);
    if (!rod->along || !rod->radii) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for a rod of %d nodes", rod->line.node_count);
    }
    for (int j = 0; j < n; j++) {
        int element = rod->grid ? rod->grid->tick[j] / rod->grid->unit : j;
        rod->along[j] = stiffness_at(def, element);
        rod->radii[j] = def->sections ? def->sections[element].radius : def->section.radius;
    }
    return CORD_OK;
}

// Sets the rigid motion of the def: velocity, and spin about the centre of mass.
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

// Sizes that are good one by one may be too large or too small together for what is computed from them.
static CordResult check_nodes(const Rod* rod, Message* message)
{
    for (int i = 0; i < rod->line.node_count; i++) {
        double mass = rod_node_mass(rod, i);
        if (!(isfinite(mass) && isfinite(1.0 / mass))) {
            return message_fail(
                message, CORD_BAD_ARGUMENT,
                "node %d would have a mass of %g kg; choose another density, section or mass per "
                "length",
                i, mass);
        }
        if (!vec3_finite(node_velocity(&rod->line, i))) {
            return message_fail(
                message, CORD_BAD_ARGUMENT,
                "node %d would have a velocity that is not finite; choose another velocity or spin", i);
        }
    }
    return CORD_OK;
}

CordResult rod_init(Memory* m, Rod* rod, const CordRodDef* def, Message* message)
{
    *rod = (Rod){.model = def->model,
                 .integrator = def->integrator,
                 .inextensible = def->inextensible,
                 .length_method = def->length_method,
                 .stiffness = stiffness_at(def, 0),
                 .radius = def->sections ? def->sections[0].radius : def->section.radius,
                 .damping_time = retardation_time(def),
                 .dynamic_twist = def->dynamic_twist,
                 .asks_inertia = def->dynamic_twist,
                 .step_error = def->step_error,
                 .surface = contact_surface_of_material(&def->material, def->surface),
                 .intangible = def->intangible,
                 // natural strains are those of a rod whose half edges are held
                 .ends = {.half_start = def->half_edge_start,
                          .half_end = def->half_edge_end,
                          .double_start = def->half_edge_start,
                          .double_end = def->half_edge_end}};
    snprintf(rod->name, sizeof rod->name, "%s", def->name ? def->name : "rod");
    if (def->shape.kind == CORD_SHAPE_NETWORK) {
        CORD_TRY(network_check(m, &def->shape, message));
    }
    if (def->adapt.on) {
        CORD_TRY(begin_adaptive(m, rod, def, message));
    }
    int n = rod->grid ? rod->grid->node_count : def->shape.node_count;
    const CordShape* shape = &def->shape;
    bool network = shape->kind == CORD_SHAPE_NETWORK;
    if (centerline_create(m, &rod->line, n, def->closed) != CORD_OK ||
        (network && centerline_make_network(m, &rod->line, shape->ends, shape->edge_count) != CORD_OK)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for a rod of %d nodes", n);
    }
    CordVec3* x = memory_array(m, CordVec3, n);
    if (!x) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for a rod of %d nodes", n);
    }
    CordResult result = shape_sample(m, &def->shape, ends_of(rod, def), x, message);
    result = result == CORD_OK ? knot_sampling_check(m, shape, ends_of(rod, def), message) : result;
    if (result == CORD_OK) {
        for (int i = 0; i < n; i++) {
            slot_set(rod->line.x, slot_of(&rod->line, i), x[i]);
        }
        centerline_wrap(&rod->line, rod->line.x);
        result = set_lengths(m, rod, def, x, message);
    }
    memory_array_free(m, x, n);
    if (result == CORD_OK) {
        result = set_sections(m, rod, def, message);
    }
    if (result == CORD_OK) {
        result = set_node_masses(m, rod, message);
    }
    if (result == CORD_OK && rod->grid && !grid_set_base(m, rod->grid, rod)) {
        result = message_fail(message, CORD_NO_MEMORY, "no memory for a rod of %d nodes", n);
    }
    if (result == CORD_OK) {
        rod->length = centerline_rest_length(&rod->line);
        set_velocities(rod, def);
        result = check_nodes(rod, message);
    }
    if (result == CORD_OK) {
        result = contact_stretches_create(m, def, rod->length, &rod->stretches, message);
        rod->stretch_count = rod->stretches ? def->stretch_count : 0;
    }
    return result;
}

#define FREE_ARRAYS 4

bool rod_reserve_free(Memory* m, Rod* rod)
{
    size_t stride = centerline_stride(&rod->line);
    double* block = memory_alloc(m, centerline_block_size(&rod->line, FREE_ARRAYS));
    if (!block) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        rod->v_free[k] = block + (size_t)k * stride + CENTERLINE_PAD;
    }
    rod->spin_free = block + 3 * stride + CENTERLINE_PAD;
    return true;
}

bool rod_reserve_shift(Memory* m, Rod* rod)
{
    double* block = memory_alloc(m, centerline_block_size(&rod->line, 3));
    for (int k = 0; k < 3 && block; k++) {
        rod->shift[k] = block + (size_t)k * centerline_stride(&rod->line) + CENTERLINE_PAD;
    }
    return block != NULL;
}

void rod_free_arrays(Memory* m, Rod* rod)
{
    if (rod->shift[0]) {
        memory_free(m, rod->shift[0] - CENTERLINE_PAD, centerline_block_size(&rod->line, 3));
    }
    if (rod->v_free[0]) {
        memory_free(m, rod->v_free[0] - CENTERLINE_PAD, centerline_block_size(&rod->line, FREE_ARRAYS));
    }
    memory_array_free(m, rod->along, rod->line.edge_count);
    memory_array_free(m, rod->radii, rod->line.edge_count);
    memory_array_free(m, rod->node_mass, rod->line.node_count);
    memory_array_free(m, rod->node_length, rod->line.node_count);
    centerline_destroy(m, &rod->line);
}

void rod_free(Memory* m, Rod* rod)
{
    rod_free_arrays(m, rod);
    grid_destroy(m, rod->grid);
    memory_array_free(m, rod->stretches, rod->stretch_count);
    memory_array_free(m, rod->clamps, rod->clamp_capacity);
    memory_array_free(m, rod->loads, rod->load_capacity);
}

// ---- lengths and masses

double rod_node_length(const Rod* rod, int node)
{
    const CordCenterline* c = &rod->line;
    if (rod->node_length) {
        return rod->node_length[node];
    }
    bool has_before = c->closed || node > 0;
    double before = has_before ? edge_rest_len(c, edge_before(c, node)) : 0.0;
    return 0.5 * (before + c->rest_len[slot_of(c, node)]); // past the last edge the rest length is 0
}

double rod_edge_mass(const Rod* rod, int edge)
{
    return rod_stiffness_at(rod, edge)->mass_per_length * edge_rest_len(&rod->line, edge);
}

double rod_lumped_mass(const Rod* rod, int node)
{
    const CordCenterline* c = &rod->line;
    if (rod->node_mass) {
        return rod->node_mass[node];
    }
    if (!rod->along) {
        return rod->stiffness.mass_per_length * rod_node_length(rod, node);
    }
    bool has_before = c->closed || node > 0, has_after = c->closed || node < c->edge_count;
    return (has_before ? half_mass(rod, edge_before(c, node)) : 0.0) +
           (has_after ? half_mass(rod, node) : 0.0);
}

double rod_node_mass(const Rod* rod, int node)
{
    double mass = rod_lumped_mass(rod, node);
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        bool shares = clamp->joint_mass_share > 0.0 && clamp->holds;
        if (shares && (clamp->node[0] == node || (clamp->node_count == 2 && clamp->node[1] == node))) {
            return mass * (1.0 - clamp->joint_mass_share); // the remaining mass moves with the joint
        }
    }
    return mass;
}

double rod_reach(const Rod* rod)
{
    CordVec3 x = node_position(&rod->line, 0);
    return real_max(fabs(x.x), real_max(fabs(x.y), fabs(x.z))) + rod->length;
}

double rod_mass(const Rod* rod)
{
    double sum = 0.0;
    for (int i = 0; rod->along && i < rod->line.node_count; i++) {
        sum += rod_lumped_mass(rod, i);
    }
    return rod->along ? sum : rod->length * rod->stiffness.mass_per_length;
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

static double edge_weight(const Rod* rod, int edge)
{
    bool twice =
        (rod->ends.double_start && edge == 0) || (rod->ends.double_end && edge == rod->line.edge_count - 1);
    return twice ? 2.0 : 1.0;
}

static double bend_share(const Rod* rod, int edge)
{
    return edge_rest_len(&rod->line, edge) * edge_weight(rod, edge);
}

double rod_bend_length(const Rod* rod, int node)
{
    return bend_share(rod, edge_before(&rod->line, node)) + bend_share(rod, edge_after(&rod->line, node));
}

// The length of an edge, if it is held, whose stretch belongs to the edge beside it: up to where a clamp acts
// [m].
static double stretch_share(const Rod* rod, int edge)
{
    bool half =
        (rod->ends.half_start && edge == 0) || (rod->ends.half_end && edge == rod->line.edge_count - 1);
    return (half ? 1.0 : 0.5) * edge_rest_len(&rod->line, edge);
}

// The length of held edges whose stretch belongs to this edge [m].
static double held_length(const Rod* rod, int edge)
{
    const CordCenterline* c = &rod->line;
    bool first = !c->closed && edge == 0, last = !c->closed && edge == c->edge_count - 1;
    int before = first ? -1 : edge_before(c, edge), after = last ? -1 : edge_end(c, edge);
    return (!first && is_held(rod, before) ? stretch_share(rod, before) : 0.0) +
           (!last && is_held(rod, after) ? stretch_share(rod, after) : 0.0);
}

// The rest length of the material whose stretch an edge shows [m].
static double stretched_length(const Rod* rod, int edge)
{
    bool plain = rod->inextensible || rod->stiffened || rod->is_piece || rod->clamp_count == 0;
    return edge_rest_len(&rod->line, edge) + (plain ? 0.0 : held_length(rod, edge));
}

double rod_stretch_stiffness(const Rod* rod, int edge)
{
    double EA = rod_stiffness_at(rod, edge)->EA, rest = edge_rest_len(&rod->line, edge);
    double all = stretched_length(rod, edge);
    return all > rest ? EA * rest / all : EA;
}

double rod_stretch(const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    double most = 0.0;
    for (int j = 0; j < c->edge_count; j++) {
        double longer = vec3_length(edge_vector(c, j)) - edge_rest_len(c, j);
        most = real_max(most, fabs(longer) / stretched_length(rod, j));
    }
    return most;
}

// How much an edge whose strain is that of edge `like` is stretched between one of its ends and where a clamp
// acts: a vector along `like` [m].
static CordVec3 stretch_like(const Rod* rod, int edge, int like)
{
    const CordCenterline* c = &rod->line;
    CordVec3 e = edge_vector(c, like);
    double len = vec3_length(e), rest = edge_rest_len(c, like);
    double share = stretch_share(rod, edge) / (rest + held_length(rod, like));
    return vec3_mul(e, share * (len - rest) / len);
}

bool rod_move_stretch(Rod* rod, int edge, bool out)
{
    CordCenterline* c = &rod->line;
    int start = slot_of(c, edge_start(c, edge)), end = slot_of(c, edge_end(c, edge));
    CordVec3 none = {0, 0, 0}, at_start = none, at_end = none;
    if (rod->inextensible || rod->stiffened || c->edge_count < 2) {
        return false;
    }
    if (c->closed || edge < c->edge_count - 1) {
        at_end = stretch_like(rod, edge, out ? edge : edge_end(c, edge));
    }
    if (c->closed || edge > 0) {
        at_start = stretch_like(rod, edge, out ? edge : edge_before(c, edge));
    }
    slot_set(c->x, end, vec3_madd(slot_get(c->x, end), at_end, out ? -1.0 : 1.0));
    slot_set(c->x, start, vec3_madd(slot_get(c->x, start), at_start, out ? 1.0 : -1.0));
    centerline_wrap(c, c->x);
    return vec3_length(at_start) + vec3_length(at_end) > 0.0;
}

void rod_weigh_nodes(Rod* rod)
{
    CordCenterline* c = &rod->line;
    for (int i = 0; i < c->node_count; i++) {
        c->w[slot_of(c, i)] = 1.0 / rod_node_mass(rod, i);
    }
    for (int i = 0; i < rod->clamp_count; i++) {
        Clamp* clamp = rod->clamps[i];
        for (int k = 0; k < clamp->node_count; k++) {
            clamp->w[k] = c->w[slot_of(c, clamp->node[k])];
        }
    }
    clamps_hold_nodes(rod);
    centerline_wrap_one(c, c->w);
}

void rod_update_held(Rod* rod)
{
    CordCenterline* c = &rod->line;
    rod->ends.double_start = rod->ends.half_start && is_held(rod, 0);
    rod->ends.double_end = rod->ends.half_end && is_held(rod, c->edge_count - 1);
    rod_weigh_nodes(rod);
    rod->held_twice = rod->inextensible && rod->clamp_count > 1 && clamps_share_edge(rod);
}

bool rod_def_is_implicit(const CordRodDef* def)
{
    return def->integrator == CORD_INTEGRATOR_MIDPOINT || def->integrator == CORD_INTEGRATOR_BACKWARD_EULER;
}

double rod_pull_unit(const Rod* rod, double length)
{
    return rod->pull_is_tension ? 1.0 : length;
}

void rod_set_pull(Rod* rod, const double* tension)
{
    CordCenterline* c = &rod->line;
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        c->pull[s] = tension[s] / rod_pull_unit(rod, vec3_length(edge_vector(c, j)));
    }
    centerline_wrap_one(c, c->pull);
}

double rod_tension(const Rod* rod, int edge, double stretch)
{
    const CordCenterline* c = &rod->line;
    CordVec3 x = node_position(c, edge_start(c, edge));
    double len = vec3_length(edge_vector(c, edge)), rest = edge_rest_len(c, edge);
    double kept = c->pull[slot_of(c, edge)] * rod_pull_unit(rod, len), now = stretch * (len - rest);
    double noise = stretch * (1e-12 * rest + 8e-16 * (fabs(x.x) + fabs(x.y) + fabs(x.z)));
    return fabs(kept - now) <= noise ? kept : now;
}

static CordVec3 pull_force(const Rod* rod, int edge, const double* pull)
{
    CordVec3 e = edge_vector(&rod->line, edge);
    return vec3_mul(rod->pull_is_tension ? vec3_unit(e) : e, pull[slot_of(&rod->line, edge)]);
}

CordVec3 rod_node_pull(const Rod* rod, int node, const double* pull)
{
    const CordCenterline* c = &rod->line;
    bool has_before = c->closed || node > 0, has_after = c->closed || node < c->node_count - 1;
    CordVec3 after = has_after ? pull_force(rod, node, pull) : (CordVec3){0, 0, 0};
    return has_before ? vec3_sub(after, pull_force(rod, edge_before(c, node), pull)) : after;
}

void rod_sections_to_nodes(const Rod* rod, CordVec3* f)
{
    const CordCenterline* c = &rod->line;
    CordVec3 before = c->closed ? f[c->edge_count - 1] : (CordVec3){0, 0, 0};
    for (int i = 0; i < c->node_count; i++) {
        CordVec3 here = i < c->edge_count ? f[i] : (CordVec3){0, 0, 0};
        f[i] = vec3_sub(here, before);
        before = here;
    }
}

CordVec3 rod_pull_force(const Rod* rod, int edge)
{
    return pull_force(rod, edge, rod->line.pull);
}
