// Links, recordings and scenes that are damaged, or meant to do harm: refused with a message, in bounded time, and the page lives on.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { closeSync, openSync, readFileSync, ftruncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { constants, deflateRawSync } from "node:zlib";
import { PAGE, ROOT } from "./browser.mjs";
import { inFolder } from "./program.mjs";
import { suite } from "./suite.mjs";

const HEAD = 16;    // bytes of a reel's beginning, and of a chunk's
const CUTS = 20;    // places at which a recording is cut off
const DAMAGES = 24; // recordings with wrong bytes
const WRONG = 8;    // bytes, in each

// The same numbers every time: 0 to 1.
function numbers(seed) {
    let state = seed;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

function fresh(tab) {
    return tab.page.evaluate(() => document.getElementById("messages").replaceChildren());
}

async function goTo(tab, fragment) {
    await fresh(tab);
    await tab.page.evaluate((value) => {
        window.location.hash = value;
    }, fragment);
}

async function give(tab, files) {
    await fresh(tab);
    await tab.give(files);
}

function file(name, bytes) {
    return { name, buffer: Buffer.from(bytes) };
}

// The scene that was opened first is there, and its time goes on.
async function livesOn(tab) {
    const { title, mode } = await tab.state();
    assert.deepEqual([title, mode], ["A rope to tie", "live"]);
    await tab.goOn();
}

// A gigabyte of zeros: a block that stands alone, again and again, and an empty last one.
function bomb() {
    const block = deflateRawSync(Buffer.alloc(16e6), { finishFlush: constants.Z_FULL_FLUSH });
    return Buffer.concat([...Array.from({ length: 63 }, () => block), deflateRawSync(Buffer.alloc(0))]);
}

function badLinks() {
    const packed = (value) => deflateRawSync(JSON.stringify(value)).toString("base64url");
    const good = packed({ path: "x.json", text: readFileSync(join(ROOT, "scenes/swing.json"), "utf8"), settings: [] });
    const most = bomb().toString("base64url");
    return {
        "no base64": ["#scene=%%%%", /damaged/],
        "signs of other alphabets": ["#scene=AA+/AA==", /damaged/],
        "no deflate": ["#scene=QUFBQUFBQUFBQUFB", /damaged/],
        "nothing": ["#scene=", /damaged|no scene/],
        "cut off": [`#scene=${good.slice(0, good.length / 2)}`, /damaged|not complete/],
        "a bomb": [`#scene=${most}`, /more than 1 MB/],
        "longer than any link": [`#scene=${"A".repeat(2000001)}`, /too long/],
        "no JSON": [`#scene=${deflateRawSync("hello").toString("base64url")}`, /no scene/],
        "null": [`#scene=${packed(null)}`, /no scene/],
        "no text": [`#scene=${packed({ path: "x.json", settings: [] })}`, /no scene/],
        "text that is a number": [`#scene=${packed({ path: "x.json", text: 1 })}`, /no scene/],
        "settings that are numbers": [`#scene=${packed({ path: "x.json", text: "{}", settings: [1] })}`, /no scene/],
        "settings of no use": [`#scene=${packed({ path: "x.json", text: "{}", settings: ["__proto__.x=1", "=", "rods[1e9]=1"] })}`, /./],
        "a recording elsewhere": ["#reel=http://example.invalid/x.reel", /own server/],
        "a recording elsewhere, without its scheme": ["#reel=//example.invalid/x.reel", /own server/],
        "a recording outside": ["#reel=../../../etc/passwd", /own server/],
        "a recording outside, in disguise": ["#reel=%2e%2e/%2e%2e/etc/passwd", /own server/],
        "a recording that is script": ["#reel=javascript:window.hacked=1", /own server/],
        "a scene that does not ship": ["#open=../../etc/passwd", /no shipped scene/],
        "a scene that is markup": ["#open=<img src=x onerror=window.hacked=1>", /no shipped scene/],
        "half a letter": ["#open=%E0%A4%A", /./],
    };
}

async function savedReel(tab) {
    await tab.steps(18);
    return tab.savedReel();
}

// Where its chunks begin.
function chunksOf(reel) {
    const at = [];
    for (let place = HEAD; place < reel.length;) {
        at.push(place);
        place += HEAD + 8 * Math.ceil(Number(reel.readBigUInt64LE(place + 8)) / 8);
    }
    return at;
}

function withBytes(reel, place, bytes) {
    const copy = Buffer.from(reel);
    Buffer.from(bytes).copy(copy, place);
    return copy;
}

// Opens a recording. Returns the page's words if it is refused; if it plays, "", and the rope of before is there again.
async function refusal(tab, reel) {
    await give(tab, file("x.reel", reel));
    const outcome = await tab.until(() => {
        const isPlayed = window.cordage.state().mode === "player";
        return isPlayed || document.querySelector("#messages .error")?.textContent;
    });
    if ((await tab.state()).mode === "live") {
        return outcome.jsonValue();
    }
    await tab.page.evaluate(() => window.cordage.openShipped("tie"));
    return "";
}

function hostileReels(reel) {
    const chunks = chunksOf(reel), layout = chunks[1], frame = chunks[2];
    const huge = Buffer.alloc(8, 0xff), count = Buffer.alloc(4, 0xff), large = Buffer.from([0, 0, 0, 0x40]);
    const of = {
        "nothing but its name": reel.subarray(0, 8),
        "of another version": withBytes(reel, 8, [9]),
        "with a chunk nobody knows": withBytes(reel, layout, "EVIL"),
        "without its layout": Buffer.concat([reel.subarray(0, layout), reel.subarray(frame)]),
        "with a chunk of 2^64 - 1 bytes": withBytes(reel, layout + 8, huge),
        "with a chunk of 2^63 bytes": withBytes(reel, frame + 8, [0, 0, 0, 0, 0, 0, 0, 0x80]),
    };
    for (let k = 0; k < 7; k++) {
        of[`with 2^32 - 1 of what it counts (${k})`] = withBytes(reel, layout + HEAD + 4 * k, count);
        of[`with 2^30 of what it counts (${k})`] = withBytes(reel, layout + HEAD + 4 * k, large);
    }
    of["with 2^32 - 1 contacts"] = withBytes(reel, frame + HEAD + 16, count);
    of["with a text of 2^32 - 1 bytes"] = withBytes(reel, chunks[0] + HEAD + 8, count);
    return of;
}

function hostileScenes() {
    const text = readFileSync(join(ROOT, "scenes/swing.json"), "utf8");
    const elements = (count) => text.replace(/"elements": \d+/, `"elements": ${count}`);
    return {
        "a thousand million elements": elements(1e9),
        "ten million elements": elements(1e7),
        "a hundred thousand lists": "[".repeat(1e5),
        "a hundred thousand objects": '{"a":'.repeat(1e5),
        "20 MB of brackets": "[{".repeat(1e7),
        "20 MB of comment, and no scene": `// ${"x".repeat(20e6)}\n`,
        "20 MB of rods": `{"cordage": 1, "rods": [${'{"elements": 10},'.repeat(1.17e6)}{}]}`,
        "a key of 20 MB": `{"${"k".repeat(20e6)}": 1}`,
        "a number of a million digits": `{"cordage": ${"9".repeat(1e6)}}`,
        "bytes of no text": Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 37) & 255)),
    };
}

