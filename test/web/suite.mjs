// Runs tests in a browser, one after the other, and says how each went.
//
//     node NAME.test.mjs [WORD]...     all of the file, or those whose names have one of the words
//
// Ends with status 77 where the browser or the page is absent, which ctest counts as skipped.
import { Browser, missing } from "./browser.mjs";

const SKIPPED = 77;
const LONGEST_MS = 400000; // of a test: a page that is dead must not take all the time there is

export class Skip extends Error {} // thrown by a test that cannot be made here

// `tests`: what is claimed -> async (browser, note); `note` prints figures.
export async function suite(tests) {
    const reason = missing();
    if (reason) {
        console.log(`SKIPPED: ${reason}`);
        process.exitCode = SKIPPED;
        return;
    }
    const words = process.argv.slice(2);
    const chosen = Object.entries(tests).filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)));
    const browser = new Browser();
    await browser.start();
    const counts = { passed: 0, skipped: 0, FAILED: 0 };
    for (const [name, test] of chosen) {
        counts[await runOne(browser, name, test)]++;
    }
    await browser.stop();
    console.log(`${counts.passed} passed, ${counts.skipped} skipped, ${counts.FAILED} failed`);
    process.exitCode = counts.FAILED > 0 || chosen.length === 0 ? 1 : counts.passed === 0 ? SKIPPED : 0;
}

async function inTime(work) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`not done after ${LONGEST_MS / 1000} s`)), LONGEST_MS);
    });
    try {
        await Promise.race([work, late]);
    } finally {
        clearTimeout(timer);
    }
}

async function runOne(browser, name, test) {
    const start = performance.now();
    let failure = null;
    try {
        await inTime(test(browser, (text) => console.log(`    ${text}`)));
    } catch (error) {
        failure = error;
    }
    const seen = failure && !(failure instanceof Skip) ? await browser.describe() : [];
    const problems = await browser.closeTabs(!failure);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const outcome = failure instanceof Skip ? "skipped" : failure || problems.length > 0 ? "FAILED" : "passed";
    console.log(`${outcome}: ${name} (${seconds} s)${failure instanceof Skip ? `: ${failure.message}` : ""}`);
    if (outcome === "FAILED") {
        const lines = [failure?.stack, ...problems.slice(0, 20), ...seen.map((text) => `the page: ${text}`)];
        lines.filter(Boolean).forEach((text) => console.log(`    ${text}`));
    }
    return outcome;
}
