// Values of contact that have no effect in their scene. A table says of each key when that is, why, and what
// to do about it; the first row of a key that holds is told. This needs the steps of all rods, and no world.
#include "scene/values.h"

#include <math.h>
#include <string.h>

typedef struct SurfaceUse { // what is made of a surface, of all that takes part in contact
    bool on_rod, on_solid;
    bool turns; // it is on a rod whose frames have inertia
} SurfaceUse;

typedef struct Facts { // what can act in the contact of a scene
    const CordContactDef* contact;
    SurfaceUse* surfaces; // (surface_count)
    bool by_impulses;     // some rod is corrected after its step
    bool may_sleep;       // some rod may sleep
    bool turns;           // the frames of some rod have inertia
    bool has_kinetic;     // some kinetic friction is less than the static one
    bool rebounds;        // something has a restitution
} Facts;

typedef struct Part { // an object of the scene whose keys are looked at
    const JsonValue* at;
    double friction, kinetic; // its own; NAN: not given
    int surface[2];           // of a pair; of anything else both are the same
    bool is_soft;             // an obstacle with a stiffness
    bool is_apart;            // a rod that takes no part in contact
} Part;

typedef enum Kind { OF_CONTACT, OF_PAIR, OF_MATERIAL, OF_SOLID, OF_ROD } Kind;

// ---- what can act

// Whether the frames of a rod in contact with friction have inertia. Those of implicit rods then have it.
static bool frames_turn(const CordRodDef* def)
{
    bool directors = def->model == CORD_MODEL_CORDE && def->corde.orientations == CORD_ORIENTATIONS_EXPLICIT;
    return def->model != CORD_MODEL_MODAL &&
           (is_implicit_def(def) || def->model == CORD_MODEL_PBD || def->dynamic_twist || directors);
}

static void note_law(Facts* f, double friction, double kinetic, double restitution)
{
    f->has_kinetic |= isnan(f->contact->friction) && kinetic < friction;
    f->rebounds |= isnan(f->contact->restitution) && restitution > 0.0;
}

static void note_surface(Facts* f, const CordRodDef* def, int surface, const CordMaterial* m)
{
    f->surfaces[surface].on_rod = true;
    f->surfaces[surface].turns |= frames_turn(def);
    note_law(f, m->friction, m->friction_kinetic, m->restitution);
}

static void note_rod(Facts* f, const SceneRod* rod, bool loaded)
{
    const CordRodDef* def = &rod->def;
    bool modal = def->model == CORD_MODEL_MODAL, by_impulses = modal || !is_implicit_def(def);
    if (def->intangible) {
        return;
    }
    f->by_impulses |= by_impulses;
    f->may_sleep |= by_impulses && !modal && !def->adapt.on && rod->joined_count == 0 && !loaded;
    f->turns |= frames_turn(def);
    note_surface(f, def, def->surface, &def->material);
    for (int k = 0; k < def->stretch_count; k++) {
        note_surface(f, def, def->stretches[k].surface, &def->stretches[k].material);
    }
}

static void note_rods(Facts* f, Reader* r)
{
    const CordScene* scene = r->scene;
    bool* loaded = pool_array(r->pool, bool, scene->rod_count);
    for (int i = 0; loaded && i < scene->load_count; i++) {
        const SceneLoad* load = &scene->loads[i];
        if (load->rod >= 0 && !load->is_air && load->def.kind != CORD_LOAD_DRAG) {
            loaded[load->rod] = true;
        }
    }
    for (int i = 0; loaded && i < scene->rod_count; i++) {
        note_rod(f, &scene->rods[i], loaded[i]);
    }
}

static void note_solids(Facts* f, const CordScene* scene)
{
    for (int i = 0; i < scene->obstacle_count; i++) {
        const CordObstacleDef* o = &scene->obstacles[i].def;
        f->surfaces[o->surface].on_solid = true;
        note_law(f, o->friction, o->friction_kinetic, isinf(o->stiffness) ? o->restitution : 0.0);
    }
    for (int i = 0; i < scene->body_count; i++) {
        const CordBodyDef* b = &scene->bodies[i].def;
        f->surfaces[b->surface].on_solid |= !b->intangible;
        note_law(f, b->friction, b->friction_kinetic, b->intangible ? 0.0 : b->restitution);
    }
}

