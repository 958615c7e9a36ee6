#include "world/world.h"

#include "base/message.h"
#include "rod/grid.h"
#include "world/island.h"
#include "world/surface.h"

#include <stdio.h>
#include <string.h>

#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char* cord_version(void)
{
    return VERSION(CORD_VERSION_MAJOR, CORD_VERSION_MINOR, CORD_VERSION_PATCH);
}

const char* cord_result_name(CordResult result)
{
    static const char* const names[] = {
        "CORD_OK",       "CORD_BAD_ARGUMENT",  "CORD_BAD_ID",    "CORD_NOT_SUPPORTED", "CORD_NO_MEMORY",
        "CORD_DIVERGED", "CORD_NOT_CONVERGED", "CORD_BAD_STATE", "CORD_BAD_FILE",
    };
    size_t count = sizeof names / sizeof *names;
    return (size_t)result < count ? names[result] : "unknown result";
}

// ---- the world itself

CordWorldDef cord_world_def_default(void)
{
    return (CordWorldDef){.gravity = {0, 0, -9.81}};
}

CordResult cord_world_create(const CordWorldDef* def, CordWorld** world)
{
    *world = NULL;
    if (!def || !vec3_finite(def->gravity)) {
        return CORD_BAD_ARGUMENT;
    }
    Memory memory;
    memory_init(&memory, def->allocator);
    CordWorld* w = memory_alloc(&memory, sizeof *w);
    if (!w) {
        return CORD_NO_MEMORY;
    }
    w->memory = memory;
    w->log = def->log;
    w->tasks = def->tasks;
    w->watch.clock = def->clock;
    w->gravity = def->gravity;
    w->free_bodies.memory = &w->memory;
    w->contact = cord_contact_def_default();
    w->parts = 1;
    w->contact.on = false;
    w->budget = budget_none;
    EngineUse own = {.ops = &body_engine_free, .user = &w->free_bodies};
    w->engines[0] = def->engine ? (EngineUse){.ops = def->engine, .user = def->engine_user} : own;
    w->engines[1] = own;
    w->engine_count = def->engine ? 2 : 1;
    w->has_modal_hooks = def->modal != NULL;
    w->modal_hooks = def->modal ? *def->modal : (CordModalHooks){0};
    world_mark(w, NULL, MARK_NODES); // a step needs scratch even where there are no rods
    *world = w;
    return CORD_OK;
}

void rod_destroy_parts(Memory* m, Rod* rod)
{
    if (stepper_of(rod)->destroy) {
        stepper_of(rod)->destroy(m, rod);
    }
    model_of(rod)->destroy(m, rod);
}

static void destroy_rod(CordWorld* w, Rod* rod)
{
    w->report.iterations_in_all += rod->report.iterations_in_all;
    w->report.unfinished_in_all += rod->report.unfinished_in_all;
    w->report.factorings_in_all += rod->report.factorings_in_all;
    rod_destroy_parts(&w->memory, rod);
    rod_now_free(&w->memory, rod);
    rod_free(&w->memory, rod);
    memory_free(&w->memory, rod, sizeof *rod);
}

static void free_frame(CordWorld* w)
{
    FrameBuffers* f = &w->frame;
    memory_array_free(&w->memory, f->rods, f->rod_capacity);
    memory_array_free(&w->memory, f->bodies, f->body_capacity);
    memory_array_free(&w->memory, f->obstacles, f->obstacle_capacity);
    memory_array_free(&w->memory, f->energy, f->rod_capacity);
    memory_array_free(&w->memory, f->stretch, f->rod_capacity);
    memory_array_free(&w->memory, f->twist, f->rod_capacity);
    memory_array_free(&w->memory, f->x, f->node_capacity);
    memory_array_free(&w->memory, f->v, f->node_capacity);
    memory_array_free(&w->memory, f->moment, f->node_capacity);
    memory_array_free(&w->memory, f->skin, f->node_capacity);
    memory_array_free(&w->memory, f->arc, f->node_capacity);
    memory_array_free(&w->memory, f->level, f->node_capacity);
    memory_array_free(&w->memory, f->adapt, f->rod_capacity);
    memory_array_free(&w->memory, f->m1, f->edge_capacity);
    memory_array_free(&w->memory, f->radius, f->edge_capacity);
    memory_array_free(&w->memory, f->force, f->edge_capacity);
    memory_array_free(&w->memory, f->tension, f->edge_capacity);
    memory_array_free(&w->memory, f->ends, 2 * (size_t)f->edge_capacity);
    memory_array_free(&w->memory, f->surfaces, f->surface_capacity);
}

