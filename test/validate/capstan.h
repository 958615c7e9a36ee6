// A rope around a cylinder: its tensions have the capstan ratio where it slides.
#ifndef CORDAGE_TEST_VALIDATE_CAPSTAN_H
#define CORDAGE_TEST_VALIDATE_CAPSTAN_H

#include "contacts.h"

typedef struct Capstan {
    CordWorld* world;
    CordRodId rope;
    CordVec3 out[2];  // along the tails, away from the cylinder
    double ratio;     // of tensions, with friction at the rope's surface
    double plain;     // exp(mu theta), of a rope of no thickness
    double thickness; // radius of the rope [m]
} Capstan;

enum { PER_TURN = 60, TAIL = 8, MOST_POINTS = 2 * PER_TURN + 2 * TAIL };
static const double cylinder = 0.05; // radius [m]

// A polygon about a helix that leaves room for two more radii between turns, or about an arc if it is less
// than one. Its edges touch the cylinder in their middles, so that none of them dips into it.
static inline int wind(Capstan* c, double theta, CordVec3 points[MOST_POINTS])
{
    int sides = (int)ceil(theta / (2.0 * pi) * PER_TURN), n = 0;
    double turn = theta / sides, touch = cylinder + 1.02 * c->thickness, corner = touch / cos(0.5 * turn);
    double edge = 2.0 * corner * sin(0.5 * turn),
           rise = theta < 2.0 * pi ? 0.0 : 4.0 * c->thickness / (2.0 * pi);
    double length = sqrt(touch * touch + rise * rise);
    c->out[0] = (CordVec3){0, -touch / length, -rise / length};
    c->out[1] = (CordVec3){-sin(theta) * touch / length, cos(theta) * touch / length, rise / length};
    for (int k = TAIL; k > 0; k--) {
        points[n++] = plus((CordVec3){touch, 0, 0}, times(c->out[0], k * edge));
    }
    for (int k = 0; k < sides; k++) {
        double a = (k + 0.5) * turn;
        points[n++] = (CordVec3){corner * cos(a), corner * sin(a), rise * a};
    }
    for (int k = 1; k <= TAIL; k++) {
        points[n++] = plus((CordVec3){touch * cos(theta), touch * sin(theta), rise * theta},
                           times(c->out[1], k * edge));
    }
    return n;
}

// The tails stay on their lines: nothing keeps a rope from rolling along a cylinder.
static inline void keep_on_line(const Capstan* c, CordPlace at, CordVec3 line)
{
    CordClampDef def = clamp_def(c->rope, at, CORD_FIX_POSITION);
    def.slides = true, def.axis = line;
    add_clamp(c->world, &def);
}

static inline CordRodDef capstan_rope(void) // of implicit steps
{
    CordRodDef def = cord_rod_def_default();
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.inextensible = true;
    return def;
}

// A rope of a given model and integrator, pulled with 1 N at its start. B is such that T (R + r)^2 / B is
// 500.
static inline Capstan capstan(const CordRodDef* rope, double mu, double theta, double thickness)
{
    Capstan c = {.world = new_weightless_world(), .thickness = thickness};
    double R = cylinder + thickness;
    CordVec3 points[MOST_POINTS];
    CordRodDef def = *rope;
    def.shape = cord_shape_points(points, wind(&c, theta, points));
    def.rest = CORD_REST_STRAIGHT;
    def.section = cord_section_disc(thickness);
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = 1.0 * R * R / 500.0;
    def.stiffness.mass_per_length = 0.01;
    c.rope = add_rod(c.world, &def);
    touch_with(c.world, mu);
    CordObstacleDef pole = obstacle_def(CORD_SOLID_CYLINDER, (CordVec3){cylinder, 0, 1}, (CordVec3){0, 0, 0});
    add_obstacle(c.world, &pole);
    add_force(c.world, c.rope, cord_at_start(), c.out[0]);
    keep_on_line(&c, cord_at_start(), c.out[0]);
    // Friction mu N acts on the rope's surface, at a distance r from its axis: a couple, which shear Q = -mu
    // N r takes up where the moment is constant. With T' - Q / (R + r) = mu N and T / (R + r) + Q' = N, all
    // grow with exp(k theta), where k + k^2 mu r / (R + r) = mu R / (R + r).
    double lever = mu * thickness / R;
    c.ratio = exp(theta * (sqrt(1.0 + 4.0 * lever * mu * cylinder / R) - 1.0) / (2.0 * lever));
    c.plain = exp(mu * theta);
    return c;
}

#endif
