// The bar at the bottom: play, step, reset, speed, and how fast the engine is; for a recording a scrub bar in place of some of it.

import { el, formatNumber, formatUnit, iconButton, setIcon } from "./dom.js";

const SLOW = 0.95; // the engine counts as keeping up if it reaches so much of the speed that was asked for
const EASE = 0.15; // of the figures, which would flicker otherwise

function button(name, label, key, onclick) {
    return iconButton(name, label, onclick, { title: `${label} (${key})` });
}

function speedText(speed) {
    return `${formatNumber(speed, speed < 1 ? 1 : 2).replace(/\.0$/, "")}×`;
}

export class Transport {
    #factor = NaN;
    #cost = NaN;

    constructor(element, session, player, recorder) {
        this.session = session;
        this.player = player;
        this.recorder = recorder;
        this.play = button("play", "Play", "Space", () => this.toggle());
        this.play.classList.add("main");
        this.reset = button("reset", "Back to the beginning", "R", () => this.restart());
        this.back = button("back", "One frame back", "←", () => this.stepBy(-1));
        this.step = button("step", "One frame on", "→", () => this.stepBy(1));
        this.loop = button("loop", "Play again and again", "L", () => this.toggleLoop());
        this.time = el("output", { class: "time", "aria-label": "Time", role: "timer" }, "0.00 s");
        this.figures = el("p", { class: "figures", title: "How fast the engine is beside real time, and what one step costs" });
        this.scrub = el("input", { type: "range", class: "scrub", min: 0, max: 0, step: 1, value: 0, "aria-label": "Frame" });
        this.live = el("button", { type: "button", class: "small", onclick: () => this.onRunLive() }, "Run live");
        this.record = iconButton("record", "Record", () => recorder.toggle(), { class: "plain record" });
        this.recorded = el("output", { class: "recorded", "aria-label": "Recorded", "aria-live": "off" }); // it changes with every frame
        this.onRunLive = () => {};
        element.append(
            el("div", { class: "buttons" }, this.reset, this.back, this.play, this.step, this.loop),
            this.scrub, el("div", { class: "clock" }, this.time, this.figures), this.#speedField(),
            el("div", { class: "buttons" }, this.live, this.record, this.recorded),
        );
        this.element = element;
        this.scrub.addEventListener("input", () => player.seek(Number(this.scrub.value)));
        session.on("state", () => this.sync());
        session.on("frame", (frame) => this.#frame(frame));
        session.on("pace", (pace) => this.#pace(pace));
        session.on("opened", ({ keep }) => keep || this.#forget());
        recorder.on("changed", () => this.#recorder());
        this.sync();
    }

    #speedField() {
        this.speed = el("input", { id: "speed", type: "range", min: -1, max: Math.log10(4), step: 0.001, value: 0, "aria-label": "Speed" });
        this.speedValue = el("button", {
            type: "button", class: "value", title: "Speed; click for real time", "aria-label": "1× (real time)",
            onclick: () => this.setSpeed(1),
        }, "1×");
        this.speed.addEventListener("input", () => {
            const at = Number(this.speed.value);
            this.setSpeed(Math.abs(at) < 0.06 ? 1 : 10 ** at); // a notch at real time
        });
        return el("div", { class: "speed" }, this.speed, this.speedValue);
    }

    setSpeed(factor) {
        this.session.setSpeed(Number(factor.toPrecision(2)));
    }

    // ---- what the keyboard does as well

    toggle() {
        const on = !this.session.playing;
        if (this.session.mode === "player") {
            this.player.play(on);
        } else {
            this.session.play(on);
        }
    }

    stepBy(frames) {
        if (this.session.mode === "player") {
            this.player.play(false);
            this.player.seek(this.player.index + frames);
        } else if (frames > 0) {
            this.session.step();
        }
    }

    toggleLoop() {
        if (this.session.mode === "player") {
            this.player.loop = !this.player.loop;
            this.sync();
        }
    }

    restart() {
        if (this.session.mode === "player") {
            this.player.seek(0);
        } else {
            this.session.reset();
        }
    }

    // ---- what it shows

    sync() {
        const { playing, mode, speed } = this.session;
        const player = mode === "player";
        this.element.classList.toggle("player", player);
        setIcon(this.play.firstChild, playing ? "pause" : "play");
        this.play.setAttribute("aria-label", playing ? "Pause" : "Play");
        this.play.title = `${playing ? "Pause" : "Play"} (Space)`;
        for (const node of [this.back, this.loop, this.scrub]) {
            node.hidden = !player;
        }
        this.live.hidden = !(player && this.player.reel?.scene);
        this.record.hidden = player;
        this.recorded.hidden = player;
        this.figures.hidden = player;
        this.loop.setAttribute("aria-pressed", this.player.loop);
        this.speed.value = Math.log10(speed);
        this.speed.style.setProperty("--share", `${(100 * (Math.log10(speed) + 1)) / (1 + Math.log10(4))}%`);
        this.speed.setAttribute("aria-valuetext", `${speed} times real time`);
        this.speedValue.textContent = speedText(speed);
        this.scrub.max = Math.max(0, (this.player.reel?.count ?? 1) - 1);
    }

    #frame(frame) {
        this.time.textContent = `${frame.time.toFixed(2)} s`;
        if (this.session.mode === "player") {
            this.scrub.value = this.player.index;
            this.scrub.setAttribute("aria-valuetext", `${frame.time.toFixed(3)} seconds`);
            this.scrub.style.setProperty("--share", `${(100 * this.player.index) / Math.max(1, this.player.reel.count - 1)}%`);
        }
    }

    #forget() {
        this.#factor = NaN;
        this.#cost = NaN;
    }

    #pace(pace) {
        const ease = (old, now) => (Number.isFinite(old) ? old + EASE * (now - old) : now);
        if (pace.factor > 0) {
            this.#factor = ease(this.#factor, pace.factor);
        }
        if (pace.perStepMs > 0) {
            this.#cost = ease(this.#cost, pace.perStepMs);
        }
        const factor = Number.isFinite(this.#factor) ? `${formatNumber(this.#factor, this.#factor < 0.095 ? 3 : 2)}× real time` : "";
        const cost = Number.isFinite(this.#cost) ? `${formatUnit(this.#cost / 1000, "s", 2)} a step` : "";
        this.figures.replaceChildren(el("b", {}, factor), el("span", {}, cost));
        this.figures.classList.toggle("slow", this.#factor < SLOW * this.session.speed);
    }

    #recorder() {
        const on = this.recorder.running;
        this.record.classList.toggle("on", on);
        this.record.setAttribute("aria-label", on ? "Stop recording" : "Record");
        this.record.title = on ? "Stop and save" : "Record";
        setIcon(this.record.firstChild, on ? "stop" : "record");
        this.recorded.textContent = on ? this.recorder.words : "";
    }
}
