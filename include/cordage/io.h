// Scenes in, frames out: this library, cord_io, reads scene files, writes and reads recordings, exports, and
// renders pictures. HDF5, Embree, libpng and ffmpeg are optional when it is built; cord_io_features() lists
// what it has.
#ifndef CORDAGE_IO_H
#define CORDAGE_IO_H

#include <cordage/contact.h>
#include <cordage/cordage.h>
#include <cordage/solve.h>

#ifdef __cplusplus
extern "C" {
#endif

// One sentence about what failed, where, and what to do. Functions below fill it in if they do not return
// CORD_OK.
typedef struct CordMessage {
    char text[1024];
} CordMessage;

CORD_API const char* cord_io_features(void); // "hdf5 embree png", what this build can do

// ---- scenes

typedef struct CordScene CordScene;

typedef struct CordSceneNote { // an error or a warning about a scene
    bool is_error;
    int line, column; // from 1; 0: the whole file, or a setting
    const char* text; // without the position
} CordSceneNote;

typedef struct CordSceneRun { // how long a scene runs, and how often it is recorded
    const char* title;
    double step; // [s]; 0: auto
    double end;  // [s]
    double fps;  // recorded frames per simulated second
} CordSceneRun;

typedef struct CordSceneCamera { // hints for pictures; a number that is not given is NAN
    CordVec3 eye, target, up;    // [m]; eye and target are given together
    double field_of_view;        // vertical [rad]
    double radius_scale;
    bool has_ground, ground; // whether a floor is drawn, if has_ground is set
    double ground_height;    // z [m]; NAN: just below the rods
} CordSceneCamera;

typedef struct CordSceneSwitch { // a change to the branch that crosses at a bifurcation
    int at;                      // number of the bifurcation, counted along the branch from 1
    double amplitude; // push along the mode that has become unstable; its sign chooses the side [m]
} CordSceneSwitch;

typedef struct CordSceneSolve { // statics: the branch of equilibria to compute
    bool given; // false: the scene has no `solve`, and the defaults go from 0 to the end of the run
    CordBranchDef branch;
    const CordSceneSwitch* switches; // (switch_count) by `at`
    int switch_count;
    double push;   // largest displacement of a push before the start [m]; 0: no push
    int push_mode; // vibration of the first state along which the push is, the softest being 1
} CordSceneSolve;

// Joints of rigid bodies with each other, for engines that have them. The library of the engine makes them
// after the world is built.
typedef enum CordSceneJointKind {
    CORD_SCENE_JOINT_BALL,   // bodies share the anchor
    CORD_SCENE_JOINT_HINGE,  // bodies share the anchor and the axis
    CORD_SCENE_JOINT_SLIDER, // bodies slide along the axis and do not turn
    CORD_SCENE_JOINT_FIXED,
} CordSceneJointKind;

typedef struct CordSceneBodyJoint {
    CordSceneJointKind kind;
    const char* bodies[2]; // their names; the second may be NULL: the world
    CordVec3 anchor;       // in space, at the start [m]
    CordVec3 axis;         // in space, at the start
} CordSceneBodyJoint;

// Reads a scene. Each setting is "path=value", as the option --set takes it: rods[0].elements=200,
// rods[*].model="der". On CORD_BAD_FILE the scene is made, and its notes list all errors. Only on
// CORD_NO_MEMORY is *scene NULL. cord_scene_parse reads text in memory; `path` is for notes, and to find the
// files that the scene names.
CORD_API CordResult cord_scene_load(const char* path, const char* const* settings, int setting_count,
                                    CordScene** scene);
CORD_API CordResult cord_scene_parse(const char* text, size_t size, const char* path,
                                     const char* const* settings, int setting_count, CordScene** scene);

// Files of the caller, instead of the disk, for the names in a scene.
typedef struct CordFiles {
    // Gives the bytes of the file that the scene names so. They stay the caller's, and must stay valid until
    // the scene has been read. False: there is no such file.
    bool (*read)(void* user, const char* name, const char** bytes, size_t* size);
    void* user;
} CordFiles;

// Does what cord_scene_parse does, with files from the caller alone. With NULL they come from the disk.
CORD_API CordResult cord_scene_parse_with(const char* text, size_t size, const char* path,
                                          const char* const* settings, int setting_count,
                                          const CordFiles* files, CordScene** scene);
CORD_API void cord_scene_destroy(CordScene* scene);

// Writes the JSON Schema of scene files, with a zero at its end, cut to `room` bytes. Returns the size of the
// whole schema without the zero, or 0 if there is no memory. With a room of 0, `text` may be NULL.
CORD_API size_t cord_scene_schema(char* text, size_t room);

CORD_API const char* cord_scene_path(const CordScene* scene);
CORD_API const char* cord_scene_text(const CordScene* scene, size_t* size); // as read, without the settings
CORD_API int cord_scene_setting_count(const CordScene* scene);
CORD_API const char* cord_scene_setting(const CordScene* scene, int index);
// The files that were read for the scene, each once: the name in the scene, and the path on the disk, which
// is the name again for files of the caller.
CORD_API int cord_scene_file_count(const CordScene* scene);
CORD_API const char* cord_scene_file_name(const CordScene* scene, int index);
CORD_API const char* cord_scene_file_path(const CordScene* scene, int index);
CORD_API int cord_scene_note_count(const CordScene* scene);
CORD_API CordSceneNote cord_scene_note(const CordScene* scene, int index);
CORD_API const CordSceneRun* cord_scene_run(const CordScene* scene);
CORD_API const CordSceneCamera* cord_scene_camera(const CordScene* scene);
CORD_API const CordSceneSolve* cord_scene_solve(const CordScene* scene);
// surfaces are numbered by their materials
CORD_API const CordContactDef* cord_scene_contact(const CordScene* scene);

// The defs of the rods, in the order of the world's rods. Sections and stiffnesses that vary along a rod are
// not in them.
CORD_API int cord_scene_rod_count(const CordScene* scene);
CORD_API const CordRodDef* cord_scene_rod(const CordScene* scene, int index); // NULL: no such

// Finds the line and column of a thing of the scene, by its index in the world. False: it came with a
// setting.
typedef enum CordSceneThing {
    CORD_SCENE_ROD,
    CORD_SCENE_CLAMP,
    CORD_SCENE_BODY,
    CORD_SCENE_OBSTACLE,
    CORD_SCENE_BODY_JOINT, // by its index in the scene
    CORD_SCENE_SOLVE       // its method, if one is given; the index is 0
} CordSceneThing;

CORD_API bool cord_scene_place(const CordScene* scene, CordSceneThing thing, int index, int* line,
                               int* column);
// Finds the line and column that a failure of the scene's world comes from: the later one of two clamps that
// are too far apart at `time` (NAN: clamps are not checked), else the obstacle, body or rod that the message
// names. False: there is no such place.
CORD_API bool cord_scene_blame(const CordScene* scene, const CordWorld* world, double time,
                               const char* message, int* line, int* column);
// What drives the scene from outside, for advice: "a clamp's motion", "an obstacle's motion" or "a load".
// NULL: nothing does.
CORD_API const char* cord_scene_driver(const CordScene* scene);
// The engine of its rigid bodies: "free" or "ode".
CORD_API const char* cord_scene_engine(const CordScene* scene);
CORD_API int cord_scene_body_joint_count(const CordScene* scene);
CORD_API const CordSceneBodyJoint* cord_scene_body_joint(const CordScene* scene, int index); // NULL: no such

// Builds the world of a scene, with the scene's gravity and the caller's hooks. What the world refuses
// becomes a note at the rod, clamp, load or probe that asked for it. Rods, bodies, clamps, obstacles and
// probes are created in the scene's order.
//
// If the scene names another engine than the core's own, hooks->engine must be the engine of that name;
// otherwise the scene is refused. A scene that names none has the engine of the hooks.
CORD_API CordResult cord_scene_build(CordScene* scene, const CordWorldDef* hooks, CordWorld** world);

// If two rods of the scene overlap only because their straight elements cut the corners of their curves: how
// many elements each takes to be clear of itself and of the other. `other` may be `rod`. False: more elements
// do not help, or the scene gives the nodes of a rod one by one.
CORD_API bool cord_scene_clear_elements(CordScene* scene, int rod, int other, int elements[2]);

// The materials that come with Cordage.
typedef struct CordNamedMaterial {
    const char* name;
    CordMaterial material;
    const char* source; // where the values come from
} CordNamedMaterial;

CORD_API int cord_material_count(void);
CORD_API const CordNamedMaterial* cord_material_named(int index);

// ---- cache of modes

// Modes are cached in files, so that the same structure has them at once the next time. Damaged files are not
// used, nothing is cached in a directory that cannot be written to, and several programs may share a
// directory.
typedef struct CordModeStore {
    char directory[1024]; // made when it is first needed; empty: nothing is cached
    int64_t most_bytes;   // of all files; those that were used least recently are deleted first
} CordModeStore;

// $CORDAGE_CACHE (empty: nothing is cached), else $XDG_CACHE_HOME/cordage/modes, else
// $HOME/.cache/cordage/modes; 1 GB.
CORD_API CordModeStore cord_mode_store_default(void);
// Sets load, save and store_user (cordage/modal.h). The store must live as long as the worlds with these
// hooks.
CORD_API void cord_mode_store_hooks(CordModeStore* store, CordModalHooks* hooks);

// ---- recordings

// A recording is one HDF5 file, laid out as docs/recording.md says. A process killed at any moment loses no
// frame that was put.
typedef struct CordRecorder CordRecorder;

typedef struct CordRecorderDef {
    const char* path;
    const CordScene* scene; // its text and settings are kept, so that the run can be resumed
    // frames between snapshots to resume from, and one at the end; 0: only those put by hand
    int snapshot_every;
    bool branch; // frames are the points of a branch of equilibria: put_branch_point, not put_frame
} CordRecorderDef;

CORD_API CordRecorderDef cord_recorder_def_default(void); // snapshot_every 10

// create makes a new file, or replaces one; resume opens one that was stopped or killed, sets the world to
// its last snapshot, drops the frames after it (they will come out the same) and goes on from there.
CORD_API CordResult cord_recorder_create(const CordRecorderDef* def, CordWorld* world,
                                         CordRecorder** recorder, CordMessage* message);
CORD_API CordResult cord_recorder_resume(const CordRecorderDef* def, CordWorld* world,
                                         CordRecorder** recorder, CordMessage* message);
CORD_API int cord_recorder_frame_count(const CordRecorder* recorder);
// one row; after every step
CORD_API CordResult cord_recorder_put_probes(CordRecorder* recorder, CordMessage* message);
// flushed before it returns
CORD_API CordResult cord_recorder_put_frame(CordRecorder* recorder, CordMessage* message);
// The world, left at a point of a branch, as a frame whose time is the parameter, and what is known of the
// point.
CORD_API CordResult cord_recorder_put_branch_point(CordRecorder* recorder, const CordBranchPoint* point,
                                                   CordMessage* message);
// now, whatever snapshot_every is
CORD_API CordResult cord_recorder_put_snapshot(CordRecorder* recorder, CordMessage* message);
// The run failed and goes no further: `why`, one sentence, is kept when the recorder is closed. Resuming
// forgets it.
CORD_API void cord_recorder_set_failure(CordRecorder* recorder, const char* why);
// frees it even if it fails
CORD_API CordResult cord_recorder_close(CordRecorder* recorder, CordMessage* message);

typedef struct CordRecording CordRecording;

CORD_API CordResult cord_recording_open(const char* path, CordRecording** recording, CordMessage* message);
CORD_API void cord_recording_close(CordRecording* recording);
CORD_API bool cord_recording_is(const char* path); // does the file look like a recording?
CORD_API const char* cord_recording_version(const CordRecording* recording); // of the program that wrote it
// closed: not cut off, and nothing had failed
CORD_API bool cord_recording_complete(const CordRecording* recording);
// why the run failed; NULL: it did not
CORD_API const char* cord_recording_failure(const CordRecording* recording);

// The path and the text of the scene, without its settings; NULL: the program that recorded had no scene.
CORD_API const char* cord_recording_scene_path(const CordRecording* recording);
CORD_API const char* cord_recording_scene_text(const CordRecording* recording, size_t* size);
// The scene as it was run. The caller destroys it.
CORD_API CordResult cord_recording_scene(const CordRecording* recording, CordScene** scene,
                                         CordMessage* message);

CORD_API int cord_recording_probe_count(const CordRecording* recording);
CORD_API const char* cord_recording_probe_name(const CordRecording* recording, int probe);
CORD_API CordMeasure cord_recording_probe_measure(const CordRecording* recording, int probe);
CORD_API int64_t cord_recording_probe_rows(const CordRecording* recording);
// (rows)
CORD_API CordResult cord_recording_probe_times(CordRecording* recording, double* times, CordMessage* message);
CORD_API CordResult cord_recording_probe_values(CordRecording* recording, int probe, double* values,
                                                CordMessage* message); // (rows x cord_measure_size)

// Of a branch of equilibria every frame is a point: frame `point` is that one's shape. Its times may go down.
CORD_API bool cord_recording_is_branch(const CordRecording* recording);
CORD_API CordResult cord_recording_branch_point(CordRecording* recording, int index, CordBranchPoint* point,
                                                CordMessage* message);

// ---- frames

// Where exports and pictures get their frames: a recording, or a world at one moment. A frame read is valid
// until the next read.
typedef struct CordFrames {
    int count;
    CordResult (*read)(void* user, int index, CordFrame* frame, CordMessage* message);
    void* user;
    CordRecording* recording; // for its probes; NULL if there is none
} CordFrames;

CORD_API CordFrames cord_recording_frames(CordRecording* recording);
CORD_API CordFrames cord_world_frames(CordWorld* world); // one frame: now

// The internal forces of a rod, resolved along the axes of its sections: the tangent t, m1, and m2 = t x m1.
// Each is what the part after a section does to the part before it. A network has no way along it, so the arc
// is NAN; at its nodes, where any number of edges meet, no section is, and no moment.
typedef struct CordSectionForce { // in an edge
    double arc;                   // of its middle, from the rod's start along the rod as it is [m]
    double tension;               // along t [N]
    double shear1, shear2;        // along m1 and m2 [N]; NAN: not recorded
} CordSectionForce;

typedef struct CordSectionMoment { // at a node, along axes half way between those of its edges
    double arc;                    // from the rod's start [m]
    double moment1, moment2;       // bending, about m1 and m2 [N m]
    double torque;                 // twisting, about t [N m]
} CordSectionMoment;

CORD_API void cord_frame_forces(const CordFrame* frame, int rod, CordSectionForce* forces);    // (edge_count)
CORD_API void cord_frame_moments(const CordFrame* frame, int rod, CordSectionMoment* moments); // (node_count)

// Called now and then during long work; returning false stops it (the call then returns CORD_OK with what is
// done).
typedef struct CordProgress {
    bool (*update)(void* user, int done, int total); // NULL: none
    void* user;
} CordProgress;

// ---- exports

typedef struct CordExportFormat {
    const char* name;    // "csv"
    const char* summary; // what it is for and which files it makes, one line
} CordExportFormat;

CORD_API int cord_export_format_count(void);
CORD_API const CordExportFormat* cord_export_format(int index);

// What a table holds, one row for each of them and frame; probes: one row for each step.
typedef enum CordExportTable {
    CORD_TABLE_NODES,   // where they are
    CORD_TABLE_FORCES,  // edges: tension and shear
    CORD_TABLE_MOMENTS, // nodes: bending moments and torque
    CORD_TABLE_BODIES,
    CORD_TABLE_OBSTACLES, // where they are, and what the rods do to them
    CORD_TABLE_CONTACTS,
    CORD_TABLE_PROBES, // of a recording
    CORD_TABLE_BRANCH, // the points of one, for frames from its recording
    CORD_TABLE_LEDGER, // what each of its entries has done, up to each frame
    CORD_TABLE_COUNT
} CordExportTable;

CORD_API const char* cord_export_table_name(CordExportTable table); // "nodes", ... or NULL

typedef struct CordReelScene CordReelScene;   // cordage/reel.h
typedef struct CordPictureDef CordPictureDef; // below

typedef struct CordExportDef {
    const char* format;
    const char* path;      // csv, obj and glb: "-" is standard output
    int first, last;       // frames [first, last]; last -1: to the end. obj writes `first` alone
    int sides;             // of tubes, round bodies and obstacles in surface formats
    CordExportTable table; // csv: which
    // glb, blender: whose rods share colours; blender: camera and ground. NULL: the default
    const CordPictureDef* picture;
    const CordReelScene* scene; // reel, html: kept with the frames, so that it can be run; NULL: none
    bool live;                  // reel, html: the scene alone, to be run
    int64_t most;               // reel: bytes; larger ones are refused. 0: CORD_REEL_MOST
    const char* page;           // html: the page of the browser, a file that "make web" makes
    const char* title;          // html: of the page; NULL: "Cordage"
    CordProgress progress;
} CordExportDef;

CORD_API CordExportDef cord_export_def_default(void); // all frames, 12 sides
CORD_API CordResult cord_export(const CordFrames* frames, const CordExportDef* def, CordMessage* message);

// ---- pictures

// Rods that belong together, such as those of one of several runs in one frame.
typedef struct CordPictureGroup {
    // for the legend, NULL: none. Letters from a to z, digits and . - _ + = are drawn, others left blank
    const char* name;
    int rod_count; // of the frame's rods, after those of the groups before
} CordPictureGroup;

typedef struct CordPictureDef {
    int width, height;
    bool fit;                 // place the camera so that everything seen by cord_picture_fit is in view
    CordVec3 eye, target, up; // [m]; eye - target gives the direction when fitting
    double field_of_view;     // vertical [rad]
    double radius_scale;      // draw rods this much thicker than they are
    double least_radius;      // but at least this fraction of the picture's height
    bool ground;              // draw a floor under everything, with shadows
    double ground_height;     // z [m]; NAN: just below what is fitted. A plane that faces up comes first
    int samples;              // rays per pixel where there is something to smooth
    bool nodes; // bullets on the nodes of rods: black, or white where an adaptive rod has taken them in
    bool label; // write the time and the spacing of the floor's grid into the lower corners
    // Each group has a pair of colours, and its name stands in the upper left corner beside them; rods after
    // the last group are each a group. NULL: every rod has a pair of its own, eight of them in turn.
    const CordPictureGroup* groups; // (group_count)
    int group_count;
    CordTasks tasks; // threads; the picture does not depend on them
} CordPictureDef;

// 1280 x 720, fitted, seen from the front and a little above
CORD_API CordPictureDef cord_picture_def_default(void);
// the strong one of a group's pair, 0xrrggbb: for plots beside the picture
CORD_API uint32_t cord_picture_color(int group);

// Widens *low and *high to hold the frame, but for planes, and for what is far out of obstacles much larger
// than its rods and bodies; start from low > high. cord_picture_fit places the camera for that box, and the
// ground if its height is NAN, and clears `fit`: what is then rendered keeps that camera.
CORD_API void cord_picture_bounds(const CordFrame* frame, CordVec3* low, CordVec3* high);
CORD_API void cord_picture_fit(CordPictureDef* def, CordVec3 low, CordVec3 high);

CORD_API CordResult cord_picture_render(const CordFrame* frame, const CordPictureDef* def, uint8_t* rgb,
                                        CordMessage* message); // (width x height x 3)
CORD_API CordResult cord_picture_png(const CordFrame* frame, const CordPictureDef* def, const char* path,
                                     CordMessage* message);
CORD_API CordResult cord_picture_mp4(const CordFrames* frames, const CordPictureDef* def, double fps,
                                     int first, int last, const char* path, CordProgress progress,
                                     CordMessage* message);

#ifdef __cplusplus
}
#endif

#endif
