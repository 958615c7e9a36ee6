// What build.mjs puts into the page beside the script: blocks of base64, most of them compressed. They are taken out of the document
// when they are read, so that nothing is held twice.

import { bytesFromBase64 } from "../reel.js";
import { byId } from "./dom.js";

// The bytes of all of a stream, or an error if there are more than `most`.
async function readStream(stream, most) {
    const parts = [];
    let size = 0;
    const reader = stream.getReader();
    for (;;) {
        const { done, value } = await reader.read();
        if (done) {
            break;
        }
        size += value.length;
        if (size > most) {
            await reader.cancel();
            throw new RangeError(`more than ${most} bytes`);
        }
        parts.push(value);
    }
    const whole = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
        whole.set(part, at);
        at += part.length;
    }
    return whole;
}

export function inflate(bytes, format, most) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
    return readStream(stream, most);
}

function takeBlock(id) {
    const block = byId(id);
    const text = block?.textContent.trim() ?? "";
    block?.replaceChildren();
    return text;
}

// A reel that was put into the page, or null.
export function embeddedReel() {
    const text = takeBlock("reel");
    return text ? bytesFromBase64(text) : null;
}

async function embeddedBytes(id) {
    return inflate(bytesFromBase64(takeBlock(id)), "gzip", 1e9);
}

export async function embeddedEngine() {
    return (await embeddedBytes("engine")).buffer;
}

// The shipped scenes: [{ name, group, title, remark, needs, text, files: [path] }], and the bytes of files by path.
export async function embeddedScenes() {
    const bytes = await embeddedBytes("scenes");
    const { scenes, files, schema } = JSON.parse(new TextDecoder().decode(bytes));
    return new Library(scenes, files, schema);
}

// The scenes that ship, by name ("der/fig1").
class Library {
    constructor(scenes, files, schema) {
        this.scenes = scenes;
        this.schema = schema;
        this.files = files;
    }

    find(name) {
        return this.scenes.find((scene) => scene.name === name) ?? null;
    }

    // As the session opens it.
    scene(name) {
        const found = this.find(name);
        return found && { path: `scenes/${name}.json`, named: true, text: found.text, settings: [], files: this.#filesOf(found) };
    }

    #filesOf(scene) {
        return Object.fromEntries(scene.files.map((path) => [path, this.files[`${scene.folder}${path}`]]));
    }

    // Files that a scene's text may name, for a link, which holds none: those of the shipped scene of the same path.
    filesFor(path) {
        const found = this.find(path.replace(/^scenes\//, "").replace(/\.json$/, ""));
        return found ? this.#filesOf(found) : {};
    }
}
