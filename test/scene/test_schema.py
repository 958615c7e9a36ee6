"""cordage schema, and docs/scene.md, whose tables must have the keys, units and defaults that the schema has.

A table of docs/scene.md is that of the object named in the comment above it: <!-- keys of rod -->. An object may have several
tables; all keys of one without a table must be in one chapter.
"""

import json
import os
import re
import unittest

from program import SceneTest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
POWERS = str.maketrans({"²": "^2", "³": "^3", "⁴": "^4"})


def read(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read()


def plain(cell):
    """Without links and marks of code."""
    return re.sub(r"\[([^\]]*)\]\(#?[^)]*\)", r"\1", cell).replace("`", "").strip()


def tables(text):
    """Rows of each object's tables: {object: {key: (what, default)}}; default is None where there is no such column."""
    found = {}
    for name, table in re.findall(r"<!-- keys of (\w+) -->\n((?:\|.*\n)+)", text):
        head, _, *rows = [[cell.strip() for cell in row.strip()[1:-1].split("|")] for row in table.splitlines()]
        for row in rows:
            default = row[2] if "default" in head[2:] else None
            for key in re.findall(r"`([^`]+)`", row[0]):
                found.setdefault(name, {})[key] = (row[1], default)
    return found


def references(node):
    return re.findall(r'"#/\$defs/(\w+)"', json.dumps(node))


class Schema(SceneTest):
    def setUp(self):
        super().setUp()
        self.objects = json.loads(self.good("schema").out)["$defs"]
        self.text = read("docs/scene.md")
        self.tables = tables(self.text)

    def test_the_shipped_schema_is_what_the_program_prints(self):
        self.assertEqual(self.good("schema").out, read("scenes/scene.schema.json"), "cordage schema > scenes/scene.schema.json")

    def test_every_reference_is_there(self):
        for name in references(self.objects):
            self.assertIn(name, self.objects)

    def test_the_documentation_has_the_same_keys(self):
        self.assertGreater(len(self.tables), 20)
        for name, rows in self.tables.items():
            self.assertEqual(sorted(rows), sorted(self.objects[name]["properties"]), "docs/scene.md, keys of " + name)

    def test_one_chapter_has_all_keys_of_an_object_without_a_table(self):
        chapters = re.split(r"^(?=## )", self.text, flags=re.MULTILINE)
        for name, thing in self.objects.items():
            keys = [re.compile("[`\"]%s[`\"]" % re.escape(key)) for key in thing["properties"]]
            complete = any(all(key.search(chapter) for key in keys) for chapter in chapters)
            self.assertTrue(complete or name in self.tables, "no chapter of docs/scene.md has all keys of " + name)

    def test_the_documentation_has_all_words(self):
        text = self.text + read("docs/materials.md")
        for words in re.findall(r'"enum": \[([^]]*)\]', json.dumps(self.objects)):
            for word in re.findall(r'"(\w+)"', words):
                self.assertRegex(text, "[`\"]%s[`\"]" % word)

    def each_row(self):
        for name, rows in self.tables.items():
            for key, (what, default) in rows.items():
                yield "docs/scene.md, %s.%s" % (name, key), self.objects[name], key, what, default

    def test_the_documentation_has_the_same_units(self):
        for where, thing, key, what, _ in self.each_row():
            unit = re.search(r"(?<!or) (\[[^],]+\])", thing["properties"][key]["description"])
            if unit:
                self.assertIn(unit.group(1), what.translate(POWERS), where)

    def test_the_documentation_has_the_same_defaults(self):
        for where, thing, key, _, default in self.each_row():
            if default is None:
                continue
            value = thing["properties"][key]
            said = re.search(r".*(?:Default:|It is(?= needed)) (.*?)\.?$", value["description"])
            if key in thing.get("required", []):
                self.assertTrue(default.startswith("needed"), where)
            elif "default" in value:
                self.assertEqual(json.loads(plain(default)), value["default"], where)
            elif said:
                self.assertEqual(plain(default).rstrip("."), said.group(1).rstrip("."), where)
            elif "$ref" not in value and {"required": [key]} not in thing.get("oneOf", []):
                self.assertEqual(plain(default), "none", where)


if __name__ == "__main__":
    unittest.main()
