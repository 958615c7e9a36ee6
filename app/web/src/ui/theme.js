// Light or dark: as the system has it, until it is chosen here.

import { byId, setIcon } from "./dom.js";
import { recall, remember } from "./memory.js";

const KEY = "cordage-theme";

export class Theme {
    #changed;

    // `changed`: told of each change.
    constructor(changed) {
        this.#changed = changed;
        this.system = window.matchMedia("(prefers-color-scheme: dark)");
        this.chosen = recall(KEY);
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
        remember(KEY, this.chosen);
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
