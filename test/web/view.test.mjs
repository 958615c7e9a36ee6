// What is seen: the ground down to the picture's corners, recordings whole from their first frame, plots as wide as they are, and parts of
// the page that are open by their buttons.
import assert from "node:assert/strict";
import { suite } from "./suite.mjs";

const WIDE_WINDOW = { width: 1280, height: 800 };
const ROUNDING = 1e-6; // pixels: near and far of the camera, which follow what is seen, are in its matrix

function samePlaces(some, others) {
    return some.every(({ x, y }, i) => Math.hypot(x - others[i].x, y - others[i].y) < ROUNDING);
}

// The page's own recording of the last frames, saved and opened again.
async function replay(tab) {
    await tab.give({ name: "x.reel", buffer: await tab.savedReel() });
    await tab.until(() => window.cordage.state().mode === "player");
}

// Of the scene's floor, where the page's lower corners show it: can it be seen, or is it cut off before the eye?
function cornersSeen(tab) {
    return tab.page.evaluate(async () => {
        await new Promise(requestAnimationFrame); // what keys did is done
        const { stage } = window.cordage;
        stage.draw();
        const { left, right, bottom } = document.getElementById("canvas").getBoundingClientRect();
        const deep = [0, 0, -1000]; // below the floor, so that the pointer's ray is led to the floor
        const corners = [left + 2, right - 2].map((x) => stage.dragPoint(x, bottom - 2, deep));
        return corners.map((point) => ({ height: Math.abs(point[2]), seen: stage.project(point).visible }));
    });
}

// Waits until the lines of a plot, which have colours while levels are grey, reach to more than such a share of its width: plots come a
// little later than frames.
function plotFills(tab, least) {
    return tab.until((share) => {
        const canvas = document.querySelector("#plots canvas");
        const { width, height, data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let last = 0;
        for (let i = 0; i < width * height; i++) {
            const part = [0, 1, 2].map((k) => data[4 * i + k]);
            if (data[4 * i + 3] > 128 && Math.max(...part) - Math.min(...part) > 80) {
                last = Math.max(last, i % width);
            }
        }
        return last > share * width;
    }, least);
}

// Which of the page's parts are there, by what their buttons say and by what is seen.
function partsOf(tab) {
    return tab.page.evaluate(async () => {
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame); // sizes are looked at once for each picture
        return Object.fromEntries(["panel", "plots"].map((part) => {
            const said = document.getElementById(`open-${part}`).getAttribute("aria-expanded") === "true";
            const box = document.getElementById(part).getBoundingClientRect();
            return [part, { said, seen: box.width > 0 && box.height > 0 }];
        }));
    });
}

async function assertParts(tab, panel, plots, when) {
    const parts = await partsOf(tab);
    assert.deepEqual(parts, { panel: { said: panel, seen: panel }, plots: { said: plots, seen: plots } }, when);
}

// Entries of legends whose text is wider than they are, with the longest numbers that they may have to show.
function cutLegends(tab) {
    return tab.page.evaluate(() => {
        const longest = ["−12.3 mJ", "−0.12", "12345"];
        document.querySelectorAll("#plots figure").forEach((figure, i) => figure.querySelectorAll(".number").forEach((node) => {
            node.textContent = longest[i];
        }));
        const buttons = [...document.querySelectorAll("#plots .legend button")];
        const cut = buttons.filter((node) => node.scrollWidth > node.clientWidth);
        return cut.map((node) => `${node.textContent}: ${node.scrollWidth} in ${node.clientWidth}`);
    });
}

