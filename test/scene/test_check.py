"""cordage check: every error with its place, the step, the cost."""

import json
import math
import os
import re
import unittest

from program import ROPE, SANITIZED, SceneTest, needs

# Two rods above a mesh.
TWO = """{
  "cordage": 1,
  "time": { "end": 0.1, "fps": 50 },
  "materials": { "soft": { "young": 1e7, "poisson": 0.3, "density": 1000 } },
  "rods": [
    { "name": "a", "material": "soft", "section": { "disc": { "radius": 0.01 } },
      "shape": { "line": { "from": [0, 0, 0.1], "to": [1, 0, 0.1] } }, "elements": 20 },
    { "name": "b", "material": "soft", "section": { "disc": { "radius": 0.01 } },
      "shape": { "line": { "from": [0, 0, 0.2], "to": [1, 0, 0.2] } }, "elements": 20 }
  ],
  "contact": {},
  "obstacles": [ { "name": "facet", "mesh": { "file": "facet.obj" } } ]
}
"""

# A rope with an overhand knot, whose ends are pulled apart; it says nothing of contact.
KNOT = """{
  "cordage": 1,
  "gravity": [0, 0, 0],
  "time": { "step": 0.01, "end": 0.4, "fps": 10 },
  "rods": [
    { "name": "rope", "material": "nylon_rope", "section": { "disc": { "radius": 0.005 } }, "rest": "straight",
      "integrator": "backward_euler", "inextensible": true,
      "shape": { "knot": { "name": "overhand" } },
      "elements": 60 }
  ],
  "clamps": [
    { "at": "start", "fix": "position" },
    { "at": "end", "fix": "position", "motion": [{ "translate": { "by": [0.06, 0, 0] }, "to": 0.3 }] }
  ]
}
"""


# A rod that is thrown through soft ground.
SUNK = """{
  "cordage": 1,
  "time": { "end": 1 },
  "rods": [{ "material": "rubber", "section": { "disc": { "radius": 0.01 } }, "velocity": [0, 0, -20],
             "shape": { "line": { "from": [0, 0, 0.01], "to": [1, 0, 0.01] } }, "elements": 20 }],
  "obstacles": [{ "plane": {}, "stiffness": 1000 }]
}
"""


class Failures(SceneTest):
    files = {"sunk.json": SUNK}

    def test_a_run_that_would_fail_is_told_with_its_place(self):
        said = self.good("check", "sunk.json").err
        self.assertRegex(said, r"(?m)^sunk\.json:6:17: warning: a run would fail: .* 0\.9\d* of a radius deep")


