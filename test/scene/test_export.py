"""cordage export: what is in the files."""

import csv
import os
import unittest

from program import ROPE, SceneTest, needs


@needs("hdf5")
class Export(SceneTest):
    def setUp(self):
        super().setUp()
        self.write("rope.json", ROPE)
        self.run_once("rope.json", "rope.h5", "--until", "0.1")

    def head_and_rows(self, name):
        with open(self.path(name), newline="") as file:
            rows = list(csv.reader(file))
        return rows[0], rows[1:]

    def test_csv_of_nodes(self):
        self.good("export", "rope.h5", "--to", "csv", "-o", "rope.csv")
        head, rows = self.head_and_rows("rope.csv")
        self.assertEqual(head, ["time", "rod", "node", "x", "y", "z"])
        self.assertEqual(len(rows), 6 * 21)
        for i, row in enumerate(rows[:21]):
            self.assertEqual((float(row[0]), row[1], int(row[2])), (0.0, "rope", i))
            for got, wanted in zip(row[3:], (i / 20, 0, 0)):
                self.assertAlmostEqual(float(got), wanted, delta=1e-15)
        # The held node stays; the free end falls freely, until the news from the held end reaches it.
        self.assertEqual([float(v) for v in rows[21][3:]], [0.0, 0.0, 0.0])
        self.assertAlmostEqual(float(rows[-1][5]), -9.81 * 0.1**2 / 2, delta=2e-3)

    def test_frames_are_chosen(self):
        ranges = {"2:3": [0.04, 0.06], "4:": [0.08, 0.1], ":1": [0, 0.02], "-1": [0.1], "3": [0.06]}
        for text, wanted in ranges.items():
            self.good("export", "rope.h5", "-o", "part.csv", "--frames", text)
            times = sorted({float(row[0]) for row in self.head_and_rows("part.csv")[1]})
            self.assertEqual(len(times), len(wanted))
            for got, time in zip(times, wanted):
                self.assertAlmostEqual(got, time, delta=1e-12)
        for text in ("3:2", "9", "a:b", "1:2:3", "", "1.5", ":99", "99999999999999999999"):
            self.wrong("export", "rope.h5", "-o", "x.csv", "--frames", text)
        self.assertFalse(os.path.exists(self.path("x.csv")))

    def test_csv_of_probes(self):
        self.good("export", "rope.h5", "-o", "probes.csv", "--probes")
        head, rows = self.head_and_rows("probes.csv")
        self.assertEqual(head[0], "time")
        self.assertEqual(len(head), 7)
        self.assertEqual(len(rows), self.info("rope.h5")["steps"])
        times = [float(row[0]) for row in rows]
        self.assertEqual(times, sorted(set(times)))
        self.assertAlmostEqual(times[-1], 0.1, delta=1e-12)
        self.good("export", "rope.h5", "-o", "last.csv", "--frames", "-1")
        tip = [float(v) for v in self.head_and_rows("last.csv")[1][-1][3:]]
        self.assertEqual([float(v) for v in rows[-1][1:4]], tip)

    def test_csv_of_internal_forces(self):
        self.good("export", "rope.h5", "-o", "forces.csv", "--what", "forces")
        head, rows = self.head_and_rows("forces.csv")
        self.assertEqual(head, ["time", "rod", "edge", "arc", "tension", "shear1", "shear2"])
        self.assertEqual(len(rows), 6 * 20)
        self.assertAlmostEqual(float(rows[3][3]), 3.5 / 20, delta=1e-12)  # an edge's middle
        self.good("export", "rope.h5", "-o", "moments.csv", "--what=moments")
        head, rows = self.head_and_rows("moments.csv")
        self.assertEqual(head, ["time", "rod", "node", "arc", "moment1", "moment2", "torque"])
        self.assertEqual(len(rows), 6 * 21)
        self.assertEqual([float(v) for v in rows[-1][4:]], [0, 0, 0])  # the free end passes nothing on
        # The rope falls with its held end back: it bends in the plane of its fall, somewhere.
        self.assertGreater(max(abs(float(v)) for row in rows for v in row[4:6]), 1e-4)

    def test_bodies_are_in_every_format(self):
        bodies = """"bodies": [{ "name": "bob", "shape": { "box": { "size": [0.1, 0.1, 0.1] } }, "mass": 0.2,
            "position": [0, 1, 0], "velocity": [1, 0, 0] }], "clamps\""""
        self.write("bob.json", ROPE.replace('"clamps"', bodies))
        self.good("run", "bob.json", "--until", "0.1")
        self.good("export", "bob.h5", "-o", "bob.csv", "--what", "bodies")
        head, rows = self.head_and_rows("bob.csv")
        self.assertEqual(head[:9], ["time", "body", "x", "y", "z", "qx", "qy", "qz", "qw"])
        self.assertEqual(len(rows), 6)
        for got, wanted in zip(rows[-1][2:5], (0.1, 1, -9.81 * 0.1**2 / 2)):
            self.assertAlmostEqual(float(got), wanted, delta=1e-9)  # it flies freely
        self.good("export", "bob.h5", "-o", "bob.pvd")
        self.assertIn("bob/bob_bodies_00005.vtp", self.read("bob_bodies.pvd"))
        self.assertIn('NumberOfPolys="6"', self.read("bob/bob_bodies_00005.vtp"))
        self.good("export", "bob.h5", "-o", "bob.obj", "--frames", "-1")
        self.assertIn("\no bob\n", self.read("bob.obj"))

    def test_to_standard_output(self):
        self.good("export", "rope.h5", "-o", "rope.csv")
        piped = self.good("export", "rope.h5", "--to", "csv", "-o", "-")
        self.assertEqual(piped.out, self.read("rope.csv"))
        self.assertTrue(self.good("export", "rope.h5", "--to", "obj", "-o", "-").out.startswith("# cordage"))
        self.assertIn("makes several", self.wrong("export", "rope.h5", "--to", "vtk", "-o", "-").err)
        self.assertIn("--to FORMAT", self.wrong("export", "rope.h5", "-o", "-").err)
        self.assertFalse(os.path.exists(self.path("-")) or os.path.exists(self.path("-.part")))

    def test_tables_on_standard_output_are_csv(self):
        wanted = self.good("export", "rope.h5", "--to", "csv", "--probes", "-o", "-").out
        self.assertEqual(self.good("export", "rope.h5", "--probes", "-o", "-").out, wanted)
        self.assertIn("--to FORMAT", self.wrong("export", "rope.h5", "-o", "-").err)

    def test_a_scene_gives_its_initial_state(self):
        self.good("export", "rope.json", "-o", "start.csv", "--set", "rods[0].elements=4")
        rows = self.head_and_rows("start.csv")[1]
        self.assertEqual([float(row[3]) for row in rows], [0, 0.25, 0.5, 0.75, 1])

    def test_format_comes_from_the_ending(self):
        self.good("export", "rope.h5", "-o", "rope.pvd")
        self.good("export", "rope.h5", "-o", "rope.obj")
        with open(self.path("rope.obj")) as file:
            kinds = {line.split()[0] for line in file if line.strip()}
        self.assertLessEqual({"v", "f"}, kinds)
        self.assertIn("<VTKFile", self.read("rope.pvd"))

    def test_mistakes(self):
        self.assertIn('did you mean "csv"?', self.wrong("export", "rope.h5", "--to", "cvs", "-o", "x").err)
        for name in ("x", "v1.5/x"):
            self.assertIn("--to FORMAT", self.wrong("export", "rope.h5", "-o", name).err)
        said = self.wrong("export", "rope.h5", "-o", "x.xyz").err
        self.assertIn('does not write the format "xyz"; it writes csv, vtk, obj, glb, blender, reel and html', said)
        self.assertIn('"cordage render" makes pictures', said)
        for output in (["-o", "x.usd"], ["--to", "usd", "-o", "x.usd"]):
            said = self.wrong("export", "rope.h5", *output).err
            self.assertRegex(said, 'does not write the format "usd"; it writes csv, .*: take glb instead')
        self.assertIn("-o PATH", self.wrong("export", "rope.h5", "--to", "csv").err)
        self.assertIn("--set", self.wrong("export", "rope.h5", "-o", "x.csv", "--set", "time.end=1").err)
        self.assertIn("has been run", self.wrong("export", "rope.json", "-o", "x.csv", "--probes").err)
        self.assertRegex(
            self.wrong("export", "rope.h5", "-o", "x.csv", "--what", "obstacle").err,
            'takes nodes, forces, moments, bodies, obstacles, contacts, probes, branch or ledger, not "obstacle"; did you mean "obstacles"',
        )
        self.assertIn('did you mean "forces"?', self.wrong("export", "rope.h5", "-o", "x.csv", "--what=force").err)
        self.assertIn("csv alone", self.wrong("export", "rope.h5", "-o", "x.obj", "--what", "forces").err)
        self.assertIn("no bodies", self.wrong("export", "rope.h5", "-o", "x.csv", "--what", "bodies").err)
        self.assertIn("branch", self.wrong("export", "rope.h5", "-o", "x.csv", "--what", "branch").err)
        self.wrong("export", "rope.h5", "-o", "x.csv", "--what", "nodes", "--probes")
        self.assertFalse(os.path.exists(self.path("x.csv")))
        self.assertIn("another name", self.wrong("export", "rope.h5", "--to", "csv", "-o", "./rope.h5").err)
        self.assertEqual(self.info("rope.h5")["frames"], 6)
        self.assertEqual(self.cordage("export", "rope.h5", "-o", "no/such/x.csv").status, 2)


if __name__ == "__main__":
    unittest.main()
