"""A run that is stopped and resumed ends in the same bits as one that never was."""

import os
import random
import signal
import time
import unittest

from program import ROPE, SceneTest, needs, obey_permissions


# The same rope with a ball at its end, and another one that flies by itself.
BODIES = ROPE.replace(
    '"clamps"',
    """"bodies": [
    { "name": "bob", "shape": { "sphere": { "radius": 0.05 } }, "mass": 0.2, "position": [1, 0, 0] },
    { "name": "stray", "shape": { "box": { "size": [0.1, 0.2, 0.3] } }, "mass": 0.1, "position": [0, 1, 0],
      "velocity": [0, 1, 3], "spin": [1, 20, 0.1] }
  ],
  "welds": [{ "rod": "rope", "at": "end", "body": "bob" }],
  "clamps\"""",
)


@needs("hdf5")
class Resume(SceneTest):
    def setUp(self):
        super().setUp()
        self.write("rope.json", ROPE)
        # A thousand frames, so that it can be stopped in the middle: a second or so.
        self.settings = ["--set", "time.end=2", "--set", "time.fps=500", "--set", "rods[0].elements=60"]
        self.whole = self.run_once("rope.json", "whole.h5", *self.settings)

    def assert_same_recordings(self, *kinds):
        for kind in ("nodes", "probes", "forces", "moments", *kinds):
            export = ["--to", "csv", "--what", kind, "-o", "-"]
            whole, part = (self.good("export", name, *export).out for name in ("whole.h5", "part.h5"))
            self.assertTrue(whole == part, "the recordings differ")

    def stop(self, arguments, number, wait):
        """Starts a run, sends it a signal a while after its recording appears, returns its exit status."""
        process = self.start(*arguments)
        while not os.path.exists(self.path("part.h5")) and process.poll() is None:
            time.sleep(0.001)
        time.sleep(wait)
        process.send_signal(number)
        self.said = process.communicate(timeout=240)[1].decode()
        return process.returncode

    def test_killed_at_random_moments(self):
        draw = random.Random(1)
        kills = 0
        arguments = ["run", "rope.json", "-o", "part.h5", *self.settings]
        for _ in range(12):
            if self.stop(arguments, signal.SIGKILL, draw.uniform(0.0, 0.3)) != -signal.SIGKILL:
                break
            kills += 1
            if self.info("part.h5")["complete"]:  # killed between its last frame and its exit
                break
            arguments = ["run", "--resume", "part.h5"]
        self.assertGreater(kills, 0)
        outcome = self.good("run", "--resume", "part.h5")
        if "complete up to" not in outcome.err:
            self.assertEqual(outcome.state, self.whole.state)
        self.assertTrue(self.info("part.h5")["complete"])
        self.assert_same_recordings()

    def test_killed_at_20_random_moments_with_bodies(self):
        self.write("bodies.json", BODIES)
        whole = self.good("run", "bodies.json", "-o", "whole.h5", "--force", *self.settings)
        draw = random.Random(2)
        kills = 0
        while kills < 20:
            if os.path.exists(self.path("part.h5")):
                os.remove(self.path("part.h5"))
            arguments = ["run", "bodies.json", "-o", "part.h5", *self.settings]
            while kills < 20 and self.stop(arguments, signal.SIGKILL, draw.uniform(0.0, 0.2)) == -signal.SIGKILL:
                kills += 1
                if os.path.exists(self.path("part.h5")):
                    arguments = ["run", "--resume", "part.h5"]
            outcome = self.good(*arguments)
            if "complete up to" not in outcome.err:
                self.assertEqual(outcome.state, whole.state)
        self.assert_same_recordings("bodies")

    def interrupt(self, number):
        """Interrupts a run on its way; one that was over by then is tried again, and given less time."""
        for wait in (0.1, 0.05, 0.02, 0.01, 0.0):
            if os.path.exists(self.path("part.h5")):
                os.remove(self.path("part.h5"))
            status = self.stop(["run", "rope.json", "-o", "part.h5", *self.settings], number, wait)
            if status != 0:
                return status
        self.fail("the run is over before it can be interrupted")

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.assertEqual(self.interrupt(number), 1, self.said)
            self.assertIn("cordage run --resume part.h5", self.said)
            self.assertRegex(self.said, r"(?m)^stopped: t = ")
            outcome = self.good("run", "--resume", "part.h5")
            self.assertEqual(outcome.state, self.whole.state)
            self.assert_same_recordings()

    def test_interrupted_in_the_middle_of_a_long_frame(self):
        # One frame of some seconds: on most machines the run stops within it and begins it anew.
        slow = ["--set", "time.end=2", "--set", "time.fps=0.1", "--set", "rods[0].elements=200"]
        whole = self.good("run", "rope.json", "-o", "whole.h5", *slow)
        status = self.stop(["run", "rope.json", "-o", "part.h5", *slow], signal.SIGINT, 0.05)
        self.assertIn(status, (0, 1))
        self.assertEqual(self.info("part.h5")["frames"], 1 if status == 1 else 2)
        resumed = self.good("run", "--resume", "part.h5")
        if status == 1:
            self.assertEqual(resumed.state, whole.state)
        self.assert_same_recordings()

    def test_further_than_the_scene_says(self):
        # The first end lies between two frames; the steps from there on must be those of the long run.
        short = ["--set", "time.fps=100"]
        self.good("run", "rope.json", "-o", "whole.h5", *short, "--until", "0.3")
        self.good("run", "rope.json", "-o", "part.h5", *short, "--until", "0.1234")
        self.assertAlmostEqual(self.info("part.h5")["last_time"], 0.1234, delta=1e-12)
        self.good("run", "--resume", "part.h5", "--until", "0.3")
        self.assert_same_recordings()

    def test_what_is_complete_is_left_as_it_is(self):
        before = self.read_bytes("whole.h5")
        outcome = self.good("run", "--resume", "whole.h5")
        self.assertIn("complete up to", outcome.err)
        self.assertTrue(self.read_bytes("whole.h5") == before, "the file was changed")

    def test_a_time_that_is_reached_already(self):
        outcome = self.good("run", "--resume", "whole.h5", "--until", "0.01")
        self.assertIn("already; to go further give a later --until", outcome.err)

    def test_a_branch_is_not_resumed(self):
        self.good("solve", "rope.json", "-o", "branch.h5", "-q")
        for more in ([], ["--until", "9"]):
            self.assertIn("a branch of equilibria is followed in one go", self.wrong("run", "--resume", "branch.h5", *more).err)

    def test_what_may_not_be_written_is_a_wrong_input(self):
        self.good("run", "rope.json", "-o", "locked.h5", "--until", "0.02")
        before = self.read_bytes("locked.h5")
        os.chmod(self.path("locked.h5"), 0o444)
        outcome = self.wrong("run", "--resume", "locked.h5", "--until", "0.04", preexec_fn=obey_permissions)
        self.assertIn("locked.h5 cannot be written: Permission denied; to go on, copy it", outcome.err)
        self.assertTrue(self.read_bytes("locked.h5") == before, "the file was changed")

    def test_resume_takes_no_other_settings(self):
        for extra in ("rope.json", "-ox.h5", "--set=time.fps=3", "--model=der", "--step=1e-3"):
            self.wrong("run", "--resume", "whole.h5", extra)
        self.wrong("run", "--resume", "missing.h5")
        self.wrong("run", "--resume", "rope.json")


if __name__ == "__main__":
    unittest.main()
