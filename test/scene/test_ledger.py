"""The ledger of energy and momentum: what info tells of it, and what run does where it does not close."""

import math
import re
import unittest

from program import ROPE, SceneTest, needs

# A rod that is let go as it is and hit by nothing, too soft for steps of milliseconds once it is stretched.
THREAD = """{
  "cordage": 1,
  "time": { "step": %s, "end": 2 },
  "rods": [{
    "name": "thread", "material": { "young": 5000, "density": 1000, "poisson": 0.45 }, "section": { "disc": { "radius": 0.001 } },
    "shape": { "line": { "from": [0, 0, 0], "to": [1, 0, 0] } }, "elements": 100
  }],
  "clamps": [{ "rod": "thread", "at": "start", "fix": "position" }]
}
"""

DRIVEN = ROPE.replace('"fix": "position" }', '"fix": "position", "motion": [{ "oscillate": { "amplitude": [0, 0, 0.05], "frequency": 3 } }] }')


@needs("hdf5")
class Ledger(SceneTest):
    files = {"rope.json": ROPE}

    def entries(self, path, *options):
        return {entry["name"]: entry for entry in self.info(path, *options)["ledger"]}

    def test_blows_of_a_few_steps_are_the_work_of_their_loads(self):
        # on a body, and a torque on frames with inertia: both are shorter than the time between two readings
        rod = ('{ "cordage": 1, "gravity": [0, 0, 0], "time": { "end": 0.3, "fps": 20 }, "rods": [{ "name": "r", "elements": 10, "dynamic_twist": true,'
               ' "material": { "young": 1e9, "poisson": 0.3, "density": 1000 }, "section": { "disc": { "radius": 0.01 } },'
               ' "shape": { "line": { "from": [0, 0, 0], "to": [0, 0, -1] } } }], %s }')
        body = '"bodies": [{ "name": "b", "position": [1, 0, 0], "shape": { "sphere": { "radius": 0.1 } }, "mass": 1 }]'
        force = '"loads": [{ "force": { "body": "b", "force": [0, 0, 100], "from": 0.1, "to": 0.101 } }]'
        torque = '"clamps": [{ "at": "start", "fix": "frame" }], "loads": [{ "torque": { "at": "end", "torque": [0, 0, 1], "from": 0.1, "to": 0.1005 } }]'
        # an impulse of 0.1 N s on 1 kg; the work of the torque is that of the trapezoidal rule
        for text, most in ((f"{body}, {force}", 1e-9), (torque, 0.01)):
            self.write("blow.json", rod % text)
            self.assertNotIn("nowhere", self.good("run", "blow.json", "--force").err)
            found = self.entries("blow.h5")
            self.assertLess(abs(found["unaccounted"]["work"]), most * found["unaccounted"]["exchanged"])
        self.write("blow.json", rod % f"{body}, {force}")
        self.good("run", "blow.json", "--force")
        self.assertAlmostEqual(self.info("blow.h5")["energy"]["total"], 0.005, delta=1e-9)

    def test_a_swinging_rope(self):
        self.write("driven.json", DRIVEN.replace('"probes"', '"loads": [{ "drag": { "along": 0.05, "across": 0.2 } }], "probes"'))
        outcome = self.good("run", "driven.json")
        found = self.entries("driven.h5")
        first, last = self.info("driven.h5", "--frame", "0"), self.info("driven.h5")
        change = last["energy"]["total"] - first["energy"]["total"]
        self.assertAlmostEqual(sum(entry["work"] for entry in found.values()), change, delta=1e-12)
        self.assertGreater(abs(found["clamp 1 (rope)"]["work"]), 0.01)
        self.assertLess(found["drag 1"]["work"], -0.01)
        rest = found["unaccounted"]
        self.assertLess(abs(rest["work"]), 1e-4 * rest["exchanged"])  # forces are read after every 4th step
        told = re.search(r"^ledger: (\S+) J", outcome.err, re.MULTILINE)
        self.assertAlmostEqual(float(told.group(1)), rest["work"], delta=1e-2 * abs(rest["work"]))

    def test_a_clamp_that_turns_many_times_between_two_readings(self):
        turn = '{ "rod": "rope", "at": "end", "fix": "frame", "motion": [{ "rotate": { "axis": [1, 0, 0], "turns": %s }, "from": 0.1, "to": %s }] }'
        for turns, to, more in (("0.5", "0.1", ""), ("37.25", "0.1", ""), ("37.25", "0.11", ""), ("37.25", "0.11", ', "integrator": "implicit"')):
            scene = ROPE.replace('"clamps": [{ "rod": "rope", "at": "start", "fix": "position" }]', '"clamps": [{ "rod": "rope", "at": "start", "fix": "frame" }, ' + turn % (turns, to) + "]")
            self.write("wound.json", scene.replace('"elements": 20', '"elements": 20' + more))
            self.good("run", "wound.json", "--set", "gravity=[0,0,0]", "--until", "0.2", "--force")
            found = self.entries("wound.h5")
            stored = self.info("wound.h5")["energy"]["twist"]
            self.assertAlmostEqual(found["clamp 2 (rope)"]["work"], stored, delta=1e-9 * stored)
            self.assertLess(abs(found["unaccounted"]["work"]), 1e-9 * stored)

    def test_an_inextensible_position_based_rope_whose_clamps_approach(self):
        # Newton's method, if it were tried again after Gauss-Newton has led past buckling, would find other equilibria: 11 J from nowhere at 0.18 s
        approach = '"fix": "position" }, { "rod": "rope", "at": "end", "motion": [{ "translate": { "by": [-0.25, 0, 0] }, "from": 0.1, "to": 0.3 }] }'
        self.write("approach.json", ROPE.replace('"fix": "position" }', approach).replace('"elements": 20', '"elements": 20, "inextensible": true'))
        outcome = self.good("run", "approach.json", "--model", "pbd")
        self.assertNotIn("warning", outcome.err)
        rest = self.entries("approach.h5")["unaccounted"]
        self.assertLess(rest["work"], 1e-3 * rest["exchanged"])  # it may lose some, which has no entry

    def test_a_sliding_clamp_in_drag(self):
        scene = ROPE.replace('"fix": "position" }', '"fix": "direction", "free_along": [1, 0, 0] }').replace('"elements": 20', '"elements": 20, "inextensible": true')
        self.write("slides.json", scene.replace('"probes"', '"loads": [{ "drag": { "along": 0.05, "across": 0.2 } }], "probes"'))
        outcome = self.good("run", "slides.json", "--step", "0.0002")
        self.assertNotIn("warning", outcome.err)
        found = self.entries("slides.h5")
        self.assertLess(math.dist(found["unaccounted"]["impulse"], (0, 0, 0)), 2e-4 * math.dist(found["gravity"]["impulse"], (0, 0, 0)))  # first order: 8e-5

    def test_every_step_tells_what_a_clamp_does(self):
        self.write("driven.json", DRIVEN)
        self.good("run", "driven.json")
        rest = self.entries("driven.h5")["unaccounted"]
        self.assertLess(abs(rest["work"]), 1e-5 * rest["exchanged"])  # 4.5e-7 measured; 3.5e-5 if read after every 4th step

    def test_a_resumed_run_goes_on_with_its_ledger(self):
        self.good("run", "rope.json", "-o", "whole.h5")
        self.good("run", "rope.json", "-o", "parts.h5", "--until", "0.2")
        self.good("run", "--resume", "parts.h5", "--until", "0.5")
        self.assertEqual(self.entries("whole.h5"), self.entries("parts.h5"))

    def test_energy_from_nowhere_stops_a_run(self):
        self.write("thread.json", THREAD % "0.002")
        outcome = self.cordage("run", "thread.json")
        self.assertEqual(outcome.status, 1, outcome.err)
        self.assertRegex(outcome.err, r"error: the run was stopped: at t = \S+ s \S+ J of energy have come from nowhere")
        self.assertRegex(outcome.err, r"try --step \S+")
        self.assertIn("come from nowhere", self.info("thread.h5")["failure"])

    def test_the_last_frame_is_judged_by_itself(self):
        self.write("thread.json", THREAD % "0.002")
        outcome = self.cordage("run", "thread.json", "--until", "1.68")
        stopped = re.search(r"at t = (\S+) s \S+ J of energy have come from nowhere", outcome.err)
        self.assertTrue(stopped, outcome.err)
        self.assertEqual(outcome.status, 1)
        self.assertAlmostEqual(float(stopped.group(1)), 1.68)

    def test_a_table_of_every_frame(self):
        self.good("run", "rope.json")
        self.good("export", "rope.h5", "--what", "ledger", "-o", "ledger.csv")
        rows = self.read("ledger.csv").splitlines()
        self.assertEqual(rows[0], "time,entry,kind,work,exchanged,px,py,pz,Lx,Ly,Lz")
        entries = self.info("rope.h5")["ledger"]
        self.assertEqual(len(rows) - 1, self.info("rope.h5")["frames"] * len(entries))
        for row, entry in zip(rows[-len(entries):], entries):
            values = row.split(",")
            self.assertEqual(values[1:3], [entry["name"], entry["kind"]])
            self.assertEqual([float(v) for v in values[3:8]], [entry["work"], entry["exchanged"], *entry["impulse"]])
        self.assertIn("has no ledger", self.wrong("export", "rope.json", "--what", "ledger", "-o", "none.csv").err)

    def test_rounding_is_told_as_no_work(self):
        self.good("run", "rope.json", "--model", "pbd", "-o", "still.h5")
        self.assertLess(abs(self.entries("still.h5")["clamp 1 (rope)"]["work"]), 1e-15)
        self.assertRegex(self.good("info", "still.h5").out, r"(?m)^  clamp 1 \(rope\) +0 ")

    def test_what_the_integrator_takes_is_told(self):
        self.write("slow.json", ROPE.replace('"rods": [{', '"rods": [{ "integrator": "backward_euler",').replace('"step": "auto"', '"step": 0.005'))
        outcome = self.good("run", "slow.json")
        found = self.entries("slow.h5")
        rest = found["unaccounted"]
        self.assertLess(found["integrator"]["work"], -0.01 * rest["exchanged"])
        self.assertLess(abs(rest["work"]), 1e-6 * rest["exchanged"])  # the residual of Newton's method
        told = re.search(r"^ledger: .* are not accounted for; the integrator took (\S+) J, (\S+) %$", outcome.err, re.MULTILINE)
        self.assertAlmostEqual(float(told.group(1)), -found["integrator"]["work"], delta=1e-2 * float(told.group(1)))
        self.assertAlmostEqual(float(told.group(2)), -100 * found["integrator"]["work"] / rest["exchanged"], delta=0.1 * float(told.group(2)))
        self.assertNotIn("the integrator", self.good("run", "rope.json", "--no-recording").err)

    def test_a_motion_that_the_integrator_ends_is_told(self):
        # An undamped rod that swings about a pin should keep swinging. Steps that take more than the damping that rods are given contradict the scene.
        damped = ["--set", "rods[0].damping={\"time\":0.001}"]
        for options in (["--model", "pbd"], ["--set", 'rods[0].integrator="backward_euler"']):
            coarse = ["run", "rope.json", "--no-recording", "--until", "3", "--step", "0.015", *options]
            outcome = self.good(*coarse)
            self.assertRegex(outcome.err, r"the integrator took \S+ J, [3-9]\d %\nledger: the integrator damps the motion more than the scene does")
            self.assertNotIn("warning: the integrator", outcome.err)
            self.assertRegex(self.good(*coarse, *damped).err, r"warning: the integrator has taken \S+ J up to t = 3 s, and the \"damping\" of rods \S+ J")
            outcome = self.good("run", "rope.json", "--no-recording", "--until", "0.5", "--step", "0.001", *options, *damped)
            self.assertNotRegex(outcome.err, "warning: the integrator|damps the motion more")

    def test_what_the_midpoint_rule_loses_is_told(self):
        # Corners whose bending changes its sign turn their frames over a step late.
        bent = ROPE.replace('"line": { "from": [0, 0, 0], "to": [1, 0, 0] }', '"polyline": { "points": [[0, 0, 0], [0.5, 0, -0.1], [1, 0, 0]] }')
        bent = bent.replace('"fix": "position" }', '"fix": "position" }, { "rod": "rope", "at": "end", "fix": "position" }')
        self.write("chain.json", bent.replace('"elements": 20', '"elements": 20, "integrator": "implicit", "inextensible": true'))
        coarse = self.good("run", "chain.json", "--no-recording", "--until", "2", "--step", "0.002")
        self.assertRegex(coarse.err, r"warning: the midpoint rule has taken \S+ J up to t = 2 s, [1-9]\d % of the energy in motion")
        self.assertNotIn("damps the motion more", coarse.err)  # that advises the midpoint rule

    def test_losses_of_one_rod_hide_no_energy_that_another_makes(self):
        # steps of the midpoint rule, 20 times as long as its error allows
        makes = """{"name": "makes", "model": "pbd", "integrator": "implicit", "material": {"young": 343044.35040855984, "poisson": 0.3900858691489488, "density": 628.942774139104, "friction": 0.43017789669181206}, "section": {"tube": {"outer_radius": 0.014378280073045539, "inner_radius": 0.008396297928205317}}, "shape": {"polyline": {"points": [[-0.09004209567950008, -0.17409245538842294, 0.039802487139294754], [0.05078041967483182, -0.1441105688558478, 0.22516539773201327], [0.18936802676395273, -0.032461171420470974, 0.369791625309883], [0.326774174475848, 0.0009741544753226472, 0.47808490026422157]]}}, "elements": 13, "rest": "straight", "frame": [0.7575530216267193, 0.19424873339815443, 0.6232020932229286], "inextensible": false, "dynamic_twist": true, "damping": {"time": 0.0004315665507084629}, "velocity": [0, 0, 0], "spin": [0, 0, 0]}"""
        takes = """{"name": "takes", "material": "nylon", "model": "der", "integrator": "backward_euler", "rest": "straight", "elements": 20, "section": {"disc": {"radius": 0.0012}}, "shape": {"polyline": {"points": [[5, 5, 5], [5.25, 5.05, 5], [5.5, 5, 5]]}}}"""
        clamp = """{"rod": "makes", "at": "start", "fix": "frame", "motion": [{"oscillate": {"frequency": 1.1106246988056592, "phase": -0.8560150393402468, "amplitude": [6.259558051962035e-05, -0.00025780090710449723, 0.00021521421631471042]}, "from": 0.07015497701473788, "to": 0.9674624257999239}]}"""
        time = """{"step": 0.06286764426012979, "end": 1.0058823081620767, "fps": 0.9941520910405267}"""
        for rods in (makes, makes + ", " + takes):
            self.write("two.json", '{ "cordage": 1, "gravity": [0, 0, 0], "time": %s, "rods": [%s], "clamps": [%s] }' % (time, rods, clamp))
            self.assertRegex(self.cordage("run", "two.json", "--no-recording").err, "the run was stopped: .* J of energy have come from nowhere, [5-9]")

    def test_friction_that_turns_frames_is_no_work_of_the_integrator(self):
        for more in ([], ["--set", "rods[0].dynamic_twist=true", "--set", "rods[1].dynamic_twist=true"]):
            self.good("run", "square_knot", "--until", "0.04", "--step", "0.0004", "-o", "knot.h5", "--force", *more)
            found = self.entries("knot.h5")
            steps, rest = found["integrator"], found["unaccounted"]
            self.assertLess(steps["exchanged"] + steps["work"], 1e-4 * rest["exchanged"])  # backward Euler makes none
            self.assertLess(abs(rest["work"]), 1e-5 * rest["exchanged"])  # overlaps are put right in positions, which no entry counts

    def test_work_that_goes_to_and_fro_hides_no_loss(self):
        # A rod on a spring, whose work goes to and fro in every cycle.
        spring = '"loads": [{ "spring": { "at": "end", "target": [0.6, 0, 0.05], "stiffness": 2 } }], "probes"'
        self.write("bob.json", ROPE.replace('"rods": [{', '"rods": [{ "integrator": "backward_euler",').replace('"probes"', spring))
        shares = []
        for until in ("5", "10"):
            outcome = self.good("run", "bob.json", "--no-recording", "--step", "0.005", "--until", until, "--set", "gravity=[0,0,0]", "--set", "clamps=[]", "--set", "probes=[]")
            shares.append(float(re.search(r"the integrator took \S+ J, (\S+) %", outcome.err).group(1)))
        self.assertGreater(shares[1], max(30, shares[0]))

    def test_frames_that_give_way_to_the_torque_of_a_clamp(self):
        # They have no inertia and turn at once, by 0.019 rad: half of the torque's work is stored.
        ends = '"clamps": [{ "rod": "rope", "at": "start", "fix": "frame" }, { "rod": "rope", "at": "end", "fix": "frame", "torque": 0.0001 }]'
        self.write("turned.json", ROPE.replace('"clamps": [{ "rod": "rope", "at": "start", "fix": "position" }]', ends))
        for model in ("der", "corde"):
            self.good("run", "turned.json", "--model", model, "--set", "gravity=[0,0,0]", "--until", "0.1", "--force")
            found = self.entries("turned.h5")
            self.assertLess(abs(found["unaccounted"]["work"]), 1e-9 * self.info("turned.h5")["energy"]["twist"])

    BENT = ROPE.replace('"line": { "from": [0, 0, 0], "to": [1, 0, 0] }', '"polyline": { "points": [[0, 0, 0], [0.2, 0.05, 0], [0.35, 0.15, 0], [0.5, 0.3, 0], [0.55, 0.5, 0]] }')
    BENT = BENT.replace('"elements": 20', '"integrator": "implicit", "adapt": { "refine_turn": 0.25, "merge_turn": 0.1 }')
    STILL = ["run", "arc.json", "--set", "gravity=[0,0,0]", "--step", "0.001", "--until", "0.1", "--force"]

    def test_a_rod_curved_at_rest_stays_at_rest(self):
        # Each of its elements turns by more than refine_turn.
        self.write("arc.json", self.BENT)
        self.good(*self.STILL)
        self.assertLess(self.info("arc.h5")["energy"]["total"], 1e-20)

    def test_rods_that_touch_take_in_nodes_and_stay_at_rest(self):
        # a bent rod that touches a floor: contacts refine it
        floor = '"contact": {}, "obstacles": [{ "plane": { "through": [0, 0, -0.01], "normal": [0, 0, 1] } }], "rods"'
        self.write("arc.json", self.BENT.replace('"rods"', floor))
        self.good(*self.STILL)
        found = self.entries("arc.h5")
        self.assertLess(abs(found["remeshing"]["work"]) + abs(found["unaccounted"]["work"]), 1e-12)

    def test_lengths_that_sweeps_keep_store_nothing(self):
        # The springs of a free rod that spins hold 30 J after some steps, a hundred times what the rod has.
        sweeps = ["--model", "pbd", "--set", "rods[0].inextensible=true", "--set", 'rods[0].pbd={"method":"sweeps"}', "--set", "rods[0].spin=[0,0,5]"]
        self.good("run", "rope.json", *sweeps, "--set", "clamps=[]", "--set", "probes=[]")
        self.assertEqual(self.info("rope.h5")["energy"]["stretch"], 0)

    def test_a_modal_rod_that_is_shaken_makes_no_energy(self):
        # What its support does is known as roughly as steps are long.
        self.write("driven.json", DRIVEN.replace('"fix": "position"', '"fix": "frame"').replace("1e6", "1e9"))
        self.assertNotIn("nowhere", self.good("run", "driven.json", "--model", "modal", "--no-recording").err)

    def test_losses_without_an_entry_are_told_as_such(self):
        # Fast projection takes energy out of a rope that swings, without a trace.
        taut = ["--set", "rods[0].inextensible=true", "--set", 'rods[0].length_method="fast_projection"', "--step", "0.002", "--no-recording"]
        outcome = self.good("run", "rope.json", *taut)
        self.assertRegex(outcome.err, r"(?m)^ledger: -\S+ J, -\S+ % .*\nledger: not every loss has an entry in this scene \(fast projection\)$")
        rigid = ["--model", "pbd", "--set", "rods[0].inextensible=true", "--set", 'rods[0].pbd={"substeps":3}', "--no-recording"]
        self.assertIn("in this scene (inextensible position-based rods)\n", self.good("run", "rope.json", *rigid).err)
        self.assertNotIn("not every loss", self.good("run", "rope.json", "--no-recording").err)

    def test_what_stands_still_has_no_per_cents(self):
        outcome = self.good("run", "rope.json", "--set", "gravity=[0,0,0]", "--no-recording")
        self.assertIn("\nledger: nothing moves\n", outcome.err)

    def test_the_swing_of_a_stiff_bar_is_judged(self):
        # It never has the energy that it would take to bend it.
        bar = ["--set", "rods[0].integrator=\"backward_euler\"", "--set", "rods[0].stiffness.bend=1e4", "--set", 'rods[0].shape.line.to=[0.05,0,-0.99]']
        outcome = self.good("run", "rope.json", *bar, "--step", "0.01", "--until", "5", "--no-recording")
        self.assertIn("the integrator damps the motion more than the scene does", outcome.err)

    def test_steps_that_are_short_enough_keep_energy(self):
        self.write("thread.json", THREAD % "1e-4")
        self.good("run", "thread.json")
        rest = self.entries("thread.h5")["unaccounted"]
        self.assertLess(abs(rest["work"]), 1e-3 * rest["exchanged"])


if __name__ == "__main__":
    unittest.main()
