// The pointer on the scene: a rope is dragged, pinned and twisted; beside ropes the camera is led, which is the stage's own business.

import { planesOf } from "../stage/ground.js";
import { byId, formatUnit } from "./dom.js";

const REACH = { mouse: 14, pen: 16, touch: 28 }; // pixels from a rope at which it is still meant
const DOUBLE_MS = 320;      // two taps within so long are a double one
const STILL_PX = 8;         // a press that moves less is a tap
const WHEEL_TURN = 1 / 24;  // turns for one notch of the wheel
const WHEEL_NOTCH = 100;    // pixels that browsers report for it
const END_SHARE = 0.34;     // the wheel twists an end if the pointer is within so much of the rod's length of it

export class Hand {
    tool = "drag";
    #grip = null;  // what is held: { pointer, rod, node, through, start, moved, repin }
    #hover = null;
    #pointer = null; // where a mouse rests on the scene: its last event
    #tap = null;   // the last tap on a rope: { rod, node, when }
    #pending = null;
    #label = byId("force");

    // `onLook`: the pointer leads the camera
    constructor(canvas, session, stage, twist, onLook) {
        this.onLook = onLook;
        this.canvas = canvas;
        this.session = session;
        this.stage = stage;
        this.twist = twist;
        // In the capture phase of the window, so that the camera's own listener comes later and can be told to stay still.
        window.addEventListener("pointerdown", (event) => event.target === canvas && this.#down(event), { capture: true });
        canvas.addEventListener("pointermove", (event) => this.#move(event));
        canvas.addEventListener("pointerup", (event) => this.#up(event));
        canvas.addEventListener("pointercancel", (event) => this.#up(event));
        canvas.addEventListener("pointerleave", () => {
            this.#pointer = null;
            this.#setHover(null);
        });
        canvas.addEventListener("lostpointercapture", (event) => this.#up(event));
        window.addEventListener("wheel", (event) => this.#wheel(event), { capture: true, passive: false });
        session.on("frame", () => this.#frame());
        session.on("state", () => session.mode === "player" && this.drop());
        for (const button of this.#buttons()) {
            button.addEventListener("click", () => this.setTool(button.dataset.tool));
            button.addEventListener("keydown", (event) => this.#nextTool(event));
        }
    }

    #buttons() {
        return [...byId("tools").querySelectorAll("[data-tool]")];
    }

    // Arrows go from one tool to the next, as among radio buttons.
    #nextTool(event) {
        const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
        if (step) {
            event.preventDefault();
            event.stopPropagation();
            const buttons = this.#buttons();
            const next = buttons[(buttons.indexOf(event.currentTarget) + step + buttons.length) % buttons.length];
            this.setTool(next.dataset.tool);
            next.focus();
        }
    }

    setTool(tool) {
        this.tool = tool;
        for (const button of this.#buttons()) {
            button.setAttribute("aria-checked", button.dataset.tool === tool);
            button.tabIndex = button.dataset.tool === tool ? 0 : -1;
        }
        this.canvas.dataset.tool = tool;
        this.#setHover(null);
    }

    // ---- pressing, moving, letting go

    #pick(event) {
        return this.session.mode === "live" ? this.stage.pick(event.clientX, event.clientY, REACH[event.pointerType] ?? REACH.mouse) : null;
    }

    #pinAt(rod, node) {
        return (this.session.live?.pins ?? []).some((pin) => pin.rod === rod && pin.node === node);
    }

    #down(event) {
        if (this.#grip) {
            return;
        }
        const hit = event.button === 0 && this.tool !== "orbit" ? this.#pick(event) : null;
        if (!hit) {
            this.onLook();
            return;
        }
        this.stage.controlsEnabled = false;
        this.canvas.setPointerCapture(event.pointerId);
        const near = this.#nearbyPin(hit);
        const grip = {
            pointer: event.pointerId, rod: hit.rod, node: near ?? hit.node, through: hit.point, start: [event.clientX, event.clientY],
            moved: false, held: false, repin: near !== null,
        };
        this.#grip = grip;
        this.#setHover(this.tool === "pin" ? grip : null);
        if (this.tool === "drag") {
            this.#grab(grip);
        }
    }

    // A pin within a node or two of where the rope was touched is what was meant.
    #nearbyPin(hit) {
        const pins = (this.session.live?.pins ?? []).filter((pin) => pin.rod === hit.rod && Math.abs(pin.node - hit.node) <= 2);
        pins.sort((a, b) => Math.abs(a.node - hit.node) - Math.abs(b.node - hit.node));
        return pins[0]?.node ?? null;
    }

    // Takes the rope where it is touched; one that is pinned there is held by its pin again when it is let go.
    #grab(grip) {
        if (grip.repin) {
            this.session.client.send("unpin", { rod: grip.rod, node: grip.node });
        }
        this.session.client.send("grab", { rod: grip.rod, node: grip.node, target: grip.through });
        grip.held = true;
        this.canvas.classList.add("holding");
    }

    #move(event) {
        const grip = this.#grip;
        if (!grip) {
            this.#lookFor(event);
            return;
        }
        if (event.pointerId !== grip.pointer) {
            return;
        }
        const [x, y] = grip.start;
        grip.moved ||= Math.hypot(event.clientX - x, event.clientY - y) > STILL_PX;
        if (grip.held) {
            grip.through = this.#targetAt(event.clientX, event.clientY, grip.through);
            this.#later(() => this.#grip === grip && this.session.client.send("drag", { target: grip.through }));
        }
    }

