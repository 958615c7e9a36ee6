// The engine: JavaScript objects around the exports of the WebAssembly module. The page's worker and the tests in Node use them.

import { decodeLayout, encodeReel, solidKey } from "./reel.js";

// What Session.advance returns, as web_advance has it.
export const STEPS = 0; // the steps were taken
export const FRAME = 1; // it is the time of a frame
export const END = 2; // the run has ended
export const TOO_SHORT = 3; // a frame would take too many steps
export const FAILED = -1; // a step failed

const HAND_NUMBERS = 11;
const PIN_NUMBERS = 5;
const TWIST_NUMBERS = 3;
const PINS_MOST = 64;
const SIDES = 64; // of a round solid

const decoder = new TextDecoder();

function joined(parts) {
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
        bytes.set(part, at);
        at += part.length;
    }
    return bytes;
}

// One instance of the module. After a trap (no memory, no stack) it cannot be used: make another of the same compiled module.
export class Engine {
    constructor(compiled) {
        this.calls = new WebAssembly.Instance(compiled, {}).exports;
        this.numbers = this.calls.web_alloc(8 * PIN_NUMBERS * PINS_MOST);
        this.bare = null; // a session without a scene
    }

    // `scene`: { path, text, settings, files: { name: bytes or text } }
    open(scene, build = true) {
        const { at, size } = this.lend(joined(encodeReel(scene, [])));
        const handle = this.calls.web_open(at, size, build);
        this.calls.web_free(at);
        return new Session(this, handle);
    }

    // Errors and warnings that reading a scene finds; nothing is built.
    check(scene) {
        const session = this.open(scene, false), notes = session.sceneNotes();
        session.close();
        return notes;
    }

    // "" if the bytes are a reel that can be played; else what is wrong with it.
    checkReel(bytes) {
        this.bare ??= this.calls.web_new();
        const { at, size } = this.lend(bytes);
        const text = this.text(this.calls.web_check_reel(this.bare, at, size));
        this.calls.web_free(at);
        return text;
    }

    get version() {
        return this.text(this.calls.web_version());
    }

    materials() {
        this.bare ??= this.calls.web_new();
        return JSON.parse(this.text(this.calls.web_materials(this.bare)));
    }

    // ---- solids

    // The surfaces of a layout's solids whose keys are not in the set `known`: { key, tones, endless, mesh }. A solid with sizes also has
    // { vertices, corners }: positions and normals in turn, and three vertices for each triangle.
    surfaces(payload, known) {
        const { bodies, obstacles } = decodeLayout(payload), surfaces = [];
        for (const thing of [...bodies, ...obstacles]) {
            const key = solidKey(thing);
            if (!known.has(key)) {
                known.add(key);
                surfaces.push({ key, ...this.surface(thing) });
            }
        }
        return surfaces;
    }

    surface({ shape, size }) {
        const look = this.calls.web_solid_look(shape);
        const surface = { tones: look & 3, endless: (look & 4) !== 0, mesh: (look & 8) !== 0 };
        if (surface.endless || surface.mesh || !(size[0] > 0)) { // a body of size zero joins rods, and is not drawn
            return surface;
        }
        const at = this.calls.web_solid(shape, ...size, SIDES);
        if (at === 0) {
            throw new RangeError("there is no memory for the surface of a solid");
        }
        const [vertexCount, cornerCount, vertices, corners] = new Uint32Array(this.calls.memory.buffer, at, 4);
        const copied = {
            vertices: new Float32Array(this.copy(vertices, 24 * vertexCount)),
            corners: new Uint32Array(this.copy(corners, 4 * cornerCount)),
        };
        this.calls.web_free(at);
        return { ...surface, ...copied };
    }

    // ---- memory

    lend(bytes) {
        const at = this.calls.web_alloc(bytes.length);
        if (at === 0) {
            throw new RangeError(`there is no memory for ${bytes.length} bytes`);
        }
        new Uint8Array(this.calls.memory.buffer, at, bytes.length).set(bytes);
        return { at, size: bytes.length };
    }

    copy(at, size) {
        return this.calls.memory.buffer.slice(at, at + size);
    }

    text(at) {
        const memory = new Uint8Array(this.calls.memory.buffer);
        return decoder.decode(memory.subarray(at, memory.indexOf(0, at)));
    }

    read(count) {
        return Array.from(new Float64Array(this.calls.memory.buffer, this.numbers, count));
    }
}

// A scene and its world: app/web/session.h.
export class Session {
    constructor(engine, handle) {
        this.engine = engine;
        this.calls = engine.calls;
        this.handle = handle;
    }

