// Makes the page: one file, build/web/cordage.html, that holds everything (script, worker, engine, scenes, pictures), opens from disk,
// and asks nobody for anything.
//
//     node app/web/build.mjs [--wasm FILE] [--worker FILE] [--out FILE]
//
// Export and view put a recording between the tags of the line REEL, which therefore stands in the file exactly once.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { FAVOURITES } from "./favourites.mjs";
import { firstComment, parseScene } from "./src/ui/jsonc.js";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "../..");
const REEL = "<script type=\"application/x-cordage-reel\" id=\"reel\"></script>";
const TARGET = ["chrome108", "firefox115", "safari16.4"]; // the first with all that the page needs

// The page's style, of style/*.css: where two rules say the same of an element, the later one holds.
const STYLES = [
    "colors", "base", "stage", "transport", "panel", "fields", "plots", "editor", "dialogs", "messages", "narrow", "reader",
];

const MANY = 20000;    // elements from which on a scene is slow in a browser
const LARGEST = 100000; // unknowns of a network that the built-in eigensolver takes

const { values: options } = parseArgs({
    options: {
        wasm: { type: "string", default: join(ROOT, "build/web/cordage.wasm") },
        worker: { type: "string", default: join(HERE, "src/worker.js") },
        out: { type: "string", default: join(ROOT, "build/web/cordage.html") },
    },
});

// ---- scripts

async function bundle(entry, plugins = []) {
    const result = await esbuild.build({
        entryPoints: [entry], bundle: true, minify: true, format: "iife", target: TARGET, write: false, legalComments: "eof", plugins,
    });
    return result.outputFiles[0].text;
}

// The worker's script is a text in the page's own, which makes a worker of it.
function workerPlugin(text) {
    return {
        name: "worker",
        setup(build) {
            build.onResolve({ filter: /^cordage:worker$/ }, () => ({ path: "worker", namespace: "cordage" }));
            const contents = `export default ${JSON.stringify(text)};`;
            build.onLoad({ filter: /.*/, namespace: "cordage" }, () => ({ contents, loader: "js" }));
        },
    };
}

// ---- style

async function readStyle() {
    const files = readdirSync(join(HERE, "style"));
    const forgotten = files.find((file) => !STYLES.includes(file.replace(/\.css$/, "")));
    if (forgotten) {
        throw new Error(`style/${forgotten} has no place in STYLES`);
    }
    const css = STYLES.map((name) => readFileSync(join(HERE, "style", `${name}.css`), "utf8")).join("\n");
    const { code } = await esbuild.transform(css, { loader: "css", minify: true, target: TARGET });
    return code.trim();
}

// ---- scenes

// All but the other simulators' cases, in peers/: these are for measurements and comparisons.
function sceneNames(folder = "") {
    return readdirSync(join(ROOT, "scenes", folder), { withFileTypes: true }).flatMap((entry) => {
        const path = folder + entry.name;
        if (entry.isDirectory()) {
            return path === "peers" ? [] : sceneNames(`${path}/`);
        }
        return path.endsWith(".json") && path !== "scene.schema.json" ? [path.slice(0, -".json".length)] : [];
    }).sort();
}

// Files that a scene names: any text under the keys "file" and "path" that is one beside it.
function filesOf(value, folder, found = new Set()) {
    if (Array.isArray(value)) {
        value.forEach((item) => filesOf(item, folder, found));
    } else if (value !== null && typeof value === "object") {
        for (const [key, item] of Object.entries(value)) {
            if ((key === "file" || key === "path") && typeof item === "string" && existsSync(join(ROOT, "scenes", folder, item))) {
                found.add(item);
            }
            filesOf(item, folder, found);
        }
    }
    return [...found];
}

// What a scene needs that the browser lacks, or does not have enough of.
function needsOf(scene, folder) {
    if (scene.engine === "ode") {
        return "Needs the ODE engine, which this page does not have: run it with the program.";
    }
    let elements = 0;
    for (const rod of scene.rods ?? []) {
        const mesh = rod.shape?.mesh?.file;
        const lines = mesh ? readFileSync(join(ROOT, "scenes", folder, mesh), "utf8") : "";
        const vertices = (lines.match(/^v /gm) ?? []).length;
        if (6 * vertices > LARGEST) {
            return "Needs the large eigensolver, which this page does not have: run it with the program.";
        }
        elements += (rod.strands?.count ?? 1) * (rod.elements ?? 3 * vertices);
    }
    return elements > MANY ? `Large: about ${Math.round(elements / 1000)},000 elements, slow in a browser.` : "";
}

