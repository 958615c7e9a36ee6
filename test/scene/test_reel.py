"""Reels and pages: what export writes, and what info, export and render do with a reel."""

import base64
import os
import re
import struct
import unittest

from program import ROPE, SceneTest, needs

PLACE = '<script type="application/x-cordage-reel" id="reel">%s</script>'
PAGE = "<!doctype html>\n<html><head><title>Cordage</title></head><body>\n" + PLACE % "" + "\n<p>€</p></body></html>\n"

# A rope that lies on a mesh of the file corner.obj, with points of another.
NAMES_FILES = ROPE.replace(
    '"clamps"', '"obstacles": [{ "name": "wedge", "mesh": { "file": "meshes/corner.obj" } }], "clamps"'
).replace('"shape": { "line": { "from": [0, 0, 0], "to": [1, 0, 0] } }', '"shape": { "file": { "path": "points.csv" } }')
CORNER = "v 0 0 -1\nv 1 0 -1\nv 0 1 -1\nf 1 2 3\n"


def chunks(reel):
    """[(tag, payload)] of a reel, by the book: docs/reel.md."""
    assert reel[:16] == b"CORDREEL" + struct.pack("<II", 1, 0), reel[:16]
    found, at = [], 16
    while at < len(reel):
        tag, zero, size = struct.unpack_from("<4sIQ", reel, at)
        assert zero == 0
        found.append((tag.decode(), reel[at + 16 : at + 16 + size]))
        at += 16 + (size + 7) // 8 * 8
    assert at == len(reel)
    return found


def scene_of(payload):
    settings, files = struct.unpack_from("<II", payload)
    at, texts = 8, []
    for _ in range(2 + settings + 2 * files):
        (size,) = struct.unpack_from("<I", payload, at)
        texts.append(payload[at + 4 : at + 4 + size])
        at += 4 + (size + 3) // 4 * 4
    assert at == len(payload)
    named = texts[2 + settings :]
    return texts[0], texts[1], texts[2 : 2 + settings], dict(zip(named[::2], named[1::2]))


