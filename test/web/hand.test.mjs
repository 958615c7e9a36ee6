// Hands on the rope of scenes/tie.json: it follows the pointer, shows its force, lets go; pins hold. By mouse and by touch.
import assert from "node:assert/strict";
import { distance } from "./browser.mjs";
import { suite } from "./suite.mjs";

// The rope is straight and clamped on the left, so that what can be reached is to the left of where it is.
const FOLLOWS = 2e-3; // m: the hand pulls with 49 N/m, and what holds the rope back at rest, its bending, is below 0.1 N
const MOVES = 10 * FOLLOWS; // m: what is let go goes along by more when the rope is drawn aside; what is held cannot
const AT_FINGER = 2;  // pixels
const STAYS = 1e-6;   // m: a pin holds to the precision of a frame's floats

// As the page writes it, with three digits.
function newtons(force) {
    return force >= 0.9995 ? `${force.toPrecision(3)} N` : `${(1000 * force).toPrecision(3)} mN`;
}

// From one place to so many pixels beside, in small moves of a frame each, so that no event leaps.
async function moveBy(tab, move, from, [dx, dy], moves = 20) {
    for (let i = 1; i <= moves; i++) {
        await move({ x: from.x + (dx * i) / moves, y: from.y + (dy * i) / moves });
        await tab.steps(1);
    }
}

// Goes on until the hand's node is where the hand is; how far it is from it, and the hand.
async function arrive(tab) {
    await tab.stepsUntil((most) => {
        const { hand } = window.cordage.state();
        return hand && Math.hypot(...hand.point.map((value, k) => value - hand.target[k])) < most;
    }, FOLLOWS);
    const { hand } = await tab.state();
    return { hand, off: distance(hand.point, hand.target) };
}

async function drag(tab, node, pixels) {
    const start = await tab.node(node);
    const taken = await tab.grab(node);
    assert.equal(taken.node, node);
    await moveBy(tab, ({ x, y }) => tab.page.mouse.move(x, y), await tab.at(start), pixels);
    return { start, ...(await arrive(tab)) };
}

async function pinsAt(tab, nodes) {
    await tab.until((wanted) => String(window.cordage.state().pins.map((pin) => pin.node)) === wanted, String(nodes));
}

