// The page: starts the worker and the stage, makes the parts of the page, and opens what its address asks for.
//
// window.cordage is for the console and for tests:
//   state()              what is open and how it goes: { mode, playing, speed, time, title, path, settings, rods, notes, pins, twists,
//                        hand, pace, frames (of a recording) }
//   frame()              the last frame, decoded; layout() its layout
//   ask(type, fields)    a message to the worker that has an answer (knot, hash, materials, reel, open): a promise of it
//   send(type, fields)   a message that has no answer (grab, drag, release, pin, twist, ...)
//   advance(frames)      simulates so many frames as fast as the engine goes: a promise of the time that they took [s], once the last is shown
//   open(text, options)  runs a scene: a promise of { ok, notes }; options: { path, settings, files }
//   openShipped(name)    runs a shipped scene
//   openReel(bytes)      plays a recording
//   stage                the stage: project(point), pick(x, y), screenshot(), setQuality("least") for few and coarse pictures, ...
//   ready                a promise: the first scene, or recording, is open and its first frame is shown
//
// With ?bench in its address the page measures how fast the engine runs the open scene (#open=tie), and shows the result.

import workerText from "cordage:worker";
import { Stage } from "./stage/stage.js";
import { Client } from "./ui/client.js";
import { byId } from "./ui/dom.js";
import { embeddedEngine, embeddedReel, embeddedScenes } from "./ui/assets.js";
import { Editor } from "./ui/editor.js";
import { acceptDrops, MOST_REEL, readFiles } from "./ui/files.js";
import { Follow } from "./ui/follow.js";
import { Gallery } from "./ui/gallery.js";
import { Hand } from "./ui/hand.js";
import { Hint } from "./ui/hint.js";
import { Hold } from "./ui/hold.js";
import { KeyHand } from "./ui/key_hand.js";
import { Keys } from "./ui/keys.js";
import { Layout } from "./ui/layout.js";
import { Messages } from "./ui/messages.js";
import { Panel } from "./ui/panel.js";
import { Player } from "./ui/player.js";
import { Plots } from "./ui/plots.js";
import { Recorder } from "./ui/recorder.js";
import { SaveDialog } from "./ui/save.js";
import { Session } from "./ui/session.js";
import { decodeLink, ownAddress, readFragment } from "./ui/share.js";
import { Theme } from "./ui/theme.js";
import { Transport } from "./ui/transport.js";

const FIRST_SCENE = "tie";
const GONE_MS = 8000;
const PATIENCE_MS = 300;   // before a wait is shown
const BENCH_SECONDS = 5;
const TURN = Math.PI / 24; // that a key turns the camera by
const ZOOM = 1.15;         // and its factor on the distance
const SAMPLES = 200;       // frames of a recording that are looked at for how much room it takes,
const SAMPLED_EDGES = 5e6; // and fewer where they have many edges: this many in all

