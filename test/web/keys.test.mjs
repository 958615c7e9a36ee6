// The keyboard, names of controls for those who do not see them, colours that can be told apart, and a page as narrow as a phone.
import assert from "node:assert/strict";
import { distance } from "./browser.mjs";
import { suite } from "./suite.mjs";

const FRAME = 1 / 60;  // s, of scenes/tie.json
const FOLLOWS = 2e-3;  // m: the hand pulls with 49 N/m, and what holds the rope back at rest, its bending, is below 0.1 N
const PRESS = 0.012;   // m, that an arrow leads the hand by: 1 % of the rope's length, and 1 % of its thickness, a hundredth of that
const STAYS = 1e-6;    // m: a pin holds to the precision of a frame's floats
const ROUNDING = 1e-6; // pixels

// Controls that can be seen and have no name: their markup.
function nameless(tab) {
    return tab.page.evaluate(() => {
        const named = (node) => {
            const labelledBy = (node.getAttribute("aria-labelledby") ?? "").split(/\s+/);
            const labelled = labelledBy.map((id) => document.getElementById(id)?.textContent ?? "").join("");
            const labels = [...(node.labels ?? [])].map((label) => label.textContent).join("");
            const own = ["BUTTON", "A", "SUMMARY"].includes(node.tagName) ? node.textContent : "";
            return [node.getAttribute("aria-label") ?? "", labelled, labels, own].some((text) => text.trim() !== "");
        };
        const controls = document.querySelectorAll("button, input, select, textarea, a[href], summary, canvas, dialog, " +
            "[role=radiogroup], [role=listbox], output[role]");
        return { count: controls.length, bad: [...controls].filter((node) => !named(node)).map((node) => node.outerHTML.slice(0, 120)) };
    });
}

// Keys one after the other, as fast as they go.
function pressing(tab) {
    return async (key, times = 1) => {
        for (let i = 0; i < times; i++) {
            await tab.page.keyboard.press(key);
        }
    };
}

async function handOf(tab) {
    await tab.until(() => window.cordage.state().hand !== null);
    return (await tab.state()).hand;
}

// Goes on until the hand is so far from where it was, and its node with it.
async function arrive(tab, start, far) {
    await tab.stepsUntil(([from, least, most]) => {
        const { hand } = window.cordage.state();
        const off = (a, b) => Math.hypot(...a.map((value, k) => value - b[k]));
        return off(hand.target, from) > least && off(hand.point, hand.target) < most;
    }, [start, far, FOLLOWS]);
    return handOf(tab);
}

// What those hear who do not see the page.
function said(tab, pattern) {
    return tab.until((source) => new RegExp(source).test(document.getElementById("voice").textContent), pattern.source);
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

// Text in these colours stands on these grounds, and must differ from them by 4.5 to 1, what controls show by 3 to 1 (WCAG 2.1, 1.4.3 and
// 1.4.11). Grounds that let light through lie on "solid".
const GROUNDS = ["solid", "well", "page", "card", "accent-soft", "bad-soft", "warn-soft"];
const TEXTS = ["ink", "soft", "faint", "accent", "bad", "warn", "key", "string", "number", "word"];
const MARKS = ["edge", "plot-1", "plot-2", "plot-3", "plot-4", "plot-5", "plot-6"];
const TEXT_LEAST = 4.5, MARK_LEAST = 3;

// [red, green, blue, alpha], each up to 1, of #rrggbb, #rrggbbaa, rgb() or rgba(); style sheets may have #rgb or #rgba as well.
function colorOf(text) {
    if (text.startsWith("#")) {
        const whole = text.length < 7 ? text.replace(/[0-9a-f]/gi, "$&$&") : text;
        const bytes = whole.slice(1).match(/../g).map((byte) => parseInt(byte, 16) / 255);
        return [...bytes.slice(0, 3), bytes[3] ?? 1];
    }
    const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g).map(Number);
    return [red / 255, green / 255, blue / 255, alpha];
}

function laidOn(color, ground) {
    return [...[0, 1, 2].map((k) => color[3] * color[k] + (1 - color[3]) * ground[k]), 1];
}

