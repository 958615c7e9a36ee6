// What pbd adds to a scene: its keys, what is refused of them, and what is told to be of no use.
#include "scene_text.h"

#include "scene/scene.h"

#define PBD_ROD(keys) ROD("'pbd': {" keys "}, 'model': 'pbd', " SOLID_ROD LINE)

static CordPbdDef pbd_set(const char* text, const char* settings)
{
    CordScene* scene = made_set(text, settings);
    CHECK_INT(scene->rod_count, 1);
    CordPbdDef def = scene->rods[0].def.pbd;
    return def;
}

static CordPbdDef pbd_of(const char* text)
{
    return pbd_set(text, NULL);
}

static void check_same(const CordPbdDef* a, const CordPbdDef* b)
{
    CHECK_INT(a->solver, b->solver);
    CHECK_INT(a->method, b->method);
    CHECK_INT(a->order, b->order);
    CHECK_INT(a->gravity, b->gravity);
    CHECK_INT(a->substeps, b->substeps);
    CHECK_INT(a->iterations, b->iterations);
    CHECK_NEAR(a->tolerance, b->tolerance, 0.0);
    CHECK_NEAR(a->weight_bend1, b->weight_bend1, 0.0);
    CHECK_NEAR(a->weight_bend2, b->weight_bend2, 0.0);
    CHECK_NEAR(a->weight_twist, b->weight_twist, 0.0);
    CHECK_NEAR(a->weight_stretch, b->weight_stretch, 0.0);
    CHECK_NEAR(a->ghost_mass, b->ghost_mass, 0.0);
    CHECK_NEAR(a->ghost_length, b->ghost_length, 0.0);
    CHECK_NEAR(a->damping, b->damping, 0.0);
}

// ---- keys

TEST(what_is_left_out_is_the_library_s)
{
    CordPbdDef library = cord_rod_def_default().pbd;
    CordPbdDef none = pbd_of(ROD("'model': 'pbd', " SOLID_ROD LINE));
    check_same(&none, &library);
    CordPbdDef empty = pbd_of(PBD_ROD("'weights': {}, 'solver': 'pbd'"));
    library.solver = CORD_PBD_PBD;
    check_same(&empty, &library);
}

TEST(the_model_is_read)
{
    const CordRodDef* def = &made(ROD("'model': 'pbd', " SOLID_ROD LINE))->rods[0].def;
    CHECK_INT(def->model, CORD_MODEL_PBD);
    CHECK_INT(def->integrator, cord_rod_def_default().integrator);
}

TEST(each_key_of_the_paper_s_solver_arrives)
{
    CordPbdDef expected = cord_rod_def_default().pbd;
    expected.solver = CORD_PBD_PBD;
    expected.order = CORD_PBD_BILATERAL;
    expected.gravity = CORD_PBD_GRAVITY_FULL;
    expected.substeps = 3, expected.iterations = 77;
    expected.weight_bend1 = 0.125, expected.weight_bend2 = 0.25;
    expected.weight_twist = 0.5, expected.weight_stretch = 0.75;
    expected.ghost_mass = 0.375, expected.ghost_length = 2.5, expected.damping = 0.0625;
    CordPbdDef def =
        pbd_of(PBD_ROD("'solver': 'pbd', 'order': 'bilateral', 'ghost_gravity': 'full', 'substeps': 3, "
                       "'iterations': 77, 'weights': {'bend': [0.125, 0.25], 'twist': 0.5, 'stretch': 0.75}, "
                       "'ghost_mass': 0.375, 'ghost_length': 2.5, 'damping': 0.0625"));
    check_same(&def, &expected);
}

TEST(each_key_of_xpbd_arrives)
{
    CordPbdDef expected = cord_rod_def_default().pbd;
    expected.solver = CORD_PBD_XPBD, expected.method = CORD_PBD_DIRECT;
    expected.substeps = 10000, expected.iterations = 100000, expected.tolerance = 0.1;
    CordPbdDef def = pbd_of(PBD_ROD(
        "'solver': 'xpbd', 'method': 'direct', 'substeps': 10000, 'iterations': 100000, 'tolerance': 0.1"));
    check_same(&def, &expected);
    expected = cord_rod_def_default().pbd;
    expected.method = CORD_PBD_SWEEPS, expected.order = CORD_PBD_INTERLEAVED;
    expected.substeps = 1, expected.iterations = 1;
    def = pbd_of(PBD_ROD("'method': 'sweeps', 'order': 'interleaved', 'substeps': 1, 'iterations': 1"));
    check_same(&def, &expected);
}

TEST(each_word_has_its_value)
{
    static const char text[] = PBD_ROD("'solver': 'pbd'");
    CHECK_INT(pbd_set(text, "rods[0].pbd.order=natural").order, CORD_PBD_NATURAL);
    CHECK_INT(pbd_set(text, "rods[0].pbd.order=bilateral").order, CORD_PBD_BILATERAL);
    CHECK_INT(pbd_set(text, "rods[0].pbd.order=interleaved").order, CORD_PBD_INTERLEAVED);
    CHECK_INT(pbd_set(text, "rods[0].pbd.ghost_gravity=modified").gravity, CORD_PBD_GRAVITY_MODIFIED);
    CHECK_INT(pbd_set(text, "rods[0].pbd.ghost_gravity=full").gravity, CORD_PBD_GRAVITY_FULL);
    CHECK_INT(pbd_set(text, "rods[0].pbd.ghost_gravity=none").gravity, CORD_PBD_GRAVITY_NONE);
}

