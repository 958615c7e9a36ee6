// What cordage export --to glb writes, as three's loader reads it: rings at the nodes, stripes along the material axes, bodies, obstacles
// and surfaces in their places, in every frame.
//
//     CORDAGE=PROGRAM node gltf.test.mjs
//
// Ends with status 77, which ctest counts as skipped, where the program cannot record or three is not installed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { fileURLToPath } from "node:url";

import { Reel } from "../../app/web/src/reel.js";
import { Stage, checkGlb, numbersOf, pixelsOf, splitGlb } from "./glb.mjs";

const SKIPPED = 77;
const program = process.env.CORDAGE;
const packages = new URL("../../app/web/node_modules/three/", import.meta.url);
const directory = mkdtempSync(join(tmpdir(), "cordage-gltf-"));
after(() => rmSync(directory, { recursive: true }));

function cordage(...args) {
    return execFileSync(program, args, { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

const reason = !existsSync(fileURLToPath(packages))
    ? "three is not installed: npm ci in app/web, or make web"
    : !cordage("--version").includes("hdf5") && "this build writes no recordings";
if (reason) {
    console.log(`SKIPPED: ${reason}`);
    rmSync(directory, { recursive: true });
    process.exit(SKIPPED);
}
const three = {
    THREE: await import(new URL("build/three.module.js", packages)),
    GLTFLoader: (await import(new URL("examples/jsm/loaders/GLTFLoader.js", packages))).GLTFLoader,
};

// ---------------------------------------------------------------------------------------------------- runs

// Runs a scene, and has it as a .glb (bytes, and on stage), as a reel, which knows edges, bodies and surfaces, and the nodes of its csv in
// full precision: [frame][rod][node].
async function record(scene, until, name = scene.replace(/\W/g, "_")) {
    cordage("run", scene, "-o", `${name}.h5`, "--until", `${until}`, "--quiet");
    cordage("export", `${name}.h5`, "-o", `${name}.glb`);
    cordage("export", `${name}.h5`, "-o", `${name}.reel`);
    const bytes = new Uint8Array(readFileSync(join(directory, `${name}.glb`)));
    const reel = new Reel(new Uint8Array(readFileSync(join(directory, `${name}.reel`))));
    const file = splitGlb(bytes);
    checkGlb(file);
    const stage = await Stage.load(three, bytes);
    assert.equal(stage.times.length, reel.count);
    return { name, file, stage, reel, nodes: readNodes(cordage("export", `${name}.h5`, "--to", "csv", "-o", "-"), reel) };
}

function readNodes(csv, reel) {
    const rows = csv.trim().split("\n").slice(1).map((line) => line.split(",").slice(-3).map(Number));
    let at = 0;
    return Array.from({ length: reel.count }, (_, k) =>
        reel.read(k).layout.rods.map(({ nodeCount }) => rows.slice(at, (at += nodeCount))));
}

// Vertices, matrices and keys are floats: each rounds a coordinate by 2^-24 of it at the most, a product of two matrices has six such
// terms, and so has the sum over a ring.
function roundingOf(run) {
    const most = run.nodes.flat(2).flat().reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    return 16 * 2 ** -24 * most;
}

// ---------------------------------------------------------------------------------------------------- vectors

const add = (a, b) => a.map((v, i) => v + b[i]);
const sub = (a, b) => a.map((v, i) => v - b[i]);
const mul = (a, s) => a.map((v) => v * s);
const dot = (a, b) => a.reduce((sum, v, i) => sum + v * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(...a);
const unit = (a) => mul(a, 1 / length(a));
const vec = (array, i) => [...array.subarray(3 * i, 3 * i + 3)];

// Turns v by the least rotation that takes the unit vector a to the unit vector b.
function transport(v, a, b) {
    const w = cross(a, b);
    const c = dot(a, b);
    return add(add(mul(v, c), cross(w, v)), mul(w, dot(w, v) / (1 + c)));
}

function angleAbout(t, from, to) {
    return Math.atan2(dot(to, cross(t, from)), dot(to, from));
}

// ---------------------------------------------------------------------------------------------------- rings

// The vertices of the walls at each joint; round ends, whose normals lean, and the seam's second column are left out. Networks have two
// rings for a joint, told apart by `side`.
function ringVertices({ THREE }, mesh) {
    const { position, normal, skinIndex, uv } = mesh.geometry.attributes;
    const rings = mesh.skeleton.boneInverses.map(() => [[], []]);
    for (let i = 0; i < position.count; i++) {
        const joint = skinIndex.getX(i);
        const inverse = mesh.skeleton.boneInverses[joint];
        const lean = new THREE.Vector3().fromBufferAttribute(normal, i).transformDirection(inverse).z;
        const along = new THREE.Vector3().fromBufferAttribute(position, i).applyMatrix4(inverse).z;
        if (Math.abs(lean) < 1e-3 && !(uv && uv.getX(i) === 1)) {
            const radius = new THREE.Vector3().fromBufferAttribute(position, i).applyMatrix4(inverse).setZ(0).length();
            rings[joint][along > 0.5 * radius ? 1 : 0].push(i);
        }
    }
    return rings;
}

function centre(stage, mesh, vertices) {
    assert.ok(vertices.length >= 3);
    return mul(vertices.map((i) => stage.vertex(mesh, i)).reduce(add), 1 / vertices.length);
}

// The rings of a chain: centre, direction of the stripe, tangent; and of which node.
function ringsOf(stage, mesh, vertices) {
    return mesh.skeleton.bones.map((bone, joint) => {
        const middle = centre(stage, mesh, vertices[joint][0]);
        const first = stage.vertex(mesh, vertices[joint][0][0]); // where the texture begins
        return { middle, m1: unit(sub(first, middle)), t: unit(stage.pose(bone).axes[2]), node: bone.userData.node };
    });
}

function checkNodes(run, k, rod, rings) {
    const nodes = run.nodes[k][rod];
    const atNodes = rings.filter(({ node }) => node !== undefined);
    assert.deepEqual(atNodes.map(({ node }) => node), nodes.map((_, i) => i));
    return Math.max(...atNodes.map(({ middle, node }) => length(sub(middle, nodes[node]))));
}

// From one edge to the next the material axis turns evenly, along their lengths, from middle to middle: at the node it has turned by its
// share. At open ends it is the edge's own.
function stripeError({ layout, frame }, rod, ring, count) {
    const { firstNode, firstEdge, edgeCount, closed } = layout.rods[rod];
    const x = (i) => vec(frame.x, firstNode + (i % count));
    const edge = (j) => {
        const index = closed ? (j + edgeCount) % edgeCount : Math.min(Math.max(j, 0), edgeCount - 1);
        const way = sub(x(index + 1), x(index));
        return { t: unit(way), size: length(way), m1: vec(frame.m1, firstEdge + index) };
    };
    const [a, b] = [edge(ring.node - 1), edge(ring.node)];
    const [from, to] = [transport(a.m1, a.t, ring.t), transport(b.m1, b.t, ring.t)];
    const share = (angleAbout(ring.t, from, to) * a.size) / (a.size + b.size);
    return Math.abs(angleAbout(ring.t, from, ring.m1) - share);
}

async function checkChains(scene, until) {
    const run = await record(scene, until);
    const { layout } = run.reel.read(0);
    const worst = { place: 0, stripe: 0 };
    const meshes = layout.rods.map(({ name }) => run.stage.skinned(name));
    const vertices = meshes.map((mesh) => ringVertices(three, mesh));
    for (let k = 0; k < run.reel.count; k++) {
        run.stage.show(k);
        layout.rods.forEach(({ nodeCount }, rod) => {
            const rings = ringsOf(run.stage, meshes[rod], vertices[rod]);
            worst.place = Math.max(worst.place, checkNodes(run, k, rod, rings));
            const atNodes = rings.filter(({ node }) => node !== undefined);
            const errors = atNodes.map((ring) => stripeError(run.reel.read(k), rod, ring, nodeCount));
            worst.stripe = Math.max(worst.stripe, ...errors);
        });
    }
    const radius = Math.min(...layout.radius);
    const rounding = roundingOf(run);
    const [place, stripe] = [worst.place, worst.stripe].map((value) => value.toExponential(1));
    console.log(`    ${scene}: ${run.reel.count} frames, rings off by ${place} m, stripes by ${stripe} rad`);
    assert.ok(worst.place < rounding, `${worst.place} m from the nodes, and rounding is ${rounding}`);
    // A stripe is seen on the rim: it is off by what the rim's vertices are, over the radius; directions of edges, from a reel's floats, by
    // as much over their length.
    const { x } = run.reel.read(0).frame;
    const shortest = Math.min(...layout.rods.map(({ firstNode }) => length(sub(vec(x, firstNode + 1), vec(x, firstNode)))));
    assert.ok(worst.stripe < 4 * rounding / Math.min(radius, shortest) + 1e-5, `stripes are off by ${worst.stripe} rad`);
    return run;
}

test("a swinging rope: rings are at the nodes, and stripes along the material", async () => {
    const { file } = await checkChains("swing", 0.5);
    const row = pixelsOf(file, 0); // two strands: as at an angle, so on the other side
    assert.equal(row.length % 2, 0);
    row.forEach((pixel, i) => assert.deepEqual(pixel, row[(i + row.length / 2) % row.length]));
    assert.ok(new Set(row.map(String)).size > 1);
});

test("a ring that falls closes in every frame", async () => {
    const { stage, reel } = await checkChains("ring_drop", 0.3);
    const [rod] = reel.read(0).layout.rods;
    assert.ok(rod.closed);
    const mesh = stage.skinned(rod.name);
    const ends = ringVertices(three, mesh)[0][0]; // the first ring, and the row that closes the surface
    const sides = ends.length / 2;
    stage.show(reel.count - 1);
    for (let i = 0; i < sides; i++) {
        assert.deepEqual(stage.vertex(mesh, ends[i]), stage.vertex(mesh, ends[sides + i]));
    }
});

test("the stripe turns as often as the rod is twisted", async () => {
    const run = await checkChains("twist_buckle", 1.5);
    const [{ name, edgeCount }] = run.reel.read(0).layout.rods;
    const mesh = run.stage.skinned(name);
    run.stage.show(run.reel.count - 1);
    const rings = ringsOf(run.stage, mesh, ringVertices(three, mesh));
    const turns = rings.slice(1).reduce((sum, ring, i) =>
        sum + angleAbout(ring.t, transport(rings[i].m1, rings[i].t, ring.t), ring.m1), 0) / (2 * Math.PI);
    const { rods } = JSON.parse(cordage("info", `${run.name}.h5`, "--json"));
    const wanted = rods[0].twist;
    assert.ok(Math.abs(wanted) > 0.5);
    assert.ok(Math.abs(turns - wanted) < 1e-5 * edgeCount, `${turns} turns, and it is twisted by ${wanted}`); // the rounding of each stripe
});

test("an adaptive rod has a ring wherever it has a node", async () => {
    const run = await record("acm/fig3", 0.6);
    const counts = new Set();
    let worst = 0;
    const index = run.reel.read(0).layout.rods.findIndex(({ name }) => name === "adaptive");
    const mesh = run.stage.skinned("adaptive");
    const arcs = mesh.skeleton.bones.map(({ userData }) => userData.arc);
    assert.ok(arcs.every((arc, i) => i === 0 || arc > arcs[i - 1]));
    const vertices = ringVertices(three, mesh);
    for (let k = 0; k < run.reel.count; k++) {
        run.stage.show(k);
        const { layout, frame } = run.reel.read(k);
        const rings = ringsOf(run.stage, mesh, vertices);
        let at = -1;
        for (let i = 0; i < layout.rods[index].nodeCount; i++) {
            const x = vec(frame.x, layout.rods[index].firstNode + i); // as drawn
            const distances = rings.map(({ middle }) => length(sub(middle, x)));
            const nearest = distances.indexOf(Math.min(...distances));
            assert.ok(nearest > at, "rings are in the order of the nodes");
            at = nearest;
            worst = Math.max(worst, distances[nearest]);
        }
        counts.add(layout.rods[index].nodeCount);
    }
    console.log(`    nodes ${[...counts].sort((a, b) => a - b)}, ${arcs.length} rings, off by ${worst.toExponential(1)} m`);
    assert.ok(counts.size > 1, "its nodes have changed");
    assert.ok(arcs.length >= Math.max(...counts));
    assert.ok(worst < roundingOf(run));
});

test("a network has a tube from end to end of every edge", async () => {
    const run = await record("modal/grid", 0.3);
    const { layout } = run.reel.read(0);
    const index = layout.rods.findIndex(({ network }) => network);
    const { name, firstNode, firstEdge, edgeCount } = layout.rods[index];
    const mesh = run.stage.skinned(name);
    assert.equal(mesh.skeleton.bones.length, edgeCount);
    const vertices = ringVertices(three, mesh);
    let worst = 0;
    for (const k of [0, 1, Math.floor(run.reel.count / 2), run.reel.count - 1]) {
        run.stage.show(k);
        mesh.skeleton.bones.forEach((bone, joint) => {
            assert.equal(bone.userData.edge, joint);
            for (let end = 0; end < 2; end++) {
                const node = layout.ends[2 * (firstEdge + joint) + end] - firstNode;
                worst = Math.max(worst, length(sub(centre(run.stage, mesh, vertices[joint][end]), run.nodes[k][index][node])));
            }
        });
    }
    assert.ok(worst < roundingOf(run), `${worst} m from the nodes`);
});

// ---------------------------------------------------------------------------------------------------- bodies, obstacles, surfaces

// Axes from a quaternion, scalar last.
function axesOf([x, y, z, w]) {
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ];
}

function checkPoses(run, kind, names) {
    const moved = new Set();
    const first = run.reel.read(0).frame[kind].slice();
    for (let k = 0; k < run.reel.count; k++) {
        const { layout, frame } = run.reel.read(k);
        run.stage.show(k);
        layout[kind].forEach(({ name }, i) => {
            const seven = [...frame[kind].subarray(7 * i, 7 * i + 7)];
            if (names.includes(name)) {
                const pose = run.stage.pose(run.stage.find(name));
                assert.ok(length(sub(pose.position, seven.slice(0, 3))) < roundingOf(run));
                axesOf(seven.slice(3)).forEach((axis, c) => assert.ok(length(sub(axis, pose.axes[c])) < 1e-6)); // floats
            }
            if (seven.some((value, c) => value !== first[7 * i + c])) {
                moved.add(name);
            }
        });
    }
    return [...moved].sort();
}

test("bodies go where they go", async () => {
    const run = await record("mobile", 0.3);
    const { bodies } = run.reel.read(0).layout;
    const seen = bodies.filter(({ size }) => size[0] > 0).map(({ name }) => name);
    assert.ok(seen.length > 1);
    assert.deepEqual(checkPoses(run, "bodies", seen).filter((name) => seen.includes(name)), seen.sort());
});

test("obstacles stand, and move where they move", async () => {
    const run = await record("table", 0.5);
    const names = run.reel.read(0).layout.obstacles.map(({ name }) => name);
    assert.deepEqual(checkPoses(run, "obstacles", names), ["bar"]);
    const animated = new Set(run.file.json.animations[0].channels.map(({ target }) => target.node));
    for (const name of names) { // only what moves has keys
        assert.equal(animated.has(run.file.json.nodes.findIndex((node) => node.name === name)), name === "bar");
    }
});

const LEAF = `v 0.05 -0.1 0\nv 0.05 0.1 0\nv 0.5 -0.15 0.02\nv 0.5 0.15 0.02\nv 0.9 -0.02 0\nv 0.9 0.02 0
f 1 3 2\nf 2 3 4\nf 3 5 4\nf 4 5 6\n`;
const ODD = '<b>"\'\\u0022 é 🪢 %n'; // as odd as a scene lets them be

function leafScene(name) {
    return JSON.stringify({
        cordage: 1, gravity: [0, 0, -9.81], time: { step: "auto", end: 0.2, fps: 50 },
        rods: [{ name, material: { young: 1e6, density: 1000 }, section: { disc: { radius: 0.01 } },
            shape: { line: { from: [0, 0, 0], to: [1, 0, 0] } }, elements: 12 }],
        clamps: [{ at: "start", fix: "frame" }],
        surfaces: [{ name: "leaf", rod: name, mesh: { file: "leaf.obj" }, hides: false }],
    });
}

test("a surface is skinned to the edges that carry it", async () => {
    writeFileSync(join(directory, "leaf.obj"), LEAF);
    writeFileSync(join(directory, "leaf.json"), leafScene("twig"));
    const run = await record("leaf.json", 0.2, "leaf");
    const mesh = run.stage.skinned("leaf");
    let worst = 0;
    for (let k = 0; k < run.reel.count; k++) {
        run.stage.show(k);
        const [wanted] = run.reel.read(k).frame.surfaces;
        for (let i = 0; i < wanted.length / 3; i++) {
            worst = Math.max(worst, length(sub(run.stage.vertex(mesh, i), vec(wanted, i))));
        }
    }
    assert.ok(worst < roundingOf(run), `${worst} m`); 
    cordage("export", "leaf.h5", "--frames", "4:", "-o", "part.glb"); // without the frame in which it was tied
    const part = await Stage.load(three, new Uint8Array(readFileSync(join(directory, "part.glb"))));
    part.show(2);
    run.stage.show(6);
    assert.ok(length(sub(part.vertex(part.skinned("leaf"), 4), run.stage.vertex(mesh, 4))) < roundingOf(run));
});

// ---------------------------------------------------------------------------------------------------- the rest

test("one frame is a mesh that nothing moves", async () => {
    cordage("export", "swing", "-o", "still.glb");
    const bytes = new Uint8Array(readFileSync(join(directory, "still.glb")));
    const file = splitGlb(bytes);
    checkGlb(file);
    assert.equal(file.json.animations, undefined);
    assert.equal(file.json.skins, undefined);
    assert.deepEqual(cordage("export", "swing", "--to", "csv", "-o", "-").split("\n")[1].split(",").slice(3).map(Number), [0, 0, 2.2]);
    const stage = await Stage.load(three, bytes);
    const positions = stage.find("rope").geometry.attributes.position;
    const low = [0, 1, 2].map((c) => Math.min(...Array.from({ length: positions.count }, (_, i) => positions.getComponent(i, c))));
    assert.ok(Math.abs(low[0] + 0.005) < 1e-6 && Math.abs(low[1] - 2.195) < 1e-6); // its round end, and y is up
});

test("names of any kind are names", async () => {
    writeFileSync(join(directory, "leaf.obj"), LEAF);
    writeFileSync(join(directory, "odd.json"), leafScene(ODD));
    cordage("export", "odd.json", "-o", "odd.glb");
    const { json } = splitGlb(new Uint8Array(readFileSync(join(directory, "odd.glb"))));
    assert.ok(json.nodes.some((node) => node.name === ODD));
});

test("twice as many sides are twice as many vertices", () => {
    const vertices = (sides) => {
        cordage("export", "swing", "-o", "sides.glb", "--sides", `${sides}`);
        const file = splitGlb(new Uint8Array(readFileSync(join(directory, "sides.glb"))));
        return numbersOf(file, file.json.meshes[0].primitives[0].attributes.POSITION).length / 3;
    };
    const rows = (count, sides) => count / (sides + 1); // with the seam
    assert.equal(rows(vertices(4), 4) - 2 * 2, rows(vertices(8), 8) - 2 * 2); // the walls: all but the round ends
});
