// The keyboard, and the page that tells of it.

import { byId, el, iconButton } from "./dom.js";
import { Switch } from "./field.js";
import { KEY_HAND_HELP } from "./key_hand.js";
import { recall, remember } from "./memory.js";

const LETTERS = "cordage-letters"; // where the switch is remembered
const ABOUT = "Cordage simulates thin elastic rods: ropes, wires, hair, springs. Everything runs in this page; nothing is sent anywhere.";
const WITHOUT_LETTERS = "Off: letters and signs do nothing, except for the ring's while the scene has the focus. " +
    "Space, arrows, Enter and Esc stay.";
const POINTER_HELP = [
    ["Drag a rope", "pulls it with a spring; the force stands beside the hand"],
    ["Wheel while you drag", "away from you, or nearer: behind a rope, through a loop"],
    ["Drag elsewhere", "looks around; right button or two fingers move, wheel or pinch zooms"],
    ["Double click a rope", "pins it there, or takes the pin out; so does Shift when you let go, and the pin tool"],
    ["Alt and wheel on an end", "twists that end"],
    ["Double click a slider", "back to what the scene has"],
];

// A letter, digit or sign, which those who speak to their computer, or whose hand slips, press without meaning to.
function isLetter({ key }) {
    return key.length === 1 && key !== " ";
}

// `actions`: key -> { what, run }, one without `what` being told of by another; keys in text fields are theirs. `hand`: is asked first.
export class Keys {
    constructor(actions, hand) {
        this.actions = actions;
        this.hand = hand;
        this.dialog = byId("help");
        this.version = el("p", { class: "version" });
        this.letters = recall(LETTERS) !== "off";
        this.#makeHelp();
        byId("open-help").addEventListener("click", () => this.help());
        window.addEventListener("keydown", (event) => this.#press(event));
    }

    setVersion(version) {
        this.version.textContent = `Version ${version}`;
    }

    help() {
        if (this.dialog.open) {
            this.dialog.close();
        } else {
            this.dialog.showModal();
        }
    }

    #press(event) {
        const { target } = event;
        const writes = target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement ||
            (target instanceof HTMLInputElement && !["range", "checkbox", "radio"].includes(target.type));
        const behind = document.querySelector("dialog[open]") !== null && !(this.dialog.open && event.key === "?");
        if (writes || event.ctrlKey || event.metaKey || event.altKey || behind) {
            return;
        }
        if (!this.dialog.open && (this.letters || !isLetter(event) || target === this.hand.canvas) && this.hand.key(event)) {
            event.preventDefault();
            return;
        }
        if (this.letters || !isLetter(event)) {
            this.#act(event);
        }
    }

    #act(event) {
        const { target } = event;
        const moves = (event.key.startsWith("Arrow") && !event.shiftKey) || event.key === " ";
        const presses = event.key === " " && target instanceof HTMLButtonElement;
        if (moves && (target instanceof HTMLInputElement || presses || target.closest?.("summary"))) {
            return; // arrows move sliders, the space bar presses buttons
        }
        const action = this.actions[this.#nameOf(event)];
        if (action && (!event.repeat || event.key.startsWith("Arrow"))) {
            event.preventDefault();
            action.run();
        }
    }

    #nameOf(event) {
        if (event.key.length === 1) {
            return event.key.toLowerCase();
        }
        return event.shiftKey ? `Shift ${event.key}` : event.key;
    }

    #lettersSwitch() {
        const commit = (on) => {
            this.letters = on;
            remember(LETTERS, on ? "on" : "off");
            return { ok: true, notes: [] };
        };
        const field = new Switch({ label: "Letter keys", commit });
        field.set(this.letters);
        return field.element;
    }

    #makeHelp() {
        const names = { " ": "Space", ArrowRight: "→", ArrowLeft: "←", "Shift ArrowLeft": "Shift ← ↑ → ↓", "+": "+ −" };
        const row = (key, what) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)];
        const told = Object.entries(this.actions).filter(([, { what }]) => what);
        const keys = told.flatMap(([key, { what }]) => row(names[key] ?? key.toUpperCase(), what));
        const pointer = POINTER_HELP.flatMap(([what, does]) => [el("dt", {}, what), el("dd", {}, does)]);
        const close = iconButton("close", "Close help", () => this.dialog.close());
        this.dialog.append(
            el("div", { class: "dialog-head" }, el("h2", { id: "help-title" }, "Help"), close),
            el("div", { class: "help-body", tabindex: 0, role: "region", "aria-labelledby": "help-title" },
                el("p", {}, ABOUT), this.version,
                el("h3", {}, "With mouse or finger"), el("dl", { class: "pointer" }, ...pointer),
                el("h3", {}, "A rope, by keys"), el("dl", { class: "keys" }, ...KEY_HAND_HELP.flatMap(([key, what]) => row(key, what))),
                el("h3", {}, "More keys"), el("dl", { class: "keys" }, ...keys),
                this.#lettersSwitch(), el("p", { class: "reason" }, WITHOUT_LETTERS)),
        );
        this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    }
}
