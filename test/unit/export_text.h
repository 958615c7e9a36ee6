// Exports of a small recording, and their files as text.
#ifndef CORD_TEST_EXPORT_TEXT_H
#define CORD_TEST_EXPORT_TEXT_H

#include "record_scene.h"

#include <cordage/math.h>

enum { EXPORT_FRAMES = 4 };

static inline CordFrames export_frames(void) // of the run in record_scene.h
{
    const char* path = record_path("run.h5");
    if (file_size(path) < 0) {
        record_until(record_start(path), EXPORT_FRAMES);
    }
    return cord_recording_frames(record_read(path));
}

static inline CordFrames export_branch_frames(void)
{
    const char* path = record_path("branch.h5");
    record_until(record_to(record_branch(), path), EXPORT_FRAMES);
    return cord_recording_frames(record_read(path));
}

static inline int export_occurrences(const char* text, const char* part)
{
    int count = 0;
    for (const char* at = strstr(text, part); at; at = strstr(at + 1, part)) {
        count++;
    }
    return count;
}

static inline CordExportDef export_def(const char* format, const char* name) // in the test's directory
{
    CordExportDef def = cord_export_def_default();
    def.format = format;
    def.path = record_path(name);
    return def;
}

static inline void export_write(const CordFrames* frames, const CordExportDef* def)
{
    CordMessage message = {""};
    check_said(cord_export(frames, def, &message), &message);
}

static inline char* export_text(const CordFrames* frames, const CordExportDef* def)
{
    export_write(frames, def);
    return file_load(def->path);
}

static inline void export_check_refused(const CordFrames* frames, const CordExportDef* def, const char* text)
{
    CordMessage message = {""};
    CHECK(cord_export(frames, def, &message) != CORD_OK);
    CHECK_CONTAINS(message.text, text);
}

// Two bars, a ball and two obstacles, made by hand: nothing touches in the first two frames, and the ring
// moves in the last.
enum { TOUCH_FRAMES = 4, TOUCH_CONTACTS = 3 };

typedef struct ExportTouch {
    CordFrameRod rods[2];
    CordVec3 x[4], v[4], m1[2];
    CordEnergy energy[2];
    double stretch[2], radius[2], tension[2];
    CordFrameBody body;
    CordFrameObstacle obstacles[2];
    CordContact contacts[TOUCH_CONTACTS];
} ExportTouch;

static inline ExportTouch* export_touch(void)
{
    ExportTouch* touch = keep_zeros(sizeof *touch);
    ExportTouch t = {
        .rods = {{"bar", 0, 2, 0, 1, false, false}, {"bar, long", 2, 2, 1, 1, false, false}},
        .x = {{0, 0, 0.1}, {1, 0, 0.1}, {0, 1, 0.3}, {1, -1, 0.3}},
        .m1 = {{0, 0, 1}, {0, 0, 1}},
        .radius = {0.1, 0.1},
        .body = {.name = "ball",
                 .solid.shape = CORD_SOLID_SPHERE,
                 .solid.size = {0.5, 0, 0},
                 .rotation = {0, 0, 0, 1}},
        .obstacles = {{.name = "ground", .solid.shape = CORD_SOLID_PLANE, .rotation = {0, 0, 0, 1}},
                      {.name = "ring, red",
                       .solid.shape = CORD_SOLID_TORUS,
                       .solid.size = {0.5, 0.1, 0},
                       .rotation = {0, 0, 0, 1}}},
        .contacts = {{.rod = 1, .at = 0.5, .kind = CORD_TOUCH_ROD, .other_at = 0.25, .point = {0.5, 0, 0.2}},
                     {.rod = 0, .at = 1.0, .kind = CORD_TOUCH_OBSTACLE, .other = 1, .point = {1, 0, 0}},
                     {.rod = 0, .at = 0.125, .kind = CORD_TOUCH_BODY, .point = {0.125, 0, 0}}},
    };
    for (int i = 0; i < TOUCH_CONTACTS; i++) {
        t.contacts[i].normal = (CordVec3){0, 0, 1};
        t.contacts[i].gap = -0.5 * i;
        t.contacts[i].push = 2.0 + i;
        t.contacts[i].friction = (CordVec3){0.5, -1.5, i};
        t.contacts[i].slides = i == 1;
    }
    t.obstacles[0].force = (CordVec3){1, 2, -3};
    t.obstacles[1].torque = (CordVec3){4, 5, 6};
    *touch = t;
    return touch;
}

static inline CordResult export_touch_read(void* user, int index, CordFrame* frame, CordMessage* message)
{
    ExportTouch* t = user;
    (void)message;
    t->obstacles[1].position.z = index == TOUCH_FRAMES - 1 ? 5.0 : 1.0;
    *frame = (CordFrame){.time = 0.25 * index,
                         .rod_count = 2,
                         .node_count = 4,
                         .edge_count = 2,
                         .rods = t->rods,
                         .energy = t->energy,
                         .stretch = t->stretch,
                         .x = t->x,
                         .v = t->v,
                         .moment = t->v,
                         .m1 = t->m1,
                         .radius = t->radius,
                         .tension = t->tension,
                         .force = t->m1,
                         .body_count = 1,
                         .bodies = &t->body,
                         .obstacle_count = 2,
                         .obstacles = t->obstacles,
                         .contact_count = index < 2 ? 0 : TOUCH_CONTACTS,
                         .contacts = t->contacts};
    return CORD_OK;
}

