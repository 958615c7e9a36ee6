"""Adaptive rods from outside: what is run, recorded, resumed, exported, drawn and told when numbers of nodes change."""

import json
import os
import random
import re
import signal
import time
import unittest

from program import SceneTest, needs

# A slack rope of 10 elements whose ends come together and part again: it makes a narrow bend, and loses it.
BEND = """{
  "cordage": 1,
  "title": "a bend that comes and goes",
  "time": { "step": "auto", "end": 1.5, "fps": 30 },
  "materials": { "soft": { "young": 1e6, "poisson": 0.5, "density": 1000 } },
  "rods": [{
    "name": "rope", "material": "soft", "section": { "disc": { "radius": 0.01 } }, "damping": { "time": 0.002 },
    "shape": { "spline": { "points": [[0, 0, 0], [0.15, 0, -0.2], [0.35, 0, -0.28], [0.55, 0, -0.2], [0.7, 0, 0]] } },
    "elements": 10, "rest": "straight",
    "adapt": { "merge_time": 0.05 }
  }],
  "clamps": [
    { "rod": "rope", "at": "start", "fix": "position" },
    { "rod": "rope", "at": "end", "fix": "position",
      "motion": [{ "translate": { "by": [-0.6, 0, 0] }, "from": 0, "to": 0.6, "ease": "smooth" },
                 { "translate": { "by": [0.7, 0, 0] }, "from": 0.7, "to": 1.3, "ease": "smooth" }] }
  ],
  "loads": [{ "drag": { "along": 0.2, "across": 0.5 } }],
  "probes": [{ "name": "middle", "rod": "rope", "at": { "arc": 0.5 }, "measure": "position" }]
}
"""
MADE_WITH, FINEST = 11, 41


class AdaptTest(SceneTest):
    files = {"bend.json": BEND}



@needs("hdf5")
class Recorded(AdaptTest):
    told = []  # of the frames of bend.h5, which all tests share

    def setUp(self):
        super().setUp()
        self.run_outcome = self.run_once("bend.json", "bend.h5")

    def frames(self):
        """What info tells of each frame's rod."""
        if not self.told:
            count = self.info("bend.h5")["frames"]
            self.told.extend(self.info("bend.h5", "--frame", str(i))["rods"][0] for i in range(count))
        return self.told

    def test_nodes_are_taken_in_and_given_up(self):
        rods = self.frames()
        nodes = [rod["nodes"] for rod in rods]
        self.assertEqual(nodes[0], MADE_WITH)
        self.assertGreater(max(nodes), MADE_WITH)
        self.assertLess(nodes[-1], max(nodes))
        for rod in rods:
            adapt = rod["adapt"]
            self.assertEqual((adapt["made_with"], adapt["coarsest"], adapt["finest"]), (MADE_WITH, MADE_WITH, FINEST))
            self.assertEqual(adapt["nodes"], rod["nodes"])
            self.assertEqual(adapt["nodes"], MADE_WITH + adapt["refined"] - adapt["merged"])
            self.assertEqual(rod["elements"], rod["nodes"] - 1)
        last = rods[-1]["adapt"]
        self.assertGreater(last["merged"], 0)
        self.assertTrue(MADE_WITH < last["mean_nodes"] < max(nodes))
        self.assertGreaterEqual(last["refined"] + last["merged"], last["steps"])

    def test_length_mass_and_momentum_are_known_whatever_the_nodes(self):
        rods = self.frames()
        for rod in rods:
            self.assertAlmostEqual(rod["length"], rods[0]["length"], delta=1e-12)
            self.assertAlmostEqual(rod["mass"], rods[0]["mass"], delta=1e-12)
            self.assertIsNotNone(rod["momentum"])

    def test_a_falling_rope_has_the_momentum_of_its_weight(self):
        adapt = ["rods[0].adapt.refine_turn=0.4", "rods[0].adapt.merge_time=0"]
        settings = ["clamps=[]", "loads=[]", "rods[0].elements=4", "time.end=0.3", *adapt]
        self.good("run", "bend.json", "-o", "fall.h5", *(word for s in settings for word in ("--set", s)))
        counts = set()
        for i in range(self.info("fall.h5")["frames"]):
            info = self.info("fall.h5", "--frame", str(i))
            rod = info["rods"][0]
            counts.add(rod["nodes"])
            weight = 9.81 * rod["mass"] * info["time"]
            for got, wanted in zip(rod["momentum"]["linear"], (0, 0, -weight)):
                self.assertAlmostEqual(got, wanted, delta=1e-6)  # velocities are recorded as float32
        self.assertGreater(len(counts), 1)

    def test_the_run_says_what_they_did(self):
        adapt = self.info("bend.h5")["rods"][0]["adapt"]
        said = "%d taken in, %d given up" % (adapt["refined"], adapt["merged"])
        self.assertIn(said, self.run_outcome.err)
        self.assertIn(said, self.good("info", "bend.h5").out)

    def test_exports_go_by_the_nodes_of_each_frame(self):
        nodes = [rod["nodes"] for rod in self.frames()]
        times = [row["time"] for row in self.table("bend.h5")]
        self.assertEqual([times.count(t) for t in dict.fromkeys(times)], nodes)
        self.good("export", "bend.h5", "--to", "vtk", "-o", "bend.pvd")
        for i, count in enumerate(nodes):
            text = self.read("bend/bend_%05d.vtp" % i)
            self.assertEqual(int(re.search(r'NumberOfPoints="(\d+)"', text).group(1)), count)
            self.assertIn('Name="level"', text)
        for what, one_less in (("forces", 1), ("moments", 0)):
            self.assertEqual(len(self.table("bend.h5", what)), sum(nodes) - one_less * len(nodes))
        fine = nodes.index(max(nodes))
        self.good("export", "bend.h5", "--to", "obj", "-o", "bend.obj", "--frames", str(fine))
        rows = (len(re.findall(r"^v ", self.read("bend.obj"), re.MULTILINE)) - 2) // 12  # without the poles of the round ends
        self.assertEqual(rows - 4, max(nodes))  # which have two rows more each

    @needs("embree", "png")
    def test_pictures_show_nodes(self):
        nodes = [rod["nodes"] for rod in self.frames()]
        for frame in (0, nodes.index(max(nodes)), len(nodes) - 1):
            plain = self.drawn(frame)
            self.assertNotEqual(plain, self.drawn(frame, "--nodes"))
            self.assertEqual(plain, self.drawn(frame))

    def drawn(self, frame, *options):
        self.good("render", "bend.h5", "-o", "bend.png", "--size", "160x90", "--frame", str(frame), *options)
        return self.read_bytes("bend.png")

    def test_a_killed_run_goes_on_to_the_same_bits(self):
        draw = random.Random(1)
        kills = 0
        self.good("run", "bend.json", "-o", "whole.h5", "--set", "time.fps=600")
        arguments = ["run", "bend.json", "-o", "part.h5", "--set", "time.fps=600"]
        for _ in range(6):
            if self.stop(arguments, draw.uniform(0.0, 0.2)) != -signal.SIGKILL:
                break
            kills += 1
            if self.info("part.h5")["complete"]:  # killed between its last frame and its exit
                break
            arguments = ["run", "--resume", "part.h5"]
        self.assertGreater(kills, 0)
        self.good("run", "--resume", "part.h5")
        for what in ("nodes", "probes", "forces"):
            self.good("export", "whole.h5", "-o", "whole.csv", "--what", what)
            self.good("export", "part.h5", "-o", "part.csv", "--what", what)
            self.assertTrue(self.read("whole.csv") == self.read("part.csv"), "the recordings differ in " + what)
        whole, part = (self.info(name)["rods"][0]["adapt"] for name in ("whole.h5", "part.h5"))
        self.assertEqual(whole, part)
        self.good("export", "whole.h5", "--to", "vtk", "-o", "whole.pvd", "--frames", "500:520")
        self.good("export", "part.h5", "--to", "vtk", "-o", "part.pvd", "--frames", "500:520")
        for i in range(500, 521):
            self.assertTrue(self.read("whole/whole_%05d.vtp" % i) == self.read("part/part_%05d.vtp" % i))

    def stop(self, arguments, wait):
        """Starts a run, kills it a while after its recording appears, returns its exit status."""
        process = self.start(*arguments)
        while not os.path.exists(self.path("part.h5")) and process.poll() is None:
            time.sleep(0.001)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=240)
        return process.returncode


