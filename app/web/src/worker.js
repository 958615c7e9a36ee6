// The worker: owns the engine, steps in short calls so that messages are heard in between, and posts frames as fast as the page takes them.
//
// Messages to it: start, open, check, finish, play, step, reset, speed, grab, drag, release, pin, unpin, unpinAll, twist, untwist, ack,
// knot, hash, materials, reel, bench. The function of the same name below handles each. Messages from it: ready, opened, frame, stopped,
// refused, finishing, answer.

import { Engine, END, FAILED, FRAME, STEPS, TOO_SHORT } from "./engine.js";
import { Reel } from "./reel.js";

const SLICE_MS = 12; // stepping between two looks at the messages
const CALL_MS = 4; // one call into the engine: a long call stays in the code of the browser's first, slow compiler
const BEHIND_S = 0.1; // simulated time catches up with a lag of at most this; it gives up a longer one
const POST_MS = 15; // least time between two frames that are posted
const WINDOW_MS = 1000; // speed is a mean over this time

const NEVER_DONE = "a frame would take more than a hundred million steps: elements are too short, or too stiff, for this integrator; " +
    "choose Backward Euler, or fewer elements";

let compiled = null;
let engine = null;
let session = null;
let scene = null; // the scene of the session
let info = null;
let playing = false;
let speed = 1;
let awaiting = false; // the page has not acknowledged the last frame yet
let dirty = false; // the state has changed since the last frame was posted
let posted = 0; // when the last frame was posted [ms]
let clock = null; // { wall [ms], time [s] }: a moment of wall time, and the simulated time that belongs to it
let asleep = true; // no turn of the loop is due
let perCall = 1; // steps that a call may take
let benching = false;
let stepping = 0; // frames that were asked for, and are not done yet
let waiting = []; // ids of messages that are answered when these frames are done
let drawn = { session: null, keys: new Set() }; // the solids whose surfaces the page already has

// ---------------------------------------------------------------------------------------------------- speed

let spent = []; // { wall, ms, simulated, steps } of the last slices

function measure(ms, simulated, steps) {
    const now = performance.now();
    spent.push({ wall: now, ms, simulated, steps });
    spent = spent.filter((slice) => now - slice.wall < WINDOW_MS);
}

function pace() {
    const sum = spent.reduce((a, b) => ({ ms: a.ms + b.ms, simulated: a.simulated + b.simulated, steps: a.steps + b.steps }),
        { ms: 0, simulated: 0, steps: 0 });
    const wall = spent.length > 0 ? performance.now() - spent[0].wall + spent[0].ms : 0;
    return {
        factor: sum.ms > 0 ? (1000 * sum.simulated) / sum.ms : 0,
        load: wall > 0 ? Math.min(sum.ms / wall, 1) : 0,
        h: session.stepLength,
        steps: session.steps,
        perStepMs: sum.steps > 0 ? sum.ms / sum.steps : 0,
    };
}

// ---------------------------------------------------------------------------------------------------- frames

// The surfaces that the page needs for a layout and does not have yet. The first layout of a session needs all of them.
function surfacesOf(layout) {
    const fresh = drawn.session !== session;
    drawn = fresh ? { session, keys: new Set() } : drawn;
    return { fresh, surfaces: engine.surfaces(layout, drawn.keys) };
}

function post() {
    if (!session || awaiting || !dirty) {
        return;
    }
    const frame = session.frame(), made = { ...frame, ...(frame.layout ? surfacesOf(frame.layout) : {}) };
    const held = { hand: session.hand(), pins: session.pins(), twists: session.twists(), clamps: session.clamps() };
    const message = { type: "frame", ...made, ...held, pace: pace() };
    awaiting = true;
    dirty = false;
    posted = performance.now();
    postMessage(message, [message.frame, ...(message.layout ? [message.layout] : [])]);
}

// ---------------------------------------------------------------------------------------------------- the loop

const turns = new MessageChannel(); // quicker than a timer, which browsers delay
turns.port1.onmessage = () => turn();

function wake() {
    if (asleep) {
        asleep = false;
        turns.port2.postMessage(null);
    }
}

function sleep(ms) {
    asleep = true;
    if (ms >= 0) {
        setTimeout(wake, ms);
    }
}

// `line`: the line of the scene that has the reason; 0: none
function stop(text, line = 0) {
    playing = false;
    endStepping();
    postMessage({ type: "stopped", text, line });
}

// Steps until `time`, or with `toFrame` until the next frame, but no longer than a slice. Returns whether there is more to do.
function advance(time, toFrame) {
    const start = performance.now();
    const from = session.time;
    const steps = session.steps;
    let going = true;
    while (going && performance.now() - start < SLICE_MS) {
        const before = performance.now();
        const done = session.advance(perCall);
        const ms = performance.now() - before;
        perCall = Math.max(1, Math.min(10000, Math.round(ms > 0.05 ? (perCall * CALL_MS) / ms : 2 * perCall)));
        if (done === FAILED) {
            stop(session.message, session.place.line);
        } else if (done === TOO_SHORT) {
            stop(NEVER_DONE);
        }
        going = done !== FAILED && done !== TOO_SHORT && done !== END && session.time < time && !(toFrame && done === FRAME);
    }
    dirty = true;
    measure(performance.now() - start, session.time - from, session.steps - steps);
    return going;
}

