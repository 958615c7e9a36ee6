// The pointer on the scene drags, pins and twists ropes. Beside ropes it moves the camera, which the stage does by itself.

import { byId, eachPicture } from "./dom.js";

const REACH = { mouse: 14, pen: 16, touch: 28 }; // distance from a rope within which the pointer takes it [pixels]
const DOUBLE_MS = 320;      // two taps within so long are a double one
const STILL_PX = 8;         // a press that moves less is a tap
const WHEEL_TURN = 1 / 24;  // turns for one notch of the wheel
const WHEEL_NOTCH = 100;    // pixels that browsers report for it
const WHEEL_WAY = 0.012;    // of the distance from the eye, that a notch leads the hand away by
const END_SHARE = 0.34;     // the wheel twists an end if the pointer is within so much of the rod's length of it

export class Hand {
    tool = "drag";
    #press = null;   // on a rope: { pointer, rod, node, start, moved, holds, pinned }
    #pointer = null; // where a mouse rests on the scene: its last event
    #tap = null;     // the last tap on a rope: { rod, node, when }

    // `onLook`: the pointer leads the camera
    constructor(canvas, session, stage, hold, twist, onLook) {
        this.onLook = onLook;
        this.canvas = canvas;
        this.session = session;
        this.stage = stage;
        this.hold = hold;
        this.twist = twist;
        this.search = eachPicture((event) => this.#press ?? this.#setHover(this.#pick(event)));
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
        session.on("state", () => session.mode === "player" && (this.#end(), this.#setHover(null)));
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

    #down(event) {
        if (this.#press) {
            return;
        }
        const hit = event.button === 0 && this.tool !== "orbit" ? this.#pick(event) : null;
        if (!hit) {
            this.onLook();
            return;
        }
        this.stage.controlsEnabled = false;
        this.canvas.setPointerCapture(event.pointerId);
        const near = this.#nearbyPin(hit), holds = this.tool === "drag";
        const press = {
            pointer: event.pointerId, rod: hit.rod, node: near ?? hit.node, start: [event.clientX, event.clientY], moved: false, holds,
            pinned: near !== null,
        };
        this.#press = press;
        this.#setHover(holds ? null : press);
        if (holds) {
            this.hold.take(press, hit.point, this);
        }
    }

    // A press within two nodes of a pin means the pin.
    #nearbyPin(hit) {
        const pins = this.hold.pins.filter((pin) => pin.rod === hit.rod && Math.abs(pin.node - hit.node) <= 2);
        pins.sort((a, b) => Math.abs(a.node - hit.node) - Math.abs(b.node - hit.node));
        return pins[0]?.node ?? null;
    }

    #move(event) {
        const press = this.#press;
        if (!press) {
            this.#lookFor(event);
            return;
        }
        if (event.pointerId !== press.pointer) {
            return;
        }
        const [x, y] = press.start, { grip } = this.hold;
        press.moved ||= Math.hypot(event.clientX - x, event.clientY - y) > STILL_PX;
        if (grip?.by === this) {
            this.hold.lead(this.stage.dragPoint(event.clientX, event.clientY, grip.target));
        }
    }

    #lookFor(event) {
        if (event.pointerType === "touch" || event.buttons !== 0 || this.tool === "orbit") {
            return;
        }
        this.#pointer = event;
        this.search(event);
    }

    #setHover(hit) {
        this.hold.setRing(hit, this);
        this.canvas.classList.toggle("over", Boolean(hit));
    }

    #up(event) {
        const press = this.#press;
        if (!press || event.pointerId !== press.pointer) {
            return;
        }
        const cancelled = event.type === "pointercancel", tapped = !press.moved && !cancelled;
        const toggles = tapped && (!press.holds || this.#isSecondTap(press) || event.shiftKey);
        if (this.hold.grip?.by === this) {
            this.hold.letGo(toggles ? !press.pinned : press.pinned || (event.shiftKey && !cancelled));
        } else if (toggles && !press.holds) {
            this.hold.setPin(press, !press.pinned);
        }
        this.#end();
        if (tapped) {
            this.hold.choose(press.rod);
        }
    }

    // The pointer has let go, or the rope is gone.
    #end() {
        this.#press = null;
        this.stage.controlsEnabled = true;
    }

    #isSecondTap(press) {
        const last = this.#tap;
        const now = performance.now();
        this.#tap = { rod: press.rod, node: press.node, when: now };
        const second = last !== null && now - last.when < DOUBLE_MS && last.rod === press.rod && Math.abs(last.node - press.node) <= 2;
        if (second) {
            this.#tap = null;
        }
        return second;
    }

    // The key P pins or unpins the node that the ring is on; without a ring it changes the tool.
    pin() {
        const { ring } = this.hold;
        if (ring) {
            this.hold.setPin(ring, !this.hold.isPinned(ring));
        } else {
            this.setTool(this.tool === "pin" ? "drag" : "pin");
        }
    }

    // ---- the wheel

    #wheel(event) {
        const notches = (event.deltaY || event.deltaX) / (event.deltaMode === 0 ? WHEEL_NOTCH : 3);
        if (this.hold.grip?.by === this) { // even if the pointer is over a part of the page that lies on the scene
            this.#push(event, -notches);
        } else if (event.target !== this.canvas) {
            return;
        } else if (event.altKey) {
            this.#twist(event, -notches);
        } else {
            this.onLook();
        }
    }

    // Moves what is held away from the viewer, or nearer, along the pointer's line of sight: behind a rope, through a loop.
    #push(event, notches) {
        event.preventDefault();
        event.stopPropagation();
        this.#press.moved = true;
        const there = this.stage.moved(this.hold.grip.target, [0, 0, notches * WHEEL_WAY * this.stage.distanceOf(this.hold.grip.target)]);
        this.hold.lead(this.stage.dragPoint(event.clientX, event.clientY, there));
    }

    #twist(event, notches) {
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
            this.twist.turnBy(hit.rod, end, notches * WHEEL_TURN);
        }
    }

    // Ropes move under a pointer that rests: the ring follows.
    #frame() {
        if (this.hold.ringOf === this && !this.#press) {
            this.#setHover(this.#pointer ? this.#pick(this.#pointer) : null);
        }
    }
}