void cord_world_destroy(CordWorld* w)
{
    if (!w) {
        return;
    }
    cord_branch_destroy(w->branch);
    bodies_destroy_all(w);
    islands_free(w);
    obstacles_destroy_all(w);
    surfaces_destroy_all(w);
    contact_def_free(w);
    contact_free(w);
    topology_free(w);
    adapt_free(w);
    cord_ledger_close(w);
    for (int i = 0; i < w->clamps.live_count; i++) {
        Clamp* clamp = slots_at(&w->clamps, i);
        clamp_free(&w->memory, clamp);
        memory_free(&w->memory, clamp, sizeof *clamp);
    }
    for (int i = 0; i < w->loads.live_count; i++) {
        memory_free(&w->memory, slots_at(&w->loads, i), sizeof(Load));
    }
    for (int i = 0; i < w->probes.live_count; i++) {
        memory_free(&w->memory, slots_at(&w->probes, i), sizeof(Probe));
    }
    for (int i = 0; i < w->rods.live_count; i++) {
        destroy_rod(w, slots_at(&w->rods, i));
    }
    slots_free(&w->memory, &w->clamps);
    slots_free(&w->memory, &w->loads);
    slots_free(&w->memory, &w->probes);
    slots_free(&w->memory, &w->rods);
    arena_free(&w->memory, &w->scratch);
    arena_free(&w->memory, &w->query);
    memory_free(&w->memory, w->snapshot, w->snapshot_size);
    free_frame(w);
    Memory memory = w->memory;
    memory_free(&memory, w, sizeof *w);
}

const char* cord_world_message(const CordWorld* w)
{
    return w->message.text;
}

double cord_world_time(const CordWorld* w)
{
    return w->time;
}

int64_t cord_world_steps(const CordWorld* w)
{
    return w->steps;
}

CordVec3 cord_world_gravity(const CordWorld* w)
{
    return w->gravity;
}

static void fit_to_gravity(const CordWorld* w, Rod* rod)
{
    if (model_of(rod)->fit_to_gravity) {
        model_of(rod)->fit_to_gravity(rod, vec3_length(w->gravity));
    }
}

void world_set_gravity(CordWorld* w, CordVec3 gravity)
{
    w->gravity = gravity;
    for (int i = 0; i < w->rods.live_count; i++) {
        fit_to_gravity(w, slots_at(&w->rods, i));
    }
}

CordResult cord_world_set_gravity(CordWorld* w, CordVec3 gravity)
{
    CORD_TRY(check_no_branch(w, "gravity is not changed"));
    if (!vec3_finite(gravity)) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT, "gravity must be finite");
    }
    world_set_gravity(w, gravity);
    world_mark(w, NULL, MARK_STATE);
    return CORD_OK;
}

// Queries take a const world and may still set the message.
Message* world_message(const CordWorld* w)
{
    return &((CordWorld*)w)->message;
}

CordResult check_def_given(CordWorld* w, const void* def, const char* kind)
{
    return def ? CORD_OK
               : message_fail(&w->message, CORD_BAD_ARGUMENT,
                              "the %s's def is NULL; start from cord_%s_def_default()", kind, kind);
}

CordResult check_no_branch(CordWorld* w, const char* refused)
{
    return w->branch ? message_fail(&w->message, CORD_BAD_ARGUMENT,
                                    "a branch of equilibria is being followed, and %s until "
                                    "cord_branch_destroy has ended it",
                                    refused)
                     : CORD_OK;
}

CordResult bad_id(const CordWorld* w, const char* what)
{
    return message_fail(world_message(w), CORD_BAD_ID, "this %s does not exist (any more)", what);
}