function turn() {
    asleep = true;
    try {
        if (session && !benching) {
            stepping > 0 ? stepOn() : playing && run();
        }
    } catch (error) {
        fail(error);
    }
}

// Steps to the next frame, a slice at a time. A step that fails sets the count of frames to zero.
function stepOn() {
    if (!advance(Infinity, true)) {
        stepping = Math.max(0, stepping - 1);
        post();
    }
    if (stepping === 0) {
        endStepping();
    }
    if (stepping > 0 || playing) {
        wake();
    }
}

// Ends the stepping by frames, and answers those who wait for it with the time.
function endStepping() {
    stepping = 0;
    waiting.splice(0).forEach((id) => answer(id, session?.time ?? NaN));
}

function run() {
    const now = performance.now();
    clock ??= { wall: now, time: session.time };
    let due = clock.time + (speed * (now - clock.wall)) / 1000;
    if (due - session.time > BEHIND_S * speed) {
        clock = { wall: now, time: session.time + (speed * SLICE_MS) / 1000 };
        due = clock.time;
    }
    if (session.time < due) {
        advance(due, false);
    }
    if (performance.now() - posted >= POST_MS) {
        post();
    }
    if (playing) {
        const ahead = ((session.time - clock.time) / speed) * 1000 - (performance.now() - clock.wall);
        ahead > 2 ? sleep(Math.min(ahead, 50)) : wake();
    }
}

// The engine trapped: neither it nor its sessions can be used again.
function fail(error) {
    session = null;
    engine = null;
    const memory = error instanceof RangeError || /memory|unreachable/i.test(error.message);
    const full = "the engine ran out of memory; open the scene again, or a smaller one";
    stop(memory ? full : `the engine failed (${error.message}); open the scene again`);
}

// ---------------------------------------------------------------------------------------------------- opening

function show() {
    clock = null;
    endStepping();
    spent = [];
    perCall = 1;
    dirty = true;
    post();
    wake();
}

// Replaces the session by another one, which must have a world.
function take(next) {
    session?.close();
    session = next;
    engine = next.engine;
    session.setEnd(Infinity);
    info = session.info();
}

// With `keep` the scene goes on from the state of the running one and is built beside it, in the same engine. Any other scene gets an
// engine of its own: the memory of an engine never shrinks, and an engine that traps then harms no other scene.
function build(wanted, keep) {
    if (keep && session) {
        const next = engine.open(wanted);
        return { next, carried: !next.isBuilt || next.carry(session) };
    }
    return { next: new Engine(compiled).open(wanted), carried: true };
}

// Builds a scene. If the answer is `ok`, it is the running one from now on.
function attempt(wanted, keep) {
    const { next, carried } = build(wanted, keep);
    const notes = next.notes(), ok = next.isBuilt && carried;
    if (!carried) {
        notes.push(errorNote(next.message));
    }
    if (ok) {
        take(next);
        scene = wanted;
    } else {
        next.close();
    }
    return { ok, notes };
}

function errorNote(text) {
    return { error: true, line: 0, column: 0, text };
}

function open({ id, scene: wanted, keep }) {
    let outcome;
    try {
        outcome = attempt(wanted, keep);
    } catch (error) {
        if (keep) {
            throw error; // the engine of the running scene trapped
        }
        outcome = { ok: false, notes: [errorNote(`there is not enough memory for this scene (${error.message})`)] };
    }
    postMessage({ type: "opened", id, ...outcome, ...(outcome.ok ? { info } : {}) });
    if (outcome.ok) {
        show();
    }
}

function reset() {
    if (scene) {
        const { ok, notes } = attempt(scene, false);
        ok ? show() : stop(notes.find((note) => note.error)?.text ?? "the scene cannot be begun anew");
    }
}

// ---------------------------------------------------------------------------------------------------- messages

function answer(id, value) {
    postMessage({ type: "answer", id, ok: true, value });
}

// Answers a message by `work` in an engine of its own, which is dropped afterwards with all its memory: nothing that happens there reaches
// the running scene. `work` gets that engine and resolves with the answer: { ok, value or text }.
async function aside(id, work) {
    let outcome;
    try {
        outcome = await work(new Engine(compiled));
    } catch (error) {
        outcome = { ok: false, text: `it is too large for this page (${error.message})` };
    }
    postMessage({ type: "answer", id, ...outcome });
}

