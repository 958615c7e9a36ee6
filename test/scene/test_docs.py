"""What the documents quote is what the program takes and gives: commands, their options, the files that they write and read, and figures.

figures.py says how a document names the command that measures a figure. Those of experiments are measured by test_reproduce.py.
"""

import functools
import os
import re
import shlex
import subprocess
import unittest

from figures import DOCUMENTS, ROOT, check, comments
from program import PROGRAM, SceneTest, needs, shipped

ENDINGS = {"run": ".h5", "solve": ".solve.h5"}


@functools.lru_cache(maxsize=None)
def help_of(command):
    outcome = subprocess.run([PROGRAM, command, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return outcome.stdout.decode() if outcome.returncode == 0 else None


def quoted(path):
    """The commands in a document, as lists of words, with their line: in blocks of code, and within sentences."""
    with open(path) as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        block = re.match(r"(?:    |\$ )\$? ?(cordage .*)", line) or re.match(r"(cordage .*)", line)
        for text in [block.group(1)] if block else re.findall(r"`(cordage [^`]*)`", line):
            for part in re.split(r"&&|\|", re.split(r"  +(?=[^ ])|\s#", text)[0]):
                try:
                    words = shlex.split(part)
                except ValueError:  # a quotation mark that ends on another line
                    continue
                if part == "cordage recording":  # the format of a recording
                    continue
                if words[:1] == ["cordage"] and len(words) > 1 and re.fullmatch("[a-z]+", words[1]):
                    yield number, words[1:], part


def written(words):
    """The recording that a command makes, or None."""
    for flag, value in zip(words, words[1:]):
        if flag in ("-o", "--output"):
            return value
    operands = [word for word in words[1:2] if not word.startswith("-")]
    if words[0] in ENDINGS and operands and "--no-recording" not in words:
        name = re.sub(r"\.json$", "", operands[0])
        name = name.replace("/", "_") if operands[0] in shipped() else os.path.basename(name)
        return name + ENDINGS[words[0]]
    return None


class Docs(SceneTest):
    def test_commands_and_options_exist(self):
        count = 0
        for path in DOCUMENTS:
            for number, words, text in quoted(path):
                with self.subTest(place=f"{os.path.relpath(path, ROOT)}:{number}", command=text):
                    usage = help_of(words[0])
                    self.assertTrue(usage, "no such command")
                    for word in words[1:]:
                        option = re.match(r"--[a-z][a-z-]*", word)
                        if option:
                            self.assertRegex(usage + " --help ", re.escape(option.group()) + r"[\s=,\]]")
                    count += 1
        self.assertGreater(count, 200)

    def test_the_gallery_reads_what_it_has_written(self):
        made, read = set(), 0
        for number, words, text in quoted(os.path.join(ROOT, "docs", "gallery.md")):
            with self.subTest(line=number, command=text):
                if words[0] in ("run", "solve", "check", "view", "modes", "compare"):
                    self.assertIn(words[1], shipped())
                elif words[0] in ("render", "info", "export"):
                    self.assertIn(words[1], made)
                    read += 1
                if written(words):
                    made.add(written(words))
        self.assertGreater(read, 40)

    def test_commands_of_one_line_read_what_it_has_written(self):
        joined = 0
        for path in DOCUMENTS:
            commands = list(quoted(path))
            for (number, first, _), (line, second, text) in zip(commands, commands[1:]):
                if line == number and written(first) and second[0] in ("render", "info", "export") and len(second) > 1:
                    with self.subTest(place=f"{os.path.relpath(path, ROOT)}:{number}", command=text):
                        self.assertEqual(second[1], written(first))
                        joined += 1
        self.assertGreater(joined, 0)

    def test_settings_of_the_gallery_fit_their_scenes(self):
        for number, words, text in quoted(os.path.join(ROOT, "docs", "gallery.md")):
            if "--set" in words and words[0] in ENDINGS:
                with self.subTest(line=number, command=text):
                    settings = [x for i, w in enumerate(words) if w == "--set" for x in words[i : i + 2]]
                    self.good("check", words[1], *settings)

    def outcome_of(self, comment):
        """What the command of a comment prints and `info` says of its recording, and the recording's name."""
        words = shlex.split(comment.command)
        if words[0] != "cordage":
            program = os.path.join(os.path.dirname(os.path.realpath(PROGRAM)), words[0])  # build/cordage is a link into the build
            return subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout.decode(), None
        if words[2] not in shipped():
            self.write(words[2], comment.scene())
        outcome, recording = self.good(*words[1:]), written(words[1:]) if words[1] in ENDINGS else None
        return outcome.out + outcome.err + (self.good("info", recording).out if recording else ""), recording

    @needs("hdf5")
    def test_figures(self):
        outcomes = {}
        for comment in comments():
            if comment.command.startswith("cordage reproduce "):
                continue
            if comment.command not in outcomes:
                outcomes[comment.command] = self.outcome_of(comment)
            printed, recording = outcomes[comment.command]
            check(self, comment, printed, lambda: self.good("export", recording, "--probes", "--to", "csv", "-o", "-").out)
        self.assertGreater(len(outcomes), 10)


if __name__ == "__main__":
    unittest.main()
