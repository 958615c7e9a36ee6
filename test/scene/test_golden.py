"""The final state of every shipped scene, bit for bit, in every build and on every machine.

golden.txt has one line for each: the scene and the hash of its final state. A change to one is a change in
results, and the CHANGELOG says why. `python3 test_golden.py --print` prints the lines as they are now.
"""

import os
import sys
import unittest

from program import SceneTest

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.txt")


def golden():
    with open(GOLDEN) as file:
        return dict(line.split() for line in file if line.strip() and not line.startswith("#"))


class Golden(SceneTest):
    def state(self, name):
        return self.good("run", name, "--no-recording", timeout=1200).state

    def names(self):
        lines = self.good("scenes").out.splitlines()
        return [line.split()[0] for line in lines if not line.startswith(" ")]

    def test_every_shipped_scene_has_a_line(self):
        self.assertEqual(self.names(), list(golden()))

    def test_final_states(self):
        for name, wanted in golden().items():
            with self.subTest(scene=name):
                self.assertEqual(self.state(name), wanted)

    def test_many_rods_on_two_threads(self):
        # the only shipped scene with more than one rod: others would not use the second thread
        outcome = self.good("run", "fringe", "--no-recording", "--threads", "2", timeout=1200)
        self.assertEqual(outcome.state, golden()["fringe"])


class Print(Golden):
    def test_every_shipped_scene_has_a_line(self):
        pass

    def test_final_states(self):
        for name in self.names():
            print(name, self.state(name))


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        unittest.main(argv=["test_golden", "Print.test_final_states"])
    else:
        unittest.main(defaultTest="Golden")
