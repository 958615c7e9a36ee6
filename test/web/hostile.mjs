// Scenes that are meant to do harm are refused in the module of the browser as they are elsewhere: with notes, and without a trap, which
// would leave the page with no engine.
//
//     node hostile.mjs DIRECTORY     where cordage.wasm is
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Engine } from "../../app/web/src/engine.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const good = { path: "good.json", text: readFileSync(join(root, "scenes/swing.json"), "utf8"), settings: [], files: {} };

// Files of test/hostile, and what is made here: too deep, too large, too many.
function hostileScenes() {
    const folder = join(root, "test/hostile");
    const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]);
    const rod = (i) => `{"name": "${i}", "material": "rubber", "section": {"disc": {"radius": 0.01}}, "elements": 1000000,
        "shape": {"line": {"from": [0, ${i}, 0], "to": [1e5, ${i}, 0]}}}`;
    const rods = Array.from({ length: 10 }, (_, i) => rod(i)).join(", ");
    return [
        ...files,
        ["a million lists", "[".repeat(1e6)],
        ["a million objects", '{"a":'.repeat(1e6)],
        ["more than there is memory for", `{"cordage": 1, "rods": [${rods}]}`],
        ["70 MB of spaces", " ".repeat(70e6)],
    ];
}

function problemWith(engine, name, text) {
    const session = engine.open({ path: name, text, settings: [], files: {} });
    const notes = session.notes();
    const isBuilt = session.isBuilt;
    session.close();
    if (isBuilt || !notes.some((note) => note.error && note.text.length > 0)) {
        return isBuilt ? "is not refused" : "is refused, and nothing says why";
    }
    const after = engine.open(good);
    const works = after.isBuilt && after.advance(10) >= 0;
    after.close();
    return works ? null : "leaves a module that does not work";
}

// A scene that reads well and whose world is refused: the line of what it is about is told.
function problemWithPlace(engine) {
    const text = `{ "cordage": 1,
        "rods": [{ "name": "a", "material": "rubber", "section": { "disc": { "radius": 0.01 } }, "elements": 10,
            "shape": { "line": { "from": [0, 0, 1], "to": [1, 0, 1] } } }],
        "bodies": [{ "name": "b", "shape": { "sphere": { "radius": 0.02 } }, "mass": 0.1, "position": [0, 1, 1] }],
        "obstacles": [{ "name": "c", "plane": { "normal": [0, 0, 1], "offset": 0 } }],
        "contact": { "response": "zones" } }`;
    const session = engine.open({ path: "a.json", text, settings: [], files: {} });
    const note = session.notes().find(({ error }) => error);
    session.close();
    return note?.line > 1 ? null : `refused at line ${note?.line}: ${note?.text}`;
}

function main(directory) {
    const compiled = new WebAssembly.Module(readFileSync(join(directory, "cordage.wasm")));
    const engine = new Engine(compiled); // one for all: what one of them does to it, the next shows
    const scenes = hostileScenes();
    let wrong = 0;
    for (const [name, text] of scenes) {
        let problem;
        try {
            problem = problemWith(engine, name, text);
        } catch (error) {
            problem = error.message;
        }
        if (problem) {
            console.log(`${name}: ${problem}`);
            wrong++;
        }
    }
    const misplaced = problemWithPlace(engine);
    if (misplaced) {
        console.log(misplaced);
        wrong++;
    }
    console.log(`${scenes.length - wrong} of ${scenes.length} hostile scenes do no harm`);
    return wrong === 0 ? 0 : 1;
}

process.exitCode = main(process.argv[2]);
