// What is open: a scene that runs in the worker, or a recording that is played. Everything on the page follows its events:
//   "opened"  { keep }   another scene is running, or (keep) the same one with other settings
//   "recording" a Reel that is to be played in place of what runs
//   "reset"   the scene begins anew
//   "layout"  a decoded layout, whose bodies and obstacles have their `surface`; it holds for all frames until the next layout
//   "frame"   a decoded frame, just shown
//   "state"   playing, speed or mode has changed
//   "pace"    how fast the engine is
//   "stopped" { text, line }: a step failed; the line of the scene that has the reason, or 0
//   "busy"    whether a scene or a recording is being opened

import { decodeFrame, decodeLayout, Reel, solidKey } from "../reel.js";
import { ALL, Edits } from "./edits.js";
import { Events } from "./events.js";
import { firstComment, parseScene } from "./jsonc.js";
import { cameraOf } from "./scene_camera.js";
import { applySettings } from "./settings.js";

export class Session extends Events {
    mode = "live";       // or "player"
    playing = false;
    speed = 1;           // simulated seconds per second
    scene = null;        // { path, text, settings, files }, as it was opened
    info = null;         // what the engine says of it
    notes = [];          // warnings of the scene that runs
    edits = new Edits(null, new Map(), null);
    target = ALL;        // which entry of `rods` the controls are about
    layout = null;
    frame = null;
    live = null;         // the worker's last message of a frame of this scene: hand, pins, clamps, twists, pace
    payload = null;      // { layout, payload } of that frame, for recordings
    #client;
    #materials = new Map();
    #layoutBytes = null;
    #surfaces = new Map(); // key of a solid -> how it is drawn
    #queue = Promise.resolve();
    #tickets = new Map(); // key of a control -> the number of its last edit

    constructor(client) {
        super();
        this.#client = client;
        client.on("frame", (message) => this.#take(message));
        client.on("stopped", (message) => {
            this.#setPlaying(false);
            this.emit("stopped", message);
        });
    }

    get client() {
        return this.#client;
    }

    // Materials that come with Cordage: edits of stiffness start from them.
    async loadMaterials() {
        const answer = await this.#client.ask("materials");
        this.#materials = new Map((answer.ok ? answer.value : []).map((material) => [material.name, material]));
    }

    get settings() {
        return [...(this.scene?.settings ?? []), ...this.edits.settings()];
    }

    // The scene as it runs now, for links, recordings and the editor.
    get current() {
        return { ...this.scene, settings: this.settings, stem: this.stem };
    }

    get title() {
        const { path, named } = this.scene ?? {};
        return this.#ownTitle || (named ? path : this.scene ? "Untitled scene" : "Recording");
    }

    get #ownTitle() {
        const title = this.info?.title || parseScene(this.scene?.text ?? "")?.title;
        return typeof title === "string" ? title : "";
    }

    // The stem of the names of saved files: the scene's file, or its title if the text is no longer that of the file.
    get stem() {
        const { path = "recording", named = false } = this.scene ?? {};
        return named ? path : this.#ownTitle || path;
    }

    // Errors and warnings that reading a scene finds; nothing is run.
    async check(scene) {
        return (await this.#client.ask("check", { scene: { settings: [], ...scene } })).value ?? [];
    }

    // The state at the end of the scene if no hand is on it, which is the one that the program prints:
    // { ok, value: { hash, time, steps }, text }.
    finish() {
        return this.#client.ask("finish");
    }

    stopFinishing() {
        this.#client.send("finish", { id: null });
    }

    // The scene's camera; fields that it leaves open are null.
    get camera() {
        return this.info?.camera ?? cameraOf(this.scene);
    }

    get remark() {
        return this.scene ? firstComment(this.scene.text) : "";
    }

    // Opens a scene in place of the open one. Resolves with the engine's answer; if that is not ok, nothing changes.
    open(scene, { play = true } = {}) {
        return this.#next(() => this.#open(scene, play));
    }

    async #open(scene, play) {
        const whole = {
            path: scene.path || "scene.json", named: scene.named ?? false, text: scene.text, settings: scene.settings ?? [],
            files: scene.files ?? {},
        };
        const answer = await this.#askLong("open", { scene: whole, keep: false });
        if (!answer.ok) {
            return answer;
        }
        this.scene = whole;
        const parsed = parseScene(whole.text);
        this.#accept(answer, new Edits(parsed && applySettings(parsed, whole.settings), this.#materials, answer.info));
        this.target = ALL;
        this.mode = "live";
        this.live = this.payload = null;
        this.emit("opened", { keep: false });
        this.play(play);
        return answer;
    }

    // Opens a recording in place of what is open, once the engine has checked all of it in its sandbox. The answer is { ok, text }: what is
    // wrong with the recording. A recording without frames holds a scene, which is run; the answer is then the engine's, with that `scene`.
    openReel(bytes, { play = true } = {}) {
        return this.#next(async () => {
            const answer = await this.#askLong("reel", { bytes });
            if (!answer.ok) {
                return answer;
            }
            const reel = new Reel(bytes);
            this.#learn(answer.surfaces, true);
            if (reel.count > 0) {
                this.#leaveScene(reel.scene);
                this.emit("recording", reel);
                return answer;
            }
            if (!reel.scene) {
                return { ok: false, text: "it has no frames and no scene" };
            }
            return { ...(await this.#open(reel.scene, play)), scene: reel.scene };
        });
    }

