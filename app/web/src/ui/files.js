// Files of the user's own: scenes with the meshes and tables they name, and recordings; picked, or dropped on the page.

import { isReel } from "../reel.js";
import { byId } from "./dom.js";

const MOST_SCENE = 64e6;   // as the engine's own reader
const MOST_FILES = 512e6;
export const MOST_REEL = 500e6; // bytes: the engine checks it in a memory of 1 GB

// What was picked: { reel: Uint8Array } or { scene: { path, text, settings, files } }. Errors are sentences for the user.
export async function readFiles(list) {
    const files = [...list];
    for (const file of files) {
        if (isReel(new Uint8Array(await file.slice(0, 8).arrayBuffer()))) {
            if (file.size > MOST_REEL) {
                throw new Error(`${file.name} is larger than ${MOST_REEL / 1e6} MB, the most that this page plays.`);
            }
            return { reel: new Uint8Array(await file.arrayBuffer()) };
        }
    }
    const scenes = files.filter((file) => /\.(json|jsonc|cordage)$/i.test(file.name));
    if (scenes.length === 0) {
        const { name } = files[0];
        const recording = `${name} is a recording of the program: "cordage view ${name}" plays it, ` +
            `and "cordage export ${name} -o run.reel" makes a file for this page.`;
        throw new Error(/\.h5$/i.test(name) ? recording : `${name} is neither a scene (.json) nor a recording (.reel).`);
    }
    if (scenes.length > 1) {
        throw new Error("There are several scenes among these files; open one at a time, with the meshes it names.");
    }
    const [scene] = scenes;
    const others = files.filter((file) => file !== scene);
    if (scene.size > MOST_SCENE || others.reduce((sum, file) => sum + file.size, 0) > MOST_FILES) {
        throw new Error(`${scene.name} or what goes with it is too large.`);
    }
    const text = new TextDecoder("utf-8", { fatal: false }).decode(await scene.arrayBuffer());
    const entries = await Promise.all(others.map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())]));
    return { scene: { path: scene.name, named: true, text, settings: [], files: Object.fromEntries(entries) } };
}

// Files may be dropped anywhere on the page; `open` gets them.
export function acceptDrops(open) {
    const veil = byId("drop");
    let depth = 0; // dragenter and dragleave come for every element on the way
    const show = (on) => {
        veil.hidden = !on;
    };
    const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    window.addEventListener("dragenter", (event) => {
        if (hasFiles(event)) {
            depth++;
            show(true);
        }
    });
    window.addEventListener("dragleave", (event) => {
        if (hasFiles(event)) {
            depth = Math.max(0, depth - 1);
            show(depth > 0);
        }
    });
    window.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
    window.addEventListener("drop", (event) => {
        if (!hasFiles(event)) {
            return; // text that is dragged goes where it is dropped
        }
        event.preventDefault();
        depth = 0;
        show(false);
        if (event.dataTransfer.files.length > 0) {
            open(event.dataTransfer.files);
        }
    });
}