function readScene(name) {
    const text = readFileSync(join(ROOT, "scenes", `${name}.json`), "utf8");
    const scene = parseScene(text);
    if (!scene) {
        throw new Error(`scenes/${name}.json cannot be read`);
    }
    const folder = name.includes("/") ? name.slice(0, name.lastIndexOf("/") + 1) : "";
    return {
        name, folder, title: scene.title ?? name, remark: firstComment(text), needs: needsOf(scene, folder),
        favourite: FAVOURITES.indexOf(name) + 1, text, files: filesOf(scene, folder),
    };
}

function readScenes() {
    const scenes = sceneNames().map(readScene);
    const files = {};
    for (const scene of scenes) {
        for (const file of scene.files) {
            files[scene.folder + file] = readFileSync(join(ROOT, "scenes", scene.folder, file), "utf8");
        }
    }
    return { scenes, files, schema: JSON.parse(readFileSync(join(ROOT, "scenes/scene.schema.json"), "utf8")) };
}

// ---- pictures

// Small ones for the gallery, of those that the documentation has: scene der/fig1 is in der_fig1.png.
function readThumbs(scenes) {
    const out = {};
    const folder = mkdtempSync(join(tmpdir(), "cordage-thumbs-"));
    try {
        for (const { name } of scenes) {
            const picture = join(ROOT, "docs/pictures", `${name.replaceAll("/", "_")}.png`);
            if (existsSync(picture)) {
                const small = join(folder, "small.jpg");
                const filter = "scale=240:135:force_original_aspect_ratio=increase:flags=lanczos,crop=240:135";
                execFileSync("ffmpeg", ["-v", "error", "-y", "-i", picture, "-vf", filter, "-q:v", "5", small]);
                out[name] = `data:image/jpeg;base64,${readFileSync(small).toString("base64")}`;
            }
        }
    } catch (error) {
        if (error.code !== "ENOENT") {
            throw error;
        }
        console.error("build.mjs: no ffmpeg, so the gallery has no pictures");
    } finally {
        rmSync(folder, { recursive: true });
    }
    return out;
}

// ---- the page

function hash(text) {
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

// Only what is in the file may run, and only the page's own server may be asked for anything.
function policy(script, style) {
    return [
        "default-src 'none'", `script-src ${hash(script)} 'wasm-unsafe-eval'`, `style-src ${hash(style)}`, "worker-src blob:",
        "img-src data: blob:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
    ].join("; ");
}

function compressed(bytes) {
    return gzipSync(bytes, { level: 9 }).toString("base64");
}

function fill(template, values) {
    return template.replace(/\{\{(\w+)\}\}/g, (whole, name) => {
        if (!(name in values)) {
            throw new Error(`page.html wants ${whole}, which nobody makes`);
        }
        return values[name];
    });
}

function check(page, script) {
    if (page.split(REEL).length !== 2) {
        throw new Error("the line for a recording must stand in the page exactly once");
    }
    if (/<\/script|<!--/i.test(script)) {
        throw new Error("the script would end the element it stands in");
    }
    const outside = page.match(/\b(src|href)="(?!#|data:)[^"]*"/g);
    if (outside) {
        throw new Error(`the page asks for ${outside[0]}`);
    }
}

async function main() {
    const worker = await bundle(options.worker);
    const script = await bundle(join(HERE, "src/main.js"), [workerPlugin(worker)]);
    const style = await readStyle();
    const shipped = readScenes();
    const values = {
        script, style,
        engine: compressed(readFileSync(options.wasm)),
        scenes: compressed(Buffer.from(JSON.stringify(shipped))),
        thumbs: JSON.stringify(readThumbs(shipped.scenes)),
    };
    values.policy = policy(values.script, values.style);
    const page = fill(readFileSync(join(HERE, "page.html"), "utf8"), values);
    check(page, script);
    mkdirSync(dirname(options.out), { recursive: true });
    writeFileSync(options.out, page);
    const sizes = ["script", "style", "engine", "scenes", "thumbs"].map((part) => `${part} ${Math.round(values[part].length / 1000)}`);
    console.log(`${relative(process.cwd(), options.out)}: ${Math.round(statSync(options.out).size / 1000)} kB (${sizes.join(", ")})`);
}

await main();
