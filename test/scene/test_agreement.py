"""der and corde give the same rods: shipped scenes under both, by changing one word."""

import json
import math
import unittest

from program import SceneTest

LIMIT = 0.01  # of the rod's length, which is what users may expect of 100 elements; measured values stand beside the scenes

# Equilibria, 100 elements: how far apart the shapes are, over the length.
STILL = {
    "cantilever": 5.6e-5,
    "catenary": 1e-8,
    "wire": 3.1e-5,
    "fishing_rod": 1e-10,
    "column": 2.6e-4,
}

# Motion, until when, and how far apart shapes come by then, over the length. Explicit integrators, so with quaternions and penalty; the last one has bodies, and is implicit.
MOVING = {
    "swing": (1.0, 3.0e-5),
    "catenary": (6.0, 1.9e-3),  # it comes to rest, 1.3e-6 apart
    "cantilever": (0.5, 2.2e-3),
    "whip": (0.4, 3.0e-4),
    "ring_drop": (0.4, 1.1e-3),
    "fringe": (0.5, 1.1e-3),
    "mobile": (0.5, 2.8e-3),
}


class AgreementTest(SceneTest):
    def solved(self, scene, model):
        self.good("solve", scene, "--model", model, "--set", "rods[*].elements=100", "-q", "--force", "-o", f"{model}.h5")
        rows = self.table(f"{model}.h5")
        return [(r["rod"], tuple(float(r[k]) for k in "xyz")) for r in rows if r["time"] == rows[-1]["time"]]

    def test_equilibria(self):
        for scene in STILL:
            with self.subTest(scene):
                der, corde = self.solved(scene, "der"), self.solved(scene, "corde")
                self.assertEqual([rod for rod, _ in der], [rod for rod, _ in corde])
                length = sum(math.dist(a[1], b[1]) for a, b in zip(der, der[1:]) if a[0] == b[0] == der[0][0])
                apart = max(math.dist(a[1], b[1]) for a, b in zip(der, corde))
                self.assertGreater(apart, 0)  # they are not one model under two names
                self.assertLess(apart, LIMIT * length)

    def test_motion(self):
        for scene, (until, _) in MOVING.items():
            with self.subTest(scene):
                outcome = self.cordage("compare", scene, "--models", "der,corde", "--until", str(until), "--json", "-q",
                                       "--no-pictures", "--no-recording", "-o", "out")
                self.assertEqual(outcome.status, 0, outcome.err)
                corde = json.loads(outcome.out)["runs"][1]
                self.assertEqual(corde["state"], "done")
                self.assertGreater(corde["difference"]["share"], 0)
                self.assertLess(corde["difference"]["share"], LIMIT)


if __name__ == "__main__":
    unittest.main()