class Knots(SceneTest):
    files = {"knot.json": KNOT}

    def knot_at_the_end(self, *settings):
        self.good("run", "knot.json", "-o", "knot.h5", *settings)
        return self.info("knot.h5")["rods"][0]["knot_determinant"]

    @needs("hdf5")
    def test_a_knot_by_name_stays_tied(self):
        self.assertEqual(self.knot_at_the_end(), 3)
        self.assertEqual(self.knot_at_the_end("--set", "contact=false"), 1)

    def test_a_knot_by_name_has_contact(self):
        self.assertIsNotNone(self.answer("check", "knot.json")["contact"])
        for setting, warning in (
            ("contact=false", r"contact is false, so the knot of rods\[0\] comes undone"),
            ('contact={"rods": false}', r"contact.rods is false, so the knot of rods\[0\] comes undone"),
            ("rods[0].contact=false", r"rods\[0\].contact is false, so the rod passes through itself and its knot comes undone"),
        ):
            self.assertRegex(self.good("check", "knot.json", "--set", setting).err, warning)
        self.assertEqual(self.good("check", "knot.json").err, "")

    def number_needed(self, pattern, *settings):
        """What `check` and `run` say of too few elements; all of the numbers it names will do."""
        said = self.wrong("check", "knot.json", *settings).err
        self.assertRegex(said, pattern)
        self.assertRegex(self.wrong("run", "knot.json", *settings).err, pattern)
        self.assertNotIn("move them apart", said)
        return [int(number) for number in re.search(pattern, said).groups()]

    def test_a_radius_in_millimetres_is_no_reason_for_a_large_knot(self):
        said = self.wrong("check", "knot.json", "--set", "rods[0].section.disc.radius=5", "--set", "rods[0].shape.knot.size=0.3").err
        self.assertRegex(said, "has a size of 0.3 m, too small for ropes of radius 5 m; if that radius is in millimetres, write 0.005")

    def test_too_few_elements_are_no_knot(self):
        undone = (
            r"(?m)^knot\.json: error: --set .*: rods\[0\]: rod 'rope': the knot overhand comes undone when it is cut into \d+ elements, .*"
            r"\(its determinant is then 1 instead of 3\); it takes at least (\d+), and (\d+) for the rope to be clear of itself"
        )
        for elements in (8,) if SANITIZED else (6, 8, 12):
            tied, clear = self.number_needed(undone, "--set", f"rods[0].elements={elements}")
            self.assertLess(tied, clear)
            self.good("check", "knot.json", "--set", f"rods[0].elements={clear}")
            # without contact it may overlap, but it is a knot
            few = ["--set", f"rods[0].elements={tied}", "--set", "contact=false"]
            self.good("check", "knot.json", *few)
            self.assertEqual(self.info("knot.json", *few)["rods"][0]["knot_determinant"], 3)

    def test_elements_that_overlap_are_too_few(self):
        corners = r'rod "rope" overlaps itself by .* cut the corners of its curve: write "elements": (\d+) or more'
        for elements in (20,) if SANITIZED else (20, 30):
            (clear,) = self.number_needed(corners, "--set", f"rods[0].elements={elements}")
            self.good("check", "knot.json", "--set", f"rods[0].elements={clear}")

    def test_two_ropes_that_overlap_are_told_each_its_elements(self):
        scene = json.loads(KNOT)
        first = scene["rods"][0]
        first["shape"]["knot"]["name"] = "square"
        first["elements"] = 14
        second = json.loads(json.dumps(first))
        second["name"], second["shape"]["knot"]["strand"] = "other", 1
        scene["rods"].append(second)
        scene["clamps"] = []
        self.write("knot.json", json.dumps(scene))
        pattern = r'write "elements": (\d+) or more for rod "\w+" and (\d+) or more for rod "\w+"'
        numbers = self.number_needed(pattern)
        self.good("check", "knot.json", *(w for i in (0, 1) for w in ("--set", f"rods[{i}].elements={numbers[i]}")))


class Plausible(SceneTest):
    files = {"rope.json": ROPE}

    # test_golden.py finds that no shipped scene is warned of.
    def test_values_that_cannot_be_meant_are_warned_of(self):
        for setting, text in (
            ("rods[0].section.disc.radius=5", "radius is 5 m, .* the rod is 10 times as thick as it is long; if that is in millimetres, write 0.005"),
            ("rods[0].section.disc.radius=0.3", "radius is 0.3 m, .* the rod is 0.6 times as thick as it is long; if that is in millimetres, write 0.0003"),
            ("materials.soft.young=2400", r"young is 2400 Pa, .* would stretch to 3.04 times its length; if that is in GPa, write 2.4e\+12|if that is in MPa, write 2.4e\+09"),
            ("materials.soft.young=50", r"young is 50 Pa, .* would stretch to 99.1 times its length; if that is in GPa, write 5e\+10"),
            ("materials.soft.density=1.15", r"density is 1.15 kg/m\^3, .* if that is in g/cm\^3, write 1150"),
            ("rods[0].elements=2", "elements is 2, .* cannot bend in so few straight pieces"),
            ("gravity=[0, 0, -9810]", r"gravity has a length of 9810 m/s\^2, .* if that is in mm/s\^2, multiply it by 0.001"),
        ):
            with self.subTest(setting):
                warning = r"(?m)^rope\.json: warning: --set %s.*: .*%s" % (re.escape(setting.split("=")[0]), text)
                outcome = self.good("check", "rope.json", "--set", setting)
                self.assertRegex(outcome.err, warning)
                self.assertEqual(outcome.err.count("cannot be meant"), 1)
                self.assertIn("1 warning", outcome.out)
                notes = self.answer("check", "rope.json", "--set", setting)["notes"]
                self.assertEqual([note["kind"] for note in notes], ["warning"])
        said = self.good("check", "rope.json", "--set", "materials.soft.young=3", "--set", "gravity=[0,0,0]").err
        self.assertRegex(said, r"young is 3 Pa, which cannot be meant: it is softer than jelly; if that is in GPa, write 3e\+09")
        for quiet in ([], ["--quiet"]):
            outcome = self.good("run", "rope.json", "--no-recording", "--until", "0.02", "--set", "rods[0].elements=2", *quiet)
            self.assertIn("cannot be meant", outcome.err)

    def test_the_value_is_found_in_the_file(self):
        self.write("thick.json", ROPE.replace('"radius": 0.01', '"radius": 10'))
        line = ROPE.splitlines().index('    "section": { "disc": { "radius": 0.01 } },') + 1
        self.assertRegex(self.good("check", "thick.json").err, rf"(?m)^thick\.json:{line}:38: warning: rods\[0\].section.disc.radius is 10 m")


