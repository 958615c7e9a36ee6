#include "contact/surface_law.h"

#include "base/real.h"

#define LEAST_SHARE 1e-3 // of an axis: below it there is no couple about it

static const CordSurfacePair* find_pair(const SurfaceLaws* law, int p, int q)
{
    for (int i = 0; i < law->pair_count; i++) {
        const int* s = law->pairs[i].surface;
        if ((s[0] == p && s[1] == q) || (s[0] == q && s[1] == p)) {
            return &law->pairs[i];
        }
    }
    return NULL;
}

static const ContactSurface* segment_surface(const Colliders* cs, int segment, double s)
{
    const Segment* g = &cs->segments[segment];
    return rod_surface_at(cs->rods[g->rod].rod, g->arc[0] + s * (g->arc[1] - g->arc[0]));
}

SurfacePair contact_point_surfaces(const Colliders* cs, const ContactPoint* contact)
{
    return (SurfacePair){segment_surface(cs, contact->key.a, contact->s),
                         contact->kind == CONTACT_SEGMENTS ? segment_surface(cs, contact->key.b, contact->t)
                                                           : &cs->solids[contact->key.b].surface};
}

SurfaceLaw surface_pair_law(const SurfaceLaws* law, SurfacePair of)
{
    const ContactSurface *a = of.a, *b = of.b;
    const CordSurfacePair* pair = find_pair(law, a->id, b->id);
    SurfaceLaw grip = {.shape = {.across = {a->friction_across, b->friction_across},
                                 .backward = {a->friction_backward, b->friction_backward}}};
    FrictionShape* shape = &grip.shape;
    shape->even = shape->across[0] == 1.0 && shape->across[1] == 1.0 && shape->backward[0] == 1.0 &&
                  shape->backward[1] == 1.0;
    if (pair || !isnan(law->friction)) {
        grip.mu = pair ? pair->friction : law->friction;
        grip.mu_kinetic =
            contact_surface_kinetic(grip.mu, pair ? pair->friction_kinetic : law->friction_kinetic);
    } else {
        grip.mu = sqrt(a->friction * b->friction);
        grip.mu_kinetic = sqrt(a->friction_kinetic * b->friction_kinetic);
    }
    double restitution = pair && !isnan(pair->restitution) ? pair->restitution : law->restitution;
    grip.restitution = isnan(restitution) ? real_max(a->restitution, b->restitution) : restitution;
    if (grip.mu > 0.0) { // what has no friction slides on its lever, and turns freely
        bool own = pair && !isnan(pair->rolling_friction);
        grip.rolling = own ? pair->rolling_friction : real_max(a->rolling, b->rolling);
        own = pair && !isnan(pair->spinning_friction);
        grip.spinning = own ? pair->spinning_friction : real_max(a->spinning, b->spinning);
    }
    return grip;
}

static void set_axis(TurningAxes* axes, int k, CordVec3 e, double share)
{
    bool has = share >= LEAST_SHARE;
    axes->axis[k] = vec3_mul(e, has ? share : 0.0);
    axes->dual[k] = vec3_mul(e, has ? 1.0 / share : 0.0);
}

// About a tangent e a rod's share is the square of its axis' part along it. That of two parallel rods is the
// larger one about both their axes, and none across.
TurningAxes contact_point_turning_axes(const Colliders* cs, const ContactPoint* contact)
{
    bool rods = contact->kind == CONTACT_SEGMENTS,
         body = !rods && cs->solids[contact->key.b].kind == CORD_TOUCH_BODY;
    CordVec3 n = contact->n, a = contact->axis[0], b = rods ? contact->axis[1] : (CordVec3){0, 0, 0},
             p = vec3_reject(a, n), q = vec3_reject(b, n),
             sum = vec3_dot(p, q) < 0.0 ? vec3_sub(p, q) : vec3_add(p, q);
    double size = vec3_length(sum), crossing = vec3_length(vec3_cross(p, q));
    CordVec3 e[2] = {size > LEAST_SHARE ? vec3_mul(sum, 1.0 / size) : vec3_any_normal(n)};
    e[1] = vec3_cross(n, e[0]);
    TurningAxes axes;
    set_axis(&axes, 0, n, body ? 1.0 : real_min(1.0, fabs(vec3_dot(a, n)) + fabs(vec3_dot(b, n)) + crossing));
    for (int k = 0; k < 2; k++) {
        double s = vec3_dot(p, e[k]), t = vec3_dot(q, e[k]);
        set_axis(&axes, 1 + k, e[k], body ? 1.0 : sqrt(real_min(1.0, s * s + t * t)));
    }
    return axes;
}

