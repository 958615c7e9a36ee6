// The module of the browser leads every shipped scene to the state of test/scene/golden.txt, bit for bit: what is tuned in the page runs
// the same on a server.
//
//     node golden.mjs DIRECTORY [--times] [NAME]...     all scenes, or those whose names begin so; --times: what each took
//
// DIRECTORY: where cordage.wasm and branch.wasm are.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Engine, END, FRAME, STEPS } from "../../app/web/src/engine.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const STEPS_A_CALL = 7; // pieces must not change the bits, and are those of no other program

// ---------------------------------------------------------------------------------------------------- scenes

// A list of { name, key, value, state }: key is "until", "strands" or "points", or "" for a run to its end; test_golden.py explains them.
function goldenLines() {
    const lines = readFileSync(join(root, "test/scene/golden.txt"), "utf8").split("\n");
    return lines.filter((line) => line.trim() && !line.startsWith("#")).map((line) => {
        const words = line.trim().split(/\s+/);
        const [key, value] = words.length > 2 ? words[1].split("=") : ["", ""];
        return { name: words[0], key, value, state: words.at(-1) };
    });
}

function scenePath(name) {
    return join(root, "scenes", `${name}.json`);
}

function settingsOf({ key, value }) {
    return [
        ...(key === "until" || key === "strands" ? [`time.end=${value}`] : []),
        ...(key === "strands" ? ["rods[0].strands.count=200"] : []),
    ];
}

// The scene, and all that lies beside it and is no scene: it may name one of these.
function readScene(line) {
    const path = scenePath(line.name);
    const beside = readdirSync(dirname(path), { withFileTypes: true });
    const files = beside.filter((entry) => entry.isFile() && !entry.name.endsWith(".json"));
    return {
        path: `${line.name}.json`,
        text: readFileSync(path, "utf8"),
        settings: settingsOf(line),
        files: Object.fromEntries(files.map(({ name }) => [name, readFileSync(join(dirname(path), name))])),
    };
}

// ---------------------------------------------------------------------------------------------------- states

// Each in an instance of its own, so that none can depend on another.
function runState(compiled, line) {
    const session = new Engine(compiled).open(readScene(line));
    if (!session.isBuilt) {
        return session.notes().map((note) => note.text).join("; ");
    }
    let kind = STEPS;
    while (kind === STEPS || kind === FRAME) {
        kind = session.advance(STEPS_A_CALL);
    }
    return kind === END ? session.hash : session.message;
}

function solveState(compiled, line) {
    const calls = new WebAssembly.Instance(compiled, {}).exports;
    const scene = readFileSync(scenePath(line.name));
    const at = calls.branch_alloc(scene.length);
    new Uint8Array(calls.memory.buffer, at, scene.length).set(scene);
    const table = calls.branch_csv(at, scene.length, Number(line.value));
    const bytes = new Uint8Array(calls.memory.buffer);
    const text = bytes.subarray(table, bytes.indexOf(0, table));
    return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function main(directory, words) {
    const names = words.filter((word) => !word.startsWith("--"));
    const [run, solve] = ["cordage", "branch"].map((name) => new WebAssembly.Module(readFileSync(join(directory, `${name}.wasm`))));
    const lines = goldenLines().filter(({ name }) => names.length === 0 || names.some((start) => name.startsWith(start)));
    let wrong = 0;
    for (const line of lines) {
        const start = process.cpuUsage().user;
        const found = line.key === "points" ? solveState(solve, line) : runState(run, line);
        const seconds = (process.cpuUsage().user - start) / 1e6;
        const good = found === line.state;
        wrong += good ? 0 : 1;
        if (!good || words.includes("--times")) {
            const how = line.key ? ` ${line.key}=${line.value}` : "";
            console.log(`${line.name}${how}: ${good ? "the same" : `${found}, not ${line.state}`}, in ${seconds.toFixed(2)} s`);
        }
    }
    console.log(`${lines.length - wrong} of ${lines.length} states are the same`);
    return wrong === 0 && lines.length > 0 ? 0 : 1;
}

process.exitCode = main(process.argv[2], process.argv.slice(3));
