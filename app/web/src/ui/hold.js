// What the user holds, by pointer or keys. It tells the engine's hand where to pull, puts a pin back whose node was taken, and shows and
// says what is held and with which force. The ring marks the node of a rope that a key or a click would take.

import { byId, debounce, eachPicture, formatUnit } from "./dom.js";
import { Events } from "./events.js";

const SAY_MS = 400; // words are said once things have been quiet for so long

// Emits "taken" when a node is taken.
export class Hold extends Events {
    grip = null;     // { rod, node, target, by, repin, led }; by: who leads it; repin: a pin held it, and does again when it is let go
    ring = null;     // { rod, node }
    ringOf = null;   // who has put it there
    #label = byId("force");
    #voice = byId("voice");
    #lead;
    #say;
    #pinning = null; // { rod, node, words }: a pin that was asked for, and what to say once it is there

    constructor(canvas, session, stage) {
        super();
        this.canvas = canvas;
        this.session = session;
        this.stage = stage;
        this.#lead = eachPicture(() => this.grip && this.#send("drag", { target: this.grip.target }));
        this.#say = debounce((words) => (this.#voice.textContent = words()), SAY_MS);
        session.on("frame", () => this.#frame());
        session.on("state", () => session.mode === "player" && this.forget());
        session.on("reset", () => this.forget());
        session.on("opened", ({ keep }) => keep || this.forget());
        session.client.on("refused", (message) => this.#refused(message));
    }

    #send(type, fields) {
        this.session.client.send(type, fields);
    }

    // ---- the ring

    // Puts the ring on a place for `by`, who has it until another one moves it. A place of null removes the ring that `by` has put there.
    setRing(place, by) {
        if (place || this.ringOf === by) {
            this.ring = place && { rod: place.rod, node: place.node };
            this.ringOf = place ? by : null;
            this.stage.setHover(this.ring);
        }
    }

    // Chooses the rope that the controls change, where there are several.
    choose(rod) {
        const { session } = this, entry = session.entryOf(rod);
        if (session.edits.rods.length > 1 && entry >= 0 && entry !== session.target) {
            session.setTarget(entry);
        }
    }

    // ---- pins

    get pins() {
        return this.session.live?.pins ?? [];
    }

    isPinned({ rod, node }) {
        return this.pins.some((pin) => pin.rod === rod && pin.node === node);
    }

    setPin({ rod, node }, on) {
        this.#send(on ? "pin" : "unpin", { rod, node });
        if (on) {
            this.#pinning = { rod, node, words: "Pinned." };
        } else {
            this.say(() => "Not pinned.");
        }
    }

    // ---- taking, leading, letting go

    take({ rod, node }, target, by) {
        this.drop();
        this.#pinning = null; // only what is taken now is spoken of
        const repin = this.isPinned({ rod, node });
        if (repin) {
            this.#send("unpin", { rod, node });
        }
        this.#send("grab", { rod, node, target });
        this.grip = { rod, node, target, by, repin, led: false };
        this.canvas.classList.add("holding");
        this.emit("taken");
        this.say(() => `Holding ${this.nameOf(rod)}${this.#pull()}.`);
    }

    lead(target) {
        this.grip.target = target;
        this.grip.led = true;
        this.#lead();
        this.say(() => (this.grip ? `Holding ${this.nameOf(this.grip.rod)}${this.#pull()}.` : ""));
    }

    // Lets go of the node: with `pin` it stays on a pin where it is.
    letGo(pin) {
        const { rod, node, target, led } = this.grip;
        if (led) {
            this.#send("drag", { target }); // the last place, which the next picture would have sent
        }
        this.#send("release", { pin });
        this.forget();
        if (pin) {
            this.#pinning = { rod, node: this.session.live?.hand?.node ?? node, words: "Left on a pin." };
        } else {
            this.say(() => "Let go.");
        }
    }

    // Lets go; a node that was on a pin before is pinned again.
    drop() {
        if (this.grip) {
            this.letGo(this.grip.repin);
        }
    }

    // The engine refuses to pin a node that is held already, and may refuse to take one.
    #refused({ what, rod, node, text }) {
        const { grip } = this;
        if (what === "grab" && grip?.rod === rod && grip.node === node) {
            this.forget();
            grip.repin && this.#send("pin", { rod, node });
        }
        if (what === "grab" || what === "pin") {
            this.#pinning = null;
            this.say(() => text);
        }
    }

    // The engine's hand holds nothing any more.
    forget() {
        this.grip = null;
        this.#pinning = null;
        this.canvas.classList.remove("holding");
        this.#label.hidden = true;
        this.stage.setHand(null);
    }

    // ---- what is told

    // Says a sentence to screen readers; `words` makes it when it is due.
    say(words) {
        this.#say(words);
    }

    nameOf(rod) {
        return this.session.layout?.rods[rod]?.name || `rod ${rod + 1}`;
    }

    #pull() {
        const { hand } = this.session.live ?? {};
        return hand ? `, pulling with ${formatUnit(Math.hypot(...hand.force), "N", 2)}` : "";
    }

    #frame() {
        const { live, mode } = this.session;
        const shown = mode === "live" ? live : null;
        this.stage.setPins(shown?.pins ?? []);
        this.stage.setClamps(shown?.clamps ?? []);
        this.stage.setHand(shown?.hand ?? null);
        this.#showForce(shown?.hand ?? null);
        if (this.#pinning && this.isPinned(this.#pinning)) {
            const { words } = this.#pinning;
            this.#pinning = null;
            this.say(() => words);
        }
    }

    #showForce(hand) {
        const place = hand && this.stage.project(hand.target);
        this.#label.hidden = !place?.visible;
        if (place?.visible) {
            this.#label.textContent = formatUnit(Math.hypot(...hand.force), "N");
            const left = Math.min(place.x + 18, this.canvas.clientWidth - this.#label.offsetWidth - 8);
            const top = Math.max(8, place.y - 38);
            this.#label.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
        }
    }
}
