// How fast scenes run in WebAssembly: simulated seconds for each second of the processor, with one worker, in the mean and in the slowest
// tenth of the run. Figures for docs/browser.md; none is asserted, as they are the machine's.
//
//     node rates.mjs DIRECTORY [--limit SECONDS] [SCENE]...     all favourites of the page, or these; --limit: processor time of each
//
// DIRECTORY: where cordage.wasm is. The scene "tight" is the rope of "tie" with an overhand knot that a hand draws tight and holds.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { FAVOURITES } from "../../app/web/favourites.mjs";
import { END, Engine, FRAME, STEPS } from "../../app/web/src/engine.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const SCENES = ["tight", ...FAVOURITES, "pbd/curls"];
const PARTS = 10;       // of a run: the slowest of them has a figure of its own
const LONGEST = 1e3;    // s, of a scene without an end
const LAST = 100;       // node of that rope, at its free end
const FRAME_TIME = 1 / 60; // s, of its scene
const PULLED = 0.4;     // m/s, by the hand
const HELD = 1.0;       // s, that it holds the tight knot
const TIGHT = 15;       // N, with which
const KNOT = ['rods[0].shape={"knot":{"name":"overhand","size":0.25,"tails":0.3,"center":[0,0,0.5]}}', 'rods[0].rest="straight"'];

function seconds() {
    return process.cpuUsage().user / 1e6;
}

// The scene, and all that lies beside it and is no scene: it may name one of these.
function readScene(name, settings) {
    const path = join(root, "scenes", `${name}.json`);
    const beside = readdirSync(dirname(path), { withFileTypes: true });
    const files = beside.filter((entry) => entry.isFile() && !entry.name.endsWith(".json"));
    return {
        path: `${name}.json`, text: readFileSync(path, "utf8"), settings,
        files: Object.fromEntries(files.map((file) => [file.name, readFileSync(join(dirname(path), file.name))])),
    };
}

// A list of { time, spent, steps }: one entry for each frame, and one for the start.
class Run {
    constructor(session, limit) {
        this.session = session;
        this.limit = limit;
        this.restart();
    }

    restart() {
        this.start = seconds();
        this.marks = [];
        this.mark();
    }

    mark() {
        this.marks.push({ time: this.session.time, spent: seconds() - this.start, steps: this.session.steps });
    }

    // Steps to the next frame. False: the run has ended, or took longer than it may.
    frame() {
        let kind = STEPS;
        while (kind === STEPS && seconds() - this.start < this.limit) {
            kind = this.session.advance(1);
        }
        this.mark();
        if (kind !== STEPS && kind !== FRAME && kind !== END) {
            throw new Error(this.session.message);
        }
        return kind === FRAME && this.session.time < LONGEST;
    }
}

function rate(from, to) {
    return (to.time - from.time) / (to.spent - from.spent);
}

// The run in parts of the same simulated time, or of a frame if that is longer.
function slowest(marks) {
    const length = (marks.at(-1).time - marks[0].time) / PARTS, rates = [];
    for (let from = 0, to = 1; to < marks.length; to++) {
        if (marks[to].time - marks[from].time >= 0.999 * length) {
            rates.push(rate(marks[from], marks[to]));
            from = to;
        }
    }
    return Math.min(...rates);
}

function print(name, marks) {
    const last = marks.at(-1), time = last.time - marks[0].time, steps = last.steps - marks[0].steps;
    const numbers = [time.toFixed(2), last.spent.toFixed(2), ((1e3 * last.spent) / steps).toFixed(2), rate(marks[0], last).toFixed(2),
        slowest(marks).toFixed(2)];
    console.log([name.padEnd(22), ...numbers.map((text) => text.padStart(10))].join(""));
}

function measure(name, session, limit) {
    const run = new Run(session, limit);
    while (run.frame()) {
        // the marks say it all
    }
    print(name, run.marks);
}

// The free end of the rope is led away from the end that is clamped, until the hand feels the tight knot.
function measureTight(session, limit) {
    session.setEnd(Infinity);
    const run = new Run(session, limit);
    if (!session.grab(0, LAST, [0, 0, 0])) {
        throw new Error(session.message);
    }
    const at = session.hand().point;
    for (let force = 0; force < TIGHT; force = Math.hypot(...session.hand().force)) {
        at[0] += PULLED * FRAME_TIME;
        session.drag(at);
        if (!run.frame()) {
            break;
        }
    }
    print("tie, drawn tight", run.marks);
    run.restart();
    while (run.session.time - run.marks[0].time < HELD && run.frame()) {
        // the marks say it all
    }
    print("tie, tight", run.marks);
}

function main(directory, names, limit) {
    const compiled = new WebAssembly.Module(readFileSync(join(directory, "cordage.wasm")));
    console.log(["scene".padEnd(22), ...["simulated", "seconds", "ms a step", "rate", "slowest"].map((text) => text.padStart(10))].join(""));
    for (const name of names) {
        const tight = name === "tight";
        const session = new Engine(compiled).open(readScene(tight ? "tie" : name, tight ? KNOT : []));
        if (!session.isBuilt) {
            throw new Error(`${name}: ${session.notes().map((note) => note.text).join("; ")}`);
        }
        tight ? measureTight(session, limit) : measure(name, session, limit);
    }
}

const { values, positionals } = parseArgs({ options: { limit: { type: "string", default: "Infinity" } }, allowPositionals: true });
main(positionals[0], positionals.length > 1 ? positionals.slice(1) : SCENES, Number(values.limit));
