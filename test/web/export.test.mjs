// Pages that "cordage export --to html" writes, opened from disk: a recording plays its frames, a scene runs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./browser.mjs";
import { cordage, hasRecordings, inFolder } from "./program.mjs";
import { Skip, suite } from "./suite.mjs";

const SCENE = join(ROOT, "scenes/swing.json");
const FLOAT = 2 ** -24; // relative: a frame's positions are rounded to the nearest float

// [{ time, x: [x, y, z, x, ...] }...] of a table of nodes
function framesOf(table) {
    const frames = [];
    for (const line of table.trim().split("\n").slice(1)) {
        const [time, , , ...x] = line.split(",");
        if (frames.at(-1)?.time !== Number(time)) {
            frames.push({ time: Number(time), x: [] });
        }
        frames.at(-1).x.push(...x.map(Number));
    }
    return frames;
}

await suite({
    async "the page of a recording plays its frames"(browser, note) {
        if (!hasRecordings()) {
            throw new Skip("this build of the program has no HDF5, so it has no recordings");
        }
        await inFolder(async (folder) => {
            const recording = join(folder, "swing.h5"), page = join(folder, "swing.html"), table = join(folder, "swing.csv");
            cordage("run", SCENE, "--until", "1", "-o", recording);
            cordage("export", recording, "--to", "html", "-o", page);
            cordage("export", recording, "--to", "csv", "-o", table);
            const frames = framesOf(readFileSync(table, "utf8"));
            const tab = await browser.open({ page });
            const { mode, frames: count, title } = await tab.state();
            note(`${title}: ${count} frames`);
            assert.deepEqual([mode, count, title], ["player", frames.length, "Swinging rope"]);
            const time = await tab.time();
            await tab.until((t) => window.cordage.frame().time !== t, time);

            await tab.page.getByRole("button", { name: "Pause" }).click();
            let worst = 0;
            for (let i = 0; i < frames.length; i++) {
                const shown = await tab.seek(i);
                assert.equal(shown.time, frames[i].time);
                assert.equal(shown.x.length, frames[i].x.length);
                const error = (value, wanted) => Math.abs(value - wanted) / Math.max(Math.abs(wanted), 1e-30);
                worst = Math.max(worst, ...shown.x.map((value, k) => error(value, frames[i].x[k])));
            }
            note(`positions differ by ${worst.toExponential(1)} at the most`);
            assert.ok(worst <= FLOAT);
            assert.ok((await tab.pixelsOfRods()) > 40);
            await tab.screenshot("recording.png");

            await tab.page.getByRole("button", { name: "Run live" }).click();
            await tab.until(() => window.cordage.state().mode === "live" && window.cordage.frame().time < 1);
            await tab.pass(0.1);
        });
    },

    async "the page of a scene runs it, with its settings"(browser, note) {
        await inFolder(async (folder) => {
            const page = join(folder, "live.html");
            cordage("export", SCENE, "--to", "html", "--set", "rods[0].elements=33", "-o", page);
            const tab = await browser.open({ page });
            const { mode, title, settings, rods } = await tab.state();
            note(`${title}: ${mode}, ${settings}`);
            assert.deepEqual([mode, title, rods[0].elements], ["live", "Swinging rope", 33]);
            await tab.pass(0.2);
            assert.ok((await tab.pixelsOfRods()) > 40);
        });
    },
});
