"""The cases of other simulators, scenes/peers, against closed forms and published values. docs/coming_from.md has the scenes and their sources.

Where an error is of second order in the length of an element, the value is extrapolated from n and 2n elements, and the tolerance is what is
left of higher order; other tolerances say where they come from.
"""

import csv
import json
import math
import unittest

import kirchhoff
from program import SceneTest, needs

G = 9.80665
MODELS = ("der", "corde", "pbd")  # each of second order, with a discrete strain of its own


def ends_carried_on(points):
    """A closed polygon: the end edges go on far, then aside, and are joined there. Clamps that turn about these edges turn about the tails."""
    far = 1000 * sum(math.dist(a, b) for a, b in zip(points, points[1:]))
    tails = []
    for end, inner in ((points[0], points[1]), (points[-1], points[-2])):
        length = math.dist(end, inner)
        tails.append([e + far * (e - i) / length for e, i in zip(end, inner)])
    aside = [[c + far * d for c, d in zip(tail, (0.3, 0.5, -1.0))] for tail in tails]
    return [aside[0], tails[0], *points, tails[1], aside[1], aside[0]]


def pair_writhe(a, b, c, d):
    """Of the edges ab and cd: the solid angle from which they are seen to cross, with its sign, over 4 pi (Banchoff 1976)."""
    sides = [[q - p for p, q in zip(*pair)] for pair in ((a, c), (a, d), (b, d), (b, c))]
    normals = [kirchhoff.cross(sides[i], sides[(i + 1) % 4]) for i in range(4)]
    sizes = [math.hypot(*n) for n in normals]
    if min(sizes) == 0:
        return 0.0
    units = [[c / size for c in n] for n, size in zip(normals, sizes)]
    angle = sum(math.asin(max(-1.0, min(1.0, kirchhoff.dot(units[i], units[(i + 1) % 4])))) for i in range(4))
    first, second = ([q - p for p, q in zip(*pair)] for pair in ((a, b), (c, d)))
    return math.copysign(angle, kirchhoff.dot(kirchhoff.cross(second, first), sides[0])) / (4 * math.pi)


def writhe(points):
    """Of an open rod between clamps, in turns."""
    p = ends_carried_on(points)
    edges = range(len(p) - 1)
    return 2 * sum(pair_writhe(p[i], p[i + 1], p[j], p[j + 1]) for i in edges for j in edges if j > i + 1)


def root(function, low, high):
    """By bisection."""
    sign = math.copysign(1, function(low))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if sign * function(middle) > 0 else (low, middle)
    return low


def torque_that_buckles(tension, bend, length):
    """A straight rod between clamps, one of which slides: EI w'''' - i M w''' - T w'' = 0 with w and w' 0 at both ends."""
    least = 2 * math.sqrt(bend * tension)

    def singular(torque):
        m = torque / (2 * bend)
        q = math.sqrt(m * m - tension / bend)
        a, b = (m + q) * length / 2, (m - q) * length / 2
        return b * math.sin(b) * (math.sin(a) - a * math.cos(a)) - a * math.sin(a) * (math.sin(b) - b * math.cos(b))

    torque = least * (1 + 1e-4)  # at the least itself there is a root that is none
    while singular(torque) * singular(torque * 1.0005) > 0:
        torque *= 1.0005
    return root(singular, torque, torque * 1.0005)


# Torque L / EI and pull L^2 / EI of a long rod that is twisted by 27 turns, with ends 3 % nearer than it is long: eqs. 14 and 15 of van der Heijden and
# Thompson's theory of writhing, 2001, as PyElastica has solved them.
BUCKLED = (98.541496171190744, 2900.993205792131)


def buckled_points(edges):
    """Its curve along x, 100 m between the middles of the first and the last edge, which are added: edges of equal length along the tangents."""
    m, t = BUCKLED[0] / (2 * math.pi), BUCKLED[1] / (4 * math.pi**2)
    rate = math.sqrt(4 * t - m * m)
    points = [[0.0, 0.0, 0.0]]
    for i in range(edges + 1):
        s = math.pi * (i / edges - 0.5)
        fall, c, d = 1 / math.cosh(rate * s), math.cos(m * s), math.sin(m * s)
        wide = rate * fall / (2 * t)
        slow = rate * math.tanh(rate * s)
        tangent = [1 - wide * rate * fall, wide * (m * c - slow * d), wide * (m * d + slow * c)]
        size = math.hypot(*tangent)
        points.append([p + 100 / edges * q / size for p, q in zip(points[-1], tangent)])
    return points


