// The keyboard, and the page that tells of it.

import { byId, el, iconButton } from "./dom.js";
import { KEY_HAND_HELP } from "./key_hand.js";

const ABOUT = "Cordage simulates thin elastic rods: ropes, wires, hair, springs. Everything runs in this page; nothing is sent anywhere.";
const POINTER_HELP = [
    ["Drag a rope", "pulls it with a spring; the force stands beside the hand"],
    ["Drag elsewhere", "looks around; right button or two fingers move, wheel or pinch zooms"],
    ["Double click a rope", "pins it there, or takes the pin out; so does Shift when you let go, and the pin tool"],
    ["Alt and wheel on an end", "twists that end"],
    ["Double click a slider", "back to what the scene has"],
];

// `actions`: key -> { what, run }, one without `what` being told of by another; keys in text fields are theirs. `hand`: is asked first.
export class Keys {
    constructor(actions, hand) {
        this.actions = actions;
        this.hand = hand;
        this.dialog = byId("help");
        this.version = el("p", { class: "version" });
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
        if (writes || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]:not(#help)")) {
            return;
        }
        if (!this.dialog.open && this.hand.key(event)) {
            event.preventDefault();
            return;
        }
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

    #makeHelp() {
        const names = { " ": "Space", ArrowRight: "→", ArrowLeft: "←", "Shift ArrowLeft": "Shift ← ↑ → ↓", "+": "+ −" };
        const row = (key, what) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)];
        const told = Object.entries(this.actions).filter(([, { what }]) => what);
        const keys = told.flatMap(([key, { what }]) => row(names[key] ?? key.toUpperCase(), what));
        const pointer = POINTER_HELP.flatMap(([what, does]) => [el("dt", {}, what), el("dd", {}, does)]);
        const close = iconButton("close", "Close help", () => this.dialog.close());
        this.dialog.append(
            el("div", { class: "dialog-head" }, el("h2", { id: "help-title" }, "Help"), close),
            el("div", { class: "help-body" },
                el("p", {}, ABOUT), this.version,
                el("h3", {}, "With mouse or finger"), el("dl", { class: "pointer" }, ...pointer),
                el("h3", {}, "A rope, by keys"), el("dl", { class: "keys" }, ...KEY_HAND_HELP.flatMap(([key, what]) => row(key, what))),
                el("h3", {}, "More keys"), el("dl", { class: "keys" }, ...keys)),
        );
        this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    }
}
