// Meshes with a cache of their points in every frame: tubes of rods, and surfaces. The files are PC2: a
// header of 32 bytes, then three floats for each point of each frame.
#include "export/blender.h"

#include "export/output.h"

#include <stdlib.h>

// Largest number of objects for rods, and for surfaces: each has an open file, and in Blender a modifier that
// reads it.
enum { OBJECTS_MOST = 64 };

// ---- members of an object

// Members with the same key share an object. A few members have one object each; many share one for each
// colour. Networks, which have no texture, and surfaces beside their rods, which are lighter, have keys of
// their own.
static int member_key(const Sequence* sequence, const CordFrame* frame, bool surfaces, int member, bool many)
{
    int rod = surfaces ? frame->surfaces[member].rod : member;
    bool apart = surfaces ? !frame->surfaces[member].hides : sequence->rods[rod].network;
    return !many ? member : sequence_group(sequence, rod) % PICTURE_PAIRS + (apart ? PICTURE_PAIRS : 0);
}

static bool cache_make(BlenderCache* c, const Sequence* sequence, const CordFrame* frame, bool surfaces,
                       int key)
{
    int all = surfaces ? sequence->surface_count : sequence->rod_count;
    *c = (BlenderCache){.surfaces = surfaces, .members = calloc((size_t)all + 1, sizeof *c->members)};
    for (int i = 0; c->members && i < all; i++) {
        bool hidden = !surfaces && sequence->rods[i].hidden;
        if (!hidden && member_key(sequence, frame, surfaces, i, all > OBJECTS_MOST) == key) {
            c->members[c->count++] = i;
            c->points += surfaces ? frame->surfaces[i].vertex_count : 0;
        }
    }
    return c->members != NULL;
}

static bool cache_make_tubes(BlenderCache* c, Sequence* sequence, const CordFrame* frame)
{
    c->tubes = calloc((size_t)c->count + 1, sizeof *c->tubes);
    for (int i = 0; c->tubes && !c->surfaces && i < c->count; i++) {
        const TubeSection* sections = sequence_sections(sequence, frame, c->members[i]);
        if (!tube_mesh_make(&c->tubes[i], &sequence->rods[c->members[i]], sections, sequence->def->sides)) {
            return false;
        }
        c->points += c->tubes[i].point_count;
    }
    return c->tubes != NULL;
}

static int key_count(int all)
{
    return all > OBJECTS_MOST ? 2 * PICTURE_PAIRS : all;
}

static bool add_members(BlenderCaches* caches, Sequence* sequence, const CordFrame* frame, bool surfaces)
{
    int keys = key_count(surfaces ? sequence->surface_count : sequence->rod_count);
    for (int key = 0; key < keys; key++) {
        BlenderCache* c = &caches->list[caches->count++];
        if (!cache_make(c, sequence, frame, surfaces, key) || !cache_make_tubes(c, sequence, frame)) {
            return false;
        }
        if (c->count == 0) { // no member has this key, or it is hidden
            free(c->members);
            free(c->tubes);
            *c = (BlenderCache){0};
            caches->count--;
        } else {
            snprintf(c->file, sizeof c->file, "%s_%d.pc2", surfaces ? "surface" : "rod", key);
        }
    }
    return true;
}

bool blender_caches_make(BlenderCaches* caches, Sequence* sequence, const CordFrame* frame)
{
    size_t most = (size_t)key_count(sequence->rod_count) + (size_t)key_count(sequence->surface_count);
    *caches = (BlenderCaches){.list = calloc(most + 1, sizeof *caches->list)};
    return caches->list && add_members(caches, sequence, frame, false) &&
           add_members(caches, sequence, frame, true);
}

void blender_caches_free(BlenderCaches* caches)
{
    for (int i = 0; i < caches->count; i++) {
        BlenderCache* c = &caches->list[i];
        for (int k = 0; c->tubes && k < c->count; k++) {
            tube_mesh_free(&c->tubes[k]);
        }
        free(c->tubes);
        free(c->members);
        output_abandon(&c->out);
    }
    free(caches->list);
    *caches = (BlenderCaches){0};
}

// ---- points and files

static void tube_points(const TubeMesh* tube, const TubeSection* sections, BlenderNumbers* to)
{
    for (int p = 0; p < tube->point_count; p++) {
        const TubeVertex* v = &tube->vertices[tube->first[p]];
        blender_put_vector(to, tube_point(&sections[v->section], v->place));
    }
}

void blender_cache_points(const BlenderCache* c, Sequence* sequence, const CordFrame* frame,
                          BlenderNumbers* to)
{
    for (int i = 0; i < c->count; i++) {
        const CordFrameSurface* surface = c->surfaces ? &frame->surfaces[c->members[i]] : NULL;
        for (int p = 0; surface && p < surface->vertex_count; p++) {
            blender_put_vector(to, surface->vertices[p]);
        }
        if (!surface) {
            tube_points(&c->tubes[i], sequence_sections(sequence, frame, c->members[i]), to);
        }
    }
}

// Frames are written in order from 0. Their number is written when the file is closed.
static void put_head(BlenderCache* c)
{
    fwrite("POINTCACHE2", 1, 12, c->out.file);
    blender_put_int(&c->numbers, 1); // version
    blender_put_int(&c->numbers, c->points);
    blender_put_float(&c->numbers, 0.0);
    blender_put_float(&c->numbers, 1.0);
}

CordResult blender_cache_open(BlenderCache* c, const Sequence* sequence, const char* directory,
                              CordMessage* message)
{
    char ending[sizeof c->file + 1];
    snprintf(ending, sizeof ending, "/%s", c->file);
    CORD_TRY(output_open_in(directory, ending, &c->out, message));
    c->numbers = (BlenderNumbers){.file = c->out.file};
    put_head(c);
    blender_put_int(&c->numbers, sequence->count);
    return CORD_OK;
}

CordResult blender_cache_close(BlenderCache* c, int frames, CordMessage* message)
{
    if (fseek(c->out.file, 28, SEEK_SET) == 0) { // fewer than planned if the export was stopped
        blender_put_int(&c->numbers, frames);
    }
    return output_close(&c->out, message);
}
