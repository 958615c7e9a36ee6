#include "solve/assembly.h"

#include "solve/joins.h"

#include <string.h>

// ---- connected components

static Body* body_at(const Slots* bodies, int i)
{
    return slots_at(bodies, i);
}

static Rod* rod_at(const Slots* rods, int i)
{
    return slots_at(rods, i);
}

// Next weld of a rod from clamp *i on, and moves *i past it. NULL: there is none.
static Weld* next_weld(const Rod* rod, int* i)
{
    while (*i < rod->clamp_count) {
        Clamp* clamp = rod->clamps[(*i)++];
        if (clamp->carrier) {
            return weld_of(clamp);
        }
    }
    return NULL;
}

static int root_of(int* parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Union-find over the bodies: bodies on one rod are united. parent[] becomes a forest with one tree for each
// assembly, rooted at its oldest body.
static void group_bodies(const Slots* rods, const Slots* bodies, int* parent)
{
    for (int b = 0; b < bodies->live_count; b++) {
        parent[b] = b;
        body_at(bodies, b)->index = b;
    }
    for (int r = 0; r < rods->live_count; r++) {
        Rod* rod = rod_at(rods, r);
        int i = 0;
        Weld *first = next_weld(rod, &i), *weld = first;
        for (; weld; weld = next_weld(rod, &i)) {
            int a = root_of(parent, first->body->index), b = root_of(parent, weld->body->index);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    }
}

// Counts the members of each assembly, which stands at the index of its oldest body.
static void count_members(Assemblies* all, const Slots* rods, const Slots* bodies, int* parent)
{
    for (int r = 0; r < rods->live_count; r++) {
        const Rod* rod = rod_at(rods, r);
        int i = 0;
        for (Weld *weld = next_weld(rod, &i), *first = weld; weld; weld = next_weld(rod, &i)) {
            Assembly* a = &all->all[root_of(parent, weld->body->index)];
            a->rod_count += weld == first;
            a->tie_count += weld->clamp.node_count;
        }
    }
    for (int b = 0; b < bodies->live_count; b++) {
        all->all[root_of(parent, b)].body_count++;
    }
}

// Removes roots without rods. number[root] is the new index of an assembly; -1: removed.
static void remove_empty(Assemblies* all, int roots, int* number)
{
    all->count = 0;
    for (int i = 0; i < roots; i++) {
        number[i] = all->all[i].rod_count > 0 ? all->count : -1;
        if (number[i] >= 0) {
            all->all[all->count++] = all->all[i];
        }
    }
}

static void assign_arrays(Assemblies* all, Rod** rods, Body** bodies, Tie* ties, Chain* chains, int* firsts)
{
    for (int i = 0; i < all->count; i++) {
        Assembly* a = &all->all[i];
        a->rods = rods, a->bodies = bodies, a->ties = ties, a->chains = chains, a->first_chain = firsts,
        a->first_tie = firsts + a->rod_count + 1;
        rods += a->rod_count, bodies += a->body_count, ties += a->tie_count, firsts += 2 * (a->rod_count + 1);
        // at most one chain after each tie, and one before the first tie of each rod
        chains += a->tie_count + a->rod_count;
        a->rod_count = a->body_count = a->tie_count = 0;
    }
}

// ---- ties and chains of a rod

static double inv_len_beside(const CordCenterline* c, int slot)
{
    return c->inv_rest[c->rest_len[slot] == 0.0 ? slot - 1 : slot];
}

static void add_ties(Assembly* a, const Rod* rod)
{
    int first = a->tie_count, i = 0;
    for (Weld* weld = next_weld(rod, &i); weld; weld = next_weld(rod, &i)) {
        weld->rod_index = a->rod_count;
        for (int k = 0; k < weld->clamp.node_count; k++) {
            Tie tie = {.weld = weld,
                       .k = k,
                       .rod = a->rod_count,
                       .body = weld->body->index,
                       .slot = slot_of(&rod->line, weld->clamp.node[k]),
                       .mass = rod_node_mass(rod, weld->clamp.node[k]),
                       .offset = weld->clamp.offset[k]};
            tie.inv_len = inv_len_beside(&rod->line, tie.slot);
            int at = a->tie_count++;
            for (; at > first && a->ties[at - 1].slot > tie.slot; at--) {
                a->ties[at] = a->ties[at - 1];
            }
            a->ties[at] = tie;
        }
    }
}

static void add_chain(Assembly* a, Chain chain)
{
    const CordCenterline* c = &a->rods[chain.rod]->line;
    for (int p = 0; p < chain.port_count && chain.count > 0; p++) {
        Port* port = &chain.port[p];
        int edge = chain.edge + (port->sign < 0.0 ? 0 : chain.count - 1);
        port->slot = slot_of(c, edge % c->edge_count);
        port->body = a->ties[port->tie].body;
    }
    if (chain.count > 0) {
        a->chains[a->chain_count++] = chain;
    }
}

// Two neighbouring ties of one body need no chain: the edge between them is part of the body.
static void add_chain_between(Assembly* a, int first, int last, int count)
{
    Tie *from = &a->ties[first], *to = &a->ties[last];
    from->rigid = count == 1 && from->body == to->body;
    int edge = from->slot - a->rods[from->rod]->line.halo;
    add_chain(a, (Chain){.rod = from->rod,
                         .edge = edge,
                         .count = from->rigid ? 0 : count,
                         .port_count = 2,
                         .port = {{.tie = first, .sign = -1.0}, {.tie = last, .sign = 1.0}}});
}

static void add_chain_to_end(Assembly* a, int edge, int count, Port port)
{
    add_chain(a, (Chain){.rod = a->rod_count, .edge = edge, .count = count, .port_count = 1, .port = {port}});
}

static void add_chains(Assembly* a, const Rod* rod, int first)
{
    const CordCenterline* c = &rod->line;
    int last = a->tie_count - 1;
    for (int t = first; t < last; t++) {
        add_chain_between(a, t, t + 1, a->ties[t + 1].slot - a->ties[t].slot);
    }
    int start = a->ties[first].slot - c->halo, end = a->ties[last].slot - c->halo;
    if (c->closed) {
        add_chain_between(a, last, first, c->edge_count - end + start);
    } else {
        add_chain_to_end(a, 0, start, (Port){.tie = first, .sign = 1.0});
        add_chain_to_end(a, end, c->edge_count - end, (Port){.tie = last, .sign = -1.0});
    }
}

static void add_rod(Assembly* a, Rod* rod)
{
    int first = a->tie_count;
    a->rods[a->rod_count] = rod;
    add_ties(a, rod);
    a->first_chain[a->rod_count] = a->chain_count;
    if (rod->inextensible) {
        add_chains(a, rod, first);
    }
    a->first_tie[a->rod_count] = first;
    a->first_tie[a->rod_count + 1] = a->tie_count;
    a->first_chain[++a->rod_count] = a->chain_count;
}

static void fill(Assemblies* all, const Slots* rods, const Slots* bodies, int* parent, const int* number)
{
    for (int b = 0; b < bodies->live_count; b++) {
        body_at(bodies, b)->assembly = number[root_of(parent, b)] + 1;
    }
    for (int b = 0; b < bodies->live_count; b++) {
        Body* body = body_at(bodies, b);
        Assembly* a = assembly_at(all, body->assembly);
        if (a) {
            body->index = a->body_count;
            a->bodies[a->body_count++] = body;
        }
    }
    for (int r = 0; r < rods->live_count; r++) {
        int i = 0;
        Rod* rod = rod_at(rods, r);
        Weld* weld = next_weld(rod, &i);
        if (weld) {
            rod->assembly = weld->body->assembly;
            add_rod(assembly_at(all, rod->assembly), rod);
        }
    }
}

// ---- block matrix of the bodies

static void find_blocks(Assembly* a)
{
    for (int i = 0; i < a->chain_count; i++) {
        Chain* chain = &a->chains[i];
        for (int p = 0; p < chain->port_count; p++) {
            for (int q = 0; q < chain->port_count; q++) {
                chain->block[p][q] = sparse_ldu_at(&a->blocks, chain->port[p].body, chain->port[q].body);
            }
        }
    }
}

static CordResult make_blocks(Memory* m, Assembly* a)
{
    int* sizes = memory_array(m, int, a->body_count);
    SparseLduPair* pairs = memory_array(m, SparseLduPair, a->chain_count);
    int count = 0;
    CordResult result = sizes && pairs ? CORD_OK : CORD_NO_MEMORY;
    for (int i = 0; result == CORD_OK && i < a->body_count; i++) {
        sizes[i] = 6;
    }
    for (int i = 0; result == CORD_OK && i < a->chain_count; i++) {
        const Chain* chain = &a->chains[i];
        int from = chain->port[0].body, to = chain->port[chain->port_count - 1].body;
        if (from != to) {
            pairs[count++] = (SparseLduPair){from, to};
        }
    }
    result =
        result == CORD_OK ? sparse_ldu_create(m, &a->blocks, sizes, a->body_count, pairs, count) : result;
    if (result == CORD_OK) {
        find_blocks(a);
    }
    memory_array_free(m, sizes, a->body_count);
    memory_array_free(m, pairs, a->chain_count);
    return result;
}

// ---- all assemblies

static int most_ties(const Slots* welds)
{
    int count = 0;
    for (int i = 0; i < welds->live_count; i++) {
        count += ((const Weld*)slots_at(welds, i))->clamp.node_count;
    }
    return count;
}

bool assemblies_find(Memory* m, Assemblies* all, const Slots* rods, const Slots* bodies, const Slots* welds)
{
    int b = bodies->live_count, r = rods->live_count, t = most_ties(welds), c = t + r;
    size_t need = arena_space(sizeof(Assembly), b) + 2 * arena_space(sizeof(int), b) +
                  arena_space(sizeof(Rod*), r) + arena_space(sizeof(Body*), b) + arena_space(sizeof(Tie), t) +
                  arena_space(sizeof(Chain), c) + arena_space(sizeof(int), 2 * (r + b));
    assemblies_free(m, all);
    for (int i = 0; i < b; i++) {
        body_at(bodies, i)->assembly = 0;
    }
    for (int i = 0; i < r; i++) {
        rod_at(rods, i)->assembly = 0;
    }
    if (!arena_reserve(m, &all->arena, need)) {
        return false;
    }
    arena_reset(&all->arena);
    all->all = arena_push(&all->arena, Assembly, b);
    int *parent = arena_push(&all->arena, int, b), *number = arena_push(&all->arena, int, b);
    memset(all->all, 0, sizeof *all->all * (size_t)b);
    group_bodies(rods, bodies, parent);
    count_members(all, rods, bodies, parent);
    remove_empty(all, b, number);
    Rod** rod_space = arena_push(&all->arena, Rod*, r);
    Body** body_space = arena_push(&all->arena, Body*, b);
    Tie* tie_space = arena_push(&all->arena, Tie, t);
    Chain* chain_space = arena_push(&all->arena, Chain, c);
    assign_arrays(all, rod_space, body_space, tie_space, chain_space,
                  arena_push(&all->arena, int, 2 * (r + b)));
    fill(all, rods, bodies, parent, number);
    for (int i = 0; i < all->count; i++) {
        if (make_blocks(m, &all->all[i]) != CORD_OK) {
            return false;
        }
    }
    return true;
}

void assemblies_free(Memory* m, Assemblies* all)
{
    for (int i = 0; i < all->count; i++) {
        sparse_ldu_destroy(&all->all[i].blocks);
        if (all->all[i].joins) {
            joins_destroy(m, all->all[i].joins);
            memory_array_free(m, all->all[i].joins, 1);
        }
    }
    all->count = 0;
    arena_free(m, &all->arena);
}

double assembly_mass(const Assembly* a, const Rod* rod)
{
    double mass = a ? 0.0 : rod_mass(rod);
    for (int i = 0; a && i < a->rod_count; i++) {
        mass += rod_mass(a->rods[i]);
    }
    for (int i = 0; a && i < a->body_count; i++) {
        mass += a->bodies[i]->is_joint ? 0.0 : a->bodies[i]->def.mass; // a joint's mass belongs to the rods
    }
    return mass;
}
