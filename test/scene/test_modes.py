"""Modal rods from outside: their modes in cordage modes, what check and run say of them."""

import math
import os
import re
import signal
import unittest

from program import SceneTest, needs

# The paper's rubber rod: 20 cm, held at one end.
ROD = """{
  "cordage": 1,
  "gravity": [0, 0, -9.8],
  "time": { "step": "auto", "end": 0.5, "fps": 30 },
  "materials": { "rubber": { "young": 1.1e7, "poisson": 0.5, "density": 1100 } },
  "rods": [{
    "name": "rod", "model": "modal", "modal": { "modes": 8, "damping_ratio": 0.1 }, "material": "rubber",
    "section": { "disc": { "radius": 0.004 } },
    "shape": { "line": { "from": [0, 0, 0], "to": [0.2, 0, 0] } },
    "elements": 31
  }],
  "clamps": [{ "rod": "rod", "at": "start", "fix": "frame" }],
  "probes": [{ "name": "tip", "rod": "rod", "at": "end", "measure": "position" }]
}
"""

SPEED = math.sqrt(1.1e7 * 0.004**2 / (4 * 1100))  # sqrt(EI / mu) [m^2/s]


def bending(root):
    return root**2 * SPEED / 0.2**2 / (2 * math.pi)


class ModalTest(SceneTest):
    def setUp(self):
        super().setUp()
        os.environ["CORDAGE_CACHE"] = self.path("cache")  # what other tests have found is none of ours
        self.write("rod.json", ROD)

    def rods(self, *arguments):
        return self.answer("modes", "rod.json", *arguments)["rods"]


class Modes(ModalTest):
    def test_frequencies_and_kinds(self):
        modes = self.rods("--count", "10")[0]["modes"]
        kinds = [mode["kind"] for mode in modes]
        self.assertEqual(kinds, ["bend"] * 6 + ["twist"] + ["bend"] * 2 + ["stretch"])
        for k, root in enumerate((1.875104069, 4.694091133, 7.854757438)):
            for mode in modes[2 * k : 2 * k + 2]:
                # elements of fourth order: (7.85 / 31)^4 / 1440 is 3e-6
                self.assertAlmostEqual(mode["frequency"] / bending(root), 1, delta=1e-5)
        # of second order: (pi / 2 / 31)^2 / 24 is 1.1e-4
        self.assertAlmostEqual(modes[6]["frequency"], math.sqrt(1.1e7 / 3 / 1100) / 0.8, delta=2e-4 * 72)
        self.assertAlmostEqual(modes[9]["frequency"], math.sqrt(1.1e7 / 1100) / 0.8, delta=2e-4 * 125)

    def test_pairs_are_kept_whole(self):
        rod = self.rods()[0]
        self.assertEqual((rod["asked"], rod["found"], len(rod["modes"])), (8, 9, 9))
        self.assertEqual([(mode["same_from"], mode["same_to"]) for mode in rod["modes"]],
                         [(1, 2), (1, 2), (3, 4), (3, 4), (5, 6), (5, 6), (7, 7), (8, 9), (8, 9)])

    def test_effective_mass(self):
        rod = self.rods("--count", "2")[0]
        side = [sum(mode["effective_mass"][k] for mode in rod["modes"]) / rod["mass"] for k in range(3)]
        # Of the first pair 61.3 % of the mass, in either direction (Clough and Penzien, 4 / (1.875^2 tanh ...)); along the rod nothing.
        self.assertAlmostEqual(side[0], 0, delta=1e-9)
        self.assertAlmostEqual(side[1], 0.6131, delta=1e-3)
        self.assertAlmostEqual(side[2], 0.6131, delta=1e-3)

    def test_table(self):
        lines = self.good("modes", "rod.json").out.splitlines()
        self.assertRegex(lines[0], r'^rod "rod": 32 nodes, 31 elements, 186 unknowns, 0\.01106 kg; solver: built-in$')
        self.assertEqual(len(lines), 3 + 9 + 1)
        self.assertRegex(lines[3], r"^ +1 +2\.79\d+ +1-2 +0\.1 +bend +100\.0 +0\.0 +0\.0 ")
        self.assertTrue(lines[-1].startswith(" all"))

    def test_found_once(self):
        self.assertFalse(self.rods()[0]["kept"])
        self.assertTrue(self.rods()[0]["kept"])
        self.assertFalse(self.rods("--set", "materials.rubber.young=2e7")[0]["kept"])

    def test_several_rods(self):
        other = ROD.replace('"rods": [{', '"rods": [{ "name": "wire", "material": "steel", "section": { "disc": { "radius": 0.001 } }, "elements": 5, '
                            '"shape": { "line": { "from": [0, 1, 0], "to": [0.2, 1, 0] } } }, {')
        self.write("two.json", other)
        outcome = self.good("modes", "two.json")
        self.assertIn("1 rod of other models is left out", outcome.err)
        self.assertEqual(outcome.out.count('rod "'), 1)

    def test_wrong_input(self):
        self.assertIn("not one of the 9", self.wrong("modes", "rod.json", "--mode", "10", "-o", "x.h5").err)
        self.assertIn('no modal rod "wire"', self.wrong("modes", "rod.json", "--rod", "wire", "-o", "x.h5").err)
        self.wrong("modes", "rod.json", "--count", "0")
        self.wrong("modes", "rod.json", "-o", "missing/x.png")

    def test_nothing_holds_it(self):
        told = self.wrong("modes", "rod.json", "--set", "clamps=[]").err
        self.assertIn("rod", told)
        free = self.rods("--set", "clamps=[]", "--set", "rods[0].modal.rigid=remove")[0]
        self.assertEqual(free["rigid_motions"], 6)
        self.assertAlmostEqual(free["modes"][0]["frequency"] / bending(4.730040745), 1, delta=1e-5)