def slope(rows, key, start):
    """How fast a value has changed on average from a time on."""
    first = next(row for row in rows if row["time"] >= start)
    return (rows[-1][key] - first[key]) / (rows[-1]["time"] - first["time"])


def mean(rows, key, start):
    """Over time."""
    late = [row[key] for row in rows if row["time"] >= start]
    return sum(late) / len(late)


def energy(row, name="energy"):
    return sum(row[f"{name}.{kind}"] for kind in ("kinetic", "bend", "twist", "stretch", "gravity"))


def leaning(degrees):
    a = math.radians(degrees)
    return f"gravity=[{G * math.sin(a)!r},0,{-G * math.cos(a)!r}]"


@needs("hdf5")
class Peers(SceneTest):
    def rows(self, command, name, *options):
        """What the probes read, at every step of a run or point of a solve."""
        settings = [word for option in options for word in (("--set", option) if "=" in option else (option,))]
        self.good(command, f"peers/{name}", "-q", "-o", "out.h5", *(["--no-plot"] if command == "solve" else []), *settings)
        text = self.good("export", "out.h5", "--probes", "-o", "-").out
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(text.splitlines())]

    def ran(self, name, *options):
        return self.rows("run", name, *options)

    def solved(self, name, *options):
        return self.rows("solve", name, *options)[-1]

    def refined(self, name, elements, *options):
        """What a solve with so many elements and one with twice as many lead to, extrapolated."""
        coarse, fine = (self.solved(name, *options, f"rods[*].elements={n}") for n in (elements, 2 * elements))
        return {key: (4 * fine[key] - coarse[key]) / 3 for key in fine}

    def bifurcation(self, name, elements, *options):
        """The first one, in time."""
        settings = [word for option in options for word in ("--set", option)]
        outcome = self.good("solve", f"peers/{name}", "--json", "-q", "--no-recording", "--accept-saddle", "--set", f"rods[0].elements={elements}",
                            "--set", "contact=false", *settings)
        return json.loads(outcome.out)["branch"]["bifurcations"][0]["time"]

    def last_nodes(self):
        rows = self.table("out.h5", "nodes", "--frames", "-1")
        return [[float(row[axis]) for axis in "xyz"] for row in rows]

    def near(self, actual, expected, tolerance):
        """To a share of the expected value."""
        self.assertLess(abs(actual / expected - 1), tolerance, f"{actual!r}, should be {expected!r}")


