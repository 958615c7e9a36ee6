// Which rods and bodies belong together, and the chains of edges between them.
#include "world_bodies.h"

static CordRodId rope(CordWorld* w, double y, int nodes) // along x
{
    return add_between(w, (CordVec3){0, y, 0}, (CordVec3){1, y, 0}, nodes, true);
}

static CordBodyId ball(CordWorld* w, CordVec3 x)
{
    return add_odd_body(w, x, 0.1, 0.05);
}

static const Assemblies* found(CordWorld* w)
{
    CHECK_OK(world_prepare(w));
    return &w->assemblies;
}

TEST(what_no_weld_joins_is_no_assembly)
{
    CordWorld* w = new_weightless_world();
    CordRodId a = rope(w, 0, 5);
    ball(w, (CordVec3){1, 0, 0});
    CHECK_INT(found(w)->count, 0);
    CHECK(world_rod(w, a)->assembly == 0);
    cord_world_destroy(w);
}

TEST(rods_and_bodies_are_grouped_by_their_welds)
{
    CordWorld* w = new_weightless_world();
    CordRodId r[5];
    CordBodyId b[5];
    for (int i = 0; i < 5; i++) {
        r[i] = rope(w, i, 8);
        b[i] = ball(w, (CordVec3){1, i, 0});
    }
    add_weld(w, r[4], cord_at_end(), b[3], CORD_FIX_FRAME); // 3: with rods 4 and 1
    add_weld(w, r[1], cord_at_end(), b[3], CORD_FIX_FRAME);
    add_weld(w, r[1], cord_at_start(), b[0], CORD_FIX_POSITION); // and so with body 0
    add_weld(w, r[2], cord_at_start(), b[1], CORD_FIX_POSITION); // apart from these: 1 with rod 2
    const Assemblies* all = found(w);
    CHECK_INT(all->count, 2);
    const Assembly *x = &all->all[0], *y = &all->all[1];
    CHECK_INT(x->body_count, 2);
    CHECK_INT(x->rod_count, 2);
    CHECK_INT(x->tie_count, 5);
    CHECK(x->bodies[0] == world_body(w, b[0]) && x->bodies[1] == world_body(w, b[3]));
    CHECK(x->rods[0] == world_rod(w, r[1]) && x->rods[1] == world_rod(w, r[4]));
    CHECK_INT(y->body_count, 1);
    CHECK(y->rods[0] == world_rod(w, r[2]));
    CHECK(world_rod(w, r[0])->assembly == 0 && world_rod(w, r[3])->assembly == 0);
    CHECK(world_body(w, b[2])->assembly == 0 && world_body(w, b[4])->assembly == 0);
    cord_world_destroy(w);
}

static void check_chain(const Assembly* a, int i, int edge, int count, int ports)
{
    CHECK(i < a->chain_count);
    CHECK_INT(a->chains[i].edge, edge);
    CHECK_INT(a->chains[i].count, count);
    CHECK_INT(a->chains[i].port_count, ports);
}

TEST(chains_run_between_welds_and_to_the_ends)
{
    CordWorld* w = new_weightless_world();
    CordRodId r = rope(w, 0, 13);
    CordBodyId a = ball(w, (CordVec3){0.3, 0, 0}), b = ball(w, (CordVec3){0.8, 0, 0});
    add_weld(w, r, cord_at_node(9), b, CORD_FIX_POSITION); // in any order
    add_weld(w, r, cord_at_edge(3), a, CORD_FIX_FRAME);
    const Assembly* all = found(w)->all;
    CHECK_INT(all->chain_count, 3);
    check_chain(all, 0, 4, 5, 2); // from node 4 to node 9
    check_chain(all, 1, 0, 3, 1);
    check_chain(all, 2, 9, 3, 1);
    CHECK_INT(all->chains[0].port[0].slot, 4);
    CHECK_INT(all->chains[0].port[1].slot, 8);
    CHECK_INT(all->chains[1].port[0].slot, 2);
    CHECK_INT(all->chains[2].port[0].slot, 9);
    CHECK(all->ties[0].rigid && !all->ties[1].rigid && !all->ties[2].rigid);
    cord_world_destroy(w);
}

TEST(chains_go_on_across_the_seam_of_a_ring)
{
    CordWorld* w = new_weightless_world();
    CordRodDef def = ring_def(20);
    def.inextensible = true;
    CordRodId r = add_rod(w, &def);
    CordBodyId b = ball(w, (CordVec3){0.2, 0, 0});
    CordWeldId weld = add_weld(w, r, cord_at_edge(19), b, CORD_FIX_FRAME); // nodes 19 and 0
    const Assembly* a = found(w)->all;
    CHECK_INT(a->chain_count, 1);
    check_chain(a, 0, 0, 19, 2);
    CHECK(!a->ties[0].rigid && a->ties[1].rigid); // the edge after node 19 is the body's
    CHECK_OK(cord_weld_destroy(w, weld));
    add_weld(w, r, cord_at_node(7), b, CORD_FIX_POSITION);
    a = found(w)->all;
    CHECK_INT(a->chain_count, 1);
    check_chain(a, 0, 7, 20, 2);
    CHECK_INT(a->chains[0].port[1].slot, slot_of(&a->rods[0]->line, 6));
    cord_world_destroy(w);
}

TEST(an_edge_between_two_welds_of_one_body_is_part_of_it)
{
    CordWorld* w = new_weightless_world();
    CordRodId r = rope(w, 0, 9);
    CordBodyId b = ball(w, (CordVec3){0.4, 0, 0});
    add_weld(w, r, cord_at_edge(2), b, CORD_FIX_FRAME);
    add_weld(w, r, cord_at_edge(4), b, CORD_FIX_FRAME);
    const Assembly* a = found(w)->all;
    CHECK_INT(a->chain_count, 2);
    check_chain(a, 0, 0, 2, 1);
    check_chain(a, 1, 5, 3, 1);
    CHECK(a->ties[0].rigid && a->ties[1].rigid && a->ties[2].rigid && !a->ties[3].rigid);
    cord_world_destroy(w);
}

TEST(welds_that_go_take_their_assembly_with_them)
{
    CordWorld* w = new_weightless_world();
    CordRodId r = rope(w, 0, 9);
    CordBodyId a = ball(w, (CordVec3){0, 0, 0}), b = ball(w, (CordVec3){1, 0, 0});
    add_weld(w, r, cord_at_start(), a, CORD_FIX_FRAME);
    add_weld(w, r, cord_at_end(), b, CORD_FIX_FRAME);
    CHECK_INT(found(w)->all[0].body_count, 2);
    CHECK_OK(cord_body_destroy(w, a));
    CHECK_INT(cord_world_weld_count(w), 1);
    CHECK_INT(found(w)->all[0].body_count, 1);
    CHECK_OK(cord_rod_destroy(w, r));
    CHECK_INT(cord_world_weld_count(w), 0);
    CHECK_INT(found(w)->count, 0);
    CHECK(world_body(w, b)->assembly == 0);
    run(w, 1e-3, 3);
    cord_world_destroy(w);
}

TEST_GROUP(assembly)
