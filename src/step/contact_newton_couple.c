// Rolling and spinning resistance inside Newton's method: the couple of a contact, beyond that of its
// friction force. With w the turn of surface a relative to surface b in the step,
//
//   |C_t| <= b_r f_n;   rolling:  C_t = -b_r f_n w_t / |w_t|        |C_n| <= b_s f_n;   spinning likewise
//
// about the axes of the contact (TurningAxes in contact/surface_law.h), in which it has its limits. As for
// the force (contact_newton_solve.c), the couple is the fixed point of a projection, C = P(C - w / k),
// linearised in each iteration as g - C u. At its limits it follows the linearised normal force.
#include "base/real.h"
#include "step/contact_newton.h"

#include <string.h>

#define AT_LIMIT 0.999 // share of its limit at which a couple counts as one of a contact that rolls
#define FIRST_TURN 0.1 // of such a contact, over the turn by its couple: the least of the first iterate

// ---- the law

typedef struct CoupleLimits {
    double normal, tangential; // [N m]
    double force;              // normal [N]
} CoupleLimits;

// At a share of the way to the next forces, or as the forces of the iteration with fixed limits were.
static CoupleLimits limits_at(const ContactNewton* t, int i, double share)
{
    const NewtonContactPoint* p = &t->points[i];
    const NewtonCouple* k = &t->couples[i];
    double f[3], v[3];
    for (int j = 0; j < 3; j++) {
        f[j] = p->f[j] + (share > 0.0 ? share * (p->f_next[j] - p->f[j]) : 0.0);
        v[j] = p->v[j] + (share > 0.0 ? share * (p->v_next[j] - p->v[j]) : 0.0);
    }
    double force = p->law.bound < 0.0 ? coulomb_project(&p->law, f, v).normal : p->law.bound;
    return (CoupleLimits){k->spinning * force, k->rolling * force, force};
}

static bool resists(const NewtonCouple* k)
{
    return k->rolling > 0.0 || k->spinning > 0.0;
}

// f - v / w before it is projected. Where the law is smooth the couple is a function of the turn already.
static void wanted_at(const NewtonCouple* k, bool smooth, const double f[3], const double v[3], double z[3])
{
    for (int j = 0; j < 3; j++) {
        z[j] = smooth ? f[j] : f[j] - v[j] / k->w;
    }
}

static void project(const CoupleLimits* to, double z[3])
{
    double size = sqrt(z[1] * z[1] + z[2] * z[2]),
           share = size > to->tangential ? to->tangential / size : 1.0;
    z[0] = real_max(-to->normal, real_min(to->normal, z[0]));
    z[1] *= share, z[2] *= share;
}

// ---- the iterate

// Turns about its axis that a length of rod gives to the inertia of its frames, as side_compliance in
// contact_newton.c, per torque [1/(N m)].
static double side_weight(const ContactNewton* t, int segment)
{
    const Segment* g = &t->colliders.segments[segment];
    const Rod* rod = t->colliders.rods[g->rod].rod;
    const CordStiffness* k = rod_stiffness_at(rod, g->edge);
    double len = g->arc[1] - g->arc[0], base = 0.5 * t->mass * k->mass_per_length * g->radius * g->radius,
           moved = real_min(real_max(sqrt(4.0 * k->GJ / base), len), rod->length);
    return 1.0 / (base * moved + k->GJ / rod->length);
}

static void put_couple(const NewtonCouple* k, double at[3], CordVec3 couple)
{
    contact_newton_put_local(k->axes.dual, at, couple);
}

void newton_couple_open(ContactNewton* t, int i, const SurfaceLaw* law, const WarmStart* last)
{
    const ContactPoint* contact = &t->contacts.all[i];
    NewtonCouple* k = &t->couples[i];
    double of_last[3], weight = side_weight(t, contact->key.a) +
                                (contact->kind == CONTACT_SEGMENTS ? side_weight(t, contact->key.b) : 0.0);
    *k = (NewtonCouple){.rolling = law->rolling, .spinning = law->spinning, .w = weight, .weight = weight};
    if (resists(k)) {
        k->turn = vec3_sub(contact_point_gather_turn(&t->colliders, contact, &t->move),
                           contact_point_solid_turn(&t->colliders, contact));
        k->axes = contact_point_turning_axes(&t->colliders, contact);
        put_couple(k, of_last, last ? last->couple : k->before);
        k->before = contact_newton_get_local(k->axes.axis, of_last);
    }
}

// Turn after the motion u, with the proximal term.
static void put_turn(const NewtonCouple* k, const double f[3], double v[3])
{
    double before[3];
    contact_newton_put_local(k->axes.axis, v, vec3_add(k->u, k->turn));
    put_couple(k, before, k->before);
    for (int j = 0; j < 3; j++) {
        v[j] += (f[j] - before[j]) / k->rho;
    }
}

