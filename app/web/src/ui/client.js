// The page's end of the worker that simulates: messages out, answers and frames in.

import { Events } from "./events.js";

const START_MS = 30000; // a slow phone needs some seconds to compile the engine
const NEEDS = "It needs WebAssembly with SIMD: Chrome and Edge 91, Firefox 89, Safari 16.4, or later.";

// Emits what the worker posts under its type ("frame", "stopped", ...), and "failed" with a sentence if there is no worker to talk to.
export class Client extends Events {
    #worker = null;
    #waiting = new Map(); // id -> { resolve, reject }
    #last = 0;

    // `text`: the worker's script; `wasm`: the engine's bytes, which are given away.
    start(text, wasm) {
        const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
        return new Promise((resolve, reject) => {
            const fail = (why) => {
                reject(new Error(why));
                this.#fail(why);
            };
            const timer = setTimeout(() => fail("The simulator did not start in time."), START_MS);
            let ready = false;
            this.on("ready", (message) => {
                ready = true;
                clearTimeout(timer);
                resolve(message);
            });
            this.on("stopped", ({ text }) => ready || fail(`The engine did not start: ${text}. ${NEEDS}`));
            try {
                this.#worker = new Worker(address);
            } catch (error) {
                clearTimeout(timer);
                fail(`This browser refused to start the simulator: ${error.message}`);
                return;
            }
            this.#worker.onmessage = (event) => this.#take(event.data);
            this.#worker.onerror = (event) => fail(`The simulator failed: ${event.message || "its worker did not load"}`);
            this.#worker.postMessage({ type: "start", wasm }, [wasm]);
        });
    }

    send(type, fields = {}, transfer = []) {
        this.#worker?.postMessage({ type, ...fields }, transfer);
    }

    // Sends a message that has an answer. Resolves with the worker's message, whether that says ok or not.
    ask(type, fields = {}, transfer = []) {
        return new Promise((resolve, reject) => {
            if (!this.#worker) {
                reject(new Error("The simulator is not running."));
                return;
            }
            const id = ++this.#last;
            this.#waiting.set(id, { resolve, reject });
            this.send(type, { ...fields, id }, transfer);
        });
    }

    #take(message) {
        const waiting = this.#waiting.get(message.id);
        if (waiting && (message.type === "opened" || message.type === "answer")) {
            this.#waiting.delete(message.id);
            waiting.resolve(message);
            return;
        }
        this.emit(message.type, message);
    }

    #fail(why) {
        this.#worker?.terminate();
        this.#worker = null;
        for (const { reject } of this.#waiting.values()) {
            reject(new Error(why));
        }
        this.#waiting.clear();
        this.emit("failed", why);
    }
}
