// Scenes from files and text, and queries about them.
#include "scene/scene.h"

#include "scene/file.h"
#include "scene/settings.h"

#include <stdlib.h>
#include <string.h>

static void note_json_error(void* user, uint16_t source, uint32_t offset, const char* text)
{
    CordScene* scene = user;
    notes_add(&scene->notes, true, source, offset, "%s", text);
}

// ---- making

// The scene holds its pool, so the struct itself is allocated apart.
static CordScene* scene_make(CordAllocator allocator)
{
    Memory memory;
    memory_init(&memory, allocator);
    CordScene* scene = memory_alloc(&memory, sizeof *scene);
    if (scene) {
        pool_init(&scene->pool, allocator);
    }
    return scene;
}

void cord_scene_destroy(CordScene* scene)
{
    if (scene) {
        Memory memory = scene->pool.memory;
        pool_free(&scene->pool);
        memory_free(&memory, scene, sizeof *scene);
    }
}

// Lists the texts that values come from: the scene, then the value of each setting.
static bool make_texts(CordScene* scene, const char* const* settings, int setting_count)
{
    scene->texts = pool_array(&scene->pool, NoteText, setting_count + 1);
    scene->settings = pool_array(&scene->pool, const char*, setting_count);
    if (!scene->texts || !scene->settings) {
        return false;
    }
    for (int i = 0; i < setting_count; i++) {
        const char* copy = pool_text(&scene->pool, settings[i], strlen(settings[i]));
        size_t path_size;
        const char* value = "";
        if (!copy) {
            return false;
        }
        setting_split(copy, &path_size, &value);
        scene->settings[i] = copy;
        scene->texts[i + 1] = (NoteText){value, strlen(value), copy};
    }
    scene->setting_count = setting_count;
    scene->notes.texts = scene->texts;
    return true;
}

static bool scene_init(CordScene* scene, const char* path, const char* const* settings, int setting_count)
{
    scene->text = "";
    scene->notes.pool = &scene->pool;
    scene->tree = (JsonTree){.pool = &scene->pool, .report = {note_json_error, scene}};
    scene->run.title = "";
    scene->engine = "free";
    scene->contact = cord_contact_def_default();
    scene->contact.on = false;
    scene->path = pool_text(&scene->pool, path ? path : "", path ? strlen(path) : 0);
    return scene->path && make_texts(scene, settings, setting_count);
}

static void scene_read_text(CordScene* scene, const char* text, size_t size)
{
    scene->text = text;
    scene->size = size;
    scene->texts[0] = (NoteText){text, size, NULL};
    if (scene->setting_count > UINT16_MAX - 1) {
        notes_add(&scene->notes, true, 0, NOTE_WHOLE, "there are more than %d settings", UINT16_MAX - 1);
        return;
    }
    if (!json_parse(&scene->tree, text, size, 0, &scene->root)) {
        return;
    }
    for (int i = 1; i <= scene->setting_count && !scene->pool.failed; i++) {
        setting_apply(&scene->tree, &scene->notes, (uint16_t)i, &scene->root);
    }
    if (!scene->pool.failed) {
        scene_read(scene); // also after a wrong setting, to find all errors at once
    }
}

static CordResult scene_finish(CordScene* scene, CordScene** result)
{
    if (!scene->pool.failed) {
        notes_finish(&scene->notes);
    }
    if (scene->pool.failed) {
        cord_scene_destroy(scene);
        return CORD_NO_MEMORY;
    }
    scene->read_notes = scene->notes;
    *result = scene;
    return scene->notes.error_count > 0 ? CORD_BAD_FILE : CORD_OK;
}

static void scene_read_copy(CordScene* scene, const char* text, size_t size)
{
    // of a text that is too long only the first part is kept, for cord_scene_text
    size_t kept = size < JSON_MOST_BYTES + 1 ? size : JSON_MOST_BYTES + 1;
    const char* copy = pool_text(&scene->pool, text, kept);
    if (copy) {
        scene_read_text(scene, copy, kept);
    }
}

static void scene_read_file(CordScene* scene)
{
    size_t size;
    const char* problem;
    const char* text = file_read(&scene->pool, scene->path, JSON_MOST_BYTES, false, &size, &problem);
    if (text) {
        scene_read_text(scene, text, size);
    } else if (problem) {
        notes_add(&scene->notes, true, 0, NOTE_WHOLE, "cannot be read: %s", problem);
    }
}

CordResult scene_parse(CordAllocator allocator, const CordFiles* files, const char* text, size_t size,
                       const char* path, const char* const* settings, int setting_count, CordScene** result)
{
    *result = NULL;
    CordScene* scene = scene_make(allocator);
    if (!scene) {
        return CORD_NO_MEMORY;
    }
    if (scene_init(scene, path, settings, setting_count)) {
        scene->lent = files;
        text ? scene_read_copy(scene, text, size) : scene_read_file(scene);
        scene->lent = NULL;
    }
    return scene_finish(scene, result);
}

CordResult cord_scene_load(const char* path, const char* const* settings, int setting_count,
                           CordScene** scene)
{
    return scene_parse((CordAllocator){0}, NULL, NULL, 0, path, settings, setting_count, scene);
}

CordResult cord_scene_parse(const char* text, size_t size, const char* path, const char* const* settings,
                            int setting_count, CordScene** scene)
{
    return cord_scene_parse_with(text, size, path, settings, setting_count, NULL, scene);
}

