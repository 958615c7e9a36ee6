// A tower of beams as a network: its modes, and its response when the ground shakes at the lowest frequency.
#include <cordage/math.h>
#include <cordage/modal.h>

#include <stdio.h>
#include <stdlib.h>

enum { STOREYS = 8, NODES = 4 * (STOREYS + 1), EDGES = 12 * STOREYS };

static const double amplitude = 0.002; // of the ground [m]

static void must(const CordWorld* world, CordResult result)
{
    if (result != CORD_OK) {
        fprintf(stderr, "%s: %s\n", cord_result_name(result), world ? cord_world_message(world) : "no world");
        exit(1);
    }
}

// Four columns, beams around each floor, and one brace on each side of each storey.
static void make_tower(CordVec3 nodes[NODES], int ends[2 * EDGES])
{
    int k = 0;
    for (int i = 0; i < NODES; i++) {
        nodes[i] = (CordVec3){i % 4 == 1 || i % 4 == 2 ? 0.2 : 0.0, i % 4 > 1 ? 0.2 : 0.0, 0.25 * (i / 4)};
    }
    for (int i = 4; i < NODES; i++) {
        int beside = i - i % 4 + (i + 1) % 4, below[3] = {i - 4, beside, beside - 4};
        for (int p = 0; p < 3; p++) {
            ends[k++] = i, ends[k++] = below[p];
        }
    }
}

int main(void)
{
    CordWorldDef world_def = cord_world_def_default();
    CordWorld* world;
    must(NULL, cord_world_create(&world_def, &world));

    CordVec3 nodes[NODES];
    int ends[2 * EDGES];
    make_tower(nodes, ends);
    CordRodDef def = cord_rod_def_default();
    def.model = CORD_MODEL_MODAL;
    def.shape = cord_shape_network(nodes, NODES, ends, EDGES);
    def.section = cord_section_disc(0.003);
    def.material.young = 1e9, def.material.density = 1200;
    def.modal.modes = 10, def.modal.damping_ratio = 0.02;
    CordRodId tower;
    must(world, cord_rod_create(world, &def, &tower));

    CordClampId feet[4];
    for (int i = 0; i < 4; i++) {
        CordClampDef clamp = cord_clamp_def_default();
        clamp.rod = tower, clamp.at = cord_at_node(i), clamp.fix = CORD_FIX_FRAME;
        must(world, cord_clamp_create(world, &clamp, &feet[i]));
    }
    double lowest = 0.0;
    for (int k = 0; k < cord_rod_mode_count(world, tower); k++) {
        CordMode mode;
        must(world, cord_rod_mode(world, tower, k, &mode));
        lowest = k == 0 ? sqrt(mode.omega2) / (2.0 * CORD_PI) : lowest;
        printf("mode %2d  %6.2f Hz  %-7s  moves %4.1f %% of the mass along x\n", k + 1,
               sqrt(mode.omega2) / (2.0 * CORD_PI), cord_mode_kind_name(mode.kind),
               100.0 * mode.effective_mass.x / cord_rod_mass(world, tower));
    }
    CordVec3 x[NODES];
    double most = 0.0;
    for (int frame = 0; frame < 600; frame++) { // the ground is moved by hand, as by a shake table
        double t = (frame + 1) / 60.0, at = amplitude * sin(2.0 * CORD_PI * lowest * t);
        for (int i = 0; i < 4; i++) {
            must(world, cord_clamp_move(world, feet[i], (CordVec3){at, 0, 0}, (CordQuat){0, 0, 0, 1}));
        }
        must(world, cord_world_step(world, 1.0 / 60.0));
        must(world, cord_rod_positions(world, tower, x));
        most = fmax(most, fabs(x[NODES - 1].x - nodes[NODES - 1].x));
    }
    printf("shaken by 2 mm at %.2f Hz, the top swings by %.0f mm\n", lowest, 1000.0 * most);
    cord_world_destroy(world);
    // resonance: 1 / (2 0.02) times as far, but for what the shape has to say
    return most > 0.02 && most < 0.2 ? 0 : 1;
}
