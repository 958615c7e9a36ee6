// Which parts of the page are open: controls and plots beside or on the scene; on a phone one of them at a time, as a sheet below it.

import { byId } from "./dom.js";

const PARTS = ["panel", "plots"];
const TALL = 720; // pixels of height that leave room for plots on the scene,
const WIDE = 880; // and of width, for controls beside it

export class Layout {
    // `resized`: the scene has more or less room
    constructor(resized) {
        this.narrow = window.matchMedia("(max-width: 760px)");
        this.open = new Set();
        this.recording = false;
        this.resized = resized;
        this.narrow.addEventListener("change", () => this.#first());
        for (const part of PARTS) {
            byId(`open-${part}`).addEventListener("click", () => this.toggle(part));
        }
        new ResizeObserver(resized).observe(byId("view"));
        this.#first();
    }

    #first() {
        const room = { panel: window.innerWidth >= WIDE && !this.recording, plots: window.innerHeight >= TALL };
        this.open = new Set(this.narrow.matches ? [] : PARTS.filter((part) => room[part]));
        this.#apply();
    }

    // Of a recording there is little to control.
    setRecording(on) {
        if (on !== this.recording) {
            this.recording = on;
            this.#first();
            this.resized(); // at once: the camera is placed next
        }
    }

    toggle(part) {
        const on = !this.open.has(part);
        if (this.narrow.matches) {
            this.open.clear();
        }
        if (on) {
            this.open.add(part);
        } else {
            this.open.delete(part);
        }
        this.#apply();
    }

    #apply() {
        for (const part of PARTS) {
            document.body.classList.toggle(`no-${part}`, !this.open.has(part));
            byId(`open-${part}`).setAttribute("aria-expanded", this.open.has(part));
        }
    }
}
