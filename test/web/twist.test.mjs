// The slider of the panel twists an end of a rod until it buckles.
import assert from "node:assert/strict";
import { suite } from "./suite.mjs";

// Greenhill: a rod clamped at both ends, one of them free to slide, is straight up to a twist of 8.987 EI/GJ, for rubber 2.1 turns, as the
// scene says.
const BELOW = 1.5, ABOVE = 3.5; // turns
const STRAIGHT = 0.02;          // turns of writhe: the breath from the side bends the rod this little
const COILED = 0.5;             // a coil that closes to a loop comes to 1
const STEP = 0.05;              // turns, of the slider

// The rod of the scene, whose end nobody turns but the slider; in thicker air, so that it comes to rest.
async function openRod(browser, options = {}) {
    const tab = await browser.open({ fragment: "open=cantilever", ...options });
    const settings = ["clamps[1].motion=[]", 'loads[0]={"drag":{"along":1,"across":1}}', 'contact={"friction":0.3}'];
    await tab.openScene("twist_buckle", settings);
    return tab;
}

async function turnTo(tab, slider, from, to) {
    await slider.focus();
    for (let turns = from; turns < to - STEP / 2; turns += STEP) {
        await tab.page.keyboard.press("ArrowRight");
    }
    assert.equal(Number(await slider.inputValue()), to);
}

function linking(tab) {
    return tab.page.evaluate(() => ({ twist: window.cordage.frame().twist[0], writhe: Math.abs(window.cordage.frame().writhe[0]) }));
}

// What the controls show of the end that is chosen: turns, and whether it can be let go.
function shows(tab, turns, held) {
    return tab.until(([wanted, can]) => Number(document.getElementById("twist").value) === wanted &&
        document.getElementById("twist-number").value === String(wanted) &&
        [...document.querySelectorAll("#panel button")].find((button) => button.textContent === "Let go").disabled !== can, [turns, held]);
}

async function setModel(tab, model) {
    await tab.page.evaluate((name) => document.querySelector(`#panel input[type=radio][value=${name}]`).click(), model);
    await tab.until((name) => window.cordage.state().rods[0].model === name, model);
}

await suite({
    async "past the critical twist the rod buckles"(browser, note) {
        const tab = await openRod(browser, { still: true });
        const slider = tab.page.getByRole("slider", { name: "Turns", exact: true });
        await turnTo(tab, slider, 0, BELOW);
        await tab.stepsUntil((turns) => Math.abs(window.cordage.frame().twist[0]) > turns - 0.01, BELOW);
        await tab.stepsUntil((end) => window.cordage.frame().time > end, (await tab.time()) + 1);
        const straight = await linking(tab);
        note(`${BELOW} turns: twist ${straight.twist.toFixed(3)}, writhe ${straight.writhe.toFixed(4)}`);
        assert.ok(straight.writhe < STRAIGHT);

        await turnTo(tab, slider, BELOW, ABOVE);
        await tab.stepsUntil((writhe) => Math.abs(window.cordage.frame().writhe[0]) > writhe, COILED);
        const coiled = await linking(tab);
        note(`${ABOVE} turns: twist ${coiled.twist.toFixed(3)}, writhe ${coiled.writhe.toFixed(3)}`);
        assert.ok(Math.abs(coiled.twist) < ABOVE - COILED / 2, "what went into writhe is gone from twist");
    },

    async "the wheel with Alt twists the end it is over"(browser, note) {
        const tab = await openRod(browser);
        await tab.stopped(async () => {
            await tab.point(await tab.node(97));
            await tab.page.keyboard.down("Alt");
            await tab.page.mouse.wheel(0, -600); // six notches, a twenty-fourth of a turn each
            await tab.page.keyboard.up("Alt");
        });
        await tab.until(() => Math.abs(window.cordage.frame().twist[0]) > 0.24);
        note(`twist ${(await linking(tab)).twist.toFixed(3)} turns`);
        assert.equal(Number(await tab.page.locator("#twist").inputValue()), 0.25);
    },

    async "the controls show what the engine holds, whoever turned it"(browser, note) {
        const tab = await browser.open({ fragment: "open=cantilever", still: true });
        await shows(tab, 0, false);
        await tab.send("twist", { rod: 0, end: "end", turns: 1.5 });
        await shows(tab, 1.5, true);
        await tab.page.locator("#twist").fill("2");
        await shows(tab, 2, true);
        await tab.settled();
        assert.deepEqual((await tab.state()).twists, [{ rod: 0, end: "end", turns: 2 }]);
        for (const model of ["modal", "der"]) {
            await setModel(tab, model);
            await tab.settled();
            const { twists } = await tab.state();
            note(`${model}: the engine holds ${JSON.stringify(twists)}`);
            await shows(tab, twists[0]?.turns ?? 0, twists.length > 0);
        }
        await tab.page.locator("#twist").fill("1");
        await shows(tab, 1, true);
        await tab.page.getByRole("button", { name: "Let go" }).click();
        await shows(tab, 0, false);
        await tab.settled();
        assert.deepEqual((await tab.state()).twists, []);
        await tab.page.locator("#twist").fill("3");
        await shows(tab, 3, true);
        await tab.page.keyboard.press("r");
        await shows(tab, 0, false);
    },

    async "what the engine refuses is said, and nothing else is changed"(browser, note) {
        const tab = await browser.open({ fragment: "open=swing", still: true });
        await tab.page.locator("#twist").fill("1");
        await shows(tab, 1, true);
        await tab.send("twist", { rod: 0, end: "start", turns: 1 });
        const fault = tab.page.locator("#panel").getByRole("alert");
        await fault.waitFor();
        note(`twist: ${await fault.textContent()}`);
        await tab.settled();
        await shows(tab, 1, true);
        await tab.page.locator("#canvas").focus();
        await tab.page.keyboard.press("Home");
        await tab.page.keyboard.press("p");
        await tab.until(() => /clamp/.test(document.getElementById("voice").textContent));
        note(`pin: ${await tab.page.locator("#voice").textContent()}`);
        await tab.page.evaluate(() => document.getElementById("voice").replaceChildren());
        await tab.page.keyboard.press("Enter");
        await tab.page.keyboard.press("Shift+Enter");
        await tab.until(() => /clamp|Left/.test(document.getElementById("voice").textContent));
        assert.doesNotMatch(await tab.page.locator("#voice").textContent(), /Left/);
    },
});
