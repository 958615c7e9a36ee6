// Keeps frames of the live run: those since recording began, and always those of the last seconds, so that what just happened can
// still be saved. Frames are kept as the bytes that came from the worker, which nobody else needs any more.

import { encodeReel, encodeScene } from "../reel.js";
import { download, fileName, formatBytes } from "./dom.js";
import { Events } from "./events.js";

const MOST_BYTES = 480e6; // of a file: the page opens none above MOST_REEL, and a last frame or layout still has room below that
const RECENT_SECONDS = 10;
const RECENT_BYTES = 64e6;
const HEAD_BYTES = 16; // of a reel, and of each of its chunks

function chunkSize(payload) {
    return HEAD_BYTES + 8 * Math.ceil(payload.byteLength / 8);
}

// Frames whose times ascend, and the bytes that they take in a reel.
class Strip {
    entries = []; // { layout, payload, time, size }
    bytes = 0;

    // Adds a frame, in place of all frames that are not earlier: time stands still while a paused scene is moved by hand, and a reset sets
    // it back.
    push({ layout, payload, time }) {
        while (this.entries.length > 0 && this.entries.at(-1).time >= time) {
            this.bytes -= this.entries.pop().size;
        }
        const isSame = this.entries.at(-1)?.layout === layout;
        const size = chunkSize(payload) + (isSame ? 0 : chunkSize(layout));
        this.entries.push({ layout, payload, time, size });
        this.bytes += size;
    }

    // The next frame is the first of its layout then.
    dropFirst() {
        const { layout, size } = this.entries.shift(), next = this.entries[0];
        const moved = next?.layout === layout ? chunkSize(layout) : 0;
        if (next) {
            next.size += moved;
        }
        this.bytes += moved - size;
    }

    get seconds() {
        return this.entries.length > 1 ? this.entries.at(-1).time - this.entries[0].time : 0;
    }
}

export class Recorder extends Events {
    running = false;
    #scene = null; // as it was when recording began
    #sceneBytes = 0;
    #strip = new Strip();
    #recent = new Strip();

    constructor(session, messages) {
        super();
        this.session = session;
        this.messages = messages;
        session.on("frame", () => session.mode === "live" && this.#take());
        session.on("opened", ({ keep }) => keep || this.#leave());
        session.on("recording", () => this.#leave());
        session.on("reset", () => this.#leave());
    }

    toggle() {
        if (this.running) {
            this.finish();
        } else {
            this.begin();
        }
    }

    // From the frame that is seen, if there is one.
    begin() {
        this.#scene = this.session.current;
        this.#sceneBytes = HEAD_BYTES + chunkSize(encodeScene(this.#scene));
        this.#strip = new Strip();
        this.running = true;
        this.emit("changed");
        if (this.session.payload) {
            this.#record(this.#entry());
        }
    }

    // Stops, and hands the file out.
    finish() {
        const { entries } = this.#strip;
        this.running = false;
        this.#strip = new Strip();
        this.emit("changed");
        if (entries.length > 0) {
            this.#save(this.#scene, entries);
        }
    }

    saveRecent() {
        this.#save(this.session.current, this.#recent.entries);
    }

    get recentSeconds() {
        return this.#recent.seconds;
    }

    get words() {
        return `${this.#strip.seconds.toFixed(1)} s · ${formatBytes(this.#bytes)}`;
    }

    get #bytes() {
        return this.#sceneBytes + this.#strip.bytes;
    }

    #save(scene, entries) {
        download(new Blob(encodeReel(scene, entries), { type: "application/octet-stream" }), fileName(scene.stem, ".reel"));
    }

    #entry() {
        return { ...this.session.payload, time: this.session.frame.time };
    }

    #take() {
        const entry = this.#entry();
        this.#keepRecent(entry);
        if (this.running) {
            this.#record(entry);
        }
    }

    #record(entry) {
        this.#strip.push(entry);
        this.emit("changed");
        if (this.#bytes > MOST_BYTES) {
            this.messages.tell(`The recording has reached ${formatBytes(MOST_BYTES)} and was saved.`);
            this.finish();
        }
    }

    #keepRecent(entry) {
        const recent = this.#recent;
        recent.push(entry);
        while (recent.entries.length > 1 && (recent.seconds > RECENT_SECONDS || recent.bytes > RECENT_BYTES)) {
            recent.dropFirst();
        }
    }

    // Another scene, or its beginning: what was recorded until now is saved rather than lost.
    #leave() {
        this.#recent = new Strip();
        if (this.running) {
            this.finish();
        }
    }
}
