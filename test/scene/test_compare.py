"""cordage compare: the same scene under several models."""

import csv
import json
import os
import re
import signal
import time
import unittest

from program import ROPE, SceneTest, needs

QUICK = ("--no-pictures", "--no-recording")

# Two thin threads that do not touch, 2 cm apart: fat ones would overlap, which contact refuses.
PAIR = """{
  "cordage": 1,
  "gravity": [0, 0, 0],
  "time": { "end": 0.02, "fps": 50 },
  "contact": {},
  "materials": { "soft": { "young": 1e6, "poisson": 0.5, "density": 1000 } },
  "rods": [
    { "name": "a", "material": "soft", "section": { "disc": { "radius": 0.001 } }, "elements": 8,
      "shape": { "line": { "from": [0, 0, 0], "to": [1, 0, 0] } } },
    { "name": "b", "material": "soft", "section": { "disc": { "radius": 0.001 } }, "elements": 8,
      "shape": { "line": { "from": [0, 0, 0.02], "to": [1, 0, 0.02] } } }
  ]
}
"""


class CompareTest(SceneTest):
    files = {"rope.json": ROPE}

    def compared(self, models, *arguments, status=0):
        outcome = self.cordage("compare", "rope.json", "--models", models, "--json", "-q", *QUICK, *arguments)
        self.assertEqual(outcome.status, status, outcome.err)
        report = json.loads(outcome.out)
        return report, {run["name"]: run for run in report["runs"]}

    def test_der_against_der_is_exactly_zero(self):
        report, runs = self.compared("der,der", "--until", "0.2")
        self.assertEqual(report["reference"], "der")
        der, again = runs["der"], runs["der2"]
        self.assertEqual(again["difference"]["largest"], 0)
        self.assertEqual(again["difference"]["twist"], 0)
        self.assertIsNone(again["difference"]["over_one_percent"])
        self.assertEqual(der["energy"], again["energy"])
        energies = [[frame["energy"] for frame in run["frames"]] for run in (der, again)]
        self.assertEqual(energies[0], energies[1])

    def test_json_has_all_of_it(self):
        report, runs = self.compared("der,corde", "--until", "0.1")
        self.assertEqual((report["title"], report["end"], report["fps"]), ("test rope", 0.1, 50))
        for name in ("der", "corde"):
            run = runs[name]
            self.assertEqual((run["state"], run["model"]), ("done", name))
            self.assertAlmostEqual(run["time"], 0.1, places=9)
            self.assertGreater(run["steps"], 0)
            self.assertGreaterEqual(run["cpu_per_second"], 0)
            self.assertLessEqual(run["shortest_step"], run["longest_step"])
            energy = dict(run["energy"])
            total = energy.pop("total")
            self.assertEqual(set(energy), {"kinetic", "bend", "twist", "stretch", "gravity"})
            self.assertAlmostEqual(sum(energy.values()), total, places=12)
            self.assertGreater(energy["kinetic"], 0)
            self.assertIsNone(run["least_gap"])  # without contact
            self.assertEqual([round(50 * frame["time"], 9) for frame in run["frames"]], [0, 1, 2, 3, 4, 5])
        self.assertNotIn("difference", runs["der"])
        difference = runs["corde"]["difference"]
        self.assertEqual(difference["rod"], "rope")
        self.assertLess(difference["share"], 0.01)  # early, of the same rod
        self.assertLessEqual(difference["rms_share"], difference["share"])
        shares = [frame["difference"]["share"] for frame in runs["corde"]["frames"]]
        self.assertEqual(max(shares), difference["share"])

    def test_ways_of_pbd(self):
        ways = "pbd,sweeps=pbd:rods[*].pbd.method=sweeps,paper=pbd:rods[*].pbd.solver=pbd"
        report, runs = self.compared(ways, "--until", "0.1")
        self.assertEqual([run["name"] for run in report["runs"]], ["pbd", "sweeps", "paper"])
        for name in ("sweeps", "paper"):
            self.assertEqual((runs[name]["state"], runs[name]["model"]), ("done", "pbd"))
            self.assertGreater(runs[name]["difference"]["share"], 0)

    def test_table_names_what_it_tells(self):
        outcome = self.good("compare", "rope.json", "--models", "der,corde", "--until", "0.1", *QUICK)
        words = ("steps", "CPU s per s", "kinetic", "writhe", "least gap", "largest", "over 1 % from", "never")
        for word in words:
            self.assertIn(word, outcome.out)
        rows = [line.split()[0] for line in outcome.out.splitlines() if line.startswith(("der ", "corde "))]
        self.assertEqual(rows, ["der", "corde"] * 3 + ["corde"])
        self.assertIn("test rope: der, corde", outcome.err)
        self.assertEqual(self.good("compare", "rope.json", "--until", "0.02", "-q", *QUICK).err, "")

    def test_difference_is_that_of_the_shapes(self):
        """A rod that nothing moves against one that falls freely: every node is 1/2 g t^2 away."""
        free = ("--set=clamps=[]", "--set=probes=[]", "--until", "0.1")
        report, runs = self.compared("still=der:gravity=[0,0,0],der", *free)
        difference = runs["der"]["difference"]
        fall = 0.5 * 9.81 * 0.1**2
        self.assertEqual(report["reference"], "still")
        for key in ("largest", "rms", "share", "rms_share"):  # of 1 m; Verlet is exact for a parabola
            self.assertAlmostEqual(difference[key], fall, places=9)
        self.assertAlmostEqual(difference["time"], 0.1, places=9)
        self.assertAlmostEqual(difference["over_one_percent"], 0.06, places=9)  # 7.8 mm at 0.04 s, then 17.7 mm

    def test_counts_of_nodes_may_differ(self):
        models = "der,coarse=der:rods[*].elements=7,fine=der:rods[*].elements=33"
        report, runs = self.compared(models, "--until", "0.02")
        for name in ("coarse", "fine"):
            share = runs[name]["difference"]["share"]
            self.assertGreater(share, 0)
            self.assertLess(share, 0.01)  # it fell 2 mm of 1 m
            # straight at the start, so by arc length nothing is apart, but for rounding
            self.assertLess(runs[name]["frames"][0]["difference"]["largest"], 1e-12)
        self.assertEqual([len(runs[name]["rods"]) for name in runs], [1, 1, 1])
        self.assertEqual([runs[name]["rods"][0]["nodes"] for name in runs], [21, 8, 34])

    def test_rings_of_different_counts(self):
        ring = ROPE.replace('"line": { "from": [0, 0, 0], "to": [1, 0, 0] }', '"circle": { "radius": 0.2 }')
        self.write("rope.json", ring.replace('"elements": 20', '"elements": 20, "closed": true'))
        bare = ("--set=clamps=[]", "--set=probes=[]", "--until", "0.02")
        report, runs = self.compared("der,finer=der:rods[*].elements=40", *bare)
        # every second node of the finer polygon is one of the other's, the rest are its sagitta away from it
        sagitta = 0.2 * (1 - 0.98768834)  # 1 - cos(pi/20)
        self.assertAlmostEqual(runs["finer"]["frames"][0]["difference"]["largest"], sagitta, places=5)

    def test_scene_stands_for_the_models_in_it(self):
        report, runs = self.compared("scene,der", "--until", "0.02")
        self.assertIsNone(runs["scene"]["model"])
        self.assertEqual(runs["der"]["difference"]["largest"], 0)

    def test_settings_come_in_order(self):
        """--set is for all, a variant's own come after it; commas and colons in values stay there."""
        shape = '{"line":{"from":[0,0,0],"to":[2,0,0]}}'
        models = f"a=der:gravity=[0,0,-1]:rods[0].shape={shape}:rods[0].elements=5,der"
        report, runs = self.compared(models, "--until", "0.02", "--set", "rods[0].elements=10")
        self.assertEqual([run["rods"][0]["nodes"] for run in report["runs"]], [6, 11])
        self.assertEqual(runs["a"]["settings"][0], "gravity=[0,0,-1]")
        self.assertEqual(len(runs["a"]["settings"]), 3)

    def test_a_model_that_refuses_is_named(self):
        """The printed strain of corde is for explicit integrators; der has no use for it, and takes it."""
        printed = ("--set", "rods[*].corde.strain=printed", "--set", "rods[*].integrator=implicit")
        report, runs = self.compared("der,corde,again=der", "--until", "0.02", *printed, status=1)
        self.assertEqual([run["state"] for run in report["runs"]], ["done", "refused", "done"])
        self.assertIn("printed strain", runs["corde"]["message"])
        report, runs = self.compared("corde,der,again=der", "--until", "0.02", *printed, status=1)
        self.assertEqual(report["reference"], "der")  # the first that takes it
        self.assertEqual(runs["again"]["difference"]["largest"], 0)

    def test_a_refused_variant_is_named_and_the_others_go_on(self):
        self.write("rope.json", PAIR)
        report, runs = self.compared("der,fat=der:rods[*].section.disc.radius=0.02,again=der", status=1)
        self.assertEqual([run["state"] for run in report["runs"]], ["done", "refused", "done"])
        self.assertIn("overlaps", runs["fat"]["message"])
        self.assertEqual(runs["again"]["difference"]["largest"], 0)
        models = "fat=der:rods[*].section.disc.radius=0.02,der"
        outcome = self.cordage("compare", "rope.json", "--models", models, *QUICK)
        self.assertEqual(outcome.status, 1)
        self.assertRegex(outcome.err, r"error: fat refuses the scene: .*overlaps")
        self.assertRegex(outcome.out, r"\nfat +.* refused\n")
        self.assertIn("fat refused: ", outcome.out)

    def test_if_all_are_refused_the_scene_is_wrong(self):
        self.write("rope.json", PAIR)
        fat = ("--set", "rods[*].section.disc.radius=0.02")
        self.wrong("compare", "rope.json", "--models", "der,corde", *fat, *QUICK)
        outcome = self.wrong("compare", "rope.json", *fat, *QUICK)
        self.assertRegex(outcome.err, r"no model takes the scene; der says: .*overlaps")

    def test_models_that_nobody_asked_for_may_refuse(self):
        """The rope hangs by a point: nothing keeps a modal one from turning about it."""
        outcome = self.good("compare", "rope.json", "--until", "0.02", *QUICK)
        self.assertRegex(outcome.err, r"modal is left out, it refuses the scene: rod 'rope' is not held")

    def test_a_run_that_stops_is_reported(self):
        report, runs = self.compared("der,wild=der:time.step=0.02", "--until", "0.5", status=1)
        self.assertEqual((runs["der"]["state"], runs["wild"]["state"]), ("done", "diverged"))
        self.assertTrue(runs["wild"]["message"])
        self.assertLess(runs["wild"]["time"], 0.5)
        self.assertAlmostEqual(runs["der"]["time"], 0.5, places=9)
        self.assertEqual(len(runs["der"]["frames"]), 26)

    def test_a_run_that_diverges_is_named_first_and_has_no_numbers(self):
        outcome = self.cordage("compare", "rope.json", "--models", "der,pbd", "--step", "0.02", *QUICK)
        self.assertEqual(outcome.status, 1)
        self.assertRegex(outcome.out, r"^der diverged at t = \S+ s of 0\.5 s; nothing can be compared with it from there on\.\n")
        self.assertEqual(len(re.findall(r"(?m)^der +diverged$", outcome.out)), 2)  # instead of energies, and of turns
        self.assertNotRegex(outcome.out, r"e\+\d\d")  # what has blown up is nowhere
        self.assertRegex(outcome.err, r"error: der diverged at t = ")
        self.assertRegex(outcome.err, r"der took steps of 0\.02 s, longer than the 0\.00158 s that were stable; .* der:time\.step=auto")
        outcome = self.cordage("compare", "rope.json", "--models", "pbd,wild=der:rods[*].elements=10", "--step", "0.02", *QUICK)
        self.assertRegex(outcome.out, r"(?m)^wild diverged at t = \S+ s of 0\.5 s; it is compared up to there\.$")
        self.assertIn("add :time.step=auto to its settings", outcome.err)
        self.good("compare", "rope.json", "--models", "der:time.step=auto,pbd", "--step", "0.02", *QUICK)

    def test_the_plot_of_what_is_the_same_gives_no_warnings(self):
        for models in ("der,der", "der:time.step=0.02,pbd"):
            with self.subTest(models):
                err = self.cordage("compare", "rope.json", "--models", models, "--until", "0.1", "--no-recording").err
                self.assertNotIn("empty y range", err)
                self.assertNotIn("Warning", err)

    def test_least_gap_where_contact_is_on(self):
        self.write("rope.json", PAIR)
        report, runs = self.compared("der,der", "--set", "rods[*].section.disc.radius=0.00999")
        self.assertAlmostEqual(runs["der"]["least_gap"], 2e-5, places=9)

    def test_bad_input(self):
        def wrong(models, words, *arguments):
            outcome = self.wrong("compare", "rope.json", "--models", models, *QUICK, *arguments)
            self.assertIn(words, outcome.err)

        wrong("der,corda", 'there is no model "corda"; there are der, corde')
        wrong("der", "at least two")
        wrong("", 'there is no model ""')
        wrong("der,", 'there is no model ""')
        wrong("der,a=der,a=corde", 'two variants are called "a"')
        wrong("der,../x=corde", "is no name for a variant")
        wrong("der," * 8 + "der", "8 variants at the most")
        wrong("der,corde:rods[*].elemens=3", 'did you mean "elements"')
        wrong("der,corde:", "has the form path=value")
        wrong("der,corde:time.end=2", "all must have the same frames")
        shape = '"shape":{"line":{"from":[0,0,1],"to":[1,0,1]}},"elements":4'
        second = '{"material":"nylon","section":{"disc":{"radius":0.01}},' + shape + "}"
        wrong("der,der:rods[1]=" + second, "has 2 rods")
        wrong("der,corde", "exclude each other", "--at", "0.2")
        wrong("der,corde", "--threads", "--threads", "0")
        wrong("der,corde", "--until", "--until", "-1")
        wrong("der,corde", "--step", "--step", "fast")
        wrong("der,corde", "did you mean", "--set", "gravit=0")
        self.assertEqual(os.listdir(self.dir), ["rope.json"])  # and nothing is left behind
        late = self.wrong("compare", "rope.json", "--models", "der,corde", "--until", "0.1", "--at", "0.2")
        self.assertIn("--at takes a time from 0 to the end, 0.1 s", late.err)
        self.assertIn("no file", self.wrong("compare", "nosuch").err)

    def test_directory_cannot_be_made(self):
        self.write("taken", "not a directory")
        for place in ("taken", "missing/deeper", ""):
            self.wrong("compare", "rope.json", "--models", "der,der", "-o", place, *QUICK)
            self.assertEqual(self.read("taken"), "not a directory")

    def test_csv(self):
        arguments = ("--models", "der,corde", "--until", "0.1", "-o", "out", "-q", *QUICK)
        self.good("compare", "rope.json", *arguments)
        with open(self.path("out/compare.csv")) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["name"] for row in rows], ["der"] * 6 + ["corde"] * 6)
        self.assertEqual(float(rows[0]["share"]), 0)
        for row in rows:
            parts = sum(float(row[key]) for key in ("kinetic", "bend", "twist", "stretch", "gravity"))
            self.assertAlmostEqual(parts, float(row["total"]), places=7)

    @needs("hdf5")
    def test_recordings_are_those_of_run(self):
        self.good("compare", "rope.json", "--models", "der,corde", "--until", "0.1", "--no-pictures")
        for model in ("der", "corde"):
            self.good("run", "rope.json", "--model", model, "--until", "0.1", "-o", "own.h5")
            own, mine = (self.info(path) for path in ("own.h5", f"rope.compare/{model}.h5"))
            self.assertEqual(own["frame"], mine["frame"])
            self.assertEqual(own["rods"], mine["rods"])

    @needs("hdf5")
    def test_other_files_are_left_alone(self):
        os.mkdir(self.path("out"))
        self.write("out/der.h5", "someone's notes")
        outcome = self.wrong("compare", "rope.json", "--models", "der,corde", "-o", "out")
        self.assertIn("is left alone", outcome.err)
        self.assertEqual(self.read("out/der.h5"), "someone's notes")

    @needs("embree", "png")
    def test_pictures(self):
        arguments = ("--models", "der,corde", "--until", "0.1", "--at", "0.05", "--no-recording")
        self.good("compare", "rope.json", *arguments)
        for name in ("shapes.png", "shapes_0.05.png"):
            self.assertEqual(self.read_bytes("rope.compare/" + name)[:8], b"\x89PNG\r\n\x1a\n")

    @needs("hdf5")
    def test_interrupt_reports_what_there_is(self):
        arguments = ("--models", "der,der", "--until", "2000", "--json", "--no-pictures")
        process = self.start("compare", "rope.json", *arguments)
        path = self.path("rope.compare/der2.h5")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not os.path.exists(path):
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, err)
        report = json.loads(out)
        self.assertEqual([run["state"] for run in report["runs"]], ["interrupted", "interrupted"])
        frames = [len(run["frames"]) for run in report["runs"]]
        self.assertGreaterEqual(min(frames), 1)
        self.assertLessEqual(max(frames) - min(frames), 1)  # they go in step
        self.assertEqual(report["runs"][1]["difference"]["largest"], 0)


if __name__ == "__main__":
    unittest.main()