class Elastica(Peers):
    def test_axial_stretch(self):
        EA = 1e4 * math.pi * 0.025**2
        self.near(self.solved("elastica_axial_stretch")["tip.x"], 1 + 1 / EA, 1e-9)  # F L / EA; the residual of a solve
        modes = json.loads(self.good("modes", "peers/elastica_axial_stretch", "--json", "--count", "12").out)["modes"]
        waves = math.sqrt(1e4 / 1000) / 4  # sqrt(E / rho) / 4 L
        nearest = min((mode["frequency"] or 0 for mode in modes), key=lambda f: abs(f - waves))
        self.near(nearest, waves * math.sin(math.pi / 76) / (math.pi / 76), 1e-6)  # of 19 equal masses and springs, the last mass a half

    def test_catenary(self):
        # The elastic catenary (Routh 1891): x(s) = H s / EA + (H / w) asinh(w s / H) from the lowest point. It is that of a thread; the rod's own EI
        # makes 3e-4 of the sag.
        w, EA, half = 0.2 * G, 1e4 * math.pi * 0.01**2, 0.5
        H = root(lambda h: half - (h * half / EA + h / w * math.asinh(w * half / h)), 0.1, 10)
        sag = w * half**2 / (2 * EA) + H / w * (math.hypot(1, w * half / H) - 1)
        found = self.refined("elastica_catenary", 50, "rods[0].stiffness.bend=1e-9", 'probes[0].at={"arc":0.5}')
        self.near(-found["middle.z"], sag, 1e-6)
        self.near(found["left.x"], H, 1e-6)
        self.near(-found["left.z"], w * half, 1e-6)
        self.near(-self.solved("elastica_catenary")["middle.z"], sag, 4e-4)

    def test_butterfly(self):
        spreads = []
        for step in (0.005, 0.0025):
            rows = self.ran("elastica_butterfly", f"time.step={step}")
            energies = [energy(row) for row in rows]
            spreads.append(max(energies) / min(energies) - 1)
            for row in rows:
                self.assertLess(abs(row["left.z"] - row["right.z"]), 1e-11)  # rounding, over 8000 steps
                self.assertLess(abs(row["left.x"] + row["right.x"] - 2 * row["middle.x"]), 1e-11)
                self.assertLess(max(abs(row["momentum.px"]), abs(row["momentum.pz"])), 1e-9)  # of 2e3 kg m/s in either wing
        self.assertLess(spreads[0], 2e-4)
        self.assertLess(spreads[1], 0.3 * spreads[0])  # second order in the step

    def test_pendulum(self):
        weight = 1100 * math.pi * 0.005**2 * G
        rows = self.ran("elastica_pendulum", "time.end=1", "time.step=1e-4")
        self.assertLess(max(abs(energy(row)) for row in rows), 1e-6 * max(row["energy.kinetic"] for row in rows))  # second order in the step
        impulse, last = [0.0, 0.0], None
        for row in rows:
            if last:
                h = row["time"] - last["time"]
                impulse = [sum + h * (row[key] + last[key]) / 2 for sum, key in zip(impulse, ("hinge.x", "hinge.z"))]
                gained = [row[f"momentum.p{axis}"] - rows[0][f"momentum.p{axis}"] for axis in "xz"]
                self.assertLess(abs(gained[0] + impulse[0]), 1e-12)  # of 0.2 kg m/s: kicks are half of one step and half of the next
                self.assertLess(abs(gained[1] + impulse[1] + weight * (row["time"] - rows[0]["time"])), 1e-12)
            last = row

    def test_curved_cantilever(self):
        EI, GJ = 1e9 * 0.01**4 / 12, 1e9 / 3 * 0.01**4 / 6
        cases = [(GJ, model, None) for model in MODELS] + [(EI, "der", (0.159, 0.472, 0.534))]  # Bathe and Bolourchi 1979: GJ = EI, three digits
        for twist, model, published in cases:
            rod = kirchhoff.Rod(math.pi / 4, (EI, EI, twist), (-1, 0, 0), 1e5, ([0, 0, 1], [1, 0, 0], [0, 1, 0]))
            exact = rod.loaded_tip([0, 0, 6])
            found = self.refined("elastica_curved_cantilever", 50, f"rods[0].stiffness.twist={twist!r}", "--from", "3", "--model", model)
            for axis, value, rough in zip("xyz", exact, published or exact):
                self.assertLess(abs(found[f"tip.{axis}"] - value), 1e-6)
                self.assertLess(abs(value - rough), 3e-3)  # eight elements, in 1979

    def test_distributed_load(self):
        # The table that PyElastica compares with, Q: x / L, y / L. In all its rows it is the elastica's at a load 0.5 % larger: the half element that
        # 100 elements leave at an end, perhaps.
        table = {1: (0.9912, 0.1241), 15: (0.5281, 0.7871), 25: (0.3851, 0.8568)}
        EI, L = 0.01, 0.5
        for load, published in table.items():
            for larger in (1, 1.005):
                weight = larger * load * EI / L**3
                rod = kirchhoff.Rod(L, (EI, EI, EI), (0, 0, 0), 1200, ([0, 1, 0], [0, 0, 1], [1, 0, 0]), (0, -weight, 0))
                exact = published if larger > 1 else [abs(c) / L for c in rod.loaded_tip([0, 0, 0], parts=8)]
                found = self.refined("elastica_distributed_load", 50, f"gravity=[0,{-weight / 0.1!r},0]")
                self.assertLess(abs(found["tip.x"] / L - exact[0]), 1e-5 if larger == 1 else 2e-4)  # of its four digits
                self.assertLess(abs(-found["tip.y"] / L - exact[1]), 1e-5 if larger == 1 else 2e-4)

    def test_axial_friction(self):
        for push in (3, -3):  # friction holds 3.92 N
            rows = self.ran("elastica_axial_friction", f"gravity=[{push},0,{-G}]")
            self.assertLess(abs(rows[-1]["momentum.px"]), 1e-6)
        for push in (5, 10.5, -5):
            rows = self.ran("elastica_axial_friction", f"gravity=[{push},0,{-G}]")
            rest = push - math.copysign(0.4 * G, push)
            self.near(slope(rows, "momentum.px", 0.05), rest, 2e-5)  # the contact tolerance is 3e-5 m/s
            self.near(rows[-1]["momentum.px"], 0.25 * rest, 1e-3)  # its foremost edge, pressed down, sticks for the first 5 ms

    def test_rolling_on_a_slope(self):
        for degrees in (9, 45):  # it rolls: two thirds of g sin a
            rows = self.ran("elastica_rolling_slope", leaning(degrees))
            self.near(rows[-1]["momentum.px"], G * math.sin(math.radians(degrees)) / 3, 1e-5)
        a = math.radians(63)  # it slides as well, for friction is at most mu g cos a
        rows = self.ran("elastica_rolling_slope", leaning(63), "contact.friction=0.2")
        self.near(rows[-1]["momentum.px"], G * (math.sin(a) - 0.2 * math.cos(a)) / 2, 1e-6)

    def test_rolling_by_a_torque(self):
        rows = self.ran("elastica_rolling_torque")
        self.near(rows[-1]["momentum.px"], 2 * 0.1 / (3 * 0.025), 1e-5)
        rows = self.ran("elastica_rolling_torque", "loads[*].torque.torque=[0,0.018,0]", "contact.friction=0.2")
        self.near(rows[-1]["momentum.px"], 0.2 * G, 1e-6)  # it slides

    def test_from_sliding_to_rolling(self):
        for factor in (0.2, 1):  # of the moment of inertia, m r^2 / 2
            rows = self.ran("elastica_rolling_velocity", f"rods[0].stiffness.spin_inertia={factor * 3.125e-4!r}")
            self.near(rows[-1]["momentum.px"], 1 / (1 + factor / 2), 1e-4)  # it wobbles within the contact tolerance

    def test_helical_buckling(self):
        torque, pull = (v * 1.345 / 100**k for v, k in zip(BUCKLED, (1, 2)))
        coarse = self.solved("elastica_helical_buckling")
        points = buckled_points(200)
        turns = 27 - writhe(points)
        fine = self.solved("elastica_helical_buckling", "rods[0].shape.polyline.points=" + json.dumps(points), f"rods[0].twist.turns={turns!r}")
        # A corner of 101 edges is up to 0.7 rad, so that much is left of fourth order, most of all in the pull, which is what the torque leaves over.
        self.near(-(4 * fine["torque.x"] - coarse["torque.x"]) / 3, torque, 3e-4)
        self.near(-(4 * fine["pull.x"] - coarse["pull.x"]) / 3, pull, 2e-2)

    def test_plectoneme(self):
        # Turns at which a rod between clamps buckles (Love): 8.98682 EI / GJ radians, ten turns in 3 s.
        options = ("loads=[]", "solve.to=0.33")
        coarse, fine = (self.bifurcation("elastica_plectoneme", n, *options) for n in (60, 120))
        self.near((4 * fine - coarse) / 3, 8.98681892 * 0.75 / (2 * math.pi) * 3 / 10, 5e-4)
        rows = self.ran("elastica_plectoneme", "time.end=1.2")
        self.assertLess(rows[-1]["slide.x"], 0.8)
        self.assertLess(abs(rows[-1]["twist.turns"] + writhe(self.last_nodes()) - 4), 1e-7)  # Lk = Tw + Wr; the arcsine of what is nearly 1

    def test_solenoid(self):
        EI, GJ, EA = 1e6 * math.pi / 4 * 0.025**4, 1e6 / 1.5 * math.pi / 2 * 0.025**4, 1e6 * math.pi * 0.025**2
        pull = 300 * (1 + 300 / EA)  # bending stiffness is that of the unstretched rod
        turns = torque_that_buckles(pull, EI, 1) / GJ / (2 * math.pi)
        options = ('loads=[{"force":{"at":"end","force":[300,0,0]}}]', "solve.from=1", "solve.to=2.95")
        coarse, fine = (self.bifurcation("elastica_solenoid", n, *options) for n in (60, 120))
        self.near(((4 * fine - coarse) / 3 - 1) * 13 / 3, turns, 5e-4)

    def test_rod_and_cylinder(self):
        rows = self.ran("elastica_rod_cylinder")
        for key in ("px", "py", "pz", "lx", "ly", "lz"):
            sums = [row[f"rod.{key}"] + row[f"body.{key}"] for row in rows]
            self.assertLess(max(sums) - min(sums), 1e-10)  # of 0.0137 and 0.003; the midpoint rule keeps that of frames with inertia to second order
        self.assertGreater(rows[-1]["body.px"], 0.3 * rows[0]["rod.px"])
        energies = [energy(row) + row["spent.kinetic"] for row in rows]
        self.assertLess(max(energies), energies[0] * (1 + 1e-9))


