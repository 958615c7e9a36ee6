// Scenes that are their own image in the mirror x -> -x, with the rod running the other way, stay so.
#include "relations.h"

#include "random.h"

static const Isometry across = {{0, 0, 0, 1}, true, {0, 0, 0}};

static CordVec3 in_plane(CordVec3 v) // of the mirror
{
    return cord_vec3(0.0, v.y, v.z);
}

static CordVec3 mirrored_point(CordVec3 p)
{
    return cord_vec3(-p.x, p.y, p.z);
}

// A line, an arc or a spline of five points about as long as the shape was.
static void symmetric_shape(Shape* s, double length, uint64_t* seed)
{
    CordVec3 up = cord_vec3_unit(in_plane(cord_vec3_add(random_vec3(seed, 1.0), cord_vec3(0, 2, 0))));
    double half = random_in(seed, 30.0, 120.0);
    switch (s->kind) {
    case LINE:
        s->points[0] = cord_vec3_madd(cord_vec3(-0.5 * length, 0, 0), up, 0.1);
        s->points[1] = mirrored_point(s->points[0]);
        break;
    case CIRCLE:
        s->center = cord_vec3(0, 0, 0), s->axis1 = cord_vec3_cross(cord_vec3(1, 0, 0), up), s->axis2 = up;
        s->degrees[0] = -half, s->degrees[1] = half;
        s->radius = length / (2.0 * half * CORD_PI / 180.0);
        break;
    default:
        s->kind = SPLINE, s->point_count = 5;
        for (int i = 0; i < 3; i++) {
            CordVec3 bend = cord_vec3_scale(in_plane(random_vec3(seed, 1.0)), 0.15 * length);
            s->points[i] = cord_vec3_add(cord_vec3(0.25 * length * (i - 2), 0, 0), bend);
            s->points[4 - i] = mirrored_point(s->points[i]);
        }
        break;
    }
}

static void symmetric_rod(Rod* r, double length, uint64_t* seed)
{
    r->elements += r->elements % 2;
    r->section = r->section == TAPERED ? DISC : r->section;
    symmetric_shape(&r->shape, length, seed);
    r->rest = rod_is_round(r) && r->rest == STRAIGHT ? STRAIGHT : AS_SHAPED;
    r->frame = FRAME_TOWARD, r->m1 = cord_vec3(0.0, 0.6, 0.8);
    r->twist = r->rest_twist = 0.0;
    r->sweeps = r->weights = false, r->iterations = 100;
    r->velocity = in_plane(r->velocity), r->spin = cord_vec3(r->spin.x, 0, 0);
}

static Clamp mirrored_clamp(const Clamp* from)
{
    Clamp c = *from;
    c.id = 1, c.at = (Place){.kind = CORD_AT_END};
    for (int i = 0; i < c.motion_count; i++) {
        Motion* m = &c.motions[i];
        isometry_apply(&across, POLAR, &m->vector), isometry_apply(&across, AXIAL, &m->axis);
        for (int k = 0; k < MOST_KEYS; k++) {
            isometry_apply(&across, POLAR, &m->keys[k].offset);
            isometry_apply(&across, AXIAL, &m->keys[k].axis);
        }
    }
    return c;
}

// Forces and springs act at the middle node, in the plane of the mirror; a torque has no edge there.
static void symmetric_loads(Scene* s)
{
    int kept = 0;
    for (int i = 0; i < s->load_count; i++) {
        Load* l = &s->loads[i];
        l->force = in_plane(l->force), l->target = in_plane(l->target);
        l->wind.x = isnan(l->wind.x) ? NAN : 0.0;
        if (l->kind != CORD_LOAD_DRAG) {
            l->at = (Place){.kind = CORD_AT_NODE, .index = s->rods[0].elements / 2};
        }
        if (l->kind != CORD_LOAD_TORQUE) {
            s->loads[kept++] = *l;
        }
    }
    s->load_count = kept;
}

void scene_make_symmetric(Scene* s, double length)
{
    uint64_t seed = s->seed + 41;
    s->gravity = in_plane(s->gravity);
    symmetric_rod(&s->rods[0], length, &seed);
    if (s->clamp_count > 0) {
        bool modal = s->rods[0].model == CORD_MODEL_MODAL; // its supports move as one
        s->clamps[0].motion_count = modal ? 0 : s->clamps[0].motion_count;
        s->clamps[0].at = (Place){.kind = CORD_AT_START}, s->clamps[0].id = 0;
        s->clamps[1] = mirrored_clamp(&s->clamps[0]), s->clamp_count = 2;
    }
    symmetric_loads(s);
}

// The run is seen in the mirror, from the other end of the rod, and must look the same.
void check_symmetry(const Subject* u, Verdict* v)
{
    static Scene image;
    static Outcome outcome;
    RunDef def = run_def();
    image = u->scene, image.rods[0].reversed = true;
    for (int i = 0; i < image.clamp_count; i++) {
        image.clamps[i].id = 1 - i;
    }
    scene_run(&image, &def, &outcome);
    if (outcome.refused || outcome.result != CORD_OK || outcome.retries > 0) {
        v->finding = outcome.refused ? REFUSED : outcome.result != CORD_OK ? RUN_FAILS : RETRIED;
        return;
    }
    const Change change = {across, {1, 1, 1}};
    transform_observation(&outcome.seen, &change);
    compare_near(1u << OF_FRAME, u, &u->base.seen, &outcome.seen, u->extent, v);
}
