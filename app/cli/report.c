#include "report.h"

#include "heap.h"

#include <cordage/contact.h>
#include <cordage/math.h>

#include <math.h>
#include <stdlib.h>

static const double writhe_pairs_most = 5e7; // over all rods: a few seconds

double report_total(CordEnergy e)
{
    return e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
}

void report_json_energy(Json* j, CordEnergy e)
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

CordEnergy report_energy(const CordFrame* frame)
{
    CordEnergy sum = {0};
    for (int i = 0; i < frame->rod_count + frame->body_count; i++) {
        CordEnergy e = i < frame->rod_count ? frame->energy[i] : frame->bodies[i - frame->rod_count].energy;
        sum.kinetic += e.kinetic;
        sum.bend += e.bend;
        sum.twist += e.twist;
        sum.stretch += e.stretch;
        sum.gravity += e.gravity;
    }
    return sum;
}

static void report_rod(RodReport* r, const CordFrame* frame, int index)
{
    r->rod = frame->rods[index];
    r->energy = frame->energy[index];
    r->stretch = frame->stretch[index];
    r->twist = frame->twist[index];
    r->adapt = adaptive_rod(frame, index);
    r->length = r->mass = NAN;
    r->tension_least = INFINITY;
    r->tension_greatest = -INFINITY;
    for (int k = 0; k < r->rod.edge_count; k++) {
        double tension = frame->tension[r->rod.first_edge + k];
        r->tension_least = fmin(r->tension_least, tension);
        r->tension_greatest = fmax(r->tension_greatest, tension);
    }
}

// ---- nodes

typedef struct Places { // along a rod, ascending
    const double* arc;  // [m] (count)
    int count;
    double slack; // places closer than this are the same [m]
} Places;

// Is a place between the two, and equal to neither?
static bool has_between(const Places* p, double low, double high)
{
    int first = 0, end = p->count;
    while (first < end) {
        int middle = first + (end - first) / 2;
        if (p->arc[middle] > low + p->slack) {
            end = middle;
        } else {
            first = middle + 1;
        }
    }
    return first < p->count && p->arc[first] < high - p->slack;
}

static bool has(const Places* p, double arc)
{
    return has_between(p, arc - 2.0 * p->slack, arc + 2.0 * p->slack);
}

typedef bool Change(CordWorld* world, CordRodId rod, const Places* wanted, const double* arc);

// Both run from the end, so that the indices still to come stay valid. True: something has changed.
static bool halve(CordWorld* world, CordRodId rod, const Places* wanted, const double* arc)
{
    bool changed = false;
    int nodes = cord_rod_node_count(world, rod);
    double length = cord_rod_length(world, rod);
    for (int j = cord_rod_edge_count(world, rod) - 1; j >= 0; j--) {
        double end = j + 1 < nodes ? arc[j + 1] : length;
        changed = (has_between(wanted, arc[j], end) && cord_rod_refine(world, rod, j) == CORD_OK) || changed;
    }
    return changed;
}

static bool merge(CordWorld* world, CordRodId rod, const Places* wanted, const double* arc)
{
    bool changed = false;
    for (int i = cord_rod_node_count(world, rod) - 1; i >= 0; i--) {
        changed = (!has(wanted, arc[i]) && cord_rod_merge(world, rod, i) == CORD_OK) || changed;
    }
    return changed;
}

static double* arcs_of(const CordWorld* world, CordRodId rod)
{
    double* arc = heap_take((size_t)cord_rod_node_count(world, rod), sizeof *arc);
    cord_rod_arcs(world, rod, arc);
    return arc;
}

static void change_all(CordWorld* world, CordRodId rod, const Places* wanted, Change* change)
{
    bool changed = true;
    while (changed) {
        double* arc = arcs_of(world, rod);
        changed = change(world, rod, wanted, arc);
        free(arc);
    }
}

static bool has_all(const CordWorld* world, CordRodId rod, const Places* wanted)
{
    double* arc = arcs_of(world, rod);
    bool good = cord_rod_node_count(world, rod) == wanted->count;
    for (int i = 0; good && i < wanted->count; i++) {
        good = fabs(arc[i] - wanted->arc[i]) < wanted->slack;
    }
    free(arc);
    return good;
}

