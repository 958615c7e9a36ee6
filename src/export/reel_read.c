// Reels: opening one, and reading its chunks. Opening reads every payload with the functions that read frames
// later, so that a reel that opens can be read.
#include "base/utf8.h"
#include "export/export.h"
#include "export/little_endian.h"
#include "export/reel.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { REEL_START = 16, CHUNK_HEAD = 16 };

const char reel_no_memory[] = "there is not enough memory for it";

// ---- bytes

ReelReader reel_reader(const CordReel* reel, ReelSpan span)
{
    return (ReelReader){.data = reel->bytes + span.at, .size = span.size};
}

void reel_read_fail(ReelReader* reader, const char* problem)
{
    reader->problem = reader->problem ? reader->problem : problem;
}

static const uint8_t* read_bytes(ReelReader* reader, uint64_t size)
{
    if (!reader->problem && size > reader->size - reader->at) {
        reel_read_fail(reader, "it ends too early");
    }
    if (reader->problem) {
        return NULL;
    }
    const uint8_t* bytes = reader->data + reader->at;
    reader->at += (size_t)size;
    return bytes;
}

uint32_t reel_read_u32(ReelReader* reader)
{
    const uint8_t* bytes = read_bytes(reader, 4);
    return bytes ? little_endian_get_u32(bytes) : 0;
}

int reel_read_int(ReelReader* reader)
{
    uint32_t value = reel_read_u32(reader);
    if (value > INT_MAX) {
        reel_read_fail(reader, "a count in it is too large");
        return 0;
    }
    return (int)value;
}

