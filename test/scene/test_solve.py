"""cordage solve and cordage modes: equilibria, branches of them, and vibrations about them."""

import json
import math
import os
import re
import shutil
import signal
import time
import unittest

from program import ROPE, SceneTest, needs

# A metre of plastic rod in a vice, straight and horizontal: E 10 GPa, radius 1 cm.
BEAM = """{
  "cordage": 1,
  "gravity": [0, 0, -9.81],
  "time": { "end": 1, "fps": 50 },
  "materials": { "stiff": { "young": 1e10, "poisson": 0.3, "density": 1000 } },
  "rods": [{
    "name": "beam", "material": "stiff", "section": { "disc": { "radius": 0.01 } },
    "shape": { "line": { "from": [0, 0, 0], "to": [1, 0, 0] } }, "elements": 40
  }],
  "clamps": [{ "rod": "beam", "at": "start", "fix": "frame" }],
  "probes": [{ "name": "tip", "rod": "beam", "at": "end", "measure": "position" }]
}
"""

# A column of 2 x 1 cm between two vices that approach each other by 30 cm in a second.
COLUMN = """{
  "cordage": 1,
  "gravity": [0, 0, 0],
  "time": { "end": 1, "fps": 50 },
  "materials": { "soft": { "young": 1e6, "poisson": 0.5, "density": 1000 } },
  "rods": [{
    "name": "column", "material": "soft", "section": { "rectangle": { "width1": 0.02, "width2": 0.01 } },
    "shape": { "line": { "from": [0, 0, 0], "to": [1, 0, 0] } }, "elements": 40
  }],
  "clamps": [
    { "rod": "column", "at": "start", "fix": "frame" },
    { "rod": "column", "at": "end", "fix": "frame", "motion": [{ "translate": { "by": [-0.3, 0, 0] }, "to": 1 }] }
  ],
  "probes": [
    { "name": "middle", "rod": "column", "at": { "node": 20 }, "measure": "position" },
    { "name": "push", "rod": "column", "at": "end", "measure": "force" }
  ]
}
"""

# Euler's column: a ruler in a vice, with a load on its tip that grows.
EULER = """{
  "cordage": 1,
  "gravity": [0, 0, 0],
  "time": { "end": 3 },
  "rods": [{
    "name": "ruler", "material": "aluminium", "section": { "rectangle": { "width1": 0.001, "width2": 0.02 } },
    "frame": [1, 0, 0], "shape": { "line": { "from": [0, 0, 0], "to": [0, 0, 0.5] } }, "elements": 20
  }],
  "clamps": [{ "at": "start", "fix": "frame" }],
  "loads": [{ "force": { "at": "end", "force": [0, 0, -3], "ramp": 3 } }],
  "probes": [{ "name": "tip", "at": "end", "measure": "position" }],
  "solve": { "method": "arc", "from": 0.2, "to": 3, "switch": [{ "at": 1, "amplitude": 0.01 }] }
}
"""

# A rope of 73 cm whose ends are drawn apart from 60 to 160 cm.
TOO_SHORT = """{
  "cordage": 1,
  "gravity": [0, 0, 0],
  "time": { "end": 1, "fps": 50 },
  "rods": [{
    "name": "rope", "material": "nylon", "inextensible": true, "section": { "disc": { "radius": 0.002 } },
    "shape": { "spline": { "points": [[0, 0, 0], [0.3, 0.2, 0], [0.6, 0, 0]] } }, "rest": "straight", "elements": 40
  }],
  "clamps": [
    { "at": "start", "fix": "position" },
    { "at": "end", "fix": "position", "motion": [{ "translate": { "by": [1, 0, 0] }, "to": 1 }] }
  ]
}
"""

# A soft rod in a vice that hangs down to the floor, and lies on it.
LYING = """{
  "cordage": 1,
  "gravity": [0, 0, -9.81],
  "time": { "end": 1, "fps": 50 },
  "materials": { "soft": { "young": 1e7, "poisson": 0.3, "density": 1000 } },
  "rods": [{
    "name": "beam", "material": "soft", "section": { "disc": { "radius": 0.01 } }, "integrator": "implicit",
    "shape": { "line": { "from": [0, 0, 0.1], "to": [1, 0, 0.1] } }, "elements": 20
  }],
  "clamps": [{ "rod": "beam", "at": "start", "fix": "frame" }],
  "obstacles": [{ "name": "floor", "plane": { "offset": 0 } }],
  "contact": { "friction": 0 }
}
"""

# A cantilever that slides on the ball which props it, until it rests at the limit of friction.
PROPPED = """{
  "cordage": 1,
  "time": { "end": 1 },
  "rods": [{ "name": "beam", "integrator": "backward_euler", "elements": 40, "section": { "disc": { "radius": 0.005 } },
             "material": { "young": 1e9, "density": 1000 },
             "shape": { "line": { "from": [0, 0, 0.005], "to": [0.5, 0, 0.005] } } }],
  "clamps": [{ "at": "start", "fix": "frame" }],
  "obstacles": [{ "sphere": { "radius": 0.02, "center": [0.498, 0, -0.02] } }],
  "contact": { "friction": 0.3 }
}
"""


class SolveTest(SceneTest):
    def summary(self, *arguments, status=0):
        outcome = self.cordage("solve", "--json", *arguments)
        self.assertEqual(outcome.status, status, outcome.err)
        return json.loads(outcome.out)


