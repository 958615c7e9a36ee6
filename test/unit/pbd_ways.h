// Rods of every way to step that position-based ones have, for tests.
#ifndef CORD_TEST_UNIT_PBD_WAYS_H
#define CORD_TEST_UNIT_PBD_WAYS_H

#include "world_parts.h"

#define STEP 0.01

typedef enum Way { DIRECT, SWEEPS, PAPER, WAYS } Way;

static inline CordRodDef pbd_def(CordRodDef def, Way way)
{
    def.model = CORD_MODEL_PBD;
    def.pbd.method = way == SWEEPS ? CORD_PBD_SWEEPS : CORD_PBD_DIRECT;
    def.pbd.solver = way == PAPER ? CORD_PBD_PBD : CORD_PBD_XPBD;
    return def;
}

#endif
