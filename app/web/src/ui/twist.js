// Twists an end of a rod: a slider in turns, and the number itself.

import { clamp, el } from "./dom.js";

const MOST = 10; // turns either way

export class TwistGroup {
    #held = new Map(); // "rod end" -> turns, as long as the hand has that end

    constructor(session) {
        this.session = session;
        this.end = "end";
        this.slider = el("input", { id: "twist", type: "range", min: -MOST, max: MOST, step: 0.05, value: 0, class: "middle" });
        this.number = el("input", { id: "twist-number", type: "number", min: -MOST, max: MOST, step: 0.25, value: 0, "aria-label": "Turns" });
        this.letGo = el("button", { type: "button", class: "small", onclick: () => this.release() }, "Let go");
        this.ends = el("fieldset", { class: "choice", role: "radiogroup", "aria-label": "Which end" });
        for (const end of ["start", "end"]) {
            const radio = el("input", { type: "radio", name: "twist-end", value: end, checked: end === this.end });
            radio.addEventListener("change", () => this.#choose(end));
            this.ends.append(el("label", {}, radio, el("span", {}, end)));
        }
        const head = el("div", { class: "field-head" }, el("label", { for: "twist" }, "Turns"), this.number);
        this.fault = el("p", { class: "fault", hidden: true });
        this.element = el("details", { open: true }, el("summary", {}, "Twist"),
            el("div", { class: "field" }, el("div", { class: "row" }, this.ends, this.letGo)),
            el("div", { class: "field" }, head, this.slider, this.fault));
        this.slider.addEventListener("input", () => this.turnTo(Number(this.slider.value)));
        this.slider.addEventListener("dblclick", () => this.turnTo(0));
        this.number.addEventListener("change", () => this.turnTo(Number(this.number.value)));
        session.client.on("refused", ({ text }) => this.#refused(text));
        session.on("reset", () => this.forget());
        session.on("opened", ({ keep }) => keep || this.forget());
    }

    #key(rod = this.session.rod, end = this.end) {
        return `${rod} ${end}`;
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
        const bounded = clamp(turns, -MOST, MOST);
        this.#held.set(this.#key(), bounded);
        this.session.client.send("twist", { rod: this.session.rod, end: this.end, turns: bounded });
        this.sync();
    }

    #refused(text) {
        this.#held.delete(this.#key());
        this.sync();
        this.fault.textContent = text;
        this.fault.hidden = false;
    }

    // The wheel on an end of a rod: so many turns more.
    turnBy(rod, end, turns) {
        const now = this.#held.get(this.#key(rod, end)) ?? 0;
        const next = clamp(now + turns, -MOST, MOST);
        this.#held.set(this.#key(rod, end), next);
        this.session.client.send("twist", { rod, end, turns: next });
        this.sync();
    }

    release() {
        this.#held.delete(this.#key());
        this.session.client.send("untwist", { rod: this.session.rod, end: this.end });
        this.sync();
    }

    forget() {
        this.#held.clear();
        this.sync();
    }

    sync() {
        this.fault.hidden = true;
        const turns = this.#held.get(this.#key()) ?? 0;
        this.slider.value = turns;
        this.slider.style.setProperty("--share", `${50 + (50 * turns) / MOST}%`);
        this.slider.setAttribute("aria-valuetext", `${turns} turns`);
        if (document.activeElement !== this.number) {
            this.number.value = turns;
        }
        this.letGo.disabled = !this.#held.has(this.#key());
        const rod = this.session.info?.rods[this.session.rod];
        const endless = !rod || rod.closed || rod.network;
        for (const input of [this.slider, this.number, ...this.ends.querySelectorAll("input")]) {
            input.disabled = endless;
        }
        this.element.title = endless && rod ? "This rod has no ends." : "";
    }
}