// Halves and merges elements until the rod has the `count` nodes at these rest lengths from its start [m], as
// the adaptive rod of the frame. Contact must be off. False: it cannot.
static bool rod_nodes_take(CordWorld* world, CordRodId rod, const double* arc, int count)
{
    const Places wanted = {arc, count, 1e-9 * cord_rod_length(world, rod)};
    change_all(world, rod, &wanted, halve);
    change_all(world, rod, &wanted, merge);
    return has_all(world, rod, &wanted);
}

// ---- rods and bodies

// Does the world's rod have the frame's nodes, or can it be given them?
static bool has_nodes(const RodReport* r, const CordFrame* frame, CordWorld* world, CordRodId rod,
                      bool moves_world)
{
    if (moves_world && r->adapt.count > 0) {
        return rod_nodes_take(world, rod, frame->arc + r->rod.first_node, r->rod.node_count);
    }
    return cord_rod_node_count(world, rod) == r->rod.node_count;
}

// A frame holds no masses. They come from a world of the same scene, moved to the frame.
static void report_masses(RodReport* r, const CordFrame* frame, CordWorld* world, CordRodId rod,
                          bool moves_world)
{
    if (!has_nodes(r, frame, world, rod, moves_world)) {
        return; // the recording is of another scene
    }
    r->length = cord_rod_length(world, rod);
    r->mass = cord_rod_mass(world, rod);
    r->has_momentum =
        !moves_world || (cord_rod_set_positions(world, rod, frame->x + r->rod.first_node) == CORD_OK &&
                         cord_rod_set_velocities(world, rod, frame->v + r->rod.first_node) == CORD_OK);
    if (r->has_momentum) {
        r->momentum = cord_rod_momentum(world, rod);
    }
}

// v keeps its components along the axes of a body whose rotation goes from `from` to `to`.
static CordVec3 rotate_between(CordQuat from, CordQuat to, CordVec3 v)
{
    return cord_quat_rotate(to, cord_quat_rotate(cord_quat_inverse(from), v));
}

// A frame holds no inertia either. The world's body has its initial pose, so the spin is rotated from the
// frame's pose into that one, where it has the same components along the body's axes, and the momentum is
// rotated back.
static void report_body(BodyReport* b, CordWorld* world, CordBodyId id)
{
    CordVec3 place;
    CordQuat pose;
    const CordFrameBody* body = &b->body;
    b->has_momentum = cord_body_pose(world, id, &place, &pose) == CORD_OK &&
                      cord_body_set_velocity(world, id, (CordVec3){1, 0, 0}, (CordVec3){0}) == CORD_OK;
    if (!b->has_momentum) {
        return;
    }
    b->mass = cord_body_momentum(world, id).linear.x; // at 1 m/s
    cord_body_set_velocity(world, id, body->velocity, rotate_between(body->rotation, pose, body->spin));
    CordMomentum there = cord_body_momentum(world, id);
    CordVec3 own = cord_vec3_sub(there.angular, cord_vec3_cross(place, there.linear)); // about its centre
    b->momentum = (CordMomentum){there.linear, cord_vec3_cross(body->position, there.linear), body->position};
    b->momentum.angular = cord_vec3_add(b->momentum.angular, rotate_between(pose, body->rotation, own));
}

// Welded rods and bodies cannot be moved one by one. Without welds a rod has its whole mass, also the share
// that it gave to joints.
static void world_unweld(CordWorld* world)
{
    for (int i = cord_world_weld_count(world) - 1; i >= 0; i--) {
        cord_weld_destroy(world, cord_world_weld(world, i));
    }
}

static void add_momentum(Report* report, bool known, CordMomentum momentum, double mass, double* sum)
{
    report->has_momentum = report->has_momentum && known;
    CordMomentum* all = &report->momentum;
    all->linear = cord_vec3_add(all->linear, momentum.linear);
    all->angular = cord_vec3_add(all->angular, momentum.angular);
    all->center = cord_vec3_madd(all->center, momentum.center, mass);
    *sum += mass;
}

