// Shared by the contact files of world/: contact.c (colliders), contact_impulses.c (the step),
// contact_batch.c (position-based and modal rods), contact_query.c (queries),
// contact_budget.c (what a spent budget leaves), contact_work.c (the work of contact), contact_velocity.c
// (velocities that are read), solve_contact.c (equilibria), untangle.c (overlaps).
#ifndef CORD_WORLD_CONTACT_PARTS_H
#define CORD_WORLD_CONTACT_PARTS_H

#include "contact/gauss_seidel.h"
#include "contact/impact_zones.h"
#include "contact/motion_limit.h"
#include "contact/rod_newton.h"
#include "step/implicit.h"
#include "world/world.h"

#define CONTACT_TASKS 64

#define CONTACT_SWEEPS 50 // Gauss-Seidel sweeps over all contacts between two updates of the contact points
// Sweeps after which a looser residual is enough, as in stacks of many layers: contacts last for many steps,
// and each step begins with the impulses of the one before.
#define CONTACT_FEW_SWEEPS 6
#define CONTACT_LOOSE 0.3 // that residual, over what contact moves in the step
#define CONTACT_FAR 0.1   // and over the tolerance of overlaps
// Sweeps of a round where length projection or elasticity changes the result between rounds.
#define CONTACT_SWEEPS_BLIND 4

typedef struct ContactRound { // Gauss-Seidel sweeps over contacts
    ContactConstraints* constraints;
    double tolerance;  // of residuals, over what contact moves in the step
    double loose;      // likewise, after a few sweeps
    double floor;      // likewise, if that is more [m]
    double relaxation; // factor on each update
    Budget budget;     // of these sweeps
} ContactRound;

// Batches of position-based rods, which are solved side by side in lanes.
typedef struct BatchTask {
    CordWorld* world;
    Rod** rods;
    const int* collider; // index of each rod among the colliders
    const int* starts;   // first rod of each batch
    int first, last;     // batches [first, last)
    double h;
    const ContactRound* round; // NULL: solve the rods again, without contact sweeps
    size_t lanes;              // scratch for the compliance [bytes]
    SweepResult done;          // largest change of any batch
    Arena scratch;
} BatchTask;

typedef struct BudgetUse { // what a spent budget has left: see CordContactReport
    bool spent;            // in the step: it has ended sweeps, rounds or corrections
    // Of the last substep, successful or not:
    bool open; // its contacts were left as they were
    int unmet;
    double residual;
    int limited;
    bool keeps_energy; // groups of rods may not end it with more energy than WorldContact.energies tells
    int64_t spent_in_all, limited_in_all;
} BudgetUse;

typedef struct ContactWork { // of a group of rods, in a step [J]
    double work;             // of contact
    double energy;           // of motion and of contact impulses
} ContactWork;

typedef struct GroupEnergy { // of a group of rods, where the budget is spent [J]
    double most;             // it may have at the end of the step, or what of that is left for motion
    double motion;
} GroupEnergy;

struct WorldContact {
    ContactNewton newton;
    bool stale;                     // the colliders must be filled again, without warm starts
    bool remeshed;                  // the same, where only nodes of rods changed: their numbers are right
    ContactConstraints constraints; // of explicit and position-based rods
    ContactConstraints corrections; // of their overlaps at the end of the step
    ContactConstraints resting;     // of their velocities at the time of the positions
    ImpactZones zones;              // rigid impact zones, for explicit rods as in the paper
    DofVector since;                // displacement from the start of the step
    size_t since_size;
    DofVector detected; // positions at the end of the step when contacts were last found
    size_t detected_size;
    DofVector kept; // velocities of the step, while positions are corrected
    size_t kept_size;
    double* kept_pull; // tensions, likewise (segment_count)
    int kept_pull_capacity;
    DofVector redone; // contact displacement when position-based rods were last solved in this step
    size_t redone_size;
    DofVector velocity; // at the start of the step, where the law of friction depends on it
    size_t velocity_size;
    DofVector kick; // what all forces but contact change of them in the step
    size_t kick_size;
    DofVector mean; // displacement over which contact forces do their work in a step
    size_t mean_size;
    MotionLimit limit; // of rods, where the budget was spent
    BudgetUse used;    // of the step under way, or the last one
    // By rod (colliders.rod_count): the first rod of its group of rods that push each other; and for that
    // one, the work of contact in the group, and whether something keeps the group from sleep. `sleep_awake`
    // has twice as many entries: the second half says whether something holds the group up.
    int* group;
    ContactWork* work;
    GroupEnergy* energies; // likewise, in a step whose budget is spent
    bool* sleep_awake;
    int group_capacity, work_capacity, energy_capacity, sleep_awake_capacity;
    bool sleepers_changed;         // since their forces on obstacles were found
    ContactPoints asleep;          // contacts from which these were found
    BudgetUse used_before;         // the substep's attempt at contacts, which begins anew where it wakes rods
    Delassus delassus;             // compliance of position-based rods
    double drift;                  // sum over rounds of the largest motion since it was found [m]
    Arena delassus_arena;          // memory of the Delassus operator
    Arena column_arena;            // and of its columns, and of sweeps
    struct SweepTask* sweep_tasks; // in it
    size_t sweep_scratch;          // for each of them [bytes]
    Island* islands;               // of implicit rods (island_count)
    int island_count, island_capacity;
    CordContact* list; // contacts of the present state (list_count)
    int list_count, list_capacity;
    DofVector force; // contact forces with friction [N], [N m]
    size_t force_size;
    int64_t revision; // world revision that list and force belong to
};

