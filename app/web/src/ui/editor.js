// The editor of the scene's text. A text area does the editing. Below it, the visible lines are drawn in colours, with errors behind them.

import { Completion } from "./completion.js";
import { byId, debounce, el, iconButton } from "./dom.js";
import { linePieces, lineStarts, tokenAfter, tokens } from "./highlight.js";

const LINE = 20;  // height of a line [px], as in style/editor.css
const INDENT = "  ";
const NARROW = 700; // pixels: a window in which the editor lies over the scene
const MOST_TEXT = 2e6; // characters that can be edited here
const MOST_CHECKED = 2e5; // that are looked through as they are written,
const PAUSE_MS = 400;     // once the keys have rested for so long
const KEYS_HELP = "Tab indents. Escape and then Tab goes on to what is below, Shift+Tab goes back, Escape twice closes the editor. " +
    "Ctrl+Enter runs the scene.";

export class Editor {
    #notes = [];
    #starts = [0];
    #tokens = [];
    #shown = "";   // the text that is running
    #origin = { path: "scene.json", files: {} }; // where the text comes from
    #waiting = []; // texts that were sent to be run, and have no answer yet
    #run = null;   // the text that was run last: its errors are those of the run
    #checkSoon = debounce(() => this.#check(), PAUSE_MS);
    #leaves = false; // Escape was pressed: the next Tab goes on
    #advance = 8;  // width of a character [px]

