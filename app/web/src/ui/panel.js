// The panel: which rod, its twist, its model, what it is made of, the world around it, and how it is drawn. Every change goes to
// the scene that runs as settings; what the engine refuses goes back to what runs, and says why.

import { el, formatNumber, formatUnit } from "./dom.js";
import { ALL, INTEGRATORS, MODELS } from "./edits.js";
import { Choice, Select, Slider, Switch } from "./field.js";
import { TwistGroup } from "./twist.js";

const ACCEPTED = { ok: true, notes: [] };
const OFF_DAMPING = -6; // decades of seconds: no damping at the foot of its slider
const OFF_DRAG = -4;    // decades of N s/m^2, likewise
const MODEL_TITLES = {
    der: "Discrete elastic rods",
    corde: "Cosserat rods with quaternions",
    pbd: "Position-based rods",
    modal: "Modes of vibration, warped",
};
const INTEGRATOR_TEXTS = {
    verlet: "Verlet",
    symplectic_euler: "Symplectic Euler",
    implicit: "Implicit midpoint",
    backward_euler: "Backward Euler",
};

const decade = (off) => (position) => (position <= off ? 0 : 10 ** position);
const position = (off) => (value) => (value > 0 ? Math.max(off, Math.log10(value)) : off);

function group(title, fields, { open = true, name = "" } = {}) {
    return el("details", { open, class: name }, el("summary", {}, title), ...fields.map((field) => field.element));
}

export class Panel {
    constructor(element, session, stage) {
        this.element = element;
        this.session = session;
        this.stage = stage;
        this.#make();
        this.twist = new TwistGroup(session);
        this.view = group("View", [this.color, this.contacts, this.quality], { open: false, name: "view-group" });
        this.unreadable = el("p", { id: "unreadable", class: "reason", hidden: true }); // once for all controls
        element.append(
            this.unreadable,
            this.which.element,
            this.twist.element,
            group("Method", [this.model, this.integrator]),
            group("Rod", [this.radius, this.stiffness, this.elements, this.damping]),
            group("World", [this.gravity, this.contact, this.friction, this.drag]),
            this.view,
        );
        session.on("opened", () => this.sync());
        session.on("target", () => this.sync());
        session.on("state", () => this.#setPlayer(session.mode === "player"));
    }

    // Recordings can be looked at alone.
    #setPlayer(on) {
        if (on !== this.element.classList.contains("player")) {
            this.element.classList.toggle("player", on);
            this.view.open = on;
        }
    }