function lightOf(color) {
    const [red, green, blue] = color.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Of a colour to its ground, which is opaque: from 1, the same, to 21, black and white.
function contrast(color, ground) {
    const [less, more] = [lightOf(laidOn(color, ground)), lightOf(ground)].sort((a, b) => a - b);
    return (more + 0.05) / (less + 0.05);
}

async function themeColors(tab) {
    const names = [...GROUNDS, ...TEXTS, ...MARKS, "on-accent"];
    const texts = await tab.page.evaluate((list) => {
        const style = getComputedStyle(document.documentElement);
        return list.map((name) => style.getPropertyValue(`--${name}`).trim());
    }, names);
    return Object.fromEntries(names.map((name, i) => [name, colorOf(texts[i])]));
}

// What controls are drawn with that are off, or empty: [name, colour, share of it that is seen].
function drawn(tab) {
    return tab.page.evaluate(() => {
        const of = (selector) => getComputedStyle(document.querySelector(selector));
        document.querySelector("#plots .legend button").click(); // off
        document.querySelector("#gallery").showModal(); // closed dialogs have no colours
        const entry = of(".legend button[aria-pressed=false]"), number = of(".legend button[aria-pressed=false] .number");
        const found = [
            ["a switch that is off", of("#panel input[role=switch]:not(:checked)").backgroundColor, 1],
            ["the border of a list", of("#panel select").borderTopColor, 1],
            ["the border of a number", of("#twist-number").borderTopColor, 1],
            ["the border of a button", of("#gallery .small").borderTopColor, 1],
            ["the border of the search", of(".search").borderTopColor, 1],
            ["a legend's entry that is off", entry.color, Number(entry.opacity)],
            ["the number of it", number.color, Number(entry.opacity)],
        ];
        document.querySelector("#gallery").close();
        return found;
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

    async "no key acts behind the help, and letters can be turned off for good"(browser) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        const press = pressing(tab), editor = tab.page.locator("#editor");
        const { theme } = await tab.page.evaluate(() => ({ ...document.documentElement.dataset }));
        const help = tab.page.getByRole("dialog", { name: "Help" });
        await press("?");
        await help.waitFor();
        await press("t");
        await press("e");
        await press("ArrowRight");
        const after = await tab.page.evaluate(() => document.documentElement.dataset.theme);
        assert.deepEqual([after, await editor.isVisible(), await tab.time()], [theme, false, 0]);

        await help.getByRole("switch", { name: "Letter keys" }).click();
        await press("Escape");
        await help.waitFor({ state: "hidden" });
        await tab.page.reload();
        await tab.page.evaluate(() => window.cordage.ready);
        for (const key of ["e", "?", "g", "Comma", "n"]) {
            await press(key);
        }
        const focused = await tab.page.evaluate(() => document.activeElement.tagName);
        assert.deepEqual([await editor.isVisible(), await tab.page.locator("dialog[open]").count(), focused], [false, 0, "BODY"]);
        await press("ArrowRight");
        await tab.until(() => window.cordage.frame().time > 0);
        await press(" ");
        await tab.until(() => window.cordage.state().playing);
        await tab.page.locator("#canvas").focus();
        await press("Comma");
        await said(tab, /^rope, node 50 of 101$/); // the scene's own, while it has the focus

        await tab.page.getByRole("button", { name: "Help" }).click();
        await help.getByRole("switch", { name: "Letter keys" }).click();
        await press("Escape");
        await help.waitFor({ state: "hidden" });
        await press("e");
        await editor.waitFor();
    },

    async "keys take a rope, lead it and leave it on a pin"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        const press = pressing(tab);
        await press("Tab");
        const [focused, outline] = await tab.page.evaluate(() => {
            const { activeElement } = document;
            return [activeElement.id, getComputedStyle(activeElement).outlineStyle];
        });
        assert.deepEqual([focused, outline], ["canvas", "solid"], "the scene has the focus, and it is seen");
        await said(tab, /^rope, node 51 of 101$/);
        await press("Shift+Period");
        await press("Period", 2);
        await press("Comma");
        await said(tab, /^rope, node 62 of 101$/);
        await press("Enter");
        const { node, target: start } = await handOf(tab);
        assert.equal(node, 61);

        await press("ArrowUp", 12);
        await press("ArrowLeft", 12);
        const hand = await arrive(tab, start, 0.2);
        const way = distance(hand.target, start), off = distance(hand.target, hand.point);
        note(`24 presses lead the hand by ${way.toFixed(3)} m; the rope came within ${(1000 * off).toFixed(2)} mm of it`);
        assert.ok(Math.abs(way / (12 * Math.SQRT2 * PRESS) - 1) < 0.02);
        assert.ok(hand.target[0] < start[0] && hand.target[2] > start[2], "up and to the left, as the camera sees it");
        await said(tab, /^Holding rope, pulling with [\d.]+ m?N\.$/);
        await press("PageUp", 3);
        const farther = hand.target[1] + 2.5 * PRESS * 0.9; // the camera looks down by 26 degrees
        await tab.until((y) => window.cordage.state().hand.target[1] > y, farther);
        await press("Shift+Enter");
        await tab.until(() => window.cordage.state().hand === null && window.cordage.state().pins.length === 1);
        await said(tab, /^Left on a pin\.$/);

        const [pin] = (await tab.state()).pins;
        await tab.steps(30);
        assert.equal(pin.node, 61);
        assert.ok(distance(await tab.node(61), pin.point) < STAYS, "the pin holds it");
        await press("p");
        await tab.until(() => window.cordage.state().pins.length === 0);
    },

    async "Escape drops what keys hold, and arrows are the camera's and the clock's again"(browser) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        const press = pressing(tab);
        await press("End"); // not the scene's yet
        assert.equal(await tab.page.evaluate(() => document.activeElement.id), "");
        await press("Comma"); // which is: the ring comes to the scene
        await press("End");
        await press("Enter");
        const { node, target } = await handOf(tab);
        assert.equal(node, 100);
        const view = await tab.at([0, 0, 0]);
        await press("Shift+ArrowRight");
        await tab.until((x) => window.cordage.state().hand.target[0] > x, target[0] + 4 * PRESS); // five times as far
        const turned = async () => Math.abs((await tab.at([0, 0, 0])).x - view.x) > ROUNDING;
        assert.deepEqual([await turned(), await tab.time()], [false, 0], "it leads the hand, and nothing else");
        await press("Escape");
        await tab.until(() => window.cordage.state().hand === null);
        await press("Shift+ArrowRight");
        assert.ok(await turned());
        await press("ArrowRight");
        await tab.until(() => window.cordage.frame().time > 0);
    },

    async "all controls have names"(browser, note) {
        const tab = await browser.open({ fragment: "open=fringe", still: true });
        await tab.page.keyboard.press("e");
        const { count, bad } = await nameless(tab);
        note(`${count} controls`);
        assert.ok(count > 100);
        assert.deepEqual(bad, []);
    },

    async "the editor tells which completion is chosen"(browser) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        await tab.page.keyboard.press("e");
        const area = tab.page.getByRole("textbox", { name: "Scene text" });
        await area.fill("{ \"");
        await tab.page.getByRole("listbox", { name: "Completions" }).waitFor();
        const told = () => tab.page.evaluate(() => {
            const text = document.getElementById("scene-text");
            const chosen = document.getElementById(text.getAttribute("aria-activedescendant") ?? "none");
            const list = document.getElementById(text.getAttribute("aria-controls"));
            const of = (name) => chosen?.getAttribute(name) ?? null;
            return [text.getAttribute("aria-expanded"), list.getAttribute("role"), of("aria-selected"), of("aria-posinset")];
        });
        assert.deepEqual(await told(), ["true", "listbox", "true", "1"]);
        for (let i = 0; i < 9; i++) { // beyond the eight that are shown at a time
            await tab.page.keyboard.press("ArrowDown");
        }
        assert.deepEqual(await told(), ["true", "listbox", "true", "10"]);
        await tab.page.keyboard.press("Escape");
        assert.deepEqual(await told(), ["false", "listbox", null, null]);
    },

    async "what is greyed out says why"(browser) {
        const tab = await browser.open({ fragment: "open=fringe", still: true, viewport: { width: 1280, height: 800 } });
        const friction = tab.page.getByRole("slider", { name: "Friction" });
        assert.ok(await friction.isDisabled());
        const reason = tab.page.locator(`#${await friction.getAttribute("aria-describedby")}`);
        assert.equal(await reason.textContent(), "Turn contact on first.");
        assert.ok(await reason.isVisible());
        await tab.page.getByRole("switch", { name: "Contact", exact: true }).click();
        await tab.until(() => document.querySelector("#panel .field.off") === null);
        assert.equal(await friction.getAttribute("aria-describedby"), null);
        assert.equal(await tab.page.locator("#panel .reason:visible").count(), 0);
    },

    async "colours can be told from their grounds"(browser, note) {
        for (const colorScheme of ["light", "dark"]) {
            const tab = await browser.open({ fragment: "open=fringe", still: true, colorScheme, viewport: { width: 1280, height: 800 } });
            const colors = await themeColors(tab);
            const ground = (name) => laidOn(colors[name], colors.solid);
            const pairs = [
                ...TEXTS.flatMap((name) => GROUNDS.map((below) => [name, below, TEXT_LEAST])),
                ...MARKS.flatMap((name) => ["solid", "well", "card"].map((below) => [name, below, MARK_LEAST])),
                ["on-accent", "accent", TEXT_LEAST],
            ].map(([name, below, least]) => ({ what: `${name} on ${below}`, ratio: contrast(colors[name], ground(below)), least }));
            const controls = (await drawn(tab)).map(([what, text, share]) => {
                const [red, green, blue, alpha] = colorOf(text);
                return { what, ratio: contrast([red, green, blue, alpha * share], colors.solid), least: MARK_LEAST };
            });
            const all = [...pairs, ...controls], closest = [...all].sort((a, b) => a.ratio / a.least - b.ratio / b.least)[0];
            note(`${colorScheme}: ${all.length} pairs, the closest ${closest.what} with ${closest.ratio.toFixed(2)} to 1`);
            assert.deepEqual(all.filter(({ ratio, least }) => ratio < least).map(({ what, ratio }) => `${what}: ${ratio.toFixed(2)}`), []);
        }
    },

    async "it fits a phone"(browser, note) {
        const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
        const tab = await browser.open({ fragment: "open=tie", still: true, ...phone });
        for (const part of [null, "Controls", "Plots", "Scene editor"]) {
            if (part) {
                await tab.page.getByRole("button", { name: part, exact: true }).click();
            }
            const { scrolls, out } = await overflowing(tab);
            note(`${part ?? "The scene"}: ${scrolls} pixels too wide`);
            await tab.screenshot(`phone_${(part ?? "scene").toLowerCase().replace(" ", "_")}.png`);
            assert.deepEqual([scrolls, out], [0, []], part ?? "the scene");
        }
    },
});
