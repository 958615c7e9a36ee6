// Twists an end of a rod: a slider in turns, and a number. Frames say which ends are held and how far they are turned.

import { clamp, el } from "./dom.js";

const MOST = 10;  // turns either way
const STALE = 1;  // frames that may be on their way when a turn is asked for, and do not have it yet: the worker posts one at a time

export class TwistGroup {
    #asked = new Map(); // "rod end" -> { turns, or null: let go; frames since }, until frames have it
    #shown = null;      // what the controls show: turns, or null

    constructor(session) {
        this.session = session;
        this.end = "end";
        this.slider = el("input", { id: "twist", type: "range", min: -MOST, max: MOST, step: 0.05, value: 0, class: "middle" });
        const range = { min: -MOST, max: MOST, step: 0.25, value: 0 };
        this.number = el("input", { id: "twist-number", type: "number", ...range, "aria-label": "Turns" });
        this.letGo = el("button", { type: "button", class: "small", onclick: () => this.release() }, "Let go");
        this.ends = el("fieldset", { class: "choice", role: "radiogroup", "aria-label": "Which end" });
        for (const end of ["start", "end"]) {
            const radio = el("input", { type: "radio", name: "twist-end", value: end, checked: end === this.end });
            radio.addEventListener("change", () => this.#choose(end));
            this.ends.append(el("label", {}, radio, el("span", {}, end)));
        }
        const head = el("div", { class: "field-head" }, el("label", { for: "twist" }, "Turns"), this.number);
        this.fault = el("p", { class: "fault", role: "alert", hidden: true });
        this.reason = el("p", { id: "twist-reason", class: "reason", hidden: true }, "This rod has no ends.");
        this.slider.setAttribute("aria-describedby", "twist-reason");
        this.element = el("details", { open: true }, el("summary", {}, "Twist"),
            el("div", { class: "field" }, el("div", { class: "row" }, this.ends, this.letGo)),
            el("div", { class: "field" }, head, this.slider, this.reason, this.fault));
        this.slider.addEventListener("input", () => this.turnTo(Number(this.slider.value)));
        this.slider.addEventListener("dblclick", () => this.turnTo(0));
        this.number.addEventListener("change", () => {
            this.number.value = clamp(Number(this.number.value) || 0, -MOST, MOST);
            this.turnTo(Number(this.number.value));
        });
        session.client.on("refused", (message) => message.what === "twist" && this.#refused(message));
        session.on("frame", () => this.#frame());
        session.on("reset", () => this.forget());
        session.on("opened", ({ keep }) => keep || this.forget());
    }

    #key(rod, end) {
        return `${rod} ${end}`;
    }

    // Null: nobody holds that end.
    #turnsOf(rod, end) {
        const asked = this.#asked.get(this.#key(rod, end));
        const held = this.session.live?.twists.find((twist) => twist.rod === rod && twist.end === end);
        return asked ? asked.turns : held?.turns ?? null;
    }

    #frame() {
        for (const [key, asked] of this.#asked) {
            if (asked.frames++ >= STALE) {
                this.#asked.delete(key);
            }
        }
        if (this.#turnsOf(this.session.rod, this.end) !== this.#shown) {
            this.#show();
        }
    }

    #choose(end) {
        this.end = end;
        this.sync();
    }

    turnTo(turns) {
        if (!Number.isFinite(turns)) {
            this.sync();
            return;
        }
        this.#ask(this.session.rod, this.end, clamp(turns, -MOST, MOST));
    }

    #ask(rod, end, turns) {
        this.#asked.set(this.#key(rod, end), { turns, frames: 0 });
        this.session.client.send(turns === null ? "untwist" : "twist", { rod, end, ...(turns === null ? {} : { turns }) });
        this.sync();
    }

    #refused({ rod, end, text }) {
        this.#asked.delete(this.#key(rod, end));
        this.sync();
        this.fault.textContent = text;
        this.fault.hidden = false;
    }

    // The wheel on an end of a rod: so many turns more.
    turnBy(rod, end, turns) {
        this.#ask(rod, end, clamp((this.#turnsOf(rod, end) ?? 0) + turns, -MOST, MOST));
    }

    release() {
        this.#ask(this.session.rod, this.end, null);
    }

    forget() {
        this.#asked.clear();
        this.sync();
    }

    sync() {
        this.fault.hidden = true;
        this.#show();
    }

    #show() {
        this.#shown = this.#turnsOf(this.session.rod, this.end);
        const turns = this.#shown ?? 0;
        this.slider.value = turns;
        this.slider.style.setProperty("--share", `${50 + (50 * turns) / MOST}%`);
        this.slider.setAttribute("aria-valuetext", `${turns} turns`);
        if (document.activeElement !== this.number) {
            this.number.value = Number(turns.toFixed(2));
        }
        this.letGo.disabled = this.#shown === null;
        const rod = this.session.info?.rods[this.session.rod];
        const endless = !rod || rod.closed || rod.network;
        for (const input of [this.slider, this.number, ...this.ends.querySelectorAll("input")]) {
            input.disabled = endless;
        }
        this.reason.hidden = !(endless && rod);
    }
}