// Of the values that all of `contact` gives to everything, and of its pairs.
static void note_contact(Facts* f)
{
    const CordContactDef* c = f->contact;
    f->has_kinetic = c->friction_kinetic < c->friction;
    f->rebounds = c->restitution > 0.0;
    for (int i = 0; i < c->pair_count; i++) {
        f->has_kinetic |= c->pairs[i].friction_kinetic < c->pairs[i].friction;
        f->rebounds |= c->pairs[i].restitution > 0.0;
    }
}

// ---- when a value has no effect

static bool is_zones(const Facts* f, const Part* p)
{
    (void)p;
    return f->contact->response == CORD_RESPONSE_ZONES && f->by_impulses;
}

static bool is_implicit(const Facts* f, const Part* p)
{
    (void)p;
    return !f->by_impulses;
}

static bool is_zones_of_implicit(const Facts* f, const Part* p)
{
    return f->contact->response == CORD_RESPONSE_ZONES && is_implicit(f, p);
}

static bool never_sleeps(const Facts* f, const Part* p)
{
    (void)p;
    return !f->may_sleep;
}

static bool has_no_budget(const Facts* f, const Part* p)
{
    (void)f;
    const JsonValue* budget = json_member(p->at, "budget");
    return budget->kind == JSON_OBJECT && budget->count == 0;
}

static bool has_no_kinetic(const Facts* f, const Part* p)
{
    (void)p;
    return !f->has_kinetic;
}

static bool has_no_rebound(const Facts* f, const Part* p)
{
    (void)p;
    return !f->rebounds;
}

static bool is_only_static(const Facts* f, const Part* p)
{
    return is_zones(f, p) && p->kinetic < p->friction;
}

static bool has_one_friction(const Facts* f, const Part* p)
{
    (void)p;
    return !isnan(f->contact->friction);
}

static bool has_one_restitution(const Facts* f, const Part* p)
{
    (void)p;
    return !isnan(f->contact->restitution);
}

static bool is_soft(const Facts* f, const Part* p)
{
    (void)f;
    return p->is_soft;
}

static bool is_apart(const Facts* f, const Part* p)
{
    (void)f;
    return p->is_apart;
}

// Surfaces without friction turn freely. What a pair has of friction may be more than its materials have.
static bool is_smooth(const Facts* f, const Part* p)
{
    bool everywhere = f->contact->friction == 0.0;
    return f->contact->pair_count == 0 && (everywhere || (isnan(f->contact->friction) && p->friction == 0.0));
}

static bool is_smooth_pair(const Facts* f, const Part* p)
{
    (void)f;
    return p->friction == 0.0;
}

static bool turns_with(const Facts* f, int surface) // a contact of it has a couple
{
    const SurfaceUse* use = &f->surfaces[surface];
    return use->turns || (use->on_solid && f->turns);
}

static bool never_turns(const Facts* f, const Part* p)
{
    return !turns_with(f, p->surface[0]) || !turns_with(f, p->surface[1]);
}

// ---- the table

typedef struct Idle {
    Kind kind;
    const char* key;
    bool (*holds)(const Facts* f, const Part* p);
    const char* text; // after the path of the value
} Idle;

#define FRICTION_OF_CONTACT                                                                                  \
    "has no effect, since the friction of contact is that of everything; leave one of them out"
#define RESTITUTION_OF_CONTACT                                                                               \
    "has no effect, since the restitution of contact is that of everything; leave one of them out"
#define STATIC_ALONE                                                                                         \
    "has no effect: impact zones have kinetic friction alone; write that as the friction, or choose the "    \
    "response \"impulses\""
#define ALONG_ALONE                                                                                          \
    "has no effect: impact zones have the same friction in all directions; leave it out, or choose the "     \
    "response \"impulses\""
#define SMOOTH                                                                                               \
    "has no effect, since surfaces without friction turn freely; write a friction above 0, or leave it out"
#define NO_TURNS                                                                                             \
    "has no effect: no frame of a rod that it acts on turns with inertia; set \"dynamic_twist\": true on "   \
    "such rods (modal ones have none), or leave it out"
