// The world at one time, in flat arrays.
#include "rod/grid.h"
#include "world/obstacle.h"
#include "world/surface.h"
#include "world/world.h"

// Grows arrays that share a capacity. If one fails, each array still has the size that its capacity says.
static bool grow_group(CordWorld* w, int* capacity, int count, void** const* arrays, const size_t* sizes,
                       int array_count)
{
    if (count <= *capacity) {
        return true;
    }
    void* fresh[8] = {0};
    for (int i = 0; i < array_count; i++) {
        fresh[i] = memory_alloc(&w->memory, (size_t)count * sizes[i]);
        if (!fresh[i]) {
            while (i-- > 0) {
                memory_free(&w->memory, fresh[i], (size_t)count * sizes[i]);
            }
            return false;
        }
    }
    for (int i = 0; i < array_count; i++) {
        memory_free(&w->memory, *arrays[i], (size_t)*capacity * sizes[i]);
        *arrays[i] = fresh[i];
    }
    *capacity = count;
    return true;
}

static bool grow_frame(CordWorld* w, int rods, int nodes, int edges)
{
    FrameBuffers* f = &w->frame;
    void** by_rod[] = {(void**)&f->rods, (void**)&f->energy, (void**)&f->stretch, (void**)&f->twist,
                       (void**)&f->adapt};
    void** by_node[] = {(void**)&f->x,    (void**)&f->v,   (void**)&f->moment,
                        (void**)&f->skin, (void**)&f->arc, (void**)&f->level};
    void** by_edge[] = {(void**)&f->m1, (void**)&f->radius, (void**)&f->tension, (void**)&f->force,
                        (void**)&f->ends};
    void** by_body[] = {(void**)&f->bodies};
    void** by_obstacle[] = {(void**)&f->obstacles};
    void** by_surface[] = {(void**)&f->surfaces};
    return grow_group(w, &f->body_capacity, w->bodies.live_count, by_body, (size_t[]){sizeof *f->bodies},
                      1) &&
           grow_group(w, &f->obstacle_capacity, w->obstacles.live_count, by_obstacle,
                      (size_t[]){sizeof *f->obstacles}, 1) &&
           grow_group(w, &f->surface_capacity, w->surfaces.live_count, by_surface,
                      (size_t[]){sizeof *f->surfaces}, 1) &&
           grow_group(w, &f->rod_capacity, rods, by_rod,
                      (size_t[]){sizeof *f->rods, sizeof *f->energy, sizeof(double), sizeof(double),
                                 sizeof *f->adapt},
                      5) &&
           grow_group(w, &f->node_capacity, nodes, by_node,
                      (size_t[]){sizeof *f->x, sizeof *f->v, sizeof *f->moment, sizeof *f->skin,
                                 sizeof(double), sizeof(uint8_t)},
                      6) &&
           grow_group(w, &f->edge_capacity, edges, by_edge,
                      (size_t[]){sizeof *f->m1, sizeof(double), sizeof(double), sizeof *f->force,
                                 2 * sizeof *f->ends},
                      5);
}

static void fill_adaptive(CordWorld* w, const Rod* rod, int index, int node)
{
    FrameBuffers* f = &w->frame;
    rod_skin(rod, w->time, f->skin + node);
    for (int i = 0; i < rod->line.node_count; i++) {
        f->level[node + i] = rod->grid ? (uint8_t)grid_level(rod->grid, rod->grid->tick[i]) : 0;
    }
    f->adapt[index] = rod->grid ? rod->grid->report : (CordAdaptReport){0};
}

static CordResult fill_rod(CordWorld* w, int index, CordFrame* frame)
{
    FrameBuffers* f = &w->frame;
    const Rod* rod = slots_at(&w->rods, index);
    const CordCenterline* c = &rod->line;
    CordRodId id = cord_world_rod(w, index);
    int node = frame->node_count, edge = frame->edge_count;
    f->rods[index] =
        (CordFrameRod){rod->name, node, c->node_count, edge, c->edge_count, c->closed, c->ends != NULL};
    CORD_TRY(cord_rod_positions(w, id, f->x + node));
    CORD_TRY(cord_rod_velocities(w, id, f->v + node));
    CORD_TRY(cord_rod_moments(w, id, f->moment + node));
    CORD_TRY(cord_rod_material_frames(w, id, f->m1 + edge));
    CORD_TRY(cord_rod_tensions(w, id, f->tension + edge));
    CORD_TRY(cord_rod_section_forces(w, id, f->force + edge));
    for (int j = 0; j < c->edge_count; j++) {
        f->radius[edge + j] = rod_radius_at(rod, j);
        f->ends[2 * (edge + j)] = node + edge_start(c, j);
        f->ends[2 * (edge + j) + 1] = node + edge_end(c, j);
    }
    fill_adaptive(w, rod, index, node);
    CORD_TRY(cord_rod_arcs(w, id, f->arc + node));
    f->energy[index] = rod_energy_now(w, rod, f->v + node);
    f->stretch[index] = rod_stretch(rod);
    f->twist[index] = c->ends ? (double)NAN : cord_rod_twist(w, id);
    frame->node_count += c->node_count;
    frame->edge_count += c->edge_count;
    return CORD_OK;
}

