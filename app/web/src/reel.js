// Reels: scenes and frames as bytes, as docs/reel.md has them. Decoded arrays are views on the bytes, not copies.
//
// The engine (cord_reel_open) checks bytes from outside before they are decoded here. Damaged bytes that come here all the same make these
// functions throw; they never read beyond the bytes given.

const START_BYTES = 16;
const HEAD_BYTES = 16;
const VERSION = 1;
const ROD_CLOSED = 1;
const ROD_NETWORK = 2;
const SURFACE_HIDES = 1;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

// Goes through a payload: an ArrayBuffer, or a Uint8Array that begins at a multiple of 8 of its buffer.
class Cursor {
    constructor(payload) {
        const isView = ArrayBuffer.isView(payload);
        this.buffer = isView ? payload.buffer : payload;
        this.start = isView ? payload.byteOffset : 0;
        this.end = this.start + payload.byteLength;
        this.at = this.start;
        this.view = new DataView(this.buffer);
    }

    take(bytes) {
        const at = this.at;
        if (!(bytes <= this.end - at)) {
            throw new RangeError("the reel ends too early");
        }
        this.at += bytes;
        return at;
    }

    u32() {
        return this.view.getUint32(this.take(4), true);
    }

    f64() {
        return this.view.getFloat64(this.take(8), true);
    }

    u32s(count) {
        return new Uint32Array(this.buffer, this.take(4 * count), count);
    }

    f32s(count) {
        return new Float32Array(this.buffer, this.take(4 * count), count);
    }

    f64s(count) {
        return new Float64Array(this.buffer, this.take(8 * count), count);
    }

    bytes() {
        const size = this.u32();
        const at = this.take(4 * Math.ceil(size / 4));
        return new Uint8Array(this.buffer, at, size);
    }

    text() {
        return decoder.decode(this.bytes());
    }

    finish() {
        if (this.at !== this.end) {
            throw new RangeError("the reel has more bytes than it should");
        }
    }
}

// Reads a list of `count` entries of at least `least` bytes each, so that a wrong count is found before it costs anything.
function list(cursor, count, least, read) {
    if (count * least > cursor.end - cursor.at) {
        throw new RangeError("the reel ends too early");
    }
    const items = [];
    for (let i = 0; i < count; i++) {
        items.push(read(cursor));
    }
    return items;
}

// ---------------------------------------------------------------------------------------------------- layouts

function readRod(cursor) {
    const [firstNode, nodeCount, firstEdge, edgeCount, flags] = cursor.u32s(5);
    const name = cursor.text();
    const closed = (flags & ROD_CLOSED) !== 0;
    const network = (flags & ROD_NETWORK) !== 0;
    return { name, firstNode, nodeCount, firstEdge, edgeCount, closed, network };
}

// A text that is the same for all solids that are drawn alike; each mesh has its own.
export function solidKey({ shape, size }) {
    return [shape, ...size].join(" ");
}

function readSolid(cursor) {
    const shape = cursor.u32();
    const size = cursor.f32s(3);
    const vertexCount = cursor.u32();
    const triangleCount = cursor.u32();
    const name = cursor.text();
    const vertices = cursor.f32s(3 * vertexCount);
    const triangles = cursor.u32s(3 * triangleCount);
    return { name, shape, size, vertices, triangles };
}

function readSurface(cursor) {
    const rod = cursor.u32();
    const hides = (cursor.u32() & SURFACE_HIDES) !== 0;
    const vertexCount = cursor.u32();
    const triangleCount = cursor.u32();
    const name = cursor.text();
    return { name, rod, hides, vertexCount, triangles: cursor.u32s(3 * triangleCount) };
}

