// The materials that come with Cordage. docs/materials.md has the same table with remarks, and a test
// compares them.
//
// Friction is a typical dry value against the same material, good to a factor of two. Ropes and threads have
// the moduli of their whole section, voids included. With fibres of modulus E, a fraction c of the section
// filled, and n strands that slide on each other freely, bending has c^2 E / n and twisting c^2 G / n.
// Stretching is measured, or c E k, with k for the lay of the strands.
#include <cordage/io.h>

#include <math.h>

#define MADE(young_, poisson_, density_, friction_, bend_, twist_, stretch_)                                 \
    {                                                                                                        \
        .young = young_, .poisson = poisson_, .density = density_, .friction = friction_,                    \
        .friction_across = 1.0, .friction_kinetic = NAN, .friction_backward = 1.0, .bend_modulus = bend_,    \
        .twist_modulus = twist_, .stretch_modulus = stretch_                                                 \
    }
#define SOLID(name_, young_, poisson_, density_, friction_, source_)                                         \
    {                                                                                                        \
        .name = name_, .material = MADE(young_, poisson_, density_, friction_, NAN, NAN, NAN),               \
        .source = source_                                                                                    \
    }
#define STRANDS(name_, young_, poisson_, density_, friction_, bend_, twist_, source_)                        \
    {                                                                                                        \
        .name = name_, .material = MADE(young_, poisson_, density_, friction_, bend_, twist_, NAN),          \
        .source = source_                                                                                    \
    }

// Materials of CORDE's Table 2. Poisson's ratio follows from E and G; the paper has no coefficient of
// friction.
#define TABLE2(name_, young_, twist_, stretch_, density_)                                                    \
    {                                                                                                        \
        .name = name_,                                                                                       \
        .material = MADE(young_, (young_) / (2.0 * (twist_)) - 1.0, density_, 0.3, NAN, twist_, stretch_),   \
        .source = SPILLMANN                                                                                  \
    }

#define DOWLING                                                                                              \
    "Dowling, Mechanical Behavior of Materials, table 5.2; density: Gere, Mechanics of Materials, app. H"
#define SPILLMANN                                                                                            \
    "Spillmann and Teschner, CORDE, SCA 2007, table 2, as printed: chosen by eye, no measurement"
#define MORTON "Morton and Hearle, Physical Properties of Textile Fibres, 4th ed., "