static CordResult no_memory(CordWorld* w)
{
    return message_fail(&w->message, CORD_NO_MEMORY, "the allocator has no memory left");
}

// ---- rods

static CordResult append_load(CordWorld* w, Rod* rod, Load* load)
{
    if (!memory_grow(&w->memory, (void**)&rod->loads, rod->load_count, &rod->load_capacity,
                     sizeof *rod->loads)) {
        return no_memory(w);
    }
    rod->loads[rod->load_count++] = load;
    return CORD_OK;
}

static CordResult append_global_loads(CordWorld* w, Rod* rod)
{
    for (Link* link = w->loads_everywhere.first; link; link = link->after) {
        CORD_TRY(append_load(w, rod, LIST_ENTRY(link, Load, link)));
    }
    return CORD_OK;
}

// Stores the rest strain of an adaptive rod for every node that it may have, and takes that of the nodes that
// it has from there, as when they change.
static CordResult store_rest_strain(CordWorld* w, Rod* rod)
{
    if (!rod->grid) {
        return CORD_OK;
    }
    for (int k = 0; k < inner_count(&rod->line); k++) {
        int i = inner_node(&rod->line, k);
        double strain[3];
        model_of(rod)->rest_strain(rod, i, strain);
        grid_set_strain(rod->grid, rod, i, strain);
    }
    grid_finish_strains(rod->grid, rod);
    return rod_remesh_to_ticks(w, rod, rod->grid->base_tick, rod->line.node_count);
}

static CordResult create_rod(CordWorld* w, Rod* rod, const CordRodDef* def, SlotId* id)
{
    CORD_TRY(rod_init(&w->memory, rod, def, &w->message));
    CORD_TRY(append_global_loads(w, rod));
    rod->stepper = stepper_choose(def);
    const CordModalHooks* hooks = w->has_modal_hooks ? &w->modal_hooks : NULL;
    CORD_TRY(model_create(&w->memory, rod, def, hooks, &w->message));
    fit_to_gravity(w, rod);
    const Stepper* stepper = stepper_of(rod);
    CordResult result = stepper->create ? stepper->create(&w->memory, rod, &w->message) : CORD_OK;
    if (result == CORD_OK) {
        result = store_rest_strain(w, rod);
    }
    if (result == CORD_OK && !slots_reserve(&w->memory, &w->rods)) {
        result = no_memory(w);
    }
    if (result != CORD_OK) {
        rod_destroy_parts(&w->memory, rod);
        return result;
    }
    if (rod_def_is_implicit(def)) {
        contact_restart_before(w, &w->contact, true);
    }
    slots_add(&w->memory, &w->rods, rod, rod->name, id);
    rod->id = (CordRodId){id->slot, id->generation};
    world_mark(w, rod, MARK_HELD | MARK_NODES | MARK_COLLIDERS);
    return CORD_OK;
}

void rod_switch_stepper(CordWorld* w, Rod* rod, const char* cause)
{
    if (stepper_switch(&w->memory, rod)) {
        bool midpoint = rod->integrator == CORD_INTEGRATOR_MIDPOINT;
        world_mark(w, rod, MARK_HELD | MARK_NODES | MARK_COLLIDERS | (rod->assembly ? MARK_WELDS : 0));
        log_write(
            &w->log, CORD_LOG_INFO,
            "rod '%s' is stepped implicitly, as the scene holds %s; write \"integrator\": \"%s\" to say "
            "so",
            rod->name, cause, midpoint ? "implicit" : "backward_euler");
    }
}

// Names the rod in a refusal that does not name it.
static CordResult refuse_rod(CordWorld* w, const char* name, CordResult result)
{
    char quoted[NAME_SIZE + 2];
    Message why = w->message;
    snprintf(quoted, sizeof quoted, "'%s'", name);
    return result == CORD_NO_MEMORY || strstr(why.text, quoted)
               ? result
               : message_fail(&w->message, result, "rod %s: %s", quoted, why.text);
}