await suite({
    async "controls and plots are open where their buttons say so"(browser) {
        for (const viewport of [{ width: 960, height: 800 }, { width: 1024, height: 768 }]) {
            const tab = await browser.open({ fragment: "open=tie", still: true, viewport });
            const { keyboard } = tab.page;
            const size = `${viewport.width} x ${viewport.height}`;
            await assertParts(tab, true, false, `${size}: no room for both`);
            await tab.page.getByRole("button", { name: "Plots", exact: true }).click();
            await assertParts(tab, false, true, `${size}: plots take the controls' place`);
            await keyboard.press("c");
            await assertParts(tab, true, false, `${size}: and they theirs`);
            await keyboard.press("v");
            await assertParts(tab, false, true, `${size}: by key as well`);
            await keyboard.press("v");
            await assertParts(tab, false, false, `${size}: both closed`);
            await keyboard.press("v");
            await keyboard.press("e"); // the editor leaves little room, in which plots are one below the other
            await assertParts(tab, false, true, `${size}: beside the editor`);
        }
    },

    async "plots give way to controls in a window that shrinks, and come back"(browser) {
        const tab = await browser.open({ fragment: "open=tie", still: true, viewport: WIDE_WINDOW });
        await assertParts(tab, true, true, "room for both");
        await tab.page.setViewportSize({ width: 1000, height: 800 });
        await assertParts(tab, true, false, "for one");
        await tab.page.setViewportSize(WIDE_WINDOW);
        await assertParts(tab, true, true, "for both again");
    },

    async "legends have room for their numbers"(browser) {
        const tab = await browser.open({ fragment: "open=tie", still: true, viewport: { width: 768, height: 800 } });
        for (const width of [761, 768, 820, 899, 901, 1061, 1280]) {
            await tab.page.setViewportSize({ width, height: 800 });
            assert.ok((await partsOf(tab)).plots.seen);
            assert.deepEqual(await cutLegends(tab), [], `${width} pixels`);
        }
    },

    async "the ground is seen down to the picture's corners"(browser, note) {
        for (const viewport of [{ width: 360, height: 740 }, { width: 280, height: 900 }, WIDE_WINDOW]) {
            const tab = await browser.open({ fragment: "open=tie", still: true, viewport });
            for (const turns of [0, 4, 4]) { // up, that is down onto it, by keys
                for (let i = 0; i < turns; i++) {
                    await tab.page.keyboard.press("Shift+ArrowUp");
                }
                const corners = await cornersSeen(tab);
                note(`${viewport.width} x ${viewport.height}: ${corners.map(({ seen }) => (seen ? "seen" : "cut off")).join(", ")}`);
                assert.deepEqual(corners.map(({ seen }) => seen), [true, true]);
                assert.ok(corners.every(({ height }) => height < 1e-6), "that is the floor");
            }
        }
    },

    async "a recording is seen whole from its first frame on"(browser, note) {
        const tab = await browser.open({ fragment: "open=swing", still: true });
        for (let i = 0; i < 20; i++) {
            await tab.steps(3); // whoever looks only at the end gets few frames
        }
        await replay(tab);
        const { frames } = await tab.state();
        await tab.page.getByRole("slider", { name: "Frame", exact: true }).fill("0");
        await tab.seek(0);
        const marks = [[0, 0, 2.2], [2, 0, 2.2], [0, 0, 0]];
        const places = await tab.places(marks);
        const hidden = [];
        let lowest = Infinity;
        for (let i = 0; i < frames; i++) {
            await tab.seek(i);
            const nodes = await tab.nodes();
            lowest = Math.min(lowest, ...nodes.map((node) => node[2]));
            hidden.push(...(await tab.page.evaluate((list) => list.filter((node) => !window.cordage.stage.project(node).visible), nodes)));
            assert.ok(samePlaces(await tab.places(marks), places), "the camera stands");
        }
        note(`${frames} frames, from 2.2 m down to ${lowest.toFixed(2)} m`);
        assert.ok(lowest < 0.7, "it swings far down within a second");
        assert.deepEqual(hidden, []);
    },

    async "a recording is seen from where its scene is, and played once or again and again"(browser) {
        const viewport = { width: 800, height: 600 }; // too narrow for the panel, which recordings do not have
        const tab = await browser.open({ fragment: "open=tie", still: true, viewport });
        await tab.steps(5);
        const corners = [[-0.6, 0, 0.3], [0.6, 0, 0.3], [0, 0.2, 0]];
        const live = await tab.places(corners);
        await replay(tab);
        assert.ok(samePlaces(await tab.places(corners), live));
        const loop = tab.page.getByRole("button", { name: "Play again and again" });
        assert.equal(await loop.getAttribute("aria-pressed"), "true");
        await tab.page.keyboard.press("l");
        assert.equal(await loop.getAttribute("aria-pressed"), "false");
        await tab.page.getByRole("button", { name: "Play", exact: true }).click();
        await tab.until(() => !window.cordage.state().playing); // at its end
        await tab.page.keyboard.press("l");
        assert.equal(await loop.getAttribute("aria-pressed"), "true");
    },

    async "plots fill their width from the beginning"(browser, note) {
        const tab = await browser.open({ fragment: "open=swing", still: true, viewport: WIDE_WINDOW });
        for (const until of [1.5, 3]) {
            await tab.stepsUntil((time) => window.cordage.frame().time > time, until, { frames: 3 });
            await plotFills(tab, 0.9); // all of the time that went by, and no more; some pixels on the right are free
            note(`after ${until} s the plot fills its width`);
        }
    },
});
