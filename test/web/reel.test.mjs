// app/web/src/reel.js against what the program writes: node reel.test.mjs
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import test from "node:test";

import { Engine } from "../../app/web/src/engine.js";
import {
    Reel,
    bytesFromBase64,
    decodeFrame,
    decodeLayout,
    encodeReel,
    encodeScene,
    decodeScene,
    isReel,
    splitReel,
} from "../../app/web/src/reel.js";

// Written by test/unit/reel_damage.c, which says what is in it: reel_stage.h.
const bytes = new Uint8Array(readFileSync(new URL("../fuzz/reel/everything.reel", import.meta.url)));

function joined(parts) {
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
    return whole;
}

test("a reel is told by its beginning", () => {
    assert.equal(isReel(bytes), true);
    assert.equal(isReel(bytes.subarray(1)), false);
    assert.equal(isReel(new Uint8Array(0)), false);
    assert.throws(() => splitReel(new Uint8Array(100)), RangeError);
});

test("the scene comes with its settings and files", () => {
    const { scene, count } = new Reel(bytes);
    assert.equal(count, 2);
    assert.equal(scene.path, "knot.json");
    assert.equal(scene.text, '{ "cordage": 1 }');
    assert.deepEqual(scene.settings, ["gravity=[0,0,0]", 'rods[*].model="pbd"']);
    assert.deepEqual(Object.keys(scene.files), ["a/b.obj", "dots.csv", "none"]);
    assert.deepEqual([...scene.files["dots.csv"]], [0, 255, 0]);
});

test("the layout is what was written", () => {
    const { layout } = new Reel(bytes).read(0);
    assert.deepEqual(layout.rods, [
        { name: "ring", firstNode: 0, nodeCount: 3, firstEdge: 0, edgeCount: 3, closed: true, network: false },
        { name: "twig", firstNode: 3, nodeCount: 4, firstEdge: 3, edgeCount: 3, closed: false, network: true },
    ]);
    assert.deepEqual([layout.nodeCount, layout.edgeCount], [7, 6]);
    assert.deepEqual([layout.bodies[0].name, layout.bodies[0].shape, ...layout.bodies[0].size], ["crate", 2, 1, 2, 0.5]);
    assert.deepEqual([layout.obstacles[0].name, layout.obstacles[0].shape], ["sail", 7]);
    assert.deepEqual([...layout.obstacles[0].triangles], [0, 1, 2, 0, 2, 1]);
    assert.deepEqual([...layout.obstacles[0].vertices], [0, 0, 0, 1, 0, 0, 0, 1, 0]);
    assert.equal(layout.obstacles[1].name, "Ríng");
    const [leaf] = layout.surfaces;
    assert.deepEqual([leaf.name, leaf.rod, leaf.hides, leaf.vertexCount, ...leaf.triangles], ["leaf", 1, true, 3, 2, 1, 0]);
    assert.deepEqual([...layout.radius], [0.125, 0.25, 0.375, 0.5, 0.625, 0.75]);
    assert.deepEqual([...layout.ends], [0, 1, 1, 2, 2, 0, 3, 6, 6, 4, 5, 6]);
});

test("the frame is what was written", () => {
    const reel = new Reel(bytes);
    const { layout, frame } = reel.read(0);
    assert.deepEqual([frame.time, frame.steps], [0.1, 1234567890123]);
    assert.deepEqual(reel.times, [0.1, 0.6]);
    assert.deepEqual([...frame.energy.subarray(0, 5)], [1.1, 2.2, 3.3, 4.4, -5.5]);
    assert.deepEqual([...frame.twist], [0.1, NaN]);
    assert.deepEqual([...frame.writhe], [-0.7, NaN]);
    assert.deepEqual([...frame.x.subarray(3, 9)], [1, 0.25, 1, 2, 1, 2]);
    assert.deepEqual([...frame.m1.subarray(0, 6)], [0, 0, 1, 0, 0, -1]);
    assert.deepEqual([...frame.tension], [-4, -0.5, 3, 6.5, 10, 13.5]);
    assert.deepEqual([...frame.bodies], [4, 5, 6, 0, Math.fround(0.6), 0, Math.fround(0.8)]);
    assert.deepEqual([...frame.obstacles.subarray(7)], [0, 0, 0, 1, 0, 0, 0]);
    assert.equal(frame.contacts.count, 3);
    assert.deepEqual([...frame.contacts.data.subarray(8, 15)], [1, 2, 3, 0, 1, 0, 1.5]);
    assert.deepEqual([7, 15, 23].map((i) => frame.contacts.kinds[i]), [0, 1, 2]);
    assert.deepEqual([...frame.surfaces[0]], [0, 0, 2, 0.5, -1, 2, 1, -2, 2]);
    assert.equal(reel.read(1).layout, layout);
    assert.equal(reel.read(1).frame.contacts.count, 0);
});

