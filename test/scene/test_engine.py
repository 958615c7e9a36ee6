"""Scenes whose bodies another engine moves: ODE, in builds that have it."""

import json
import math
import random
import unittest

from program import SceneTest, features, needs

# Two boxes on a hinge, the first of which hangs on a rope.
GATE = """{
  "cordage": 1,
  "engine": "ode",
  "time": { "step": 0.0005, "end": 0.4, "fps": 50 },
  "materials": { "soft": { "young": 1e6, "poisson": 0.5, "density": 1000 } },
  "rods": [{ "name": "rope", "material": "soft", "section": { "disc": { "radius": 0.01 } },
    "shape": { "line": { "from": [0, 0, 0], "to": [1, 0, 0] } }, "elements": 20 }],
  "clamps": [{ "rod": "rope", "at": "start", "fix": "position" }],
  "bodies": [
    { "name": "upper", "shape": { "box": { "size": [0.1, 0.1, 0.1] } }, "mass": 0.1, "position": [1.05, 0, 0] },
    { "name": "lower", "shape": { "box": { "size": [0.1, 0.1, 0.1] } }, "mass": 0.1, "position": [1.2, 0, 0] }
  ],
  "welds": [{ "rod": "rope", "at": "end", "body": "upper" }],
  "body_joints": [
    { "kind": "hinge", "bodies": ["upper", "lower"], "anchor": [1.125, 0, 0], "axis": [0, 1, 0] }
  ],
  "probes": [
    { "name": "upper", "body": "upper", "measure": "position" },
    { "name": "upper_axes", "body": "upper", "measure": "frame" },
    { "name": "lower", "body": "lower", "measure": "position" },
    { "name": "lower_axes", "body": "lower", "measure": "frame" }
  ]
}
"""


class Gate(SceneTest):
    files = {"gate.json": GATE}


@needs("ode", "hdf5")
class Ode(Gate):
    def probes(self, recording):
        """Every reading, by column, of the last step."""
        self.good("export", recording, "--what", "probes", "-o", "probes.csv")
        lines = self.read("probes.csv").splitlines()
        return dict(zip(lines[0].split(","), (float(x) for x in lines[-1].split(","))))

    def test_bodies_stay_on_their_hinge(self):
        self.good("run", "gate.json")
        p = self.probes("gate.h5")
        # the boxes' own x axes, which led from their centres to the anchor and back
        ends = [
            [p[name + "." + axis] + way * p[name + "_axes.t" + axis] for axis in "xyz"]
            for name, way in (("upper", 0.075), ("lower", -0.075))
        ]
        # its steps are first order: a hinge is off by what a box turns in the square of a step, and then pulled back
        self.assertLess(math.dist(*ends), 1e-4)
        self.assertLess(p["lower.z"], -0.5)  # it has swung
        self.assertLess(abs(p["lower.y"]), 1e-9)

    def test_without_the_hinge_it_falls_by_itself(self):
        self.good("run", "gate.json", "--set", "body_joints=[]")
        p = self.probes("gate.h5")
        self.assertAlmostEqual(p["lower.z"], -0.5 * 9.81 * 0.4**2, delta=1e-9)

    def test_a_run_that_is_resumed_is_the_same(self):
        # A heap on a table: its contacts are in an order that ODE chooses by what moved last.
        shapes = [
            { "box": { "size": [0.1, 0.12, 0.08] } }, { "sphere": { "radius": 0.06 } },
            { "capsule": { "radius": 0.04, "length": 0.1 } }, { "cone": { "radius": 0.07, "height": 0.12 } },
        ]
        table = { "name": "upper", "shape": { "box": { "size": [1, 1, 0.1] } }, "mass": 1, "position": [1.5, 0, 0] }
        heap = [
            { "name": f"body{i}", "shape": shapes[i % 4], "mass": 0.5 + 0.1 * i, "spin": [0.3 * i, 1, -0.2 * i],
              "position": [1.5 + 0.03 * (i % 3), 0.02 * (i % 4), 0.12 + 0.1 * i], "velocity": [0, 0, -1] }
            for i in range(8)
        ]
        held = [{ "kind": "fixed", "bodies": ["upper", "world"] }]
        settings = ["--set", "bodies=" + json.dumps([table, *heap]), "--set", "body_joints=" + json.dumps(held),
                    "--set", "probes=[]", "--set", "welds=[]", "--set", "time.end=0.6"]
        for name, extra in (("gate", []), ("heap", settings)):
            whole = self.good("run", "gate.json", "-o", f"{name}.h5", *extra)
            draw = random.Random(3)
            for _ in range(5):
                self.good("run", "gate.json", "-o", "part.h5", *extra, "--until", repr(draw.uniform(0, 0.6)))
                part = self.good("run", "--resume", "part.h5", "--until", "0.6" if extra else "0.4")
                if "complete up to" not in part.err:
                    self.assertEqual(part.state, whole.state)

    def test_other_commands_take_it(self):
        self.assertIn("bodies, joints  2; 1 weld", self.good("check", "gate.json").out)
        self.assertIn('body "lower": box', self.good("info", "gate.json").out)
        self.good("run", "gate.json", "--until", "0.02")
        self.assertIn('body "lower": box', self.good("info", "gate.h5").out)
        if "embree" in features() and "png" in features():
            self.good("render", "gate.json", "-o", "gate.png", "--size", "64x48")

    def test_equilibria_know_nothing_of_its_joints(self):
        for command in ("solve", "modes"):
            outcome = self.wrong(command, "gate.json")
            self.assertRegex(outcome.err, r"gate.json:\d+:\d+: error: body_joints are the engine's")
        outcome = self.good("solve", "gate.json", "--set", "body_joints=[]", "--no-recording")
        self.assertIn("in equilibria bodies do not touch each other", outcome.err)


@unittest.skipIf("ode" in features(), "built with ode")
class WithoutOde(Gate):
    def test_it_says_so(self):
        for command in ("run", "check", "solve", "info", "modes"):
            outcome = self.wrong(command, "gate.json")
            self.assertIn('gate.json:3:13: error: engine is "ode", which is not in this build', outcome.err)


if __name__ == "__main__":
    unittest.main()
