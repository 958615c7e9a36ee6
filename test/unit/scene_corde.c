// What corde adds to a scene: its keys, the inertia of sections, the presets of the paper's Table 2.
#include "scene_edges.h"

static const double pi = 3.14159265358979323846;

static const CordRodDef* rod_of(const CordScene* s)
{
    CHECK_INT(s->rod_count, 1);
    return &s->rods[0].def;
}

static void check_corde(const CordCordeDef* a, CordOrientations orientations, double penalty, double stretch,
                        double turn, bool printed)
{
    CHECK_INT(a->orientations, orientations);
    CHECK(isnan(penalty) ? isnan(a->penalty) : a->penalty == penalty);
    CHECK(isnan(stretch) ? isnan(a->friction_stretch) : a->friction_stretch == stretch);
    CHECK(isnan(turn) ? isnan(a->friction_turn) : a->friction_turn == turn);
    CHECK_INT(a->printed_strain, printed);
}

// ---- keys

TEST(what_is_left_out_is_the_library_s)
{
    CordScene* s = made(ROD("'model': 'corde', " SOLID_ROD LINE));
    CHECK_INT(rod_of(s)->model, CORD_MODEL_CORDE);
    CHECK_INT(rod_of(s)->integrator, cord_rod_def_default().integrator);
    check_corde(&rod_of(s)->corde, CORD_ORIENTATIONS_QUASISTATIC, NAN, NAN, NAN, false);
    CHECK(isnan(rod_of(s)->stiffness.rotary1) && isnan(rod_of(s)->stiffness.rotary2));
    s = made(ROD("'model': 'corde', 'corde': {}, " SOLID_ROD LINE));
    check_corde(&rod_of(s)->corde, CORD_ORIENTATIONS_QUASISTATIC, NAN, NAN, NAN, false);
}

TEST(each_key_arrives_and_waits_in_other_models)
{
    const char* keys = ROD(
        "'model': 'corde', 'corde': {'orientations': 'explicit', 'penalty': 250, 'friction_stretch': 3e-5, "
        "'friction_turn': 0, 'strain': 'printed'}, " SOLID_ROD LINE);
    CordScene* s = made(keys);
    CHECK_INT(rod_of(s)->model, CORD_MODEL_CORDE);
    check_corde(&rod_of(s)->corde, CORD_ORIENTATIONS_EXPLICIT, 250.0, 3e-5, 0.0, true);
    s = made_set(keys, "rods[*].model=der\nrods[*].integrator=implicit");
    CHECK_INT(rod_of(s)->model, CORD_MODEL_DER);
    check_corde(&rod_of(s)->corde, CORD_ORIENTATIONS_EXPLICIT, 250.0, 3e-5, 0.0, true);
    s = made(ROD("'corde': {'strain': 'tangent', 'orientations': 'quasistatic'}, " SOLID_ROD LINE));
    check_corde(&rod_of(s)->corde, CORD_ORIENTATIONS_QUASISTATIC, NAN, NAN, NAN, false);
}

TEST(one_word_changes_the_model_of_a_bare_rod)
{
    CordScene* s = made(ROD("'model': 'corde', " BARE_ROD LINE)); // implicit orientations need no inertia
    CHECK_INT(rod_of(s)->model, CORD_MODEL_CORDE);
    s = made(ROD("'model': 'der', 'corde': {'orientations': 'explicit'}, " BARE_ROD LINE));
    CHECK_INT(rod_of(s)->model, CORD_MODEL_DER);
}

TEST(rotary_inertia_is_read_for_each_axis)
{
    CordScene* s = made(ROD("'stiffness': {'rotary_inertia': [2, 3], 'spin_inertia': 5}, " SOLID_ROD LINE));
    CHECK_NEAR(rod_of(s)->stiffness.rotary1, 2.0, 0.0);
    CHECK_NEAR(rod_of(s)->stiffness.rotary2, 3.0, 0.0);
    CHECK_NEAR(rod_of(s)->stiffness.spin_inertia, 5.0, 0.0);
    s = made(ROD("'stiffness': {'rotary_inertia': 7}, " SOLID_ROD LINE));
    CHECK_NEAR(rod_of(s)->stiffness.rotary1, 7.0, 0.0);
    CHECK_NEAR(rod_of(s)->stiffness.rotary2, 7.0, 0.0);
    CHECK(isnan(rod_of(s)->stiffness.spin_inertia) && isnan(rod_of(s)->stiffness.EI1));
}