    // `run`: opens a scene, resolves with the engine's answer
    constructor(element, session, run, schema) {
        this.element = element;
        this.session = session;
        this.run = run;
        this.area = el("textarea", {
            id: "scene-text", "aria-label": "Scene text", "aria-describedby": "scene-text-keys", spellcheck: "false", autocomplete: "off",
            autocapitalize: "off", wrap: "off",
        });
        this.gutter = el("div", { class: "gutter", "aria-hidden": "true" });
        this.layer = el("div", { class: "layer", "aria-hidden": "true" });
        this.list = el("ul", { class: "notes", "aria-label": "Errors and warnings" });
        this.status = el("p", { class: "status", role: "status" });
        this.settingsNote = el("p", { class: "settings-note", hidden: true });
        const close = iconButton("close", "Close the editor", () => this.toggle(false));
        const go = el("button", { type: "button", class: "primary", title: "Run (Ctrl+Enter)", onclick: () => this.commit() }, "Run");
        const undo = el("button", { type: "button", class: "small", onclick: () => this.load() }, "Revert");
        this.pane = el("div", { class: "pane" }, this.layer, this.area);
        element.append(
            el("div", { class: "editor-head" }, el("h2", {}, "Scene"), this.status, undo, go, close),
            this.settingsNote, el("p", { id: "scene-text-keys", class: "unseen" }, KEYS_HELP),
            el("div", { class: "text" }, this.gutter, this.pane), this.list,
        );
        this.completion = new Completion(this.area, this.pane, schema, (place) => this.#placeOf(place));
        this.#listen();
    }

    #listen() {
        this.area.addEventListener("input", () => {
            this.#notes = [];
            this.#showNotes();
            this.#read();
            this.#checkSoon();
        });
        this.area.addEventListener("scroll", () => this.#draw());
        this.area.addEventListener("keydown", (event) => this.#key(event));
        this.area.addEventListener("blur", () => (this.#leaves = false));
        new ResizeObserver(() => this.#draw()).observe(this.area);
        this.session.on("opened", ({ keep }) => (keep ? this.#showSettings() : this.#opened()));
    }

    // Leaves the text alone if the opened scene was run from here; else shows the text of that scene.
    #opened() {
        const { scene } = this.session;
        if (!this.#waiting.includes(scene.text)) {
            this.load();
            return;
        }
        this.#shown = scene.text;
        this.#origin = scene;
        this.#showSettings();
    }

    get open() {
        return !this.element.hidden;
    }

    toggle(on = !this.open) {
        this.element.hidden = !on;
        document.body.classList.toggle("editing", on);
        byId("open-editor").setAttribute("aria-expanded", on);
        if (on) {
            this.#measure();
            this.#read();
            this.area.focus();
        } else {
            this.completion.close();
            byId("open-editor").focus();
        }
    }

    // Replaces what was written by the text of the running scene.
    load() {
        const { scene, notes } = this.session;
        if (!scene) {
            return;
        }
        this.#shown = scene.text;
        this.#setText(scene, notes);
        this.#showSettings();
    }

    #setText(scene, notes) {
        const fits = scene.text.length <= MOST_TEXT;
        this.#origin = scene;
        this.area.value = fits ? scene.text : "";
        this.area.readOnly = !fits;
        this.area.placeholder = fits ? "" : "This text is too long to be edited here.";
        this.area.setSelectionRange(0, 0);
        this.area.scrollTop = 0;
        this.#notes = notes;
        this.#showNotes();
        this.#read();
    }

    // Shows the text of a scene that was refused, and its errors.
    showRefused(scene, notes) {
        this.#setText(scene, notes);
        if (!this.open) {
            this.toggle(true);
        }
    }

    async commit() {
        if (this.area.readOnly) {
            return;
        }
        const text = this.area.value;
        this.#run = text;
        this.status.textContent = "…";
        this.#waiting.push(text);
        const { path, named, text: original, files } = this.#origin;
        const answer = await this.run({ path, named: named && text === original, text, files })
            .finally(() => this.#waiting.splice(this.#waiting.indexOf(text), 1));
        const changed = this.area.value !== text;
        if (!changed) {
            this.#notes = answer.notes;
            this.#showNotes();
            this.#draw();
        }
        this.#tell(answer, changed);
    }

    // Marks errors while the text is being written. Nothing is run.
    async #check() {
        const text = this.area.value, { path, files } = this.#origin;
        if (text === this.#run || text === this.#shown || text.length > MOST_CHECKED) {
            return;
        }
        const notes = await this.session.check({ path, text, files });
        if (this.area.value !== text || text === this.#run) {
            return; // the text has changed since
        }
        const errors = notes.filter((note) => note.error).length;
        this.#notes = notes;
        this.#showNotes();
        this.#draw();
        this.status.textContent = errors > 0 ? `Not run yet: ${errors} ${errors === 1 ? "error" : "errors"}` : "Not run yet";
    }

    // `changed`: the text is no longer what was run, so its lines may be others.
    #tell({ ok, notes }, changed) {
        const errors = notes.filter((note) => note.error).length;
        const bad = `${errors} ${errors === 1 ? "error" : "errors"}${changed ? " in what was run" : ""}; the last good scene runs on`;
        this.status.textContent = !ok ? bad : changed ? "Not run yet" : "Running";
        this.status.classList.toggle("bad", !ok);
        if (ok && !changed && this.open && window.innerWidth < NARROW) {
            this.toggle(false); // to see it
        }
    }

    // Settings of a link or of the controls are not in the text; they are said above it.
    #showSettings() {
        const { settings } = this.session;
        this.settingsNote.hidden = settings.length === 0;
        this.settingsNote.textContent = `Set by the controls, not in the text, and gone when it is run: ${settings.join(", ")}`;
    }

    // ---- keys

    #key(event) {
        if (this.completion.key(event) || this.#leave(event)) {
            return;
        }
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            this.commit();
        } else if (event.key === "Tab" && !event.shiftKey && !event.ctrlKey && !event.altKey) {
            event.preventDefault();
            this.#insert(INDENT);
        } else if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            this.#insert(`\n${this.#indent()}`);
        } else if (event.key === " " && event.ctrlKey) {
            event.preventDefault();
            this.completion.offer(true);
        }
    }