    // Where the pointer drags to: in the plane through the last target that faces the camera, but along a floor rather than into it.
    #targetAt(x, y, through) {
        const { stage } = this;
        const point = stage.dragPoint(x, y, through);
        const { floor } = planesOf(this.session.frame, stage.solids.planes);
        if (floor === null || point[2] >= floor) {
            return point;
        }
        const higher = stage.dragPoint(x, y, [through[0], through[1], through[2] + 1]); // on the same ray
        const rise = higher[2] - point[2];
        const share = (floor - point[2]) / rise;
        return Math.abs(rise) > 1e-9 && share > 0 ? point.map((part, k) => part + share * (higher[k] - part)) : [point[0], point[1], floor];
    }

    // At most one message and one search for each picture.
    #later(work) {
        const waiting = this.#pending !== null;
        this.#pending = work;
        if (!waiting) {
            requestAnimationFrame(() => {
                const last = this.#pending;
                this.#pending = null;
                last?.();
            });
        }
    }

    #lookFor(event) {
        if (event.pointerType === "touch" || event.buttons !== 0 || this.tool === "orbit") {
            return;
        }
        this.#pointer = event;
        this.#later(() => this.#grip ?? this.#setHover(this.#pick(event)));
    }

    #setHover(hit) {
        if (!hit && !this.#hover) {
            return;
        }
        this.#hover = hit && { rod: hit.rod, node: hit.node };
        this.stage.setHover(this.#hover);
        this.canvas.classList.toggle("over", Boolean(hit));
    }

    #up(event) {
        const grip = this.#grip;
        if (!grip || event.pointerId !== grip.pointer) {
            return;
        }
        this.#grip = null;
        this.stage.controlsEnabled = true;
        this.canvas.classList.remove("holding");
        const cancelled = event.type === "pointercancel";
        if (grip.held && grip.moved) {
            this.session.client.send("drag", { target: grip.through }); // where it was when it was let go, not one picture before
        }
        const doubled = !grip.moved && !cancelled && this.#isSecondTap(grip);
        const toggles = !cancelled && !grip.moved && (this.tool === "pin" || doubled || event.shiftKey);
        const pins = toggles ? !grip.repin : grip.repin || (event.shiftKey && !cancelled);
        this.#letGo(grip, pins);
        if (!grip.moved && !cancelled) {
            this.#choose(grip);
        }
    }

    #letGo(grip, pins) {
        const { client } = this.session;
        if (grip.held) {
            client.send("release", { pin: pins });
        } else if (pins) {
            client.send("pin", { rod: grip.rod, node: grip.node });
        } else {
            client.send("unpin", { rod: grip.rod, node: grip.node });
        }
        this.#label.hidden = true;
        this.stage.setHand(null);
    }

    #isSecondTap(grip) {
        const last = this.#tap;
        const now = performance.now();
        this.#tap = { rod: grip.rod, node: grip.node, when: now };
        const second = last !== null && now - last.when < DOUBLE_MS && last.rod === grip.rod && Math.abs(last.node - grip.node) <= 2;
        if (second) {
            this.#tap = null;
        }
        return second;
    }

    // A rope that was tapped is the one that controls are about, where there are several.
    #choose(grip) {
        const entry = this.session.entryOf(grip.rod);
        if (this.session.edits.rods.length > 1 && entry >= 0 && entry !== this.session.target) {
            this.session.setTarget(entry);
        }
    }

    // Whatever is held is let go.
    drop() {
        if (this.#grip) {
            const grip = this.#grip;
            this.#grip = null;
            this.stage.controlsEnabled = true;
            this.canvas.classList.remove("holding");
            this.#letGo(grip, grip.repin);
        }
        this.#setHover(null);
    }

    // The key: pins what is under the pointer, or unpins it; where nothing is, the tool is changed.
    pin() {
        const hover = this.#hover;
        if (hover) {
            this.session.client.send(this.#pinAt(hover.rod, hover.node) ? "unpin" : "pin", hover);
        } else {
            this.setTool(this.tool === "pin" ? "drag" : "pin");
        }
    }

    // ---- the wheel

    #wheel(event) {
        if (event.target !== this.canvas) {
            return;
        }
        if (!event.altKey) {
            this.onLook();
            return;
        }
        const hit = this.#pick(event);
        const rod = hit && this.session.layout.rods[hit.rod];
        if (!rod || rod.closed || rod.network) {
            return;
        }
        const share = hit.node / Math.max(1, rod.nodeCount - 1);
        const end = share < END_SHARE ? "start" : share > 1 - END_SHARE ? "end" : null;
        if (end) {
            event.preventDefault();
            event.stopPropagation();
            const notches = (event.deltaY || event.deltaX) / (event.deltaMode === 0 ? WHEEL_NOTCH : 3);
            this.twist.turnBy(hit.rod, end, -notches * WHEEL_TURN);
        }
    }

    // ---- what a frame says of the hand

    #frame() {
        const { live, mode } = this.session;
        if (mode !== "live" || !live) {
            this.stage.setHand(null);
            this.stage.setPins([]);
            this.stage.setClamps([]);
            this.#label.hidden = true;
            return;
        }
        this.stage.setPins(live.pins ?? []);
        this.stage.setClamps(live.clamps ?? []);
        this.stage.setHand(live.hand);
        this.#showForce(live.hand);
        if (this.#hover && !this.#grip) { // the rope moves on under a pointer that rests
            this.#setHover(this.#pointer ? this.#pick(this.#pointer) : null);
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
