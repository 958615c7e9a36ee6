// Which steps lead from frame to frame: the one policy of every program that runs scenes. Two programs that
// follow it give a scene the same bits, whatever pieces their work is cut into, and so does a run that is
// stopped and resumed. Library cord_io.
//
//     CordPace pace = cord_pace_begin(&(CordPaceDef){scene, run->step, run->end, run->fps});
//     CordPaceNext next = cord_pace_next(&pace, world);
//     for (; next.kind == CORD_PACE_STEPS || next.kind == CORD_PACE_FRAME; next = cord_pace_next(&pace,
//     world)) {
//         if (next.kind == CORD_PACE_FRAME) {
//             cord_world_frame(world, &frame); // at k/fps, and at the end
//         } else if (cord_world_step_many(world, next.h, next.count) != CORD_OK) { // or fewer of them
//             break;
//         }
//     }
#ifndef CORDAGE_PACE_H
#define CORDAGE_PACE_H

#include <cordage/io.h>

#ifdef __cplusplus
extern "C" {
#endif

// Part of the advised step that "auto" takes. The advice is the limit of linear stability in the state at
// that moment, or what keeps the error of an implicit step small; the margin is for what the state does
// before the next look at it.
#define CORD_PACE_SAFETY 0.8

// More steps than this in one frame is a mistake in the scene, not a long run.
#define CORD_PACE_MOST_STEPS 1e8

// Frames come at k/fps and at the end. A time within this part of a frame of k/fps is k/fps.
#define CORD_PACE_SLACK 1e-6

// ---- one step

typedef struct CordPaceChoice {
    double longest; // no step is longer than this [s]
    bool automatic;
    CordStepAdvice advice;
} CordPaceChoice;

// step 0: auto; any: what is then taken if every step is stable [s]. Looks at nothing but the world's state.
CORD_API CordPaceChoice cord_pace_choose(const CordWorld* world, double step, double any);

// Of a scene that may take steps of any length, if its world says so.
typedef struct CordAnyStep {
    const char* why;   // "position-based"
    const char* taken; // "a tenth of a frame, for accuracy"
    double step;       // that is taken if none is given [s]
} CordAnyStep;

// interval: to the next frame [s]
CORD_API CordAnyStep cord_pace_any_step(const CordScene* scene, double interval);

typedef struct CordPacePlan {
    double h;      // [s]
    int64_t count; // steps of h fill the interval; 0: more than CORD_PACE_MOST_STEPS would be taken
} CordPacePlan;

// Equal steps that fill the interval, of which those over `reach` are taken, the interval or its beginning
// [s].
CORD_API CordPacePlan cord_pace_plan(double interval, double reach, double longest);

// Of a step that reaches beyond the next frame no more is taken than up to there.
CORD_API bool cord_pace_exceeds_frame(double step, double fps);

// ---- a run

typedef struct CordPaceDef {
    const CordScene* scene; // that the world was made from; it must be there as long as the pace is used
    double step;            // [s]; 0: auto
    double end;             // [s]; INFINITY: never
    double fps;             // frames per simulated second
} CordPaceDef;

typedef struct CordPace { // owns nothing; a copy goes on as the first would have
    CordPaceDef def;
    bool under_way;    // to the frame at frame_time, by the steps of the plan that are left
    double frame_time; // which may lie beyond the end [s]
    CordPacePlan plan;
    int64_t left;   // steps of the plan, before the end if that is sooner
    int64_t asked;  // the world's steps when next was last called
    bool shortened; // the caller was told the one that meets the end
} CordPace;

typedef enum CordPaceKind {
    CORD_PACE_STEPS, // to be taken now
    CORD_PACE_FRAME, // a frame's time, or the end, has been reached; the next call goes on to the one after
    CORD_PACE_END,   // there is nothing more to do
    CORD_PACE_TOO_SHORT, // the frame would take more than CORD_PACE_MOST_STEPS: plan.h says of which length
} CordPaceKind;

typedef struct CordPaceNext {
    CordPaceKind kind;
    double h;  // [s]
    int count; // so many steps of h before the next call, or fewer; at most 32
    // the one step that meets the end: from there, a run that goes farther would not have gone the same way
    bool shortened;
    bool chosen;           // a new step was chosen
    CordPaceChoice choice; // if so, why this one
    // what was chosen, over what is left of the frame; all steps but a shortened one are of its h
    CordPacePlan plan;
} CordPaceNext;

// A world at the beginning, or in any state that this pace led it to before: what comes next follows from the
// state alone. One that is set to another state under way needs a new pace.
CORD_API CordPace cord_pace_begin(const CordPaceDef* def);

// What to do now. The step is chosen at a frame and kept; it is chosen anew within it only if the state has
// become too stiff for it (a whip's tip, a rope pulled taut), or if implicit steps can be longer. How many
// steps the caller takes between two calls does not change which they are.
CORD_API CordPaceNext cord_pace_next(CordPace* pace, const CordWorld* world);

CORD_API bool cord_pace_is_frame_time(const CordPace* pace, const CordWorld* world); // is now at k/fps
CORD_API double cord_pace_frames_left(const CordPace* pace, const CordWorld* world); // to the end
CORD_API bool cord_pace_is_done(const CordPace* pace, const CordWorld* world); // the end is now, or past

#ifdef __cplusplus
}
#endif

#endif