// The page by a server of one's own, which counts what it is asked for: { origin, asked, close }
async function serve(files) {
    const asked = [];
    const server = createServer((request, response) => {
        const name = new URL(request.url, "http://x").pathname.slice(1);
        asked.push(name);
        response.writeHead(name in files ? 200 : 404);
        response.end(files[name] ?? "");
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { origin: `http://127.0.0.1:${server.address().port}/`, asked, close: () => server.close() };
}

await suite({
    async "links that are wrong are refused"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie" });
        await tab.send("play", { on: false }); // the page itself does not know, and is to play on
        for (const [what, [fragment, words]] of Object.entries(badLinks())) {
            await goTo(tab, fragment);
            const said = await tab.told();
            note(`${what}: ${said}`);
            assert.match(said, words, what);
            await livesOn(tab);
        }
        assert.ok((await tab.state()).playing);
        assert.equal(await tab.page.evaluate(() => window.hacked), undefined);
        const other = await browser.open({ fragment: "scene=%%%%" });
        assert.match(await other.told(), /damaged/);
        await other.pass(0.05); // something runs all the same
    },

    async "a recording comes from the page's own server, and from no other"(browser, note) {
        const first = await browser.open({ fragment: "open=tie", still: true });
        const reel = await savedReel(first);
        const server = await serve({ "": readFileSync(PAGE), "good.reel": reel, "bad.reel": reel.subarray(0, reel.length - 5) });
        try {
            const tab = await browser.open({ origin: server.origin, fragment: "reel=good.reel" });
            const { mode, frames } = await tab.state();
            note(`${reel.length} bytes, ${frames} frames; asked for: ${server.asked.join(" ")}`);
            assert.ok(mode === "player" && frames > 2);
            const refused = { "bad.reel": /cannot be played/, "none.reel": /could not be read/, "//example.invalid/x": /own server/ };
            for (const [name, words] of Object.entries(refused)) {
                await goTo(tab, `reel=${name}`);
                assert.match(await tab.told(), words);
            }
            assert.deepEqual(server.asked.filter((name) => !["", "good.reel", "bad.reel", "none.reel", "favicon.ico"].includes(name)), []);
            tab.problems = tab.problems.filter((text) => !/404/.test(text)); // of the browser itself, about what was asked for on purpose
        } finally {
            server.close();
        }
    },

    async "recordings that are damaged are refused"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        const reel = await savedReel(tab);
        const starts = new Set([...chunksOf(reel), reel.length]);
        const random = numbers(1);
        const within = Array.from({ length: CUTS - 12 }, () => Math.floor(random() * reel.length));
        const places = [...Array.from({ length: 12 }, (_, i) => 9 + 5 * i), ...within];
        for (const place of places.filter((at) => !starts.has(at))) {
            assert.ok(await refusal(tab, reel.subarray(0, place)), `cut off at byte ${place}`);
        }
        for (const [what, bytes] of Object.entries(hostileReels(reel))) {
            const said = await refusal(tab, bytes);
            assert.ok(said, what);
            note(`${what}: ${said}`);
        }
        await livesOn(tab);
    },

    async "recordings with wrong bytes are refused or played"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        const reel = await savedReel(tab);
        const random = numbers(2);
        let refused = 0;
        for (let i = 0; i < DAMAGES; i++) {
            const copy = Buffer.from(reel);
            const reach = i % 2 ? reel.length : 2000; // the beginning has all that counts
            for (let k = 0; k < WRONG; k++) {
                copy[8 + Math.floor(random() * (reach - 8))] = Math.floor(random() * 256);
            }
            refused += (await refusal(tab, copy)) ? 1 : 0;
        }
        note(`${refused} of ${DAMAGES} were refused`);
        assert.ok(refused >= DAMAGES / 3, "what is wrong with most of those whose beginning is damaged is found");
        await livesOn(tab);
    },

    async "a recording of 600 MB is refused by its size"(browser, note) {
        await inFolder(async (folder) => {
            const path = join(folder, "large.reel"), handle = openSync(path, "w");
            writeSync(handle, "CORDREEL\x01\0\0\0\0\0\0\0");
            ftruncateSync(handle, 600e6);
            closeSync(handle);
            const tab = await browser.open({ fragment: "open=tie", still: true });
            await give(tab, path);
            const said = await tab.told();
            note(said);
            assert.match(said, /500 MB/);
            await livesOn(tab);
        });
    },

    async "other files are refused with what to do"(browser) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        await give(tab, file("run.h5", "\x89HDF"));
        assert.match(await tab.told(), /cordage view run\.h5/);
        await give(tab, file("table.json", readFileSync(join(ROOT, "scenes/table.json"), "utf8")));
        assert.match(await tab.told(), /choose both together/);
        await livesOn(tab);
    },

    async "scenes that are too much are refused"(browser, note) {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        await inFolder(async (folder) => {
            const path = join(folder, "x.json"); // from disk: playwright takes long over bytes that it is to hand on
            for (const [what, text] of Object.entries(hostileScenes())) {
                const start = performance.now();
                writeFileSync(path, text);
                await give(tab, path);
                const said = await tab.told();
                note(`${what}: ${said.slice(0, 160)} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
                await livesOn(tab);
            }
        });
    },
});
