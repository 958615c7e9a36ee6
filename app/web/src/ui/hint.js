// One line for those who are here for the first time: what to do. It goes once a rope is taken, and does not come back.

import { byId, el } from "./dom.js";
import { recall, remember } from "./memory.js";

const KEY = "cordage-has-dragged";
const STAY_MS = 30000; // for those who only watch
const WORDS = {
    mouse: ["Drag a rope to pull it.", "Let go with Shift to pin it.", "Drag beside it to look around."],
    touch: ["Drag a rope to pull it.", "Tap it twice to pin it."],
};

export class Hint {
    constructor(session, hold) {
        this.element = byId("hint");
        this.known = recall(KEY) !== null;
        const words = WORDS[window.matchMedia("(pointer: coarse)").matches ? "touch" : "mouse"];
        this.element.append(...words.map((part) => el("span", {}, part)));
        session.on("opened", ({ keep }) => keep || this.#show());
        session.on("state", () => session.mode === "player" && this.#hide());
        hold.on("taken", () => this.#learn());
    }

    #show() {
        if (!this.known) {
            this.element.hidden = false;
            clearTimeout(this.timer);
            this.timer = setTimeout(() => this.#hide(), STAY_MS);
        }
    }

    #hide() {
        this.element.hidden = true;
    }

    #learn() {
        if (!this.known) {
            this.known = true;
            remember(KEY, "yes");
            this.#hide();
        }
    }
}