CordResult cord_rod_create(CordWorld* w, const CordRodDef* def, CordRodId* rod_id)
{
    *rod_id = (CordRodId){0};
    CORD_TRY(check_def_given(w, def, "rod"));
    CORD_TRY(check_no_branch(w, "no rod is made"));
    if (!cord_model_name(def->model)) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT, "there is no model number %d", (int)def->model);
    }
    char name[NAME_SIZE];
    CORD_TRY(name_set_choose(&w->rods.names, def->name, "rod", "a rod", name, &w->message));
    CordResult result = rod_check_def(def, &w->message);
    if (result != CORD_OK) {
        return refuse_rod(w, name, result);
    }
    Rod* rod = memory_alloc(&w->memory, sizeof *rod);
    if (!rod) {
        return no_memory(w);
    }
    SlotId id;
    CordRodDef named = *def;
    LedgerTotals before = ledger_begin_change(w);
    named.name = name;
    result = create_rod(w, rod, &named, &id);
    if (result != CORD_OK) {
        rod_free(&w->memory, rod);
        memory_free(&w->memory, rod, sizeof *rod);
        return refuse_rod(w, name, result);
    }
    *rod_id = (CordRodId){id.slot, id.generation};
    ledger_add_change(w, &before);
    log_write(&w->log, CORD_LOG_INFO,
              "rod '%s': model %s (%s, %s steps), %d elements, %g m, EI %g N m^2, GJ %g N m^2, %g kg/m",
              rod->name, cord_model_name(rod->model), model_of(rod)->name, stepper_of(rod)->name,
              rod->line.edge_count, rod->length, rod->stiffness.EI1, rod->stiffness.GJ,
              rod->stiffness.mass_per_length);
    return CORD_OK;
}

Rod* world_rod(const CordWorld* w, CordRodId id)
{
    return slots_get(&w->rods, id.slot, id.generation);
}

int cord_world_rod_count(const CordWorld* w)
{
    return w->rods.live_count;
}

CordRodId cord_world_rod(const CordWorld* w, int index)
{
    SlotId id = slots_id_at(&w->rods, index);
    return (CordRodId){id.slot, id.generation};
}

void rod_take_clamp(CordWorld* w, Rod* rod, Clamp* clamp)
{
    world_mark(w, rod, clamp_take_stretch(clamp) ? MARK_HELD | MARK_MOVED : MARK_HELD);
    rod->clamps[rod->clamp_count++] = clamp;
}

void rod_drop_clamp(CordWorld* w, Rod* rod, const Clamp* clamp)
{
    bool moved = clamp->holds && clamp->edge >= 0 && rod_move_stretch(rod, clamp->edge, false);
    int k = rod->clamp_count - 1; // from the back, as for loads
    while (rod->clamps[k] != clamp) {
        k--;
    }
    rod->clamp_count--;
    memmove(&rod->clamps[k], &rod->clamps[k + 1], (size_t)(rod->clamp_count - k) * sizeof *rod->clamps);
    world_mark(w, rod, moved ? MARK_HELD | MARK_MOVED : MARK_HELD);
    for (Link* link = rod->probes.first; link; link = link->after) {
        Probe* probe = LIST_ENTRY(link, Probe, link);
        probe->clamp = probe->clamp == clamp ? NULL : probe->clamp;
    }
}

static void remove_clamp(CordWorld* w, Clamp* clamp)
{
    ledger_forget_clamp(w, clamp);
    rod_drop_clamp(w, clamp->rod, clamp);
    slots_remove(&w->clamps, clamp->id.slot, clamp->id.generation);
    clamp_free(&w->memory, clamp);
    memory_free(&w->memory, clamp, sizeof *clamp);
}

static void drop_load(Rod* rod, const Load* load)
{
    int k = rod->load_count - 1; // from the back, where cord_rod_destroy removes them
    while (k >= 0 && rod->loads[k] != load) {
        k--;
    }
    if (k >= 0) {
        rod->load_count--;
        memmove(&rod->loads[k], &rod->loads[k + 1], (size_t)(rod->load_count - k) * sizeof *rod->loads);
    }
}

