"""Figures in the documents, and the commands that measure them.

A comment after a figure says how it is measured anew:

    <!-- measured by `cordage run swing`:
    5.27 N = max of hook
    0.00088 % = /unaccounted is +(\\S+) %/
    -->

Each line is a piece of text that stands above the comment in the same section, and how to measure its first number: a regular
expression whose group is a number in what the command prints, in what `cordage info` prints of its recording or in the tables of
an experiment, or the max, min, mean, last value or time of the max of a probe (of the length of a vector, where no column is named). A factor
may go before it: `61 mm = 1000 * last of tip.x`. The figure must be right to its last digit.

    <!-- printed by `cordage solve column`, but for /cpu time.*/ -->

says that the lines of code above it are lines of what the command prints, once what matches the expression is cut out of both.
A command may run a scene that is a block of JSON in the same section, or be the path of an example. Times are not measured.
"""

import csv
import glob
import math
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DOCUMENTS = sorted(
    path
    for pattern in ("README.md", "docs/*.md", "docs/models/*.md", "examples/README.md")
    for path in glob.glob(os.path.join(ROOT, pattern))
)
COMMENT = re.compile(r"<!-- (measured|printed) by `([^`]*)`(.*?)-->", re.DOTALL)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


class Comment:
    """One of them: where it is, the words of its command, what it says, and the text above it in its section."""

    def __init__(self, path, text, found):
        line = text.count("\n", 0, found.start()) + 1
        self.place = f"{os.path.relpath(path, ROOT)}:{line}"
        self.kind, self.command, self.says = found.groups()
        start = max(text.rfind("\n#", 0, found.start()), 0)
        self.above = text[start : found.start()]

    def scene(self):
        """The text of the last block of JSON above it."""
        return re.findall(r"```jsonc?\n(.*?)```", self.above, re.DOTALL)[-1]

    def figures(self):
        """A list of (text, how)."""
        lines = [line.strip() for line in self.says.lstrip(":").strip().splitlines()]
        return [tuple(line.split(" = ", 1)) for line in lines]

    def block(self):
        """The lines of the last block of code above it, with empty ones in it, but without commands."""
        found = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", self.above, re.MULTILINE)[-1]
        return [line for line in found.splitlines() if not line.startswith("    cordage ")]

    def cut(self, text):
        """The lines of the text, without what the comment leaves out and without their spaces."""
        left_out = re.search(r"but for /(.*)/", self.says)
        kept = re.sub(left_out.group(1), "", text) if left_out else text
        return [" ".join(line.split()) for line in kept.splitlines()]


def comments():
    for path in DOCUMENTS:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for found in COMMENT.finditer(text):
            yield Comment(path, text, found)


def half_a_digit(number):
    """Half a unit of the last digit of a number as it is written."""
    mantissa, _, power = number.partition("e")
    return 0.5 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))


def of_probe(table, what, name):
    """A figure of a probe, from a table of comma-separated values."""
    rows = list(csv.DictReader(table.splitlines()))
    columns = [column for column in rows[0] if column == name or column.startswith(name + ".")]
    times = [float(row["time"]) for row in rows]
    values = [[float(row[column]) for column in columns] for row in rows]
    sizes = [row[0] if "." in name else math.hypot(*row) for row in values]
    if what == "mean":
        spans = [b - a for a, b in zip(times, times[1:])]
        return sum(size * span for size, span in zip(sizes[1:], spans)) / sum(spans)
    return {"max": max(sizes), "min": min(sizes), "last": sizes[-1], "time of the max": times[sizes.index(max(sizes))]}[what]


def measure(how, printed, probes):
    """`printed`: all text to search; `probes`: a call that gives the table of probes."""
    factor, how = re.fullmatch(r"(?:(\S+) \* )?(.*)", how).groups()
    if how.startswith("/"):
        found = re.search(how[1:-1], printed, re.MULTILINE)
        if not found:
            raise AssertionError(f"nothing printed matches {how}")
        value = float(found.group(1).replace("\u202f", "").replace(" ", ""))
    else:
        value = of_probe(probes(), *re.fullmatch(r"(.*) of (.*)", how).groups())
    return float(factor or 1) * value


def check(test, comment, printed, probes=None):
    """Makes a subtest of every figure of the comment, or of its lines of code."""
    if comment.kind == "printed":
        with test.subTest(place=comment.place):
            lines, said = comment.cut("\n".join(comment.block())), comment.cut(printed)
            test.assertEqual([line for line in lines if line not in said], [])
        return
    for text, how in comment.figures():
        with test.subTest(place=comment.place, figure=text, how=how):
            test.assertIn(text, comment.above)
            number = NUMBER.search(text).group()
            value = measure(how, printed, probes)
            test.assertLessEqual(abs(float(number) - value), 1.001 * half_a_digit(number), f"it is {value:.10g}")
