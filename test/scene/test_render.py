"""cordage render: pictures of the right size with something in them."""

import os
import shutil
import struct
import subprocess
import unittest
import zlib

from program import ROPE, SceneTest, needs


def read_png(path):
    """Width, height and the rows of an 8-bit RGB file; of the filters, all five."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    position, packed, size = 8, b"", None
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position : position + 8])
        body = data[position + 8 : position + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlace = struct.unpack(">IIBBBBB", body)
            assert (depth, color, interlace) == (8, 2, 0)
            size = (width, height)
        elif kind == b"IDAT":
            packed += body
        position += length + 12
    raw = zlib.decompress(packed)
    stride = 3 * size[0]
    rows, before = [], bytearray(stride)
    for y in range(size[1]):
        kind = raw[y * (stride + 1)]
        row = bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride):
            left = row[i - 3] if i >= 3 else 0
            up = before[i]
            corner = before[i - 3] if i >= 3 else 0
            if kind == 1:
                row[i] = (row[i] + left) & 255
            elif kind == 2:
                row[i] = (row[i] + up) & 255
            elif kind == 3:
                row[i] = (row[i] + (left + up) // 2) & 255
            elif kind == 4:
                guess = left + up - corner
                nearest = min((left, up, corner), key=lambda value: abs(guess - value))  # the first of equals
                row[i] = (row[i] + nearest) & 255
        rows.append(bytes(row))
        before = row
    return size[0], size[1], rows


@needs("hdf5", "embree", "png")
class Render(SceneTest):
    def setUp(self):
        super().setUp()
        self.write("rope.json", ROPE)
        self.run_once("rope.json", "rope.h5", "--until", "0.2")

    def test_a_still_has_its_size_and_the_rope_in_it(self):
        bare = ["--samples", "2", "--no-ground", "--no-label"]
        self.good("render", "rope.h5", "-o", "rope.png", "--size", "160x90", *bare)
        width, height, rows = read_png(self.path("rope.png"))
        self.assertEqual((width, height), (160, 90))
        corner = rows[0][:3]
        pixels = [row[3 * x : 3 * x + 3] for row in rows for x in range(width)]
        different = sum(max(abs(a - b) for a, b in zip(pixel, corner)) > 60 for pixel in pixels)
        # The rope spans most of the picture's width or height, and it is thin.
        self.assertGreater(different, 80)
        self.assertLess(different, 160 * 90 / 2)

    def test_frames_and_times_give_different_pictures(self):
        small = ["--size", "64x36", "--samples", "1", "--no-label"]
        pictures = {}
        choices = {"last": "--frame=-1", "first": "--frame=0", "time": "--time=0.0999", "four": "--frame=4"}
        for name, choice in choices.items():
            self.good("render", "rope.h5", "-o", name + ".png", *small, choice)
            pictures[name] = read_png(self.path(name + ".png"))
        self.assertEqual(pictures["time"], pictures["four"])
        self.assertNotEqual(pictures["first"], pictures["last"])

    def test_a_time_that_was_not_recorded_is_refused(self):
        small = ["--size", "16x16", "--samples", "1"]
        for time in ("99", "-1", "0.21"):
            outcome = self.wrong("render", "rope.h5", "-o", "x.png", *small, "--time=" + time)
            self.assertIn("goes from t = 0 to 0.2 s", outcome.err)
        self.assertIn("run it first", self.wrong("render", "rope.json", "-o", "x.png", "--time", "0.1").err)
        self.assertFalse(os.path.exists(self.path("x.png")))
        self.good("render", "rope.h5", "-o", "x.png", *small, "--time=0.2")
        self.good("render", "rope.json", "-o", "x.png", *small, "--time=0")

    def test_the_direction_matters(self):
        small = ["--size", "64x36", "--samples", "1"]
        self.good("render", "rope.h5", "-o", "front.png", *small, "--from", "0,-1,0")
        self.good("render", "rope.h5", "-o", "side.png", *small, "--from=1,0,0")
        self.assertNotEqual(read_png(self.path("front.png")), read_png(self.path("side.png")))

    def test_a_scene_gives_its_initial_state(self):
        self.good("render", "rope.json", "-o", "start.png", "--size", "64x36", "--samples", "1")
        self.assertEqual(read_png(self.path("start.png"))[:2], (64, 36))

    def probe(self, film, entries):
        wanted = ["-count_frames", "-of", "csv=p=0", "-show_entries", "stream=" + entries]
        command = ["ffprobe", "-v", "error", *wanted, self.path(film)]
        return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().strip()

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "needs ffmpeg")
    def test_a_film_shows_every_frame_in_real_time(self):
        self.good("render", "rope.h5", "-o", "rope.mp4", "--size", "64x36", "--samples", "1")
        self.assertEqual(self.probe("rope.mp4", "width,height,r_frame_rate,nb_read_frames"), "64,36,50/1,11")

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "needs ffmpeg")
    def test_a_film_in_slow_motion_at_a_rate_of_its_own(self):
        slow = ["--speed", "0.1", "--fps", "10"]
        self.good("render", "rope.h5", "-o", "slow.mp4", "--size", "64x36", "--samples", "1", *slow)
        # 0.2 s, ten times slower, ten a second, both ends.
        self.assertEqual(self.probe("slow.mp4", "r_frame_rate,nb_read_frames"), "10/1,21")

    def test_mistakes(self):
        for wrong in (
            [],
            ["-o", "x.jpg"],
            ["-o", "x.png", "--size", "big"],
            ["-o", "x.png", "--size", "0x0"],
            ["-o", "x.png", "--size", "99999999999x1"],
            ["-o", "x.png", "--from", "0,0,0"],
            ["-o", "x.png", "--from", "1,2"],
            ["-o", "x.png", "--frame", "99"],
            ["-o", "x.png", "--frame", "1", "--time", "0.1"],
            ["-o", "x.png", "--fps", "25"],
            ["-o", "x.png", "--fov", "0"],
            ["-o", "x.png", "--samples", "-3"],
            ["-o", "x.mp4", "--frame", "1"],
        ):
            self.wrong("render", "rope.h5", *wrong)
        self.assertIn("run it first", self.wrong("render", "rope.json", "-o", "x.mp4").err)
        self.assertFalse(os.path.exists(self.path("x.png")) or os.path.exists(self.path("x.mp4")))
        nowhere = self.cordage("render", "rope.h5", "-o", "no/such/x.png", "--size", "16x16")
        self.assertEqual(nowhere.status, 2)
        self.assertIn("there is no folder no/such", nowhere.err)


if __name__ == "__main__":
    unittest.main()