TEST(one_weight_of_bending_is_for_both_axes)
{
    CordPbdDef def = pbd_of(PBD_ROD("'solver': 'pbd', 'weights': {'bend': 0}"));
    CHECK_NEAR(def.weight_bend1, 0.0, 0.0);
    CHECK_NEAR(def.weight_bend2, 0.0, 0.0);
    CHECK_NEAR(def.weight_twist, cord_rod_def_default().pbd.weight_twist, 0.0);
}

// As corde's keys do: one word changes the model.
TEST(keys_wait_in_other_models)
{
    const char* text =
        ROD("'pbd': {'solver': 'pbd', 'method': 'sweeps', 'weights': {'twist': 0.5}}, " SOLID_ROD LINE);
    const char* const models[] = {"rods[*].model=der", "rods[*].model=corde"};
    for (int i = 0; i < 2; i++) {
        CordPbdDef def = pbd_set(text, models[i]);
        CHECK_INT(def.solver, CORD_PBD_PBD);
        CHECK_INT(def.method, CORD_PBD_SWEEPS);
        CHECK_NEAR(def.weight_twist, 0.5, 0.0);
    }
}

TEST(what_is_read_reaches_the_rod)
{
    CHECK_INT(cord_world_rod_count(built(made(PBD_ROD("'substeps': 2, 'iterations': 5")))), 1);
}

// ---- what is of no use

TEST(a_setting_that_is_of_no_use_is_named)
{
    CHECK_NOTES_SET(PBD_ROD(""), "rods[*].pbd.damping=0.5",
                    "0:0: warning: --set rods[*].pbd.damping=0.5: rods[0].pbd.damping is not used by the "
                    "solver \"xpbd\"; leave it "
                    "out, or write \"solver\": \"pbd\"\n");
}

// ---- what the scene as a whole decides

#define TWO_RODS(scene_keys)                                                                                 \
    "{'cordage': 1, " scene_keys                                                                             \
    ", 'rods': [{'name': 'a', 'model': 'pbd',\n'pbd': {'substeps': 4}, " SOLID_ROD LINE                      \
    "}, {'name': 'b', 'model': 'pbd',\n'pbd': {'substeps': 4}, " SOLID_ROD                                   \
    "'shape': {'line': {'from': [0, 1, 0], 'to': [1, 1, 0]}}, 'elements': 10}]}"
#define BODY(keys)                                                                                           \
    "'bodies': [{'name': 'bob', 'shape': {'sphere': {'radius': 0.1}}, 'mass': 1, 'position': [1, 0, 0]" keys \
    "}]"
#define WELD ", 'welds': [{'rod': 'a', 'at': 'end', 'body': 'bob'}]"
#define NEWTON ", so its steps are of backward Euler by Newton's method; leave it out\n"
#define A_IS_WELDED "2:8: warning: rods[0].pbd is not used: the rod is welded or joined" NEWTON
#define B_IS_TOGETHER                                                                                        \
    ": warning: rods[1].pbd is not used: the rod shares its contacts with bodies, or with rods that are "    \
    "welded, joined or implicit" NEWTON

// What each rod of the scene will take its steps by, which is not what it is made with.
static void check_integrators(const char* text, CordIntegrator a, CordIntegrator b)
{
    SceneText s = scene_text(text, NULL);
    CHECK_OK(s.result);
    CHECK_INT(cord_scene_rod(s.scene, 0)->integrator, a);
    CHECK_INT(cord_scene_rod(s.scene, 1)->integrator, b);
    CHECK_INT(s.scene->rods[0].integrator, CORD_INTEGRATOR_VERLET);
}

TEST(a_welded_rod_has_no_use_for_any_key)
{
    const char* text = TWO_RODS(BODY("") WELD);
    CHECK_NOTES(text, A_IS_WELDED);
    check_integrators(text, CORD_INTEGRATOR_BACKWARD_EULER, CORD_INTEGRATOR_VERLET);
}

TEST(with_contact_welds_and_bodies_are_for_all)
{
    const char* welded = TWO_RODS("'contact': {}, " BODY(", 'contact': false") WELD);
    CHECK_NOTES(welded, A_IS_WELDED "3:8" B_IS_TOGETHER);
    check_integrators(welded, CORD_INTEGRATOR_BACKWARD_EULER, CORD_INTEGRATOR_BACKWARD_EULER);
    check_integrators(TWO_RODS("'contact': {}, " BODY("")), CORD_INTEGRATOR_BACKWARD_EULER,
                      CORD_INTEGRATOR_BACKWARD_EULER);
    CHECK_NOTES(TWO_RODS("'contact': {}, " BODY(", 'contact': false")), "");
    CHECK_NOTES(TWO_RODS(BODY("")), "");
}

TEST_GROUP(scene_pbd)