class Told(AdaptTest):
    def check(self, *settings):
        return self.answer("check", "bend.json", *settings)

    def test_check_says_how_many_nodes_there_may_be(self):
        adaptive, fixed = self.check(), self.check("--set", "rods[0].adapt.on=false")
        self.assertEqual((adaptive["adaptive_rods"], fixed["adaptive_rods"]), (1, 0))
        self.assertEqual((adaptive["nodes"], adaptive["least_nodes"], adaptive["most_nodes"]), (MADE_WITH, MADE_WITH, FINEST))
        self.assertEqual((fixed["least_nodes"], fixed["most_nodes"]), (MADE_WITH, MADE_WITH))
        self.assertIn("11 to 41 nodes", self.good("check", "bend.json").out)
        self.assertNotIn("adaptive", self.good("check", "bend.json", "--set", "rods[0].adapt=false").out)

    def test_the_step_is_that_of_the_finest_elements(self):
        fine = self.check("--set", "rods[0].adapt=false", "--set", "rods[0].elements=40")["step"]["stable"]
        ratio = self.check()["step"]["stable"] / fine
        self.assertTrue(0.9 < ratio <= 1.01, ratio)  # halved elements keep the sharper corners of the coarse rod, which couple stretch and bending

    def test_off_is_off(self):
        plain = self.write("plain.json", BEND.replace('"adapt": { "merge_time": 0.05 }', '"closed": false'))
        want = self.good("run", plain, "--no-recording").state
        for setting in ("rods[0].adapt=false", "rods[*].adapt.on=false"):
            self.assertEqual(self.good("run", "bend.json", "--no-recording", "--set", setting).state, want)
        self.assertNotEqual(self.good("run", "bend.json", "--no-recording").state, want)

    def test_any_number_of_threads_gives_the_same_bits(self):
        states = {self.good("run", "bend.json", "--no-recording", "--threads", n).state for n in ("1", "3")}
        self.assertEqual(len(states), 1)

    def test_compare_goes_by_places_on_the_rod(self):
        models = "scene,again=scene,fine=scene:rods[0].adapt=false:rods[0].elements=40"
        told = self.good("compare", "bend.json", "--models", models, "--json", "-q", "--no-pictures", "--no-recording")
        runs = {run["name"]: run for run in json.loads(told.out)["runs"]}
        self.assertEqual(runs["again"]["difference"]["largest"], 0)
        # 1.2 % where the elements are four times as long; by numbers of nodes they would be half a rod apart.
        self.assertLess(runs["fine"]["difference"]["share"], 0.03)
        self.assertGreater(runs["fine"]["difference"]["share"], 0)


if __name__ == "__main__":
    unittest.main()