    #make() {
        const edit = (key, value = (v) => v) => (at) => this.session.edit(key, value(at));
        this.which = new Select({
            label: "Rod", options: [], commit: (value) => {
                this.session.setTarget(Number(value));
                return ACCEPTED;
            },
        });
        this.model = new Choice({
            label: "Model", options: MODELS.map((value) => ({ value, text: value, title: MODEL_TITLES[value] })), commit: edit("model"),
        });
        this.integrator = new Select({
            label: "Integrator", options: INTEGRATORS.map((value) => ({ value, text: INTEGRATOR_TEXTS[value] })),
            commit: edit("integrator"),
        });
        this.radius = new Slider({
            label: "Radius", min: -2, max: 2, step: 0.02, text: (at) => this.#radiusText(2 ** at),
            commit: edit("radius", (at) => 2 ** at),
        });
        this.stiffness = new Slider({
            label: "Stiffness", min: -3, max: 3, step: 0.05, text: (at) => this.#stiffnessText(10 ** at),
            commit: edit("stiffness", (at) => 10 ** at),
        });
        this.elements = new Slider({
            label: "Elements", min: -2, max: 2, step: 0.05, text: (at) => this.#elementsText(2 ** at),
            commit: edit("elements", (at) => 2 ** at),
        });
        this.damping = new Slider({
            label: "Damping", min: OFF_DAMPING, max: 0, step: 0.05,
            text: (at) => (at <= OFF_DAMPING ? "off" : formatUnit(10 ** at, "s")), commit: edit("damping", decade(OFF_DAMPING)),
        });
        this.#makeWorld(edit);
        this.#makeView();
    }

    #makeWorld(edit) {
        this.gravity = new Slider({
            label: "Gravity", min: 0, max: 20, step: 0.01, text: (at) => (at === 0 ? "off" : `${formatNumber(at)} m/s²`),
            commit: edit("gravity"),
        });
        this.contact = new Switch({ label: "Contact", commit: edit("contact") });
        this.friction = new Slider({
            label: "Friction", min: 0, max: 1.5, step: 0.01,
            text: (at) => (this.#frictionKnown() || at !== this.friction.own ? formatNumber(at, 2) : "by material"),
            commit: edit("friction"),
        });
        this.drag = new Slider({
            label: "Air drag", min: OFF_DRAG, max: 1, step: 0.05,
            text: (at) => (at <= OFF_DRAG ? "as in the scene" : `+ ${formatNumber(10 ** at, 2)} N s/m²`),
            commit: edit("drag", decade(OFF_DRAG)),
        });
    }

    #makeView() {
        const show = (change) => (value) => {
            change(value);
            return ACCEPTED;
        };
        const words = (list) => list.map((value) => ({ value, text: value }));
        this.color = new Choice({
            label: "Colour", options: words(["rod", "tension", "energy"]), commit: show((value) => {
                this.stage.colorBy(value);
                this.#writeRange();
            }),
        });
        this.range = el("div", { class: "range", hidden: true });
        this.color.element.append(this.range);
        this.contacts = new Switch({ label: "Contacts", commit: show((on) => this.stage.showContacts(on)) });
        this.quality = new Choice({
            label: "Quality", options: words(["auto", "low", "high"]), commit: show((value) => this.stage.setQuality(value)),
        });
        this.color.set("rod");
        this.contacts.set(false);
        this.quality.set("auto");
        this.session.on("frame", () => this.range.hidden || this.#writeRange());
    }

    // What the colours stand for.
    #writeRange() {
        const range = this.stage.colorRange;
        this.range.hidden = !range;
        if (range) {
            this.range.dataset.map = this.stage.mode;
            const [low, high] = [range.low, range.high].map((end) => el("span", {}, formatUnit(end, range.unit)));
            this.range.replaceChildren(low, el("i", {}), high);
        }
    }

    // ---- what a position of a slider means for the rods at hand

    // The same of all entries the controls are about, or null if they differ.
    #common(valueOf) {
        const { edits, target } = this.session;
        const values = (target === ALL ? [...edits.rods.keys()] : [target]).map(valueOf);
        return values.every((value) => value === values[0]) && values[0] > 0 ? values[0] : null;
    }

    #ofInfo(member) {
        return this.#common((entry) => this.session.edits.infoOf(entry)?.[member]);
    }

    #radiusText(factor) {
        const radius = this.#ofInfo("radius");
        return radius === null ? `× ${formatNumber(factor)}` : `${formatNumber(1000 * radius * factor)} mm`;
    }

    #stiffnessText(factor) {
        const young = this.#common((entry) => this.session.edits.youngOf(entry));
        return young === null ? `× ${formatNumber(factor)}` : formatUnit(young * factor, "Pa");
    }

    #elementsText(factor) {
        const elements = this.#ofInfo("elements");
        return elements === null ? `× ${formatNumber(factor)}` : String(Math.max(2, Math.round(elements * factor)));
    }

    #frictionKnown() {
        return Number.isFinite(this.session.edits.info?.friction ?? NaN) || this.session.edits.get("friction") !== undefined;
    }

    // ---- the controls follow the scene

    sync() {
        const { edits, target, info } = this.session;
        if (!info) {
            return;
        }
        this.#syncWhich();
        const rod = (target === ALL ? info.rods[0] : info.rods[this.session.rod]) ?? {};
        const same = (member) => target !== ALL || info.rods.every((each) => each[member] === rod[member]);
        this.model.set(same("model") ? rod.model : null);
        this.integrator.set(this.#integrator());
        this.radius.set(Math.log2(edits.get("radius", target) ?? 1), 0);
        this.stiffness.set(Math.log10(edits.get("stiffness", target) ?? 1), 0);
        this.elements.set(Math.log2(edits.get("elements", target) ?? 1), 0);
        const toDamping = position(OFF_DAMPING);
        const own = toDamping(edits.dampingOf(target));
        this.damping.set(edits.get("damping", target) === undefined ? own : toDamping(edits.get("damping", target)), own);
        this.#syncWorld(edits);
        this.#syncObstacles(edits, target);
        this.twist.sync();
    }

    // Which controls are greyed out, and why.
    #syncObstacles(edits, target) {
        this.unreadable.hidden = edits.readable;
        this.unreadable.textContent = edits.readable ? "" : edits.obstacle("model", target);
        for (const key of ["model", "integrator", "radius", "stiffness", "elements", "damping", "gravity", "contact", "friction", "drag"]) {
            this[key].setObstacle(edits.obstacle(key, target), edits.readable ? null : this.unreadable);
            this[key].setFault("");
        }
        const contact = edits.get("contact") ?? edits.contactOn;
        if (!contact && edits.readable) {
            this.friction.setObstacle("Turn contact on first.");
        }
    }

    // By its name in the scene: what the engine tells is only whether it is explicit.
    #integrator() {
        const { edits, target } = this.session;
        const entries = target === ALL ? [...edits.rods.keys()] : [target];
        const names = entries.map((entry) => edits.get("integrator", entry) ?? edits.rods[entry].integrator ?? "verlet");
        return names.every((name) => name === names[0]) ? names[0] : "";
    }

    #syncWhich() {
        const { edits, target } = this.session;
        this.which.element.hidden = edits.rods.length < 2;
        const all = { value: ALL, text: `All ${edits.rods.length}` };
        this.which.setOptions([all, ...edits.rods.map((_, i) => ({ value: i, text: edits.nameOf(i) }))]);
        this.which.set(target);
    }

    #syncWorld(edits) {
        this.gravity.set(edits.get("gravity") ?? edits.gravity, edits.gravity);
        this.contact.set(edits.get("contact") ?? edits.contactOn);
        const friction = edits.info.friction ?? NaN;
        const own = Number.isFinite(friction) ? friction : 0.3;
        this.friction.set(edits.get("friction") ?? own, own);
        this.drag.set(position(OFF_DRAG)(edits.get("drag") ?? 0), OFF_DRAG);
    }
}