// A couple within its limits is taken as one that holds. One at a limit is taken as that of a contact which
// goes on to turn against it, also where the iterate hardly turns yet.
static void begin_turn(const NewtonCouple* k, double limit, int first, int last, double u[3])
{
    double size2 = 0.0, against = 0.0;
    for (int j = first; j <= last; j++) {
        size2 += k->f[j] * k->f[j], against -= k->f[j] * u[j];
    }
    bool turns = limit > 0.0 && sqrt(size2) >= AT_LIMIT * limit;
    for (int j = first; j <= last; j++) {
        double turn = against > FIRST_TURN * k->w * size2 ? u[j] : -FIRST_TURN * k->w * k->f[j];
        u[j] = (turns ? turn : 0.0) - u[j];
    }
}

void newton_couple_begin(ContactNewton* t, int i)
{
    NewtonCouple* k = &t->couples[i];
    double force = t->points[i].normal_before, u[3];
    put_couple(k, k->f, k->before);
    contact_newton_put_local(k->axes.axis, u, k->turn);
    begin_turn(k, k->spinning * force, 0, 0, u);
    begin_turn(k, k->rolling * force, 1, 2, u);
    k->u = contact_newton_get_local(k->axes.dual, u);
    put_turn(k, k->f, k->v);
}

// ---- the linearised law

static void linearise_spinning(const NewtonCouple* k, double limit, const double z[3], LocalLaw* at)
{
    if (fabs(z[0]) >= limit) {
        at->g[0] = z[0] > 0.0 ? limit : -limit;
        return;
    }
    at->C[0][0] = k->rho;
    at->g[0] = k->f[0] - k->rho * k->v[0];
}

// As linearise_sliding in contact_newton_solve.c: the couple of a contact that rolls keeps its size, and
// turns against a turn across it.
static void linearise_rolling(const NewtonCouple* k, double limit, const double z[3], LocalLaw* at)
{
    double size = sqrt(z[1] * z[1] + z[2] * z[2]);
    if (limit == 0.0) {
        return;
    }
    if (size <= limit) {
        for (int j = 1; j < 3; j++) {
            at->C[j][j] = k->rho;
            at->g[j] = k->f[j] - k->rho * k->v[j];
        }
        return;
    }
    double e[2] = {z[1] / size, z[2] / size}, a[2] = {-e[1], e[0]}, share = limit / size,
           left = 1.0 - share * (1.0 - 1.0 / (k->w * k->rho)), turning = share / (k->w * left),
           lacks = (a[0] * k->f[1] + a[1] * k->f[2]) / left, across = a[0] * k->f[1] + a[1] * k->f[2] - lacks;
    for (int j = 0; j < 2; j++) {
        at->C[1 + j][1] = turning * a[j] * a[0], at->C[1 + j][2] = turning * a[j] * a[1];
        at->g[1 + j] = limit * e[j] + across * a[j];
    }
}

// A couple that is opposite to the turn, by its secant stiffness at the normal force of the iterate before.
static void linearise_smooth(const NewtonContactPoint* p, const NewtonCouple* k, LocalLaw* at)
{
    double least = p->law.smoothing / p->law.contact->radius, turn[3], now[3];
    contact_newton_put_local(k->axes.axis, turn, k->turn);
    contact_newton_put_local(k->axes.axis, now, vec3_add(k->turn, k->u));
    double rolled = sqrt(turn[1] * turn[1] + turn[2] * turn[2]),
           spins = p->normal_before * k->spinning / real_max(fabs(turn[0]), least),
           rolls = p->normal_before * k->rolling / real_max(rolled, least);
    for (int j = 0; j < 3; j++) {
        at->C[j][j] = j == 0 ? spins : rolls;
        at->g[j] = -at->C[j][j] * now[j];
    }
}

// What is at its limits follows the normal force, as the linearised law of the contact has it.
static void follow_force(const NewtonContactPoint* p, NewtonCouple* k, const CoupleLimits* limits,
                         const double z[3])
{
    double size = sqrt(z[1] * z[1] + z[2] * z[2]);
    bool spins = limits->normal > 0.0 && fabs(z[0]) >= limits->normal,
         rolls = limits->tangential > 0.0 && size > limits->tangential;
    double spinning = spins ? (z[0] > 0.0 ? k->spinning : -k->spinning) : 0.0,
           rolling = rolls ? k->rolling / size : 0.0;
    const double by_force[3] = {spinning, rolling * z[1], rolling * z[2]};
    CordVec3 n = p->law.axis[0], e = contact_newton_get_local(k->axes.axis, by_force);
    double by[3] = {n.x * p->C[0] + n.y * p->C[3] + n.z * p->C[6],
                    n.x * p->C[1] + n.y * p->C[4] + n.z * p->C[7],
                    n.x * p->C[2] + n.y * p->C[5] + n.z * p->C[8]};
    k->follows = spins || rolls;
    k->g = vec3_madd(k->g, e, vec3_dot(n, p->g) - limits->force);
    for (int j = 0; j < 3; j++) {
        k->D[j] = e.x * by[j], k->D[3 + j] = e.y * by[j], k->D[6 + j] = e.z * by[j];
    }
}