    close() {
        this.calls.web_close(this.handle);
        this.handle = 0;
    }

    get isBuilt() {
        return Boolean(this.calls.web_is_built(this.handle));
    }

    get message() {
        return this.engine.text(this.calls.web_message(this.handle));
    }

    // The line and column of the scene that the message is about; zeros: none.
    get place() {
        return { line: this.calls.web_message_line(this.handle), column: this.calls.web_message_column(this.handle) };
    }

    // Errors and warnings of the scene, and the error of its world if that could not be built.
    notes() {
        const notes = this.sceneNotes();
        if (!this.isBuilt && !notes.some((note) => note.error)) {
            notes.push({ error: true, ...this.place, text: this.message || "there is no memory for this scene" });
        }
        return notes;
    }

    sceneNotes() {
        const notes = [];
        for (let i = 0; i < this.calls.web_note_count(this.handle); i++) {
            notes.push({
                error: Boolean(this.calls.web_note_is_error(this.handle, i)),
                line: this.calls.web_note_line(this.handle, i),
                column: this.calls.web_note_column(this.handle, i),
                text: this.engine.text(this.calls.web_note_text(this.handle, i)),
            });
        }
        return notes;
    }

    info() {
        return JSON.parse(this.engine.text(this.calls.web_info(this.handle)));
    }

    // ---- time

    setEnd(end) {
        this.calls.web_set_end(this.handle, end);
    }

    advance(most) {
        return this.calls.web_advance(this.handle, most);
    }

    get time() {
        return this.calls.web_time(this.handle);
    }

    get steps() {
        return this.calls.web_steps(this.handle);
    }

    get stepLength() {
        return this.calls.web_step_length(this.handle);
    }

    get hash() {
        return BigInt.asUintN(64, this.calls.web_hash(this.handle)).toString(16).padStart(16, "0");
    }

    knot(rod) {
        return this.calls.web_knot(this.handle, rod);
    }

    // The world as payloads of a reel; the layout is null if it has not changed since the last call.
    frame() {
        const changed = this.calls.web_frame(this.handle);
        if (changed < 0) {
            throw new RangeError("there is no memory for a frame");
        }
        const layout = changed ? this.engine.copy(this.calls.web_layout_bytes(this.handle), this.calls.web_layout_size(this.handle)) : null;
        return { layout, frame: this.engine.copy(this.calls.web_frame_bytes(this.handle), this.calls.web_frame_size(this.handle)) };
    }

    // ---- hands

    carry(from) {
        return Boolean(this.calls.web_carry(this.handle, from.handle));
    }

    grab(rod, node, target, stiffness = 0) {
        return Boolean(this.calls.web_grab(this.handle, rod, node, ...target, stiffness));
    }

    drag(target) {
        return Boolean(this.calls.web_drag(this.handle, ...target));
    }

    release() {
        this.calls.web_release(this.handle);
    }

    hand() {
        if (!this.calls.web_hand(this.handle, this.engine.numbers)) {
            return null;
        }
        const n = this.engine.read(HAND_NUMBERS);
        return { rod: n[0], node: n[1], target: n.slice(2, 5), point: n.slice(5, 8), force: n.slice(8, 11) };
    }

    pin(rod, node) {
        return Boolean(this.calls.web_pin(this.handle, rod, node));
    }

    unpin(rod, node) {
        return Boolean(this.calls.web_unpin(this.handle, rod, node));
    }

    unpinAll() {
        this.calls.web_unpin_all(this.handle);
    }

    pins() {
        return this.places(this.calls.web_pins(this.handle, this.engine.numbers));
    }

    clamps() {
        return this.places(this.calls.web_clamps(this.handle, this.engine.numbers));
    }

    places(count) {
        const n = this.engine.read(PIN_NUMBERS * count);
        return Array.from({ length: count }, (_, i) => ({ rod: n[5 * i], node: n[5 * i + 1], point: n.slice(5 * i + 2, 5 * i + 5) }));
    }

    twist(rod, atEnd, turns) {
        return Boolean(this.calls.web_twist(this.handle, rod, atEnd, turns));
    }

    untwist(rod, atEnd) {
        this.calls.web_untwist(this.handle, rod, atEnd);
    }

    // The ends that are twisted, and the wanted turns of each.
    twists() {
        const count = this.calls.web_twists(this.handle, this.engine.numbers), n = this.engine.read(TWIST_NUMBERS * count);
        return Array.from({ length: count }, (_, i) => ({ rod: n[3 * i], end: n[3 * i + 1] ? "end" : "start", turns: n[3 * i + 2] }));
    }
}
