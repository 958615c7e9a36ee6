// Reels: a scene, or frames, or both, as bytes for the page in the browser. The page uses this one format for
// the frames of a running world, for recordings that it plays, and for files that it saves. docs/reel.md
// describes the bytes. A reel holds what is needed to display a run, in single precision; a recording
// (cordage/io.h) holds what is needed to resume it.
//
// Only cord_reel_scene_gather opens files.
#ifndef CORDAGE_REEL_H
#define CORDAGE_REEL_H

#include <cordage/io.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CORD_REEL_VERSION 1
#define CORD_REEL_MOST INT32_MAX // largest size of a reel [bytes]

// ---- writing

// A growing array of bytes. Initialise it with zeros, or with an allocator. Set size to 0 to reuse its
// memory.
typedef struct CordReelBytes {
    uint8_t* data;         // (capacity)
    size_t size, capacity; // bytes used, bytes allocated
    CordAllocator allocator;
} CordReelBytes;

CORD_API void cord_reel_bytes_free(CordReelBytes* bytes);

typedef struct CordReelFile {
    const char* name; // as the scene writes it
    const void* bytes;
    size_t size;
} CordReelFile;

struct CordReelScene { // all that is needed to run a scene
    const char* path;  // for messages
    const char* text;
    size_t text_size;
    const char* const* settings; // (setting_count), as --set takes them
    int setting_count;
    const CordReelFile* files; // files that the scene names (file_count)
    int file_count;
};

// Gathers the scene of a reel: its path without folders, its text and settings, and the files that it names,
// which are read again. The result refers to the scene and is valid as long as the scene. Free it even after
// a failure.
CORD_API CordResult cord_reel_scene_gather(const CordScene* scene, CordReelScene* gathered,
                                           CordMessage* message);
CORD_API void cord_reel_scene_free(CordReelScene* gathered);

// A reel is a head followed by chunks. cord_reel_chunk_begin returns a mark, which cord_reel_chunk_end needs
// after the payload was written; 0: no memory.
CORD_API CordResult cord_reel_put_head(CordReelBytes* bytes);
CORD_API size_t cord_reel_chunk_begin(CordReelBytes* bytes, const char tag[4]); // "SCEN", "LAYO" or "FRAM"
CORD_API CordResult cord_reel_chunk_end(CordReelBytes* bytes, size_t mark);

// Payloads. Each function appends one, or nothing if its result is not CORD_OK. A scene comes first, if there
// is one. A layout precedes the first frame, and every frame whose layout differs from the one before;
// compare the bytes to find out.
CORD_API CordResult cord_reel_put_scene(const CordReelScene* scene, CordReelBytes* bytes);
CORD_API CordResult cord_reel_put_layout(const CordFrame* frame, CordReelBytes* bytes);
CORD_API bool cord_reel_bytes_equal(const CordReelBytes* a, const CordReelBytes* b);

// Writhe of each rod [turns] (rod_count). NULL, or NAN for one of the rods: not known.
CORD_API CordResult cord_reel_put_frame(const CordFrame* frame, const double* writhe, CordReelBytes* bytes);
// Computes the writhe of the rods of a frame (rod_count). Networks get NAN. The cost is quadratic in the
// number of edges, so rods of more than CORD_REEL_WRITHE_MOST edges get NAN, and so do all rods if the others
// together would cost more than 16 rods of that length.
CORD_API void cord_reel_find_writhe(const CordFrame* frame, double* writhe);
#define CORD_REEL_WRITHE_MOST 400

// ---- reading

typedef struct CordReel CordReel;

// Checks the whole reel, so that every reel that opens can be read. Otherwise the message says what is wrong,
// and where. The bytes are not copied: they must not change until the reel is closed.
CORD_API CordResult cord_reel_open(const void* bytes, size_t size, CordReel** reel, CordMessage* message);
CORD_API CordResult cord_reel_open_with(CordAllocator allocator, const void* bytes, size_t size,
                                        CordReel** reel, CordMessage* message);
CORD_API void cord_reel_close(CordReel* reel);
// True if the bytes begin as a reel does. The first 8 bytes suffice.
CORD_API bool cord_reel_is(const void* bytes, size_t size);

// NULL: the reel has no scene. Valid until the reel is closed.
CORD_API const CordReelScene* cord_reel_scene(const CordReel* reel);
// Parses the scene as cord_scene_parse does. Its files come from the reel; none are read from disk.
CORD_API CordResult cord_reel_scene_parse(const CordReelScene* kept, CordScene** scene);
CORD_API int cord_reel_frame_count(const CordReel* reel); // 0: there is only a scene

// The frames, each valid until the next one is read. A reel does not store velocities, moments, section
// forces, stretch, or spin and energy of bodies: they are NAN. Of a contact it stores the point, the normal,
// the push and the kind; friction and gap are NAN, and all numbers are 0. Surfaces have no ties.
CORD_API CordFrames cord_reel_frames(CordReel* reel);
// Of each rod of the frame read last [turns]; NAN: not known.
CORD_API const double* cord_reel_writhe(const CordReel* reel);

#ifdef __cplusplus
}
#endif

#endif
