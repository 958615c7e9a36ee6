"""The program under test, seen from outside: run it, read what it says and writes."""

import csv
import ctypes
import functools
import glob
import json
import os
import re
import signal
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["CORDAGE"]
SANITIZED = bool(os.environ.get("CORDAGE_SANITIZED"))
os.environ["CORDAGE_CACHE"] = ""  # modes are found anew: those that another build has kept would hide what this one does

# A rope of 20 elements held at one end, let go from the horizontal; quick to run, with one probe of each end.
ROPE = """{
  "cordage": 1,
  "title": "test rope",
  "gravity": [0, 0, -9.81],
  "time": { "step": "auto", "end": 0.5, "fps": 50 },
  "materials": { "soft": { "young": 1e6, "poisson": 0.5, "density": 1000 } },
  "rods": [{
    "name": "rope", "model": "der", "material": "soft",
    "section": { "disc": { "radius": 0.01 } },
    "shape": { "line": { "from": [0, 0, 0], "to": [1, 0, 0] } },
    "elements": 20
  }],
  "clamps": [{ "rod": "rope", "at": "start", "fix": "position" }],
  "probes": [
    { "name": "tip", "rod": "rope", "at": "end", "measure": "position" },
    { "name": "pull", "rod": "rope", "at": "start", "measure": "force" }
  ]
}
"""


class Outcome:
    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err

    @property
    def state(self):
        """The hash of the final state, from the closing line."""
        found = re.search(r"state ([0-9a-f]{16})$", self.err, re.MULTILINE)
        assert found, "no state in: " + self.err
        return found.group(1)


def prepare(**extra):
    return dict(
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **extra,
    )


@functools.lru_cache(maxsize=None)
def shipped():
    """The text of every shipped scene, by its name."""
    folder = subprocess.run([PROGRAM, "scenes", "--where"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    texts = {}
    for path in glob.glob(os.path.join(folder, "**", "*.json"), recursive=True):
        name = os.path.relpath(path, folder)[: -len(".json")]
        if name != "scene.schema":
            with open(path) as file:
                texts[name] = file.read()
    return texts


def obey_permissions():
    """Root may read and write anywhere; the test is about those who may not. As another user the program might be out of reach."""
    drop_from_bounding_set = 24  # PR_CAPBSET_DROP
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        if os.geteuid() == 0 and ctypes.CDLL(None).prctl(drop_from_bounding_set, capability, 0, 0, 0) != 0:
            raise OSError("root could not give up its right to read and write anywhere")


def is_slow(name):
    """Whether the sanitizers take minutes for the modes of this scene."""
    return name == "modal/fig7" and SANITIZED


def tuft(name):
    """Options that leave 200 strands of a scene with hair."""
    return ["--set", "rods[0].strands.count=200"] if '"strands"' in shipped()[name] else []


class SceneTest(unittest.TestCase):
    """A test in a directory of its own."""

    files = {}  # what is in the directory at first: texts, by their names
    recordings = {}  # what run_once has made, by the scene's text and the options

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="cordage-")
        self.addCleanup(holder.cleanup)
        self.dir = holder.name
        for name, text in self.files.items():
            self.write(name, text)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        path = self.path(name)
        mode = "wb" if isinstance(text, bytes) else "w"
        with open(path, mode) as file:
            file.write(text)
        return path

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def read_bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def cordage(self, *arguments, env=None, timeout=240, **extra):
        """Runs the program to its end. No input may crash or hang it, so that is checked everywhere."""
        environment = dict(os.environ, **(env or {}))
        done = subprocess.run(
            [PROGRAM, *arguments], cwd=self.dir, env=environment, timeout=timeout, **prepare(**extra)
        )
        out, err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
        outcome = Outcome(done.returncode, out, err)
        self.assertGreaterEqual(outcome.status, 0, "killed by a signal: " + outcome.err)
        self.assertIn(outcome.status, (0, 1, 2), outcome.err)
        self.assertNotIn("Sanitizer", outcome.err)
        self.assertNotIn("runtime error", outcome.err)
        return outcome

    def start(self, *arguments):
        """Starts the program and leaves it running."""
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.dir, **prepare())
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()

    def good(self, *arguments, **extra):
        outcome = self.cordage(*arguments, **extra)
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def run_once(self, scene, recording, *options):
        """As good("run", ...); what another test of this file has recorded in that way is copied."""
        key = (self.read(scene), options)
        if key not in self.recordings:
            outcome = self.good("run", scene, "-o", recording, *options)
            self.recordings[key] = (outcome, self.read_bytes(recording))
        outcome, data = self.recordings[key]
        self.write(recording, data)
        return outcome

    def wrong(self, *arguments, **extra):
        """The user's mistake: status 2, something said, nothing on standard output."""
        outcome = self.cordage(*arguments, **extra)
        self.assertEqual(outcome.status, 2, outcome.out + outcome.err)
        self.assertTrue(outcome.err.strip())
        self.assertEqual(outcome.out, "")
        return outcome

    def answer(self, *arguments):
        """What a command tells as JSON."""
        return json.loads(self.good(*arguments, "--json").out)

    def info(self, *arguments):
        return self.answer("info", *arguments)

    def table(self, recording, what="nodes", *options):
        """The rows of an exported table, by the names of their columns."""
        text = self.good("export", recording, "--to", "csv", "--what", what, *options, "-o", "-").out
        return list(csv.DictReader(text.splitlines()))


@functools.lru_cache(maxsize=None)
def features():
    """What the build can do, as a set of words."""
    text = subprocess.run([PROGRAM, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
    return set(re.search(r"^features +(.*)$", text, re.MULTILINE).group(1).split())


def needs(*wanted):
    missing = set(wanted) - features()
    return unittest.skipIf(missing, "built without " + ", ".join(sorted(missing)))