// The list that holds a load on a body or on all rods; NULL for a load on one rod.
static List* list_of_load(CordWorld* w, const Load* load)
{
    Body* body = world_body(w, load->def.body);
    return load->rod ? NULL : body ? &body->loads : &w->loads_everywhere;
}

// A load on an edge changes the model's tables of its frames.
static void mark_load(CordWorld* w, const Load* load)
{
    world_mark(w, load->edge >= 0 ? load->rod : NULL, load->edge >= 0 ? MARK_HELD : MARK_STATE);
}

void remove_load(CordWorld* w, Load* load)
{
    List* list = list_of_load(w, load);
    ledger_forget(w, &load->tally);
    mark_load(w, load);
    for (int i = 0; list == &w->loads_everywhere && i < w->rods.live_count; i++) {
        drop_load(slots_at(&w->rods, i), load);
    }
    if (list) {
        list_remove(list, &load->link);
    } else {
        drop_load(load->rod, load);
    }
    slots_remove(&w->loads, load->id.slot, load->id.generation);
    memory_free(&w->memory, load, sizeof *load);
}

CordResult cord_rod_destroy(CordWorld* w, CordRodId id)
{
    CORD_TRY(check_no_branch(w, "no rod is destroyed"));
    Rod* rod = world_rod(w, id);
    if (!rod) {
        return bad_id(w, "rod");
    }
    LedgerTotals before = ledger_begin_change(w);
    while (rod->probes.first) {
        Probe* probe = LIST_ENTRY(rod->probes.first, Probe, link);
        list_remove(&rod->probes, &probe->link);
        slots_remove(&w->probes, probe->id.slot, probe->id.generation);
        memory_free(&w->memory, probe, sizeof *probe);
    }
    while (rod->clamp_count > 0) {
        Clamp* clamp = rod->clamps[rod->clamp_count - 1];
        if (clamp->carrier) {
            remove_weld(w, weld_of(clamp));
        } else {
            remove_clamp(w, clamp);
        }
    }
    for (int i = rod->load_count - 1; i >= 0; i--) {
        if (rod->loads[i]->rod) {
            remove_load(w, rod->loads[i]);
        }
    }
    surfaces_destroy_of(w, rod);
    world_mark(w, NULL, MARK_COLLIDERS);
    slots_remove(&w->rods, id.slot, id.generation);
    destroy_rod(w, rod);
    ledger_add_change(w, &before);
    return CORD_OK;
}

// ---- clamps

CordResult clamp_store_axis(CordWorld* w, Clamp* clamp)
{
    const Rod* rod = clamp->rod;
    if (clamp->edge < 0) {
        return CORD_OK;
    }
    CordVec3* m1 = memory_array(&w->memory, CordVec3, rod->line.edge_count);
    if (!m1) {
        return no_memory(w);
    }
    model_of(rod)->material_frames(rod, m1);
    clamp->m1 = m1[clamp->edge];
    memory_array_free(&w->memory, m1, rod->line.edge_count);
    return CORD_OK;
}

static CordResult check_torque(CordWorld* w, const Rod* rod)
{
    const char* why = model_of(rod)->refuses_torque ? model_of(rod)->refuses_torque(rod) : NULL;
    return why ? message_fail(&w->message, CORD_NOT_SUPPORTED, "rod '%s' %s", rod->name, why) : CORD_OK;
}

static CordResult make_clamp(CordWorld* w, Clamp* clamp, Rod* rod, const CordClampDef* def, SlotId* id)
{
    CORD_TRY(
        clamp_init(&w->memory, clamp, rod, def, (CordVec3){0, 0, 0}, model_of(rod)->node_turns, &w->message));
    CORD_TRY(def->has_torque ? check_torque(w, rod) : CORD_OK);
    CORD_TRY(clamp_store_axis(w, clamp));
    if (!memory_grow(&w->memory, (void**)&rod->clamps, rod->clamp_count, &rod->clamp_capacity,
                     sizeof *rod->clamps) ||
        !slots_add(&w->memory, &w->clamps, clamp, NULL, id)) {
        return no_memory(w);
    }
    clamp->id = (CordClampId){id->slot, id->generation};
    clamp->holds = w->time < def->release;
    rod_take_clamp(w, rod, clamp);
    return CORD_OK;
}

