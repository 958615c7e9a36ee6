// Branches of equilibria in contact. All rods and bodies are one system (contact_group.h), in which contacts
// open and close along the branch.
#include "base/real.h"
#include "world/branch.h"
#include "world/obstacle.h"

CordResult branch_open_contact(CordBranch* b)
{
    CordWorld* w = b->world;
    b->contact = memory_array(&w->memory, ContactGroup, 1);
    if (!b->contact) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to follow a branch");
    }
    bool sticks = b->def.solve.friction != CORD_SOLVE_FRICTION_OFF;
    CORD_TRY(contact_group_open(w, b->contact, CONTACT_HOLD_PRESSING, sticks));
    b->islands = b->contact->islands;
    CORD_TRY(contact_set_grip(w, b->def.solve.friction));
    CORD_TRY(contact_group_open_islands(b->contact));
    if (!arena_reserve(&w->memory, &b->arena, arc_length_scratch(&b->contact->group))) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory to follow a branch");
    }
    arc_length_open(b->arcs, &b->contact->group, w->gravity, b->def.from, &b->arena);
    b->arcs->st.loads = &w->loads;
    return CORD_OK;
}

void branch_close_contact(CordBranch* b)
{
    CordWorld* w = b->world;
    contact_group_close(b->contact);
    contact_release_grip(w);
    memory_array_free(&w->memory, b->contact, 1);
}

void branch_contact_predict(CordBranch* b)
{
    if (b->contact) { // forces follow by the matrix of the tangent
        newton_assemble(&b->arcs->st.sys);
        newton_factor(&b->arcs->st.sys, true);
        b->contact->contact.predicts = true;
    }
}

#define MOST_GONE 4.0  // displacement of a step, over that of its prediction
#define MOST_CHANGES 4 // contacts that open or close in a step: with more, it may end on another branch
#define FEW_STEPS 0.1  // over the first step: shorter ones may change as many as they like
#define ANY_WAY 1e-5   // mean displacement over the length that is near in any case

bool branch_stays_near(const CordBranch* b, double ds)
{
    double gone = 0.0, predicted = 0.0;
    for (int i = 0; i < b->arc_count && b->contact; i++) {
        gone += arc_length_moved(&b->arcs[i]);
        predicted += ds * ds * arc_length_product(&b->arcs[i], ARC_TANGENT, ARC_TANGENT);
    }
    bool many = b->contact && ds > FEW_STEPS * b->def.step / fabs(b->def.to - b->def.from) &&
                contact_statics_changes(&b->contact->contact) > MOST_CHANGES;
    return !many && gone <= MOST_GONE * MOST_GONE * predicted + ANY_WAY * ANY_WAY;
}

void branch_contact_judge(CordBranch* b, bool judges)
{
    if (b->contact) {
        b->contact->contact.judges = judges;
    }
}

bool branch_contact_agrees(CordBranch* b, double time, double along)
{
    if (!b->contact) {
        return true;
    }
    b->arcs->st.sys.time = time;
    arc_length_combine(b->arcs, along);
    return contact_statics_agrees(&b->contact->contact);
}

bool branch_contact_holds(CordBranch* b)
{
    return !b->contact || contact_statics_path_is_free(&b->contact->contact);
}

// Newton's method at a given time, with the contacts that are active; stable or not.
static bool hold_at(CordBranch* b, double time, int* iterations)
{
    ArcLength* arc = b->arcs;
    double before = INFINITY, rate_step = BRANCH_RATE_STEP * fabs(b->def.to - b->def.from);
    arc_length_begin(arc, b->world->time);
    for (int n = 1; n <= BRANCH_MOST_ITERATIONS; n++) {
        *iterations = n;
        do {
            if (!arc_length_steps(arc, time, rate_step)) {
                return false;
            }
        } while (!branch_contact_agrees(b, time, 0.0));
        double change = arc_length_change(arc, 0.0);
        arc_length_move(arc, 0.0);
        if (!(change <= BRANCH_MOST_CHANGE)) {
            return false;
        }
        if (branch_has_converged(b, change, before)) {
            return branch_contact_holds(b);
        }
        before = change;
    }
    return false;
}

// Judges the state at `time`, at which the branch then is.
static CordResult judge_point(void* user, double time, CordSolveReport* report)
{
    CordBranch* b = user;
    CordWorld* w = b->world;
    int iterations = report->iterations;
    for (int i = 0; i < b->island_count; i++) {
        island_commit_motion(&b->islands[i], time);
    }
    w->time = time;
    obstacles_commit_motion(w);
    world_mark(w, NULL, MARK_STATE);
    contact_store_reactions(w);
    bool slides = contact_friction_slides(w);
    arc_length_begin(b->arcs, time);
    b->contact->contact.judges = true;
    statics_report(&b->arcs->st, &b->def.solve, report);
    b->contact->contact.judges = false;
    report->iterations = iterations;
    report->unstable = slides ? -1 : report->unstable;
    return contact_check_balance(w, &b->arcs->st, &b->def.solve, report);
}

CordResult branch_solve_contact(CordBranch* b, double time, CordSolveReport* report)
{
    CordWorld* w = b->world;
    bool arc = b->def.method == CORD_BRANCH_ARC;
    int iterations = 0;
    if (!arc) {
        return solve_in_contact(w, &b->def.solve, time, judge_point, b, report);
    }
    if (!b->started) { // time is stepped, so that it need not be near
        CORD_TRY(solve_in_contact(w, &b->def.solve, time, NULL, NULL, report));
        iterations = report->iterations;
        for (int i = 0; i < b->island_count; i++) {
            island_commit_motion(&b->islands[i], time);
        }
        w->time = time;
        obstacles_commit_motion(w);
    }
    int more = 0;
    if (!hold_at(b, time, &more)) {
        return message_fail(&w->message, CORD_NOT_CONVERGED,
                            "the equilibrium in contact at t = %.9g s was not found in %d iterations", time,
                            more);
    }
    branch_accept(b, time);
    report->iterations = iterations + more;
    return judge_point(b, time, report);
}