    #askLong(type, fields) {
        this.emit("busy", true);
        return this.#client.ask(type, fields).finally(() => this.emit("busy", false));
    }

    // Changes one value of the running scene and keeps its shape and motion. An edit is dropped if the same control has made another since,
    // or if a recording has been opened meanwhile.
    edit(key, value) {
        const target = this.target;
        const ticket = (this.#tickets.get(key) ?? 0) + 1;
        this.#tickets.set(key, ticket);
        return this.#next(async () => {
            if (this.#tickets.get(key) !== ticket || !this.scene || this.mode !== "live") {
                return { ok: true, notes: [] };
            }
            const edits = this.edits.with(key, target, value);
            const scene = { ...this.scene, settings: [...this.scene.settings, ...edits.settings()] };
            const answer = await this.#client.ask("open", { scene, keep: true });
            if (answer.ok) {
                this.#accept(answer, edits);
                this.emit("opened", { keep: true });
            }
            return answer;
        });
    }

    // Does one piece of work after the other, so that an answer belongs to the scene it was asked for.
    #next(work) {
        const result = this.#queue.then(work);
        this.#queue = result.catch(() => {});
        return result;
    }

    #accept(answer, edits) {
        this.info = answer.info;
        this.notes = answer.notes;
        this.edits = edits;
    }

    // A rod's number -> the entry of `rods` it comes from.
    entryOf(rod) {
        const name = this.info?.rods[rod]?.name ?? "";
        const entries = this.edits.rods;
        const exact = entries.findIndex((_, i) => this.edits.nameOf(i) === name);
        return exact >= 0 ? exact : entries.findIndex((_, i) => name.startsWith(`${this.edits.nameOf(i)}_`));
    }

    // The rod that plots and twists are about.
    get rod() {
        if (this.target === ALL || !this.info) {
            return 0;
        }
        const name = this.edits.infoOf(this.target)?.name;
        return Math.max(0, this.info.rods.findIndex((rod) => rod.name === name));
    }

    setTarget(target) {
        this.target = target;
        this.emit("target", target);
    }

    // ---- time

    // A hidden page does not run until it is seen.
    play(on) {
        this.#setPlaying(on);
        if (this.mode === "live") {
            this.#client.send("speed", { factor: this.speed });
            this.#client.send("play", { on: on && !document.hidden });
        }
    }

    setHidden(hidden) {
        if (this.mode === "live" && this.playing) {
            this.#client.send("play", { on: !hidden });
        }
    }

    setSpeed(factor) {
        this.speed = factor;
        this.#client.send("speed", { factor });
        this.emit("state");
    }

    step() {
        this.#setPlaying(false);
        this.#client.send("play", { on: false });
        this.#client.send("step");
    }

    // Simulates so many frames as fast as the engine goes. Resolves once the last of them is shown, with the simulated time that they
    // took [s]. The pointer's last move is sent with the next picture, so this waits for that first, and for a frame of the open scene.
    async advance(frames) {
        const picture = () => new Promise(requestAnimationFrame);
        do {
            await picture();
        } while (!this.live);
        const before = this.frame.time;
        const { value: time } = await this.#client.ask("step", { frames });
        while (this.frame.time < time) {
            await picture();
        }
        return time - before;
    }

    reset() {
        this.#client.send("reset");
        this.emit("reset");
    }

    #setPlaying(on) {
        this.playing = on;
        this.emit("state");
    }

    // ---- frames

    // A recording takes the place of the running scene; its own scene may be null.
    #leaveScene(scene) {
        this.scene = scene;
        this.info = null;
        this.notes = [];
        this.edits = new Edits(null, new Map(), null);
        this.target = ALL;
    }

    // The player shows frames from now on; the worker rests.
    enterPlayer() {
        this.#client.send("play", { on: false });
        this.mode = "player";
        this.live = null;
        this.#setPlaying(false);
    }

    // Resolves once a frame has been shown: from then on keys and pointers find ropes.
    firstFrame() {
        return new Promise((resolve) => (this.frame ? resolve() : this.on("frame", resolve)));
    }

    #learn(surfaces, fresh) {
        this.#surfaces = fresh ? new Map() : this.#surfaces;
        surfaces.forEach((surface) => this.#surfaces.set(surface.key, surface));
    }

    show(layout, frame) {
        if (layout !== this.layout) {
            this.layout = layout;
            [...layout.bodies, ...layout.obstacles].forEach((thing) => (thing.surface = this.#surfaces.get(solidKey(thing))));
            this.emit("layout", layout);
        }
        this.frame = frame;
        this.emit("frame", frame);
    }

    #take(message) {
        requestAnimationFrame(() => this.#client.send("ack")); // no more frames than are drawn, and none in a hidden tab
        if (this.mode !== "live") {
            return;
        }
        let layout = this.layout;
        if (message.layout) {
            this.#layoutBytes = message.layout;
            layout = decodeLayout(message.layout);
            this.#learn(message.surfaces, message.fresh);
        }
        this.live = message;
        this.payload = { layout: this.#layoutBytes, payload: message.frame };
        this.show(layout, decodeFrame(layout, message.frame));
        this.emit("pace", message.pace);
    }
}
