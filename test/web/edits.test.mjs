// What is changed by the controls while it runs: model, elements, radius. Shape, knot and pins stay.
import assert from "node:assert/strict";
import { suite } from "./suite.mjs";

const TREFOIL = 3;
const ELEMENT = 0.017;  // m, of a rope of 1.7 m in 100 elements
const SPEED = 0.02;     // m/s, of a rope that straightens in air as thick as this: 0.6 when it is let go, 0.018 after CALM
const CALM = 0.5;       // s
const SAME = 1e-6;      // m: other models take the nodes as they are, to the precision of a frame's floats
// Where there are other elements, the polygon is sampled anew: it leaves the old one by no more than the sagitta of an arc of the loop's
// curvature, 1/(0.05 m), over an element: 0.017^2 / (8 x 0.05).
const SAMPLED = ELEMENT ** 2 / (8 * 0.05) + 1e-3;
const PINS = [15, 85];
// Of the length of a bent cantilever: what its modes draw is off by so much at the most. Back from there the curve stays, and its nodes are
// placed anew along it: der holds an end by an edge, modal by a node.
const OFF = { modal: 0.1, der: 1e-3 };

// The rope of scenes/tie.json with an overhand knot in it, loose, and two pins, once it has all but come to rest.
async function openKnot(browser, pins) {
    const tab = await browser.open({ fragment: "open=cantilever" });
    await tab.openScene("tie", [
        'rods[0].shape={"knot":{"name":"overhand","size":0.25,"tails":0.35}}', 'rods[0].rest="straight"',
        'loads[0]={"drag":{"along":2,"across":4}}', "obstacles=[]",
    ]);
    for (const node of pins) {
        await tab.pinHere(node);
    }
    await tab.pass(CALM);
    return tab;
}

// Does `change`, and compares the last frame before it with the first one after: { before, after: { time, x }, pins }
async function across(tab, change) {
    await tab.page.evaluate(() => {
        const copy = () => ({ time: window.cordage.frame().time, x: Array.from(window.cordage.frame().x) });
        let before = copy();
        const layout = window.cordage.layout();
        window.crossing = new Promise((resolve) => {
            const look = () => {
                if (window.cordage.layout() !== layout) {
                    resolve({ before, after: copy(), pins: window.cordage.state().pins });
                    return;
                }
                before = copy();
                setTimeout(look, 2);
            };
            look();
        });
    });
    await change();
    return tab.page.evaluate(() => window.crossing);
}

// The largest distance of a node of one polygon from the other, which may have other nodes [m].
function apart(a, b) {
    const points = (x) => Array.from({ length: x.length / 3 }, (_, i) => x.slice(3 * i, 3 * i + 3));
    const segments = points(b);
    return Math.max(...points(a).map((p) => Math.min(...segments.slice(1).map((q, i) => toSegment(p, segments[i], q)))));
}

function toSegment(p, a, b) {
    const along = b.map((value, k) => value - a[k]), off = p.map((value, k) => value - a[k]);
    const square = along.reduce((sum, v) => sum + v * v, 0);
    const s = Math.min(1, Math.max(0, along.reduce((sum, v, k) => sum + v * off[k], 0) / square));
    return Math.hypot(...off.map((value, k) => value - s * along[k]));
}

// Checks what holds for every change: time went on, the shape is within `most` plus its motion meanwhile, the knot and the pins are there.
async function checkCrossing(tab, { before, after, pins }, most, what, note) {
    const passed = after.time - before.time, off = apart(before.x, after.x);
    note(`${what}: ${off.toExponential(1)} m apart, ${(1000 * passed).toFixed(0)} ms later`);
    assert.ok(passed >= 0, "time was not set back");
    assert.ok(off <= most + SPEED * passed, what);
    assert.equal(pins.length, PINS.length);
    assert.equal(await tab.knot(), TREFOIL, what);
    await tab.pass(0.1);
}

await suite({
    async "switching the model keeps shape, knot and pins"(browser, note) {
        const tab = await openKnot(browser, PINS);
        for (const still of [true, false]) { // standing, so that nothing moves meanwhile; then running
            for (const model of ["corde", "pbd", "der"]) {
                const radio = tab.page.getByRole("radio", { name: model, exact: true });
                const change = () => radio.check({ force: true });
                const crossing = await (still ? tab.stopped(() => across(tab, change)) : across(tab, change));
                await checkCrossing(tab, crossing, SAME, `${model}, ${still ? "standing" : "running"}`, note);
                const { rods } = await tab.state();
                assert.equal(rods[0].model, model);
                assert.deepEqual(crossing.pins.map((pin) => pin.node), PINS);
            }
        }
    },

    async "modal rods take the nearest shape, and others take theirs"(browser, note) {
        const tab = await browser.open({ fragment: "open=cantilever", still: true });
        const { length } = (await tab.state()).rods[0];
        for (const [model, most] of Object.entries(OFF)) {
            for (let i = 0; i < 4; i++) {
                await tab.goOn();
            }
            const radio = tab.page.getByRole("radio", { name: model, exact: true });
            const { before, after } = await across(tab, () => radio.check({ force: true }));
            const off = apart(before.x, after.x) / length;
            note(`${model}: ${off.toExponential(1)} of its length apart`);
            assert.ok(off < most && (await tab.state()).rods[0].model === model);
        }
    },

    async "other elements and another radius keep shape, knot and pins"(browser, note) {
        const tab = await openKnot(browser, PINS);
        const places = (await tab.state()).pins.map((pin) => pin.point);
        // Both sliders are powers of two on what the scene has.
        const edits = [
            ["Elements", 0.3, "elements", 123], ["Radius", 0.16, "radius", 0.006 * 2 ** 0.16],
            ["Elements", -0.2, "elements", 87], ["Radius", -0.16, "radius", 0.006 * 2 ** -0.16],
        ];
        for (const [name, position, member, wanted] of edits) {
            const crossing = await across(tab, () => tab.page.getByRole("slider", { name, exact: true }).fill(String(position)));
            await checkCrossing(tab, crossing, SAMPLED, `${name} ${wanted.toPrecision(3)}`, note);
            const { rods, pins } = await tab.state();
            assert.ok(Math.abs(rods[0][member] / wanted - 1) < 1e-4, `${member} is ${rods[0][member]}`);
            const moved = Math.max(...pins.map((pin, i) => Math.hypot(...pin.point.map((value, k) => value - places[i][k]))));
            assert.ok(moved < SAMPLED + ELEMENT, `pins are where they were, to an element: ${moved} m`);
        }
    },
});
