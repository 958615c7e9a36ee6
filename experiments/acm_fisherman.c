#include "acm_fisherman.h"

#include "timing.h"

#include <math.h>

const char* const fisherman_names[FISHERMAN_KINDS] = {"high", "adaptive", "low"};
const double fisherman_step = 1e-4, fisherman_radius = 0.003, fisherman_pull = 20.0;

static const double tight = 0.1; // since when the knot is [s]

enum { STEPS = 50 }; // of a sample

// ---- one of them

typedef struct Ropes {
    CordWorld* world;
    CordRodId rod[FISHERMAN_ROPES];
    int64_t link;
} Ropes;

// Elements of the scene's ropes, and of the paper's, which begin where the rest of the elements would end.
static Ropes ropes_open(Lab* lab, FishermanKind kind, FishermanRopes length, const char* model)
{
    static const int elements[2][FISHERMAN_ROPES] = {{131, 130}, {31, 30}};
    static const char* const starts[2] = {"", "; rods[left].shape.polyline.points[0]=[-0.40757, -0.00082, 0]"
                                              "; rods[right].shape.polyline.points[0]=[0.37736, 0.00082, 0]"};
    int parts = kind == FISHERMAN_HIGH ? 4 : 1;
    Ropes r = {
        .world = lab_world_timed(lab, LAB_BY_CPU, "acm/fig5",
                                 "rods[*].model=%s; rods[left].elements=%d; rods[right].elements=%d%s%s",
                                 model, parts * elements[length][0], parts * elements[length][1],
                                 kind != FISHERMAN_ADAPTIVE ? "; rods[*].adapt=false" : "", starts[length])};
    for (int i = 0; i < FISHERMAN_ROPES; i++) {
        r.rod[i] = cord_world_rod(r.world, i);
    }
    r.link = cord_rod_linking_number(r.world, r.rod[0], r.rod[1]);
    return r;
}

static void take_shape(const Ropes* r, FishermanShape* shape)
{
    for (int i = 0; i < FISHERMAN_ROPES; i++) {
        shape->nodes[i] = cord_rod_node_count(r->world, r->rod[i]);
        (void)cord_rod_positions(r->world, r->rod[i], shape->x[i]);
        (void)cord_rod_arcs(r->world, r->rod[i], shape->arc[i]);
    }
}

static int count_pushes(const Ropes* r)
{
    const CordContact* all = cord_world_contacts(r->world);
    int count = 0;
    for (int i = 0; i < cord_world_contact_count(r->world); i++) {
        count += all[i].push > 0.0;
    }
    return count;
}

static void take_sample(Lab* lab, Ropes* r, FishermanRun* run, FishermanSample* s)
{
    double clock = lab_clock(lab);
    lab_steps(lab, r->world, fisherman_step, STEPS);
    s->step = (lab_clock(lab) - clock) / STEPS;
    s->time = cord_world_time(r->world);
    s->contacts = count_pushes(r);
    s->apart = lab_node(lab, r->world, 1, 0).x - lab_node(lab, r->world, 0, 0).x;
    s->nodes = 0;
    for (int i = 0; i < FISHERMAN_ROPES; i++) {
        s->nodes += cord_rod_node_count(r->world, r->rod[i]);
    }
    run->deepest = fmax(run->deepest, cord_world_contact_report(r->world).deepest);
}

// ---- what comes of it

static void sum_up_samples(FishermanRun* run)
{
    double contacts = 0.0;
    int first = FISHERMAN_SAMPLES, last = FISHERMAN_SAMPLES - 1;
    for (int i = last; i >= 0; i--) {
        const FishermanSample* s = &run->at[i];
        run->step += s->step / FISHERMAN_SAMPLES;
        run->nodes += (double)s->nodes / FISHERMAN_SAMPLES;
        contacts += s->time > tight ? s->contacts : 0;
        first = s->time > tight ? i : first;
    }
    run->contacts = contacts / (FISHERMAN_SAMPLES - first);
    run->slip = run->at[last].apart - run->at[first].apart;
}

static void sum_up_changes(const Ropes* r, FishermanRun* run)
{
    double steps = (double)cord_world_steps(r->world);
    CordStepTimes t = cord_world_step_times(r->world);
    run->report = lab_adapt_report(r->world, FISHERMAN_ROPES);
    run->changing = (double)run->report.steps / (FISHERMAN_ROPES * steps);
    run->adapting = t.adapt / (t.forces + t.lengths + t.frames + t.contact + t.adapt);
    run->nodes = run->report.node_steps > 0.0 ? run->report.node_steps / steps : run->nodes;
}

