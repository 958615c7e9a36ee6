// Which parts of the page are open: controls and plots beside or on the scene; on a phone one of them at a time, as a sheet below it.

import { byId } from "./dom.js";

const PARTS = ["panel", "plots"];
const TALL = 720; // pixels of height that leave room for plots on the scene

export class Layout {
    // `resized`: the scene has more or less room
    constructor(resized) {
        this.narrow = window.matchMedia("(max-width: 760px)");
        this.open = new Set();
        this.narrow.addEventListener("change", () => this.#first());
        for (const part of PARTS) {
            byId(`open-${part}`).addEventListener("click", () => this.toggle(part));
        }
        new ResizeObserver(resized).observe(byId("view"));
        this.#first();
    }

    #first() {
        this.open = new Set(this.narrow.matches ? [] : window.innerHeight >= TALL ? PARTS : ["panel"]);
        this.#apply();
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