TEST(rotary_inertia_varies_along_the_rod)
{
    CordScene* s = made(ROD("'stiffness': {'along': [{'at': 0, 'rotary_inertia': [2, 4]}, "
                            "{'at': 1, 'rotary_inertia': [10, 4]}]}, " SOLID_ROD LINE));
    CordRodDef def = scene_edges(s)->def;
    const double first[] = {3, 5, 7, 9}; // at the middles of four edges
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(def.stiffnesses[i].rotary1, first[i], 0.0);
        CHECK_NEAR(def.stiffnesses[i].rotary2, 4.0, 0.0);
        CHECK(isnan(def.stiffnesses[i].spin_inertia));
    }
}

TEST(inertia_given_along_the_rod_will_do_for_explicit_orientations)
{
    CordScene* s = made(
        ROD("'model': 'corde', 'corde': {'orientations': 'explicit'}, 'stiffness': {'bend': 1, 'twist': 1, "
            "'stretch': 1, 'mass_per_length': 1, 'rotary_inertia': 1, 'along': [{'at': 0, 'spin_inertia': "
            "1}, {'at': 1, "
            "'spin_inertia': 2}]}, " LINE));
    CHECK_INT(rod_of(s)->corde.orientations, CORD_ORIENTATIONS_EXPLICIT);
}

// ---- presets

static const struct {
    const char* name;
    double radius, density, E, G, E_s, kappa, gamma_t, gamma_r;
} table2[] = {
    // Table 2: radius [m], density [kg m^-3], three moduli [MPa], kappa [10^3 kg m s^-2], gammas [10^-6 kg
    // m^3 s^-1]
    {"corde_table2_rope", 0.01, 1300, 0.5e6, 0.5e6, 20e6, 100e3, 10e-6, 1e-6},
    {"corde_table2_wire", 0.001, 7860, 200e6, 100e6, 100e6, 300e3, 0.05e-6, 0.01e-6},
    {"corde_table2_thread", 0.001, 1300, 1e-5 * 1e6, 1e-5 * 1e6, 0.02e6, 0.1e3, 1e-6, 0.1e-6},
};
enum { TABLE2 = sizeof table2 / sizeof *table2 };

#define CHECK_SAME(a, b) CHECK_NEAR(a, b, 1e-15 * (b)) // a few roundings

// Eqs. (11) and (14) as printed: r^2, whatever the dimensions say.
TEST(presets_are_the_paper_s_table_as_printed)
{
    for (int i = 0; i < TABLE2; i++) {
        CordScene* s = made_from(ROD("'preset': '%s', " LINE), table2[i].name);
        const CordRodDef* def = rod_of(s);
        double r2 = table2[i].radius * table2[i].radius;
        CHECK_INT(def->model, CORD_MODEL_CORDE);
        CHECK_INT(def->integrator, CORD_INTEGRATOR_SYMPLECTIC_EULER);
        CHECK_NEAR(def->section.radius, table2[i].radius, 0.0);
        CHECK_SAME(def->stiffness.EI1, table2[i].E * pi * r2 / 4.0);
        CHECK_SAME(def->stiffness.EI2, table2[i].E * pi * r2 / 4.0);
        CHECK_SAME(def->stiffness.GJ, table2[i].G * pi * r2 / 2.0);
        CHECK_SAME(def->stiffness.EA, table2[i].E_s * pi * r2);
        CHECK_SAME(def->stiffness.mass_per_length, table2[i].density * pi * r2);
        CHECK_SAME(def->stiffness.rotary1, table2[i].density * pi * r2 / 4.0);
        CHECK_SAME(def->stiffness.rotary2, table2[i].density * pi * r2 / 4.0);
        CHECK_SAME(def->stiffness.spin_inertia, table2[i].density * pi * r2 / 2.0);
        CHECK_NEAR(def->stiffness.EI12, 0.0, 0.0);
        check_corde(&def->corde, CORD_ORIENTATIONS_EXPLICIT, table2[i].kappa, table2[i].gamma_t,
                    table2[i].gamma_r, true);
        CHECK(!def->inextensible);
    }
}