@needs("hdf5")
class Equilibrium(SolveTest):
    files = {"beam.json": BEAM}

    def test_a_rod_without_twisting_stiffness_is_named(self):
        self.write("limp.json", """{"cordage": 1, "gravity": [0, 0, 0], "clamps": [{"at": "start", "fix": "frame"}],
            "rods": [{"material": {"young": 1e7, "poisson": 0.3, "density": 1000}, "section": {"disc": {"radius": 0.01}}, "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
                "elements": 20, "stiffness": {"twist": 0}, "twist": {"turns": 1}}]}""")
        self.assertIn("it has no twisting stiffness", self.cordage("solve", "limp.json").err)

    def test_of_rods_that_touch_the_stability_is_known(self):
        self.write("lying.json", LYING)
        outcome = self.good("solve", "lying.json", "-o", "lying.h5")
        self.assertRegex(outcome.out, r"(?m)^equilibrium +at t = 0 s, stable$")
        summary = self.answer("solve", "lying.json", "--no-recording")
        self.assertEqual(summary["branch"]["stability"][0]["unstable"], 0)
        self.assertEqual(summary["branch"]["this_point"]["unstable"], 0)
        self.assertGreater(summary["branch"]["this_point"]["least_eigenvalue"], 0)
        energy = self.info("lying.h5")["rods"][0]["energy"]
        self.assertGreater(energy["bend"], 0)
        self.assertAlmostEqual(summary["energy"], energy["total"], delta=1e-9 * energy["total"])
        row = self.table("lying.h5", "branch")[0]
        self.assertEqual((row["unstable"], row["converged"]), ("0", "1"))
        self.assertEqual(float(row["energy"]), summary["energy"])
        self.assertIn("softest", self.good("info", "lying.h5").out)

    def test_of_rods_that_touch_a_branch_has_a_range_of_energies(self):
        self.write("lying.json", LYING)
        lift = ["--set", 'clamps[0].motion=[{"translate": {"by": [0, 0, 0.1]}, "to": 1}]']
        outcome = self.good("solve", "lying.json", "--no-recording", *lift)
        self.assertRegex(outcome.out, r"stable from point 0 \(t = 0 s\)\n")
        low, high = re.search(r"energy +within (\S+) to (\S+) J: elastic, weight and loads\n", outcome.out).groups()
        self.assertLess(0.1, float(low))
        self.assertLess(1.5 * float(low), float(high))

    def test_points_in_contact_are_judged_under_the_loads_and_obstacles_of_their_time(self):
        self.write("lying.json", LYING)
        for what in ('loads=[{"force": {"at": {"node": 10}, "force": [0, 0, -4], "ramp": 1}}]',
                     'obstacles[0].motion=[{"translate": {"by": [0, 0, 0.05]}, "to": 1}]'):
            branch, last = (self.summary("lying.json", "--no-recording", "--friction", "off", "--set", what, *times)
                            for times in ((), ("--from", "1", "--to", "1")))
            self.assertEqual([stretch["unstable"] for stretch in branch["branch"]["stability"]], [0])
            self.assertAlmostEqual(branch["energy"], last["energy"], delta=1e-9 * last["energy"])
            self.assertGreater(branch["branch"]["points"], 3)

    def test_rods_that_touch_are_followed_along_the_arc(self):
        self.write("lying.json", LYING)
        lift = ["--no-recording", "--set", 'clamps[0].motion=[{"translate": {"by": [0, 0, 0.1]}, "to": 1}]']
        arc, natural = (self.summary("lying.json", "--method", method, *lift) for method in ("arc", "natural"))
        self.assertAlmostEqual(arc["energy"], natural["energy"], delta=1e-6 * natural["energy"])

    def test_friction_that_slides_is_in_balance_and_its_stability_is_not_known(self):
        self.write("propped.json", PROPPED)
        outcome = self.good("solve", "propped.json", "-o", "propped.h5")
        self.assertIn("stability not known\n  softest vibration not known\n", outcome.out)
        self.assertIn(", softest vibration not known, residual", self.good("info", "propped.h5").out)
        summary = self.answer("solve", "propped.json", "--no-recording")
        self.assertLess(summary["residual_relative"], 1e-9)
        self.assertIsNone(summary["branch"]["this_point"]["least_eigenvalue"])

    def test_nothing_rubs_or_slides_where_friction_is_off_or_there_is_none(self):
        self.write("propped.json", PROPPED)
        self.write("slick.json", PROPPED.replace('"density": 1000', '"density": 1000, "friction": 0').replace('"contact": { "friction": 0.3 }', '"contact": {}'))
        lower = ["--set", 'obstacles=[{"cylinder": {"from": [0.4, -0.1, -0.02], "to": [0.4, 0.1, -0.02], "radius": 0.02}}]',
                 "--set", 'clamps[0].motion=[{"translate": {"by": [0, 0, -0.05]}, "to": 1}]']
        for method in ("natural", "arc"):
            for off in (["propped.json", "--friction", "off"], ["propped.json", "--set", "contact.friction=0"], ["slick.json"]):
                summary = self.summary(*off, "-o", "off.h5", "--force", "--method", method, *lower)
                self.assertEqual([stretch["unstable"] for stretch in summary["branch"]["stability"]], [0], off)
                contacts = self.table("off.h5", "contacts")
                self.assertGreater(max(float(contact["push"]) for contact in contacts), 0.1)
                for contact in contacts:
                    self.assertEqual([contact[key] for key in ("fx", "fy", "fz", "slides")], ["0", "0", "0", "0"], (method, off))

    def test_vibrations_have_the_friction_of_the_solve(self):
        self.write("propped.json", PROPPED)
        frequency = {}
        for friction in ("coulomb", "off", "frozen"):
            outcome = self.good("modes", "propped.json", "--json", "-n", "1", "--friction", friction)
            frequency[friction] = json.loads(outcome.out)["modes"][0]["frequency"]
            self.assertEqual("1 contact is at the limit of friction" in outcome.err, friction == "coulomb")
        for friction in ("off", "frozen"):
            solved = self.answer("solve", "propped.json", "--no-recording", "--friction", friction)["branch"]["this_point"]
            self.assertAlmostEqual(math.sqrt(solved["least_eigenvalue"]) / (2 * math.pi), frequency[friction], delta=1e-4)
        self.assertLess(frequency["off"], 5)  # aside
        self.assertGreater(frequency["coulomb"], 20)
        self.assertIn("coulomb, off or frozen", self.wrong("modes", "propped.json", "--friction", "wet").err)

    def test_friction_is_followed_along_the_arc_only_where_it_is_off_or_frozen(self):
        self.write("rough.json", LYING.replace('"friction": 0', '"friction": 0.3'))
        self.assertIn('write "friction": "off"', self.wrong("solve", "rough.json", "--method", "arc", "--no-recording").err)
        for friction in ("off", "frozen"):
            self.good("solve", "rough.json", "--method", "arc", "--no-recording", "--friction", friction)
        self.assertIn("coulomb, off or frozen", self.wrong("solve", "rough.json", "--friction", "wet").err)

    def test_an_arc_with_friction_is_refused_with_its_place(self):
        arc = '"cordage": 1,\n  "solve": { "method": "arc" }'
        self.write("rough.json", LYING.replace('"cordage": 1', arc).replace('"friction": 0', '"friction": 0.3'))
        said = 'rough.json:3:24: error: with friction, where rods rest depends on how they came there, so that the method "arc" has no branch'
        for command in (["check"], ["solve", "-o", "rough.h5"]):
            self.assertIn(said, self.wrong(*command, "rough.json").err)
        self.assertFalse(os.path.exists(self.path("rough.h5")))
        self.assertEqual(json.loads(self.cordage("check", "rough.json", "--json").out)["notes"][0]["line"], 3)
        self.good("check", "rough.json", "--set", 'solve.friction="off"')
        self.good("run", "rough.json", "--until", "0.02")
        # no friction in the scene: by the contact, or by the material of the rods
        self.write("slick.json", LYING.replace('"cordage": 1', arc))
        self.write("icy.json", LYING.replace('"cordage": 1', arc).replace('"density": 1000', '"density": 1000, "friction": 0').replace('"contact": { "friction": 0 }', '"contact": {}'))
        for scene in ("slick.json", "icy.json"):
            self.good("check", scene)
            self.good("solve", scene, "--no-recording")

    def test_modal_rods_do_not_fall_through_the_floor(self):
        limp = LYING.replace('"integrator": "implicit"', '"model": "modal"')
        self.write("limp.json", limp)
        self.assertIn("rod 'beam' is modal: no equilibrium is solved for where contact is on", self.wrong("solve", "limp.json", "--no-recording").err)

    def test_rods_that_touch_have_modes(self):
        self.write("lying.json", LYING)
        self.assertIn("Hz", self.good("modes", "lying.json", "--count", "3").out)

    def test_a_solve_that_contact_does_not_allow_is_a_wrong_input(self):
        self.write("lying.json", LYING)
        outcome = self.wrong("solve", "lying.json", "--no-recording", "--set", 'rods[0].integrator="verlet"')
        self.assertRegex(outcome.err, r"(?m)^lying\.json:6:12: error: rod 'beam' is explicit; a solve with contact needs")

    def test_a_solve_that_fails_speaks_of_no_loads_that_the_scene_has_not(self):
        rod = {"inextensible": True, "material": "nylon", "section": {"disc": {"radius": 0.002}}, "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "elements": 20}
        clamps = [{"at": "start", "fix": "position"}, {"at": "end", "fix": "position"}]
        self.write("chain.json", json.dumps({"cordage": 1, "rods": [rod], "clamps": clamps}))
        outcome = self.cordage("solve", "chain.json", "--no-recording")
        self.assertEqual(outcome.status, 1, outcome.err)
        self.assertRegex(outcome.out, r"(?m)^  energy +\S+ J: elastic")
        self.assertNotRegex(outcome.out, "wind|torque")

    def test_in_wind_an_equilibrium_whose_stability_is_not_known_is_warned_of(self):
        # Upright and too slender for its weight: with 40 elements the solve finds the shape of a run at rest, with 160 one that a run leaves.
        wind = {"drag": {"along": 0.005, "across": 0.03, "wind": {"velocity": [4, 1, 0]}}}
        scene = {"cordage": 1, "rods": [{"material": {"young": 1e7, "poisson": 0.4, "density": 1200}, "section": {"disc": {"radius": 0.004}},
                 "shape": {"line": {"from": [0, 0, 0], "to": [0, 0, 1]}}, "elements": 40}], "clamps": [{"at": "start", "fix": "frame"}], "loads": [wind]}
        self.write("flag.json", json.dumps(scene))
        outcome = self.good("solve", "flag.json", "--no-recording")
        self.assertRegex(outcome.out, r"J: elastic, weight and those loads that have a potential\n")
        self.assertNotIn("warning", outcome.err)
        for model in ("der", "corde"):
            outcome = self.good("solve", "flag.json", "--no-recording", "-q", "--model", model, "--set", "rods[0].elements=160")
            self.assertIn("warning: the stability of the equilibrium at t = 0 s is not known (its wind or torques", outcome.err)

    def test_sag_of_a_beam(self):
        outcome = self.good("solve", "beam.json")
        self.assertIn("stable", outcome.out)
        self.assertIn("beam.solve.h5", outcome.err)
        drop = 1000 * 9.81 * 4 / (8 * 1e10 * 0.01**2)  # mu g L^4 / 8 EI = 4.9 mm
        tip = self.table("beam.solve.h5", "nodes")[-1]
        # second order in 1/40, and in drop / L
        self.assertAlmostEqual(float(tip["z"]), -drop, delta=1e-3 * drop)
        self.assertEqual(float(tip["time"]), 0.0)

    def test_an_end_that_is_guided(self):
        # it slides across the beam and does not turn; so little weight that the beam is not stretched by going down
        light = 0.01
        self.good(
            "solve", "beam.json", "--set", f"gravity=[0,0,{-9.81 * light}]",
            "--set", 'clamps[1]={"rod":"beam","at":"end","fix":"frame","free_along":[0,0,1]}',
        )
        drop = light * 1000 * 9.81 * 4 / (24 * 1e10 * 0.01**2)  # mu g L^4 / 24 EI
        tip = self.table("beam.solve.h5", "nodes")[-1]
        self.assertAlmostEqual(float(tip["z"]), -drop, delta=2e-3 * drop)  # second order in 1/40
        self.assertAlmostEqual(float(tip["x"]), 1.0, delta=1e-12)

    def test_it_stays_at_rest(self):
        # the same energy as the end of a run with so much drag that it has come to rest
        damped = ["--set", 'loads=[{"drag":{"along":3,"across":3}}]', "--set", "materials.stiff.young=1e7"]
        solved = self.summary("beam.json", "--no-recording", *damped)
        self.assertEqual((solved["end"], solved["moves"], solved["branch"]["points"]), ("done", False, 1))
        run = self.good("run", "beam.json", "--until", "12", "--set", "time.fps=1", *damped)
        self.assertIn("done", run.err)
        energy = self.info("beam.h5")["energy"]["total"]
        # drag 3 N s/m2 against 0.31 kg/m leaves e^-30 of the slowest motion
        self.assertAlmostEqual(energy, solved["energy"], delta=1e-6 * abs(energy))

    def test_what_does_not_move_is_one_point(self):
        summary = self.summary("beam.json", "--to", "7", "--method", "arc")
        self.assertEqual((summary["branch"]["points"], summary["plotted"]), (1, False))
        self.assertFalse(os.path.exists(self.path("beam.solve.svg")))

    def test_what_is_prescribed_to_change_is_followed(self):
        def points(scene, *settings):
            summary = self.summary(scene, "--no-recording", "--friction", "off", *(part for one in settings for part in ("--set", one)))
            self.assertEqual(summary["moves"], summary["branch"]["points"] > 1)
            return summary["branch"]["points"]

        self.write("lying.json", LYING)
        self.assertGreater(points("lying.json", 'loads=[{"force": {"at": "end", "force": [0, 0, -4], "ramp": 1}}]'), 3)  # the floor bears it
        self.assertGreater(points("lying.json", 'loads=[{"force": {"at": "end", "force": [0, 0, -4], "from": 0.9}}]'), 3)
        self.assertGreater(points("lying.json", 'obstacles[1]={"sphere": {"center": [0, 0, 9], "radius": 1}, "motion": [{"translate": {"by": [0, 0, 1]}, "to": 1}]}'), 3)
        self.assertEqual(points("lying.json", 'loads=[{"force": {"at": "end", "force": [0, 0, -4]}}]'), 1)
        self.assertEqual(points("lying.json", 'clamps[0].motion=[{"translate": {"by": [0, 0, 0.1]}, "from": 1, "to": 2}]'), 1)
        # a rope on the ground that friction holds: where it rests depends on how it came there
        self.write("rope.json", """{"cordage": 1, "obstacles": [{"plane": {}}], "rods": [{"integrator": "implicit", "material": "nylon_rope",
            "section": {"disc": {"radius": 0.005}}, "shape": {"line": {"from": [0, 0, 0.005], "to": [1, 0, 0.005]}}, "elements": 40}]}""")
        self.assertFalse(self.summary("rope.json", "--no-recording")["moves"])

    def test_helices_without_stress_are_in_equilibrium(self):
        # so few elements turn so sharply that the round-off of their directions is more than that of their positions
        section = {"ellipse": {"half1": 1.740432786801361e-07, "half2": 3.4808655736027225e-08}}
        rods = [{"model": "pbd", "inextensible": True, "section": section, "elements": 4, "frame": [0, 0, 1],
                 "shape": {"helix": {"radius": 3.480865573602722e-05, "pitch": 0.0017404327868013611, "turns": 0.7}}}]
        for radius, pitch, elements in ((4.071389270614169, 0.01, 3), (14.997204305755998, 0.01, 3), (5.781562294792885e-4, 0.1, 4)):
            helix = {"radius": radius, "pitch": pitch * radius, "turns": elements / 2.6}
            rods += [{"model": "corde", "section": {"disc": {"radius": 0.003 * radius}}, "elements": elements, "shape": {"helix": helix}}]
        for rod in rods:
            with self.subTest(rod=rod):
                scene = {"cordage": 1, "gravity": [0, 0, 0], "rods": [dict(rod, material="nylon")],
                         "clamps": [{"at": "start", "fix": "frame"}] if rod["model"] == "corde" else []}
                self.write("helix.json", json.dumps(scene))
                branch = self.answer("solve", "helix.json", "--no-recording")["branch"]
                self.assertEqual((branch["not_converged"], branch["this_point"]["unstable"]), (0, 0))

    # Limp coils between two clamps: 758 and 2454 iterations with all of the multipliers of every short step.
    def test_limp_coils_hang(self):
        coils = [("pbd", 4.9e7, 3.3334e-4, {"radius": 0.0342, "pitch": 0.0065, "turns": 5, "axis": [0.3, 0.4, -0.8]}, 60),
                 ("corde", 4.9e10, 2.684e-5, {"radius": 0.01836, "pitch": 0.02143, "turns": 10, "axis": [0, 0, 1]}, 120)]
        for model, young, radius, helix, elements in coils:
            rod = {"model": model, "integrator": "implicit", "inextensible": True, "elements": elements, "section": {"disc": {"radius": radius}},
                   "material": {"young": young, "poisson": 0.3, "density": 2000}, "shape": {"helix": helix}}
            scene = {"cordage": 1, "time": {"end": 1}, "rods": [rod], "clamps": [{"at": "start", "fix": "frame"}, {"at": "end", "fix": "position"}]}
            self.write("coil.json", json.dumps(scene))
            self.assertLess(self.answer("solve", "coil.json", "--no-recording")["iterations"], 150)

    def test_too_few_iterations_keep_the_best_state(self):
        outcome = self.cordage("solve", "beam.json", "--iterations", "1", "--set", "materials.stiff.young=1e6")
        self.assertEqual(outcome.status, 1)
        self.assertRegex(outcome.err, r"error: rod 'beam': no equilibrium .* a force of \S+ N is left")
        self.assertIn("best state", outcome.err)
        self.assertIn("--iterations 4 allows more", outcome.err)
        self.assertNotIn("clamps", outcome.err)  # none moves
        info = self.info("beam.solve.h5")
        self.assertEqual((info["frames"], info["branch"]["not_converged"]), (1, 1))
        self.assertIn("no equilibrium", info["failure"])

    def test_what_nothing_holds_has_no_equilibrium_under_gravity(self):
        free = ["--set", "clamps=[]", "--set", "probes=[]"]
        outcome = self.cordage("solve", "beam.json", "--no-recording", *free)
        self.assertEqual(outcome.status, 1)
        self.assertIn("beam.json:6:12: error: nothing holds rod 'beam' against a force of 3.08 N", outcome.err)
        self.good("solve", "beam.json", "--no-recording", *free, "--set", "gravity=[0,0,0]")

    def test_quiet(self):
        outcome = self.good("solve", "beam.json", "--quiet")
        self.assertEqual((outcome.out, outcome.err), ("", ""))
        self.assertEqual(self.answer("solve", "beam.json", "--quiet")["end"], "done")

    def test_wrong_input(self):
        wrong = (
            ["--method", "ark"],
            ["--switch", "1"],
            ["--switch", "1:"],
            ["--switch", "1:0"],
            ["--switch", "x:0.1"],
            ["--switch", "0:0.1"],
            ["--switch", "2:0.1", "--switch", "1:0.1"],
            ["--perturb", "much"],
            ["--perturb", "0"],
            ["--perturb", "0.1:0"],
            ["--points", "0"],
            ["--points", "-1"],
            ["--iterations", "0"],
            ["--tolerance", "-1"],
            ["--seed", "-1"],
            ["--step", "0"],
            ["--from", "2", "--to", "1"],
            ["--plot", "top"],
            ["--plot", "tip.w"],
            ["--set", "rods[7].elements=3"],
            ["extra"],
        )
        for options in wrong:
            with self.subTest(options=options):
                self.wrong("solve", "beam.json", *options)
                self.assertFalse(os.path.exists(self.path("beam.solve.h5")))
        self.wrong("solve")
        self.wrong("solve", "missing.json")
        self.assertIn("did you mean 'tip'", self.wrong("solve", "beam.json", "--plot", "tpi").err)

    def test_files_that_are_no_recordings_are_left_alone(self):
        self.write("beam.solve.h5", "my thesis")
        self.assertIn("is not a recording", self.wrong("solve", "beam.json").err)
        self.assertEqual(self.read("beam.solve.h5"), "my thesis")
        self.good("solve", "beam.json", "-o", "other.h5")
        self.assertIn("is a recording", self.wrong("solve", "other.h5").err)


@needs("hdf5")
class Branch(SolveTest):
    files = {"column.json": COLUMN, "beam.json": BEAM}

    def test_natural_jumps_to_the_buckled_column(self):
        summary = self.summary("column.json", "-o", "column.h5")
        branch = summary["branch"]
        self.assertEqual((summary["end"], summary["moves"]), ("done", True))
        self.assertEqual((branch["least_time"], branch["greatest_time"]), (0, 1))
        self.assertEqual(len(branch["jumps"]), 1)
        jump = branch["jumps"][0]
        self.assertLess(jump["after"], jump["time"])
        fine = ["--method", "arc", "--to", "0.0015", "--step", "2e-5", "--set", "solve.most=2e-5", "--no-recording"]
        critical = self.summary("column.json", *fine)["branch"]["bifurcations"][0]["time"]
        self.assertTrue(jump["after"] <= critical <= jump["time"], (jump, critical))
        outcome = self.good("solve", "column.json", "--no-recording")
        self.assertRegex(outcome.out, rf"(?m)^  jumps +1, between t = {jump['after']:.6g} and {jump['time']:.6g} s$")
        self.assertIn("--method arc", outcome.err)
        self.assertTrue(all(change["unstable"] == 0 for change in branch["stability"]))
        self.assertEqual(self.info("column.h5")["branch"]["points"], branch["points"])
        rows = self.table("column.h5", "branch")
        self.assertEqual(len(rows), branch["points"])
        probes = self.table("column.h5", "probes")
        self.assertEqual(len(probes), branch["points"])

    def test_euler_load(self):
        fine = ["--method", "arc", "--to", "0.0015", "--step", "2e-5", "--set", "solve.most=2e-5"]
        summary = self.summary("column.json", "-o", "column.h5", *fine)
        critical = summary["branch"]["bifurcations"][0]["time"]
        second = self.table("column.h5", "probes")[1]
        push = float(second["push.x"]) / float(second["time"]) * critical  # it grows evenly until the column buckles
        euler = 4 * math.pi**2 * 1e6 * (0.02 * 0.01**3 / 12)  # 4 pi^2 EI / L^2
        self.assertAlmostEqual(push, euler, delta=3e-3 * euler)  # a wave of 40 elements: (2 pi / 40)^2 / 12 is 0.2 %

    def test_switching_takes_either_side(self):
        sides = []
        for sign in ("", "-"):
            options = ["--method", "arc", "--step", "5e-4", "--switch", f"1:{sign}0.01"]
            summary = self.summary("column.json", "-o", "column.h5", *options)
            self.assertEqual(summary["switches"], 1)
            self.assertGreaterEqual(summary["branch"]["greatest_time"], 1.0)
            self.assertEqual(summary["branch"]["stability"][-1]["unstable"], 0)
            middle = self.table("column.h5", "nodes")[-21]
            self.assertEqual(middle["node"], "20")
            sides.append(float(middle["y"]) + float(middle["z"]))
        self.assertGreater(abs(sides[0]), 0.3)  # a third of the length, at 30 % of shortening
        self.assertAlmostEqual(sides[0], -sides[1], delta=1e-6)

    def test_a_twisted_rod_is_switched_with_default_steps(self):
        scene = {"cordage": 1, "gravity": [0, 0, 0], "time": {"end": 3}, "solve": {"method": "arc", "to": 2.5},
                 "rods": [{"stiffness": {"bend": 1, "twist": 0.7, "stretch": 1e6, "mass_per_length": 0.1}, "elements": 60,
                           "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}}],
                 "clamps": [{"at": "start", "fix": "frame"},
                            {"at": "end", "fix": "frame", "free_along": [1, 0, 0], "motion": [{"rotate": {"axis": [1, 0, 0], "turns": 3}, "to": 3}]}]}
        self.write("turned.json", json.dumps(scene))
        summary = self.summary("turned.json", "--no-recording", "--switch", "1:0.01", "--points", "40")
        self.assertEqual(summary["switches"], 1)
        self.assertEqual([event["modes"] for event in summary["branch"]["bifurcations"]], [2])  # it is round
        self.assertEqual(summary["branch"]["stability"][-1]["unstable"], 1)  # the branch bends back from 2.047
        outcome = self.cordage("solve", "turned.json", "--no-recording", "--accept-saddle", "--method", "natural", "--switch", "1:0.01")
        self.assertRegex(outcome.err, 'error: .*take the method "arc"')
        outcome = self.cordage("solve", "turned.json", "--no-recording", "--switch", "1:0.5")
        self.assertEqual(outcome.status, 1, outcome.err)
        self.assertRegex(outcome.err, r"error: the branch that crosses at t = 2.047\d* s was not reached .*: take a smaller amplitude")

    def test_long_steps_stay_on_the_branch(self):
        """The second mode of a pinned strip gives way sideways. Solves in time between the points, and at the end, would leave it."""
        load = 4.6 * math.pi**2 * 1e9 * 0.0045 * 0.002**3 / 12
        scene = {"cordage": 1, "gravity": [0, 0, 0], "time": {"end": 4.6}, "solve": {"method": "arc", "from": 0.5, "to": 4.6},
                 "rods": [{"inextensible": True, "material": {"young": 1e9, "poisson": 0.3, "density": 1000}, "elements": 100, "frame": [0, 0, 1],
                           "section": {"rectangle": {"width1": 0.002, "width2": 0.0045}}, "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}}],
                 "clamps": [{"at": "start"}, {"at": "end", "free_along": [1, 0, 0]}],
                 "loads": [{"force": {"at": "end", "force": [-load, 0, 0], "ramp": 4.6}}]}
        self.write("strip.json", json.dumps(scene))
        times, ends = [], []
        for step in ("0.05", "0.25"):
            summary = self.summary("strip.json", "-o", "strip.h5", "--switch", "2:0.003", "--step", step, "--set", f"solve.most={step}", "--force")
            times.append([event["time"] for event in summary["branch"]["bifurcations"]])
            ends.append(float(self.table("strip.h5", "nodes")[-1]["x"]))
        self.assertEqual(len(times[0]), 3)
        for short, long in zip(*times, strict=True):
            self.assertAlmostEqual(short, long, delta=1e-6)
        self.assertAlmostEqual(ends[0], ends[1], delta=1e-7)

    def test_switches_that_were_not_made_are_told(self):
        outcome = self.good("solve", "column.json", "--no-recording", "--method", "arc", "--points", "4", "--switch", "50:0.01")
        self.assertIn("1 of 1 switches were not made: so many bifurcations", outcome.err)
        outcome = self.good("solve", "column.json", "--no-recording", "--method", "natural", "--switch", "1:0.01")
        self.assertRegex(outcome.err, "1 of 1 switches were not made: .* --switch takes --method arc")

    def test_points_are_limited(self):
        outcome = self.good("solve", "column.json", "--points", "3", "--no-recording")
        self.assertIn("3 points were spent", outcome.err)

    def test_settings_are_in_the_recording(self):
        self.good("solve", "column.json", "--points", "3", "-o", "column.h5")
        self.assertEqual(self.info("column.h5")["branch"]["points"], 3)
        outcome = self.cordage("run", "--resume", "column.h5")
        self.assertNotEqual(outcome.status, 0)
        self.assertIn("followed in one go", outcome.err)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_plot(self):
        os.mkdir(self.path("it's here"))
        target = "it's here/a 'b'.h5"
        self.assertTrue(self.summary("column.json", "-o", target, "--plot", "middle")["plotted"])
        self.assertIn("<svg", self.read("it's here/a 'b'.svg"))
        self.assertEqual(self.read_bytes("it's here/a 'b'.png")[:4], b"\x89PNG")
        self.assertRegex(self.read("it's here/a 'b'.gnuplot"), r"middle [yz] \[m\]")  # whichever it bends to
        self.good("solve", "column.json", "-o", "plain.h5", "--no-plot")
        self.assertFalse(os.path.exists(self.path("plain.svg")))

    def test_plot_of_a_branch_that_is_switched_to(self):
        self.write("euler.json", EULER)
        points = self.summary("euler.json", "--plot", "tip.x")["branch"]
        script = self.read("euler.solve.gnuplot")
        blocks = {}
        for name, text in re.findall(r"\$(\w+) << END\n(.*?)END\n", script, re.S):
            parts = [part for part in text.split("\n\n") if part.strip()]
            blocks[name] = [[tuple(map(float, row.split())) for row in part.split("\n") if row.strip()] for part in parts]
        (diamond,) = blocks["event2"][0]
        self.assertAlmostEqual(diamond[0], points["bifurcations"][0]["time"], delta=1e-8)
        dashed, solid = blocks["line1"], blocks["line0"]
        self.assertEqual(len(dashed), 1)
        self.assertEqual(dashed[0][0], diamond)  # unstable from the bifurcation on, for one point
        self.assertEqual(dashed[0][1:], blocks["point1"][0])
        self.assertIn(diamond, solid[0])  # upright up to there, and bent from there
        bent = [(t, x) for part in solid for t, x in part if t > diamond[0]]
        self.assertTrue(all(abs(x) > 0.01 for t, x in bent), bent)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_plot_of_points_whose_stability_is_not_known(self):
        # on the ball from somewhere on, where it slides with friction
        self.write("lowered.json", PROPPED.replace("0.005]", "0.05]").replace(
            '"fix": "frame" }', '"fix": "frame", "motion": [{ "translate": { "by": [0, 0, -0.05] }, "to": 1 }] }'))
        self.good("solve", "lowered.json", "-o", "lowered.h5")
        script, table = self.read("lowered.gnuplot"), self.table("lowered.h5", "branch")
        for block, unstable, title in ((0, "0", "stable"), (2, "", "stability not known")):
            (rows,) = re.findall(rf"\$point{block} << END\n(.*?)END\n", script, re.S)
            times = [float(row.split()[0]) for row in rows.splitlines()]
            expected = [float(point["time"]) for point in table if point["unstable"] == unstable]
            self.assertGreater(len(expected), 5)
            for time, other in zip(times, expected, strict=True):
                self.assertAlmostEqual(time, other)
            self.assertRegex(script, rf"\$point{block} with points .* title '{title}'")
        self.assertNotIn("title 'unstable'", script)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_plot_of_what_does_not_change(self):
        outcome = self.good("solve", "column.json", "--points", "4", "--plot", "push.y", "-o", "flat.h5")
        self.assertNotIn("range", outcome.err)
        self.assertRegex(outcome.err, r"(?m)^flat\.svg and \.png show it$")

    def test_without_gnuplot(self):
        outcome = self.good("solve", "column.json", "-o", "column.h5", env={"PATH": "/nonexistent"})
        self.assertIn("gnuplot is needed", outcome.err)
        self.assertTrue(os.path.exists(self.path("column.gnuplot")))

    def test_a_rod_that_is_too_short_ends_the_branch(self):
        self.write("short.json", TOO_SHORT)
        outcome = self.cordage("solve", "short.json")
        self.assertEqual(outcome.status, 1)
        self.assertRegex(outcome.err, r"error: the branch ends at t = 0\.13\d* s: .*farther apart than the \S+ m of rod")
        self.assertRegex(outcome.err, r"kept: \d+ points up to t = 0\.13\d* s in short\.solve\.h5")
        self.assertIn("the branch ends", self.info("short.solve.h5")["failure"])

    def test_a_clamp_that_lets_go_ends_the_branch(self):
        tip = {"rod": "beam", "at": "end", "fix": "position", "release": 1, "motion": [{"translate": {"by": [0, 0, -0.01]}, "to": 1}]}
        for end in ("1", "2"):
            outcome = self.cordage("solve", "beam.json", "--set", "gravity=[0,0,0]", "--set", f"clamps[1]={json.dumps(tip)}", "--to", end)
            self.assertEqual(outcome.status, 1)
            self.assertRegex(outcome.err, r"the branch ends at t = 0\.999\d* s: .*a clamp of rod 'beam' lets go at 1 s")

    def test_steps_follow_a_clamp_that_oscillates(self):
        for frequency, amplitude in ((1, 0.4), (5, 0.05)):
            tip = {"rod": "beam", "at": "end", "fix": "position", "motion": [{"oscillate": {"amplitude": [0, 0, amplitude], "frequency": frequency}}]}
            setting = f"clamps[1]={json.dumps(tip)}"
            summary = self.summary("beam.json", "-o", "beam.h5", "--set", "gravity=[0,0,0]", "--set", setting, "--to", "2")
            self.assertEqual(summary["branch"]["jumps"], [])
            points = self.table("beam.h5", "probes")
            times = [float(point["time"]) for point in points]
            most = 0.5 / (2 * math.pi * frequency)  # half a radian
            self.assertLessEqual(max(b - a for a, b in zip(times, times[1:])), most * (1 + 1e-9))
            self.assertGreater(max(float(point["tip.z"]) for point in points), 0.96 * amplitude)

    def test_a_branch_that_turns_back_says_so(self):
        self.write("short.json", TOO_SHORT)
        outcome = self.good("solve", "short.json", "--method", "arc", "--no-recording")
        self.assertRegex(outcome.err, r"turned back at t = 0\.1\d* s .* does not lead to 1 s")
        self.assertRegex(outcome.out, r"folds +1, at t = 0\.1")

    def test_interrupted(self):
        many = ["--step", "1e-6", "--set", "solve.most=1e-6", "--points", "1000000"]
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("solve", "column.json", "-o", "part.h5", *many)
            while not os.path.exists(self.path("part.h5")) and process.poll() is None:
                time.sleep(0.001)
            time.sleep(0.1)
            process.send_signal(number)
            said = process.communicate(timeout=240)[1].decode()
            self.assertEqual(process.returncode, 1, said)
            self.assertIn("interrupted", said)
            info = self.info("part.h5")
            self.assertTrue(info["complete"])
            self.assertGreaterEqual(info["frames"], 1)
            os.remove(self.path("part.h5"))


# Two rods at right angles, the first of which is held; what is wrong comes in the last lines.
CORNER = """{
  "cordage": 1,
  "rods": [
    { "name": "a", "material": "rubber", "inextensible": true, "section": { "disc": { "radius": 0.01 } },
      "shape": { "line": { "from": [0, 0, 0], "to": [1, 0, 0] } }, "elements": 20 },
    { "name": "b", "material": "rubber", "section": { "disc": { "radius": 0.01 } },
      "shape": { "line": { "from": [1, 0, 0], "to": [1, 1, 0] } }, "elements": 20 }
  ],
  "time": { "end": 1 },
  "clamps": [{ "rod": "b", "at": "start", "fix": "frame" }, { "rod": "a", "at": "start", "fix": "frame" }%s],
  "bodies": [{ "name": "bob", "shape": { "sphere": { "radius": 0.02 } }, "mass": 0.1, "position": [1, 0, 0]%s }],
  %s
}
"""
WELD = '"welds": [{ "rod": "a", "at": "end", "body": "bob" }],'
CLAMP = ', { "rod": "a", "at": %s, "fix": "position" }'
APART = CLAMP.replace(" }", ', "motion": [{ "translate": { "by": [0.1, 0, 0] }, "to": 1 }] }')


class BadInput(SceneTest):
    def refused(self, status, expected, clamp="", body="", last=WELD, options=()):
        self.write("corner.json", CORNER % (clamp, body, last))
        outcome = self.cordage("solve", "corner.json", "--no-recording", *options)
        self.assertEqual(outcome.status, status, outcome.err)
        self.assertRegex(outcome.err, r"^corner\.json:" + expected)

    def test_the_scene_is_good_without_a_mistake(self):
        self.write("corner.json", CORNER % ("", "", WELD))
        self.good("solve", "corner.json", "--no-recording")

    def test_welds_and_bodies(self):
        missing = WELD.replace("bob", "bib")
        self.refused(2, r'12:\d+: error: welds\[0\]\.body is "bib", .* did you mean "bob"', last=missing)
        twice = WELD.replace("],", ', { "rod": "a", "at": { "edge": 19 }, "body": "bob" }],')
        self.refused(2, r'12:\d+: error: welds\[1\] holds node 19 of rod "a", which welds\[0\] \(line 12\) holds already; ', last=twice)
        held = '"welds": [{ "rod": "a", "at": "start", "body": "bob" }],'
        self.refused(2, r'12:\d+: error: welds\[0\] holds node 0 of rod "a", which clamps\[1\] \(line 10\) holds already; ', last=held)
        none = ', "inertia": [0, 1, 1]'
        self.refused(2, r"11:\d+: error: bodies\[0\]\.inertia\[0\] is 0; .* must be positive", body=none)
        skew = ', "inertia": [[1, 0, 0], [0.5, 1, 0], [0, 0, 1]]'
        self.refused(2, r"11:\d+: error: bodies\[0\]\.inertia .* an inertia is symmetric", body=skew)
        flat = ', "inertia": [1, 1, 3]'
        self.refused(2, r"11:121: error: bodies\[0\]: .* none can be larger than the other two together", body=flat)

    def test_a_joint_that_is_clamped(self):
        corner = '"joints": [{ "rods": [["a", "end"], ["b", "start"]] }]'
        advice = r"a joint may not be clamped: clamp the rod beside it, at \{\"edge\": 3\}, say"
        self.refused(2, r'12:\d+: error: joints\[0\] joins node 0 of rod "b", which clamps\[0\] .* ' + advice, last=corner)

    def test_a_push_along_a_vibration_that_is_not_there(self):
        self.write("beam.json", BEAM)
        outcome = self.wrong("solve", "beam.json", "--no-recording", "--perturb", "0.1:900")
        self.assertRegex(outcome.err, r"--perturb.*: 900 vibrations were asked for, and these rods have")

    def test_a_loop_that_cannot_close(self):
        far = WELD + '"joints": [{ "rods": [["a", { "node": 10 }], ["b", "end"]], "kind": "pin" }]'
        self.refused(2, r"12:\d+: error: joints\[0\]: .* so that they cannot close", last=far)

    def test_clamps_that_contradict_each_other(self):
        held, moved = CLAMP % '{ "node": 1 }', APART % '{ "node": 2 }'
        self.refused(2, r'10:\d+: error: clamps\[2\] holds node 1 of rod "a", which clamps\[1\] \(line 10\) holds already; ', held)
        self.refused(1, r"10:108: error: the branch ends at t = 0 s: .* nodes 1 and 2 .* farther apart than", moved)

    def test_a_rod_that_is_too_short(self):
        weightless = ["--set", "gravity=[0,0,0]"]
        taut = APART % '"end"'
        self.refused(1, r"10:108: error: the branch ends at t = 0 s: .* farther apart than", taut, "", "", weightless)

    def test_what_nothing_holds(self):
        self.refused(1, r"11:14: error: body 'bob' is welded to nothing that could hold it", last="")
        free = ["--set", 'clamps=[{ "rod": "b", "at": "start", "fix": "frame" }]']
        self.refused(1, r"4:5: error: nothing holds rod 'a' and what it is joined to .*: clamp it", options=free)


class Neutral(SceneTest):
    # What is free, and pulled by nothing, has motions that cost nothing: round-off decides on the sign of their squared frequencies.
    def test_what_costs_nothing_is_not_called_stable(self):
        self.write("beam.json", BEAM)
        ring = '{ "circle": { "radius": 0.3 } }'
        for elements in range(6, 26):
            free = ["--set", "gravity=[0,0,0]", "--set", "clamps=[]", "--set", f"rods[0].elements={elements}"]
            bent = ["--set", f"rods[0].shape={ring}", "--set", "rods[0].rest=straight", "--set", "probes=[]"]
            told = self.good("solve", "beam.json", "--no-recording", *free, *(bent if elements % 2 else [])).out
            self.assertIn("s, neutral", told)
            self.assertEqual(float(re.search(r"omega\^2 = (\S+)", told).group(1)), 0.0)
            for mode in self.good("modes", "beam.json", "-n", "6", *free).out.splitlines()[1:]:
                self.assertNotIn("unstable", mode)


    def test_a_recording_tells_of_neutral_points(self):
        self.write("beam.json", BEAM)
        self.good("solve", "beam.json", "--no-plot", "-o", "free.h5", "--set", "gravity=[0,0,0]", "--set", "clamps=[]")
        told = self.good("info", "free.h5").out
        self.assertRegex(told, r"stability +neutral \(a motion costs nothing\) from point 0")
        self.assertRegex(told, "this point +0, neutral")


class Modes(SceneTest):
    def setUp(self):
        super().setUp()
        self.write("beam.json", BEAM)
        self.nothing = ["--set", "gravity=[0,0,0]"]

    def modes(self, *arguments):
        return self.answer("modes", "beam.json", *arguments)["modes"]

    def test_frequencies_of_a_beam(self):
        found = [mode["frequency"] for mode in self.modes("--count", "6", *self.nothing)]
        speed = math.sqrt(1e10 * 0.01**2 / (4 * 1000))  # sqrt(EI / mu) [m^2/s]
        for k, root in enumerate((1.875104, 4.694091, 7.854757)):
            exact = root**2 * speed / (2 * math.pi)
            for frequency in found[2 * k : 2 * k + 2]:  # a round beam bends both ways alike
                # second order: the third has 1.5e-3 at 80 elements, so 6e-3 at 40
                self.assertAlmostEqual(frequency, exact, delta=8e-3 * exact)

    def test_about_the_equilibrium(self):
        soft = ["--set", "materials.stiff.young=1e6", "--count", "1"]
        sagging, straight = self.modes(*soft), self.modes(*soft, *self.nothing)
        self.assertGreater(sagging[0]["frequency"], 1.5 * straight[0]["frequency"])  # it hangs, almost: a pendulum
        as_is = self.modes(*soft, "--as-is")
        self.assertAlmostEqual(as_is[0]["omega2"], straight[0]["omega2"], delta=1e-6 * straight[0]["omega2"])

    def test_table(self):
        lines = self.good("modes", "beam.json", "--count", "4").out.splitlines()
        self.assertEqual(len(lines), 5)
        self.assertIn("[Hz]", lines[0])

    def test_wrong_input(self):
        for options in (["-n", "0"], ["-n", "100000"], ["--mode", "11"], ["--mode", "0"], ["--amplitude", "0"]):
            self.wrong("modes", "beam.json", *options)
        self.wrong("modes")
        self.wrong("modes", "missing.json")
        self.assertIn("these rods have", self.wrong("modes", "beam.json", "-n", "900").err)

    def test_what_has_no_equilibrium_is_told_by_its_place(self):
        outcome = self.cordage("modes", "beam.json", "--set", "clamps=[]")
        self.assertEqual(outcome.status, 1)
        self.assertRegex(outcome.err, r"^beam\.json:6:\d+: error: nothing holds rod 'beam'")


@needs("hdf5")
class ModesRecorded(SceneTest):
    def test_a_vibration_as_a_run(self):
        self.write("beam.json", BEAM)
        options = ["--set", "gravity=[0,0,0]", "--mode", "3", "--amplitude", "0.02"]
        outcome = self.good("modes", "beam.json", *options, "-o", "third.h5")
        self.assertIn("--speed", outcome.err)
        info = self.info("third.h5")
        self.assertEqual(info["frames"], 121)
        far = max(math.hypot(float(row["y"]), float(row["z"])) for row in self.table("third.h5"))
        self.assertAlmostEqual(far, 0.02, delta=1e-3 * 0.02)  # at a quarter of the period, which is a frame

    def test_a_recording_is_no_scene(self):
        self.write("rope.json", ROPE)
        self.good("run", "rope.json", "--until", "0.02")
        self.assertIn("is a recording", self.wrong("modes", "rope.h5").err)


if __name__ == "__main__":
    unittest.main()
