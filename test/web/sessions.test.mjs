// A page in use: served by the program, one scene after the other, every control of the world while it runs, the bench by address.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { PAGE } from "./browser.mjs";
import { finalState, viewing } from "./program.mjs";
import { suite } from "./suite.mjs";

const OPENINGS = 12;

// Draws what is open, and counts the things that live on the graphics card.
function onTheCard(tab) {
    return tab.page.evaluate(() => {
        window.cordage.stage.draw();
        const { geometries, textures } = window.cordage.stage.renderer.info.memory;
        return { geometries, textures };
    });
}

async function slide(tab, name, position) {
    await tab.page.getByRole("slider", { name, exact: true }).fill(String(position));
}

await suite({
    async "the program serves it with a scene"(browser, note) {
        await viewing(["swing", "--set", "rods[0].elements=21"], async (address) => {
            const { origin, hash } = new URL(address);
            const tab = await browser.open({ origin: `${origin}/`, fragment: hash.slice(1), still: true });
            const { title, mode, settings } = await tab.state();
            note(`${title}, ${mode}, ${settings}`);
            assert.deepEqual([title, mode, settings.join()], ["Swinging rope", "live", "rods[0].elements=21"]);
            await tab.goOn();
        });
    },

    async "one scene after the other leaves nothing behind"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        const open = async (name) => {
            await tab.openScene(name);
            await tab.settled();
            return onTheCard(tab);
        };
        await open("pile");
        const before = await open("tie");
        for (let i = 0; i < OPENINGS; i++) {
            await open(["pile", "mobile", "ring_drop"][i % 3]);
        }
        const after = await open("tie");
        note(`${OPENINGS} scenes: ${JSON.stringify(before)} before, ${JSON.stringify(after)} after`);
        assert.deepEqual(after, before);
        await tab.goOn();
    },

    async "the world is changed while it runs, and says so as settings"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        const done = (words) => tab.until((list) => list.every((word) => window.cordage.state().settings.join(" ").includes(word)), words);
        await tab.steps(3);
        const time = await tab.time();
        await slide(tab, "Friction", 1);
        await done(["friction"]);
        await slide(tab, "Damping", -2);
        await done(["friction", "damping"]);
        await tab.page.getByRole("combobox", { name: "Integrator" }).selectOption("implicit");
        await done(["friction", "damping", "integrator"]);
        await tab.page.getByRole("switch", { name: "Contact", exact: true }).click({ force: true });
        await done(["contact=false"]);
        note((await tab.state()).settings.join(" "));
        assert.ok((await tab.time()) >= time, "time was not set back");
        assert.equal((await tab.state()).rods[0].integrator, "implicit");
        await tab.goOn();
    },

    async "the gallery is searched, and the theme switched"(browser) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        await tab.page.locator("#open-gallery").click();
        await tab.page.getByRole("searchbox", { name: "Search scenes" }).fill("square knot");
        const names = await tab.page.locator(".scene:visible").evaluateAll((cards) => cards.map((card) => card.dataset.name));
        assert.ok(names.includes("square_knot") && !names.includes("whip"), names.join());
        await tab.page.getByRole("button", { name: "Close the gallery" }).click();
        const theme = () => tab.page.evaluate(() => document.documentElement.dataset.theme);
        const first = await theme();
        await tab.page.locator("#theme").click();
        assert.notEqual(await theme(), first);
    },

    async "the gallery goes by the address, and the browser leads back"(browser) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        const opened = (name) => tab.until((path) => window.cordage.state().path === path, `scenes/${name}.json`);
        for (const name of ["swing", "whip"]) {
            await tab.page.locator("#open-gallery").click();
            await tab.page.locator(`.scene[data-name="${name}"]`).click();
            await opened(name);
        }
        await tab.page.goBack();
        await opened("swing");
        await tab.page.goBack();
        await opened("tie");
    },

    async "a scene comes to the program's state, whatever a hand does to the one that runs"(browser, note) {
        const tab = await browser.open({ fragment: "open=swing", still: true });
        await slide(tab, "Elements", -0.5);
        await tab.until(() => window.cordage.state().settings.length > 0);
        await tab.goOn();
        await tab.send("grab", { rod: 0, node: 5, target: [0, 0, 0] });
        await tab.goOn();
        await tab.page.getByRole("button", { name: "Share and save" }).click();
        const row = tab.page.getByRole("button", { name: /^Compare with the program/ });
        await row.click();
        await tab.until(() => /state [0-9a-f]{16}/.test(document.getElementById("share").textContent));
        const words = await row.textContent(), { settings } = await tab.state();
        note(words);
        assert.ok(words.includes(finalState("swing", ...settings.flatMap((setting) => ["--set", setting]))));
    },

    async "the address has it measure what is open"(browser, note) {
        const tab = await browser.open({ address: `${pathToFileURL(PAGE).href}?bench#open=tie` });
        const words = await tab.page.locator("#messages p", { hasText: "times real time" }).first().textContent();
        note(words);
        assert.match(words, /^A rope to tie: \d+ steps of 0\.0167 s a second, [\d.]+ times real time/);
    },
});