// What the frames that follow hold: the payload of a LAYO chunk.
export function decodeLayout(payload) {
    const cursor = new Cursor(payload);
    const [rodCount, nodeCount, edgeCount, bodyCount, obstacleCount, surfaceCount, hasEnds] = cursor.u32s(8);
    const rods = list(cursor, rodCount, 24, readRod);
    const bodies = list(cursor, bodyCount, 28, readSolid);
    const obstacles = list(cursor, obstacleCount, 28, readSolid);
    const surfaces = list(cursor, surfaceCount, 20, readSurface);
    const radius = cursor.f32s(edgeCount);
    const ends = hasEnds ? cursor.u32s(2 * edgeCount) : null;
    cursor.finish();
    return { rods, nodeCount, edgeCount, bodies, obstacles, surfaces, radius, ends };
}

// ---------------------------------------------------------------------------------------------------- frames

// A contact is 8 numbers: point, normal, push, and its kind, which `kinds` shows as the whole number that it is.
function readContacts(cursor, count) {
    const data = cursor.f32s(8 * count);
    return { count, data, kinds: new Uint32Array(data.buffer, data.byteOffset, data.length) };
}

// The payload of a FRAM chunk. It means something only with the layout that it was written with.
export function decodeFrame(layout, payload) {
    const cursor = new Cursor(payload);
    const rods = layout.rods.length;
    const time = cursor.f64();
    const steps = cursor.f64();
    const [contactCount] = cursor.u32s(2);
    const frame = {
        time,
        steps,
        energy: cursor.f64s(5 * rods),
        twist: cursor.f64s(rods),
        writhe: cursor.f64s(rods),
        x: cursor.f32s(3 * layout.nodeCount),
        m1: cursor.f32s(3 * layout.edgeCount),
        tension: cursor.f32s(layout.edgeCount),
        bodies: cursor.f32s(7 * layout.bodies.length),
        obstacles: cursor.f32s(7 * layout.obstacles.length),
        contacts: readContacts(cursor, contactCount),
        surfaces: layout.surfaces.map((surface) => cursor.f32s(3 * surface.vertexCount)),
    };
    cursor.finish();
    return frame;
}

// ---------------------------------------------------------------------------------------------------- scenes

// The payload of a SCEN chunk: { path, text, settings: [text], files: { name: Uint8Array } }. Names come from outside, so the object of
// files has no prototype.
export function decodeScene(payload) {
    const cursor = new Cursor(payload);
    const settingCount = cursor.u32();
    const fileCount = cursor.u32();
    const path = cursor.text();
    const text = cursor.text();
    const settings = list(cursor, settingCount, 4, (c) => c.text());
    const files = Object.create(null);
    for (const [name, bytes] of list(cursor, fileCount, 8, (c) => [c.text(), c.bytes()])) {
        files[name] = bytes;
    }
    cursor.finish();
    return { path, text, settings, files };
}

function padded(size, to) {
    return to * Math.ceil(size / to);
}

function asBytes(value) {
    return typeof value === "string" ? encoder.encode(value) : value;
}

export function encodeScene(scene) {
    const files = Object.entries(scene.files ?? {});
    const settings = scene.settings ?? [];
    const texts = [scene.path ?? "", scene.text, ...settings, ...files.flat()].map(asBytes);
    const size = texts.reduce((sum, text) => sum + 4 + padded(text.length, 4), 8);
    const payload = new Uint8Array(size);
    const view = new DataView(payload.buffer);
    view.setUint32(0, settings.length, true);
    view.setUint32(4, files.length, true);
    let at = 8;
    for (const text of texts) {
        view.setUint32(at, text.length, true);
        payload.set(text, at + 4);
        at += 4 + padded(text.length, 4);
    }
    return payload;
}

// ---------------------------------------------------------------------------------------------------- whole reels

export function isReel(bytes) {
    return bytes.length >= 8 && String.fromCharCode(...bytes.subarray(0, 8)) === "CORDREEL";
}

