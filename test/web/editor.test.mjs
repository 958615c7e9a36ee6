// The scene's text in the editor: an error is shown at its line, and leaves alone what runs.
import assert from "node:assert/strict";
import { suite } from "./suite.mjs";

async function openEditor(browser, options = {}) {
    const tab = await browser.open({ fragment: "open=tie", ...options });
    await tab.page.getByRole("button", { name: "Scene editor" }).click();
    const area = tab.page.getByRole("textbox", { name: "Scene text" });
    return { tab, area, text: await area.inputValue() };
}

async function run(tab) {
    await tab.page.getByRole("button", { name: "Run", exact: true }).click();
    await tab.until(() => /error|Running/.test(document.querySelector("#editor .status").textContent));
}

// Lines that are marked: [{ number, text }]
function marked(tab) {
    return tab.page.evaluate(() => {
        const numbers = [...document.querySelectorAll("#editor .gutter span")];
        const lines = [...document.querySelectorAll("#editor .layer .line")];
        return lines.flatMap((line, i) => line.classList.contains("error") && numbers[i].classList.contains("error")
            ? [{ number: Number(numbers[i].textContent), text: line.querySelector("em").textContent }] : []);
    });
}

// What is wrong -> what is written in place of what
const ERRORS = {
    "a radius below zero": ['"radius": 0.006', '"radius": -0.006'],
    "a word that is not known": ['"friction": 0.3', '"frction": 0.3'],
    "a bracket too few": ['"contact": {', '"contact": '],
    "a model that is not there": ['"model": "der"', '"model": "dre"'],
};

await suite({
    async "errors stand at their lines, and what runs goes on"(browser, note) {
        const { tab, area, text } = await openEditor(browser);
        for (const [what, [from, to]] of Object.entries(ERRORS)) {
            assert.ok(text.includes(from));
            const line = text.slice(0, text.indexOf(from)).split("\n").length;
            const { time } = await tab.state();
            await area.fill(text.replace(from, to));
            await area.evaluate((element) => element.scrollTo(0, 0));
            await run(tab);
            const found = await marked(tab);
            note(`${what}: line ${line} is marked: ${found[0]?.text}`);
            assert.ok(found.some(({ number, text: words }) => number === line && words.length > 10), `${what}: ${JSON.stringify(found)}`);
            assert.match(await tab.page.locator("#editor .notes li.error").first().textContent(), new RegExp(`^${line}:`));
            assert.match(await tab.page.locator("#editor .status").textContent(), /the last good scene runs on/);
            await tab.pass(0.1);
            const { title, rods, time: now } = await tab.state();
            assert.deepEqual([title, rods[0].elements, now > time], ["A rope to tie", 100, true]);
        }
    },

    async "what is wrong is marked as it is written"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        await tab.page.getByRole("button", { name: "Scene editor" }).click();
        const area = tab.page.getByRole("textbox", { name: "Scene text" }), text = await area.inputValue();
        await area.fill(text.replace("friction", "frction"));
        const marked = tab.page.locator("#editor .notes .error").first();
        await marked.waitFor();
        note(await marked.textContent());
        assert.match(await marked.textContent(), /friction/);
        assert.match(await tab.page.locator("#editor .status").textContent(), /^Not run yet: 1 error/);
        await area.fill(text.replace("0.3 }", "0.4 }"));
        await tab.until(() => document.querySelectorAll("#editor .notes li").length === 0);
        assert.equal((await tab.state()).title, "A rope to tie");
        await tab.goOn();
    },

    async "a scene that was mended runs"(browser) {
        const { tab, area, text } = await openEditor(browser);
        await area.fill(text.replace('"elements": 100', '"elements": -5'));
        await run(tab);
        assert.equal((await marked(tab)).length, 1);
        await area.fill(text.replace('"elements": 100', '"elements": 40'));
        assert.deepEqual(await marked(tab), [], "what is written anew is not marked");
        await tab.page.keyboard.press("Control+Enter");
        await tab.until(() => window.cordage.state().rods[0].elements === 40);
        assert.deepEqual(await marked(tab), []);
        await tab.until(() => window.cordage.frame().x.length === 3 * 41);
        await tab.pass(0.1);
    },

    async "what is written while a scene is being opened stays"(browser) {
        const { tab, area, text } = await openEditor(browser, { still: true });
        const [runs, bad] = ["40", "-5"].map((elements) => text.replace('"elements": 100', `"elements": ${elements}`));
        // Runs one text, and writes on before there can be an answer.
        const runAndWrite = (before, after) => tab.page.evaluate(([first, second]) => {
            const write = (words) => {
                const element = document.getElementById("scene-text");
                element.value = words;
                element.dispatchEvent(new Event("input"));
            };
            write(first);
            document.querySelector("#editor .primary").click();
            write(second);
        }, [before, after]);
        const status = tab.page.locator("#editor .status");
        await runAndWrite(runs, `${runs}// and more`);
        await tab.until(() => window.cordage.state().rods[0].elements === 40);
        assert.equal(await area.inputValue(), `${runs}// and more`);
        assert.equal(await status.textContent(), "Not run yet");

        await runAndWrite(bad, runs);
        await tab.until(() => /error/.test(document.querySelector("#editor .status").textContent));
        assert.deepEqual([await area.inputValue(), await marked(tab)], [runs, []]);
        assert.match(await status.textContent(), /^1 error in what was run/);

        await tab.page.evaluate(() => window.cordage.openShipped("swing"));
        assert.match(await area.inputValue(), /Swinging rope/, "another scene brings its own text");
    },

    async "keys lead out of the text, and say how"(browser) {
        const { tab, area, text } = await openEditor(browser, { still: true });
        const { keyboard } = tab.page;
        const place = () => tab.page.evaluate(() => [document.activeElement.id, document.getElementById("editor").hidden]);
        await keyboard.press("Tab");
        assert.deepEqual([await area.inputValue(), await place()], [`  ${text}`, ["scene-text", false]]);
        const help = await area.evaluate((element) => document.getElementById(element.getAttribute("aria-describedby")).textContent);
        assert.match(help, /Escape and then Tab/);
        await keyboard.press("Escape");
        await keyboard.press("Tab");
        assert.equal(await area.inputValue(), `  ${text}`);
        assert.notEqual((await place())[0], "scene-text");
        await area.focus();
        await keyboard.press("Tab");
        assert.equal((await area.inputValue()).length, text.length + 4, "Escape was for one Tab");
        await keyboard.press("Shift+Tab");
        assert.notEqual((await place())[0], "scene-text");
        await area.focus();
        await keyboard.press("Escape");
        await keyboard.press("Escape");
        assert.deepEqual(await place(), ["open-editor", true]);
    },

    async "text is dropped where it is, files are opened"(browser) {
        const { tab, text } = await openEditor(browser, { still: true });
        const drop = (file, words) => tab.page.evaluate(([name, content]) => {
            const dataTransfer = new DataTransfer();
            name ? dataTransfer.items.add(new File([content], name)) : dataTransfer.setData("text/plain", content);
            const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
            return document.getElementById("scene-text").dispatchEvent(event);
        }, [file, words]);
        assert.equal(await drop(null, "words"), true, "the browser puts them into the text");
        assert.equal(await drop("mine.json", text), false);
        await tab.until(() => window.cordage.state().path === "mine.json");
    },
});
