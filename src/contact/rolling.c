#include "contact/rolling.h"

#include "base/real.h"

#define SECULAR 40    // iterations of the secular equation
#define ON_DISC 1e-12 // its relative tolerance

// ---- one couple

// Newton's method for 1 / |C| = 1 / limit, which is concave in lambda: it converges from below (More and
// Sorensen 1983).
void rolling_within(const double W[2], const double goal[2], double limit, double C[2])
{
    double lambda = 0.0;
    for (int n = 0; n < SECULAR; n++) {
        double p = 1.0 / (W[0] + lambda), q = 1.0 / (W[1] + lambda);
        C[0] = goal[0] * p, C[1] = goal[1] * q;
        double size2 = C[0] * C[0] + C[1] * C[1], size = sqrt(size2);
        if (size <= limit * (1.0 + (lambda > 0.0 ? ON_DISC : 0.0)) || limit == 0.0) {
            break;
        }
        lambda += size2 / (C[0] * C[0] * p + C[1] * C[1] * q) * (size - limit) / limit;
    }
    double size = sqrt(C[0] * C[0] + C[1] * C[1]), scale = size > limit ? limit / size : 1.0;
    C[0] *= scale, C[1] *= scale; // exactly onto the disc
}

// While sweeps are accelerated the normal impulse may be negative until it is corrected next.
static double largest_couple(const DelassusBlock* block, double arm)
{
    return arm * real_max(0.0, block->impulse[0]);
}

static void push(const Delassus* y, ContactConstraints* b, int i, CordVec3 more)
{
    b->couples[i].impulse = vec3_add(b->couples[i].impulse, more);
    delassus_push_couple(y, &b->all[i], more);
}

// Returns the turn by the change [rad].
static double correct_rolling(const Delassus* y, ContactConstraints* b, int i, CordVec3 turn)
{
    ContactCouple* k = &b->couples[i];
    const CordVec3 *axis = k->axes.axis + 1, *dual = k->axes.dual + 1;
    const double* W = (y->all[i].slides ? k->W_free : k->W) + 1;
    double goal[2], C[2], old[2];
    if (!(W[0] > 0.0)) {
        return 0.0;
    }
    for (int j = 0; j < 2; j++) {
        old[j] = vec3_dot(k->impulse, dual[j]);
        goal[j] = W[j] * old[j] - vec3_dot(turn, axis[j]);
    }
    rolling_within(W, goal, largest_couple(&y->all[i], k->rolling), C);
    double p = C[0] - old[0], q = C[1] - old[1];
    if (p != 0.0 || q != 0.0) {
        push(y, b, i, vec3_madd(vec3_mul(axis[0], p), axis[1], q));
    }
    p *= W[0], q *= W[1];
    return sqrt(p * p + q * q);
}

static double correct_spinning(const Delassus* y, ContactConstraints* b, int i, CordVec3 turn)
{
    ContactCouple* k = &b->couples[i];
    if (!(k->W[0] > 0.0)) {
        return 0.0;
    }
    double old = vec3_dot(k->impulse, k->axes.dual[0]), limit = largest_couple(&y->all[i], k->spinning),
           sticks = old - vec3_dot(turn, k->axes.axis[0]) / k->W[0],
           next = real_max(-limit, real_min(limit, sticks));
    if (next != old) {
        push(y, b, i, vec3_mul(k->axes.axis[0], next - old));
    }
    return k->W[0] * fabs(next - old);
}

double rolling_correct(const Delassus* y, ContactConstraints* b, int i)
{
    const ContactConstraint* c = &b->all[i];
    ContactCouple* k = &b->couples[i];
    const DelassusBlock* block = &y->all[i];
    bool none = vec3_dot(k->impulse, k->impulse) == 0.0;
    double normal = block->known ? block->impulse[0] : c->normal_impulse;
    if ((k->rolling == 0.0 && k->spinning == 0.0) || (none && normal == 0.0)) {
        return 0.0;
    }
    if (!block->known) {
        delassus_diagonal(y, b, i);
    }
    if (!k->known) {
        delassus_couple_diagonal(y, b, i);
    }
    double rolled = 0.0, spun = 0.0;
    if (k->rolling > 0.0) {
        rolled = correct_rolling(y, b, i, vec3_add(k->turn, delassus_turn(y, c)));
    }
    if (k->spinning > 0.0) {
        spun = correct_spinning(y, b, i, vec3_add(k->turn, delassus_turn(y, c)));
    }
    return c->radius * larger(rolled, spun);
}

// ---- rounds and sweeps

void rolling_begin(ContactConstraints* b, int i, bool forget)
{
    ContactCouple* k = &b->couples[i];
    k->known &= !forget;
    k->start = k->before = k->impulse;
    k->direction = (CordVec3){0, 0, 0};
}

void rolling_begin_sweep(ContactConstraints* b, int i)
{
    b->couples[i].before = b->couples[i].impulse;
}

double rolling_sweep_norm2(const ContactConstraints* b, int i)
{
    const ContactCouple* k = &b->couples[i];
    CordVec3 change = vec3_sub(k->impulse, k->before);
    double sum = 0.0;
    for (int j = 0; j < 3; j++) {
        double part = vec3_dot(change, k->axes.dual[j]);
        sum += k->W_free[j] * part * part;
    }
    return k->known ? sum : 0.0;
}

void rolling_accelerate(ContactConstraints* b, int i, double share)
{
    ContactCouple* k = &b->couples[i];
    CordVec3 more = vec3_mul(k->direction, share);
    k->direction = vec3_add(more, vec3_sub(k->impulse, k->before));
    k->impulse = vec3_add(k->impulse, more);
}

void rolling_apply(ContactConstraints* b, int i, double share)
{
    ContactCouple* k = &b->couples[i];
    CordVec3 change = vec3_sub(k->impulse, k->start);
    if (share < 1.0) {
        change = vec3_mul(change, share);
        k->impulse = vec3_add(k->start, change);
    }
    constraint_apply_couple(b, &b->all[i], change);
}

void rolling_retreat(ContactConstraints* b, int i)
{
    ContactCouple* k = &b->couples[i];
    CordVec3 back = vec3_mul(vec3_sub(k->start, k->impulse), 0.5);
    k->impulse = vec3_add(k->impulse, back);
    constraint_apply_couple(b, &b->all[i], back);
}