test("decoded arrays are views, wherever the bytes lie", () => {
    const { frame } = new Reel(bytes).read(0);
    assert.equal(frame.x.buffer, bytes.buffer);
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    assert.deepEqual(new Reel(shifted.subarray(3)).read(0).frame.x, frame.x);
    const [, layout, first] = splitReel(bytes).map((chunk) => chunk.payload);
    const copied = decodeFrame(decodeLayout(layout.slice().buffer), first.slice().buffer);
    assert.deepEqual(copied.energy, frame.energy);
});

test("what is encoded is the same reel again", () => {
    const reel = new Reel(bytes);
    assert.deepEqual(joined(encodeReel(reel.scene, reel.frames)), bytes);
    const scene = { path: "é.json", text: "{}", settings: [], files: { "a.csv": "1,2,3\n" } };
    const again = decodeScene(encodeScene(scene));
    assert.deepEqual([again.path, again.text, again.settings], ["é.json", "{}", []]);
    assert.equal(new TextDecoder().decode(again.files["a.csv"]), "1,2,3\n");
    assert.equal(new Reel(joined(encodeReel(scene, []))).count, 0);
});

test("a file may have any name", () => {
    const files = JSON.parse('{ "__proto__": "x", "constructor": "y" }');
    const again = decodeScene(encodeScene({ text: "", files }));
    assert.deepEqual(Object.keys(again.files), ["__proto__", "constructor"]);
    assert.equal(Object.getPrototypeOf(again.files), null);
});

test("base64 as pages hold it", () => {
    for (const size of [0, 1, 2, 3, 4, 1000, 800000]) {
        const data = Uint8Array.from({ length: size }, (_, i) => (i * 31) & 255);
        const text = Buffer.from(data).toString("base64");
        assert.deepEqual(bytesFromBase64(`\n${text}\n`), data);
    }
});

function readAll(data) {
    const reel = new Reel(data);
    for (let i = 0; i < reel.count; i++) {
        reel.read(i);
    }
}

// 1 if it is refused; other errors than these would be the reader's own.
function refuses(damaged) {
    try {
        readAll(damaged);
        return 0;
    } catch (error) {
        assert.ok(error instanceof RangeError || error instanceof TypeError, String(error));
        return 1;
    }
}

test("damaged reels throw, and nothing worse", () => {
    let cut = 0, wrong = 0;
    for (let size = 0; size < bytes.length; size++) {
        cut += refuses(bytes.slice(0, size));
    }
    assert.ok(bytes.length - cut < 20, `${cut} of ${bytes.length} were refused: all that do not end with a chunk`);
    const numbers = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffc, 0x15555556];
    for (let at = 8; at < bytes.length; at += 4) {
        for (const number of numbers) {
            const damaged = bytes.slice();
            new DataView(damaged.buffer).setUint32(at, number, true);
            wrong += refuses(damaged);
        }
    }
    assert.ok(wrong > 100, `${wrong} with wrong numbers were refused: those that count something`);
});

const WASM = new URL("../../build/web/cordage.wasm", import.meta.url);

// A crate, a sail of triangles and a ring, in turn: the engine knows their surfaces, each once.
test("the solids of a layout have surfaces", { skip: !existsSync(WASM) }, () => {
    const engine = new Engine(new WebAssembly.Module(readFileSync(WASM))), known = new Set(), { layout } = new Reel(bytes).frames[0];
    const [crate, sail, ring] = engine.surfaces(layout, known);
    assert.deepEqual([crate.tones, crate.mesh, crate.vertices.length, crate.corners.length], [0, false, 6 * 24, 36]);
    assert.deepEqual([sail.mesh, sail.vertices], [true, undefined]);
    assert.equal(ring.tones, 1);
    for (let i = 0; i < ring.vertices.length; i += 6) {
        const [x, y, z] = ring.vertices.subarray(i, i + 3);
        assert.ok(Math.abs(Math.hypot(Math.hypot(x, y) - 0.5, z) - 0.125) < 1e-6);
    }
    assert.ok(ring.corners.every((corner) => corner < ring.vertices.length / 6));
    assert.deepEqual(engine.surfaces(layout, known), []);
    const [plane, point] = [0, 1].map((shape) => engine.surface({ shape, size: [0, 0, 0] }));
    assert.deepEqual([plane.endless, point.vertices], [true, undefined]);
});
