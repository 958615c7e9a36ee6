// Every scene that ships, but for those of peers/, opened in the gallery: it runs, is drawn, and nothing complains. Themes, in pictures.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { PICTURES, ROOT } from "./browser.mjs";
import { suite } from "./suite.mjs";

const LEAST_PIXELS = 40; // of 320 x 200: a thin rod across a fifth of the picture has as many
const LEAST_COLORS = 1000;
const LEAST_DEVIATION = 5; // of 255

function shipped(folder = "") {
    return readdirSync(join(ROOT, "scenes", folder), { withFileTypes: true }).flatMap((entry) => {
        const path = folder + entry.name;
        const isScene = path.endsWith(".json") && path !== "scene.schema.json";
        return path === "peers" ? [] : entry.isDirectory() ? shipped(`${path}/`) : isScene ? [path.replace(".json", "")] : [];
    });
}

async function choose(tab, name) {
    await tab.page.locator("#open-gallery").click();
    await tab.page.locator(`.scene[data-name="${name}"]`).click();
    await tab.until((path) => window.cordage.state().path === path, `scenes/${name}.json`);
    await tab.settled(); // its first frame has come
}

// One frame on; of a scene that the gallery calls large, whatever comes first: a frame of these may be many steps.
async function goOn(tab, name) {
    const time = await tab.time();
    const large = (await tab.page.locator(`.scene[data-name="${name}"] small`).count()) > 0;
    await tab.page.locator(`#transport [aria-label='${large ? "Play" : "One frame on"}']`).click();
    await tab.until((t) => window.cordage.frame().time > t, time);
    if (large) {
        await tab.page.locator("#transport [aria-label='Pause']").click();
    }
}

await suite({
    async "every shipped scene runs and is drawn"(browser, note) {
        const tab = await browser.open({ fragment: "open=cantilever", still: true });
        const names = shipped();
        const cards = await tab.page.locator(".scene").evaluateAll((list) => list.map((card) => card.dataset.name));
        assert.deepEqual([...cards].sort(), [...names].sort(), "the gallery has all these scenes, each once");
        let fewest = Infinity;
        for (const name of names) {
            const start = performance.now();
            await choose(tab, name);
            const pixels = await tab.pixelsOfRods();
            await goOn(tab, name);
            note(`${name}: ${pixels} pixels (${((performance.now() - start) / 1000).toFixed(1)} s)`);
            assert.deepEqual(tab.problems, [], name);
            assert.deepEqual(await tab.page.locator("#messages .error").allTextContents(), [], name);
            assert.ok(pixels >= LEAST_PIXELS, `${name}: ${pixels} pixels`);
            fewest = Math.min(fewest, pixels);
        }
        note(`${names.length} scenes, each at least ${fewest} pixels of 64000`);
    },

    async "a scene that needs ODE says so, and the running one runs on"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie" });
        const text = readFileSync(join(ROOT, "scenes/mobile.json"), "utf8").replace("{", '{ "engine": "ode",');
        await tab.give({ name: "ode.json", buffer: Buffer.from(text) });
        const words = await tab.told();
        note(words);
        assert.match(words, /ODE|ode/);
        assert.equal((await tab.state()).title, "A rope to tie");
        await tab.pass(0.1);
    },

    async "pictures are not blank, light and dark"(browser, note) {
        const means = {};
        for (const colorScheme of ["light", "dark"]) {
            const tab = await browser.open({ fragment: "open=overhand", still: true, colorScheme });
            const figures = await tab.picture(join(PICTURES, `overhand_${colorScheme}.png`));
            note(`${colorScheme}: ${figures.colors} colours, brightness ${figures.mean.toFixed(0)} +- ${figures.deviation.toFixed(0)}`);
            assert.ok(figures.colors > LEAST_COLORS && figures.deviation > LEAST_DEVIATION);
            means[colorScheme] = figures.mean;
        }
        assert.ok(means.light > 2 * means.dark, "light is lighter than dark");
    },
});
