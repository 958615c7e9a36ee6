// Links that hold a scene: opened elsewhere they give the same scene, and the same bits as the program.
import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "./browser.mjs";
import { cordage, finalState } from "./program.mjs";
import { suite } from "./suite.mjs";

const FRAMES = 60;

// The address that "Copy a link" gives, wherever it puts it.
async function copiedLink(tab) {
    await tab.page.evaluate(() => {
        navigator.clipboard.writeText = async (text) => {
            window.copied = text;
        };
    });
    await tab.page.getByRole("button", { name: "Share and save" }).click();
    await tab.page.getByRole("button", { name: /^Copy a link/ }).click();
    await tab.until(() => window.copied !== undefined);
    return tab.page.evaluate(() => window.copied);
}

// The hash of the state after a second of a scene that does not play.
async function stateAfterFrames(tab) {
    for (let i = 0; i < FRAMES; i++) {
        await tab.page.keyboard.press("ArrowRight");
    }
    await tab.until(() => window.cordage.frame().time > 0.999);
    await tab.settled();
    assert.ok(Math.abs((await tab.time()) - 1) < 1e-6);
    return tab.hash();
}

async function choose(tab, slider, position) {
    const { settings } = await tab.state();
    await tab.page.getByRole("slider", { name: slider, exact: true }).fill(String(position));
    await tab.until((count) => window.cordage.state().settings.length > count, settings.length);
}

await suite({
    async "a link gives the same scene, settings and bits, here and in the program"(browser, note) {
        const first = await browser.open({ fragment: "open=swing", still: true });
        await choose(first, "Radius", 0.5);
        await choose(first, "Elements", -1);
        await choose(first, "Stiffness", 1);
        await choose(first, "Gravity", 5);
        const link = await copiedLink(first);
        const { settings, title } = await first.state();
        note(`${link.length} characters; ${settings.join(" ")}`);

        const second = await browser.open({ fragment: link.slice(link.indexOf("#") + 1), still: true });
        const opened = await second.state();
        assert.deepEqual([opened.title, opened.settings], [title, settings]);
        const hash = await stateAfterFrames(second);
        const words = settings.flatMap((setting) => ["--set", setting]);
        const native = finalState(join(ROOT, "scenes/swing.json"), "--until", "1", ...words);
        note(`state ${hash}, the program's ${native}`);
        assert.equal(hash, native);
        assert.notEqual(hash, finalState(join(ROOT, "scenes/swing.json"), "--until", "1"), "the settings matter");
    },

    async "a shipped scene has a short link and the program's bits"(browser, note) {
        const first = await browser.open({ fragment: "open=tie", still: true });
        const link = await copiedLink(first);
        assert.match(link, /#open=tie$/);
        const second = await browser.open({ fragment: "open=tie", still: true });
        const hash = await stateAfterFrames(second);
        note(`state ${hash}; ${cordage("--version").split("\n")[0]}`);
        assert.equal(hash, finalState(join(ROOT, "scenes/tie.json"), "--until", "1"));
    },

    async "text of one's own goes by link, whatever letters it has"(browser) {
        const first = await browser.open({ fragment: "open=tie", still: true });
        const text = `// Größe, 繩, 🪢, "quotes" & <brackets>\n{ "cordage": 1, "title": "Größe 繩 🪢 <b>&amp;", "rods": [{ "material": "rubber",
            "section": { "disc": { "radius": 0.01 } }, "shape": { "line": { "from": [0, 0, 0], "to": [1, 0, 0] } }, "elements": 20 }] }`;
        assert.ok((await first.open(text, { path: "mine.json" })).ok);
        const link = await copiedLink(first);
        const second = await browser.open({ fragment: link.slice(link.indexOf("#") + 1), still: true });
        const { title, path } = await second.state();
        assert.deepEqual([title, path], ["Größe 繩 🪢 <b>&amp;", "mine.json"]);
        assert.equal(await second.page.locator("#title").textContent(), title);
        assert.equal(await second.page.getByRole("textbox", { name: "Scene text", includeHidden: true }).inputValue(), text);
    },
});
