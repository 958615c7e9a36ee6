// How fast the engine is in the page's worker: figures for docs/browser.md. None is asserted, as they are the machine's.
import assert from "node:assert/strict";
import { suite } from "./suite.mjs";

const SECONDS = 2;

// The rope of scenes/tie.json, 100 elements with self-contact at 60 steps a second.
const CASES = {
    "floats": [],
    "with a loose overhand knot": [
        'rods[0].shape={"knot":{"name":"overhand","size":0.25,"tails":0.3,"center":[0,0,0.5]}}', 'rods[0].rest="straight"',
    ],
    "falls in coils on the floor": [
        "gravity=[0,0,-9.81]", 'rods[0].shape={"helix":{"radius":0.03,"pitch":0.02,"turns":6.5,"center":[0,0,0.05]}}',
        'rods[0].rest="straight"', "clamps=[]",
    ],
};

await suite({
    async "a rope of 100 elements at 60 steps a second"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        for (const [name, settings] of Object.entries(CASES)) {
            await tab.openScene("tie", settings);
            await tab.send("play", { on: false });
            const answer = await tab.ask("bench", { seconds: SECONDS });
            assert.ok(answer.ok && answer.value.steps > 0, answer.text);
            const { steps, simulated, seconds, factor } = answer.value;
            const contacts = await tab.page.evaluate(() => window.cordage.frame().contacts.count);
            const pace = `${simulated.toFixed(2)} s in ${seconds.toFixed(2)} s: ${factor.toFixed(1)} times real time`;
            note(`${name}: ${steps} steps, ${pace}; ${contacts} contacts at the end`);
        }
    },
});