CordResult cord_scene_parse_with(const char* text, size_t size, const char* path, const char* const* settings,
                                 int setting_count, const CordFiles* files, CordScene** scene)
{
    return scene_parse((CordAllocator){0}, files, text ? text : "", size, path, settings, setting_count,
                       scene);
}

// ---- asking

const char* cord_scene_path(const CordScene* scene)
{
    return scene->path;
}

const char* cord_scene_text(const CordScene* scene, size_t* size)
{
    *size = scene->size;
    return scene->text;
}

int cord_scene_setting_count(const CordScene* scene)
{
    return scene->setting_count;
}

const char* cord_scene_setting(const CordScene* scene, int index)
{
    return 0 <= index && index < scene->setting_count ? scene->settings[index] : NULL;
}

// Adds a file to the list of those that were read.
static void keep_file(CordScene* scene, const char* name, const char* path)
{
    for (int i = 0; i < scene->file_count; i++) {
        if (strcmp(scene->files[i].name, name) == 0) {
            return;
        }
    }
    if (pool_grow(&scene->pool, (void**)&scene->files, scene->file_count, &scene->file_capacity,
                  sizeof *scene->files)) {
        scene->files[scene->file_count++] = (SceneFile){name, path};
    }
}

const char* scene_file(CordScene* scene, Pool* pool, const char* name, size_t most, size_t* size,
                       const char** problem)
{
    const CordFiles* lent = scene->lent;
    const char* path = lent ? name : file_beside(&scene->pool, scene->path, name);
    *problem = NULL;
    if (!path) {
        return NULL;
    }
    const char* bytes = lent ? file_lent(pool, lent, name, most, size, problem)
                             : file_read(pool, path, most, true, size, problem);
    if (bytes) {
        keep_file(scene, name, path);
    }
    return bytes;
}

int cord_scene_file_count(const CordScene* scene)
{
    return scene->file_count;
}

const char* cord_scene_file_name(const CordScene* scene, int index)
{
    return 0 <= index && index < scene->file_count ? scene->files[index].name : NULL;
}

const char* cord_scene_file_path(const CordScene* scene, int index)
{
    return 0 <= index && index < scene->file_count ? scene->files[index].path : NULL;
}

int cord_scene_note_count(const CordScene* scene)
{
    return scene->notes.count + (scene->notes.more[0] != '\0');
}

CordSceneNote cord_scene_note(const CordScene* scene, int index)
{
    const Notes* notes = &scene->notes;
    if (0 <= index && index < notes->count) {
        const Note* note = &notes->list[index];
        return (CordSceneNote){note->is_error, note->line, note->column, note->text};
    }
    return (CordSceneNote){.is_error = notes->more_errors > 0, .text = notes->more};
}

const CordSceneRun* cord_scene_run(const CordScene* scene)
{
    return &scene->run;
}

const CordSceneCamera* cord_scene_camera(const CordScene* scene)
{
    return &scene->camera;
}

const CordSceneSolve* cord_scene_solve(const CordScene* scene)
{
    return &scene->solve;
}

const CordContactDef* cord_scene_contact(const CordScene* scene)
{
    return &scene->contact;
}

int cord_scene_rod_count(const CordScene* scene)
{
    return scene->rod_count;
}

const CordRodDef* cord_scene_rod(const CordScene* scene, int index)
{
    return index >= 0 && index < scene->rod_count ? &scene->rods[index].def : NULL;
}

static const JsonValue* entry_of(const JsonValue* list, int index)
{
    const JsonValue* entry = list->first;
    for (int i = 0; i < index; i++) {
        entry = entry->next;
    }
    return entry;
}

static const JsonValue* method_of_solve(const CordScene* scene)
{
    const JsonValue* solve = json_member(&scene->root, "solve");
    const JsonValue* method = solve ? json_member(solve, "method") : NULL;
    return method && method->source == 0 ? method : solve;
}

static const JsonValue* value_of(const CordScene* scene, CordSceneThing thing, int index)
{
    switch (thing) {
    case CORD_SCENE_ROD: return index < scene->rod_count ? scene->rods[index].at : NULL;
    case CORD_SCENE_CLAMP: return index < scene->clamp_count ? scene->clamps[index].at : NULL;
    case CORD_SCENE_BODY: return index < scene->body_count ? scene->bodies[index].at : NULL;
    case CORD_SCENE_OBSTACLE: return index < scene->obstacle_count ? scene->obstacles[index].at : NULL;
    case CORD_SCENE_BODY_JOINT:
        return index < scene->body_joint_count ? entry_of(scene->body_joints_at, index) : NULL;
    case CORD_SCENE_SOLVE: return method_of_solve(scene);
    }
    return NULL;
}

bool cord_scene_place(const CordScene* scene, CordSceneThing thing, int index, int* line, int* column)
{
    const JsonValue* value = index >= 0 ? value_of(scene, thing, index) : NULL;
    *line = *column = 0;
    if (!value || value->source != 0) {
        return false;
    }
    JsonPosition at = json_position_start(scene->text, scene->size);
    json_position_move(&at, value->offset);
    *line = at.line;
    *column = at.column;
    return true;
}

const char* cord_scene_engine(const CordScene* scene)
{
    return scene->engine;
}

int cord_scene_body_joint_count(const CordScene* scene)
{
    return scene->body_joint_count;
}

const CordSceneBodyJoint* cord_scene_body_joint(const CordScene* scene, int index)
{
    return 0 <= index && index < scene->body_joint_count ? &scene->body_joints[index] : NULL;
}