function reel({ id, bytes }) {
    return aside(id, (own) => {
        const text = own.checkReel(bytes), known = new Set();
        const layouts = text === "" ? new Set(new Reel(bytes).frames.map(({ layout }) => layout)) : [];
        return { ok: text === "", text, surfaces: [...layouts].flatMap((layout) => own.surfaces(layout, known)) };
    });
}

function check({ id, scene: wanted }) {
    return aside(id, (own) => ({ ok: true, value: own.check(wanted) }));
}

// Runs the open scene as it is written, from its beginning to its end and with no hand on it, and answers with the state that "cordage run"
// comes to. The session goes on meanwhile, only slower. An `id` of null stops this run.
let finishing = 0; // number of the last such run

function finish({ id }) {
    const mine = ++finishing;
    return id === null ? null : aside(id, (own) => runToEnd(own.open(scene), () => mine === finishing));
}

async function runToEnd(own, goesOn) {
    let done = own.isBuilt ? STEPS : FAILED;
    const isUnderWay = () => done === STEPS || done === FRAME;
    while (goesOn() && isUnderWay()) {
        for (const start = performance.now(); performance.now() - start < SLICE_MS && isUnderWay();) {
            done = own.advance(1);
        }
        postMessage({ type: "finishing", time: own.time });
        await new Promise((resolve) => setTimeout(resolve));
    }
    const value = done === END ? { hash: own.hash, time: own.time, steps: own.steps } : null;
    return { ok: value !== null, value, text: own.message || "it was stopped" };
}

function refuse(what) {
    postMessage({ type: "refused", ...what, text: session.message });
}

function pinAt(rod, node) {
    session.pin(rod, node) || refuse({ what: "pin", rod, node });
}

async function bench({ id, seconds }) {
    const start = performance.now();
    const from = { time: session.time, steps: session.steps };
    let ms = 0;
    benching = true;
    try {
        while (session && performance.now() - start < 1000 * seconds) {
            const before = performance.now();
            advance(Infinity, false);
            ms += performance.now() - before;
            await new Promise((resolve) => setTimeout(resolve));
        }
    } finally {
        benching = false;
    }
    const simulated = session.time - from.time;
    const steps = session.steps - from.steps;
    answer(id, { steps, simulated, seconds: ms / 1000, factor: (1000 * simulated) / ms, h: session.stepLength });
    show();
}

const handlers = {
    async start({ wasm }) {
        compiled = await WebAssembly.compile(wasm);
        engine = new Engine(compiled);
        postMessage({ type: "ready", version: engine.version });
    },
    open,
    check,
    finish,
    reset,
    play({ on }) {
        playing = on;
        clock = null;
        on ? wake() : post();
    },
    step({ id, frames = 1 }) {
        stepping += frames;
        if (id !== undefined) {
            waiting.push(id);
        }
        wake();
    },
    speed({ factor }) {
        speed = Math.min(Math.max(factor, 0.01), 100);
        clock = null;
    },
    ack() {
        awaiting = false;
        if (!playing || performance.now() - posted >= POST_MS) {
            post();
        }
    },
    grab({ rod, node, target, stiffness }) {
        session.grab(rod, node, target, stiffness ?? 0) || refuse({ what: "grab", rod, node });
        changed();
    },
    drag({ target }) {
        session.drag(target);
        changed();
    },
    release({ pin }) {
        const hand = session.hand();
        session.release();
        if (hand && pin) {
            pinAt(hand.rod, hand.node);
        }
        changed();
    },
    pin({ rod, node }) {
        pinAt(rod, node);
        changed();
    },
    unpin({ rod, node }) {
        session.unpin(rod, node);
        changed();
    },
    unpinAll() {
        session.unpinAll();
        changed();
    },
    twist({ rod, end, turns: wanted }) {
        session.twist(rod, end === "end", wanted) || refuse({ what: "twist", rod, end });
        changed();
    },
    untwist({ rod, end }) {
        session.untwist(rod, end === "end");
        changed();
    },
    knot: ({ id, rod }) => answer(id, session.knot(rod)),
    hash: ({ id }) => answer(id, session.hash),
    materials: ({ id }) => answer(id, engine.materials()),
    reel,
    bench,
};

const WITHOUT_SESSION = new Set(["start", "open", "check", "reset", "play", "speed", "ack", "materials", "reel"]);

function changed() {
    dirty = true;
    post();
}

onmessage = async ({ data }) => {
    const handler = handlers[data.type];
    if (!handler || (!session && !WITHOUT_SESSION.has(data.type))) {
        if (data.id !== undefined) {
            postMessage({ type: "answer", id: data.id, ok: false, text: "no scene is open" });
        }
        return;
    }
    try {
        await handler(data);
    } catch (error) {
        if (data.id !== undefined) {
            const text = `the engine failed: ${error.message}`;
            const answered = data.type === "open" ? { type: "opened", notes: [errorNote(text)] } : { type: "answer", text };
            postMessage({ ...answered, id: data.id, ok: false });
        }
        fail(error);
    }
};
