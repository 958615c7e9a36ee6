"""Input nobody should give: a clear error and status 2, never a crash or a hang."""

import os
import random
import unittest

from program import ROPE, SceneTest, needs

NETWORK = '"network": { "nodes": [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "edges": [[0, 1], [1, 2]] }'
FRAME = """{
  "cordage": 1,
  "rods": [{ "name": "frame", "model": "modal", "modal": { "modes": 4 }, "material": "steel",
             "section": { "disc": { "radius": 0.01 } }, "shape": { %s } }],
  "clamps": [{ "at": { "node": 0 }, "fix": "frame" }]
}
""" % NETWORK

SCENES = {
    "empty": "",
    "blank": "  \n\n",
    "null": "null",
    "list": "[]",
    "word": "hello",
    "nothing in it": "{}",
    "half": ROPE[: len(ROPE) // 2],
    "no rods": '{ "cordage": 1, "rods": [] }',
    "deep list": "[" * 100_000,
    "deep object": '{"a":' * 100_000,
    "open comment": "/* " + ROPE,
    "open string": '{ "cordage": 1, "title": "never ends',
    "number overflow": ROPE.replace("1e6", "1e400"),
    "not a number": ROPE.replace("1e6", "NaN"),
    "minus infinity": ROPE.replace("1e6", "-Infinity"),
    "negative radius": ROPE.replace("0.01", "-0.01"),
    "no radius": ROPE.replace("0.01", "0"),
    "no density": ROPE.replace("1000", "0"),
    "too many elements": ROPE.replace('"elements": 20', '"elements": 4000000000000'),
    "half an element": ROPE.replace('"elements": 20', '"elements": 0.5'),
    "no time": ROPE.replace('"end": 0.5', '"end": -1'),
    "no frames": ROPE.replace('"fps": 50', '"fps": 0'),
    "line of no length": ROPE.replace("[1, 0, 0]", "[0, 0, 0]"),
    "two of a key": ROPE.replace('"cordage": 1,', '"cordage": 1, "cordage": 1,'),
    "unknown rod": ROPE.replace('"clamps": [{ "rod": "rope"', '"clamps": [{ "rod": "rpe"'),
    "unknown material": ROPE.replace('"material": "soft"', '"material": "sotf"'),
    "unknown model": ROPE.replace('"model": "der"', '"model": "dre"'),
    "text for a number": ROPE.replace("0.01", '"thin"'),
    "number for text": ROPE.replace('"name": "rope"', '"name": 7'),
    "four coordinates": ROPE.replace("[1, 0, 0]", "[1, 0, 0, 0]"),
    "after the end": ROPE + "}",
    "later version": ROPE.replace('"cordage": 1', '"cordage": 2'),
    "bad utf-8": ROPE.encode().replace(b"test rope", b"test \xff\xfe rope"),
    "zero bytes": ROPE.encode().replace(b"test rope", b"te\0st"),
    "network of another model": ROPE.replace('"line": { "from": [0, 0, 0], "to": [1, 0, 0] }', NETWORK),
    "edge to nowhere": FRAME.replace("[1, 2]", "[1, 3]"),
    "edge to itself": FRAME.replace("[1, 2]", "[1, 1]"),
    "edge of no length": FRAME.replace("[1, 1, 0]", "[1, 0, 0]"),
    "edge twice": FRAME.replace("[1, 2]", "[1, 0]"),
    "node on no edge": FRAME.replace("[[0, 0, 0], ", "[[0, 0, 0], [9, 9, 9], "),
    "grid beyond all memory": FRAME.replace(NETWORK, '"grid": { "u": [1, 0, 0], "v": [0, 1, 0], "cells": [1000000, 1000000] }'),
    "tree beyond all memory": FRAME.replace(NETWORK, '"tree": { "base": [0, 0, 0], "tip": [0, 0, 1], "levels": 100, "branches": 1000 }'),
    "mesh that is not there": FRAME.replace(NETWORK, '"mesh": { "file": "none.ply" }'),
    "empty box": FRAME.replace('{ "node": 0 }', '{ "box": { "low": [5, 5, 5], "high": [6, 6, 6] } }'),
    "start of a network": FRAME.replace('{ "node": 0 }', '"start"'),
    "freedom of no axis": FRAME.replace('"frame"', '{ "freedoms": ["w"] }'),
    "no modes": FRAME.replace('"modes": 4', '"modes": 0'),
    "junk": bytes(random.Random(7).randrange(256) for _ in range(4096)),
}


class HostileScenes(SceneTest):
    def test_every_command_that_takes_a_scene(self):
        for name, text in SCENES.items():
            path = self.write("bad.json", text)
            for command in (["check"], ["run", "-o", "bad.h5"], ["info"], ["export", "-o", "bad.csv"]):
                with self.subTest(scene=name, command=command[0]):
                    outcome = self.wrong(*command, path)
                    self.assertIn("bad.json", outcome.err)
            self.assertEqual(os.listdir(self.dir), ["bad.json"], name)

    def test_settings(self):
        path = self.write("rope.json", ROPE)
        for setting in (
            "",
            "=",
            "time",
            "time.end",
            "time.end=",
            "time.end=soon",
            "time.end=1e400",
            "time.end=[",
            "time..end=1",
            ".time.end=1",
            "time.end.x=1",
            "rods[=1",
            "rods[]=1",
            "rods[-1].elements=3",
            "rods[99999999999999999999].elements=3",
            "rods[0][0][0]=1",
            "rods[*]=1",
            "[0]=1",
            "x" * 100_000 + "=1",
            "time.end=" + "[" * 100_000,
            "time.end=\x01",
        ):
            with self.subTest(setting=setting[:40]):
                self.wrong("check", path, "--set", setting)

    def test_paths(self):
        for path in ("", ".", "/", "no/such/file.json", "x" * 5000, "/dev/null", "a\nb"):
            with self.subTest(path=path[:20]):
                for command in (["check"], ["run"], ["info"], ["export", "-o", "x.csv"], ["run", "--resume"]):
                    self.wrong(*command, path)
        self.assertEqual(os.listdir(self.dir), [])


@needs("hdf5")
class HostileRecordings(SceneTest):
    def setUp(self):
        super().setUp()
        self.write("rope.json", ROPE)
        self.run_once("rope.json", "rope.h5", "--until", "0.1")
        self.bytes = self.read_bytes("rope.h5")

    def use(self, data):
        """Whatever reads a recording must end with one of the three statuses; cordage() checks that."""
        self.write("hurt.h5", data)
        env = {"ASAN_OPTIONS": "detect_leaks=0"}  # HDF5 leaks some of its own memory where it meets damage
        for command in (["info"], ["export", "-o", "x.csv"], ["run", "--resume"]):
            self.cordage(*command, "hurt.h5", env=env)

    def test_cut_short(self):
        draw = random.Random(3)
        lengths = [0, 1, 8, 100, 512, len(self.bytes) // 2, len(self.bytes) - 1]
        for length in lengths + [draw.randrange(len(self.bytes)) for _ in range(8)]:
            with self.subTest(length=length):
                self.use(self.bytes[:length])

    def test_bytes_changed(self):
        draw = random.Random(4)
        for _ in range(24):
            data = bytearray(self.bytes)
            for _ in range(draw.choice((1, 4, 64))):
                data[draw.randrange(len(data))] = draw.randrange(256)
            self.use(bytes(data))

    def test_another_hdf5_file(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("needs h5py")
        with h5py.File(self.path("other.h5"), "w") as file:
            file["data"] = [1, 2, 3]
        self.wrong("info", "other.h5")
        self.wrong("run", "--resume", "other.h5")
        self.wrong("run", "rope.json", "-o", "other.h5")


if __name__ == "__main__":
    unittest.main()
