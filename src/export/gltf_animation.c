// Animated nodes, with a keyframe for every frame, and skins that bind vertices to them.
#include "export/gltf.h"

#include "export/geometry.h"
#include "export/text.h"

void gltf_animation_place(FILE* file, const Keyframes* m, int joint)
{
    size_t at = (size_t)joint * (size_t)m->frames;
    const float* s = m->scale + 3 * at;
    fputs(",\"translation\":", file);
    gltf_numbers(file, m->translation + 3 * at, 3);
    fputs(",\"rotation\":", file);
    gltf_numbers(file, m->rotation + 4 * at, 4);
    if (s[0] != 1.0f || s[1] != 1.0f || s[2] != 1.0f) {
        fputs(",\"scale\":", file);
        gltf_numbers(file, s, 3);
    }
}

// ---- keyframes

typedef struct Keys { // one kind of keyframes, of all joints
    const char* path;
    const char* type;
    const float* values;
    size_t width;
} Keys;

static void put_keys(Gltf* g, const Keys* keys, const Keyframes* m, int joint, int frames, int node,
                     int times)
{
    const float* values = keys->values + (size_t)joint * (size_t)m->frames * keys->width;
    int output = gltf_accessor(g, GLTF_F32, keys->type, frames, g->size - g->view_start);
    for (size_t i = 0; i < (size_t)frames * keys->width; i++) {
        gltf_put_float(g, (double)values[i]);
    }
    fprintf(gltf_entry(g, GLTF_CHANNELS), "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
            g->lists[GLTF_TRACKS].count, node, keys->path);
    fprintf(gltf_entry(g, GLTF_TRACKS), "{\"input\":%d,\"output\":%d}", times, output);
}

// A joint that never changes has no keyframes.
void gltf_animation_animate(Gltf* g, const Keyframes* m, const Sequence* sequence, int first, int times)
{
    const Keys kinds[3] = {{"translation", "VEC3", m->translation, 3},
                           {"rotation", "VEC4", m->rotation, 4},
                           {"scale", "VEC3", m->scale, 3}};
    for (int i = 0; i < 3; i++) {
        bool begun = false;
        for (int joint = 0; joint < m->joints; joint++) {
            const float* values = kinds[i].values + (size_t)joint * (size_t)m->frames * kinds[i].width;
            if (keyframes_change(values, kinds[i].width, sequence->count)) {
                if (!begun) {
                    gltf_view_begin(g);
                }
                begun = true;
                put_keys(g, &kinds[i], m, joint, sequence->count, first + joint, times);
            }
        }
        if (begun) {
            gltf_view_end(g, 0);
        }
    }
}

int gltf_times(Gltf* g, const Sequence* sequence)
{
    float last = (float)sequence->time[sequence->count - 1], zero = 0.0f;
    gltf_view_begin(g);
    for (int k = 0; k < sequence->count; k++) {
        gltf_put_float(g, sequence->time[k]);
    }
    int accessor = gltf_accessor_between(g, "SCALAR", sequence->count, &zero, &last, 1);
    gltf_view_end(g, 0);
    return accessor;
}

// ---- skins

void gltf_joint(Gltf* g, const Keyframes* m, int joint, const char* name, const char* key, double value)
{
    FILE* file = gltf_entry(g, GLTF_NODES);
    char text[NUMBER_TEXT_MOST], ending[16];
    snprintf(ending, sizeof ending, " %d", joint);
    fputs("{\"name\":", file);
    text_json(file, name, ending);
    gltf_animation_place(file, m, joint);
    if (key) {
        fprintf(file, ",\"extras\":{\"%s\":%s}", key, number_text(value, text));
    }
    putc('}', file);
}

// The inverse bind matrix, by columns: from the rest pose in glTF's axes to the joint's own axes.
static void put_inverse(Gltf* g, const Pose* pose)
{
    CordVec3 at = gltf_up(pose->position), axes[3];
    for (int r = 0; r < 3; r++) {
        axes[r] = gltf_up(pose->axes[r]);
    }
    const CordVec3 columns[3] = {{axes[0].x, axes[1].x, axes[2].x},
                                 {axes[0].y, axes[1].y, axes[2].y},
                                 {axes[0].z, axes[1].z, axes[2].z}};
    for (int c = 0; c < 3; c++) {
        gltf_put_vector(g, columns[c]);
        gltf_put_float(g, 0.0);
    }
    gltf_put_vector(
        g, (CordVec3){-cord_vec3_dot(axes[0], at), -cord_vec3_dot(axes[1], at), -cord_vec3_dot(axes[2], at)});
    gltf_put_float(g, 1.0);
}

static void put_list(FILE* file, int first, int count)
{
    for (int i = 0; i < count; i++) {
        fprintf(file, "%s%d", i > 0 ? "," : "[", first + i);
    }
    putc(']', file);
}

static int put_group(Gltf* g, const char* name, int first, int count) // the parent of the joints
{
    int group = g->lists[GLTF_NODES].count;
    FILE* file = gltf_entry(g, GLTF_NODES);
    fputs("{\"name\":", file);
    text_json(file, name, " joints");
    fputs(",\"children\":", file);
    put_list(file, first, count);
    putc('}', file);
    fprintf(gltf_entry(g, GLTF_CHILDREN), "%d", group);
    return group;
}

int gltf_skin(Gltf* g, const char* name, const Pose* rest, const Keyframes* m, const Sequence* sequence,
              int first, int times)
{
    int group = put_group(g, name, first, m->joints), skin = g->lists[GLTF_SKINS].count;
    gltf_view_begin(g);
    for (int i = 0; i < m->joints; i++) {
        put_inverse(g, &rest[i]);
    }
    int inverses = gltf_view_close(g, GLTF_F32, "MAT4", m->joints, 0);
    FILE* file = gltf_entry(g, GLTF_SKINS);
    fprintf(file, "{\"skeleton\":%d,\"inverseBindMatrices\":%d,\"joints\":", group, inverses);
    put_list(file, first, m->joints);
    putc('}', file);
    gltf_animation_animate(g, m, sequence, first, times);
    return skin;
}

void gltf_root(Gltf* g, const char* name, int mesh, int skin)
{
    fprintf(gltf_entry(g, GLTF_ROOTS), "%d", g->lists[GLTF_NODES].count);
    FILE* file = gltf_entry(g, GLTF_NODES);
    fputs("{\"name\":", file);
    text_json(file, name, "");
    fprintf(file, ",\"mesh\":%d", mesh);
    if (skin >= 0) {
        fprintf(file, ",\"skin\":%d", skin);
    }
    putc('}', file);
}