static void sum_up(const Ropes* r, FishermanRun* run)
{
    sum_up_samples(run);
    sum_up_changes(r, run);
    take_shape(r, &run->shape);
    run->linked = cord_rod_linking_number(r->world, r->rod[0], r->rod[1]) == r->link;
    run->tied = true;
    for (int i = 0; i < FISHERMAN_ROPES; i++) {
        run->tied &= cord_rod_knot(r->world, r->rod[i]) == 5; // a double overhand's determinant
    }
}

const FishermanRun* fisherman_run(Lab* lab, const char* model, FishermanRopes length)
{
    FishermanRun* runs = lab_room(lab, FISHERMAN_KINDS, sizeof *runs);
    Ropes ropes[FISHERMAN_KINDS];
    for (int k = 0; k < FISHERMAN_KINDS; k++) {
        ropes[k] = ropes_open(lab, (FishermanKind)k, length, model);
    }
    for (int i = 0; i < FISHERMAN_SAMPLES; i++) {
        for (int k = 0; k < FISHERMAN_KINDS; k++) {
            take_sample(lab, &ropes[k], &runs[k], &runs[k].at[i]);
        }
    }
    for (int k = 0; k < FISHERMAN_KINDS; k++) {
        sum_up(&ropes[k], &runs[k]);
    }
    return runs;
}

void timing_fisherman(Lab* lab, TimingRopes* fine, TimingRopes* adaptive)
{
    const FishermanRun* runs = fisherman_run(lab, "der", FISHERMAN_AS_SCENE);
    const FishermanRun *high = &runs[FISHERMAN_HIGH], *few = &runs[FISHERMAN_ADAPTIVE];
    *fine = (TimingRopes){high->nodes, high->contacts, high->step};
    *adaptive = (TimingRopes){few->nodes, few->contacts, few->step};
}

// ---- shapes

typedef struct Range {
    int first, last; // nodes
} Range;

// In the knot a rope goes across the pull: from the first edge that is more than 45 degrees off it to the
// last.
static Range knot_range(const FishermanShape* s, int rope)
{
    Range range = {s->nodes[rope], 0};
    for (int j = 0; j + 1 < s->nodes[rope]; j++) {
        CordVec3 p = s->x[rope][j], q = s->x[rope][j + 1];
        if (fabs(q.x - p.x) < hypot(q.y - p.y, q.z - p.z)) {
            range.first = range.first < j ? range.first : j;
            range.last = j + 1;
        }
    }
    return range;
}

double fisherman_length(const FishermanShape* shape)
{
    double length = 0.0;
    for (int i = 0; i < FISHERMAN_ROPES; i++) {
        Range k = knot_range(shape, i);
        length += k.last > k.first ? shape->arc[i][k.last] - shape->arc[i][k.first] : 0.0;
    }
    return length;
}

static CordVec3 place_at(const FishermanShape* s, int rope, double arc)
{
    int j = 0;
    while (j + 2 < s->nodes[rope] && s->arc[rope][j + 1] < arc) {
        j++;
    }
    CordVec3 p = s->x[rope][j], q = s->x[rope][j + 1];
    double t = (arc - s->arc[rope][j]) / (s->arc[rope][j + 1] - s->arc[rope][j]);
    return (CordVec3){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.z + t * (q.z - p.z)};
}

typedef struct Fit { // what brings one knot onto the other
    double shift;    // along the pull [m]
    double turn;     // about it [rad]
} Fit;

static Fit fit_of(const FishermanShape* fine, const FishermanShape* other)
{
    double shift = 0.0, along = 0.0, across = 0.0;
    int count = 0;
    for (int i = 0; i < FISHERMAN_ROPES; i++) {
        Range k = knot_range(fine, i);
        for (int n = k.first; n <= k.last; n++, count++) {
            CordVec3 p = fine->x[i][n], q = place_at(other, i, fine->arc[i][n]);
            shift += p.x - q.x;
            along += q.y * p.y + q.z * p.z;
            across += q.y * p.z - q.z * p.y;
        }
    }
    return (Fit){count > 0 ? shift / count : 0.0, atan2(across, along)};
}

double fisherman_difference(const FishermanShape* fine, const FishermanShape* other)
{
    Fit fit = fit_of(fine, other);
    double sum = 0.0, c = cos(fit.turn), s = sin(fit.turn);
    int count = 0;
    for (int i = 0; i < FISHERMAN_ROPES; i++) {
        Range k = knot_range(fine, i);
        for (int n = k.first; n <= k.last; n++, count++) {
            CordVec3 p = fine->x[i][n], q = place_at(other, i, fine->arc[i][n]);
            double x = q.x + fit.shift - p.x, y = c * q.y - s * q.z - p.y, z = s * q.y + c * q.z - p.z;
            sum += x * x + y * y + z * z;
        }
    }
    return count > 0 ? FISHERMAN_ROPES * sqrt(sum / count) / fisherman_length(fine) : INFINITY;
}
