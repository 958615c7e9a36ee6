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

// What stands in the open dialog after "Copy a link" where nothing can be put on the clipboard.
async function linkByHand(tab) {
    await tab.page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error("no clipboard"));
    });
    await tab.page.getByRole("button", { name: "Share and save" }).click();
    const dialog = tab.page.getByRole("dialog", { name: "Share and save" });
    await dialog.getByRole("button", { name: /^Copy a link/ }).click();
    await dialog.getByRole("alert").waitFor();
    const words = await dialog.getByRole("alert").textContent();
    return { words, address: await dialog.getByRole("textbox", { name: "Link" }).isVisible() };
}

await suite({
    async "a link that is opened where nobody sees it runs once it is seen"(browser) {
        const tab = await browser.open({ fragment: "open=tie" });
        const hide = (hidden) => tab.page.evaluate((on) => {
            Object.defineProperty(document, "hidden", { value: on, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }, hidden);
        await hide(true);
        await tab.page.evaluate(() => window.cordage.openShipped("swing"));
        const first = await tab.hash();
        await tab.page.waitForTimeout(300); // an engine that ran would have made steps: it makes thousands in a second
        assert.deepEqual([await tab.hash(), (await tab.state()).playing], [first, true]);
        await hide(false);
        await tab.pass(0.05);
    },

    async "what is wrong with a link stands in the dialog"(browser) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        const text = await tab.page.getByRole("textbox", { name: "Scene text", includeHidden: true }).inputValue();
        await tab.open(text, { path: "mine.json", files: { "mesh.obj": "v 0 0 0" } });
        const meshes = await linkByHand(tab);
        assert.match(meshes.words, /holds no meshes/);
        assert.equal(meshes.address, true);
        await tab.page.keyboard.press("Escape");
        await tab.open(`${text}\n//${" ".repeat(1e6)}`, { path: "long.json" });
        const long = await linkByHand(tab);
        assert.match(long.words, /too long for a link/);
        assert.equal(long.address, false);
    },

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