function wantsStill() { // nothing moves by itself
    return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

class Page {
    constructor(messages) {
        this.messages = messages;
        this.client = new Client();
        this.session = new Session(this.client);
        this.player = new Player(this.session);
        this.canvas = byId("canvas");
        this.stage = new Stage(this.canvas, { theme: "light", onError: (text) => this.#noPicture(text) });
        this.fresh = true; // the next frame is the first of its scene
    }

    // Without WebGL there is no picture at all; a context that was lost may come back.
    #noPicture(text) {
        if (this.stage.canDraw) {
            this.messages.warn(text);
        } else {
            this.messages.fatal("Nothing can be drawn", text);
        }
    }

    async start() {
        this.client.on("failed", (text) => this.messages.fatal("The simulator cannot run", text));
        const [engine, library] = await Promise.all([embeddedEngine(), embeddedScenes()]);
        this.library = library;
        this.#follow(); // first: the other parts ask the stage about the frame that they get
        this.#makeParts();
        const { version } = await this.client.start(workerText, engine);
        this.keys.setVersion(version);
        await this.session.loadMaterials();
        await this.#openFirst();
        await this.session.firstFrame();
        if (window.location.search === "?bench") {
            await this.#bench();
        }
    }

    // Measures how fast the engine runs the open scene while nothing is drawn.
    async #bench() {
        const { ok, value, text } = await this.client.ask("bench", { seconds: BENCH_SECONDS });
        if (ok) {
            const rate = (value.steps / value.seconds).toFixed(0);
            const words = `${rate} steps of ${value.h.toPrecision(3)} s a second, ${value.factor.toFixed(2)} times real time.`;
            this.messages.tell(`${this.session.title}: ${words}`, 600000);
        } else {
            this.messages.warn(text);
        }
    }

    #makeParts() {
        const { session, stage, messages, player, library } = this;
        const thumbs = JSON.parse(byId("thumbs").textContent);
        this.layout = new Layout(() => {
            stage.resize();
            this.follow?.refit();
        });
        this.recorder = new Recorder(session, messages);
        this.transport = new Transport(byId("transport"), session, player, this.recorder);
        this.transport.onRunLive = () => this.openScene(player.reel.scene);
        this.panel = new Panel(byId("panel"), session, stage);
        this.plots = new Plots(byId("plots"), session, player);
        this.follow = new Follow(stage);
        this.hold = new Hold(this.canvas, session, stage);
        this.hand = new Hand(this.canvas, session, stage, this.hold, this.panel.twist, () => this.follow.stop());
        this.hint = new Hint(session, this.hold);
        this.editor = new Editor(byId("editor"), session, (scene) => this.#runText(scene), library.schema);
        this.gallery = new Gallery(library, thumbs, (name) => this.#choose(name), (files) => this.openFiles(files));
        this.save = new SaveDialog(session, stage, this.recorder, this.plots, messages, library);
        this.theme = new Theme((name) => {
            stage.setTheme(name);
            this.plots.redraw();
        });
        this.keys = new Keys(this.#actions(), new KeyHand(this.canvas, session, stage, this.hold));
        acceptDrops((files) => this.openFiles(files));
        byId("open-editor").addEventListener("click", () => this.editor.toggle());
        byId("fit").addEventListener("click", () => this.showAll());
        byId("unpin-all").addEventListener("click", () => this.client.send("unpinAll"));
        window.addEventListener("hashchange", () => this.#goTo());
        document.addEventListener("visibilitychange", () => session.setHidden(document.hidden));
    }

    #actions() {
        const { transport, hand, gallery, editor, save, layout } = this;
        return {
            " ": { what: "play or pause", run: () => transport.toggle() },
            ArrowRight: { what: "one frame on", run: () => transport.stepBy(1) },
            ArrowLeft: { what: "one frame back (recordings)", run: () => transport.stepBy(-1) },
            r: { what: "back to the beginning", run: () => transport.restart() },
            l: { what: "again and again (recordings)", run: () => transport.toggleLoop() },
            d: { what: "drag ropes", run: () => hand.setTool("drag") },
            p: { what: "pin where the ring is, or the pin tool", run: () => hand.pin() },
            o: { what: "look around only", run: () => hand.setTool("orbit") },
            f: { what: "show all", run: () => this.showAll() },
            g: { what: "gallery", run: () => gallery.show() },
            e: { what: "editor", run: () => editor.toggle() },
            c: { what: "controls", run: () => layout.toggle("panel") },
            v: { what: "plots", run: () => layout.toggle("plots") },
            s: { what: "share and save", run: () => save.show() },
            t: { what: "light or dark", run: () => this.theme.toggle() },
            "?": { what: "this help", run: () => this.keys.help() },
            ...this.#looks(),
        };
    }

    // The camera by keys.
    #looks() {
        const { stage, follow } = this;
        const look = (work) => () => {
            follow.stop();
            work();
        };
        return {
            "Shift ArrowLeft": { what: "look around", run: look(() => stage.turn(TURN, 0)) },
            "Shift ArrowRight": { run: look(() => stage.turn(-TURN, 0)) },
            "Shift ArrowUp": { run: look(() => stage.turn(0, TURN)) },
            "Shift ArrowDown": { run: look(() => stage.turn(0, -TURN)) },
            "+": { what: "nearer, farther", run: look(() => stage.zoom(1 / ZOOM)) },
            "-": { run: look(() => stage.zoom(ZOOM)) },
        };
    }

    // The stage shows what the session has.
    #follow() {
        const { session, stage } = this;
        session.on("layout", (layout) => stage.setLayout(layout));
        session.on("frame", (frame) => {
            stage.setFrame(frame);
            if (this.fresh) {
                this.fresh = false;
                this.#placeCamera();
            } else {
                this.follow.frame();
                this.#end(frame);
            }
        });
        session.on("opened", ({ keep }) => keep || this.#opened());
        session.on("recording", (reel) => this.#play(reel));
        session.on("state", () => {
            document.body.classList.toggle("playing-reel", session.mode === "player");
            this.layout.setRecording(session.mode === "player");
        });
        session.on("busy", (on) => this.#showBusy(on));
        session.on("stopped", ({ text, line }) => this.messages.warn(`The run has stopped${line > 0 ? `, line ${line}` : ""}: ${text}`));
    }

    // Pauses a scene that is over and whose rods have left the view: they would fall for ever.
    #end({ time }) {
        const { session } = this;
        if (session.playing && session.mode === "live" && time > session.info?.end && this.follow.isGone) {
            session.play(false);
            this.messages.tell("The scene is over, and what moves has left it. R begins anew.", GONE_MS);
        }
    }

    // Opening takes long where the modes of a large network are computed.
    #showBusy(on) {
        clearTimeout(this.patience);
        if (on) {
            this.patience = setTimeout(() => document.body.classList.add("busy"), PATIENCE_MS);
        } else {
            document.body.classList.remove("busy");
        }
    }

    #placeCamera() {
        const { camera } = this.session;
        const seen = camera.eye && camera.target ? camera : camera.up || camera.fov ? { up: camera.up, fov: camera.fov } : null;
        this.stage.setCamera(seen, camera.radiusScale ?? 1, camera.groundHeight ?? camera.ground ?? true);
        this.follow.begin(!camera.eye, this.#expectAll());
    }

    // Shows all that is there now, or at any time of a recording, in place of the scene's own camera.
    showAll() {
        this.stage.fit();
        this.follow.begin(true, this.#expectAll());
    }

    // The box of all that a recording shows; null for a live run, whose motion is not known yet.
    #expectAll() {
        if (this.session.mode !== "player") {
            return null;
        }
        const most = SAMPLED_EDGES / Math.max(1, this.session.layout.edgeCount);
        const whole = this.stage.boxAround(this.player.sample(Math.round(Math.min(SAMPLES, Math.max(10, most)))));
        this.stage.expect(whole);
        return whole;
    }

    #opened() {
        this.fresh = true;
        this.player.reel = null;
        this.#title(this.session.title, this.session.remark);
        for (const note of this.session.notes.filter((each) => !each.error).slice(0, 2)) {
            this.messages.tell(note.text);
        }
    }

    #title(title, remark) {
        byId("title").textContent = title;
        byId("remark").textContent = remark;
        document.title = title === "Cordage" ? title : `${title} · Cordage`;
    }

    // ---- opening

    async #openFirst() {
        if (window.location.hash) {
            await this.#openAddress();
        }
        if (!this.session.scene && this.session.mode === "live") {
            await this.#openStart();
        }
    }

    // Opens the recording in the page, or the first scene.
    async #openStart() {
        const reel = embeddedReel();
        await (reel ? this.openReel(reel) : this.openShipped(FIRST_SCENE));
    }

    // The address has changed, by a link, by the gallery or by the browser's back button.
    #goTo() {
        this.messages.clear();
        return window.location.hash ? this.#openAddress() : this.#openStart();
    }

    // Opens a scene of the gallery by the address, so that the browser's back and forward buttons work.
    #choose(name) {
        const hash = `#open=${name}`;
        if (window.location.hash === hash) {
            this.#goTo();
        } else {
            window.location.hash = hash;
        }
    }

    async #openAddress() {
        try {
            const wanted = readFragment(window.location.hash);
            if (wanted?.kind === "reel") {
                await this.openReel(await this.#fetchReel(wanted.value));
            } else if (wanted?.kind === "scene") {
                const scene = await decodeLink(wanted.value);
                await this.openScene({ ...scene, files: this.library.filesFor(scene.path) });
            } else if (wanted?.kind === "open") {
                await this.openShipped(decodeURIComponent(wanted.value));
            }
        } catch (error) {
            this.messages.warn(error.message);
        }
    }

    async #fetchReel(value) {
        const address = ownAddress(value);
        const response = await fetch(address).catch(() => null);
        if (!response?.ok) {
            throw new Error(`${address.pathname} could not be read.`);
        }
        if (Number(response.headers.get("content-length") ?? 0) > MOST_REEL) {
            throw new Error(`The recording is larger than ${MOST_REEL / 1e6} MB, the most that this page plays.`);
        }
        return new Uint8Array(await response.arrayBuffer());
    }

    async openShipped(name) {
        const scene = this.library.scene(name);
        if (!scene) {
            this.messages.warn(`There is no shipped scene "${name}".`);
            return { ok: false, notes: [] };
        }
        return this.openScene(scene);
    }

    // Runs a scene. Its errors are shown in a message, and in the editor at their lines.
    async openScene(scene, isLast = false) {
        const answer = await this.session.open(scene, { play: !wantsStill() });
        if (!answer.ok) {
            await this.#refused(scene, answer.notes, isLast);
        }
        return answer;
    }

    async #refused(scene, notes, isLast) {
        const first = notes.find((note) => note.error) ?? notes[0];
        const where = first?.line > 0 ? `, line ${first.line}` : "";
        this.messages.warn(`${scene.path}${where}: ${first?.text ?? "it cannot be run"}`);
        if (!this.session.scene && !isLast) {
            await this.openScene(this.library.scene(FIRST_SCENE), true); // something runs, whatever the address held
        }
        this.editor.showRefused(scene, notes);
    }

    #runText(scene) {
        this.messages.clear();
        return this.session.open(scene);
    }

    // Plays a recording, or runs the scene of one that has no frames.
    async openReel(bytes) {
        const { ok, text, scene, notes } = await this.session.openReel(bytes, { play: !wantsStill() });
        if (!ok && scene) {
            await this.#refused(scene, notes, false);
        } else if (!ok) {
            this.messages.warn(`The recording cannot be played: ${text}`);
        }
    }

    #play(reel) {
        const { player, session } = this;
        this.plots.forget();
        this.fresh = true;
        this.editor.load();
        this.#title(session.title, "A recording");
        player.open(reel);
        player.seek(0);
        player.play(!wantsStill());
    }

    async openFiles(files) {
        this.messages.clear();
        try {
            const { reel, scene } = await readFiles(files);
            await (reel ? this.openReel(reel) : this.openScene(scene));
        } catch (error) {
            this.messages.warn(error.message);
        }
    }
}

