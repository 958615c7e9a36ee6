"""cordage info: numbers that can be worked out by hand."""

import math
import os
import signal
import time
import unittest

from program import ROPE, SceneTest, needs

LINES = """{
  "cordage": 1,
  "gravity": [0, 0, -9.81],
  "time": { "end": 0.1, "fps": 100 },
  "rods": [%s]
}
"""
LINE = """{ "name": "%s", "material": { "young": 1e6, "poisson": 0.5, "density": 1000 },
            "section": { "disc": { "radius": 0.01 } },
            "shape": { "line": { "from": %s, "to": %s } }, "elements": %d %s }"""


class Info(SceneTest):
    def lines(self, *rods):
        self.write("lines.json", LINES % ", ".join(LINE % rod for rod in rods))
        return self.info("lines.json")

    def test_a_straight_rod(self):
        rod = self.lines(("a", "[0, 0, 2]", "[1, 0, 2]", 10, ', "velocity": [3, 0, 0]'))["rods"][0]
        mass = math.pi * 1e-4 * 1000
        self.assertAlmostEqual(rod["length"], 1, delta=1e-12)
        self.assertAlmostEqual(rod["mass"], mass, delta=1e-12)
        self.assertAlmostEqual(rod["energy"]["gravity"], mass * 9.81 * 2, delta=1e-11)
        self.assertAlmostEqual(rod["energy"]["kinetic"], mass * 9 / 2, delta=1e-11)
        self.assertAlmostEqual(rod["energy"]["bend"], 0, delta=1e-15)
        self.assertAlmostEqual(rod["energy"]["total"], mass * (9.81 * 2 + 9 / 2), delta=1e-11)
        for got, wanted in zip(rod["momentum"]["linear"], (3 * mass, 0, 0)):
            self.assertAlmostEqual(got, wanted, delta=1e-12)
        for got, wanted in zip(rod["momentum"]["angular"], (0, 2 * 3 * mass, 0)):  # z x p_x
            self.assertAlmostEqual(got, wanted, delta=1e-11)
        for got, wanted in zip(rod["momentum"]["center"], (0.5, 0, 2)):
            self.assertAlmostEqual(got, wanted, delta=1e-12)
        self.assertAlmostEqual(rod["twist"], 0, delta=1e-12)
        self.assertAlmostEqual(rod["writhe"], 0, delta=1e-12)
        self.assertAlmostEqual(rod["link"], 0, delta=1e-12)

    def test_models_of_rods(self):
        pbd = ', "model": "pbd", "pbd": { "method": "sweeps" }'
        info = self.lines(("a", "[0, 0, 0]", "[1, 0, 0]", 10, pbd), ("b", "[0, 0, 1]", "[3, 0, 1]", 10, ""))
        self.assertEqual([rod["model"] for rod in info["rods"]], ["pbd", "der"])
        self.assertRegex(self.good("info", "lines.json").out, r"(?m)^  model +pbd: xpbd, sweeps, 1 substep of 20 sweeps$")

    def test_totals_over_rods(self):
        info = self.lines(
            ("a", "[0, 0, 0]", "[1, 0, 0]", 10, ', "velocity": [1, 0, 0]'),
            ("b", "[0, 0, 1]", "[3, 0, 1]", 10, ', "velocity": [0, 1, 0]'),
        )
        mass = math.pi * 1e-4 * 1000
        for got, wanted in zip(info["momentum"]["linear"], (mass, 3 * mass, 0)):
            self.assertAlmostEqual(got, wanted, delta=1e-12)
        for got, wanted in zip(info["momentum"]["center"], (0.25 * 0.5 + 0.75 * 1.5, 0, 0.75)):
            self.assertAlmostEqual(got, wanted, delta=1e-12)
        self.assertEqual((info["nodes"], info["elements"]), (22, 20))

    def test_obstacles_are_counted(self):
        self.lines(("a", "[0, 0, 0]", "[1, 0, 0]", 10, ""))
        self.assertNotIn("obstacles", self.good("info", "lines.json").out)
        floors = 'obstacles=[{"plane": {"offset": -1}}, {"sphere": {"radius": 1, "center": [0, 0, -5]}}]'
        outcome = self.good("info", "lines.json", "--set", floors)
        self.assertRegex(outcome.out, r"(?m)^obstacles +2$")

    # ---------------------------------------------------------------------------------------- distance

    def test_distance_of_parallel_rods(self):
        least = self.lines(
            ("a", "[0, 0, 0]", "[1, 0, 0]", 10, ""), ("b", "[0, 0.1, 0]", "[1, 0.1, 0]", 7, "")
        )["least_distance"]
        self.assertAlmostEqual(least["distance"], 0.1, delta=1e-12)
        self.assertAlmostEqual(least["gap"], 0.08, delta=1e-12)
        self.assertEqual([end["rod"] for end in least["between"]], ["a", "b"])

    def test_distance_of_crossing_rods(self):
        # Nearest inside both: over (0.55, 0, 0), in edge 5 of ten and edge 2 of five.
        least = self.lines(
            ("a", "[0, 0, 0]", "[1, 0, 0]", 10, ""), ("b", "[0.55, -1, 0.03]", "[0.55, 1, 0.03]", 5, "")
        )["least_distance"]
        self.assertAlmostEqual(least["distance"], 0.03, delta=1e-12)
        self.assertAlmostEqual(least["gap"], 0.01, delta=1e-12)
        self.assertEqual([end["edge"] for end in least["between"]], [5, 2])

    def test_distance_of_rods_end_to_end(self):
        least = self.lines(
            ("a", "[0, 0, 0]", "[1, 0, 0]", 10, ""), ("b", "[1.3, 0.4, 0]", "[2, 0.4, 0]", 7, "")
        )["least_distance"]
        self.assertAlmostEqual(least["distance"], 0.5, delta=1e-12)
        self.assertEqual([end["edge"] for end in least["between"]], [9, 0])

    def test_rods_that_are_joined_are_no_pair(self):
        rods = [
            ("a", "[0, 0, 0]", "[1, 0, 0]", 10, ""),
            ("b", "[1, 0, 0]", "[1, 1, 0]", 10, ""),
            ("c", "[0.2, 0.3, 0]", "[0.2, 1, 0]", 10, ""),
        ]
        joint = '"joints": [{ "rods": [["a", "end"], ["b", "start"]] }], "rods"'
        self.lines(*rods)
        apart = self.info("lines.json")["least_distance"]
        self.assertAlmostEqual(apart["distance"], 0, delta=1e-12)  # a and b meet, and nothing joins them
        self.write("joined.json", self.read("lines.json").replace('"rods"', joint))
        joined = self.info("joined.json")["least_distance"]
        self.assertAlmostEqual(joined["distance"], 0.3, delta=1e-12)
        self.assertEqual([end["rod"] for end in joined["between"]], ["a", "c"])

    def test_a_rod_alone_is_not_near_itself(self):
        self.assertIsNone(self.lines(("a", "[0, 0, 0]", "[1, 0, 0]", 100, ""))["least_distance"])
        self.write("ring.json", self.ring(64, ""))
        self.assertIsNone(self.info("ring.json")["least_distance"])

    def test_a_coil_is_near_itself_by_its_pitch(self):
        coil = """{ "name": "coil", "rest": "straight", "material": "steel",
            "section": { "disc": { "radius": 0.01 } }, "elements": 400, "shape": { "helix": {
            "center": [0, 0, 0], "axis": [0, 0, 1], "radius": 0.2, "pitch": 0.05, "turns": 4 } } }"""
        self.write("coil.json", LINES % coil)
        least = self.info("coil.json")["least_distance"]
        # Along the normal of the helix: pitch times the cosine of its slope, 1 part in 1000 less.
        # The polygon's own error is smaller.
        slope = math.atan(0.05 / (2 * math.pi * 0.2))
        self.assertAlmostEqual(least["distance"], 0.05 * math.cos(slope), delta=1e-4)
        self.assertAlmostEqual(abs(least["between"][0]["edge"] - least["between"][1]["edge"]), 100, delta=2)

    # ---------------------------------------------------------------------------------------- link

    @staticmethod
    def ring(elements, extra):
        return LINES % (
            """{ "name": "ring", "closed": true, "rest": "straight", "material": "rubber",
            "section": { "disc": { "radius": 0.005 } },
            "shape": { "circle": { "center": [0, 0, 0], "normal": [0, 0, 1], "radius": 0.2 } },
            "elements": %d %s }"""
            % (elements, extra)
        )

    def test_link_of_a_twisted_ring(self):
        self.write("ring.json", self.ring(50, ', "twist": { "turns": 2 }'))
        rod = self.info("ring.json")["rods"][0]
        self.assertTrue(rod["closed"])
        self.assertEqual((rod["nodes"], rod["elements"]), (50, 50))
        self.assertAlmostEqual(rod["twist"], 2, delta=1e-9)
        self.assertAlmostEqual(rod["writhe"], 0, delta=1e-9)
        self.assertAlmostEqual(rod["link"], 2, delta=1e-9)

    def test_linking_numbers_of_rods_that_are_held(self):
        rope = """{ "name": "%s", "integrator": "backward_euler", "material": "rubber", "section": { "disc": { "radius": 0.004 } }, "rest": "straight", "elements": 80,
            "shape": { "knot": { "name": "granny", "strand": %d, "tails": 0.1 } } }"""
        ropes = LINES % (rope % ("left", 0) + ", " + rope % ("right", 1))
        hold = ', "clamps": [%s] }' % ", ".join(
            '{ "rod": "%s", "at": "%s" }' % (rod, at) for rod in ("left", "right") for at in ("start", "end"))
        self.write("free.json", ropes)
        self.assertEqual(self.info("free.json")["links"], [])
        self.write("held.json", ropes.rstrip()[:-1] + hold)
        self.assertEqual(self.info("held.json")["links"], [{"rods": ["left", "right"], "linking_number": -3}])
        self.assertIn('linked              "left" and "right", linking number -3', self.good("info", "held.json").out)

    # ---------------------------------------------------------------------------------------- recordings

    @needs("hdf5")
    def test_a_recording_and_its_scene_agree(self):
        self.write("rope.json", ROPE)
        self.good("run", "rope.json")
        scene, last = self.info("rope.json"), self.info("rope.h5")
        first = self.info("rope.h5", "--frame", "0")
        self.assertEqual((first["kind"], scene["kind"]), ("recording", "scene"))
        self.assertEqual(first["rods"][0]["mass"], scene["rods"][0]["mass"])
        self.assertAlmostEqual(first["energy"]["total"], scene["energy"]["total"], delta=1e-12)
        self.assertEqual((first["frame"], last["frame"], last["frames"]), (0, 25, 26))
        self.assertEqual(last["title"], "test rope")
        self.assertTrue(last["complete"])
        self.assertEqual(last["probe_readings"], last["steps"])
        self.assertEqual([p["columns"] for p in last["probes"]], [["x", "y", "z"], ["x", "y", "z"]])
        again = self.info("rope.h5", "--frame", "-1")
        self.assertNotEqual(again.pop("internal_forces"), last.pop("internal_forces"))  # one frame's; all frames'
        self.assertEqual(again, last)

    @needs("hdf5")
    def test_turns_of_a_rod_that_is_wound_many_times_an_element(self):
        rod = LINE % ("a", "[0, 0, 0]", "[1, 0, 0]", 10, ', "integrator": "implicit"')
        clamps = """, "clamps": [{ "rod": "a", "at": "start", "fix": "frame" }, { "rod": "a", "at": "end", "fix": "frame",
            "motion": [{ "rotate": { "axis": [1, 0, 0], "turns": 30 }, "from": 0, "to": 0.05 }] }] }"""
        self.write("wound.json", LINES.rstrip()[:-1] % rod + clamps)
        self.good("run", "wound.json", "--set", "gravity=[0,0,0]", "--step", "0.01")
        self.assertAlmostEqual(self.info("wound.h5")["rods"][0]["twist"], 30, delta=1e-9)
        self.good("export", "wound.h5", "-o", "wound.reel")
        self.assertAlmostEqual(self.info("wound.reel")["rods"][0]["twist"], 30, delta=1e-9)

    @needs("hdf5")
    def test_momentum_of_a_falling_rod(self):
        self.lines(("a", "[0, 0, 0]", "[1, 0, 0]", 10, ""))
        self.good("run", "lines.json")
        momentum = self.info("lines.h5")["momentum"]["linear"]
        mass = math.pi * 1e-4 * 1000
        self.assertAlmostEqual(momentum[2], -mass * 9.81 * 0.1, delta=1e-7)  # recorded in single precision

    @needs("hdf5")
    def test_internal_forces_of_a_hanging_rod(self):
        held = ', "inextensible": true }], "clamps": [{ "rod": "a", "at": "start", "fix": "position" '
        self.lines(("a", "[0, 0, 0]", "[0, 0, -1]", 20, held))
        self.good("run", "lines.json")
        weight = math.pi * 1e-4 * 1000 * 9.81
        for extra in ([], ["--frame", "3"]):
            forces = self.info("lines.h5", *extra)["internal_forces"]
            most, least = forces["greatest_tension"], forces["least_tension"]
            # The first edge holds all but its upper node's share, half an element; recorded in single precision.
            self.assertAlmostEqual(most["value"] / (weight * (1 - 0.5 / 20)), 1, delta=1e-6)
            self.assertEqual((most["rod"], most["edge"]), ("a", 0))
            self.assertAlmostEqual(most["arc"], 0.5 / 20, delta=1e-9)
            self.assertAlmostEqual(forces["greatest_bending_moment"]["value"], 0, delta=1e-9)
            self.assertAlmostEqual(forces["greatest_torque"]["value"], 0, delta=1e-12)
            if extra:
                self.assertEqual((most["frame"], least["frame"], least["edge"]), (3, 3, 19))
                self.assertAlmostEqual(least["value"] / (weight * 0.5 / 20), 1, delta=1e-6)
        text = self.good("info", "lines.h5").out
        self.assertRegex(text, r'greatest tension +\S+ N in "a" at 0.025 m \(edge 0\), t = ')
        self.assertRegex(text, r"greatest shear +\S+ N in ")
        self.assertNotIn("internal_forces", self.info("lines.json"))

    @needs("hdf5")
    def test_bodies(self):
        bodies = """"bodies": [
            { "name": "bob", "shape": { "sphere": { "radius": 0.05 } }, "mass": 0.2, "position": [1, 0, 0] },
            { "name": "stray", "shape": { "box": { "size": [0.1, 0.2, 0.3] } }, "mass": 0.12, "position": [0, 1, 2],
              "velocity": [0, 1, 3], "spin": [4, 5, 6] } ],
          "welds": [{ "rod": "rope", "at": "end", "body": "bob" }], "clamps\""""
        self.write("bob.json", ROPE.replace('"clamps"', bodies))
        self.good("run", "bob.json")
        scene, first, last = self.info("bob.json"), self.info("bob.h5", "--frame", "0"), self.info("bob.h5")
        self.assertEqual([body["name"] for body in last["bodies"]], ["bob", "stray"])
        inertia = [0.01 * (b * b + c * c) for b, c in ((0.2, 0.3), (0.1, 0.3), (0.1, 0.2))]  # m / 12 is 0.01
        spinning = [i * w for i, w in zip(inertia, (4, 5, 6))]
        for info in (scene, first, last):
            self.assertAlmostEqual(info["bodies"][0]["mass"], 0.2, delta=1e-12)
            self.assertAlmostEqual(info["bodies"][1]["mass"], 0.12, delta=1e-12)
            self.assertEqual([body["shape"] for body in info["bodies"]], ["sphere", "box"])
            whole = sum(body["energy"]["total"] for body in info["bodies"]) + info["rods"][0]["energy"]["total"]
            self.assertAlmostEqual(info["energy"]["total"], whole, delta=1e-12)
            # Whatever it does, the free one keeps the momentum about its centre: known from pose and spin alone.
            stray = info["bodies"][1]
            x, p = stray["position"], stray["momentum"]["linear"]
            orbit = [x[1] * p[2] - x[2] * p[1], x[2] * p[0] - x[0] * p[2], x[0] * p[1] - x[1] * p[0]]
            for whole, part, wanted in zip(stray["momentum"]["angular"], orbit, spinning):
                self.assertAlmostEqual(whole - part, wanted, delta=1e-6)
        kinetic = 0.5 * 0.12 * 10 + 0.5 * sum(i * w * w for i, w in zip(inertia, (4, 5, 6)))
        self.assertAlmostEqual(first["bodies"][1]["energy"]["kinetic"], kinetic, delta=1e-12)
        self.assertAlmostEqual(first["bodies"][1]["energy"]["gravity"], 0.12 * 9.81 * 2, delta=1e-12)
        text = self.good("info", "bob.h5").out
        self.assertIn("bodies              2, with a mass of 0.32 kg", text)
        self.assertIn('body "bob": sphere, mass 0.2 kg', text)

    @needs("hdf5")
    def test_a_run_that_diverged_says_so(self):
        self.write("rope.json", ROPE)
        self.assertEqual(self.cordage("run", "rope.json", "--step", "0.02", "--until", "5").status, 1)
        info = self.info("rope.h5")
        self.assertFalse(info["complete"])
        self.assertIn("diverged", info["failure"])
        text = self.good("info", "rope.h5").out
        self.assertIn("of a run that failed", text)
        self.assertRegex(text, r"failure +.*rope")
        self.good("run", "rope.json", "--until", "0.1")
        self.assertIsNone(self.info("rope.h5")["failure"])

    @needs("hdf5")
    def test_frames_that_are_not_there(self):
        self.write("rope.json", ROPE)
        self.good("run", "rope.json", "--until", "0.1")
        self.assertIn("frames go from 0 to 5", self.wrong("info", "rope.h5", "--frame", "6").err)
        self.assertIn("frames go from 0 to 5", self.wrong("info", "rope.h5", "--frame", "-7").err)
        self.wrong("info", "rope.json", "--frame", "1")

    # What the rod gets from its contacts, the obstacle gets the other way round; contacts are kept in single precision.
    @needs("hdf5")
    def test_contacts_and_the_force_on_an_obstacle(self):
        line = LINE % ("bar", "[0, 0, 0.012]", "[1, 0, 0.012]", 10, "")
        ground = '"obstacles": [{ "name": "ground", "plane": { "normal": [0, 0, 1], "offset": 0 } }], "rods"'
        self.write("drop.json", (LINES % line).replace('"rods"', ground))
        self.good("run", "drop.json")
        info = self.info("drop.h5")
        obstacle, contacts = info["obstacles"][0], info["contacts"]
        self.assertEqual((obstacle["name"], obstacle["shape"]), ("ground", "plane"))
        rows = self.table("drop.h5", "contacts", "--frames", "-1")
        self.assertEqual(len(rows), contacts["count"])
        self.assertGreater(len(rows), 0)
        for axis, k in (("x", 0), ("y", 1), ("z", 2)):
            force = sum(float(r["push"]) * float(r["n" + axis]) + float(r["f" + axis]) for r in rows)
            self.assertAlmostEqual(obstacle["force"][k], -force, delta=1e-5)
        frames = [self.info("drop.h5", "--frame", str(k))["contacts"] for k in range(info["frames"])]
        self.assertEqual(contacts["most"], max(f["count"] for f in frames))
        self.assertEqual(contacts["most"], frames[contacts["most_frame"]]["count"])
        depths = [f["deepest"]["penetration"] for f in frames if f["deepest"]]
        deepest = contacts["deepest"]["penetration"] if contacts["deepest"] else 0
        self.assertEqual(deepest, max(depths, default=0))
        self.assertIn('obstacle "ground": plane', self.good("info", "drop.h5").out)

    @needs("hdf5")
    def test_text_says_whether_it_was_cut_off(self):
        self.write("rope.json", ROPE)
        self.good("run", "rope.json")
        self.assertIn("complete", self.good("info", "rope.h5").out)
        process = self.start("run", "rope.json", "-o", "cut.h5", "--until", "1000")
        while not os.path.exists(self.path("cut.h5")):
            self.assertIsNone(process.poll())
            time.sleep(0.001)
        time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
        process.wait()
        outcome = self.good("info", "cut.h5")
        self.assertIn("cut off", outcome.out)

    def test_text_names_what_it_tells(self):
        self.write("rope.json", ROPE)
        text = self.good("info", "rope.json").out
        words = ["test rope", "kinetic", "momentum", "twist", "writhe", "greatest stretch", "least distance"]
        for word in [*words, 'probe "tip"']:
            self.assertIn(word, text)

    def test_names_with_quotes_stay_valid_json(self):
        self.write("odd.json", ROPE.replace('"rope"', r'"a \"quoted\" \\ n\u00e4me"'))
        self.assertEqual(self.info("odd.json")["rods"][0]["name"], 'a "quoted" \\ n\u00e4me')


if __name__ == "__main__":
    unittest.main()