static CordResult fill_body(CordWorld* w, int index)
{
    const Body* body = slots_at(&w->bodies, index);
    const CordBodyState* now = body_now(w, body);
    if (!now) {
        return CORD_NO_MEMORY;
    }
    CordMomentum momentum;
    w->frame.bodies[index] = (CordFrameBody){body->name,
                                             body->def.solid,
                                             now->position,
                                             now->rotation,
                                             now->velocity,
                                             now->spin,
                                             body_energy_now(w, body, &momentum)};
    return CORD_OK;
}

static void fill_obstacle(CordWorld* w, int index)
{
    const Obstacle* o = slots_at(&w->obstacles, index);
    w->frame.obstacles[index] = (CordFrameObstacle){.name = o->name,
                                                    .solid = o->def.solid,
                                                    .position = o->pose.point,
                                                    .rotation = o->pose.rotation,
                                                    .force = o->force,
                                                    .torque = o->torque};
}

static int rod_index(const CordWorld* w, const Rod* rod)
{
    int index = 0;
    while (slots_at(&w->rods, index) != rod) {
        index++;
    }
    return index;
}

static void fill_surface(CordWorld* w, int index, const CordFrame* frame)
{
    Surface* s = slots_at(&w->surfaces, index);
    CordFrameSurface* to = &w->frame.surfaces[index];
    *to = (CordFrameSurface){.name = s->name,
                             .rod = rod_index(w, s->rod),
                             .hides = s->hides,
                             .vertex_count = s->vertex_count,
                             .triangle_count = s->triangle_count,
                             .vertices = s->vertices,
                             .triangles = s->triangles,
                             .ties = s->ties};
    cord_surface_place(frame, to, s->vertices);
}

static bool has_network(const CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        if (((const Rod*)slots_at(&w->rods, i))->line.ends) {
            return true;
        }
    }
    return false;
}

void cord_frame_ends(const CordFrame* frame, int rod, int edge, int nodes[2])
{
    const CordFrameRod* r = &frame->rods[rod];
    const int* ends = r->network ? frame->ends + 2 * (size_t)(r->first_edge + edge) : NULL;
    nodes[0] = ends ? ends[0] : r->first_node + edge;
    nodes[1] = ends ? ends[1] : r->first_node + (edge + 1) % r->node_count;
}

static CordResult fill_ledger(CordWorld* w, CordFrame* frame)
{
    CordLedger ledger;
    CORD_TRY(cord_ledger_read(w, &ledger));
    frame->ledger_count = ledger.entry_count;
    frame->ledger = ledger.entries;
    return CORD_OK;
}

CordResult cord_world_frame(CordWorld* w, CordFrame* frame)
{
    FrameBuffers* f = &w->frame;
    int nodes = 0, edges = 0, rods = w->rods.live_count;
    *frame = (CordFrame){.time = w->time, .steps = w->steps, .rod_count = rods};
    for (int i = 0; i < rods; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        nodes += rod->line.node_count;
        edges += rod->line.edge_count;
    }
    CORD_TRY(world_prepare(w));
    if (!grow_frame(w, rods, nodes, edges)) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for a frame of %d nodes", nodes);
    }
    for (int i = 0; i < rods; i++) {
        CORD_TRY(fill_rod(w, i, frame));
    }
    for (int i = 0; i < w->bodies.live_count; i++) {
        CORD_TRY(fill_body(w, i));
    }
    for (int i = 0; i < w->obstacles.live_count; i++) {
        fill_obstacle(w, i);
    }
    frame->contact_count = cord_world_contact_count(w);
    frame->contacts = cord_world_contacts(w);
    frame->obstacle_count = w->obstacles.live_count;
    frame->obstacles = f->obstacles;
    frame->body_count = w->bodies.live_count;
    frame->bodies = f->bodies;
    frame->rods = f->rods, frame->energy = f->energy, frame->stretch = f->stretch;
    frame->twist = f->twist;
    frame->x = f->x, frame->v = f->v, frame->moment = f->moment;
    frame->arc = f->arc;
    if (world_is_adaptive(w)) {
        frame->skin = f->skin, frame->level = f->level, frame->adapt = f->adapt;
    }
    frame->m1 = f->m1, frame->radius = f->radius, frame->tension = f->tension, frame->force = f->force;
    frame->ends = has_network(w) ? f->ends : NULL;
    for (int i = 0; i < w->surfaces.live_count; i++) {
        fill_surface(w, i, frame);
    }
    frame->surface_count = w->surfaces.live_count;
    frame->surfaces = f->surfaces;
    return w->ledger ? fill_ledger(w, frame) : CORD_OK;
}