#define OF_ZONES "has no effect, since contact is solved by zones; leave it out"

#define ALL_IMPLICIT "has no effect, since every rod is stepped implicitly; leave it out"

static const Idle idles[] = {
    {OF_CONTACT, "response", is_zones_of_implicit,
     "is of explicit and position-based rods, and every rod is stepped implicitly, so it has no effect; "
     "leave it out"},
    {OF_CONTACT, "iterations", is_implicit, ALL_IMPLICIT},
    {OF_CONTACT, "budget", is_zones, OF_ZONES},
    {OF_CONTACT, "budget", is_implicit, ALL_IMPLICIT},
    {OF_CONTACT, "budget", has_no_budget,
     "limits nothing; write what contact may cost in a step, such as { \"iterations\": 20 }, or leave it "
     "out"},
    {OF_CONTACT, "sleep", is_zones, OF_ZONES},
    {OF_CONTACT, "sleep", never_sleeps,
     "has no effect, since no rod of the scene may sleep: each is modal, adaptive, welded or joined, out of "
     "contact, stepped implicitly or has a load other than drag; leave it out"},
    {OF_CONTACT, "friction", is_only_static, STATIC_ALONE},
    {OF_CONTACT, "stick_speed", is_zones, OF_ZONES},
    {OF_CONTACT, "stick_speed", has_no_kinetic,
     "has no effect, since no kinetic friction is less than its static one; write a friction_kinetic, or "
     "leave it out"},
    {OF_CONTACT, "impact_speed", has_no_rebound,
     "has no effect, since nothing rebounds; write a restitution above 0, or leave it out"},
    {OF_PAIR, "friction", is_only_static, STATIC_ALONE},
    {OF_PAIR, "rolling_friction", is_smooth_pair, SMOOTH},
    {OF_PAIR, "rolling_friction", never_turns, NO_TURNS},
    {OF_PAIR, "spinning_friction", is_smooth_pair, SMOOTH},
    {OF_PAIR, "spinning_friction", never_turns, NO_TURNS},
    {OF_MATERIAL, "friction", is_only_static, STATIC_ALONE},
    {OF_MATERIAL, "friction_across", is_zones, ALONG_ALONE},
    {OF_MATERIAL, "friction_backward", is_zones, ALONG_ALONE},
    {OF_MATERIAL, "rolling_friction", is_smooth, SMOOTH},
    {OF_MATERIAL, "rolling_friction", never_turns, NO_TURNS},
    {OF_MATERIAL, "spinning_friction", is_smooth, SMOOTH},
    {OF_MATERIAL, "spinning_friction", never_turns, NO_TURNS},
    {OF_SOLID, "friction", has_one_friction, FRICTION_OF_CONTACT},
    {OF_SOLID, "friction", is_only_static, STATIC_ALONE},
    {OF_SOLID, "friction_kinetic", has_one_friction, FRICTION_OF_CONTACT},
    {OF_SOLID, "restitution", is_soft,
     "has no effect, since an obstacle with a stiffness rebounds by its spring; leave one of them out"},
    {OF_SOLID, "restitution", has_one_restitution, RESTITUTION_OF_CONTACT},
    {OF_SOLID, "rolling_friction", is_smooth, SMOOTH},
    {OF_SOLID, "rolling_friction", never_turns, NO_TURNS},
    {OF_SOLID, "spinning_friction", is_smooth, SMOOTH},
    {OF_SOLID, "spinning_friction", never_turns, NO_TURNS},
    {OF_ROD, "stretches", is_apart,
     "has no effect, since the rod takes no part in contact, and a stretch differs in friction alone; leave "
     "it out, or let the rod have contact"},
};

#define IDLES ((int)(sizeof idles / sizeof *idles))

// What is turned off by false has no effect on purpose.
static void look_at(Reader* r, const Facts* f, Kind kind, const Part* p)
{
    const char* told = ""; // the key whose row held last
    for (int i = 0; i < IDLES && p->at && p->at->kind == JSON_OBJECT; i++) {
        const Idle* d = &idles[i];
        const JsonValue* value = d->kind == kind ? json_member(p->at, d->key) : NULL;
        if (value && value->kind != JSON_BOOL && strcmp(told, d->key) != 0 && d->holds(f, p)) {
            told = d->key;
            reader_warning(r, value, "%s", d->text);
        }
    }
}

