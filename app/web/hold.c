// What the user does to rods: a spring drags a node, pins hold nodes, ends are twisted.
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double turns_each_second = 2.0; // speed of an end that is twisted [turns/s]

// The hand's stiffness follows the rod: pulled away by a tenth of the rod's length, the hand carries ten
// times its weight, or bends it into a loop.
static const double strength = 10.0, reach = 0.1, most_strength = 40.0;

// ---- small vectors

static CordVec3 sub(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static CordVec3 unit(CordVec3 a)
{
    double length = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    return length > 0.0 ? (CordVec3){a.x / length, a.y / length, a.z / length} : (CordVec3){1, 0, 0};
}

static bool refuse(Session* s, const char* why) // always false
{
    strncpy(s->message.text, why, sizeof s->message.text - 1);
    return false;
}

static bool failed(Session* s, CordResult result)
{
    return result != CORD_OK && !refuse(s, cord_world_message(s->world));
}

// ---- rods and their nodes

static bool has_node(const Session* s, int rod, int node)
{
    return s->world && node >= 0 && node < cord_rod_node_count(s->world, cord_world_rod(s->world, rod));
}

typedef struct Node {
    CordVec3 x;
    double along; // place between the first node and the last by rest length, 0 to 1
} Node;

static double along_of(const CordFrame* frame, int rod, int node)
{
    const CordFrameRod* r = &frame->rods[rod];
    const double* arc = frame->arc ? frame->arc + r->first_node : NULL;
    int last = r->node_count > 1 ? r->node_count - 1 : 1;
    bool known = arc && isfinite(arc[node]) && arc[last] > 0.0;
    return known ? arc[node] / arc[last] : (double)node / last;
}

static Node look_at(const Session* s, int rod, int node)
{
    CordFrame frame;
    if (cord_world_frame(s->world, &frame) != CORD_OK) {
        return (Node){{0, 0, 0}, 0.0};
    }
    return (Node){frame.x[frame.rods[rod].first_node + node], along_of(&frame, rod, node)};
}

// Position of a node [m]. It does not ask for a whole frame, which takes long in a world of many rods.
static CordVec3 place_of(const Session* s, int rod, int node)
{
    CordRodId id = cord_world_rod(s->world, rod);
    CordVec3 at = {0, 0, 0}, *x = malloc(sizeof(CordVec3) * (size_t)cord_rod_node_count(s->world, id));
    if (x && cord_rod_positions(s->world, id, x) == CORD_OK) {
        at = x[node];
    }
    free(x);
    return at;
}

static int node_near(const Session* s, int rod, double along) // the node of a rod nearest to a place along it
{
    CordFrame frame;
    int nearest = 0;
    double least = INFINITY;
    int count = cord_world_frame(s->world, &frame) == CORD_OK ? frame.rods[rod].node_count : 0;
    for (int i = 0; i < count; i++) {
        double off = fabs(along_of(&frame, rod, i) - along);
        nearest = off < least ? i : nearest;
        least = fmin(off, least);
    }
    return nearest;
}

static bool is_modal(const Session* s, int rod)
{
    const CordRodDef* def = cord_scene_rod(s->scene, rod);
    return def && def->model == CORD_MODEL_MODAL;
}

static CordClampId clamp_of(const Session* s, int rod, int node,
                            CordFix* fix) // null: no clamp holds the node
{
    for (int i = 0; i < cord_world_clamp_count(s->world); i++) {
        CordClampId clamp = cord_world_clamp(s->world, i);
        CordRodId on, wanted = cord_world_rod(s->world, rod);
        int first;
        if (cord_clamp_holds(s->world, clamp) &&
            cord_clamp_at(s->world, clamp, &on, &first, fix) == CORD_OK && on.slot == wanted.slot &&
            (first == node || (hold_is_of_edge(*fix) && first + 1 == node))) {
            return clamp;
        }
    }
    return (CordClampId){0};
}

// ---- the hand

// Adaptive rods renumber their nodes, so the nodes of the hand and of pins are asked for each time.
static int hand_node(const Session* s)
{
    CordRodId rod;
    int node = s->hand.node;
    cord_load_at(s->world, s->hand.spring, &rod, &node);
    return node;
}

static int pin_node(const Session* s, const Pin* pin)
{
    CordRodId rod;
    CordFix fix;
    int node = pin->node;
    cord_clamp_at(s->world, pin->clamp, &rod, &node, &fix);
    return node;
}

static double hand_scale(const Session* s, int rod) // force that moves the rod noticeably [N]
{
    CordRodId id = cord_world_rod(s->world, rod);
    CordVec3 g = cord_world_gravity(s->world);
    double gravity = fmax(sqrt(g.x * g.x + g.y * g.y + g.z * g.z), 9.81), L = cord_rod_length(s->world, id);
    CordStiffness k = cord_rod_stiffness(s->world, id);
    double EI = fmin(isfinite(k.EI1) ? k.EI1 : 0.0, isfinite(k.EI2) ? k.EI2 : 0.0);
    return cord_rod_mass(s->world, id) * gravity + 10.0 * EI / (L * L);
}

// A small offset of the target, as of a hand that is not steady. Without it a straight rod that is pushed
// along its axis would never buckle.
static CordVec3 unsteady(const Session* s)
{
    double by = 1e-5 * cord_rod_length(s->world, cord_world_rod(s->world, s->hand.rod));
    CordVec3 to = s->hand.target;
    return (CordVec3){to.x + 0.36 * by, to.y + 0.48 * by, to.z + 0.8 * by};
}

static bool take_hand(Session* s)
{
    Hand* hand = &s->hand;
    CordRodId rod = cord_world_rod(s->world, hand->rod);
    double force = hand_scale(s, hand->rod), L = cord_rod_length(s->world, rod);
    double own = strength * force / (reach * L), K = hand->stiffness > 0.0 ? hand->stiffness : own;
    double mass = cord_rod_mass(s->world, rod) / cord_rod_node_count(s->world, rod);
    CordLoadDef def = cord_load_def_default();
    def.kind = CORD_LOAD_SPRING, def.rod = rod, def.at = cord_at_node(hand->node), def.target = unsteady(s);
    def.stiffness = K, def.damping = sqrt(K * mass), def.most = most_strength * force * K / own;
    hand->holds = !failed(s, cord_load_create(s->world, &def, &hand->spring));
    return hand->holds;
}

static void drop_hand(Session* s)
{
    if (s->hand.holds) {
        cord_load_destroy(s->world, s->hand.spring);
    }
    s->hand.holds = false;
}

// A stiffness of 0 is chosen for the rod. False: the message says why not.
WEB(web_grab) bool web_grab(Session* s, int rod, int node, double x, double y, double z, double stiffness)
{
    if (!has_node(s, rod, node)) {
        return refuse(s, "there is no such node");
    }
    drop_hand(s);
    s->hand = (Hand){.rod = rod, .node = node, .target = {x, y, z}, .stiffness = stiffness};
    return take_hand(s);
}

WEB(web_drag) bool web_drag(Session* s, double x, double y, double z)
{
    s->hand.target = (CordVec3){x, y, z};
    return s->hand.holds && !failed(s, cord_load_set_target(s->world, s->hand.spring, unsteady(s)));
}

WEB(web_release) void web_release(Session* s)
{
    drop_hand(s);
}

// Writes eleven numbers to `values`: rod, node, target, position of the node, force on it. False: the hand
// holds nothing.
WEB(web_hand) bool web_hand(Session* s, double* values)
{
    if (!s->hand.holds) {
        return false;
    }
    int node = hand_node(s);
    CordVec3 at = place_of(s, s->hand.rod, node), force, to = s->hand.target;
    cord_load_force(s->world, s->hand.spring, &force);
    double all[11] = {s->hand.rod, node, to.x, to.y, to.z, at.x, at.y, at.z, force.x, force.y, force.z};
    memcpy(values, all, sizeof all);
    return true;
}

// ---- pins

static bool hold_pin(Session* s, Pin* pin)
{
    CordClampDef def = cord_clamp_def_default();
    def.rod = cord_world_rod(s->world, pin->rod), def.at = cord_at_node(pin->node);
    def.guide = is_modal(s, pin->rod);
    return !failed(s, cord_clamp_create(s->world, &def, &pin->clamp));
}

WEB(web_pin) bool web_pin(Session* s, int rod, int node)
{
    CordFix fix;
    if (!has_node(s, rod, node)) {
        return refuse(s, "there is no such node");
    }
    if (s->pin_count == PINS_MOST) {
        return refuse(s, "there are as many pins as there may be");
    }
    if (clamp_of(s, rod, node, &fix).generation != 0) {
        return refuse(s, "a clamp holds the rod there already");
    }
    Node at = look_at(s, rod, node);
    Pin pin = {.rod = rod, .node = node, .along = at.along, .at = at.x};
    if (!hold_pin(s, &pin)) {
        return false;
    }
    s->pins[s->pin_count++] = pin;
    return true;
}

static void drop_pin(Session* s, int index)
{
    cord_clamp_destroy(s->world, s->pins[index].clamp);
    s->pin_count--;
    memmove(&s->pins[index], &s->pins[index + 1], sizeof(Pin) * (size_t)(s->pin_count - index));
}

WEB(web_unpin) bool web_unpin(Session* s, int rod, int node)
{
    for (int i = 0; i < s->pin_count; i++) {
        if (s->pins[i].rod == rod && pin_node(s, &s->pins[i]) == node) {
            drop_pin(s, i);
            return true;
        }
    }
    return false;
}

WEB(web_unpin_all) void web_unpin_all(Session* s)
{
    while (s->pin_count > 0) {
        drop_pin(s, s->pin_count - 1);
    }
}

// Writes five numbers for each pin to `values`: rod, node, position. Returns how many pins there are, at most
// PINS_MOST.
WEB(web_pins) int web_pins(const Session* s, double* values)
{
    for (int i = 0; i < s->pin_count; i++) {
        const Pin* pin = &s->pins[i];
        double all[5] = {pin->rod, pin_node(s, pin), pin->at.x, pin->at.y, pin->at.z};
        memcpy(values + 5 * i, all, sizeof all);
    }
    return s->pin_count;
}

// ---- clamps of the scene

static bool is_own(const Session* s, CordClampId clamp) // the clamp of a pin or of a twist
{
    for (int i = 0; i < s->pin_count; i++) {
        if (s->pins[i].clamp.slot == clamp.slot) {
            return true;
        }
    }
    for (int i = 0; i < s->twist_count; i++) {
        if (s->twists[i].own && s->twists[i].clamp.slot == clamp.slot) {
            return true;
        }
    }
    return false;
}

// Writes the scene's clamps to `values`, as web_pins does; none if there are more than PINS_MOST.
WEB(web_clamps) int web_clamps(const Session* s, double* values)
{
    int count = 0, all = cord_world_clamp_count(s->world);
    for (int i = 0; i < all && all <= PINS_MOST; i++) {
        CordClampId clamp = cord_world_clamp(s->world, i);
        CordRodId on;
        CordFix fix;
        int node, rod = 0;
        if (!cord_clamp_holds(s->world, clamp) || is_own(s, clamp) ||
            cord_clamp_at(s->world, clamp, &on, &node, &fix) != CORD_OK) {
            continue;
        }
        while (cord_world_rod(s->world, rod).slot != on.slot) {
            rod++;
        }
        bool last = hold_is_of_edge(fix) && node == cord_rod_node_count(s->world, on) - 2;
        CordVec3 x = place_of(s, rod, last ? node + 1 : node);
        double numbers[5] = {rod, node, x.x, x.y, x.z};
        memcpy(values + 5 * count++, numbers, sizeof numbers);
    }
    return count;
}

// ---- ends that are twisted

static CordVec3 end_axis(const Session* s, int rod, bool at_end)
{
    CordRodId id = cord_world_rod(s->world, rod);
    CordFrame frame;
    if (cord_world_frame(s->world, &frame) != CORD_OK) {
        return (CordVec3){1, 0, 0};
    }
    const CordVec3* x = frame.x + frame.rods[rod].first_node;
    int last = cord_rod_node_count(s->world, id) - 1, first = at_end ? last - 1 : 0;
    return unit(sub(x[first + 1], x[first]));
}

static bool take_end(Session* s, Twist* t)
{
    CordRodId rod = cord_world_rod(s->world, t->rod);
    CordFix fix;
    int node = t->at_end ? cord_rod_node_count(s->world, rod) - 1 : 0;
    CordClampId held = clamp_of(s, t->rod, node, &fix);
    t->axis = end_axis(s, t->rod, t->at_end);
    if (held.generation != 0 && fix == CORD_FIX_FRAME) {
        t->clamp = held, t->own = false;
        return true;
    }
    if (held.generation != 0) {
        if (!web_unpin(s, t->rod, node)) { // the pin gives way to the twist
            return refuse(s, "a clamp of the scene holds this end, and lets it turn as it likes");
        }
    }
    CordClampDef def = cord_clamp_def_default();
    def.rod = rod, def.at = t->at_end ? cord_at_end() : cord_at_start(), def.fix = CORD_FIX_FRAME;
    t->own = true, t->began = t->turned;
    return !failed(s, cord_clamp_create(s->world, &def, &t->clamp));
}

static Twist* find_twist(Session* s, int rod, bool at_end)
{
    for (int i = 0; i < s->twist_count; i++) {
        if (s->twists[i].rod == rod && s->twists[i].at_end == at_end) {
            return &s->twists[i];
        }
    }
    return NULL;
}

WEB(web_twist) bool web_twist(Session* s, int rod, bool at_end, double turns)
{
    Twist* t = find_twist(s, rod, at_end);
    if (!t) {
        Twist taken = {.rod = rod, .at_end = at_end};
        bool fits = has_node(s, rod, 0) && s->twist_count < TWISTS_MOST && !is_modal(s, rod);
        if (!fits || cord_scene_rod(s->scene, rod)->closed) {
            return refuse(s, "only an end of an open rod that is not modal can be twisted");
        }
        if (!take_end(s, &taken)) {
            return false;
        }
        t = &s->twists[s->twist_count++];
        *t = taken;
    }
    t->wanted = isfinite(turns) ? turns : t->wanted;
    return true;
}

// Lets go of an end that a twist holds; an end that the scene holds turns back.
WEB(web_untwist) void web_untwist(Session* s, int rod, bool at_end)
{
    Twist* t = find_twist(s, rod, at_end);
    if (t && !t->own) {
        t->wanted = 0.0;
    } else if (t) {
        cord_clamp_destroy(s->world, t->clamp);
        *t = s->twists[--s->twist_count];
    }
}

// Writes three numbers for each twisted end to `values`: rod, 1 at the rod's last node or 0 at its first,
// wanted turns. Returns how many ends there are, at most TWISTS_MOST.
WEB(web_twists) int web_twists(const Session* s, double* values)
{
    int count = 0;
    for (int i = 0; i < s->twist_count; i++) {
        const Twist* t = &s->twists[i];
        if (t->own || t->wanted != 0.0) { // a scene's clamp that turned back is no twist
            double all[3] = {t->rod, t->at_end, t->wanted};
            memcpy(values + 3 * count++, all, sizeof all);
        }
    }
    return count;
}

bool hold_is_turning(const Session* s)
{
    for (int i = 0; i < s->twist_count; i++) {
        if (s->twists[i].turned != s->twists[i].wanted) {
            return true;
        }
    }
    return false;
}

static void turn_end(const Session* s, const Twist* t)
{
    double angle = 2.0 * 3.14159265358979323846 * (t->turned - t->began);
    cord_clamp_move(s->world, t->clamp, (CordVec3){0, 0, 0}, cord_quat_about(t->axis, angle));
}

void hold_turn(Session* s, double h, double* turned)
{
    for (int i = 0; i < s->twist_count; i++) {
        Twist* t = &s->twists[i];
        turned[i] = t->turned;
        double left = t->wanted - t->turned, most = turns_each_second * h;
        if (left != 0.0) {
            t->turned = fabs(left) <= most ? t->wanted : t->turned + copysign(most, left);
            turn_end(s, t);
        }
    }
}

void hold_unturn(Session* s, const double* turned)
{
    for (int i = 0; i < s->twist_count; i++) {
        if (s->twists[i].turned != turned[i]) {
            s->twists[i].turned = turned[i];
            turn_end(s, &s->twists[i]);
        }
    }
}

// ---- another world with the same rods

// Turns the ends that the scene's clamps hold before the state is carried over, so that their material frames
// agree with that state.
static void turn_scene_ends(Session* s, const Session* from)
{
    for (int i = 0; i < from->twist_count; i++) {
        Twist t = from->twists[i];
        CordFix fix;
        int node = t.at_end ? cord_rod_node_count(s->world, cord_world_rod(s->world, t.rod)) - 1 : 0;
        CordClampId held = clamp_of(s, t.rod, node, &fix);
        if (!t.own && held.generation != 0 && fix == CORD_FIX_FRAME && !is_modal(s, t.rod)) {
            t.clamp = held;
            s->twists[s->twist_count++] = t;
            turn_end(s, &t);
        }
    }
}

static void take_ends(Session* s, const Session* from)
{
    for (int i = 0; i < from->twist_count; i++) {
        Twist t = from->twists[i];
        if (t.own && !is_modal(s, t.rod) && take_end(s, &t)) {
            s->twists[s->twist_count++] = t;
        }
    }
}

static void take_pins(Session* s, const Session* from)
{
    for (int i = 0; i < from->pin_count; i++) {
        Pin pin = from->pins[i];
        CordFix fix;
        pin.node = node_near(s, pin.rod, pin.along);
        if (clamp_of(s, pin.rod, pin.node, &fix).generation == 0 && hold_pin(s, &pin)) {
            s->pins[s->pin_count++] = pin;
        }
    }
}

bool hold_carry(Session* s, const Session* from)
{
    turn_scene_ends(s, from);
    if (failed(s, cord_world_carry(s->world, from->world))) {
        return false;
    }
    CordContact deepest; // thicker rods may overlap
    if (cord_world_contact_def(s->world).on && cord_world_overlaps(s->world, &deepest) &&
        failed(s, cord_world_untangle(s->world))) {
        return false;
    }
    take_pins(s, from);
    take_ends(s, from);
    if (from->hand.holds) {
        double along = look_at(from, from->hand.rod, hand_node(from)).along;
        s->hand = from->hand;
        s->hand.node = node_near(s, s->hand.rod, along);
        take_hand(s);
    }
    return true;
}
