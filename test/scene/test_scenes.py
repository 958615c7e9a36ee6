"""cordage scenes and cordage new: what ships is found, is in order, and runs."""

import json
import os
import unittest

from program import ROPE, SceneTest, needs

SHIPPED = ["cantilever", "catenary", "fringe", "ring_drop", "swing", "twist_buckle", "whip"]


class Scenes(SceneTest):
    def test_the_list(self):
        lines = self.good("scenes").out.splitlines()
        named = {line.split()[0]: line for line in lines if not line.startswith(" ")}
        for name in SHIPPED:
            self.assertIn(name, named)
            self.assertGreater(len(named[name].split(None, 1)[1]), 5)  # a title
        # One line of description under each.
        self.assertEqual(sum(1 for line in lines if line.startswith(" ")), len(named))

    def test_where(self):
        directory = self.good("scenes", "--where").out.strip()
        for name in SHIPPED:
            self.assertTrue(os.path.exists(os.path.join(directory, name + ".json")))

    def test_shipped_scenes_have_no_errors_and_no_warnings(self):
        for name in SHIPPED:
            outcome = self.good("check", "--json", name)
            check = json.loads(outcome.out)
            self.assertEqual((name, check["notes"], outcome.err), (name, [], ""))
            self.assertGreater(len(check["title"]), 5)

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
