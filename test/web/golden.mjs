// The module of the browser leads every shipped scene to the state of test/scene/golden.txt, bit for bit: what is tuned in the page runs
// the same on a server.
//
//     node golden.mjs CORDAGE.WASM [--times] [NAME]...     all scenes, or those whose names begin so; --times: how long each took
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { encodeReel } from "../../app/web/src/reel.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const FRAME = 1;
const END = 2;
const STEPS_A_CALL = 1000;

// ---------------------------------------------------------------------------------------------------- scenes

// A list of { name, key, value, state }: key is "until", "strands" or "points", or "" for a run to its end.
function goldenLines() {
    const lines = readFileSync(join(root, "test/scene/golden.txt"), "utf8").split("\n");
    return lines.filter((line) => line.trim() && !line.startsWith("#")).map((line) => {
        const words = line.trim().split(/\s+/);
        const [key = "", value = ""] = words.length > 2 ? words[1].split("=") : [];
        return { name: words[0], key, value, state: words.at(-1) };
    });
}

// The scene and all that lies beside it and is no scene: one of these it may name.
function readScene(name, settings) {
    const path = join(root, "scenes", `${name}.json`);
    const files = {};
    for (const entry of readdirSync(dirname(path), { withFileTypes: true })) {
        if (entry.isFile() && !entry.name.endsWith(".json")) {
            files[entry.name] = readFileSync(join(dirname(path), entry.name));
        }
    }
    return { path: `${name}.json`, text: readFileSync(path, "utf8"), settings, files };
}

function settingsOf({ key, value }) {
    switch (key) {
        case "until": return [`time.end=${value}`];
        case "strands": return [`time.end=${value}`, "rods[0].strands.count=200"];
        case "points": return [`solve.points=${value}`];
        default: return [];
    }
}

// ---------------------------------------------------------------------------------------------------- the module

// A fresh instance each time, so that no scene can depend on another.
class Module {
    constructor(compiled) {
        this.calls = new WebAssembly.Instance(compiled, {}).exports;
    }

    put(bytes) {
        const at = this.calls.web_alloc(bytes.length);
        new Uint8Array(this.calls.memory.buffer, at, bytes.length).set(bytes);
        return at;
    }

    text(at) {
        const bytes = new Uint8Array(this.calls.memory.buffer, at);
        return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
    }

    open(scene) {
        const bytes = Buffer.concat(encodeReel(scene, []));
        const at = this.put(bytes);
        this.session = this.calls.web_open(at, bytes.length);
        this.calls.web_free(at);
        if (!this.calls.web_is_built(this.session)) {
            throw new Error(this.problem());
        }
    }

    problem() {
        const { calls, session } = this;
        for (let i = 0; i < calls.web_note_count(session); i++) {
            if (calls.web_note_is_error(session, i)) {
                return this.text(calls.web_note_text(session, i));
            }
        }
        return this.text(calls.web_message(session));
    }

    run() {
        for (;;) {
            const kind = this.calls.web_advance(this.session, STEPS_A_CALL);
            if (kind === END) {
                return BigInt.asUintN(64, this.calls.web_hash(this.session)).toString(16).padStart(16, "0");
            }
            if (kind !== 0 && kind !== FRAME) {
                throw new Error(this.problem());
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------- all of them

function check(compiled, line) {
    const module = new Module(compiled);
    const start = process.cpuUsage().user;
    let state;
    try {
        module.open(readScene(line.name, settingsOf(line)));
        state = module.run();
    } catch (error) {
        state = error.message;
    }
    return { ...line, found: state, seconds: (process.cpuUsage().user - start) / 1e6 };
}

function main(path, words) {
    const names = words.filter((word) => !word.startsWith("--"));
    const compiled = new WebAssembly.Module(readFileSync(path));
    let wrong = 0;
    for (const line of goldenLines()) {
        if (names.length > 0 && !names.some((name) => line.name.startsWith(name))) {
            continue;
        }
        const how = line.key ? ` ${line.key}=${line.value}` : "";
        if (line.key === "points") {
            console.log(`left out: ${line.name}${how}`);
            continue;
        }
        const { found, state, seconds } = check(compiled, line);
        const good = found === state;
        wrong += good ? 0 : 1;
        if (!good || words.includes("--times")) {
            console.log(`${line.name}${how}: ${good ? "same" : `${found}, not ${state}`} (${seconds.toFixed(2)} s)`);
        }
    }
    console.log(wrong === 0 ? "all states are the same" : `${wrong} states differ`);
    return wrong === 0 ? 0 : 1;
}

process.exitCode = main(process.argv[2], process.argv.slice(3));