class Check(SceneTest):
    files = {"rope.json": ROPE}

    def test_a_good_scene(self):
        outcome = self.good("check", "rope.json")
        self.assertIn("no errors", outcome.out)
        self.assertRegex(outcome.out, r"stable step +up to \S+ s, limited by .* in rod \"rope\" at node \d+")
        self.assertRegex(outcome.out, r"tried out on the initial state")
        self.assertEqual(os.listdir(self.dir), ["rope.json"])

    def test_json(self):
        check = self.answer("check", "rope.json")
        self.assertTrue(check["good"])
        self.assertEqual((check["rods"], check["nodes"], check["probes"], check["frames"]), (1, 21, 2, 26))
        self.assertTrue(check["step"]["auto"])
        self.assertLess(check["step"]["length"], check["step"]["stable"])
        # The frame interval is a whole number of steps.
        steps = 0.02 / check["step"]["length"]
        self.assertAlmostEqual(steps, round(steps), places=6)
        self.assertAlmostEqual(check["steps"] * check["step"]["length"], 0.5, places=6)
        self.assertGreater(check["memory_bytes"], 21 * 48)  # positions and velocities at the least
        self.assertGreater(check["seconds"], 0)

    def test_a_network_in_pieces(self):
        nodes, edges = "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]", "[[0, 1], [2, 3]]"
        scene = json.loads(ROPE)
        shape = {"network": {"nodes": json.loads(nodes), "edges": json.loads(edges), "split": 2}}
        scene["rods"] = [{"model": "modal", "material": "soft", "section": {"disc": {"radius": 0.01}}, "shape": shape}]
        scene["clamps"] = [{"at": {"nodes": [0, 2]}, "fix": "frame"}]
        del scene["probes"]
        self.write("pieces.json", json.dumps(scene))
        outcome = self.good("check", "pieces.json")
        self.assertRegex(outcome.err, r"warning: rods\[0\]\.shape\.network is in 2 pieces that no edge joins, of which the smallest has 2 nodes")
        self.assertRegex(outcome.out, r"(?m)^rods +1, with 6 nodes; 2 clamps")

    def test_models_and_their_ways(self):
        self.assertRegex(self.good("check", "rope.json").out, r"(?m)^model +der$")
        outcome = self.good("check", "rope.json", "--model", "pbd", "--set", "rods[*].pbd.substeps=4")
        self.assertRegex(outcome.out, r"(?m)^model +pbd: xpbd, direct, 4 substeps of at most 24 iterations$")
        self.assertRegex(outcome.out, r"(?m)^stable step +any: position-based$")
        paper = ("--model", "pbd", "--set", "rods[*].pbd.solver=pbd", "--set", "rods[*].pbd.iterations=1")
        self.assertRegex(self.good("check", "rope.json", *paper).out, r"(?m)^model +pbd: pbd, 1 substep of 1 sweep$")
        models = self.answer("check", "rope.json", *paper)["models"]
        way = {"model": "pbd", "rods": 1, "solver": "pbd", "method": None, "substeps": 1, "iterations": 1}
        self.assertEqual(models, [way])
        implicit = ("--model", "pbd", "--set", "rods[*].integrator=implicit")
        models = self.answer("check", "rope.json", *implicit)["models"]
        self.assertEqual(models, [{"model": "pbd", "rods": 1, "integrator": "implicit"}])

    def test_rods_that_newton_s_method_steps(self):
        ball = '[{"name": "bob", "shape": {"sphere": {"radius": 0.05}}, "mass": 1, "position": [1, 0, 0]}]'
        welded = ("--model", "pbd", "--set", "bodies=" + ball, "--set", 'welds=[{"rod": "rope", "at": "end", "body": "bob"}]')
        outcome = self.good("check", "rope.json", *welded)
        self.assertRegex(outcome.out, r"(?m)^model +pbd: backward Euler by Newton's method$")
        self.assertRegex(outcome.out, r"(?m)^stable step +any: backward Euler$")
        self.assertRegex(outcome.out, r"(?m)^iterations +\S+ a step")  # so they are those of Newton's method
        self.assertNotIn("warning", outcome.err)
        outcome = self.good("check", "rope.json", *welded, "--set", "rods[*].pbd.substeps=4")
        self.assertRegex(outcome.err, r"warning: .*rods\[0\]\.pbd is not used: the rod is welded or joined")
        outcome = self.good("check", "rope.json", *welded[:4])  # it can be touched, but contact is off
        self.assertRegex(outcome.out, r"(?m)^model +pbd: xpbd, direct")

    def test_too_few_sweeps(self):
        def sweeps(count, *more):
            settings = ("--set", "rods[*].pbd.method=sweeps", "--set", "rods[*].pbd.iterations=%d" % count)
            return self.good("check", "rope.json", "--model", "pbd", "--set", "time.step=0.02", *settings, *more).err

        # The rope's EA/l is 6283 N/m and its nodes have 0.0157 kg: half of (1 + 4 h^2 k/m) / (1 + (pi/2)^2 h^2 k/m / 20^2), of
        # stretching, is 161 with h = 0.02 s. With a tenth of that it hangs 10 times as far under three times its weight.
        found = re.search(r'warning: rod "rope" will be about (\S+) times softer .* off by some (\S+) % .* some (\S+) sweeps', sweeps(16))
        softer, off, needed = (float(text) for text in found.groups())
        k = 6283 / 0.0157 * 0.02**2
        wave = math.pi**2 / 4 / 20**2
        wanted = 0.5 * (1 + 4 * k) / (1 + wave * k)
        self.assertAlmostEqual(needed / wanted, 1, delta=0.05)  # of two digits
        self.assertAlmostEqual(softer / (wanted / 16), 1, delta=0.05)
        give = 3 * 9.81 * (0.02**2 / (wave * k) + 0.02**2)
        self.assertAlmostEqual(off / (100 * give * (wanted / 16 - 1)), 1, delta=0.05)
        self.assertNotIn("warning", sweeps(2 * wanted))
        self.assertNotIn("warning", sweeps(16, "--set", "rods[*].pbd.method=direct"))
        self.assertIn("(and 1 other rod)", self.sweeps_of_two())

    def sweeps_of_two(self):
        self.write("two.json", TWO)
        settings = ("--set", "rods[*].pbd.method=sweeps", "--set", "time.step=0.02", "--set", "contact=false", "--set", "obstacles=[]")
        return self.good("check", "two.json", "--model", "pbd", *settings).err

    def test_a_step_longer_than_a_frame(self):
        outcome = self.good("check", "rope.json", "--model", "pbd", "--set", "time.step=60")
        self.assertRegex(outcome.err, r"warning: the step of 60 s is longer than a frame, .*: 0\.02 s are taken")
        self.assertRegex(outcome.out, r"(?m)^step +0\.02 s, a frame: the scene's is longer$")
        self.assertNotIn("warning", self.good("check", "rope.json", "--model", "pbd", "--set", "time.step=0.02").err)

    def test_the_step_of_position_based_rods_is_for_accuracy(self):
        outcome = self.good("check", "rope.json", "--model", "pbd")
        self.assertRegex(outcome.out, r"(?m)^step +0\.002 s, chosen \(auto\): a tenth of a frame, for accuracy$")

    def test_the_time_without_contact(self):
        contact = ("--set", "contact={}", "--set", 'obstacles=[{"plane": {"offset": %s}}]')
        far = self.good("check", "rope.json", contact[0], contact[1], contact[2], contact[3] % "-5")
        self.assertRegex(far.out, r"(?m)^time +about .* without contact, which will take more: nothing touches yet, from")
        self.assertNotIn("without contact", self.good("check", "rope.json").out)
        lies = self.good("check", "rope.json", contact[0], contact[1], contact[2], contact[3] % "-0.0100001")
        self.assertNotIn("without contact", lies.out)

    def test_obstacles_and_contact(self):
        floors = '[{"plane": {"offset": -1}}, {"plane": {"offset": -2}}, {"box": {"size": [1, 1, 1], "center": [0, 0, -5]}}]'
        pairs = '[{"materials": ["soft", "soft"], "friction": 0.5}]'
        settings = ("--set", "obstacles=" + floors, "--set", "contact.pairs=" + pairs, "--set", "contact.watch_topology=true")
        outcome = self.good("check", "rope.json", *settings)
        self.assertRegex(outcome.out, r"(?m)^obstacles +3: 2 planes, 1 box$")
        self.assertRegex(
            outcome.out,
            r"(?m)^contact +impulses \(explicit rods\), inside Newton\'s method \(implicit ones, statics\), to 0\.001 of a radius; "
            r"friction by material, 1 pair of materials; knots and links are watched$",
        )
        check = self.answer("check", "rope.json", *settings, "--set", "contact.friction=0.2")
        self.assertEqual(check["obstacles"], 3)
        self.assertEqual(check["contact"]["friction"], 0.2)
        self.assertEqual((check["contact"]["response"], check["contact"]["iterations"]), ("impulses", 200))

        outcome = self.good("check", "rope.json", *settings, "--set", "contact=false")
        self.assertRegex(outcome.out, r"(?m)^contact +off$")
        self.assertIn("contact is false", outcome.err)

        self.assertNotRegex(self.good("check", "rope.json").out, "obstacles|contact")
        self.assertIsNone(self.answer("check", "rope.json")["contact"])

    def test_what_a_run_would_refuse_is_an_error(self):
        self.write("two.json", TWO)
        self.write("facet.obj", "v 0 0 -1\nv 1 0 -1\nv 0 1 -1\nf 1 2 3\n")
        self.good("check", "two.json")
        for settings, place, text in (
            (['rods[1].integrator="implicit"', 'contact.response="zones"'], (6, 5), "rod 'a' shares its contacts with rod 'b', which is implicit"),
            (["rods[1].shape.line.from=[0, 0, 0.105]"], (6, 5), r'rod "a" overlaps rod "b" by 0\.015\S* m at its edge 0'),
            (['contact.response="zones"'], (12, 18), "obstacle 'facet' is a mesh"),
        ):
            with self.subTest(text):
                settings = [word for one in settings for word in ("--set", one)]
                error = r"(?m)^two\.json:%d:%d: error: %s" % (*place, text)
                self.assertRegex(self.wrong("check", "two.json", *settings).err, error)
                self.assertRegex(self.wrong("run", "two.json", *settings).err, error)
                outcome = self.cordage("check", "--json", "two.json", *settings)
                self.assertEqual(outcome.status, 2)
                check = json.loads(outcome.out)
                self.assertFalse(check["good"])
                note = check["notes"][-1]
                self.assertEqual((note["kind"], note["line"], note["column"]), ("error", *place))
                self.assertRegex(note["text"], text)
        self.good("check", "two.json", "--set", "rods[1].shape.line.from=[0, 0, 0.105]", "--set", "contact=false")

    def test_a_start_exactly_in_touch_is_accepted(self):
        # Rounding makes all of these overlap by some 1e-18 m.
        self.write("two.json", TWO)
        ground = '[{"box":{"size":[2,0.2,0.02],"center":[0.5,0,-0.01]}}]'
        shape = 'rods[%d].shape.line={"from":[0,0,%s],"to":[1,0,%s]}'
        starts = (
            (shape % (0, "0.01", "0.01"), f"obstacles={ground}"),
            (shape % (0, "0.12", "0.12"), 'obstacles=[{"plane":{"offset":0.11}}]'),
            (shape % (1, "0.12", "0.12"), "obstacles=[]"),
        )
        for start in starts:
            settings = [word for one in start for word in ("--set", one)] + ["--set", "gravity=[0,0,0]"]
            for stepper in ('integrator="verlet"', 'integrator="implicit"', 'model="pbd"'):
                with self.subTest(start=start, stepper=stepper):
                    here = settings + ["--set", f"rods[*].{stepper}"]
                    self.good("check", "two.json", *here)
                    self.good("run", "two.json", "--force", "--until", "0.02", *here)
                    self.assertLess(self.info("two.h5")["energy"]["kinetic"], 1e-20)  # 1e-18 m put right in positions alone
        deep = ["--set", shape % (1, "0.1199", "0.1199"), "--set", "obstacles=[]"]
        self.assertRegex(self.wrong("check", "two.json", *deep).err, 'rod "a" overlaps rod "b" by 0.0001 m')

    def test_explicit_rods_that_will_be_implicit_are_told(self):
        self.write("two.json", TWO)
        self.write("facet.obj", "v 0 0 -1\nv 1 0 -1\nv 0 1 -1\nf 1 2 3\n")
        self.assertNotIn("taken to be", self.good("check", "two.json").err)
        outcome = self.good("check", "two.json", "--set", 'rods[0].integrator="verlet"', "--set", 'rods[1].integrator="implicit"')
        self.assertIn('rods[0].integrator is taken to be "implicit": contact is on', outcome.err)
        self.assertRegex(outcome.out, r"(?m)^stable step +any: implicit")

    def test_the_stable_step_follows_the_stretching_waves(self):
        def step_of(*settings):
            return self.answer("check", "rope.json", *settings)["step"]

        # h = 2 / omega with omega = 2 sqrt(E / rho) / l at the most: the time of sound along one element.
        step = step_of()
        self.assertEqual(step["limit"], "stretching waves")
        transit = (1.0 / 20) / (1e6 / 1000) ** 0.5
        self.assertLessEqual(step["stable"], transit * 1.001)
        self.assertGreater(step["stable"], transit * 0.7)  # a bound on the frequency may cost some of it
        finer = step_of("--set", "rods[0].elements=40")
        self.assertAlmostEqual(finer["stable"] / step["stable"], 0.5, delta=0.01)

    def test_a_step_too_long_gets_a_warning_with_the_number(self):
        outcome = self.good("check", "rope.json", "--set", "time.step=0.01")
        self.assertRegex(outcome.err, r"warning: the scene's step of 0\.01 s is longer than the 0\.00158 s")

    def test_damping_that_shortens_the_step_is_named(self):
        damped = ["--set", 'rods[0].damping={"ratio":0.5,"frequency":1}']
        outcome = self.good("check", "rope.json", *damped)
        self.assertRegex(outcome.out, r'limited by internal damping in rod "rope"; "integrator": "implicit" has no such limit\n')
        slight = ["--set", 'rods[0].damping={"ratio":0.0001,"frequency":1}']
        self.assertIn("limited by stretching waves", self.good("check", "rope.json", *slight).out)

    def test_a_run_that_nobody_means_gets_a_warning(self):
        outcome = self.good("check", "rope.json", "--set", "time.end=1e7")
        self.assertRegex(outcome.err, r"warning: a run would take \S+ steps of \S+ s, limited by stretching waves; take ")
        self.assertRegex(outcome.err, r"warning: a recording could take \S+ .B; ")
        self.assertIn("no errors, 3 warnings", outcome.out)
        self.assertNotIn("warning", self.good("check", "rope.json").err)

    def test_all_errors_are_reported_with_line_and_column(self):
        bad = ROPE.replace('"elements": 20', '"elements": -20').replace('"poisson": 0.5', '"poison": 0.5')
        self.write("bad.json", bad)
        outcome = self.wrong("check", "bad.json")
        self.assertRegex(outcome.err, r"(?m)^bad\.json:6:\d+: error: ")
        self.assertRegex(outcome.err, r"(?m)^bad\.json:11:\d+: error: ")
        self.assertIn("poisson", outcome.err)

        outcome = self.cordage("check", "--json", "bad.json")
        self.assertEqual(outcome.status, 2)
        check = json.loads(outcome.out)
        self.assertFalse(check["good"])
        self.assertEqual([note["line"] for note in check["notes"] if note["kind"] == "error"], [6, 11])


if __name__ == "__main__":
    unittest.main()