static void report_sum(Report* report)
{
    double mass = 0.0;
    report->has_momentum = true;
    for (int i = 0; i < report->rod_count; i++) {
        const RodReport* r = &report->rods[i];
        report->stretch = isnan(r->stretch) ? NAN : fmax(report->stretch, r->stretch);
        add_momentum(report, r->has_momentum, r->momentum, r->mass, &mass);
    }
    for (int i = 0; i < report->body_count; i++) {
        const BodyReport* b = &report->bodies[i];
        if (!b->is_joint) {
            add_momentum(report, b->has_momentum, b->momentum, b->mass, &mass);
        }
    }
    report->momentum.center = cord_vec3_scale(report->momentum.center, 1.0 / mass);
}

void report_make(Report* report, const CordFrame* frame, CordWorld* world, bool moves_world)
{
    *report = (Report){.time = frame->time,
                       .steps = frame->steps,
                       .rod_count = frame->rod_count,
                       .node_count = frame->node_count,
                       .edge_count = frame->edge_count,
                       .body_count = frame->body_count,
                       .obstacle_count = frame->obstacle_count,
                       .contact_count = frame->contact_count,
                       .surface_count = frame->surface_count,
                       .energy = report_energy(frame)};
    report->rods = heap_take((size_t)frame->rod_count, sizeof *report->rods);
    report->bodies = heap_take((size_t)frame->body_count, sizeof *report->bodies);
    report->obstacles = heap_take((size_t)frame->obstacle_count, sizeof *report->obstacles);
    report->surfaces = heap_take((size_t)frame->surface_count, sizeof *report->surfaces);
    for (int i = 0; i < frame->body_count; i++) {
        bool is_joint = !(frame->bodies[i].solid.size.x > 0.0);
        report->bodies[i] = (BodyReport){.body = frame->bodies[i], .is_joint = is_joint, .mass = NAN};
    }
    for (int i = 0; i < frame->obstacle_count; i++) {
        report->obstacles[i] = frame->obstacles[i];
    }
    for (int i = 0; i < frame->surface_count; i++) {
        report->surfaces[i] = frame->surfaces[i];
    }
    double pairs = 0.0;
    for (int i = 0; i < frame->rod_count; i++) {
        RodReport* r = &report->rods[i];
        report_rod(r, frame, i);
        r->knot = -1;
        r->writhe = NAN;
        if (r->rod.network) { // not a curve
            continue;
        }
        pairs += 0.5 * (double)r->rod.edge_count * (double)r->rod.edge_count;
        bool skip = pairs > writhe_pairs_most;
        const CordVec3* x = frame->x + r->rod.first_node;
        r->knot = skip ? -1 : cord_polygon_knot(x, r->rod.node_count, r->rod.closed);
        r->writhe = skip ? NAN : cord_polygon_tailed_writhe(x, r->rod.node_count, r->rod.closed);
        report->writhe_skipped = report->writhe_skipped || skip;
    }
    report->distance = distance_least(frame);
    // From here on the world is used. A frame that is the world's own becomes invalid.
    if (world) {
        world_unweld(world);
    }
    if (world && moves_world) {
        CordContactDef off = cord_contact_def_default();
        off.on = false; // contact could refuse the frame's nodes, and would be searched for after each move
        cord_world_set_contact(world, &off);
    }
    for (int i = 0; world && i < report->rod_count; i++) {
        report_masses(&report->rods[i], frame, world, cord_world_rod(world, i), moves_world);
    }
    bool same = world && cord_world_body_count(world) == report->body_count;
    for (int i = 0; same && i < report->body_count; i++) {
        report_body(&report->bodies[i], world, cord_world_body(world, i));
    }
    report_sum(report);
}

void report_free(Report* report)
{
    free(report->rods);
    free(report->bodies);
    free(report->obstacles);
    free(report->surfaces);
    *report = (Report){0};
}
