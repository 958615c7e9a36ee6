"""One run of every shipped scene: it warns of nothing, nothing overlaps, and it leads to the state of golden.txt.

The state is the same bit for bit in every build and on every machine. golden.txt has a line for each: the scene, how far it
goes, and the hash of the state there. Without a word in between it is a run to its end; `until=T` ends sooner, `strands=T` also
has a tuft of 200 strands, and `points=N` is the first N points of a solve, whose hash is that of all positions. A change to one
is a change in results, and the CHANGELOG says why. `python3 test_golden.py --print` prints the lines as they are now.

Under sanitizers long runs are cut short, and lead to no state that could be compared.
"""

import hashlib
import os
import re
import sys
import unittest

from program import SANITIZED, SceneTest, features, is_slow, shipped, tuft

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.txt")
FAR = 0.05  # overlaps are looked for up to this time at the least [s]
SHORT = 0.1  # runs under sanitizers end by this time [s]


def golden():
    """A list of (scene, how, state)."""
    with open(GOLDEN) as file:
        words = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [(line[0], " ".join(line[1:-1]), line[-1]) for line in words]


def touches(name):
    return '"contact"' in shipped()[name] or '"obstacles"' in shipped()[name]


class Golden(SceneTest):
    def run_state(self, name, *options):
        """Runs it, and returns the hash of its state. What may touch something is recorded, in run.h5."""
        recorded = touches(name) and "hdf5" in features()
        outcome = self.good("run", name, *(["-o", "run.h5", "--force"] if recorded else ["--no-recording"]), *options, timeout=1200)
        fast = r"warning: the step of \S+ s is longer than the \S+ s that are accurate at t = "  # advice on what moves fast
        odd = r"warning: .* cannot be meant" if name.startswith("peers/") else fast  # their own values, on purpose
        self.assertNotIn("warning", re.sub(fast + "|" + odd, "", outcome.err))
        return outcome.state

    def solve_state(self, name, points):
        self.good("solve", name, "--points", points, "--no-plot", "-o", "branch.h5", "--force", "--quiet", timeout=1200)
        self.good("export", "branch.h5", "-o", "branch.csv")
        return hashlib.sha256(self.read("branch.csv").encode()).hexdigest()[:16]

    def state(self, name, how):
        key, _, value = how.partition("=")
        if key == "points":
            return self.solve_state(name, value)
        return self.run_state(name, *(["--until", value] if value else []), *tuft(name))

    def cut(self, how):
        """How far a line goes in this build."""
        key, _, value = how.partition("=")
        return f"until={SHORT}" if SANITIZED and key != "points" and float(value or "inf") > SHORT else how

    def lines(self):
        """The lines that this build can do: a solve is read back from its recording."""
        return [line for line in golden()
                if not is_slow(line[0]) and ("hdf5" in features() or not line[1].startswith("points"))]

    def check_overlap(self, name):
        """Returns whether anything touched in the frames of run.h5, or up to FAR, where that is later."""
        if not SANITIZED and self.info("run.h5")["last_time"] < FAR:
            self.good("run", "--resume", "run.h5", "--until", str(FAR))
        contacts = self.info("run.h5")["contacts"]
        if contacts["deepest"]:
            own = re.search(r'"contact".*"tolerance": ([0-9.e-]+)', shipped()[name])
            limit = 0.2 if '"modal"' in shipped()[name] else 1e-3  # springs push modal rods, which sink in before they turn back
            self.assertLess(contacts["deepest"]["of_radius"], float(own.group(1)) if own else limit)
        return contacts["most"] > 0

    def test_every_shipped_scene_has_a_line(self):
        self.assertEqual(sorted(shipped()), sorted({name for name, _, _ in golden()}))

    def test_states(self):
        touched = 0
        for name, how, wanted in self.lines():
            with self.subTest(scene=name, how=how):
                state = self.state(name, self.cut(how))
                self.assertTrue(state == wanted or how != self.cut(how), f"{state}, should be {wanted}")
                if os.path.exists(self.path("run.h5")):
                    touched += self.check_overlap(name)
                    os.remove(self.path("run.h5"))
        self.assertTrue(touched > 3 or "hdf5" not in features())

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