@needs("hdf5")
class Recorded(ModalTest):
    def test_a_vibration_as_a_run(self):
        self.good("modes", "rod.json", "--mode", "3", "--amplitude", "0.01", "-o", "third.h5")
        self.assertEqual(self.info("third.h5")["frames"], 121)
        far = max(math.hypot(float(row["y"]), float(row["z"])) for row in self.table("third.h5"))
        self.assertAlmostEqual(far, 0.01, delta=0.03 * 0.01)  # warped: the tip turns by a tenth of a radian on its way


@needs("embree")
class Drawn(ModalTest):
    def test_a_picture_of_a_mode(self):
        for model in ("modal", "der"):
            self.good("modes", "rod.json", "--model", model, "--mode", "1", "-o", model + ".png")
            self.assertEqual(self.read_bytes(model + ".png")[:8], b"\x89PNG\r\n\x1a\n")


class Told(ModalTest):
    def test_run_says_that_more_were_kept(self):
        told = self.good("run", "rod.json", "--no-recording").err
        self.assertIn('rod "rod": asked for 8 modes; 9 are kept, since the 8th and the 9th have one frequency', told)
        self.assertNotIn("asked for", self.good("run", "rod.json", "--no-recording", "--set", "rods[0].modal.modes=9").err)

    def test_run_says_what_is_left_out(self):
        free = ["--set", "clamps=[]", "--set", "rods[0].modal.rigid=remove"]
        self.assertIn("6 motions that no stiffness resists are left out", self.good("run", "rod.json", "--no-recording", *free).err)

    def test_run_refuses_what_nothing_holds(self):
        self.assertRegex(self.wrong("run", "rod.json", "--no-recording", "--set", "clamps=[]").err, r"error: .*rod")

    def test_step_is_a_frame(self):
        told = self.good("run", "rod.json", "--no-recording").err
        self.assertRegex(told, r"step: auto, .* 0\.0333 s, 1 per frame \(modes, each stepped exactly, so stable at any; a frame, but 1/30 s at the most\)")
        slow = self.good("run", "rod.json", "--no-recording", "--set", "time.fps=10").err
        self.assertRegex(slow, r"step: auto, .* 0\.0333 s, 3 per frame")

    def test_check(self):
        told = self.good("check", "rod.json").out
        self.assertRegex(told, r"(?m)^model +modal: 8 modes, warped$")
        self.assertRegex(told, r"(?m)^modes +of 19[0-9] unknowns: at most ")
        self.assertRegex(told, r'(?m)^ +rod "rod": 9, from 2\.79\d* to 96\.\d+ Hz$')
        self.assertIn("linear", self.good("check", "rod.json", "--set", "rods[0].modal.linear=true").out)
        known = self.answer("check", "rod.json")
        self.assertEqual(known["models"][0]["modes"], 8)
        self.assertEqual(known["modal"]["rods"], 1)

    def test_check_of_a_huge_network_finds_no_modes(self):
        huge = re.sub(r'"line": .*', '"grid": { "corner": [0, 0, 0], "u": [100, 0, 0], "v": [0, 100, 0], "cells": [500, 500], "diagonals": true } },',
                      ROD).replace('"elements": 31', '"contact": false').replace('"at": "end"', '"at": { "node": 5 }').replace('"at": "start"', '"at": { "node": 0 }')
        self.write("huge.json", huge)
        outcome = self.good("check", "huge.json", timeout=60)
        self.assertRegex(outcome.out, r"(?m)^modes +of 1 506 006 unknowns: at most .* (min|h)")
        self.assertIn("no step was tried", outcome.out)

    def test_interrupted_while_modes_are_found(self):
        self.write("grid.json", ROD.replace('"modes": 8', '"modes": 600').replace('"elements": 31', '"contact": false')
                   .replace('"at": "end"', '"at": { "node": 5 }').replace('"at": "start"', '"at": { "node": 0 }')
                   .replace('"line": { "from": [0, 0, 0], "to": [0.2, 0, 0] }', '"grid": { "corner": [0, 0, 0], "u": [1, 0, 0], "v": [0, 1, 0], "cells": [24, 24] }'))
        for command in (["run", "--no-recording"], ["modes"], ["compare", "--models", "modal,der", "--no-recording"]):
            with self.subTest(command=command[0]):
                process = self.start(command[0], "grid.json", *command[1:])
                line = b"first"
                while line and not line.startswith(b"finding modes"):  # which is said at once, since it takes so long
                    line = process.stderr.readline()
                process.send_signal(signal.SIGINT)
                said = process.communicate(timeout=240)[1].decode()
                self.assertEqual(process.returncode, 1, said)
                self.assertRegex(said, 'interrupted: the modes of rod "rod" are not found|modal refuses the scene: finding modes was stopped')


if __name__ == "__main__":
    unittest.main()