double reel_read_f64(ReelReader* reader)
{
    const uint8_t* bytes = read_bytes(reader, 8);
    uint64_t bits = bytes ? little_endian_get_u64(bytes) : 0;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void reel_read_f32s(ReelReader* reader, double* values, size_t count)
{
    const uint8_t* bytes = read_bytes(reader, 4 * (uint64_t)count);
    bool finite = true;
    for (size_t i = 0; bytes && i < count; i++) {
        uint32_t bits = little_endian_get_u32(bytes + 4 * i);
        float value;
        memcpy(&value, &bits, sizeof value);
        finite = finite && isfinite(value);
        values[i] = (double)value;
    }
    if (!finite) {
        reel_read_fail(reader, "a number in it is not finite");
    }
}

CordVec3 reel_read_vec3(ReelReader* reader)
{
    CordVec3 value = {0};
    reel_read_vec3s(reader, &value, 1);
    return value;
}

_Static_assert(sizeof(CordVec3) == 3 * sizeof(double), "vectors are written as numbers, one after the other");

void reel_read_vec3s(ReelReader* reader, CordVec3* values, int count)
{
    reel_read_f32s(reader, (double*)values, 3 * (size_t)count);
}

void reel_read_indices(ReelReader* reader, int* values, size_t count, int from, int to)
{
    const uint8_t* bytes = read_bytes(reader, 4 * (uint64_t)count);
    bool fit = true;
    for (size_t i = 0; bytes && i < count; i++) {
        uint32_t value = little_endian_get_u32(bytes + 4 * i);
        fit = fit && value <= INT_MAX && (int)value >= from && (int)value < to;
        values[i] = fit ? (int)value : 0;
    }
    if (!fit) {
        reel_read_fail(reader, "it names a node or vertex that is not there");
    }
}

static const uint8_t* read_string(ReelReader* reader, size_t* size) // any bytes
{
    uint32_t length = reel_read_u32(reader);
    const uint8_t* bytes = read_bytes(reader, ((uint64_t)length + 3) / 4 * 4);
    for (uint32_t i = length; bytes && i % 4 != 0; i++) {
        if (bytes[i] != 0) {
            reel_read_fail(reader, "there is something between its texts");
        }
    }
    *size = bytes ? length : 0;
    return bytes;
}

const char* reel_read_name(ReelReader* reader, Arena* arena)
{
    size_t size;
    const uint8_t* bytes = read_string(reader, &size);
    if (bytes && utf8_check((const char*)bytes, size) != size) {
        reel_read_fail(reader, "a text in it is not UTF-8");
    }
    if (reader->problem) {
        return "";
    }
    char* name = arena_push(arena, char, size + 1);
    memcpy(name, bytes, size);
    name[size] = '\0';
    return name;
}

bool reel_arena(CordReel* reel, Arena* arena, uint64_t size)
{
    arena_reset(arena);
    return size <= PTRDIFF_MAX && arena_reserve(&reel->memory, arena, (size_t)size);
}

// ---- the scene

static const char* scene_read(CordReel* reel, ReelSpan span)
{
    ReelReader reader = reel_reader(reel, span);
    CordReelScene* scene = &reel->scene;
    int settings = reel_read_int(&reader), files = reel_read_int(&reader);
    size_t left = reader.size - reader.at;
    if (reader.problem || (size_t)settings > left / 4 || (size_t)files > left / 8) {
        return "it ends too early";
    }
    // A text of n bytes takes 4 + n in the payload and at most n + 1 in the arena, apart from the alignment.
    uint64_t room = span.size + (uint64_t)settings * (sizeof(char*) + MEMORY_ALIGN) +
                    (uint64_t)files * (sizeof(CordReelFile) + MEMORY_ALIGN) + 4 * MEMORY_ALIGN;
    if (!reel_arena(reel, &reel->scene_memory, room)) {
        return reel_no_memory;
    }
    const char** setting = arena_push(&reel->scene_memory, const char*, settings);
    CordReelFile* file = arena_push(&reel->scene_memory, CordReelFile, files);
    scene->path = reel_read_name(&reader, &reel->scene_memory);
    scene->text = (const char*)read_string(&reader, &scene->text_size);
    if (!reader.problem && utf8_check(scene->text, scene->text_size) != scene->text_size) {
        return "its text is not UTF-8";
    }
    for (int i = 0; i < settings; i++) {
        setting[i] = reel_read_name(&reader, &reel->scene_memory);
    }
    for (int i = 0; i < files; i++) {
        file[i].name = reel_read_name(&reader, &reel->scene_memory);
        file[i].bytes = read_string(&reader, &file[i].size);
    }
    if (reader.at < reader.size) {
        reel_read_fail(&reader, "it does not end where it should");
    }
    scene->settings = setting;
    scene->setting_count = settings;
    scene->files = file;
    scene->file_count = files;
    return reader.problem;
}

// ---- chunks

// Says what is wrong, and in which chunk.
static CordResult damaged(const char* what, size_t at, const char* problem, CordMessage* message)
{
    if (problem == reel_no_memory) {
        return export_fail(message, CORD_NO_MEMORY,
                           "the reel cannot be read: there is not enough memory for it");
    }
    return export_fail(message, CORD_BAD_FILE,
                       "the reel is damaged: %s at byte %zu is wrong: %s; use another copy of it", what, at,
                       problem);
}

static bool all_zero(const uint8_t* bytes, size_t size)
{
    uint8_t any = 0;
    for (size_t i = 0; i < size; i++) {
        any |= bytes[i];
    }
    return any == 0;
}

// Finds the payload of the chunk at `at` and moves `at` to the next chunk.
static const char* chunk_read(const CordReel* reel, size_t* at, ReelSpan* payload)
{
    size_t left = reel->size - *at;
    if (left < CHUNK_HEAD) {
        return "it ends too early";
    }
    const uint8_t* head = reel->bytes + *at;
    uint64_t size = little_endian_get_u64(head + 8);
    if (size > left - CHUNK_HEAD || (size + 7) / 8 * 8 > left - CHUNK_HEAD) {
        return "it is longer than what is left of the reel";
    }
    *payload = (ReelSpan){*at + CHUNK_HEAD, (size_t)size};
    size_t padding = (8 - payload->size % 8) % 8;
    if (little_endian_get_u32(head + 4) != 0 ||
        !all_zero(reel->bytes + payload->at + payload->size, padding)) {
        return "there is something where zeros belong";
    }
    *at = payload->at + payload->size + padding;
    return NULL;
}

static const char* keep_frame(CordReel* reel, ReelSpan span)
{
    CordFrame frame;
    const char* problem =
        reel->layout_span.at == 0 ? "there is no layout before it" : reel_frame_read(reel, span, &frame);
    if (problem) {
        return problem;
    }
    if (!memory_grow(&reel->memory, (void**)&reel->frames, reel->frame_count, &reel->frame_capacity,
                     sizeof *reel->frames)) {
        return reel_no_memory;
    }
    reel->frames[reel->frame_count++] = (ReelFrame){reel->layout_span, span};
    return NULL;
}

static CordResult open_chunk(CordReel* reel, size_t* at, CordMessage* message)
{
    size_t start = *at;
    ReelSpan span;
    const char* problem = chunk_read(reel, at, &span);
    if (problem) {
        return damaged("the chunk", start, problem, message);
    }
    const char* what = "the chunk";
    const uint8_t* tag = reel->bytes + start;
    if (memcmp(tag, "SCEN", 4) == 0) {
        what = "the scene";
        problem = start == REEL_START ? scene_read(reel, span) : "it is not the first thing in the reel";
    } else if (memcmp(tag, "LAYO", 4) == 0) {
        what = "the layout";
        problem = reel_layout_read(reel, span);
    } else if (memcmp(tag, "FRAM", 4) == 0) {
        what = "the frame";
        problem = keep_frame(reel, span);
    } else {
        problem = "it is neither a scene nor a layout nor a frame";
    }
    return problem ? damaged(what, start, problem, message) : CORD_OK;
}

bool cord_reel_is(const void* bytes, size_t size)
{
    return size >= 8 && memcmp(bytes, "CORDREEL", 8) == 0;
}

static CordResult open_start(const CordReel* reel, CordMessage* message)
{
    if (!cord_reel_is(reel->bytes, reel->size)) {
        return export_fail(
            message, CORD_BAD_FILE,
            "it is not a reel; give a file that \"cordage export --to reel\" or the page has made");
    }
    if (reel->size > (size_t)CORD_REEL_MOST) {
        return export_fail(message, CORD_BAD_FILE, "the reel has %zu MB; the most that is read is %d MB",
                           reel->size >> 20, CORD_REEL_MOST >> 20);
    }
    if (reel->size < REEL_START) {
        return damaged("the beginning", 0, "it ends too early", message);
    }
    uint32_t version = little_endian_get_u32(reel->bytes + 8);
    if (version != CORD_REEL_VERSION) {
        return export_fail(
            message, CORD_BAD_FILE,
            "the reel is of version %lu, and cordage %s reads version %d; use a version that knows it",
            (unsigned long)version, cord_version(), CORD_REEL_VERSION);
    }
    return little_endian_get_u32(reel->bytes + 12) == 0
               ? CORD_OK
               : damaged("the beginning", 0, "there is something where zeros belong", message);
}

static CordResult open_all(CordReel* reel, CordMessage* message)
{
    CORD_TRY(open_start(reel, message));
    size_t at = REEL_START;
    while (at < reel->size) {
        CORD_TRY(open_chunk(reel, &at, message));
    }
    if (reel->frame_count == 0 && !reel->scene.path) {
        return export_fail(message, CORD_BAD_FILE, "the reel is empty: it has neither a scene nor a frame");
    }
    return CORD_OK;
}

CordResult cord_reel_open_with(CordAllocator allocator, const void* bytes, size_t size, CordReel** reel,
                               CordMessage* message)
{
    Memory memory;
    memory_init(&memory, allocator);
    *reel = NULL;
    CordReel* made = memory_alloc(&memory, sizeof *made);
    if (!made) {
        return damaged("the reel", 0, reel_no_memory, message);
    }
    *made = (CordReel){.memory = memory, .bytes = bytes, .size = size};
    CordResult result = open_all(made, message);
    if (result != CORD_OK) {
        cord_reel_close(made);
        return result;
    }
    *reel = made;
    return CORD_OK;
}

CordResult cord_reel_open(const void* bytes, size_t size, CordReel** reel, CordMessage* message)
{
    return cord_reel_open_with((CordAllocator){0}, bytes, size, reel, message);
}

void cord_reel_close(CordReel* reel)
{
    if (!reel) {
        return;
    }
    Memory memory = reel->memory;
    memory_array_free(&memory, reel->frames, reel->frame_capacity);
    arena_free(&memory, &reel->scene_memory);
    arena_free(&memory, &reel->layout_memory);
    arena_free(&memory, &reel->frame_memory);
    memory_free(&memory, reel, sizeof *reel);
}

// ---- queries

static bool kept_file(void* user, const char* name, const char** bytes, size_t* size)
{
    const CordReelScene* kept = user;
    for (int i = 0; i < kept->file_count; i++) {
        if (strcmp(kept->files[i].name, name) == 0) {
            *bytes = kept->files[i].bytes;
            *size = kept->files[i].size;
            return true;
        }
    }
    return false;
}

CordResult cord_reel_scene_parse(const CordReelScene* kept, CordScene** scene)
{
    const CordFiles files = {kept_file, (void*)kept};
    return cord_scene_parse_with(kept->text, kept->text_size, kept->path, kept->settings, kept->setting_count,
                                 &files, scene);
}

const CordReelScene* cord_reel_scene(const CordReel* reel)
{
    return reel->scene.path ? &reel->scene : NULL;
}

int cord_reel_frame_count(const CordReel* reel)
{
    return reel->frame_count;
}

const double* cord_reel_writhe(const CordReel* reel)
{
    return reel->writhe;
}

static CordResult frames_read(void* user, int index, CordFrame* frame, CordMessage* message)
{
    CordReel* reel = user;
    if (index < 0 || index >= reel->frame_count) {
        return export_fail(message, CORD_BAD_ARGUMENT, "the reel has no frame %d; its %d frames count from 0",
                           index, reel->frame_count);
    }
    const ReelFrame* spans = &reel->frames[index];
    const char* problem = NULL;
    if (reel->layout_span.at != spans->layout.at) {
        problem = reel_layout_read(reel, spans->layout);
    }
    if (!problem) {
        problem = reel_frame_read(reel, spans->frame, frame);
    }
    return problem ? damaged("the frame", spans->frame.at, problem, message) : CORD_OK;
}

CordFrames cord_reel_frames(CordReel* reel)
{
    return (CordFrames){.count = reel->frame_count, .read = frames_read, .user = reel};
}