CordResult cord_clamp_create(CordWorld* w, const CordClampDef* def, CordClampId* clamp_id)
{
    *clamp_id = (CordClampId){0};
    CORD_TRY(check_def_given(w, def, "clamp"));
    CORD_TRY(check_no_branch(w, "no clamp is made"));
    Rod* rod = world_rod(w, def->rod);
    if (!rod) {
        return bad_id(w, "rod");
    }
    Clamp* clamp = memory_alloc(&w->memory, sizeof *clamp);
    if (!clamp) {
        return no_memory(w);
    }
    SlotId id;
    LedgerTotals before = ledger_begin_change(w);
    CordResult result = make_clamp(w, clamp, rod, def, &id);
    if (result != CORD_OK) {
        clamp_free(&w->memory, clamp);
        memory_free(&w->memory, clamp, sizeof *clamp);
        return result;
    }
    *clamp_id = (CordClampId){id.slot, id.generation};
    ledger_add_change(w, &before);
    return CORD_OK;
}

CordResult cord_clamp_destroy(CordWorld* w, CordClampId id)
{
    CORD_TRY(check_no_branch(w, "no clamp is destroyed"));
    Clamp* clamp = slots_get(&w->clamps, id.slot, id.generation);
    if (!clamp) {
        return bad_id(w, "clamp");
    }
    LedgerTotals before = ledger_begin_change(w);
    if (clamp->holds) {
        world_restart_leapfrog(w, clamp->rod);
    }
    remove_clamp(w, clamp);
    ledger_add_change(w, &before);
    return CORD_OK;
}

int cord_world_clamp_count(const CordWorld* w)
{
    return w->clamps.live_count;
}

CordClampId cord_world_clamp(const CordWorld* w, int index)
{
    SlotId id = slots_id_at(&w->clamps, index);
    return (CordClampId){id.slot, id.generation};
}

CordResult cord_clamp_move(CordWorld* w, CordClampId id, CordVec3 offset, CordQuat rotation)
{
    Clamp* clamp = slots_get(&w->clamps, id.slot, id.generation);
    if (!clamp) {
        return bad_id(w, "clamp");
    }
    double norm = quat_norm(rotation);
    if (!vec3_finite(offset) || !isfinite(norm) || norm == 0.0) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "a clamp moves by a finite offset and a rotation that is not zero");
    }
    clamp->drive_offset = offset;
    clamp->drive_rotation = quat_unit(rotation);
    return CORD_OK;
}

bool cord_world_overreach(const CordWorld* w, double time, CordClampId pair[2])
{
    for (int i = 0; i < w->rods.live_count; i++) {
        ClampGap gap = clamps_gap(slots_at(&w->rods, i), time);
        if (gap.slack < -CLAMP_NO_SLACK) {
            pair[0] = gap.clamp[0]->id;
            pair[1] = gap.clamp[1]->id;
            return true;
        }
    }
    return false;
}

bool cord_clamp_holds(const CordWorld* w, CordClampId id)
{
    const Clamp* clamp = slots_get(&w->clamps, id.slot, id.generation);
    return clamp && clamp->holds;
}

CordResult cord_clamp_at(const CordWorld* w, CordClampId id, CordRodId* rod, int* node, CordFix* fix)
{
    const Clamp* clamp = slots_get(&w->clamps, id.slot, id.generation);
    if (!clamp) {
        return bad_id(w, "clamp");
    }
    *rod = clamp->rod->id, *node = clamp->node[0], *fix = clamp->def.fix;
    return CORD_OK;
}

// ---- loads

static CordResult spread_load(CordWorld* w, Load* load)
{
    mark_load(w, load);
    if (load->rod) {
        return append_load(w, load->rod, load);
    }
    List* list = list_of_load(w, load);
    list_append(list, &load->link);
    for (int i = 0; list == &w->loads_everywhere && i < w->rods.live_count; i++) {
        CORD_TRY(append_load(w, slots_at(&w->rods, i), load));
    }
    return CORD_OK;
}