class Dismech(Peers):
    def test_cantilever(self):
        # Euler and Bernoulli: omega = 1.8751^2 sqrt(EI / (rho A)) / L^2. The tip is back after each period; DisMech's data have 10.0555 mm.
        omega = 1.8751040687**2 * math.sqrt(1e5 * 0.02**2 / 4 / 500)
        rows = self.ran("dismech_cantilever")
        crossings = []
        for last, row in zip(rows, rows[1:]):
            if last["tip.z"] * row["tip.z"] < 0:
                share = last["tip.z"] / (last["tip.z"] - row["tip.z"])
                crossings.append(last["time"] + share * (row["time"] - last["time"]))
        self.near(crossings[2] - crossings[0], 2 * math.pi / omega, 4e-4)  # second order in 40 elements
        self.near(max(row["tip.z"] for row in rows[len(rows) // 4 :]), 0.0100555, 1e-5)

    def test_helix(self):
        R, pitch, angle = 0.02, 0.05, 3.7 * 2 * math.pi
        rise = pitch / (2 * math.pi)
        length = angle * math.hypot(R, rise)
        curvature, torsion = R / (R**2 + rise**2), rise / (R**2 + rise**2)
        slope = math.hypot(R, rise)
        t = [R / slope, 0, -rise / slope]  # at [0, R, 0], seen from where the helix begins
        inward = [0, -1, 0]
        binormal = kirchhoff.cross(t, inward)
        E, r = 1e7, 0.005
        EI = E * math.pi / 4 * r**4
        weight = 1273.52 * math.pi * r**2 * 9.8
        rod = kirchhoff.Rod(length, (EI, EI, EI * 2 / 3), (0, curvature, torsion), E * math.pi * r**2, (inward, binormal, t), (0, 0, -weight), steps=240)
        tip = rod.loaded_tip([0, 0, 0])
        for model in MODELS:
            found = self.refined("dismech_helix", 100, "--model", model)
            for axis, value, start in zip("xyz", tip, (0, R, 0)):
                self.assertLess(abs(found[f"tip.{axis}"] - start - value), 3e-6)

    def test_friction(self):
        mass = 509.2985 * math.pi * 0.025**2
        rows = self.ran("dismech_friction", "gravity=[3.9,0,-9.8]")
        self.assertLess(abs(rows[-1]["momentum.px"]), 1e-6)
        rows = self.ran("dismech_friction")
        self.near(rows[-1]["momentum.px"] ** 2 / (2 * mass), mass * (6 - 0.4 * 9.8) ** 2 / 2, 1e-4)  # kinetic energy after 1 s

    def test_spider(self):
        mass = 9 * 0.1 * 1180 * math.pi * 0.005**2
        rows = self.ran("dismech_spider")
        self.near(-mean(rows, "floor.z", 1), mass * 9.8, 1.5e-2)  # it sways by 5 % in the last second
        self.near(mean(rows, "floor.x", 1), mass * 1.0, 5e-2)  # held by friction, which could bear four times as much
        self.assertLess(abs(rows[-1]["crown.y"]), 1e-6)


class Newton(Peers):
    def test_torsion(self):
        GJ = 2e9 / (2 * 1.3) * math.pi / 2 * 0.012**4
        rows = self.ran("newton_torsion")
        self.near(rows[-1]["root.x"], GJ * (math.pi / 2) / 1.92, 1e-9)
        self.near(rows[-1]["twist.turns"], 0.25, 1e-12)
        self.near(self.ran("newton_torsion", "rods[0].elements=7", 'probes[1].at={"node":3}')[-1]["root.x"], GJ * (math.pi / 2) / 1.92, 1e-9)

    def test_michell(self):
        # One turn is critical where GJ = sqrt(3) EI (Michell 1889, Zajac 1962): 2 pi sqrt(3) EI / GJ.
        def critical(elements):
            low, high = 1.6, 1.9
            for _ in range(11):
                ratio = (low + high) / 2
                point = self.answer("solve", "peers/newton_michell", "--accept-saddle", "-q", "--no-recording", "--set", "loads=[]",
                                    "--set", f"rods[0].elements={elements}", "--set", f"rods[0].stiffness.twist={ratio * 3.597172108!r}")
                low, high = (low, ratio) if point["branch"]["this_point"]["unstable"] else (ratio, high)
            return low

        coarse, fine = critical(48), critical(96)
        self.near((4 * fine - coarse) / 3, math.sqrt(3), 3e-4)  # of the bisection

    def test_twist_transfer(self):
        # The semicircle, clamped at both ends, its root turned about its tangent by 90 degrees in 18 parts.
        R, h = 0.82, 2 * 0.82 * math.sin(math.pi / 64)
        unknowns, last = [0.0] * 6, [0.0] * 6
        for part in range(1, 19):
            c, s = math.cos(part * math.pi / 36), math.sin(part * math.pi / 36)
            rod = kirchhoff.Rod(math.pi * R, (5e3 * h, 5e3 * h, 2e2 * h), (-1 / R, 0, 0), 1e6 * h, ([s, 0, c], [c, 0, -s], [0, 1, 0]))

            def missed(u):
                y = rod.end(u[:3], u[3:])
                return [y[0] - 2 * R, y[1], y[2], y[3], y[4], y[9]]  # x, and d1 = z, t = -y

            unknowns, last = kirchhoff.newton(missed, [2 * a - b for a, b in zip(unknowns, last)]), unknowns
        found = self.refined("newton_twist_transfer", 128)
        for axis, value in zip("xyz", unknowns[:3]):
            self.near(found[f"curved.{axis}"], value, 3e-4)
        self.near(-found["straight.x"], 2e2 * 0.075 * (math.pi / 2) / 2.4, 1e-9)

    def test_bend_stiffness(self):
        found = self.refined("newton_bend_stiffness", 16, "--from", "4")
        for name, stiffness in (("soft", 10), ("middle", 30), ("stiff", 90)):
            rod = kirchhoff.Rod(1.6, (stiffness, stiffness, stiffness), (0, 0, 0), 1e5, ([0, 1, 0], [0, 0, 1], [1, 0, 0]))
            tip = rod.loaded_tip([0, 0, -0.5], parts=1)
            self.assertLess(abs(found[f"{name}.z"] - tip[2]), 1e-6)
            self.assertLess(abs(found[f"{name}.x"] - tip[0]), 1e-6)

    def test_twist_buckling(self):
        rows = self.ran("newton_twist_buckling")
        self.assertLess(abs(rows[-1]["twist.turns"] + writhe(self.last_nodes()) - 9), 1e-7)  # Newton allows 0.08
        self.assertGreater(abs(rows[-1]["twist.turns"] - 9), 0.05)


if __name__ == "__main__":
    unittest.main()
