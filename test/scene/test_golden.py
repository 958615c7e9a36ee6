"""States that scenes lead to, bit for bit, in every build and on every machine.

golden.txt has a line for each: the scene, how far it goes, and the hash of the state there. Without a word in between
it is a run to its end; `until=T` is one that ends sooner, `strands=T` likewise with a tuft of 200 strands, and `points=N` the first N points of a solve, whose hash is that
of all positions. A change to one is a change in results, and the CHANGELOG says why. `python3 test_golden.py --print`
prints the lines as they are now.
"""

import hashlib
import os
import sys
import unittest

from program import SceneTest, features

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.txt")


def golden():
    """A list of (scene, how, state)."""
    with open(GOLDEN) as file:
        words = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [(line[0], " ".join(line[1:-1]), line[-1]) for line in words]


class Golden(SceneTest):
    def run_state(self, name, *options):
        return self.good("run", name, "--no-recording", *options, timeout=1200).state

    def solve_state(self, name, points):
        self.good("solve", name, "--points", points, "--no-plot", "-o", "branch.h5", "--quiet", timeout=1200)
        self.good("export", "branch.h5", "-o", "branch.csv")
        return hashlib.sha256(self.read("branch.csv").encode()).hexdigest()[:16]

    def state(self, name, how):
        key, _, value = how.partition("=")
        if key == "points":
            return self.solve_state(name, value)
        until = ["--until", value] if key in ("until", "strands") else []
        return self.run_state(name, *until, *(["--set", "rods[0].strands.count=200"] if key == "strands" else []))

    def lines(self):
        """Those that this build can do: a solve is read back from its recording; sanitizers take minutes for the modes of modal/fig7."""
        slow = ["modal/fig7"] if os.environ.get("CORDAGE_SANITIZED") else []
        return [line for line in golden() if line[0] not in slow and ("hdf5" in features() or not line[1].startswith("points"))]

    def test_every_shipped_scene_has_a_line(self):
        lines = self.good("scenes").out.splitlines()
        names = [line.split()[0] for line in lines if not line.startswith(" ")]
        self.assertEqual(sorted(names), sorted({name for name, _, _ in golden()}))

    def test_states(self):
        for name, how, wanted in self.lines():
            with self.subTest(scene=name, how=how):
                self.assertEqual(self.state(name, how), wanted)

    def test_many_rods_on_two_threads(self):
        # of the shipped scenes the one with the most rods: others would hardly use the second thread
        wanted = [state for name, how, state in golden() if (name, how) == ("fringe", "")]
        self.assertEqual([self.run_state("fringe", "--threads", "2")], wanted)


class Print(Golden):
    def test_states(self):
        for name, how, _ in golden():
            print(*filter(None, (name, how, self.state(name, how))))


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        unittest.main(argv=["test_golden", "Print.test_states"])
    else:
        unittest.main(defaultTest="Golden")
