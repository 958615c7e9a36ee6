// The hand by keys: a ring moves along the ropes, and keys take, lead and let go of the node it is on, or leave it on a pin.

import { clamp } from "./dom.js";

const STEP = 0.01; // of the size of what is on the stage, that a press leads the hand by
const FAST = 5;    // times as far with Shift
const FAR = 0.1;   // of the rod, that the ring goes by with Shift

const WAYS = { // right, up, away
    ArrowRight: [1, 0, 0], ArrowLeft: [-1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageUp: [0, 0, 1], PageDown: [0, 0, -1],
};

export const KEY_HAND_HELP = [
    [", .", "ring back and on along the rope; with Shift by a tenth of it"],
    ["Home End", "ring to the rope's ends"],
    ["N", "the next rope; with Shift the one before"],
    ["Enter", "take hold where the ring is; let go"],
    ["Shift Enter", "let go, and leave it on a pin; so does P"],
    ["← ↑ → ↓", "lead what is held; with Shift faster"],
    ["Page ↑ ↓", "lead it away from you, towards you"],
    ["Esc", "let go as it was; take the ring away"],
];

// Reads the sign on the key. Where Shift changes the sign, it reads the key's place: some layouts have < and others ; on the comma key.
function alongOf({ key, code, shiftKey }) {
    if (key === "," || key === ".") {
        return { way: key === "," ? -1 : 1, far: false };
    }
    const way = { Comma: -1, Period: 1 }[code];
    return shiftKey && way ? { way, far: true } : null;
}

export class KeyHand {
    #place = null; // { rod, node }: where the ring was last
    #step = 0;     // [m]

    constructor(canvas, session, stage, hold) {
        Object.assign(this, { canvas, session, stage, hold });
        canvas.addEventListener("focus", () => this.#begin());
        canvas.addEventListener("blur", () => this.holds || hold.setRing(null, this));
        session.on("opened", ({ keep }) => keep || this.#forget());
        session.on("layout", () => this.#place ?? this.#begin()); // the first of a scene, whatever had the focus before
        session.on("frame", () => this.#follow());
    }

    // The ring is there as soon as keys have come to the scene.
    #begin() {
        if (this.canvas.matches(":focus-visible")) {
            this.#show();
        }
    }

    get holds() {
        return this.hold.grip?.by === this;
    }

    // Returns whether the key was for the hand. Keys that move the ring or end a hold work wherever the focus is; the others work while the
    // scene has it.
    key(event) {
        if (this.session.mode !== "live" || !this.session.layout?.rods.length) {
            return false;
        }
        return this.#choose(event) || this.#finish(event) || (event.target === this.canvas && this.#work(event));
    }

    // ---- where the ring is

    // The place of the ring, whoever has put it there; else its last place; else the middle of the rope that the controls change.
    #here() {
        const { rods } = this.session.layout, place = this.hold.ring ?? this.#place;
        const rod = clamp(place?.rod ?? this.session.rod, 0, rods.length - 1), last = rods[rod].nodeCount - 1;
        return { rod, node: clamp(place ? place.node : last >> 1, 0, last) };
    }

    #show(place = null) {
        if (this.session.mode === "live" && this.session.layout?.rods.length) {
            this.#place = place ?? this.#here();
            this.hold.setRing(this.#place, this);
            this.hold.say(() => this.#words());
        }
    }

    #words() {
        const { rod, node } = this.#here(), { nodeCount } = this.session.layout.rods[rod];
        const state = this.hold.isPinned({ rod, node }) ? ", pinned" : "";
        return `${this.hold.nameOf(rod)}, node ${node + 1} of ${nodeCount}${state}`;
    }

    #forget() {
        this.#place = null;
        this.hold.setRing(null, this);
    }

    // Adaptive rods renumber their nodes: the ring follows the node that is held.
    #follow() {
        const hand = this.holds ? this.session.live.hand : null;
        if (hand && hand.node !== this.#place.node) {
            this.#place = { rod: hand.rod, node: hand.node };
            this.hold.setRing(this.#place, this);
        }
    }

    // ---- keys

    #choose(event) {
        const along = alongOf(event), next = event.key.toLowerCase() === "n";
        if ((!along && !next) || this.holds) {
            return false;
        }
        this.canvas.focus({ preventScroll: true });
        if (along) {
            this.#goAlong(along);
        } else if (!event.repeat) {
            this.#goToRod(event.shiftKey ? -1 : 1);
        }
        return true;
    }

    #goAlong({ way, far }) {
        const { rod, node } = this.#here(), { nodeCount, closed } = this.session.layout.rods[rod];
        const to = node + way * (far ? Math.max(1, Math.round(FAR * nodeCount)) : 1);
        this.#show({ rod, node: closed ? (to + nodeCount) % nodeCount : clamp(to, 0, nodeCount - 1) });
    }

    #goToRod(way) {
        const { rods } = this.session.layout, rod = (this.#here().rod + way + rods.length) % rods.length;
        this.#show({ rod, node: (rods[rod].nodeCount - 1) >> 1 });
        this.hold.choose(rod);
    }

    #finish({ key }) {
        if (key === "Escape" && this.holds) {
            this.hold.drop();
        } else if (key === "Escape" && this.hold.ringOf === this) {
            this.hold.setRing(null, this);
        } else if (key.toLowerCase() === "p" && this.holds) {
            this.hold.letGo(true);
        } else {
            return false;
        }
        return true;
    }

    #work(event) {
        if (event.key === "Enter") {
            event.repeat || this.#grasp(event.shiftKey);
        } else if (WAYS[event.key] && this.holds) {
            const far = this.#step * (event.shiftKey ? FAST : 1);
            this.hold.lead(this.stage.moved(this.hold.grip.target, WAYS[event.key].map((part) => part * far)));
        } else if (event.key === "Home" || event.key === "End") {
            this.#goToEnd(event.key === "End");
        } else {
            return false;
        }
        return true;
    }

    #goToEnd(last) {
        const { rod } = this.#here();
        if (!this.holds) {
            this.#show({ rod, node: last ? this.session.layout.rods[rod].nodeCount - 1 : 0 });
        }
    }

    #grasp(pin) {
        if (this.holds) {
            this.hold.letGo(pin || this.hold.grip.repin);
            return;
        }
        this.#show();
        const { rod, node } = this.#place, at = 3 * (this.session.layout.rods[rod].firstNode + node);
        this.#step = STEP * this.stage.size;
        this.hold.take(this.#place, Array.from(this.session.frame.x.subarray(at, at + 3)), this);
    }
}
