// Links that hold a scene: its path, text and settings as JSON, deflated, in base64url, in the address's fragment, which no server
// ever sees.

import { inflate } from "./assets.js";

export const MOST_TEXT = 1e6; // bytes, inflated
const MOST_LINK = 2e6;        // characters

function toBase64Url(bytes) {
    let text = "";
    for (let i = 0; i < bytes.length; i += 0x8000) {
        text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    }
    return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function fromBase64Url(text) {
    if (!/^[A-Za-z0-9_-]*$/.test(text)) {
        throw new SyntaxError("not base64url");
    }
    const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    return Uint8Array.from(binary, (c) => c.charCodeAt(0));
}

export async function encodeLink(scene) {
    const { path, text, settings } = scene;
    const bytes = new TextEncoder().encode(JSON.stringify({ path, text, settings }));
    if (bytes.length > MOST_TEXT) {
        throw new RangeError("This scene is too long for a link; save it as a file instead.");
    }
    const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    return toBase64Url(new Uint8Array(await new Response(stream).arrayBuffer()));
}

// { path, text, settings } out of a link. Whatever is wrong with it is an Error with a sentence for the user.
export async function decodeLink(code) {
    if (code.length > MOST_LINK) {
        throw new RangeError("The link is too long to hold a scene.");
    }
    let bytes;
    try {
        bytes = await inflate(fromBase64Url(code), "deflate-raw", MOST_TEXT);
    } catch (error) {
        const why = error instanceof RangeError ? `holds more than ${MOST_TEXT / 1e6} MB of text` : "is damaged or not complete";
        throw new Error(`The scene in this link cannot be opened: it ${why}.`);
    }
    return checkedScene(new TextDecoder().decode(bytes));
}

function checkedScene(json) {
    let value = null;
    try {
        value = JSON.parse(json);
    } catch {
        // told below, as for anything else that is no scene
    }
    const strings = (list) => Array.isArray(list) && list.length <= 10000 && list.every((item) => typeof item === "string");
    if (value === null || typeof value !== "object" || typeof value.text !== "string" || !strings(value.settings ?? [])) {
        throw new Error("The scene in this link cannot be opened: it holds no scene.");
    }
    const path = typeof value.path === "string" ? value.path.slice(0, 200) : "scene.json";
    return { path, text: value.text, settings: value.settings ?? [] };
}

// What the fragment asks for: { kind: "reel" | "scene" | "open", value }, or null.
export function readFragment(hash) {
    const match = /^#(reel|scene|open)=(.*)$/s.exec(hash);
    return match && { kind: match[1], value: match[2] };
}

// Only an address on the page's own server, and relative: a link must not make the page fetch from anywhere else.
export function ownAddress(value) {
    const address = decodeURIComponent(value);
    if (!/^[\w./-]+$/.test(address) || address.startsWith("//") || address.includes("..")) {
        throw new Error("The recording's address is not one of this page's own server.");
    }
    const url = new URL(address, document.baseURI);
    if (url.origin !== window.location.origin) {
        throw new Error("The recording's address is not one of this page's own server.");
    }
    return url;
}

export function linkTo(kind, value) {
    return `${window.location.href.split("#")[0]}#${kind}=${value}`;
}
