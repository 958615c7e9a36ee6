"""cordage export --to blender: the script, the caches and the meshes, and, where Blender is, what it makes of them."""

import array
import ast
import csv
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import unittest

from program import ROPE, SceneTest, needs

SIDES = 12
CAP = 3  # rows of a round end: a pole and two rings
FLOAT = 2.0**-24  # what rounding to a float takes from a number, at the most

# Evaluated in Blender after the export's own script: where all vertices are, frame by frame, told to a file.
LOOK = """
import json, sys
import bpy
scene = bpy.context.scene
seen = {"scene": scene.name, "fps": scene.render.fps / scene.render.fps_base, "frames": []}
for frame in range(scene.frame_start, scene.frame_end + 1):
    scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    places = {}
    for thing in scene.objects:
        if thing.type == "MESH":
            evaluated = thing.evaluated_get(graph)
            mesh = evaluated.to_mesh()
            places[thing.name] = [list(evaluated.matrix_world @ v.co) for v in mesh.vertices]
            evaluated.to_mesh_clear()
    seen["frames"].append(places)
seen["camera"] = [list(row) for row in scene.camera.matrix_world]
seen["materials"] = {thing.name: [slot.material.name for slot in thing.material_slots] for thing in scene.objects}
seen["uv"] = {thing.name: len(thing.data.uv_layers) for thing in scene.objects if thing.type == "MESH"}
with open(sys.argv[-1], "w") as file:
    json.dump(seen, file)
"""

BOB = {
    "name": "bob", "shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "mass": 0.2, "contact": False,
    "position": [0, 1, 0], "velocity": [1, 0, 0], "spin": [0, 3, 1],
}


def rope(rod=None, **changes):
    """The rope of all tests, with other keys of the scene and of the rod."""
    scene = json.loads(ROPE)
    scene.update(changes)
    scene["rods"][0].update(rod or {})
    return json.dumps(scene)


def mean(points):
    return [sum(p[c] for p in points) / len(points) for c in range(3)]


def distance(a, b):
    return math.sqrt(sum((p - q) ** 2 for p, q in zip(a, b)))


