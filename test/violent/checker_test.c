// Passages and near misses that were made by hand: the checker must tell them apart.
#include "passage.h"

#include "vectors.h"

#include <stdio.h>

static Axis line_axis(CordVec3 from, CordVec3 to, double radius)
{
    Axis a = {.nodes = 8, .edges = 7, .radius = radius, .edge_length = size_of(minus(to, from)) / 7};
    for (int i = 0; i < 8; i++) {
        a.x[i] = plus(times(from, 1 - i / 7.0), times(to, i / 7.0)); // straight but for rounding
    }
    return a;
}

static Axis ring_axis(CordVec3 center, double size, bool upright, double radius)
{
    Axis a = {.nodes = 24, .edges = 24, .closed = true, .radius = radius, .edge_length = 2 * pi * size / 24};
    for (int i = 0; i < 24; i++) {
        double c = size * cos(2 * pi * i / 24), s = size * sin(2 * pi * i / 24);
        a.x[i] = plus(center, upright ? (CordVec3){c, 0, s} : (CordVec3){c, s, 0});
    }
    return a;
}

static void move_axis(Axis* a, CordVec3 by)
{
    for (int i = 0; i < a->nodes; i++) {
        a->x[i] = plus(a->x[i], by);
    }
}

static int expect(bool right, const char* claim)
{
    printf("%s: %s\n", right ? "right" : "WRONG", claim);
    return !right;
}

static int test_rods(void)
{
    static Snapshot s, t;
    Passage p;
    int wrong = 0;
    s = (Snapshot){.rod_count = 2};
    s.rods[0] = line_axis((CordVec3){-1, 0, 0}, (CordVec3){1, 0, 0}, 0.01);
    s.rods[1] = line_axis((CordVec3){0.1, -1, 0.5}, (CordVec3){0.2, 1, 0.6}, 0.01);
    t = s, move_axis(&t.rods[1], (CordVec3){0, 0, -1.3});
    wrong += expect(passage_find(&s, &t, &p), "a rod that crosses another in one step has passed through it");
    wrong += expect(passage_changes_links(&s, &t, 0, 1), "and their link with tails changes");
    t = s, move_axis(&t.rods[1], (CordVec3){3, 0, -1.3});
    wrong += expect(!passage_find(&s, &t, &p),
                    "a rod that flies past the end of another has not passed through it");
    t = s, move_axis(&t.rods[1], (CordVec3){0, 0, -0.45});
    wrong += expect(!passage_find(&s, &t, &p), "a rod that stops short of another has not passed through it");
    wrong += expect(deepest_overlap(&s, &p) < 0.0,
                    "straight rods that are apart overlap neither each other nor themselves");
    s.rods[1] = line_axis((CordVec3){-1, 0.5, 0}, (CordVec3){1, 0.5, 0}, 0.01);
    t = s, move_axis(&t.rods[1], (CordVec3){0.1, -1, 0});
    wrong += expect(passage_find(&s, &t, &p),
                    "a parallel rod that sweeps through another in their plane is found");
    s.rods[1] = line_axis((CordVec3){1.5, -0.2, 1}, (CordVec3){1.5, -0.2, 3}, 0.01);
    t = s, move_axis(&t.rods[1], (CordVec3){0, 0.4, -4});
    wrong +=
        expect(!passage_changes_links(&s, &t, 0, 1), "a way around an end does not change a link with tails");
    return wrong;
}

static int test_rings(void)
{
    static Snapshot s, t;
    Passage p;
    int wrong = 0;
    s = (Snapshot){.rod_count = 2};
    s.rods[0] = ring_axis((CordVec3){0, 0, 0}, 1.0, false, 0.01);
    s.rods[1] = ring_axis((CordVec3){1, 0, 0.01}, 0.9, true, 0.01);
    t = s, move_axis(&t.rods[1], (CordVec3){3, 0, 0});
    wrong += expect(fabs(fabs(gauss_link(&s.rods[0], &s.rods[1])) - 1.0) < 1e-9,
                    "Gauss's integral of linked rings is one");
    wrong += expect(fabs(gauss_link(&t.rods[0], &t.rods[1])) < 1e-9, "and of separate ones zero");
    wrong += expect(passage_find(&s, &t, &p) && passage_changes_links(&s, &t, 0, 1),
                    "rings that are pulled apart have passed");
    t = s, move_axis(&t.rods[1], (CordVec3){0.05, 0.02, 0.03});
    wrong += expect(!passage_find(&s, &t, &p) && !passage_changes_links(&s, &t, 0, 1),
                    "rings that stay linked have not");
    s = (Snapshot){.rod_count = 1};
    s.rods[0] = ring_axis((CordVec3){0, 0, 0}, 1.0, false, 0.01), t = s;
    for (int i = 0; i < 24; i++) { // a figure of eight, turned over
        double a = 2 * pi * i / 24;
        s.rods[0].x[i] = (CordVec3){sin(a), sin(2 * a), 0.1 * cos(a)},
        t.rods[0].x[i] = (CordVec3){sin(a), sin(2 * a), -0.1 * cos(a)};
    }
    wrong += expect(passage_find(&s, &t, &p) && p.rod == p.other,
                    "a figure of eight that is turned over passes through itself");
    return wrong;
}

static int test_solid(const CordSolid* solid, const char* name, CordVec3 target)
{
    static Snapshot s, t;
    char claim[128];
    Passage p;
    int wrong = 0;
    s = (Snapshot){.rod_count = 1, .solid_count = 1};
    s.solids[0] = (Placed){*solid, {0.1, 0.2, 0.3}, cord_quat_about((CordVec3){1, 2, 3}, 0.7)};
    CordVec3 center = plus(s.solids[0].position, rotate(s.solids[0].rotation, target)), up = {0, 0, 4};
    up = rotate(s.solids[0].rotation, up);
    s.rods[0] = line_axis(plus(center, plus(up, (CordVec3){0.03, 0.01, 0})),
                          plus(center, plus(up, (CordVec3){-0.05, 0.02, 0})), 0.01);
    t = s, move_axis(&t.rods[0], times(up, -1.6));
    snprintf(claim, sizeof claim, "a rod that goes through a %s is found", name);
    wrong += expect(passage_find(&s, &t, &p) && p.solid, claim);
    t = s, move_axis(&t.rods[0], times(up, 1.6));
    snprintf(claim, sizeof claim, "a rod that flies away from a %s is not", name);
    wrong += expect(!passage_find(&s, &t, &p) && deepest_overlap(&s, &p) < 0.0, claim);
    return wrong;
}

static int test_solids(void)
{
    static const CordVec3 sheet[] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
    static const int face[] = {0, 1, 2};
    int wrong = 0;
    for (int k = 0; k < CORD_SOLID_COUNT; k++) {
        CordSolid s = {.shape = (CordSolidShape)k, .size = {0.5, 0.2, 0.4}};
        CordVec3 wall = {0.35, 0, 0}, middle = {0, 0, 0};
        s.size = k == CORD_SOLID_BOX ? (CordVec3){1, 1, 1e-4} : s.size;
        if (k == CORD_SOLID_MESH) {
            s.mesh = (CordSolidMesh){sheet, 3, face, 1};
        }
        wrong += test_solid(&s, cord_solid_kind(k)->name,
                            k == CORD_SOLID_TUBE || k == CORD_SOLID_TORUS ? wall : middle);
    }
    return wrong;
}

int checker_mistakes(void)
{
    return test_rods() + test_rings() + test_solids();
}
