// Controls of the panel: each is a label, what it is set to in words, and lines for why it is greyed out and what is wrong with it.

import { debounce, el } from "./dom.js";

const SETTLE_MS = 160; // a slider that has stood still for so long is meant
let count = 0;

class Field {
    constructor(label) {
        this.id = `field-${++count}`;
        this.value = el("output", { for: this.id, "aria-live": "off" }); // sliders tell their values themselves
        this.reason = el("p", { id: `${this.id}-reason`, class: "reason", hidden: true });
        this.fault = el("p", { class: "fault", role: "alert", hidden: true });
        this.label = el("label", { for: this.id }, label);
        this.head = el("div", { class: "field-head" }, this.label, this.value);
        this.element = el("div", { class: "field" }, this.head);
    }

    // Beside the control: why the engine refused it. Empty: all is well.
    setFault(text) {
        this.fault.textContent = text;
        this.fault.hidden = !text;
    }

    // Greyed out, and why; null: in use. `told`: an element that says so for several controls at once.
    setObstacle(reason, told = null) {
        this.input.disabled = reason !== null;
        this.element.classList.toggle("off", reason !== null);
        this.reason.textContent = reason ?? "";
        this.reason.hidden = reason === null || told !== null;
        if (reason === null) {
            this.input.removeAttribute("aria-describedby");
        } else {
            this.input.setAttribute("aria-describedby", (told ?? this.reason).id);
        }
    }

    setBusy(on) {
        this.element.classList.toggle("busy", on);
    }

    // Back to the value before a change that was refused.
    restore() {
        this.set(this.kept);
    }

    // Carries a change out: `commit` resolves with the engine's answer. If that is not ok, the control goes back and says why.
    async run(commit, value) {
        this.setBusy(true);
        try {
            const answer = await commit(value);
            const first = answer.ok ? null : (answer.notes.find((note) => note.error) ?? answer.notes[0]);
            this.setFault(answer.ok ? "" : (first?.text ?? "The engine refused this."));
            if (!answer.ok) {
                this.restore();
            }
        } catch (error) {
            this.setFault(error.message);
            this.restore();
        } finally {
            this.setBusy(false);
        }
    }
}

// A slider. `text`: what a position means; `commit`: carries it out; `own`: the position that the scene has, to which a double
// click goes back.
export class Slider extends Field {
    constructor({ label, min, max, step, text, commit }) {
        super(label);
        this.text = text;
        this.own = 0;
        this.kept = 0; // what runs
        this.sent = 0; // what was asked for last
        this.held = false; // by the pointer
        this.input = el("input", { id: this.id, type: "range", min, max, step });
        this.element.append(this.input, this.reason, this.fault);
        const settle = debounce(() => this.#commit(commit), SETTLE_MS);
        this.input.addEventListener("input", () => {
            this.#write();
            settle();
        });
        this.input.addEventListener("change", () => {
            settle.cancel();
            this.#commit(commit);
        });
        this.input.addEventListener("pointerdown", () => {
            this.held = true;
        });
        for (const end of ["pointerup", "pointercancel", "blur"]) {
            this.input.addEventListener(end, () => {
                this.held = false;
            });
        }
        this.input.addEventListener("dblclick", () => {
            this.input.value = this.own;
            this.#write();
            this.#commit(commit);
        });
    }

    get position() {
        return Number(this.input.value);
    }

    // `position`: what runs; `own`: what the scene says. A knob that is held stays where it is.
    set(position, own = position) {
        this.own = own;
        this.kept = this.sent = position;
        if (!this.held) {
            this.input.value = position;
        }
        this.#write();
    }

    restore() {
        this.set(this.kept, this.own);
    }

    #write() {
        const words = this.text(this.position);
        this.value.textContent = words;
        this.input.setAttribute("aria-valuetext", words);
        const share = (this.position - this.input.min) / (this.input.max - this.input.min);
        this.input.style.setProperty("--share", `${100 * share}%`);
    }

    #commit(commit) {
        const position = this.position;
        if (position !== this.sent) {
            this.sent = position;
            this.run(commit, position);
        }
    }
}

// One of a few words: buttons side by side, as radios.
export class Choice extends Field {
    constructor({ label, options, commit }) {
        super(label);
        this.label.removeAttribute("for");
        this.label.id = `${this.id}-label`;
        this.value.remove();
        this.input = el("fieldset", { class: "choice", role: "radiogroup", "aria-labelledby": this.label.id });
        this.radios = options.map(({ value, text, title }) => {
            const radio = el("input", { type: "radio", name: this.id, value, onchange: () => this.run(commit, value) });
            this.input.append(el("label", { title: title ?? null }, radio, el("span", {}, text)));
            return radio;
        });
        this.element.append(this.input, this.reason, this.fault);
    }

    set(value) {
        this.kept = value;
        for (const radio of this.radios) {
            radio.checked = radio.value === value;
        }
    }
}

// One of many: a list that folds out.
export class Select extends Field {
    constructor({ label, options, commit }) {
        super(label);
        this.value.remove();
        this.input = el("select", { id: this.id, onchange: () => this.run(commit, this.input.value) });
        this.setOptions(options);
        this.element.classList.add("inline");
        this.head.append(this.input);
        this.element.append(this.reason, this.fault);
    }

    setOptions(options) {
        this.input.replaceChildren(...options.map(({ value, text }) => el("option", { value }, text)));
    }

    set(value) {
        this.kept = String(value);
        this.input.value = this.kept;
    }
}

// On or off.
export class Switch extends Field {
    constructor({ label, commit }) {
        super(label);
        this.value.remove();
        this.input = el("input", {
            id: this.id, type: "checkbox", role: "switch", onchange: () => this.run(commit, this.input.checked),
        });
        this.element.classList.add("inline");
        this.head.append(this.input);
        this.element.append(this.reason, this.fault);
    }

    set(on) {
        this.kept = on;
        this.input.checked = on;
    }
}