Rebound surface_rebound(const SurfaceLaws* laws, const SurfaceLaw* law, CordVec3 n, CordVec3 velocity,
                        CordVec3 kick, double gap, double h)
{
    double e = law->restitution, v = vec3_dot(n, velocity),
           parts = h * (real_min(0.0, vec3_dot(n, kick)) - e * v);
    bool hits = e > 0.0 && -v > laws->impact_speed && gap + h * v <= 0.0 && parts > 0.0;
    return hits ? (Rebound){parts, vec3_mul(vec3_reject(velocity, n), e * h)} : (Rebound){0};
}

double friction_coefficient(const SurfaceLaws* law, const SurfaceLaw* grip, CordVec3 n, CordVec3 velocity)
{
    return vec3_length(vec3_reject(velocity, n)) > law->stick_speed ? grip->mu_kinetic : grip->mu;
}

// Length of rod that a contact with a solid stands for [m]: half of each piece that meets there, or the piece
// that is touched between its ends.
static double contact_length(const Colliders* cs, const ContactPoint* contact)
{
    double sum = 0.0;
    bool inside = contact->s > 0.0 && contact->s < 1.0;
    int side = contact->s > 0.0 ? 1 : -1,
        segments[2] = {contact->key.a, inside ? -1 : colliders_neighbour(cs, contact->key.a, side)};
    for (int k = 0; k < 2 && segments[k] >= 0; k++) {
        const Segment* g = &cs->segments[segments[k]];
        sum += (inside ? 1.0 : 0.5) * (g->arc[1] - g->arc[0]) /
               colliders_pieces(cs, segments[k], contact->key.b);
    }
    return sum;
}

ContactSpring contact_point_spring(const Colliders* cs, const ContactPoint* contact, double gap, double h)
{
    const ColliderSolid* s = contact->kind == CONTACT_SEGMENTS ? NULL : &cs->solids[contact->key.b];
    if (!s || !solid_is_compliant(s)) {
        return (ContactSpring){0};
    }
    double length = contact_length(cs, contact), k = s->stiffness * length, c = s->damping * length / h;
    return (ContactSpring){1.0 / (k + c), c / (k + c) * real_min(0.0, gap)};
}

// Anisotropy of one rod's surface for a friction force on it in the unit direction e. The force is opposite
// to the slip: it points backwards where the surface slides forwards.
static double anisotropy(CordVec3 axis, double across, double backward, CordVec3 e)
{
    double c = vec3_dot(axis, e), along = c > 0.0 ? backward * c : c;
    return across == 1.0 && backward == 1.0
               ? 1.0
               : sqrt(along * along + across * across * real_max(0.0, 1.0 - c * c));
}

double friction_anisotropy(const CordVec3 axis[2], const FrictionShape* shape, int sides, CordVec3 e)
{
    double a = anisotropy(axis[0], shape->across[0], shape->backward[0], e);
    return sides == 2 ? sqrt(a * anisotropy(axis[1], shape->across[1], shape->backward[1], vec3_mul(e, -1.0)))
                      : a;
}

CordVec3 friction_within_cone(const CordVec3 axis[2], const FrictionShape* shape, int sides,
                              CordVec3 friction, double most)
{
    double size = vec3_length(friction);
    if (size > 0.0 && !shape->even) {
        most *= friction_anisotropy(axis, shape, sides, vec3_mul(friction, 1.0 / size));
    }
    return size > most ? vec3_mul(friction, most / size) : friction;
}
