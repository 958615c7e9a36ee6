// Reels: a scene, or frames, or both, as bytes for the page in the browser. One format for the frames that a
// running world sends to it, for recordings that it plays, and for what it saves. docs/reel.md says how the
// bytes are laid out. A reel holds what is needed to look at a run, at the accuracy of a float; recordings
// (cordage/io.h) hold all that is needed to go on with it.
//
// Nothing here but cord_reel_scene_gather opens a file.
#ifndef CORDAGE_REEL_H
#define CORDAGE_REEL_H

#include <cordage/io.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CORD_REEL_VERSION 1
#define CORD_REEL_MOST INT32_MAX // bytes that a reel may have

// ---- writing

// Bytes that grow. Start from zeros, or with an allocator; to begin again in the same memory, set size to 0.
typedef struct CordReelBytes {
    uint8_t* data;         // (capacity)
    size_t size, capacity; // used, there
    CordAllocator allocator;
} CordReelBytes;

CORD_API void cord_reel_bytes_free(CordReelBytes* bytes);

typedef struct CordReelFile {
    const char* name; // as the scene writes it
    const void* bytes;
    size_t size;
} CordReelFile;

struct CordReelScene { // all that a scene needs to be run
    const char* path;  // for messages
    const char* text;
    size_t text_size;
    const char* const* settings; // (setting_count), as --set takes them
    int setting_count;
    const CordReelFile* files; // that the scene names (file_count)
    int file_count;
};

// The scene for a reel: its path without folders, its text and settings, and the files that were read for it,
// which are read again. It refers to the scene, and stays valid as long as that does; free it in any case.
CORD_API CordResult cord_reel_scene_gather(const CordScene* scene, CordReelScene* gathered,
                                           CordMessage* message);
CORD_API void cord_reel_scene_free(CordReelScene* gathered);

// The whole of a reel is its start, and then chunks. begin returns a mark for end, which must follow once the
// payload is there; 0: no memory.
CORD_API CordResult cord_reel_put_head(CordReelBytes* bytes);
CORD_API size_t cord_reel_chunk_begin(CordReelBytes* bytes, const char tag[4]); // "SCEN", "LAYO" or "FRAM"
CORD_API CordResult cord_reel_chunk_end(CordReelBytes* bytes, size_t mark);

// Payloads, added to what is there; on any result but CORD_OK nothing is. A scene comes first, if there is
// one. A layout stands before the first frame, and again before each that does not have it: write it, and
// compare it with the one before.
CORD_API CordResult cord_reel_put_scene(const CordReelScene* scene, CordReelBytes* bytes);
CORD_API CordResult cord_reel_put_layout(const CordFrame* frame, CordReelBytes* bytes);
CORD_API bool cord_reel_bytes_equal(const CordReelBytes* a, const CordReelBytes* b);

// Twist and writhe of each rod [turns] (rod_count); NULL, or NAN for one of them: not known.
CORD_API CordResult cord_reel_put_frame(const CordFrame* frame, const double* twist, const double* writhe,
                                        CordReelBytes* bytes);
// Both, from the polygons and the material frames of a frame (rod_count). NAN for networks. The cost of the
// writhe is the square of the number of edges: NAN for rods of more than CORD_REEL_WRITHE_MOST of them, and
// for all where the others together would cost more than 16 such rods.
CORD_API void cord_reel_turns(const CordFrame* frame, double* twist, double* writhe);
#define CORD_REEL_WRITHE_MOST 400

// ---- reading

typedef struct CordReel CordReel;

// Checks the whole of it, so that whatever opens can be read; what does not is refused with a sentence that
// says what is wrong, and where. The bytes are not copied: they must stay as they are until the reel is
// closed.
CORD_API CordResult cord_reel_open(const void* bytes, size_t size, CordReel** reel, CordMessage* message);
CORD_API CordResult cord_reel_open_with(CordAllocator allocator, const void* bytes, size_t size,
                                        CordReel** reel, CordMessage* message);
CORD_API void cord_reel_close(CordReel* reel);
// does it begin as a reel does? The first 8 bytes will do
CORD_API bool cord_reel_is(const void* bytes, size_t size);

// NULL: there is none. Valid until the reel is closed.
CORD_API const CordReelScene* cord_reel_scene(const CordReel* reel);
// Reads it as cord_scene_parse does. Its files come from the reel alone: what it names on this machine's disk
// is none of its business.
CORD_API CordResult cord_reel_scene_parse(const CordReelScene* kept, CordScene** scene);
CORD_API int cord_reel_frame_count(const CordReel* reel); // 0: a scene to be run

// Frames, each valid until the next is read. A reel does not keep velocities, moments, shear, nor how much
// rods and bodies are stretched and move: NAN. Of a contact it keeps point, normal, push, and the kind of
// what touches; rod, edge and the other are 0, and friction and gap NAN. Surfaces have no ties.
CORD_API CordFrames cord_reel_frames(CordReel* reel);
// of the rods of the frame read last [turns]; NAN: not known
CORD_API const double* cord_reel_twist(const CordReel* reel);
CORD_API const double* cord_reel_writhe(const CordReel* reel); // likewise

#ifdef __cplusplus
}
#endif

#endif
