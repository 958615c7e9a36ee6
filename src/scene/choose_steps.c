// Which rods Newton's method steps, whatever integrator the scene asks for. This needs the whole scene, and
// follows the world, which decides it (world/contact.c).
#include "scene/values.h"

bool is_implicit_def(const CordRodDef* def)
{
    return def->integrator == CORD_INTEGRATOR_MIDPOINT || def->integrator == CORD_INTEGRATOR_BACKWARD_EULER;
}

// With contact, rods that are joined or implicit and bodies that can be touched make one system of all rods.
// Impact zones do not take such a scene, and the world refuses it.
static bool is_one_system(const CordScene* scene)
{
    bool together = false;
    for (int i = 0; i < scene->rod_count; i++) {
        together = together || scene->rods[i].joined_count > 0 || is_implicit_def(&scene->rods[i].def);
    }
    for (int i = 0; i < scene->body_count; i++) {
        together = together || !scene->bodies[i].def.intangible;
    }
    return together && scene->contact.on && scene->contact.response != CORD_RESPONSE_ZONES;
}

static const char* cause_of(const SceneRod* rod)
{
    return rod->joined_count > 0 ? "the rod is welded or joined"
                                 : "the rod shares its contacts with bodies, or with rods that are welded, "
                                   "joined or implicit";
}

// ---- position-based rods

static void choose_for_pbd(Reader* r, SceneRod* rod, bool noted)
{
    rod->def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    if (!noted && json_member(rod->at, "pbd")) {
        member_warning(r, rod->at, "pbd",
                       "is not used: %s, so its steps are of backward Euler by Newton's method; leave it out",
                       cause_of(rod));
    }
}

// ---- explicit rods

// All rods that are welded or joined must have one integrator.
static CordIntegrator integrator_of_joined(const CordScene* scene)
{
    bool backward = false;
    for (int i = 0; i < scene->rod_count; i++) {
        const SceneRod* rod = &scene->rods[i];
        bool positions = rod->def.model == CORD_MODEL_PBD && !is_implicit_def(&rod->def);
        backward |=
            rod->joined_count > 0 && (positions || rod->def.integrator == CORD_INTEGRATOR_BACKWARD_EULER);
    }
    return backward ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_MIDPOINT;
}

static bool may_become_implicit(const CordRodDef* def) // else the world refuses it
{
    bool printed = def->model == CORD_MODEL_CORDE && def->corde.printed_strain;
    return (def->model == CORD_MODEL_DER || def->model == CORD_MODEL_CORDE) && !printed;
}

// A rod with welds is made with that integrator: welds are made before contact is turned on, and until then
// the world would keep it explicit.
static void choose_for_explicit(Reader* r, SceneRod* rod, CordIntegrator joined, bool noted)
{
    rod->def.integrator = rod->joined_count > 0 ? joined : CORD_INTEGRATOR_MIDPOINT;
    rod->integrator = rod->joined_count > 0 ? rod->def.integrator : rod->integrator;
    if (!noted && json_member(rod->at, "integrator")) {
        const char* word = rod->def.integrator == CORD_INTEGRATOR_MIDPOINT ? "implicit" : "backward_euler";
        member_warning(
            r, rod->at, "integrator",
            "is taken to be \"%s\": contact is on, and %s; write \"%s\" to say so, or leave it out", word,
            cause_of(rod), word);
    }
}

void choose_steps(Reader* r)
{
    CordScene* scene = r->scene;
    bool all = is_one_system(scene);
    CordIntegrator joined = integrator_of_joined(scene);
    const JsonValue* noted = NULL; // one note for all strands of an entry
    for (int i = 0; i < scene->rod_count; i++) {
        SceneRod* rod = &scene->rods[i];
        if (is_implicit_def(&rod->def)) {
            continue;
        }
        if (rod->def.model == CORD_MODEL_PBD && (all || rod->joined_count > 0)) {
            choose_for_pbd(r, rod, noted == rod->at);
            noted = rod->at;
        } else if (all && may_become_implicit(&rod->def)) {
            choose_for_explicit(r, rod, joined, noted == rod->at);
            noted = rod->at;
        }
    }
}