static const CordNamedMaterial materials[] = {
    SOLID("steel", 212e9, 0.293, 7850, 0.6, DOWLING " (mild steel)"),
    SOLID("stainless_steel", 193e9, 0.27, 7860, 0.6,
          "Hibbeler, Mechanics of Materials, inside cover (type 304)"),
    STRANDS("spring_steel", 200e9, 0.29, 7850, 0.6, NAN, 81.7e9,
            "Budynas and Nisbett, Shigley's Mechanical Engineering Design, table 10-5 (music wire, 0.8 to "
            "1.6 mm)"),
    SOLID("copper", 130e9, 0.343, 8900, 1.0, DOWLING),
    SOLID("brass", 101e9, 0.35, 8500, 0.4, DOWLING " (70 Cu 30 Zn)"),
    SOLID("aluminium", 70.3e9, 0.345, 2700, 1.1, DOWLING),
    SOLID("titanium", 120e9, 0.361, 4500, 0.5, DOWLING),
    SOLID(
        "nitinol", 83e9, 0.33, 6450, 0.4,
        "Hodgson, Wu and Biermann, Shape memory alloys, ASM Handbook vol. 2 (austenite, below its plateau)"),
    SOLID("nylon", 2.7e9, 0.41, 1140, 0.2, DOWLING " (nylon 66, dry; about half as stiff when moist)"),
    SOLID("polyester", 3.45e9, 0.33, 1350, 0.2,
          "Callister, Materials Science and Engineering, app. B (PET, middle of 2.76 to 4.14 GPa)"),
    SOLID("polypropylene", 1.35e9, 0.4, 905, 0.3,
          "Callister, Materials Science and Engineering, app. B (middle of 1.14 to 1.55 GPa)"),
    SOLID("polyethylene", 1.08e9, 0.42, 959, 0.2, DOWLING " (high density)"),
    SOLID("rubber", 1.5e6, 0.49, 950, 1.0,
          "Gere, Mechanics of Materials, app. H (0.7 to 4 MPa; soft natural rubber)"),
    SOLID("silicone", 2e6, 0.49, 1030, 1.0,
          "Wang, Volinsky and Gallant, J. Appl. Polym. Sci. 131, 41050 (2014) (PDMS mixed 10:1)"),
    SOLID("glass_fibre", 72.4e9, 0.22, 2580, 0.9,
          "Dowling, Mechanical Behavior of Materials, table 5.2 (type E glass)"),
    STRANDS("carbon_fibre", 230e9, 0.2, 1780, 0.2, NAN, 20e9,
            "Callister, Materials Science and Engineering, table 16.4 (standard modulus); twist: about a "
            "tenth, anisotropic"),
    STRANDS("aramid", 135e9, 0.36, 1450, 0.2, NAN, 2e9,
            "Kim and Mai, Engineered Interfaces in Fiber Reinforced Composites, table 5.10 (Kevlar 49); "
            "twist: order only"),
    STRANDS("silk", 9.8e9, 0.4, 1340, 0.25, NAN, 2.5e9,
            MORTON "table 13.1 (7.3 N/tex); twist: order of table 17.1"),
    STRANDS("cotton", 7.6e9, 0.4, 1520, 0.3, NAN, 2.4e9,
            MORTON "table 13.1 (one fibre, 5.0 N/tex); twist: order of table 17.1"),
    STRANDS("hair", 3.89e9, 0.4, 1320, 0.2, NAN, 0.89e9,
            "Robbins, Chemical and Physical Behavior of Human Hair, appendix"),
    STRANDS("ash", 12e9, 0.37, 670, 0.4, NAN, 1.1e9,
            "Wood Handbook, FPL-GTR-190, tables 5-1 to 5-3 (white ash along the grain, 12 % moisture)"),
    SOLID("spaghetti", 5e9, 0.3, 1500, 0.4, "Guinea, Rojo and Elices, Eng. Fail. Anal. 11, 705 (2004) (dry)"),
    STRANDS("nylon_rope", 0.6e9, 0.4, 800, 0.2, 17e6, 6e6,
            "estimate: " MORTON "table 13.2 (3.0 N/tex); c = 0.7, n = 100 yarns, k = 0.25"),
    STRANDS("polyester_rope", 2.6e9, 0.4, 970, 0.2, 72e6, 26e6,
            "estimate: " MORTON "table 13.2 (10.6 N/tex); c = 0.7, n = 100 yarns, k = 0.25"),
    STRANDS("steel_wire_rope", 42e9, 0.3, 4700, 0.2, 0.46e9, 0.18e9,
            "Shigley and Mitchell, Mechanical Engineering Design, 1983 (6 x 19: 12e6 psi on 0.40 d^2, 1.60 "
            "d^2 lb/ft); bending and "
            "twisting: estimate with c = 0.51, n = 114 wires"),
    STRANDS("cotton_thread", 2.1e9, 0.4, 840, 0.3, 23e6, 7e6,
            "estimate: " MORTON "table 13.1 (5.0 N/tex); c = 0.55, n = 100 fibres, k = 0.5"),
    TABLE2("corde_table2_rope", 0.5e6, 0.5e6, 20e6, 1300),
    TABLE2("corde_table2_wire", 200e6, 100e6, 100e6, 7860),
    TABLE2("corde_table2_thread", 10, 10, 0.02e6, 1300),
};

int cord_material_count(void)
{
    return (int)(sizeof materials / sizeof *materials);
}

const CordNamedMaterial* cord_material_named(int index)
{
    return 0 <= index && index < cord_material_count() ? &materials[index] : NULL;
}
