// Every scene that ships, opened in the gallery: it runs, is drawn, and nothing complains. Themes, in pictures.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./browser.mjs";
import { suite } from "./suite.mjs";

const LEAST_PIXELS = 40; // of 320 x 200: a thin rod across a fifth of the picture has as many

function shipped(folder = "") {
    return readdirSync(join(ROOT, "scenes", folder), { withFileTypes: true }).flatMap((entry) => {
        const path = folder + entry.name;
        return entry.isDirectory() ? shipped(`${path}/`) : /\.json$/.test(path) && path !== "scene.schema.json" ? [path.replace(".json", "")] : [];
    });
}

async function choose(tab, name) {
    await tab.page.locator("#open-gallery").click();
    await tab.page.locator(`.scene[data-name="${name}"]`).click();
    await tab.until((path) => window.cordage.state().path === path && window.cordage.frame() !== null, `scenes/${name}.json`);
}

await suite({
    async "every shipped scene runs and is drawn"(browser, note) {
        const tab = await browser.open({ fragment: "open=cantilever", still: true });
        const names = shipped();
        const cards = await tab.page.locator(".scene").evaluateAll((list) => list.map((card) => card.dataset.name));
        assert.deepEqual([...cards].sort(), [...names].sort(), "the gallery has all scenes, each once");
        for (const name of names) {
            const start = performance.now();
            await choose(tab, name);
            const opened = performance.now();
            const pixels = await tab.pixelsOfRods();
            const drawn = performance.now();
            const time = await tab.time();
            await tab.page.locator("#transport [aria-label='One frame on']").click();
            await tab.until((t) => window.cordage.frame().time > t, time);
            note(`${name}: ${pixels} pixels, ${[opened - start, drawn - opened, performance.now() - drawn].map((t) => (t / 1000).toFixed(2)).join(" ")}`);
            assert.deepEqual(tab.problems, [], name);
            assert.ok(pixels >= LEAST_PIXELS, `${name}: ${pixels} pixels`);
        }
    },
});
