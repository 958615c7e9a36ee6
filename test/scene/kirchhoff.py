"""Where a rod comes to rest, from Kirchhoff's equations by shooting, as in test/validate/kirchhoff.h.

x' = (1 + n.t / EA) t, d_i' = kappa x d_i, m' = n x x', n' = -w, with kappa = sum (m.d_i / K_i + rest_i) d_i, from a clamp at s = 0.
"""


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


class Rod:
    """stiffness: EI about d1 and d2, GJ about t; rest: curvatures about these; weight: force per length; frame: d1, d2, t at the clamp."""

    def __init__(self, length, stiffness, rest, EA, frame, weight=(0, 0, 0), steps=60):
        self.length, self.stiffness, self.rest, self.EA, self.weight = length, stiffness, rest, EA, weight
        self.steps = steps
        self.start = [0, 0, 0, *frame[0], *frame[1], *frame[2]]

    def rates(self, y):
        axes, m, n = (y[3:6], y[6:9], y[9:12]), y[12:15], y[15:18]
        strains = [dot(m, d) / k + r for d, k, r in zip(axes, self.stiffness, self.rest)]
        kappa = [sum(s * d[i] for s, d in zip(strains, axes)) for i in range(3)]
        longer = 1 + dot(n, axes[2]) / self.EA
        dx = [longer * c for c in axes[2]]
        turns = [c for d in axes for c in cross(kappa, d)]
        return [*dx, *turns, *cross(n, dx), *(-w for w in self.weight)]

    def end(self, moment, force):
        """The state at the other end, by Runge and Kutta's fourth order; 60 steps for each turn of the rod or so leave 1e-7."""
        h = self.length / self.steps
        y = [*self.start, *moment, *force]
        for _ in range(self.steps):
            a = self.rates(y)
            b = self.rates([p + h / 2 * q for p, q in zip(y, a)])
            c = self.rates([p + h / 2 * q for p, q in zip(y, b)])
            d = self.rates([p + h * q for p, q in zip(y, c)])
            y = [p + h / 6 * (q + 2 * r + 2 * s + t) for p, q, r, s, t in zip(y, a, b, c, d)]
        return y

    def loaded_tip(self, force, parts=4):
        """Where the free end is under a force and the weight, which grow in so many parts."""
        moment, weight = [0, 0, 0], self.weight
        for part in range(1, parts + 1):
            pull = [part / parts * f for f in force]
            self.weight = [part / parts * w for w in weight]
            root = [f + self.length * w for f, w in zip(pull, self.weight)]
            moment = newton(lambda m: self.end(m, root)[12:15], moment)
        return self.end(moment, root)[:3]


def newton(residual, x, tolerance=1e-9):
    """The root of as many functions as there are unknowns."""
    for _ in range(30):
        r = residual(x)
        if max(map(abs, r)) < tolerance:
            return x
        columns = []
        for k in range(len(x)):
            moved = [c + (1e-6 if i == k else 0) for i, c in enumerate(x)]
            columns.append([(a - b) / 1e-6 for a, b in zip(residual(moved), r)])
        x = [a - b for a, b in zip(x, solution(columns, r))]
    raise ArithmeticError(f"no root: {r} is left")


def solution(columns, right):
    """Of linear equations, by Gauss's elimination."""
    n = len(right)
    rows = [[column[i] for column in columns] + [right[i]] for i in range(n)]
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for k in range(n):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]