static inline CordFrames export_touch_frames(void)
{
    return (CordFrames){.count = TOUCH_FRAMES, .read = export_touch_read, .user = export_touch()};
}

// An adaptive rod along x, an open rod beside it, made by hand: another number of nodes in every frame.
enum { CHANGE_FRAMES = 3, CHANGE_NODES_MOST = 9, CHANGE_OTHER = 2 };
static const int export_change_nodes[CHANGE_FRAMES] = {3, 7, 5};

typedef struct ExportChange {
    CordFrameRod rods[2];
    CordVec3 x[CHANGE_NODES_MOST], skin[CHANGE_NODES_MOST], zero[CHANGE_NODES_MOST], m1[CHANGE_NODES_MOST];
    uint8_t level[CHANGE_NODES_MOST];
    double arc[CHANGE_NODES_MOST], radius[CHANGE_NODES_MOST];
    CordAdaptReport adapt[2];
    CordEnergy energy[2];
} ExportChange;

static inline CordResult export_change_read(void* user, int index, CordFrame* frame, CordMessage* message)
{
    ExportChange* c = user;
    int nodes = export_change_nodes[index], all = nodes + CHANGE_OTHER;
    (void)message;
    *c = (ExportChange){.rods = {{"rope", 0, nodes, 0, nodes - 1, false, false},
                                 {"bar", nodes, CHANGE_OTHER, nodes - 1, CHANGE_OTHER - 1, false, false}},
                        .adapt = {{.made_with = 3, .nodes = nodes}}};
    for (int i = 0; i < all; i++) {
        bool rope = i < nodes;
        c->x[i] = rope ? (CordVec3){i, index, 0} : (CordVec3){i - nodes, 0, 5};
        c->skin[i] = c->x[i];
        c->skin[i].z += 0.25 * index;
        c->level[i] = (uint8_t)(rope ? i % 3 : 0);
        c->arc[i] = 0.5 * i;
        c->m1[i] = (CordVec3){0, 0, 1};
        c->radius[i] = 0.125;
    }
    *frame =
        (CordFrame){.time = index, .rod_count = 2, .node_count = all, .edge_count = all - 2, .rods = c->rods};
    frame->x = c->x, frame->v = c->zero, frame->moment = c->zero, frame->force = c->zero, frame->m1 = c->m1;
    frame->radius = c->radius, frame->tension = c->radius, frame->stretch = c->radius,
    frame->energy = c->energy;
    frame->skin = c->skin, frame->level = c->level, frame->arc = c->arc, frame->adapt = c->adapt;
    return CORD_OK;
}

static inline CordFrames export_change_frames(void)
{
    return (CordFrames){
        .count = CHANGE_FRAMES, .read = export_change_read, .user = keep_zeros(sizeof(ExportChange))};
}

static inline int export_digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

// The bytes of a VTK file's DataArray of that name; *size is how many there are after the header that counts
// them.
static inline void* export_array(const char* text, const char* name, const char* type, int components,
                                 size_t* size)
{
    char head[256];
    snprintf(head, sizeof head,
             "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">", type, name,
             components);
    const char* at = strstr(text, head);
    CHECK(at != NULL);
    at += strlen(head);
    size_t length = strcspn(at, "<"), used = 0;
    CHECK(length % 4 == 0);
    uint8_t* bytes = keep_zeros(length / 4 * 3);
    for (size_t i = 0; i < length; i += 4) {
        int padding = (at[i + 2] == '=') + (at[i + 3] == '=');
        uint32_t bits = 0;
        for (int k = 0; k < 4; k++) {
            int digit = at[i + (size_t)k] == '=' ? 0 : export_digit(at[i + (size_t)k]);
            CHECK(digit >= 0);
            bits = bits << 6 | (uint32_t)digit;
        }
        for (int k = 0; k < 3 - padding; k++) {
            bytes[used++] = (uint8_t)(bits >> (16 - 8 * k));
        }
    }
    uint64_t count;
    memcpy(&count, bytes, sizeof count);
    CHECK_INT(used, count + sizeof count);
    memmove(bytes, bytes + sizeof count, (size_t)count);
    *size = (size_t)count;
    return bytes;
}

// The volume of a surface whose faces have points as corners, by tetrahedra to the origin. It must be closed
// and oriented: each edge is walked once in each direction.
static inline double export_volume(const MeshFace* faces, int count, const CordVec3* x)
{
    double volume = 0.0;
    for (int f = 0; f < count; f++) {
        const int* p = faces[f].vertex;
        for (int c = 0; c < faces[f].count; c++) {
            int a = p[c], b = p[(c + 1) % faces[f].count], back = 0, again = 0;
            for (int g = 0; g < count; g++) {
                for (int d = 0; d < faces[g].count; d++) {
                    int from = faces[g].vertex[d], to = faces[g].vertex[(d + 1) % faces[g].count];
                    back += from == b && to == a;
                    again += from == a && to == b;
                }
            }
            CHECK(a != b && back == 1 && again == 1);
        }
        for (int c = 1; c + 1 < faces[f].count; c++) {
            volume += cord_vec3_dot(x[p[0]], cord_vec3_cross(x[p[c]], x[p[c + 1]])) / 6.0;
        }
    }
    return volume;
}

#endif
