"""cordage scenes and cordage new: what ships is found, is in order, runs, and is in the gallery."""

import json
import os
import re
import tempfile
import unittest

from program import ROPE, SceneTest, needs

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")


class Scenes(SceneTest):
    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.TemporaryDirectory(prefix="cordage-")
        os.environ["CORDAGE_CACHE"] = cls.cache.name  # of modes: those of modal/fig7 take seconds to find

    @classmethod
    def tearDownClass(cls):
        os.environ["CORDAGE_CACHE"] = ""
        cls.cache.cleanup()

    def names(self):
        lines = self.good("scenes").out.splitlines()
        return [line.split()[0] for line in lines if not line.startswith(" ")]

    def quick(self):
        """All but the one whose modes take minutes under sanitizers."""
        return [name for name in self.names() if name != "modal/fig7" or not os.environ.get("CORDAGE_SANITIZED")]

    def text(self, name):
        with open(os.path.join(self.where(), name + ".json")) as file:
            return file.read()

    def fewer(self, name):  # of hair, a tuft will do
        return ["--set", "rods[0].strands.count=200"] if '"strands"' in self.text(name) else []

    def where(self):
        return self.good("scenes", "--where").out.strip()

    def test_every_file_is_listed(self):
        found = []
        for folder, _, files in os.walk(self.where()):
            inner = os.path.relpath(folder, self.where())
            found += [os.path.normpath(os.path.join(inner, name))[: -len(".json")] for name in files if
                      name.endswith(".json") and name != "scene.schema.json"]
        self.assertEqual(sorted(self.names()), sorted(found))
        self.assertIn("swing", found)

    def test_the_list(self):
        lines = self.good("scenes").out.splitlines()
        for name, about in zip(lines[::2], lines[1::2]):
            self.assertGreater(len(name.split(None, 1)[1]), 3, name)  # a title
            self.assertRegex(about, r"^ +\S.{20,}\.$")  # and a line of description under it
        self.assertEqual(len(lines), 2 * len(self.names()))

    def test_shipped_scenes_have_no_errors_and_no_warnings(self):
        for name in self.quick():
            with self.subTest(scene=name):
                outcome = self.good("check", "--json", name, *self.fewer(name))
                check = json.loads(outcome.out)
                self.assertEqual((check["notes"], outcome.err), ([], ""))
                self.assertGreater(len(check["title"]), 3)

    def test_shipped_scenes_run(self):
        for name in self.quick():
            with self.subTest(scene=name):
                outcome = self.good("run", name, "--until", "0.01", "--set", "time.fps=200", "--no-recording",
                                    *self.fewer(name))
                self.assertIn("done: t = 0.01 s", outcome.err)
                longer = "warning: the step of .* is longer than a frame"  # which is shorter here than the scene's
                self.assertNotIn("warning", re.sub(longer, "", outcome.err))

    def test_nothing_in_shipped_scenes_overlaps(self):
        touched, end = 0, "0.02" if os.environ.get("CORDAGE_SANITIZED") else "0.05"
        for name in self.quick():
            text = self.text(name)
            if '"contact"' not in text and '"obstacles"' not in text:
                continue
            with self.subTest(scene=name):
                recording = self.path(name.replace("/", "_") + ".h5")
                self.good("run", name, "--until", end, "--set", "time.fps=200", "-o", recording, *self.fewer(name))
                contacts = json.loads(self.good("info", recording, "--json").out)["contacts"]
                touched += contacts["most"] > 0
                if contacts["deepest"]:
                    own = re.search(r'"contact".*"tolerance": ([0-9.e-]+)', text)
                    self.assertLess(contacts["deepest"]["of_radius"], float(own.group(1)) if own else 1e-3)
        self.assertGreater(touched, 3)

    def test_shipped_scenes_with_a_solve_are_solved(self):
        solved = 0
        for name in self.quick():
            with open(os.path.join(self.where(), name + ".json")) as file:
                if '"solve"' not in file.read():
                    continue
            with self.subTest(scene=name):
                solved += 1
                outcome = self.good("solve", name, "--points", "3", "--no-recording", "--json")
                summary = json.loads(outcome.out)
                self.assertEqual((summary["branch"]["points"], summary["branch"]["not_converged"]), (3, 0))
        self.assertGreater(solved, 2)

    def test_shipped_scenes_are_in_the_gallery(self):
        with open(os.path.join(DOCS, "gallery.md")) as file:
            gallery = file.read()
        for name in self.quick():
            with self.subTest(scene=name):
                picture = "pictures/" + name.replace("/", "_") + ".png"
                self.assertTrue(os.path.exists(os.path.join(DOCS, picture)), "no docs/" + picture)
                self.assertTrue("](" + picture + ")" in gallery, "not in docs/gallery.md")
                command = re.search(r"(?m)^    cordage (run|solve|reproduce) " + name + r"\b", gallery)
                self.assertTrue(command, "no command in docs/gallery.md")

    def test_another_directory(self):
        os.mkdir(self.path("mine"))
        self.write("mine/own.json", "// What there is to see.\n" + ROPE)
        env = {"CORDAGE_SCENES": self.path("mine")}
        outcome = self.good("scenes", env=env)
        self.assertEqual(
            [line.split() for line in outcome.out.splitlines()],
            [["own", "test", "rope"], ["What", "there", "is", "to", "see."]],
        )
        self.good("check", "own", env=env)
        self.wrong("check", "swing", env=env)
        self.wrong("scenes", env={"CORDAGE_SCENES": self.path("nowhere")})

    @needs("hdf5")
    def test_a_name_runs(self):
        self.good("run", "swing", "--until", "0.05")
        self.assertTrue(os.path.exists(self.path("swing.h5")))

    def test_a_file_goes_before_a_name(self):
        self.write("swing", ROPE)
        self.assertEqual(self.info("swing")["title"], "test rope")


class New(SceneTest):
    @needs("hdf5")
    def test_the_starter_scene_runs_as_it_is(self):
        self.good("new", "first")
        text = self.read("first.json")
        self.assertGreater(text.count("//"), 8)
        check = json.loads(self.good("check", "--json", "first.json").out)
        self.assertEqual((check["good"], check["notes"], check["title"]), (True, [], "first"))
        self.good("run", "first.json")
        info = self.info("first.h5")
        self.assertAlmostEqual(info["last_time"], 2.0, delta=1e-9)
        start = self.info("first.h5", "--frame", "0")
        self.assertLess(info["energy"]["total"], start["energy"]["total"])  # drag

    def test_nothing_is_overwritten(self):
        self.write("mine.json", "precious")
        self.assertIn("left alone", self.wrong("new", "mine").err)
        self.wrong("new", "mine.json")
        self.assertEqual(self.read("mine.json"), "precious")

    def test_names(self):
        self.good("new", "with.json")
        self.assertEqual(os.listdir(self.dir), ["with.json"])
        for name in ("", ".json", "no/such/place", 'a"b', "a\\b", "a\nb"):
            self.wrong("new", name)
        self.assertEqual(os.listdir(self.dir), ["with.json"])


if __name__ == "__main__":
    unittest.main()