TEST(what_a_preset_gives_reaches_the_rod)
{
    CordScene* s = made(ROD("'preset': 'corde_table2_rope', " LINE));
    CordWorld* world = built(s);
    CordStiffness stiffness = cord_rod_stiffness(world, cord_world_rod(world, 0));
    CHECK_NEAR(stiffness.EI1, 39.269908169872416, 1e-13); // 0.5e6 pi 0.01^2 / 4, with its rounding
    CHECK_NEAR(stiffness.GJ, 78.539816339744831, 1e-13);
    CHECK_NEAR(stiffness.EA, 6283.1853071795865, 1e-11);
    CHECK_NEAR(cord_rod_mass(world, cord_world_rod(world, 0)), 0.40840704496667313, 1e-15); // of 1 m
}

TEST(keys_beside_a_preset_win_wherever_they_stand)
{
    CordScene* s =
        made(ROD("'model': 'der', 'corde': {'penalty': 5}, 'stiffness': {'bend': [2, 3], 'spin_inertia': 4}, "
                 "'preset': 'corde_table2_rope', 'section': {'disc': {'radius': 0.02}}, 'integrator': "
                 "'verlet', " LINE));
    const CordRodDef* def = rod_of(s);
    CHECK_INT(def->model, CORD_MODEL_DER);
    CHECK_INT(def->integrator, CORD_INTEGRATOR_VERLET);
    CHECK_NEAR(def->section.radius, 0.02, 0.0);
    CHECK_NEAR(def->stiffness.EI1, 2.0, 0.0);
    CHECK_NEAR(def->stiffness.EI2, 3.0, 0.0);
    CHECK_NEAR(def->stiffness.spin_inertia, 4.0, 0.0);
    CHECK_SAME(def->stiffness.GJ, 0.5e6 * pi * 1e-4 / 2.0); // what is not given stays
    check_corde(&def->corde, CORD_ORIENTATIONS_EXPLICIT, 5.0, 10e-6, 1e-6, true);
    s = made_set(ROD("'preset': 'corde_table2_rope', " LINE),
                 "rods[rope].corde.strain=tangent\nrods[rope].integrator=implicit");
    CHECK_INT(rod_of(s)->integrator, CORD_INTEGRATOR_MIDPOINT);
    CHECK(!rod_of(s)->corde.printed_strain);
}

TEST(a_preset_has_the_surface_of_its_material)
{
    CordScene* s =
        made("{'cordage': 1, 'contact': {'pairs': [{'materials': ['corde_table2_rope', 'corde_table2_rope'], "
             "'friction': 0.9}]}, "
             "'rods': [{'preset': 'corde_table2_rope', " LINE "}, {'material': 'corde_table2_rope', "
             "'section': {'disc': {'radius': 0.01}}, " LINE "}]}");
    CHECK(s->rods[0].def.surface > 0);
    CHECK_INT(s->rods[0].def.surface, s->rods[1].def.surface);
    s = made("{'cordage': 1, 'materials': {'corde_table2_rope': {'friction': 0.7}}, 'rods': [{'preset': "
             "'corde_table2_rope', " LINE "}]}");
    CHECK_NEAR(rod_of(s)->material.friction, 0.7, 0.0);
}

TEST(materials_of_the_table_go_with_true_moments)
{
    for (int i = 0; i < TABLE2; i++) {
        CordScene* s = made_from(ROD("'material': '%s', 'section': {'disc': {'radius': %g}}, " LINE),
                                 table2[i].name, table2[i].radius);
        const CordMaterial* m = &rod_of(s)->material;
        CHECK_NEAR(m->young, table2[i].E, 0.0);
        CHECK_NEAR(m->twist_modulus, table2[i].G, 0.0);
        CHECK_NEAR(m->stretch_modulus, table2[i].E_s, 0.0);
        CHECK_NEAR(m->density, table2[i].density, 0.0);
        CHECK(isnan(m->bend_modulus));
        CHECK_SAME(m->young / (2.0 * (1.0 + m->poisson)), m->twist_modulus);
        CordStiffness made_of = cord_stiffness_from(m, &rod_of(s)->section);
        double r2 = table2[i].radius * table2[i].radius;
        CHECK_SAME(made_of.EI1, table2[i].E * pi * r2 * r2 / 4.0);
        CHECK_SAME(made_of.GJ, table2[i].G * pi * r2 * r2 / 2.0);
        CHECK_SAME(made_of.EA, table2[i].E_s * pi * r2);
        CHECK_SAME(made_of.rotary1, table2[i].density * pi * r2 * r2 / 4.0);
        CHECK_SAME(made_of.spin_inertia, table2[i].density * pi * r2 * r2 / 2.0);
        CHECK_INT(rod_of(s)->model, CORD_MODEL_DER); // a material chooses no model
    }
}

TEST_GROUP(scene_corde)
