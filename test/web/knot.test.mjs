// An overhand knot is tied into the rope of scenes/tie.json by the mouse alone, as docs/browser.md tells, and pulled tight: it stays.
//
// The mouse drags in the plane that faces the camera, which looks from the front, and the wheel leads away from there and nearer. Between
// two moves of the mouse go three frames, neither more nor less, so that slow machines tie the same knot.
import assert from "node:assert/strict";
import { distance } from "./browser.mjs";
import { suite } from "./suite.mjs";

const TREFOIL = 3;     // determinant of a rope with an overhand knot, its ends joined; 1 without
const SPEED = 0.4;     // m/s, of the hand
const FRAMES = 3;      // between two moves of the mouse,
const MOVE = 1 / 20;   // which are so many seconds: the scene has 60 a second
const PULL = 1;        // N, that the tight knot must bear: some 170 times what bends this rope to the radius of the knot
const TIGHT = 0.15;    // m of rope, at the most, that are in a tight knot: a ring of it alone would be 12 radii round
const NOTCH = 0.03;    // m, that a notch of the wheel leads it by, a little more than
const DEPTH = 0.08;    // m, before the rope, or behind it: a rope is 12 mm thick
const LENGTH = 1.2;    // m, of the rope

const VIEWS = {
    close: { eye: [0.04, -0.42, 0.5], target: [0, 0.03, 0.3], up: [0, 0, 1], fov: 0.6 },
    front: { eye: [-0.1, -2.1, 0.32], target: [-0.1, 0, 0.32], up: [0, 0, 1], fov: 0.6 },
};

function look(tab, view) {
    return tab.page.evaluate((camera) => window.cordage.stage.setCamera(camera, 1, true), VIEWS[view]);
}

// Leads the pointer along a line, as a hand would: from one point of the plane to another.
async function lead(tab, from, to) {
    const moves = Math.max(1, Math.ceil(distance(from, to) / (SPEED * MOVE)));
    const points = Array.from({ length: moves }, (_, i) => from.map((value, k) => value + ((to[k] - value) * (i + 1)) / moves));
    for (const { x, y } of await tab.places(points)) {
        await tab.page.mouse.move(x, y);
        await tab.steps(FRAMES);
    }
}

// Leads what is held through points [x, z].
async function leadThrough(tab, points) {
    for (const [x, z] of points) {
        const { target } = (await tab.state()).hand;
        await lead(tab, target, [x, target[1], z]);
    }
}

// Turns the wheel until what is held is as far away as that, y [m], the rope being at about 0.
async function push(tab, y) {
    for (let now = (await tab.state()).hand.target[1]; Math.abs(now - y) > NOTCH; now = (await tab.state()).hand.target[1]) {
        await tab.page.mouse.wheel(0, now > y ? 100 : -100);
        await tab.steps(FRAMES);
    }
}

async function tie(tab) {
    await tab.pinHere(45);
    // Halfway from there to the end, the rope is led up and to the left: an arc over what will be the loop.
    await tab.grab(70);
    await leadThrough(tab, [[0.15, 0.5], [-0.18, 0.5]]);
    await tab.release({ pin: true });
    await tab.steps(30);
    // The end goes over it, down before the rope, up behind it, and out through the loop.
    await tab.grab(100);
    await push(tab, -DEPTH);
    await leadThrough(tab, [[-0.2, 0.58], [-0.38, 0.45], [-0.38, 0.2]]);
    await push(tab, DEPTH);
    await leadThrough(tab, [[-0.24, 0.2], [-0.2, 0.36]]);
    await push(tab, -DEPTH);
    await leadThrough(tab, [[-0.02, 0.36]]);
    await tab.release({ pin: true });
}

// Along the rope, until it can be drawn no farther.
async function pull(tab) {
    await tab.page.getByRole("button", { name: "Take all pins out" }).click();
    await tab.grab(100);
    await push(tab, 0);
    await leadThrough(tab, [[0.45, 0.3], [0.85, 0.3]]);
    await tab.steps(60);
}

await suite({
    async "a knot is tied by hand and stays when it is pulled"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        await look(tab, "front");
        assert.equal(await tab.knot(), 1);
        await tie(tab);
        const loose = await tab.knot();
        await tab.screenshot("knot_loose.png");
        note(`tied after ${(await tab.time()).toFixed(1)} s: determinant ${loose}`);
        assert.equal(loose, TREFOIL);

        await pull(tab);
        const { hand, pace } = await tab.state();
        const force = Math.hypot(...hand.force), short = LENGTH - distance(await tab.node(0), await tab.node(100));
        await look(tab, "close");
        await tab.steps(1);
        await tab.screenshot("knot_tight.png");
        const speed = `${pace.factor.toFixed(1)} times real time`;
        note(`pulled with ${force.toFixed(1)} N: determinant ${await tab.knot()}, ${short.toFixed(3)} m are in the knot; ${speed}`);
        assert.ok(force > PULL && short < TIGHT, "it is tight");
        await tab.steps(120);
        assert.equal(await tab.knot(), TREFOIL, "it is still there after two more seconds");
        await tab.release();
        await tab.steps(30);
        assert.equal(await tab.knot(), TREFOIL, "and when it is let go");
    },
});
