// What the controls change in a scene, as settings of it. A scene can say the same thing in many ways: a radius as a disc, a tube or
// stations along the rod; a stiffness by a material of its own, by one that comes with Cordage, or by numbers. So most controls are
// factors on what the scene has, whatever that is.

export const MODELS = ["der", "corde", "pbd", "modal"];
export const INTEGRATORS = ["verlet", "symplectic_euler", "implicit", "backward_euler"];
export const ALL = -1; // target of an edit: every entry of `rods`, else its index

const MODULI = ["young", "bend_modulus", "twist_modulus", "stretch_modulus"];
const EARTH = 9.81; // m/s^2, where a scene without gravity is given some

const object = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : null);
const list = (value) => (Array.isArray(value) ? value : []);
const round = (value) => Number(value.toPrecision(6)); // keeps links short

// A knot by name turns contact on, as keep_knot of src/scene/read_rod.c does.
function isKnot(rod) {
    const shape = object(object(rod)?.shape) ?? {};
    const torus = object(shape.torus_knot);
    const tied = object(shape.knot) !== null || (torus !== null && Math.abs(torus.p) > 1 && Math.abs(torus.q) > 1);
    return tied && rod.contact !== false && rod.model !== "modal";
}

// A number, or a list of numbers or of lists, times a factor.
function scaled(value, factor) {
    if (Array.isArray(value)) {
        return value.map((part) => scaled(part, factor));
    }
    return typeof value === "number" ? round(value * factor) : value;
}

function scaledMembers(holder, keys, factor) {
    const out = { ...holder };
    for (const key of keys) {
        if (key in out) {
            out[key] = scaled(out[key], factor);
        }
    }
    return out;
}

// Every length of a section; areas and moments by their powers of it.
function scaledSection(section, factor) {
    if (Array.isArray(section.along)) {
        return { along: section.along.map((station) => ({ ...scaledSection(station, factor), at: station.at })) };
    }
    const out = {};
    for (const [kind, sizes] of Object.entries(section)) {
        if (!object(sizes)) {
            continue;
        }
        out[kind] = {};
        for (const [key, size] of Object.entries(sizes)) {
            const power = key === "area" ? 2 : /^(I1|I2|J)$/.test(key) ? 4 : 1;
            out[kind][key] = scaled(size, factor ** power);
        }
    }
    return out;
}

function scaledStiffness(stiffness, factor) {
    const keys = ["bend", "bend_coupling", "twist", "stretch"];
    const out = scaledMembers(stiffness, keys, factor);
    if (Array.isArray(out.along)) {
        out.along = out.along.map((station) => scaledMembers(station, keys, factor));
    }
    return out;
}

// The edits of one open scene. Values are never changed in place: `with` gives a copy, so that a change that the engine refuses is
// just dropped.
export class Edits {
    #rod = new Map();   // key -> Map of target -> value
    #world = new Map(); // key -> value

    // `scene`: parsed, its settings applied, or null; `materials`: those that come with Cordage, name -> { young, ... };
    // `info`: what the engine says of the scene without these edits.
    constructor(scene, materials, info) {
        this.scene = scene ?? {};
        this.readable = scene !== null;
        this.materials = materials;
        this.info = info;
        this.rods = list(this.scene.rods).map((rod) => object(rod) ?? {});
    }