// The chunks of a reel, in order: [{ tag, payload }], the payloads being views on the bytes.
export function splitReel(bytes) {
    if (bytes.byteOffset % 8 !== 0) {
        bytes = bytes.slice(); // arrays of doubles lie at multiples of 8
    }
    if (bytes.length < START_BYTES || !isReel(bytes)) {
        throw new RangeError("this is not a reel");
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (view.getUint32(8, true) !== VERSION) {
        throw new RangeError(`this reel is of version ${view.getUint32(8, true)}, and only version ${VERSION} can be read`);
    }
    const chunks = [];
    for (let at = START_BYTES; at < bytes.length;) {
        const left = bytes.length - at - HEAD_BYTES;
        const size = left >= 0 ? Number(view.getBigUint64(at + 8, true)) : 0;
        if (left < 0 || padded(size, 8) > left) {
            throw new RangeError("the reel ends too early");
        }
        const tag = String.fromCharCode(...bytes.subarray(at, at + 4));
        at += HEAD_BYTES;
        chunks.push({ tag, payload: bytes.subarray(at, at + size) });
        at += padded(size, 8);
    }
    return chunks;
}

// A reel to be played. Frames are decoded when they are asked for: a whole recording is cheap to open.
export class Reel {
    constructor(bytes) {
        this.scene = null;
        this.frames = []; // { layout, payload }: the layout's payload, and the frame's
        this.times = []; // [s]
        let layout = null;
        for (const { tag, payload } of splitReel(bytes)) {
            if (tag === "SCEN") {
                this.scene = decodeScene(payload);
            } else if (tag === "LAYO") {
                layout = payload;
            } else if (tag === "FRAM" && layout) {
                this.frames.push({ layout, payload });
                this.times.push(new Cursor(payload).f64());
            } else {
                throw new RangeError("the reel has a chunk that is not known, or a frame before its layout");
            }
        }
        this.decoded = { payload: null, layout: null };
    }

    get count() {
        return this.frames.length;
    }

    // { layout, frame }; the layout is the same object as long as it does not change.
    read(index) {
        const { layout, payload } = this.frames[index];
        if (this.decoded.payload !== layout) {
            this.decoded = { payload: layout, layout: decodeLayout(layout) };
        }
        return { layout: this.decoded.layout, frame: decodeFrame(this.decoded.layout, payload) };
    }
}

function startPart() {
    const part = new Uint8Array(START_BYTES);
    part.set(encoder.encode("CORDREEL"));
    new DataView(part.buffer).setUint32(8, VERSION, true);
    return part;
}

function chunkParts(tag, payload) {
    const bytes = ArrayBuffer.isView(payload) ? payload : new Uint8Array(payload);
    const head = new Uint8Array(HEAD_BYTES);
    head.set(encoder.encode(tag));
    new DataView(head.buffer).setBigUint64(8, BigInt(bytes.length), true);
    return [head, bytes, new Uint8Array(padded(bytes.length, 8) - bytes.length)];
}

// A reel as pieces for a Blob: a scene or null, and frames { layout, payload } as Reel has them. A layout is written only where it differs
// from the one before.
export function encodeReel(scene, frames) {
    const parts = [startPart()];
    if (scene) {
        parts.push(...chunkParts("SCEN", encodeScene(scene)));
    }
    let last = null;
    for (const { layout, payload } of frames) {
        if (layout !== last) {
            parts.push(...chunkParts("LAYO", layout));
            last = layout;
        }
        parts.push(...chunkParts("FRAM", payload));
    }
    return parts;
}

// ---------------------------------------------------------------------------------------------------- in a page

const BASE64_PIECE = 1 << 20; // characters at a time, a multiple of 4: a text of the whole recording would be copied twice

// The bytes of a reel that stands in a page as base64.
export function bytesFromBase64(text) {
    const clean = text.replace(/\s+/g, "");
    const padding = clean.endsWith("==") ? 2 : clean.endsWith("=") ? 1 : 0;
    const bytes = new Uint8Array((clean.length / 4) * 3 - padding);
    let at = 0;
    for (let i = 0; i < clean.length; i += BASE64_PIECE) {
        const piece = atob(clean.slice(i, i + BASE64_PIECE));
        for (let k = 0; k < piece.length; k++) {
            bytes[at++] = piece.charCodeAt(k);
        }
    }
    return bytes;
}