void newton_couple_linearise(ContactNewton* t, int i)
{
    const NewtonContactPoint* p = &t->points[i];
    NewtonCouple* k = &t->couples[i];
    CoupleLimits limits = limits_at(t, i, 0.0);
    LocalLaw at = {0};
    double z[3];
    bool smooth = p->law.smoothing > 0.0;
    k->pushes = resists(k) && (smooth ? p->normal_before > 0.0 : limits.normal + limits.tangential > 0.0);
    wanted_at(k, smooth, k->f, k->v, z);
    if (k->pushes && smooth) {
        linearise_smooth(p, k, &at);
    } else if (k->pushes) {
        linearise_spinning(k, limits.normal, z, &at);
        linearise_rolling(k, limits.tangential, z, &at);
    }
    contact_newton_set_law(k->axes.axis, &at, k->u, &k->g, k->C);
    memset(k->D, 0, sizeof k->D);
    k->follows = false;
    if (k->pushes && !smooth && p->law.bound < 0.0) {
        follow_force(p, k, &limits, z);
    }
}

void newton_couple_find_next(ContactNewton* t, int i)
{
    NewtonCouple* k = &t->couples[i];
    CordVec3 follows = vec3_sub(k->g, contact_newton_mul(k->D, t->points[i].u));
    put_couple(k, k->f_next, vec3_sub(follows, contact_newton_mul(k->C, k->u)));
    put_turn(k, k->f_next, k->v_next);
}

// ---- on the way to the next couple

// The couple less its projection, at a share of the way.
static void lack_at(const ContactNewton* t, int i, double share, double F[3])
{
    const NewtonCouple* k = &t->couples[i];
    CoupleLimits limits = limits_at(t, i, share);
    double f[3], v[3];
    for (int j = 0; j < 3; j++) {
        f[j] = k->f[j] + (share > 0.0 ? share * (k->f_next[j] - k->f[j]) : 0.0);
        v[j] = k->v[j] + (share > 0.0 ? share * (k->v_next[j] - k->v[j]) : 0.0);
    }
    wanted_at(k, t->points[i].law.smoothing > 0.0, f, v, F);
    project(&limits, F);
    for (int j = 0; j < 3; j++) {
        F[j] = f[j] - F[j];
    }
}

void newton_couple_add_residual(const ContactNewton* t, int i, double share, CoulombResidual* sum)
{
    const NewtonCouple* k = &t->couples[i];
    double F[3], radius = t->contacts.all[i].radius;
    if (!resists(k)) {
        return;
    }
    lack_at(t, i, share, F);
    for (int j = 0; j < 3; j++) {
        sum->merit += k->w * F[j] * F[j];
        sum->most = real_max(sum->most, radius * k->w * fabs(F[j]));
    }
}

double newton_couple_slope(const ContactNewton* t, int i, double share)
{
    const NewtonCouple* k = &t->couples[i];
    double F[3], sum = 0.0;
    if (!resists(k)) {
        return 0.0;
    }
    lack_at(t, i, share, F);
    for (int j = 0; j < 3; j++) {
        sum += F[j] * (k->v_next[j] - k->v[j] - (k->f_next[j] - k->f[j]) / k->rho);
    }
    return sum;
}

void newton_couple_move(ContactNewton* t, int i, double share)
{
    NewtonCouple* k = &t->couples[i];
    double before[3], turn[3], u[3];
    put_couple(k, before, k->before);
    contact_newton_put_local(k->axes.axis, turn, k->turn);
    for (int j = 0; j < 3; j++) {
        k->f[j] += share * (k->f_next[j] - k->f[j]);
        k->v[j] += share * (k->v_next[j] - k->v[j]);
        u[j] = k->v[j] - turn[j] - (k->f[j] - before[j]) / k->rho; // see put_turn
    }
    k->u = contact_newton_get_local(k->axes.dual, u);
}

void newton_couple_keep(ContactNewton* t, int i, bool restore)
{
    NewtonCouple* k = &t->couples[i];
    double *from[3] = {k->f, k->v, &k->u.x}, *to[3] = {k->f_kept, k->v_kept, &k->u_kept.x};
    for (int j = 0; j < 3; j++) {
        memcpy(restore ? from[j] : to[j], restore ? to[j] : from[j], 3 * sizeof(double));
    }
}

void newton_couple_set_weight(ContactNewton* t, int i, bool with_limits)
{
    t->couples[i].w = with_limits ? 1.0 / t->couples[i].rho : t->couples[i].weight;
}

void newton_couple_end(ContactNewton* t, int i)
{
    NewtonCouple* k = &t->couples[i];
    double F[3], f[3];
    lack_at(t, i, 0.0, F);
    for (int j = 0; j < 3; j++) {
        f[j] = k->f[j] - F[j];
    }
    k->couple = resists(k) ? contact_newton_get_local(k->axes.axis, f) : (CordVec3){0, 0, 0};
}
