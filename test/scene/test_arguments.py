"""The command line: help, mistakes, exit status."""

import os
import random
import re
import subprocess
import unittest

from program import PROGRAM, ROPE, SceneTest

COMMANDS = ["run", "compare", "check", "info", "export", "render", "view", "bench", "reproduce", "scenes", "new"]


class Arguments(SceneTest):
    def test_nothing_at_all_is_a_mistake_and_shows_the_usage(self):
        outcome = self.wrong()
        self.assertIn("usage: cordage COMMAND", outcome.err)

    def test_help_lists_every_command(self):
        for spelling in (["--help"], ["-h"], ["help"]):
            outcome = self.good(*spelling)
            for command in COMMANDS:
                self.assertRegex(outcome.out, r"(?m)^  %s\b" % command)

    def test_every_command_has_help(self):
        for command in COMMANDS:
            for spelling in ([command, "--help"], ["help", command]):
                outcome = self.good(*spelling)
                self.assertIn("usage: cordage " + command, outcome.out)
                self.assertIn("example", outcome.out)
                self.assertEqual(outcome.err, "")

    def test_version_says_what_is_in(self):
        lines = self.good("--version").out.splitlines()
        self.assertRegex(lines[0], r"^cordage \d+\.\d+\.\d+$")
        self.assertEqual([line.split()[0] for line in lines[1:]], ["compiler", "simd", "threads", "features"])

    def test_misspelt_command(self):
        self.assertIn('did you mean "render"?', self.wrong("rendr").err)
        self.assertIn("lists them", self.wrong("xyzzyxyzzy").err)

    def test_misspelt_option(self):
        self.write("rope.json", ROPE)
        self.assertIn("did you mean --until?", self.wrong("run", "rope.json", "--untill", "1").err)
        self.assertIn("did you mean --until?", self.wrong("run", "rope.json", "--untill=1").err)
        self.assertIn("did you mean --threads?", self.wrong("run", "rope.json", "--thread", "2").err)
        self.assertIn("--help", self.wrong("run", "rope.json", "--xyzzyxyzzy").err)

    def test_values_of_options(self):
        self.write("rope.json", ROPE)
        self.assertIn("needs a value", self.wrong("run", "rope.json", "--until").err)
        self.assertIn("takes a number", self.wrong("run", "rope.json", "--until", "soon").err)
        self.assertIn("takes a number", self.wrong("run", "rope.json", "--until", "nan").err)
        self.assertIn("takes a whole number", self.wrong("run", "rope.json", "--threads", "2.5").err)
        self.assertIn("takes no value", self.wrong("run", "rope.json", "--quiet=yes").err)

    def test_operands(self):
        self.write("rope.json", ROPE)
        self.assertIn("needs a scene", self.wrong("run").err)
        self.assertIn("usage is", self.wrong("info").err)
        self.assertIn("does not know what to do with", self.wrong("check", "rope.json", "other.json").err)

    def test_two_dashes_end_the_options(self):
        self.write("--rope.json", ROPE)
        self.wrong("check", "--rope.json")
        self.assertIn("no errors", self.good("check", "--", "--rope.json").out)

    def test_values_may_be_joined_by_equals_or_come_next(self):
        self.write("rope.json", ROPE)
        joined = self.good("run", "rope.json", "--no-recording", "--until=0.04")
        apart = self.good("run", "rope.json", "--no-recording", "--until", "0.04")
        self.assertEqual(joined.state, apart.state)
        for spelling in (["-o", "x.csv"], ["-ox.csv"], ["--output=x.csv"], ["--output", "x.csv"]):
            self.good("export", "rope.json", *spelling)
            os.remove(self.path("x.csv"))

    def test_missing_file_names_it_and_the_nearest_shipped_scene(self):
        for command in ("run", "check", "info"):
            self.assertIn('"nothing_here.json"', self.wrong(command, "nothing_here.json").err)
            self.assertIn('did you mean "swing"?', self.wrong(command, "swnig").err)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_standard_output_that_is_full_is_a_failure(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output", done.stderr)


    def test_random_command_lines_are_good_or_a_mistake(self):
        """The same on every run: options of the command with values of any kind, some of them misspelt."""
        self.write("rope.json", ROPE)
        draw = random.Random(21)
        values = ["1", "0", "-1", "1e308", "nan", "inf", "", "a", "1,2,3", "0:1", "64x48", "rods[0].elements=3", "rods[*].=", "=",
                  "[", "rods[9999999999].x=1", "time={", "\xff", "%s%n", "--", "-", "der", "auto", "rope.json", "x" * 5000]
        commands = ["check", "info", "export", "modes", "solve", "scenes", "schema", "new", "run"]
        options = {name: sorted(set(re.findall(r"--[a-z][a-z-]*", self.good(name, "--help").out))) for name in commands}
        seen = set()
        for _ in range(150):
            command = draw.choice(commands)
            words = [command] if draw.random() < 0.95 else []
            words += ["rope.json"] if draw.random() < 0.8 else []
            for _ in range(draw.randrange(4)):
                option = draw.choice(options[command])
                option = option[:-1] if draw.random() < 0.1 else option
                joined = draw.random() < 0.5
                words += [option + "=" + draw.choice(values)] if joined else [option, draw.choice(values)]
            words += ["--quiet", "--until", "0.01"] if command == "run" else []
            outcome = self.cordage(*words, timeout=60)
            self.assertIn(outcome.status, (0, 1, 2), words)
            self.assertTrue(outcome.status == 0 or outcome.err.strip() or outcome.out.strip(), words)
            self.assertNotRegex(outcome.err, "Sanitizer|runtime error|Assertion", words)
            seen.add(outcome.status)
        self.assertTrue({0, 2} <= seen)


if __name__ == "__main__":
    unittest.main()
