// The choice of time steps from frame to frame, for every program that runs scenes (library cord_io).
// Programs that follow it get the same bits, however they divide their work, and so does a run that is
// stopped and resumed.
//
//     CordPace pace = cord_pace_begin(&(CordPaceDef){scene, run->step, run->end, run->fps});
//     CordPaceNext next = cord_pace_next(&pace, world);
//     while (next.kind == CORD_PACE_STEPS || next.kind == CORD_PACE_FRAME) {
//         if (next.kind == CORD_PACE_FRAME) {
//             cord_world_frame(world, &frame); // at k/fps, and at the end
//         } else if (cord_world_step_many(world, next.h, next.count) != CORD_OK) { // or fewer of them
//             break;
//         }
//         next = cord_pace_next(&pace, world);
//     }
#ifndef CORDAGE_PACE_H
#define CORDAGE_PACE_H

#include <cordage/io.h>

#ifdef __cplusplus
extern "C" {
#endif

// The part of the advised step that "auto" takes. The advice is the limit of linear stability in the present
// state, or keeps the error of an implicit step small. The margin is for changes of the state before the next
// advice.
#define CORD_PACE_SAFETY 0.8

// A frame of more steps than this is a mistake in the scene.
#define CORD_PACE_MOST_STEPS 1e8

// Frames are at k/fps and at the end. A time within this part of a frame of k/fps counts as k/fps.
#define CORD_PACE_SLACK 1e-6

// ---- one step

typedef struct CordPaceChoice {
    double longest; // no step is longer than this [s]
    bool automatic;
    CordStepAdvice advice;
} CordPaceChoice;

// Chooses a step from the world's state alone. step is 0 for "auto"; `any` is then the step if all are stable
// [s].
CORD_API CordPaceChoice cord_pace_choose(const CordWorld* world, double step, double any);

// The automatic step of a scene whose world is stable at any step.
typedef struct CordAnyStep {
    const char* why;   // "position-based"
    const char* taken; // "a tenth of a frame, for accuracy"
    double step;       // [s]
} CordAnyStep;

// interval is the time to the next frame [s].
CORD_API CordAnyStep cord_pace_any_step(const CordScene* scene, double interval);

typedef struct CordPacePlan {
    double h;      // [s]
    int64_t count; // steps of h fill the interval; 0: more than CORD_PACE_MOST_STEPS would be taken
} CordPacePlan;

// Divides the interval into equal steps. `reach` is the part of it in which steps are taken [s].
CORD_API CordPacePlan cord_pace_plan(double interval, double reach, double longest);

// Whether a step is longer than a frame. Only the part up to the next frame is then taken.
CORD_API bool cord_pace_exceeds_frame(double step, double fps);

// ---- a run

typedef struct CordPaceDef {
    const CordScene* scene; // the world's scene, which must live as long as the pace
    double step;            // [s]; 0: auto
    double end;             // [s]; INFINITY: never
    double fps;             // frames per simulated second
} CordPaceDef;

typedef struct CordPace { // it owns nothing, so it may be copied
    CordPaceDef def;
    bool under_way;    // steps of the plan lead to the frame at frame_time
    double frame_time; // it may be beyond the end [s]
    double goal;       // the plan leads to this time: that of the frame, or of a jump before it [s]
    CordPacePlan plan;
    int64_t left;   // steps of the plan up to its goal or the end
    int64_t asked;  // the world's steps at the last call of cord_pace_next
    bool shortened; // the last answer was the step that meets the end
} CordPace;

typedef enum CordPaceKind {
    CORD_PACE_STEPS,     // take these steps now
    CORD_PACE_FRAME,     // the world is at the time of a frame, or at the end
    CORD_PACE_END,       // the run is complete
    CORD_PACE_TOO_SHORT, // the frame would take more than CORD_PACE_MOST_STEPS steps of plan.h
} CordPaceKind;

typedef struct CordPaceNext {
    CordPaceKind kind;
    double h;       // [s]
    int count;      // steps of h before the next call, or fewer; at most 32
    bool shortened; // the step was shortened to meet the end, so a longer run would differ from here on
    bool chosen;    // a new step was chosen
    CordPaceChoice choice; // why, if it was
    CordPacePlan plan;     // up to the next frame or jump; all steps but a shortened one have its h
} CordPaceNext;

// The world is at its start, or in a state that the same pace led to: the next steps follow from the state
// alone. A world that is set to another state needs a new pace.
CORD_API CordPace cord_pace_begin(const CordPaceDef* def);

// What to do next. A step is chosen at each frame. Within a frame it is only chosen anew if the state has
// become too stiff for it, such as the tip of a whip, or if steps can be much longer. The number of steps
// that the caller takes between two calls does not change which steps are taken. The world keeps when the
// advice is due again (cord_world_set_advice_memory).
CORD_API CordPaceNext cord_pace_next(CordPace* pace, CordWorld* world);

CORD_API bool cord_pace_is_frame_time(const CordPace* pace, const CordWorld* world); // is now at k/fps
CORD_API double cord_pace_frames_left(const CordPace* pace, const CordWorld* world); // to the end
CORD_API bool cord_pace_is_done(const CordPace* pace, const CordWorld* world); // the end is now, or past

#ifdef __cplusplus
}
#endif

#endif
