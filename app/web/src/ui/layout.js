// Which parts of the page are open: controls and plots beside or on the scene; where there is no room for both, and on a phone, where they
// are a sheet below it, one of them at a time.

import { byId } from "./dom.js";

const PARTS = ["panel", "plots"];
const TALL = 720;  // pixels of height that leave room for plots on the scene,
const WIDE = 880;  // and of width, for controls beside it
const PANEL = 300; // width of the controls, as in style/panel.css,
const PLOTS = 760; // and of a stage that is too narrow for plots side by side, as in style/narrow.css

export class Layout {
    // `resized`: the scene has more or less room
    constructor(resized) {
        this.narrow = window.matchMedia("(max-width: 760px)");
        this.open = new Set(); // what was asked for; what there is room for is seen
        this.recording = false;
        this.resized = resized;
        this.narrow.addEventListener("change", () => this.#first());
        for (const part of PARTS) {
            byId(`open-${part}`).addEventListener("click", () => this.toggle(part));
        }
        new ResizeObserver(resized).observe(byId("view"));
        new ResizeObserver(() => this.#apply()).observe(byId("stage")); // as wide as window and editor leave it
        this.#first();
    }

    #first() {
        const panel = window.innerWidth >= WIDE && !this.recording;
        const plots = window.innerHeight >= TALL && !(panel && this.#crowded());
        const room = { panel, plots };
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
        if (this.#barred(part)) {
            return;
        }
        const on = !this.#seen(part);
        if (on && this.#crowded()) {
            this.open.clear();
        }
        if (on) {
            this.open.add(part);
        } else {
            this.open.delete(part);
        }
        this.#apply();
    }

    // Is there no room for both?
    #crowded() {
        const both = byId("view").clientWidth + byId("panel").offsetWidth; // whether the panel is open or not
        return this.narrow.matches || both - PANEL <= PLOTS;
    }

    #seen(part) {
        const wins = part === "panel" || !this.#seen("panel") || !this.#crowded();
        return this.open.has(part) && wins && !this.#barred(part);
    }

    // An editor takes the place of the controls where the window is not wide, and the button with it.
    #barred(part) {
        return getComputedStyle(byId(`open-${part}`)).display === "none";
    }

    #apply() {
        const seen = PARTS.filter((part) => this.#seen(part));
        for (const part of PARTS) {
            document.body.classList.toggle(`no-${part}`, !seen.includes(part));
            byId(`open-${part}`).setAttribute("aria-expanded", seen.includes(part));
        }
    }
}