def placed(pose, point):
    """A point of a body in space: position and quaternion, scalar last, as the table has them."""
    x, y, z, a, b, c, w = pose
    u, v = (a, b, c), point
    cross = lambda p, q: [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
    turned = cross(u, [p + w * q for p, q in zip(cross(u, v), v)])
    return [o + p + 2 * t for o, p, t in zip((x, y, z), v, turned)]


@needs("hdf5")
class Blender(SceneTest):
    def export(self, scene, name="run", until="0.1", *arguments):
        self.write(name + ".json", scene)
        self.good("run", name + ".json", "--until", until)
        self.good("export", name + ".h5", "--to", "blender", "-o", name + ".py", *arguments)
        return self.script(name + ".py")

    def script(self, name):
        """What the script assigns, without running it: all of it is literals."""
        tree = ast.parse(self.read(name))
        compile(tree, name, "exec")
        made = {}
        for node in tree.body:
            if isinstance(node, ast.Assign):
                made[node.targets[0].id] = ast.literal_eval(node.value)
        return made

    def part(self, name, kind, part):
        values = array.array(kind)
        with open(self.path(name + "/meshes.bin"), "rb") as file:
            file.seek(part[0])
            values.fromfile(file, part[1])
        if sys.byteorder == "big":
            values.byteswap()
        return values

    def cache(self, path):
        """The frames of a .pc2, each a list of points."""
        data = self.read_bytes(path)
        magic, version, points, start, rate, frames = struct.unpack_from("<12siiffi", data)
        self.assertEqual((magic, version, start, rate), (b"POINTCACHE2\0", 1, 0.0, 1.0))
        self.assertEqual(len(data), 32 + 12 * points * frames)
        numbers = struct.unpack_from("<%df" % (3 * points * frames), data, 32)
        flat = [numbers[i : i + 3] for i in range(0, len(numbers), 3)]
        return [flat[k * points : (k + 1) * points] for k in range(frames)]

    def lists(self, name, what="nodes"):
        out = self.good("export", name + ".h5", "--to", "csv", "--what", what, "-o", "-").out
        return list(csv.reader(out.splitlines()))[1:]

    def nodes(self, name, count):
        rows = [[float(v) for v in row[3:]] for row in self.lists(name)]
        return [rows[i : i + count] for i in range(0, len(rows), count)]

    @staticmethod
    def rings(points, closed=False):
        walls = points if closed else points[1 + (CAP - 1) * SIDES : -1 - (CAP - 1) * SIDES]
        return [walls[i : i + SIDES] for i in range(0, len(walls), SIDES)]

    def check_rings(self, frames, nodes, closed=False):
        """Rings are around nodes, within the rounding of the points that a ring's centre is the mean of."""
        self.assertEqual(len(frames), len(nodes))
        for points, wanted in zip(frames, nodes):
            rings = self.rings(points, closed)
            self.assertEqual(len(rings), len(wanted))  # none between: the rod bends too little
            for ring, node in zip(rings, wanted):
                self.assertLess(distance(mean(ring), node), 4 * FLOAT)  # all is within a metre of the origin
                for point in ring:
                    self.assertAlmostEqual(distance(point, node), 0.01, delta=8 * FLOAT)

    def test_rings_are_around_the_nodes_in_every_frame(self):
        made = self.export(ROPE)
        self.assertEqual(made["FRAMES"], 6)
        self.assertAlmostEqual(made["RATE"], 50, delta=1e-9)
        (rope,) = made["OBJECTS"]
        self.assertEqual((rope["name"], rope["cache"]), ("rope", "rod_0.pc2"))
        frames = self.cache("run/rod_0.pc2")
        self.check_rings(frames, self.nodes("run", 21))
        points = self.part("run", "f", rope["points"])
        self.assertEqual([tuple(points[i : i + 3]) for i in range(0, len(points), 3)], frames[0])

    def test_a_ring_closes(self):
        circle = {"shape": {"circle": {"radius": 0.3}}, "elements": 40, "closed": True}
        made = self.export(rope(circle, clamps=[], probes=[]))
        frames = self.cache("run/rod_0.pc2")
        self.check_rings(frames, self.nodes("run", 40), closed=True)
        self.check_closed(made["OBJECTS"][0], "run")

    def check_closed(self, entry, name):
        """Every edge of the mesh is walked once in each direction."""
        corners = self.part(name, "i", entry["corners"])
        edges, at = set(), 0
        for size in self.part(name, "i", entry["sizes"]):
            face = corners[at : at + size]
            for a, b in zip(face, face[1:] + face[:1]):
                self.assertNotIn((a, b), edges)
                edges.add((a, b))
            at += size
        self.assertEqual(at, len(corners))
        self.assertEqual({(b, a) for a, b in edges}, edges)
        self.assertEqual(set(corners), set(range(entry["points"][1] // 3)))

    def test_meshes_are_closed_and_have_a_texture(self):
        (rope,) = self.export(ROPE)["OBJECTS"]
        self.check_closed(rope, "run")
        uv = self.part("run", "f", rope["uv"])
        corners = self.part("run", "i", rope["corners"])
        self.assertEqual(len(uv), 2 * len(corners))
        self.assertEqual((min(uv[0::2]), max(uv[0::2])), (0.0, 1.0))
        first = 1 + (CAP - 1) * SIDES  # a ring's first point, where u is 0, or 1 on the other side of the seam
        self.assertEqual({uv[2 * i] for i, corner in enumerate(corners) if corner == first}, {0.0, 1.0})

    def test_points_turn_with_the_material(self):
        turn = [{"rotate": {"axis": [1, 0, 0], "turns": 0.5}, "to": 0.1}]
        self.export(rope(clamps=[{"at": "start", "fix": "frame"}, {"at": "end", "fix": "frame", "motion": turn}]))
        rings = self.rings(self.cache("run/rod_0.pc2")[-1])
        self.good("export", "run.h5", "-o", "last.obj", "--frames", "-1")
        points = [[float(v) for v in line.split()[1:]] for line in self.read("last.obj").splitlines() if line.startswith("v ")]
        wanted = self.rings(points)
        self.assertEqual(len(rings), len(wanted))
        least = 0.0
        for got, same in zip(rings, wanted):  # one tube for both, as floats here and of nine digits there
            for p, q in zip(got, same):
                self.assertLess(distance(p, q), 1e-6)
            least = min(least, (got[0][2] - mean(got)[2]) / 0.01)
        self.assertGreater(distance(rings[0][0], rings[-1][0]), 0)
        self.assertLess(least, -0.5)  # the stripe, which begins on one side, has come to the other

    def test_bodies_have_their_poses(self):
        made = self.export(rope(bodies=[BOB], obstacles=[{"name": "floor", "plane": {"offset": -3}}]))
        named = {entry["name"]: entry for entry in made["OBJECTS"]}
        poses = self.part("run", "f", named["bob"]["poses"])
        rows = [[float(v) for v in row[2:9]] for row in self.lists("run", "bodies")]
        self.assertEqual(len(poses), 7 * len(rows))
        for k, (x, y, z, qx, qy, qz, qw) in enumerate(rows):
            got, wanted = poses[7 * k : 7 * k + 7], [x, y, z, qw, qx, qy, qz]
            sign = 1 if sum(a * b for a, b in zip(got[3:], wanted[3:])) > 0 else -1
            for c in range(7):
                self.assertAlmostEqual(got[c], wanted[c] * (sign if c > 2 else 1), delta=4 * FLOAT)
        self.assertEqual(named["floor"]["poses"][1], 7)  # it stands
        self.assertIsNone(made["GROUND"])  # the plane is one
        self.assertEqual(len(self.part("run", "i", named["bob"]["slots"])), 6)

    def test_many_rods_are_few_objects(self):
        scene = json.loads(rope({"section": {"disc": {"radius": 0.001}}, "elements": 3}, clamps=[], probes=[]))
        rods = [
            {**scene["rods"][0], "name": "r%d" % i, "shape": {"line": {"from": [0, 0.01 * i, 0], "to": [0.1, 0.01 * i, 0]}}}
            for i in range(70)
        ]
        made = self.export(json.dumps({**scene, "rods": rods}), until="0.04")
        self.assertEqual([entry["name"] for entry in made["OBJECTS"]], ["9 rods"] * 6 + ["8 rods"] * 2)
        nodes = self.nodes("run", 4 * 70)
        rod = 1 + (CAP - 1) * SIDES + 4 * SIDES + (CAP - 1) * SIDES + 1  # points
        for number, entry in enumerate(made["OBJECTS"]):
            for points, wanted in zip(self.cache("run/" + entry["cache"]), nodes):
                for i, first in enumerate(range(0, len(points), rod)):
                    for k, ring in enumerate(self.rings(points[first : first + rod])):
                        self.assertLess(distance(mean(ring), wanted[4 * (number + 8 * i) + k]), 4 * FLOAT)

    def test_one_frame_has_no_cache(self):
        self.write("rope.json", ROPE)
        self.good("export", "rope.json", "--to", "blender", "-o", "still")
        made = self.script("still.py")
        self.assertEqual(made["FRAMES"], 1)
        self.assertNotIn("cache", made["OBJECTS"][0])
        self.assertEqual(os.listdir(self.path("still")), ["meshes.bin"])

    def test_names_are_only_names(self):
        rod, place = "'''\"\"\"\\', \\u0022 {0} %s é 🪢", "o'd\"d\n\\x é"
        self.write("odd.json", rope({"name": rod}, clamps=[], probes=[]))
        self.good("run", "odd.json", "--until", "0.04")
        self.good("export", "odd.h5", "--to", "blender", "-o", place + ".py")
        made = self.script(place + ".py")
        self.assertEqual((made["NAME"], made["DIRECTORY"]), (place, place))
        self.assertEqual(made["OBJECTS"][0]["name"], rod)
        self.assertTrue(self.read(place + ".py").isascii())

    def test_mistakes(self):
        self.write("rope.json", ROPE)
        self.assertIn("such as run.py", self.wrong("export", "rope.json", "--to", "blender", "-o", "-").err)
        self.write("taken", "a file")
        self.assertIn("cannot be made", self.cordage("export", "rope.json", "-o", "taken.py").err)
        self.assertFalse(os.path.exists(self.path("taken.py")))

    def test_blender_makes_the_scene(self):
        if not shutil.which("blender"):
            print("\nSKIPPED: there is no Blender here, so nothing has run the script", file=sys.stderr)
            self.skipTest("blender is not installed")
        made = self.export(rope(bodies=[BOB]))
        self.write("look.py", LOOK)
        done = subprocess.run(
            ["blender", "-b", "--factory-startup", "--python-exit-code", "3", "-P", self.path("run.py"),
             "-P", self.path("look.py"), "--", self.path("seen.json")],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
        )
        self.assertEqual(done.returncode, 0, done.stdout.decode("utf-8", "replace"))
        seen = json.loads(self.read("seen.json"))
        self.check_seen(seen, made)

    def check_seen(self, seen, made):
        self.assertEqual(seen["scene"], "run")
        self.assertAlmostEqual(seen["fps"], 50, delta=1e-4)
        self.assertEqual(len(seen["frames"]), 6)
        self.check_rings([frame["rope"] for frame in seen["frames"]], self.nodes("run", 21))
        self.assertEqual(seen["uv"], {"rope": 1, "bob": 0, "ground": 0})
        self.assertEqual(len(seen["materials"]["bob"]), 2)
        local = self.part("run", "f", next(entry for entry in made["OBJECTS"] if entry["name"] == "bob")["points"])
        for frame, row in zip(seen["frames"], self.lists("run", "bodies")):
            pose = [float(v) for v in row[2:9]]
            for i, corner in enumerate(frame["bob"]):
                self.assertLess(distance(corner, placed(pose, local[3 * i : 3 * i + 3])), 8 * FLOAT)
        for row in range(3):
            self.assertAlmostEqual(seen["camera"][row][3], made["CAMERA"]["eye"][row], delta=1e-5)
            self.assertAlmostEqual(seen["camera"][row][2], -made["CAMERA"]["forward"][row], delta=1e-6)


if __name__ == "__main__":
    unittest.main()