CordResult cord_load_create(CordWorld* w, const CordLoadDef* def, CordLoadId* load_id)
{
    *load_id = (CordLoadId){0};
    CORD_TRY(check_def_given(w, def, "load"));
    CORD_TRY(check_no_branch(w, "no load is made"));
    bool everywhere = def->rod.slot == 0;
    Rod* rod = everywhere ? NULL : world_rod(w, def->rod);
    if (!everywhere && !rod) {
        return bad_id(w, "rod");
    }
    if (def->body.slot != 0 && !world_body(w, def->body)) {
        return bad_id(w, "body");
    }
    Load* load = memory_alloc(&w->memory, sizeof *load);
    SlotId id;
    if (!load) {
        return no_memory(w);
    }
    LedgerTotals before = ledger_begin_change(w);
    CordResult result = load_init(load, rod, def, &w->message);
    result = result == CORD_OK && load->edge >= 0 ? check_torque(w, rod) : result;
    if (result == CORD_OK && !slots_add(&w->memory, &w->loads, load, NULL, &id)) {
        result = no_memory(w);
    }
    if (result != CORD_OK) {
        memory_free(&w->memory, load, sizeof *load);
        return result;
    }
    load->id = (CordLoadId){id.slot, id.generation};
    bool acts = load_acts(load, w->time);
    double from = load->def.from;
    load->def.from = INFINITY; // up to now it has not acted
    result = spread_load(w, load);
    if (result != CORD_OK) {
        remove_load(w, load);
        return result;
    }
    if (acts) {
        world_restart_leapfrog(w, rod);
    }
    load->def.from = from;
    mark_load(w, load); // the restart has prepared the world without it
    *load_id = load->id;
    ledger_add_change(w, &before);
    return CORD_OK;
}

CordResult cord_load_destroy(CordWorld* w, CordLoadId id)
{
    CORD_TRY(check_no_branch(w, "no load is destroyed"));
    Load* load = slots_get(&w->loads, id.slot, id.generation);
    if (!load) {
        return bad_id(w, "load");
    }
    LedgerTotals before = ledger_begin_change(w);
    if (load_acts(load, w->time)) {
        world_restart_leapfrog(w, load->rod);
    }
    remove_load(w, load);
    ledger_add_change(w, &before);
    return CORD_OK;
}

static CordResult set_value(CordWorld* w, CordLoadId id, const LoadKind* kind, CordVec3 value)
{
    Load* load = slots_get(&w->loads, id.slot, id.generation);
    if (!load || load->kind != kind) {
        return bad_id(w, kind->info.name);
    }
    Load changed = *load;
    *load_value(&changed) = value;
    CORD_TRY(kind->check(&changed.def, &w->message));
    *load = changed;
    mark_load(w, load);
    return CORD_OK;
}

CordResult cord_load_set_force(CordWorld* w, CordLoadId id, CordVec3 force)
{
    return set_value(w, id, &load_force, force);
}

CordResult cord_load_set_torque(CordWorld* w, CordLoadId id, CordVec3 torque)
{
    return set_value(w, id, &load_torque, torque);
}

CordResult cord_load_set_target(CordWorld* w, CordLoadId id, CordVec3 target)
{
    return set_value(w, id, &load_spring, target);
}

CordResult cord_load_at(const CordWorld* w, CordLoadId id, CordRodId* rod, int* node)
{
    const Load* load = slots_get(&w->loads, id.slot, id.generation);
    if (!load || !load->rod || !load_is_on(load, LOAD_ON_POINTS)) {
        return bad_id(w, "load at a place of a rod");
    }
    *rod = load->rod->id, *node = load->node;
    return CORD_OK;
}

CordResult cord_load_force(const CordWorld* w, CordLoadId id, CordVec3* force)
{
    *force = (CordVec3){0, 0, 0};
    const Load* load = slots_get(&w->loads, id.slot, id.generation);
    if (!load || !load_is_on(load, CORD_LOAD_ON_NODE)) {
        return bad_id(w, "force or spring");
    }
    *force = load_force_now(load, w->time);
    return CORD_OK;
}