    // Returns whether the key leads out of the text. People who use only keys need a Tab that does not indent.
    #leave({ key }) {
        const leaves = this.#leaves;
        this.#leaves = key === "Escape";
        if (leaves && key === "Escape") {
            this.toggle(false);
        }
        return key === "Escape" || (leaves && key === "Tab");
    }

    // The indent of the line, and one more after an opening bracket.
    #indent() {
        const before = this.area.value.slice(0, this.area.selectionStart);
        const line = before.slice(before.lastIndexOf("\n") + 1);
        return /^\s*/.exec(line)[0] + (/[{[]\s*$/.test(line) ? INDENT : "");
    }

    // Through the browser's own editing, so that it can be undone.
    #insert(text) {
        if (!document.execCommand("insertText", false, text)) {
            this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
            this.area.dispatchEvent(new Event("input"));
        }
    }

    // ---- drawing

    #measure() {
        const context = document.createElement("canvas").getContext("2d");
        context.font = getComputedStyle(this.area).font;
        this.#advance = context.measureText("0000000000").width / 10;
    }

    // Where a place in the text is, in pixels from the top left of the pane.
    #placeOf(index) {
        const line = this.#starts.findLastIndex((start) => start <= index);
        const column = index - this.#starts[line];
        return { x: 12 + column * this.#advance - this.area.scrollLeft, y: 10 + (line + 1) * LINE - this.area.scrollTop };
    }

    #read() {
        const text = this.area.value;
        this.#starts = lineStarts(text);
        this.#tokens = tokens(text);
        this.status.textContent = text === this.#shown ? "" : "Not run yet";
        this.status.classList.remove("bad");
        this.#draw();
    }

    #draw() {
        if (!this.open) {
            return;
        }
        const { scrollTop, scrollLeft, clientHeight, value } = this.area;
        const first = Math.max(0, Math.floor((scrollTop - 10) / LINE));
        const last = Math.min(this.#starts.length - 1, Math.ceil((scrollTop + clientHeight) / LINE));
        const numbers = [], lines = [];
        for (let line = first; line <= last; line++) {
            const notes = this.#notes.filter((note) => note.line === line + 1);
            const kind = notes.some((note) => note.error) ? "error" : notes.length > 0 ? "warning" : "";
            numbers.push(el("span", { class: kind }, String(line + 1)));
            lines.push(this.#drawLine(value, line, notes, kind));
        }
        const shift = 10 + first * LINE - scrollTop;
        this.gutter.replaceChildren(...numbers);
        this.gutter.style.transform = `translateY(${shift}px)`;
        this.layer.replaceChildren(...lines);
        this.layer.style.transform = `translate(${-scrollLeft}px, ${shift}px)`;
    }

    #drawLine(text, line, notes, kind) {
        const start = this.#starts[line];
        const end = line + 1 < this.#starts.length ? this.#starts[line + 1] - 1 : text.length;
        const pieces = linePieces(text, this.#tokens, tokenAfter(this.#tokens, start), start, end);
        const spans = pieces.map(([piece, of]) => el("span", of ? { class: `is-${of}` } : {}, piece));
        const message = notes.length > 0 ? el("em", {}, notes.map((note) => note.text).join("; ")) : null;
        return el("div", { class: `line ${kind}` }, ...spans, message);
    }

    // ---- what is wrong

    #showNotes() {
        const items = this.#notes.slice(0, 100).map((note) => {
            const where = note.line > 0 ? `${note.line}:${note.column}` : "";
            return el("li", { class: note.error ? "error" : "warning" },
                el("button", { type: "button", onclick: () => this.#goTo(note) }, el("b", {}, where), note.text));
        });
        this.list.replaceChildren(...items);
        this.list.hidden = items.length === 0;
    }

    #goTo(note) {
        if (note.line > 0 && note.line <= this.#starts.length) {
            const place = this.#starts[note.line - 1] + Math.max(0, note.column - 1);
            this.area.focus();
            this.area.setSelectionRange(place, place);
            this.area.scrollTop = Math.max(0, (note.line - 4) * LINE);
            this.#draw();
        }
    }
}