await suite({
    async "the rope follows the mouse, shows the force, and is let go"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie" });
        const label = tab.page.locator("#force");
        assert.equal(await label.isVisible(), false);
        const start = await tab.node(70);
        await tab.grab(70);
        const from = await tab.at(start);
        const [shown, size] = await tab.stopped(async () => {
            await tab.page.mouse.move(from.x - 60, from.y - 90); // a leap: the rope is behind, and the spring pulls
            await tab.until(() => Math.hypot(...window.cordage.state().hand.force) > 0.1);
            return tab.page.evaluate(() => {
                const force = document.getElementById("force");
                return [force.checkVisibility() && force.textContent, Math.hypot(...window.cordage.state().hand.force)];
            });
        });
        assert.equal(shown, newtons(size));
        await tab.pass(0.1); // the page plays
        await tab.stopped(async () => {
            const { hand, off } = await arrive(tab);
            const way = distance(hand.point, start);
            note(`pulled with ${shown}; moved by ${way.toFixed(3)} m, and came within ${(1000 * off).toFixed(2)} mm of the hand`);
            assert.ok(way > MOVES);
            assert.ok(distance(await tab.node(70), hand.target) < 2 * FOLLOWS);
        });
        await tab.release();
        assert.equal(await label.isVisible(), false);
        const left = await tab.node(70);
        await drag(tab, 100, [-100, 120]);
        const along = distance(await tab.node(70), left);
        note(`let go, it moved by ${along.toFixed(3)} m when the end was drawn aside`);
        assert.ok(along > MOVES);
        await tab.release();
    },

    async "pins hold while the rope is dragged elsewhere"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        await drag(tab, 60, [-60, -60]);
        await tab.release({ pin: true });
        await pinsAt(tab, [60]);
        const pinned = await tab.node(60);
        const { start, hand } = await drag(tab, 85, [-80, 40]);
        const off = distance(await tab.node(60), pinned), way = distance(start, hand.point);
        note(`the pin moved by ${off.toExponential(1)} m while the hand went ${way.toFixed(3)} m`);
        assert.ok(off < STAYS && way > MOVES);
        await tab.release();
    },

    async "pins come and go by tool, key and double click"(browser) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        const click = async (node) => {
            const { x, y } = await tab.at(await tab.node(node));
            await tab.page.mouse.click(x, y);
        };
        await tab.page.getByRole("radio", { name: "Pin and unpin" }).click();
        await click(50);
        await pinsAt(tab, [50]);
        await click(50);
        await pinsAt(tab, []);
        await tab.page.getByRole("radio", { name: "Drag ropes" }).click();
        await tab.pinHere(75);
        await pinsAt(tab, [75]);
        await tab.point(await tab.node(90));
        await tab.until(() => document.getElementById("canvas").classList.contains("over"));
        await tab.page.keyboard.press("p");
        await pinsAt(tab, [75, 90]);
        await tab.page.getByRole("button", { name: "Take all pins out" }).click();
        await pinsAt(tab, []);
    },

    async "the wheel leads what is held away from the viewer, and nearer"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        const { target } = await tab.grab(70), at = await tab.at(target);
        const eye = () => tab.page.evaluate(() => window.cordage.stage.view.camera.position.toArray());
        const away = async (point) => distance(point, await eye());
        const before = await away(target);
        await tab.page.mouse.wheel(0, -400);
        await tab.until((old) => window.cordage.state().hand.target.some((x, k) => x !== old[k]), target);
        const hand = (await tab.state()).hand, place = await tab.at(hand.target), after = await away(hand.target);
        note(`from ${before.toFixed(3)} m away to ${after.toFixed(3)} m, and still under the pointer`);
        assert.ok(after > before + 0.05, "away from the viewer");
        assert.ok(Math.hypot(place.x - at.x, place.y - at.y) < 2, "in the pointer's line of sight");
        await tab.page.mouse.wheel(0, 400);
        await tab.until((old) => window.cordage.state().hand.target.some((x, k) => x !== old[k]), hand.target);
        const back = await away((await tab.state()).hand.target);
        assert.ok(Math.abs(back - before) < 0.005, `back to ${back} m`); // a pixel or two of the line of sight
        await tab.release();
    },

    async "the rope follows a finger"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", hasTouch: true, isMobile: true, viewport: { width: 412, height: 800 } });
        const touch = await tab.context.newCDPSession(tab.page);
        const send = (type, ...touchPoints) => touch.send("Input.dispatchTouchEvent", { type, touchPoints });
        const from = await tab.at(await tab.node(70));
        await send("touchStart", from);
        await tab.until(() => window.cordage.state().hand !== null);
        await moveBy(tab, (place) => send("touchMove", place), from, [-40, -60]);
        const target = { x: from.x - 40, y: from.y - 60 };
        await tab.until(([x, y, most]) => { // a busy browser may hand the last move on late
            const { left, top } = document.getElementById("canvas").getBoundingClientRect();
            const finger = window.cordage.stage.project(window.cordage.state().hand.target);
            return Math.hypot(left + finger.x - x, top + finger.y - y) < most;
        }, [target.x, target.y, AT_FINGER]);
        const { hand, off } = await arrive(tab);
        const finger = await tab.at(hand.target);
        note(`node ${hand.node} came within ${(1000 * off).toFixed(2)} mm of the finger`);
        assert.ok(Math.abs(hand.node - 70) <= 1);
        assert.ok(Math.hypot(finger.x - target.x, finger.y - target.y) < AT_FINGER, "the hand is where the finger is");
        await send("touchEnd");
        await tab.until(() => window.cordage.state().hand === null);
    },
});
