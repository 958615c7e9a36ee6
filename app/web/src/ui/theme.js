// Light or dark: as the system has it, until it is chosen here.

import { byId, setIcon } from "./dom.js";

const KEY = "cordage-theme";

function stored() {
    try {
        return localStorage.getItem(KEY);
    } catch {
        return null; // a page from disk may have no storage
    }
}

function store(theme) {
    try {
        localStorage.setItem(KEY, theme);
    } catch {
        // as above: it is then chosen anew each time
    }
}

export class Theme {
    #changed;

    // `changed`: told of each change.
    constructor(changed) {
        this.#changed = changed;
        this.system = window.matchMedia("(prefers-color-scheme: dark)");
        this.chosen = stored();
        this.button = byId("theme");
        this.button.addEventListener("click", () => this.toggle());
        this.system.addEventListener("change", () => this.apply());
        this.apply();
    }

    get name() {
        return this.chosen === "light" || this.chosen === "dark" ? this.chosen : this.system.matches ? "dark" : "light";
    }

    toggle() {
        this.chosen = this.name === "dark" ? "light" : "dark";
        store(this.chosen);
        this.apply();
    }

    apply() {
        const dark = this.name === "dark";
        document.documentElement.dataset.theme = this.name;
        this.button.setAttribute("aria-pressed", dark);
        setIcon(this.button.querySelector("svg"), dark ? "sun" : "moon");
        this.#changed(this.name);
    }
}
