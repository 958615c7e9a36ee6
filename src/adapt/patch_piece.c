// The small rod that a patch is solved on.
#include "adapt/patch_parts.h"
#include "base/real.h"
#include "solve/move.h"

// EA of an inextensible rod during the search, over EI / l^2. Projection removes the remaining stretch. Ten
// times as much doubles the iterations.
#define STRETCH_STIFFNESS 1e2

// Takes two nodes on either side of the moved ones, where there are as many.
static void choose_piece(const PatchChange* ch, int* first, int* count)
{
    const CordCenterline* c = &ch->rod->line;
    int low = ch->node, high = ch->node;
    if (ch->neighbour >= 0 && ch->neighbour == (ch->node + 1) % c->node_count) {
        high++;
    } else if (ch->neighbour >= 0) {
        low--;
    }
    int from = low - 2, to = high + 2;
    if (!c->closed) {
        from = from > 0 ? from : 0;
        to = to < c->node_count - 1 ? to : c->node_count - 1;
    }
    *count = to - from + 1;
    *first = (from + c->node_count) % c->node_count;
}

double patch_bend_stiffness(const Rod* rod, int edge)
{
    const CordStiffness* k = rod_stiffness_at(rod, edge);
    return real_max(k->EI1, k->EI2);
}

double patch_shortest_edge(const Rod* rod)
{
    double least = INFINITY;
    for (int j = 0; j < rod->line.edge_count; j++) {
        least = real_min(least, edge_rest_len(&rod->line, j));
    }
    return least;
}

// An inextensible rod becomes a stiff one.
static void stiffen(Patch* p)
{
    Rod* rod = &p->piece;
    double l = patch_shortest_edge(rod), pull = vec3_length(p->force[0]) + vec3_length(p->force[1]);
    for (int j = 0; j < (rod->along ? rod->line.edge_count : 1); j++) {
        CordStiffness* k = rod->along ? &rod->along[j] : &rod->stiffness;
        k->EA = STRETCH_STIFFNESS * real_max(real_max(k->EI1, k->EI2) / (l * l), pull) + 1e-300;
    }
}

// Clamps the end edge of the piece, unless the rod ends there.
static CordResult hold_end(Patch* p, int which, Message* message)
{
    Rod* rod = &p->piece;
    CordClampDef def = cord_clamp_def_default();
    CordVec3 m1[PIECE_MOST];
    def.at = cord_at_edge(which == 0 ? 0 : rod->line.edge_count - 1);
    def.fix = CORD_FIX_FRAME;
    model_of(rod)->material_frames(rod, m1);
    CORD_TRY(clamp_init(p->memory, &p->ends[which], rod, &def, m1[def.at.index], false, message));
    p->ends[which].holds = true;
    p->list[rod->clamp_count] = &p->ends[which];
    rod->clamps = p->list;
    rod->clamp_count++;
    return CORD_OK;
}

static int node_of_piece(const Remesh* map, int node)
{
    for (int i = 0; i < map->node_count; i++) {
        if (map->node[i] == node) {
            return i;
        }
    }
    return -1;
}

CordResult patch_open_piece(Patch* p, Remesh* map, Message* message)
{
    const PatchChange* ch = p->change;
    const CordCenterline* c = &ch->rod->line;
    int first, count;
    choose_piece(ch, &first, &count);
    if (c->closed && count > c->node_count) {
        return message_fail(message, CORD_NOT_SUPPORTED, "rod '%s' has too few nodes to move any",
                            ch->rod->name);
    }
    remesh_fill_piece(map, ch->rod, first, count, ch->goes ? ch->node : -1);
    if (!remesh_rod(p->memory, &p->piece, map)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory to change the nodes of rod '%s'",
                            ch->rod->name);
    }
    p->piece.is_piece = true;
    p->origin = node_position(&p->piece.line, 0);
    slots_shift(&p->piece.line, p->piece.line.x, p->piece.line.x, vec3_mul(p->origin, -1.0));
    for (int k = 0; k < 2; k++) {
        int node = k == 0 && !ch->goes ? ch->node : k == 1 ? ch->neighbour : -1;
        if (node >= 0) {
            p->force[p->moved_count] = ch->force[k];
            p->moved[p->moved_count++] = node_of_piece(map, node);
        }
    }
    if (ch->rod->inextensible) {
        stiffen(p);
    }
    rod_update_held(&p->piece);
    CORD_TRY(model_of(&p->piece)->remesh(p->memory, &p->piece, map, message));
    int lowest = p->moved_count > 0 ? p->moved[0] : 2, highest = lowest;
    for (int k = 1; k < p->moved_count; k++) {
        lowest = p->moved[k] < lowest ? p->moved[k] : lowest,
        highest = p->moved[k] > highest ? p->moved[k] : highest;
    }
    bool rings = c->closed;
    if (lowest >= 2 || rings) {
        CORD_TRY(hold_end(p, 0, message));
    }
    if (highest + 2 < p->piece.line.node_count || rings) {
        CORD_TRY(hold_end(p, 1, message));
    }
    rod_update_held(&p->piece);
    return model_of(&p->piece)->constrain(p->memory, &p->piece, ch->time, true, message);
}

void patch_close_piece(Patch* p)
{
    for (int k = 0; k < p->piece.clamp_count; k++) {
        clamp_free(p->memory, p->list[k]);
    }
    if (p->piece.data) {
        model_of(&p->piece)->destroy(p->memory, &p->piece);
    }
    rod_free_arrays(p->memory, &p->piece);
}
