// What the page saves: recordings, which it plays again, pictures, and plots as a table.
import assert from "node:assert/strict";
import { Reel } from "../../app/web/src/reel.js";
import { suite } from "./suite.mjs";

const FRAMES = 6;

function press(tab, name) {
    return tab.page.getByRole("button", { name, exact: true }).click();
}

function assertAscends(times) {
    assert.ok(times.length > 0 && times.every((time, i) => i === 0 || time > times[i - 1]), `times are ${times.join(" ")}`);
}

// A recording of the first frames of a shipped scene, and the tab that made it.
async function record(browser, scene) {
    const tab = await browser.open({ fragment: `open=${scene}`, still: true });
    await press(tab, "Record");
    await tab.steps(FRAMES);
    return { tab, file: await tab.downloaded(() => press(tab, "Stop recording")) };
}

await suite({
    async "a recording has no time twice, though a hand moves while time stands"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        await press(tab, "Record");
        await tab.steps(FRAMES);
        await tab.grab(70);
        const { x, y } = await tab.at(await tab.node(70));
        for (let i = 1; i <= 5; i++) {
            await tab.page.mouse.move(x - 5 * i, y - 5 * i);
            await tab.settled();
        }
        await tab.steps(FRAMES);
        await tab.release();
        await tab.settled();
        const told = await tab.page.getByLabel("Recorded").textContent();
        const { name, bytes } = await tab.downloaded(() => press(tab, "Stop recording"));
        const reel = new Reel(bytes);
        const size = `${Math.round(bytes.length / 1e3)} kB`;
        assert.equal(told, `${reel.times.at(-1).toFixed(1)} s · ${size}`, "all that the file holds is counted");
        note(`${name}: ${reel.count} frames, ${reel.times[0]} to ${reel.times.at(-1).toFixed(3)} s`);
        assert.equal(name, "tie.reel");
        assertAscends(reel.times);
        assert.deepEqual([reel.times[0], reel.times.at(-1)], [0, await tab.time()]);
        assert.deepEqual(Array.from(reel.read(reel.count - 1).frame.x), (await tab.nodes()).flat());
    },

    async "going back to the beginning ends a recording, and the file plays from end to end"(browser, note) {
        const tab = await browser.open({ fragment: "open=swing", still: true });
        await tab.steps(FRAMES);
        await press(tab, "Record");
        await tab.steps(FRAMES);
        const last = await tab.time();
        const first = await tab.downloaded(() => tab.page.keyboard.press("r"));
        await tab.until(() => window.cordage.frame().time === 0);
        await press(tab, "Record");
        await tab.steps(FRAMES);
        const second = await tab.downloaded(() => press(tab, "Stop recording"));
        const reels = [first, second].map(({ bytes }) => new Reel(bytes));
        reels.forEach(({ times }) => assertAscends(times));
        note(reels.map(({ count, times }) => `${count} frames, ${times[0].toFixed(3)} to ${times.at(-1).toFixed(3)} s`).join("; "));
        assert.ok(reels[0].times[0] > 0 && reels[1].times[0] === 0);
        assert.equal(reels[0].times.at(-1), last);

        await tab.give({ name: "swing.reel", buffer: Buffer.from(first.bytes) });
        await tab.until(() => window.cordage.state().mode === "player");
        assert.deepEqual([(await tab.state()).frames, await tab.time()], [reels[0].count, reels[0].times[0]]);
        await press(tab, "Play again and again");
        await press(tab, "Play");
        await tab.until((time) => window.cordage.frame().time === time && !window.cordage.state().playing, last);
    },

    async "a recording that is under way is saved when another scene or recording is opened"(browser) {
        const { tab, file } = await record(browser, "swing");
        await press(tab, "Record");
        const left = await tab.downloaded(() => tab.page.evaluate(() => window.cordage.openShipped("tie")));
        assert.equal(left.name, "swing.reel");
        assert.equal(new Reel(left.bytes).count, 1, "the frame that was seen when it began");
        await press(tab, "Record");
        await tab.steps(1);
        const opened = await tab.downloaded(() => tab.give(file.path));
        assert.equal(opened.name, "tie.reel");
        await tab.until(() => window.cordage.state().mode === "player" && window.cordage.state().path === "scenes/swing.json");
    },

    async "scenes, recordings and edits come one after the other, as they were asked for"(browser) {
        const { tab, file } = await record(browser, "swing");
        const open = (work) => tab.page.evaluate(work, Buffer.from(file.bytes).toString("base64"));
        const shown = async () => {
            const { mode, path, settings, rods } = await tab.state();
            return [mode, path, settings.length, rods.length];
        };
        await open(async (base64) => {
            const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
            const { openShipped, openReel } = window.cordage;
            const all = [openShipped("tie"), openShipped("cantilever"), openReel(bytes)];
            const slider = document.querySelector("#panel .field input[type=range]:not(#twist, :disabled)");
            slider.value = Number(slider.max);
            slider.dispatchEvent(new Event("change"));
            await Promise.all(all);
        });
        await tab.settled();
        assert.deepEqual(await shown(), ["player", "scenes/swing.json", 0, 0], "nothing is edited in a recording");

        await open(async (base64) => {
            const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
            await Promise.all([window.cordage.openReel(bytes), window.cordage.openShipped("tie")]);
        });
        assert.deepEqual(await shown(), ["live", "scenes/tie.json", 0, 1]);
    },

    async "a picture has the size of the scene's, and is not blank"(browser, note) {
        const tab = await browser.open({ fragment: "open=overhand", still: true });
        const size = await tab.page.evaluate(() => {
            const { width, height } = document.getElementById("canvas");
            return [width, height];
        });
        const { name, bytes } = await tab.save(/^Save a picture/);
        const view = new DataView(bytes.buffer, bytes.byteOffset);
        note(`${name}: ${size.join(" x ")} pixels, ${bytes.length} bytes`);
        assert.equal(name, "overhand.png");
        assert.equal(Buffer.from(bytes.subarray(1, 4)).toString(), "PNG");
        assert.deepEqual([view.getUint32(16), view.getUint32(20)], size);
        const [colors, same] = await tab.page.evaluate(async (base64) => {
            const png = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
            const picture = await createImageBitmap(new Blob([png], { type: "image/png" }));
            const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
            context.drawImage(picture, 0, 0);
            const pixels = new Uint32Array(context.getImageData(0, 0, picture.width, picture.height).data.buffer);
            const canvas = document.getElementById("canvas");
            return [new Set(pixels).size, canvas.width === picture.width && canvas.height === picture.height];
        }, Buffer.from(bytes).toString("base64"));
        assert.ok(colors > 100, `${colors} colours: a lit rope on its ground has thousands`);
        assert.ok(same, "the page draws on as it did");
    },

    async "plots are saved as a table with a row for each rod and frame, and one for all rods"(browser, note) {
        const tab = await browser.open({ fragment: "open=swing", still: true });
        for (let i = 0; i < FRAMES; i++) {
            await tab.goOn();
        }
        const { name, bytes } = await tab.save(/^Save the plots/);
        const [head, ...rows] = Buffer.from(bytes).toString().trim().split("\n").map((line) => line.split(","));
        note(`${name}: ${rows.length} rows of ${head.join(" ")}`);
        assert.equal(name, "swing.csv");
        assert.deepEqual(head.slice(0, 3), ["time", "rod", "kinetic_energy"]);
        assert.equal(rows.length, 2 * (FRAMES + 1));
        assert.ok(rows.every((row) => row.length === head.length));
        const kinetic = rows.filter((row) => row[1] === "").map((row) => Number(row[2]));
        assert.ok(kinetic[0] === 0 && kinetic.at(-1) > 0, "the rope begins to swing");
        assertAscends(rows.filter((row) => row[1] === "").map((row) => Number(row[0])));
    },
});