// ---- the parts of a scene

static void look_at_contact(Reader* r, const Facts* f, const JsonValue* contact)
{
    const CordContactDef* c = f->contact;
    Part whole = {.at = contact, .friction = c->friction, .kinetic = c->friction_kinetic};
    look_at(r, f, OF_CONTACT, &whole);
    const JsonValue* entry = c->pair_count > 0 ? json_member(contact, "pairs")->first : NULL;
    for (int i = 0; i < c->pair_count; i++, entry = entry->next) {
        const CordSurfacePair* pair = &c->pairs[i];
        look_at(r, f, OF_PAIR,
                &(Part){.at = entry,
                        .friction = pair->friction,
                        .kinetic = pair->friction_kinetic,
                        .surface = {pair->surface[0], pair->surface[1]}});
    }
}

static void look_at_material(Reader* r, const Facts* f, const JsonValue* at, int surface,
                             const CordMaterial* m)
{
    const SurfaceUse* use = &f->surfaces[surface];
    if (use->on_rod || use->on_solid) {
        double friction = use->on_solid ? NAN : m->friction; // a solid may have another friction than it
        look_at(r, f, OF_MATERIAL,
                &(Part){.at = at,
                        .friction = friction,
                        .kinetic = m->friction_kinetic,
                        .surface = {surface, surface}});
    }
}

// The materials of the scene have the first surfaces after 0.
static void look_at_materials(Reader* r, const Facts* f)
{
    const CordScene* scene = r->scene;
    const JsonValue* list = json_member(&scene->root, "materials");
    const JsonValue* key = scene->material_count > 0 ? list->first : NULL;
    for (int i = 0; i < scene->material_count; i++, key = key->next->next) {
        look_at_material(r, f, key->next, 1 + i, &scene->materials[i].material);
    }
}

static void look_at_solids(Reader* r, const Facts* f)
{
    const CordScene* scene = r->scene;
    for (int i = 0; i < scene->body_count; i++) {
        const CordBodyDef* b = &scene->bodies[i].def;
        look_at(r, f, OF_SOLID,
                &(Part){.at = scene->bodies[i].at,
                        .friction = b->friction,
                        .kinetic = b->friction_kinetic,
                        .surface = {b->surface, b->surface}});
    }
    for (int i = 0; i < scene->obstacle_count; i++) {
        const CordObstacleDef* o = &scene->obstacles[i].def;
        look_at(r, f, OF_SOLID,
                &(Part){.at = scene->obstacles[i].at,
                        .friction = o->friction,
                        .kinetic = o->friction_kinetic,
                        .surface = {o->surface, o->surface},
                        .is_soft = !isinf(o->stiffness)});
    }
}

// The rods of one entry, its strands, have the same keys.
static void look_at_rods(Reader* r, const Facts* f)
{
    const CordScene* scene = r->scene;
    for (int i = 0; i < scene->rod_count; i++) {
        const SceneRod* rod = &scene->rods[i];
        bool again = i > 0 && rod->at == rod[-1].at;
        const JsonValue* own = again ? NULL : json_member(rod->at, "material");
        if (own && own->kind == JSON_OBJECT && f->contact->on) {
            look_at_material(r, f, own, rod->def.surface, &rod->def.material);
        }
        if (!again) {
            look_at(r, f, OF_ROD, &(Part){.at = rod->at, .is_apart = rod->def.intangible || !f->contact->on});
        }
    }
}

void contact_check_inert(Reader* r)
{
    const CordScene* scene = r->scene;
    Facts f = {.contact = &scene->contact};
    f.surfaces = pool_array(r->pool, SurfaceUse, surface_count(scene));
    if (!f.surfaces) {
        return;
    }
    note_contact(&f);
    note_rods(&f, r);
    note_solids(&f, scene);
    if (scene->contact.on) {
        look_at_contact(r, &f, json_member(&scene->root, "contact"));
        look_at_materials(r, &f);
        look_at_solids(r, &f);
    }
    look_at_rods(r, &f);
}