function expose(page, ready) {
    const { session, client, stage } = page;
    window.cordage = {
        ready,
        stage,
        state: () => ({
            mode: session.mode, playing: session.playing, speed: session.speed, time: session.frame?.time ?? NaN, title: session.title,
            path: session.scene?.path ?? null, settings: session.settings, rods: session.info?.rods ?? [], notes: session.notes,
            pins: session.live?.pins ?? [], twists: session.live?.twists ?? [], hand: session.live?.hand ?? null,
            pace: session.live?.pace ?? null, frames: page.player.reel?.count ?? 0,
        }),
        frame: () => session.frame,
        layout: () => session.layout,
        ask: (type, fields) => client.ask(type, fields),
        send: (type, fields) => client.send(type, fields),
        advance: (frames) => session.advance(frames),
        open: (text, options = {}) => session.open({ ...options, text }, { play: !wantsStill() }),
        openShipped: (name) => page.openShipped(name),
        openReel: (bytes) => page.openReel(bytes),
    };
}

const TOO_OLD = "Cordage needs WebAssembly and compressed streams: a current Firefox, Chrome, Edge or Safari has both.";
const messages = new Messages();
if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined") {
    messages.fatal("This browser is too old", TOO_OLD);
} else {
    try {
        const page = new Page(messages);
        const ready = page.start();
        ready.catch((error) => messages.fatal("The simulator cannot run", error.message));
        expose(page, ready);
    } catch (error) {
        messages.fatal("Nothing can be drawn", error.message);
    }
}