    with(key, target, value) {
        const copy = new Edits(this.readable ? this.scene : null, this.materials, this.info);
        copy.#rod = new Map([...this.#rod].map(([name, values]) => [name, new Map(values)]));
        copy.#world = new Map(this.#world);
        if (key in WORLD) {
            copy.#world.set(key, value);
        } else {
            const values = target === ALL ? new Map() : (copy.#rod.get(key) ?? new Map());
            values.set(target, value);
            copy.#rod.set(key, values);
        }
        return copy;
    }

    // What was set; undefined: nothing.
    get(key, target = ALL) {
        if (key in WORLD) {
            return this.#world.get(key);
        }
        const values = this.#rod.get(key);
        return values?.get(target) ?? values?.get(ALL);
    }

    nameOf(index) {
        return this.rods[index].name ?? `rod${index + 1}`;
    }

    // What the engine knows of an entry: its rod, or the first of its strands.
    infoOf(target) {
        const rods = this.info?.rods ?? [];
        if (target === ALL) {
            return rods[0];
        }
        const name = this.nameOf(target);
        return rods.find((rod) => rod.name === name) ?? rods.find((rod) => rod.name.startsWith(`${name}_`));
    }

    settings() {
        const out = [];
        for (const key of Object.keys(ROD)) {
            const values = this.rods.map((_, i) => this.get(key, i));
            if (values.some((value) => value !== undefined)) {
                out.push(...ROD[key](this, values));
            }
        }
        for (const [key, value] of this.#world) {
            out.push(...WORLD[key](this, value));
        }
        return out;
    }

    // Why a control has nothing to change; null: it has.
    obstacle(key, target) {
        if (!this.readable) {
            return "The scene's text could not be read here; edit the text instead.";
        }
        const chosen = target === ALL ? this.rods : [this.rods[target]];
        const networks = chosen.filter((rod) => ["network", "grid", "tree", "mesh"].some((kind) => rod.shape?.[kind]));
        if (key === "elements" && networks.length > 0) {
            return "A network's elements are its edges.";
        }
        if ((key === "model" || key === "integrator") && networks.length > 0) {
            return "A network has the model modal alone.";
        }
        if (key === "stiffness" && chosen.some((rod) => rod.preset)) {
            return "The rod's preset gives its stiffness.";
        }
        return null;
    }

    // Retardation time [s] that a rod has by its text.
    dampingOf(target) {
        const rod = this.rods[target === ALL ? 0 : target] ?? {};
        const damping = object(rod.damping);
        if (damping) {
            return damping.time ?? damping.ratio / (Math.PI * damping.frequency);
        }
        const material = this.materialOf(rod.material);
        return material?.viscosity > 0 ? material.viscosity / material.young : 0;
    }

    // A material as the scene writes it, over what comes with Cordage.
    materialOf(material) {
        if (object(material)) {
            return { ...this.materials.get(material.like), ...material };
        }
        const own = object(this.scene.materials?.[material]);
        return { ...this.materials.get(own?.like), ...this.materials.get(material), ...own };
    }

    // Young's modulus [Pa] by its material; null where the scene gives stiffnesses instead.
    youngOf(index) {
        const rod = this.rods[index] ?? {};
        return rod.preset || rod.stiffness?.bend !== undefined ? null : (this.materialOf(rod.material).young ?? null);
    }

    get gravity() {
        const vector = this.info?.gravity ?? [0, 0, -EARTH];
        return Math.hypot(...vector);
    }

    get contactOn() {
        const contact = this.scene.contact;
        return contact === undefined ? list(this.scene.obstacles).length > 0 || list(this.scene.rods).some(isKnot) : contact !== false;
    }
}

// The same setting for all rods is written once.
function forRods(values, member, write) {
    if (values.every((value) => value === values[0])) {
        return [`rods[*].${member}=${write(values[0])}`];
    }
    return values.flatMap((value, i) => (value === undefined ? [] : [`rods[${i}].${member}=${write(value)}`]));
}

function modelSettings(edits, values) {
    const out = forRods(values, "model", String);
    values.forEach((model, i) => {
        if (model === "modal" && edits.rods[i].inextensible) {
            out.push(`rods[${i}].inextensible=false`); // modal rods stretch
        }
    });
    return out;
}

function radiusSettings(edits, values) {
    return values.flatMap((factor, i) => {
        if (factor === undefined) {
            return [];
        }
        const rod = edits.rods[i];
        const section = object(rod.section) ?? { disc: { radius: edits.infoOf(i)?.radius ?? 0.005 } };
        const out = [`rods[${i}].section=${JSON.stringify(scaledSection(section, factor))}`];
        list(rod.parts).forEach((part, k) => {
            if (object(part?.section)) {
                out.push(`rods[${i}].parts[${k}].section=${JSON.stringify(scaledSection(part.section, factor))}`);
            }
        });
        return out;
    });
}

// A material that all its rods want alike is changed itself, so that pairs of materials keep their friction; else the rod gets
// one of its own.
function stiffnessSettings(edits, values) {
    const out = [];
    const wanted = new Map(); // name -> Set of factors
    values.forEach((factor, i) => {
        const rod = edits.rods[i];
        for (const name of [rod.material, ...list(rod.parts).map((part) => part?.material)]) {
            if (typeof name === "string") {
                wanted.set(name, (wanted.get(name) ?? new Set()).add(factor ?? 1));
            }
        }
        if (factor !== undefined && object(rod.stiffness)) {
            out.push(`rods[${i}].stiffness=${JSON.stringify(scaledStiffness(rod.stiffness, factor))}`);
        }
        if (factor !== undefined && object(rod.material)) {
            out.push(`rods[${i}].material=${JSON.stringify(stiffer(edits, rod.material, factor))}`);
        }
    });
    for (const [name, factors] of wanted) {
        if (factors.size === 1) {
            const own = object(edits.scene.materials?.[name]) ?? {};
            out.push(`materials[${name}]=${JSON.stringify({ ...own, ...moduli(edits.materialOf(name), [...factors][0]) })}`);
        }
    }
    values.forEach((factor, i) => {
        const name = edits.rods[i].material;
        if (factor !== undefined && typeof name === "string" && wanted.get(name).size > 1) {
            out.push(`rods[${i}].material=${JSON.stringify(stiffer(edits, name, factor))}`);
        }
    });
    return out;
}

function moduli(material, factor) {
    const out = {};
    for (const key of MODULI) {
        if (typeof material[key] === "number") {
            out[key] = round(material[key] * factor);
        }
    }
    return out;
}

function stiffer(edits, material, factor) {
    const whole = edits.materialOf(material);
    delete whole.name;
    delete whole.source;
    delete whole.like;
    return { ...whole, ...moduli(whole, factor) };
}

function elementSettings(edits, values) {
    return values.flatMap((factor, i) => {
        if (factor === undefined) {
            return [];
        }
        const now = edits.rods[i].elements ?? edits.infoOf(i)?.elements ?? 20;
        return [`rods[${i}].elements=${Math.max(edits.rods[i].closed ? 3 : 2, Math.round(now * factor))}`];
    });
}

const ROD = {
    model: modelSettings,
    integrator: (edits, values) => forRods(values, "integrator", String),
    radius: radiusSettings,
    stiffness: stiffnessSettings,
    elements: elementSettings,
    damping: (edits, values) => forRods(values, "damping", (time) => JSON.stringify({ time: round(time) })),
};

// Along the scene's own gravity, or down.
function gravitySettings(edits, size) {
    const vector = edits.info?.gravity ?? [0, 0, 0];
    const length = Math.hypot(...vector);
    const direction = length > 0 ? vector.map((part) => part / length) : [0, 0, -1];
    return [`gravity=${JSON.stringify(direction.map((part) => round(part * size) + 0))}`];
}

// Pairs of materials would go before the one coefficient, so they go.
function frictionSettings(edits, friction) {
    if (edits.get("contact") === false) {
        return [];
    }
    const contact = object(edits.scene.contact) ?? {};
    return [`contact=${JSON.stringify({ ...contact, pairs: undefined, friction: round(friction) })}`];
}

function contactSettings(edits, on) {
    if (!on) {
        return ["contact=false"];
    }
    return edits.get("friction") === undefined ? [`contact=${JSON.stringify(object(edits.scene.contact) ?? {})}`] : [];
}

// One more load, after those that the scene has.
function dragSettings(edits, drag) {
    const load = { drag: { along: round(drag), across: round(drag) } };
    return drag > 0 ? [`loads[${list(edits.scene.loads).length}]=${JSON.stringify(load)}`] : [];
}

const WORLD = {
    gravity: gravitySettings,
    friction: frictionSettings,
    contact: contactSettings,
    drag: dragSettings,
};
