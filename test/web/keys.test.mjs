// The keyboard, names of controls for those who do not see them, and a page as narrow as a phone.
import assert from "node:assert/strict";
import { join } from "node:path";
import { PICTURES } from "./browser.mjs";
import { suite } from "./suite.mjs";

const FRAME = 1 / 60; // s, of scenes/tie.json

// Controls that can be seen and have no name: their markup.
function nameless(tab) {
    return tab.page.evaluate(() => {
        const named = (node) => {
            const labelled = (node.getAttribute("aria-labelledby") ?? "").split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join("");
            const labels = [...(node.labels ?? [])].map((label) => label.textContent).join("");
            const own = node instanceof HTMLButtonElement || node instanceof HTMLAnchorElement || node.tagName === "SUMMARY" ? node.textContent : "";
            return [node.getAttribute("aria-label") ?? "", labelled, labels, own].some((text) => text.trim() !== "");
        };
        const controls = document.querySelectorAll("button, input, select, textarea, a[href], summary, canvas, dialog, [role=radiogroup], [role=listbox], output[role]");
        return { count: controls.length, bad: [...controls].filter((node) => !named(node)).map((node) => node.outerHTML.slice(0, 120)) };
    });
}

// Elements that reach beyond the page's sides, those that scroll by themselves left out.
function overflowing(tab) {
    return tab.page.evaluate(() => {
        const wide = document.documentElement.clientWidth;
        const out = [...document.querySelectorAll("button, input, h1, h2, .card, dialog[open]")].filter((node) => {
            const box = node.getBoundingClientRect();
            return box.width > 0 && node.checkVisibility() && (box.right > wide + 1 || box.left < -1);
        });
        return { scrolls: document.documentElement.scrollWidth - wide, out: out.map((node) => node.outerHTML.slice(0, 120)) };
    });
}

await suite({
    async "keys play, step, reset and help"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie" });
        const { keyboard } = tab.page;
        await tab.pass(0.1);
        await keyboard.press(" ");
        await tab.until(() => !window.cordage.state().playing);
        await tab.settled();
        const time = await tab.time();
        await tab.settled();
        assert.equal(await tab.time(), time, "it stands");
        await keyboard.press("ArrowRight");
        await tab.until((t) => window.cordage.frame().time > t, time);
        await tab.settled();
        const step = (await tab.time()) - time;
        note(`one frame on: ${step.toFixed(5)} s`);
        assert.ok(step > 0 && step < 1.01 * FRAME, "to the next frame's time");
        await keyboard.press("ArrowRight");
        await tab.until((t) => window.cordage.frame().time > t, time + step);
        await tab.settled();
        assert.ok(Math.abs((await tab.time()) - time - step - FRAME) < 1e-6, "and a whole frame from there");

        await keyboard.press("r");
        await tab.until(() => window.cordage.frame().time === 0);
        await keyboard.press(" ");
        await tab.pass(0.1);

        const help = tab.page.getByRole("dialog", { name: "Help" });
        await keyboard.press("?");
        await help.waitFor();
        assert.match(await help.textContent(), /play or pause/);
        await keyboard.press("Escape");
        await help.waitFor({ state: "hidden" });
        await keyboard.press("g");
        await tab.page.getByRole("dialog", { name: "Scenes" }).waitFor();
        await keyboard.press("Escape");
        await tab.page.getByRole("dialog", { name: "Scenes" }).waitFor({ state: "hidden" });
    },

    async "all controls have names"(browser, note) {
        const tab = await browser.open({ fragment: "open=fringe" });
        await tab.page.keyboard.press("e");
        const { count, bad } = await nameless(tab);
        note(`${count} controls`);
        assert.ok(count > 100);
        assert.deepEqual(bad, []);
    },

    async "it fits a phone"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
        for (const part of [null, "Controls", "Plots", "Scene editor"]) {
            if (part) {
                await tab.page.getByRole("button", { name: part, exact: true }).click();
            }
            const { scrolls, out } = await overflowing(tab);
            note(`${part ?? "The scene"}: ${scrolls} pixels too wide`);
            await tab.page.screenshot({ path: join(PICTURES, `phone_${(part ?? "scene").toLowerCase().replace(" ", "_")}.png`) });
            assert.deepEqual([scrolls, out], [0, []], part ?? "the scene");
        }
    },
});