CordResult contact_no_memory(CordWorld* w);
// True if contact solves the rod again, in batches.
static inline bool contact_is_batched(const Rod* rod)
{
    return stepper_of(rod)->again;
}
// Fails with a message that names the two things that overlap.
CordResult contact_overlap(CordWorld* w, const ContactPoint* worst, double deep);
// The same, for an overlap that cannot be untangled
CordResult contact_tangle(CordWorld* w, const ContactPoint* worst, double deep, const char* why);
CordResult contact_fill(CordWorld* w);                    // fills the colliders, also while contact is off
bool contact_add_rod(CordWorld* w, Colliders* cs, int i); // false: no memory
bool contact_add_obstacle(CordWorld* w, Colliders* cs, int i); // false: no memory
int contact_find_rod(const CordWorld* w,
                     const Rod* rod); // among the colliders, which are filled; -1: it is not
CordContact contact_from_point(const WorldContact* c, const ContactPoint* contact);
SurfaceLaws contact_surface_laws(const CordWorld* w);
// True if some pair of surfaces has a restitution.
bool contact_may_rebound(const CordWorld* w, const Colliders* cs);
// True if some pair of surfaces resists rolling or spinning.
bool contact_may_roll(const CordWorld* w, const Colliders* cs);
bool contact_any_may_roll(const CordWorld* w); // of all that the world has, also while colliders are stale
const ColliderSolid* contact_find_compliant(const Colliders* cs); // the first obstacle that is; NULL: none
// Before a step of h, after contact_move_solids: reads the velocities that the laws of contact depend on.
// False: no memory.
bool contact_read_velocities(CordWorld* w, double h);
// The same for what other forces change of them. `since` is the motion of the step without contact.
bool contact_read_kick(CordWorld* w, const DofVector* since, double h);
void contact_set_law(CordWorld* w);                    // the contact law of implicit rods
size_t contact_batch_scratch(const CordWorld* w);      // scratch of position-based rods; 0: there are none
size_t contact_compliance_scratch(const CordWorld* w); // scratch for their compliance
void contact_set_masses(const Colliders* cs, ContactConstraints* b);
// Explicit rods. contact_apply_impulses adds the contact impulses to the predicted velocities.
// contact_measure_rod updates the collider positions at the end of the step and the displacement since its
// start.
void contact_apply_impulses(const ColliderRod* r, const DofVector* moved, double h);
void contact_measure_rod(const Colliders* cs, const ColliderRod* r, DofVector* since, double h);
// contact_budget.c
void contact_begin_use(CordWorld* w); // of a substep
// Ends the rounds of a step whose budget is spent, with the residual of their last sweep [m].
void contact_end_rounds(CordWorld* w, double residual);
// Limits the motion of rods that would come too close to something, and counts what is not met. clear: all is
// apart to within the tolerance. CORD_NOT_CONVERGED: something presses that does not stop.
CordResult contact_end_spent(CordWorld* w, double h, bool clear, Message* message);
// sleep.c: finds the first rod of each rod's group of rods that push each other.
void contact_find_groups(const WorldContact* c, int* group);
// contact_work.c. contact_does_work is true if contact would do work on some group of rods in the step whose
// end is known.
bool contact_reserve_work(CordWorld* w); // false: no memory
bool contact_does_work(CordWorld* w, double h);
// contact_batch.c: position-based rods.
// contact_redo_batches solves the rods again that contact has moved.
void contact_redo_batches(CordWorld* w, double h, Arena* scratch);
// One round of Gauss-Seidel sweeps over all active contacts. Returns false without memory.
bool contact_solve_round(CordWorld* w, double h, const ContactRound* round, SweepResult* done);
// True if the end state of some rod changes with impulses by more than W told in the last round.
bool contact_is_blind(const CordWorld* w);
// Sets the poses of solids at the start and the end of a step from now.
void contact_move_solids(CordWorld* w, double h);
// For a solve: moves obstacles from where they are to their pose at `time`. contact_place_solids also places
// bodies, which stay.
void contact_place_obstacles(CordWorld* w, double time);
void contact_place_solids(CordWorld* w, double time);
void contact_commit_solids(CordWorld* w); // accepts the poses
// contact_forces.c: obstacles get the forces of the contacts of the present state.
void contact_store_reactions(CordWorld* w);

#endif
