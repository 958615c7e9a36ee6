// Keeps frames of the live run: those since recording began, and always those of the last seconds, so that what just happened can
// still be saved. Frames are kept as the bytes that came from the worker, which nobody else needs any more.

import { encodeReel } from "../reel.js";
import { download, fileName, formatBytes } from "./dom.js";
import { Events } from "./events.js";

const MOST_BYTES = 500e6;
const RECENT_SECONDS = 10;
const RECENT_BYTES = 64e6;

export class Recorder extends Events {
    running = false;
    #scene = null; // as it was when recording began
    #frames = [];
    #bytes = 0;
    #recent = [];
    #recentBytes = 0;

    constructor(session, messages) {
        super();
        this.session = session;
        this.messages = messages;
        session.on("frame", (frame) => session.mode === "live" && this.#take(frame));
        session.on("opened", ({ keep }) => keep || this.#opened());
        session.on("reset", () => this.#forgetRecent());
    }

    begin() {
        this.#scene = this.session.current;
        this.#frames = [];
        this.#bytes = 0;
        this.running = true;
        this.emit("changed");
    }

    // Stops, and hands the file out.
    finish() {
        const frames = this.#frames;
        this.running = false;
        this.#frames = [];
        this.emit("changed");
        if (frames.length > 0) {
            this.#save(this.#scene, frames);
        }
    }

    saveRecent() {
        this.#save(this.session.current, this.#recent.map(({ entry }) => entry));
    }

    get recentSeconds() {
        return this.#recent.length > 1 ? this.#recent.at(-1).time - this.#recent[0].time : 0;
    }

    get words() {
        const seconds = this.#frames.length > 1 ? this.#frames.at(-1).time - this.#frames[0].time : 0;
        return `${seconds.toFixed(1)} s · ${formatBytes(this.#bytes)}`;
    }

    #save(scene, entries) {
        download(new Blob(encodeReel(scene, entries), { type: "application/octet-stream" }), fileName(scene.path, ".reel"));
    }

    #take(frame) {
        const entry = { ...this.session.payload, time: frame.time };
        const size = entry.payload.byteLength;
        this.#keepRecent(entry, size);
        if (!this.running) {
            return;
        }
        this.#frames.push(entry);
        this.#bytes += size;
        this.emit("changed");
        if (this.#bytes > MOST_BYTES) {
            this.messages.tell(`The recording has reached ${formatBytes(MOST_BYTES)} and was saved.`);
            this.finish();
        }
    }

    #keepRecent(entry, size) {
        if (this.#recent.length > 0 && entry.time <= this.#recent.at(-1).time) {
            this.#forgetRecent(); // time was set back
        }
        this.#recent.push({ entry, time: entry.time, size });
        this.#recentBytes += size;
        while (this.#recent.length > 1 && (entry.time - this.#recent[0].time > RECENT_SECONDS || this.#recentBytes > RECENT_BYTES)) {
            this.#recentBytes -= this.#recent.shift().size;
        }
    }

    #forgetRecent() {
        this.#recent = [];
        this.#recentBytes = 0;
    }

    // Another scene: what was recorded of the last one is saved rather than lost.
    #opened() {
        this.#forgetRecent();
        if (this.running) {
            this.finish();
        }
    }
}
