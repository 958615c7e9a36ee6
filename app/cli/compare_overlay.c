#include "camera.h"
#include "compare.h"
#include "console.h"
#include "heap.h"

#include <cordage/math.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where rods of several variants coincide, round-off would decide which colour shows. So each variant in turn
// is thicker along a piece of the rod, and all colours show as rings.
static const int rings = 12;             // rings of each colour along a rod
static const double ring_depth = 0.06;   // difference in radius, over the radius
static const double least_share = 0.004; // least radius over the height of the picture

static void overlay_count(Overlay* o, const CordFrame* const* frames, int count)
{
    *o = (Overlay){.group_count = count};
    for (int k = 0; k < count; k++) {
        if (frames[k]) {
            o->time = frames[k]->time;
            o->rod_count += frames[k]->rod_count;
            o->node_count += frames[k]->node_count;
            o->edge_count += frames[k]->edge_count;
            o->body_count += frames[k]->body_count;
        }
    }
}

static void overlay_allocate(Overlay* o)
{
    o->rods = heap_take((size_t)o->rod_count, sizeof *o->rods);
    o->x = heap_take((size_t)o->node_count, sizeof *o->x);
    o->m1 = heap_take((size_t)o->edge_count, sizeof *o->m1);
    o->radius = heap_take((size_t)o->edge_count, sizeof *o->radius);
    o->ends = heap_take(2 * (size_t)o->edge_count, sizeof *o->ends);
    o->bodies = heap_take((size_t)o->body_count, sizeof *o->bodies);
}

static void copy_ends(const CordFrame* frame, int rod, int nodes_before, int* ends)
{
    for (int j = 0; j < frame->rods[rod].edge_count; j++) {
        cord_frame_ends(frame, rod, j, ends + 2 * j);
        ends[2 * j] += nodes_before;
        ends[2 * j + 1] += nodes_before;
    }
}

void overlay_make(Overlay* o, const CordFrame* const* frames, const VariantList* variants)
{
    overlay_count(o, frames, variants->count);
    overlay_allocate(o);
    int rods = 0, nodes = 0, edges = 0, bodies = 0;
    for (int k = 0; k < variants->count; k++) {
        const CordFrame* f = frames[k];
        if (!f) {
            continue;
        }
        o->groups[k] = (CordPictureGroup){.name = variants->items[k].name, .rod_count = f->rod_count};
        for (int i = 0; i < f->rod_count; i++) {
            copy_ends(f, i, nodes, o->ends + 2 * (edges + f->rods[i].first_edge));
            o->rods[rods] = f->rods[i];
            o->rods[rods].first_node += nodes;
            o->rods[rods++].first_edge += edges;
        }
        memcpy(o->x + nodes, f->skin ? f->skin : f->x, sizeof *o->x * (size_t)f->node_count);
        memcpy(o->m1 + edges, f->m1, sizeof *o->m1 * (size_t)f->edge_count);
        memcpy(o->radius + edges, f->radius, sizeof *o->radius * (size_t)f->edge_count);
        for (int i = 0; i < f->body_count; i++) {
            o->bodies[bodies++] = f->bodies[i];
        }
        nodes += f->node_count;
        edges += f->edge_count;
    }
}

void overlay_free(Overlay* o)
{
    free(o->rods);
    free(o->x);
    free(o->m1);
    free(o->radius);
    free(o->ends);
    free(o->bodies);
    *o = (Overlay){0};
}

// ---- the picture

// The height of the picture at the distance of the rods [m].
static double picture_height(const CordFrame* frame, const CordPictureDef* def)
{
    CordPictureDef placed = *def;
    if (def->fit) {
        CordVec3 low = {1, 0, 0}, high = {0, 0, 0}; // empty
        cord_picture_bounds(frame, &low, &high);
        cord_picture_fit(&placed, low, high);
    }
    return 2.0 * tan(0.5 * placed.field_of_view) * cord_vec3_distance(placed.eye, placed.target);
}

// No more pieces than edges in any rod, so that the pieces of all rods have the same places.
static int piece_count(const Overlay* o)
{
    int least = rings * o->group_count;
    for (int i = 0; i < o->rod_count; i++) {
        least = o->rods[i].edge_count < least ? o->rods[i].edge_count : least;
    }
    return least;
}

static void make_rings(const Overlay* o, double least, double* radius)
{
    int pieces = piece_count(o);
    for (int k = 0, rod = 0; k < o->group_count; k++) {
        for (int end = rod + o->groups[k].rod_count; rod < end; rod++) {
            const CordFrameRod* r = &o->rods[rod];
            for (int j = 0; j < r->edge_count; j++) {
                int piece = (int)(pieces * (j + 0.5) / r->edge_count);
                double thick = fmax(o->radius[r->first_edge + j], least);
                bool shows = (piece + k) % o->group_count == 0;
                radius[r->first_edge + j] = shows ? thick : (1.0 - ring_depth) * thick;
            }
        }
    }
}

bool overlay_draw(const Overlay* o, const CordFrame* stage, const CordSceneCamera* camera, const char* path)
{
    CordPictureDef def = cord_picture_def_default();
    camera_from_scene(camera, &def);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    def.tasks = cord_tasks_openmp(processors > 1 ? (int)processors : 1);
    def.groups = o->groups;
    def.group_count = o->group_count;
    double* radius = heap_take((size_t)o->edge_count, sizeof *radius);
    memcpy(radius, o->radius, sizeof *radius * (size_t)o->edge_count);
    CordFrame frame = {.time = o->time,
                       .rod_count = o->rod_count,
                       .node_count = o->node_count,
                       .edge_count = o->edge_count,
                       .rods = o->rods,
                       .x = o->x,
                       .ends = o->ends,
                       .m1 = o->m1,
                       .radius = radius,
                       .body_count = o->body_count,
                       .bodies = o->bodies,
                       .obstacle_count = stage->obstacle_count,
                       .obstacles = stage->obstacles};
    make_rings(o, least_share * picture_height(&frame, &def) / def.radius_scale, radius);
    def.least_radius = 0.0; // it would hide the rings
    CordMessage message = {""};
    bool drawn = cord_picture_png(&frame, &def, path, &message) == CORD_OK;
    if (!drawn) {
        console_warning("no picture was drawn: %s", message.text);
    }
    free(radius);
    return drawn;
}
