"""cordage scenes and cordage new: what ships is found, is in order and is in the gallery. test_golden.py runs it."""

import json
import os
import re
import unittest

from program import ROPE, SANITIZED, SceneTest, needs, shipped, tuft

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")


def some(names):
    """All of them; under sanitizers, where test_golden.py runs all of them, one in six."""
    return sorted(names)[:: 6 if SANITIZED else 1]


class Scenes(SceneTest):
    def test_the_list_has_every_file_with_a_title_and_a_description(self):
        lines = self.good("scenes").out.splitlines()
        names = [line.split()[0] for line in lines[::2]]
        self.assertEqual(sorted(names), sorted(shipped()))
        self.assertIn("swing", names)
        self.assertEqual(len(lines), 2 * len(names))
        for name, about in zip(lines[::2], lines[1::2]):
            self.assertGreater(len(name.split(None, 1)[1]), 3, name)  # a title
            self.assertRegex(about, r"^ +\S.{20,}\.$")  # and a line of description under it

    def test_shipped_scenes_have_no_errors_and_no_warnings(self):
        for name in some(shipped()):
            with self.subTest(scene=name):
                outcome = self.good("check", "--json", name, *tuft(name))
                check = json.loads(outcome.out)
                odd = name.startswith("peers/")  # some peers' values cannot be meant, and are theirs
                notes = [note for note in check["notes"] if not (odd and "cannot be meant" in note["text"])]
                self.assertEqual((notes, "" if odd else outcome.err), ([], ""))
                self.assertGreater(len(check["title"]), 3)

    def test_shipped_scenes_with_a_solve_are_solved(self):
        solved = [name for name, text in shipped().items() if '"solve"' in text]
        self.assertGreater(len(solved), 2)
        for name in some(solved):
            with self.subTest(scene=name):
                outcome = self.good("solve", name, "--points", "3", "--no-recording", "--json")
                branch = json.loads(outcome.out)["branch"]
                self.assertEqual((branch["points"], branch["not_converged"]), (3, 0))

    def test_shipped_scenes_are_in_the_gallery(self):
        with open(os.path.join(DOCS, "gallery.md")) as file:
            gallery = file.read()
        for name in shipped():
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
        check = self.answer("check", "first.json")
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
