// How finely tubes are drawn: as fine as can be seen, and no finer than the number of edges allows.

const RINGS = [1, 2, 3, 4, 6, 8, 12, 16];         // along an edge
const SIDES = [6, 8, 10, 12, 16, 20, 24, 28];     // around it
const ERROR = 0.15;                               // of outlines [pixels]
const KINK = 0.14;                                // between the rings of a bend [rad]
const TRIANGLES = 500000;                         // at the most, about
const SAMPLES = 600;                              // edges that are looked at

function atLeast(steps, wanted) {
    return steps.find((step) => step >= wanted) ?? steps[steps.length - 1];
}

// The turn from one edge to the next, as large as all but few of them are [rad], and the mean length of an edge [m].
export function measureEdges(layout, links, x) {
    const stride = Math.max(1, Math.floor(layout.edgeCount / SAMPLES)), turns = [];
    let length = 0, count = 0;
    for (let e = 0; e < layout.edgeCount; e += stride) {
        const a = 3 * links.nodes[4 * e + 1], b = 3 * links.nodes[4 * e + 2], c = 3 * links.nodes[4 * e + 3];
        const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2], u = Math.hypot(ux, uy, uz);
        length += u;
        count++;
        if (c < x.length) { // else nothing follows
            const vx = x[c] - x[b], vy = x[c + 1] - x[b + 1], vz = x[c + 2] - x[b + 2], v = Math.hypot(vx, vy, vz);
            turns.push(Math.acos(Math.min(1, Math.max(-1, (ux * vx + uy * vy + uz * vz) / (u * v)))));
        }
    }
    const known = turns.filter((turn) => turn >= 0).sort((s, t) => s - t);
    return { turn: known[Math.floor(0.995 * (known.length - 1))] ?? 0, length: count > 0 ? length / count : 0 };
}

// `radius` and `length` of an edge in pixels, `turn` [rad]; each step coarser allows twice the error and a quarter of the triangles.
// Rings bend edges, sides round them: both outlines are off by the sagitta of what is straight between them.
export function chooseDetail({ edges, radius, length, turn, coarser }) {
    const error = ERROR * 2 ** coarser, most = TRIANGLES / 4 ** coarser;
    let rings = atLeast(RINGS, Math.max(Math.sqrt((length * turn) / (8 * error)), turn / (KINK * 2 ** coarser)));
    let sides = atLeast(SIDES, Math.PI / Math.sqrt((2 * error) / Math.max(radius, 1)));
    while (2 * edges * rings * sides > most && (rings > 1 || sides > 6)) {
        if (rings > 1 && rings >= sides / 4) {
            rings = RINGS[RINGS.indexOf(rings) - 1];
        } else if (sides > 6) {
            sides = SIDES[SIDES.indexOf(sides) - 1];
        } else {
            rings = RINGS[RINGS.indexOf(rings) - 1];
        }
    }
    return { rings, sides, cap: Math.max(2, Math.floor(sides / 4)) };
}

// Is what was chosen so far from what is wanted now that it is worth making it anew?
export function isFar(chosen, wanted) {
    const step = (steps, a, b) => steps.indexOf(b) - steps.indexOf(a);
    const rings = step(RINGS, chosen.rings, wanted.rings), sides = step(SIDES, chosen.sides, wanted.sides);
    return rings > 0 || sides > 0 || rings < -1 || sides < -1;
}