class Reel(SceneTest):
    def setUp(self):
        super().setUp()
        self.write("rope.json", ROPE)
        self.write("cordage.html", PAGE)
        self.page = {"CORDAGE_WEB": self.dir}

    def chunks(self, name):
        return chunks(self.read_bytes(name))

    def test_a_scene_is_written_to_be_run(self):
        self.good("export", "rope.json", "--to", "reel", "-o", "scene.reel", "--set", "rods[0].elements=7")
        ((tag, payload),) = self.chunks("scene.reel")
        self.assertEqual(tag, "SCEN")
        self.assertEqual(scene_of(payload), (b"rope.json", ROPE.encode(), [b"rods[0].elements=7"], {}))
        info = self.info("scene.reel")
        self.assertEqual((info["kind"], info["title"], info["elements"]), ("reel", "test rope", 7))
        self.good("export", "scene.reel", "-o", "start.csv")
        self.good("export", "scene.reel", "-o", "again.reel")
        self.assertEqual(self.chunks("again.reel"), self.chunks("scene.reel"))

    def test_the_files_that_a_scene_names_are_in_the_reel(self):
        os.mkdir(self.path("meshes"))
        self.write("meshes/corner.obj", CORNER)
        self.write("points.csv", "0,0,0\n0.5,0,0\n1,0,0\n")
        self.write("files.json", NAMES_FILES)
        self.good("export", "files.json", "-o", "files.reel")
        path, _, _, files = scene_of(self.chunks("files.reel")[0][1])
        self.assertEqual(path, b"files.json")
        self.assertEqual(files, {b"points.csv": b"0,0,0\n0.5,0,0\n1,0,0\n", b"meshes/corner.obj": CORNER.encode()})
        os.remove(self.path("meshes/corner.obj"))
        os.remove(self.path("points.csv"))
        self.assertEqual(self.info("files.reel")["obstacles"][0]["name"], "wedge")

    def test_a_reel_reads_no_file_of_this_machine(self):
        self.write("points.csv", "0,0,0\n0.5,0,0\n1,0,0\n")
        self.write("corner.obj", CORNER)
        self.write("files.json", NAMES_FILES.replace("meshes/corner.obj", "corner.obj"))
        self.good("export", "files.json", "-o", "files.reel")
        reel = self.read_bytes("files.reel")
        with open(self.path("files.reel"), "wb") as file:
            file.write(reel.replace(b"corner.obj\0\0", b"corner.ob_\0\0"))  # in the list of files alone
        self.assertIn("corner.obj", self.wrong("info", "files.reel").err)

    @needs("hdf5")
    def test_a_recording_is_written_frame_by_frame(self):
        self.good("run", "rope.json", "--until", "0.1")
        self.good("export", "rope.h5", "-o", "rope.reel")
        found = self.chunks("rope.reel")
        self.assertEqual([tag for tag, _ in found], ["SCEN", "LAYO"] + ["FRAM"] * 6)
        rods, nodes, edges = struct.unpack_from("<III", found[1][1])
        self.assertEqual((rods, nodes, edges), (1, 21, 20))
        self.good("export", "rope.h5", "-o", "rope.csv")
        with open(self.path("rope.csv")) as file:
            rows = [line.strip().split(",") for line in file][1:]
        for k, (_, payload) in enumerate(found[2:]):
            time, _, contacts = struct.unpack_from("<ddI", payload)
            twist, writhe = struct.unpack_from("<dd", payload, 24 + 40)
            self.assertEqual((time, contacts, twist, writhe), (float(rows[21 * k][0]), 0, 0.0, 0.0))
            x = struct.unpack_from("<63f", payload, 24 + 56)
            wanted = [float(v) for row in rows[21 * k : 21 * k + 21] for v in row[3:]]
            for got, number in zip(x, wanted):
                self.assertAlmostEqual(got, number, delta=abs(number) * 2**-24)  # half of a float's last digit
        self.good("export", "rope.h5", "-o", "part.reel", "--frames", "2:3")
        self.assertEqual(self.chunks("part.reel")[2:], found[4:6])
        self.good("export", "rope.reel", "-o", "again.reel")
        self.assertEqual(self.chunks("again.reel"), found)

    @needs("hdf5")
    def test_a_layout_is_written_again_when_it_changes(self):
        adaptive = ROPE.replace('"elements": 20', '"elements": 20, "adapt": { "refine_turn": 0.05, "merge_turn": 0.01 }')
        self.write("adaptive.json", adaptive)
        self.good("run", "adaptive.json")
        self.good("export", "adaptive.h5", "-o", "adaptive.reel")
        found = self.chunks("adaptive.reel")
        layouts = [payload for tag, payload in found if tag == "LAYO"]
        self.assertGreater(len(layouts), 1)
        self.assertEqual([a for a, b in zip(layouts, layouts[1:]) if a == b], [])
        count = {}
        for tag, payload in found[1:]:
            if tag == "LAYO":
                count = struct.unpack_from("<III", payload)
            else:
                self.assertEqual(len(payload), 24 + 56 + 12 * count[1] + 16 * count[2])
        self.assertEqual(self.info("adaptive.reel")["nodes"], self.info("adaptive.h5")["nodes"])

    @needs("hdf5")
    def test_what_a_reel_tells(self):
        self.good("run", "rope.json", "--until", "0.1")
        self.good("export", "rope.h5", "-o", "rope.reel")
        reel, recording = self.info("rope.reel"), self.info("rope.h5")
        for key in ("frames", "first_time", "last_time", "time", "steps", "nodes", "elements", "energy", "title"):
            self.assertEqual(reel[key], recording[key], key)
        self.assertEqual(reel["kind"], "reel")
        self.assertIsNone(reel["greatest_stretch"])
        self.assertIsNone(reel["momentum"])
        text = self.good("info", "rope.reel").out
        self.assertIn("rope.reel: a reel with its scene", text)
        self.assertNotIn("nan", text)

    @needs("hdf5")
    def test_what_a_reel_does_not_keep_is_said(self):
        self.good("run", "rope.json", "--until", "0.1")
        self.good("export", "rope.h5", "-o", "rope.reel")
        for what in ("probes", "contacts", "moments"):
            outcome = self.wrong("export", "rope.reel", "-o", "x.csv", "--what", what)
            self.assertIn("is a reel, which does not keep %s" % what, outcome.err)
        self.assertIn("is not a recording", self.wrong("run", "--resume", "rope.reel").err)
        self.assertIn("this is a reel, and not a scene", self.wrong("run", "rope.reel").err)
        self.assertIn("is a reel; --set changes scenes only", self.wrong("info", "rope.reel", "--set", "a=1").err)

    @needs("hdf5", "embree", "png")
    def test_pictures_of_a_reel(self):
        self.good("run", "rope.json", "--until", "0.1")
        self.good("export", "rope.h5", "-o", "rope.reel")
        for name in ("rope.h5", "rope.reel"):
            self.good("render", name, "-o", name + ".png", "--size", "64x48", "--time", "0.08")
        with open(self.path("rope.h5.png"), "rb") as a, open(self.path("rope.reel.png"), "rb") as b:
            self.assertEqual(len(a.read()) > 200, len(b.read()) > 200)

    def test_damaged_reels_are_refused(self):
        self.good("export", "rope.json", "-o", "scene.reel")
        reel = self.read_bytes("scene.reel")
        for name, bytes in (("cut.reel", reel[:-1]), ("head.reel", reel[:16]), ("half.reel", reel[: len(reel) // 2]),
                            ("tag.reel", reel.replace(b"SCEN", b"SCEM")), ("version.reel", reel[:8] + b"\2" + reel[9:])):
            self.write(name, bytes)
            for command in (["info"], ["export", "-o", "x.csv"], ["render", "-o", "x.png"]):
                self.assertIn(name + ": ", self.wrong(command[0], name, *command[1:]).err)

    # ---- pages

    def reel_in(self, name):
        page = self.read(name)
        (text,) = re.findall(PLACE % "([A-Za-z0-9+/=]*)", page)
        return page.replace(text, "", 1), chunks(base64.b64decode(text, validate=True))

    def test_a_page_that_runs_a_scene(self):
        self.good("export", "rope.json", "-o", "rope.html", env=self.page)
        page, found = self.reel_in("rope.html")
        self.assertEqual(page, PAGE.replace("<title>Cordage<", "<title>test rope<"))
        self.assertEqual([tag for tag, _ in found], ["SCEN"])

    @needs("hdf5")
    def test_a_page_that_plays_a_recording(self):
        self.good("run", "rope.json", "--until", "0.1")
        outcome = self.good("export", "rope.h5", "-o", "rope.html", "--frames", ":3", env=self.page)
        self.assertRegex(outcome.err, r"rope\.html: [\d.]+ kB")
        _, found = self.reel_in("rope.html")
        self.assertEqual([tag for tag, _ in found], ["SCEN", "LAYO"] + ["FRAM"] * 4)
        self.good("export", "rope.h5", "-o", "rope.reel", "--frames", ":3")
        self.assertEqual(found, self.chunks("rope.reel"))

    def test_a_title_is_text_and_nothing_else(self):
        title = "</title><script>alert(1)</script>&amp;"
        self.write("rope.json", ROPE.replace("test rope", title))
        self.good("export", "rope.json", "-o", "rope.html", env=self.page)
        page, found = self.reel_in("rope.html")
        self.assertIn("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;</title>", page)
        self.assertIn(title.encode(), found[0][1])

    def test_the_page_must_be_there_and_be_the_page(self):
        outcome = self.cordage("export", "rope.json", "-o", "x.html", env={"CORDAGE_WEB": self.path("nowhere")})
        self.assertEqual(outcome.status, 1)
        self.assertIn('"make web" makes it', outcome.err)
        for wrong in ("", "<title></title>", PAGE.replace("<title>", ""), PAGE + PLACE % "", PAGE.replace("x-cordage-reel", "x-other")):
            self.write("cordage.html", wrong)
            outcome = self.cordage("export", "rope.json", "-o", "x.html", env=self.page)
            self.assertEqual(outcome.status, 1)
            self.assertIn('make it again with "make web"', outcome.err)
        self.assertFalse(os.path.exists(self.path("x.html")))


if __name__ == "__main__":
    unittest.main()
