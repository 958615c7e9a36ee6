// The plots: energies, twist and writhe, contacts. Of a live run all of it until that is ten seconds, then the last ten; of a recording
// all of it, with a mark where it is played.

import { Chart } from "./chart.js";
import { download, el, fileName, formatNumber, formatUnit, iconButton } from "./dom.js";
import { ALL } from "./edits.js";
import { History } from "./history.js";

const LONGEST = 10;   // seconds that a live plot shows at the most,
const SHORTEST = 1;   // and at the least
const REDRAW_MS = 50; // plots need not be as smooth as the scene
const LOOK_BACK = 120; // frames

export class Plots {
    #hover = null; // time under the pointer
    #due = 0;
    #start = 0;    // energy of gravity at the first frame: its zero is arbitrary

    constructor(element, session, player) {
        this.session = session;
        this.player = player;
        this.history = new History();
        this.element = element;
        const h = this.history;
        const energy = (kind) => (i) => h.energy(i, kind, this.#rodOrAll());
        const gravity = (i) => h.energy(i, 4, this.#rodOrAll()) - this.#start;
        const total = (i) => [0, 1, 2, 3].reduce((sum, kind) => sum + h.energy(i, kind, this.#rodOrAll()), gravity(i));
        this.charts = [
            this.#chart("Energy", { unit: "J", least: 1e-9 }, (value) => formatUnit(value, "J"), [
                { name: "kinetic", color: "--plot-1", get: energy(0) },
                { name: "bend", color: "--plot-2", get: energy(1) },
                { name: "twist", color: "--plot-3", get: energy(2) },
                { name: "stretch", color: "--plot-4", get: energy(3) },
                { name: "gravity", color: "--plot-5", get: gravity, title: "from its value at the beginning" },
                { name: "total", color: "--ink", get: total, wide: true, title: "with gravity from its value at the beginning" },
            ]),
            this.#chart("Turns", { unit: "", least: 0.01 }, (value) => formatNumber(Math.abs(value) < 1e-4 ? 0 : value), [
                { name: "twist", color: "--plot-3", get: (i) => h.twist(i, this.session.rod) },
                { name: "writhe", color: "--plot-6", get: (i) => h.writhe(i, this.session.rod) },
            ]),
            this.#chart("Contacts", { unit: "", least: 4 }, (value) => String(Math.round(value)), [
                { name: "contacts", color: "--plot-2", get: (i) => h.contacts(i) },
            ]),
        ];
        this.heading = el("p", {});
        const csv = iconButton("download", "Download as a table (csv)", () => this.save());
        element.append(...this.charts.map(({ box }) => box), el("div", { class: "plots-side" }, csv, this.heading));
        this.#listen();
    }

    #listen() {
        this.session.on("layout", (layout) => this.#restart(layout));
        this.session.on("opened", ({ keep }) => keep || this.history.clear([]));
        this.session.on("reset", () => this.history.clear(this.history.names));
        this.session.on("frame", (frame) => this.#take(frame));
        this.session.on("target", () => this.#changed());
        new ResizeObserver(() => this.#changed()).observe(this.element);
    }

    // A plot with its legend, whose entries show values and turn lines off and on.
    #chart(title, { unit, least }, text, series) {
        const canvas = el("canvas", { role: "img", "aria-label": `${title} over time` });
        const legend = el("div", { class: "legend" });
        for (const line of series) {
            line.shown = true;
            line.value = el("span", { class: "number" });
            line.button = el("button", {
                type: "button", "aria-pressed": "true", title: line.title ?? null, onclick: () => {
                    line.shown = !line.shown;
                    line.button.setAttribute("aria-pressed", line.shown);
                    this.#changed();
                },
            }, el("i", { "data-color": line.color }), line.name, line.value);
            line.button.firstChild.style.background = `var(${line.color})`;
            legend.append(line.button);
        }
        const chart = new Chart(canvas, series, unit, least);
        canvas.addEventListener("pointermove", (event) => {
            const [from, to] = this.#window();
            this.#hover = chart.timeAt(event.offsetX, from, to);
            this.#changed();
        });
        canvas.addEventListener("pointerleave", () => {
            this.#hover = null;
            this.#changed();
        });
        return { chart, text, box: el("figure", {}, el("figcaption", {}, el("h2", { class: "unseen" }, title), legend), canvas) };
    }

    // ---- data

    #restart(layout) {
        const names = layout.rods.map((rod) => rod.name);
        if (names.slice(0, 32).join("\n") !== this.history.names.join("\n")) {
            this.history.clear(names);
        }
        if (this.session.mode === "player" && this.player.reel && this.history.length === 0) {
            this.#takeAll();
        }
    }

    // All of a recording at once; frames are views, so this is cheap.
    #takeAll() {
        for (let i = 0; i < this.player.reel.count; i++) {
            this.history.push(this.player.reel.read(i).frame);
        }
    }

    #take(frame) {
        if (this.session.mode === "live") {
            this.history.push(frame);
        }
        this.#changed();
    }

    // Another recording, or the first live frame after one.
    forget() {
        this.history.clear([]);
    }

    #rodOrAll() {
        return this.session.target === ALL ? -1 : this.session.rod;
    }

    #window() {
        const { history } = this, count = history.length;
        const first = count > 0 ? history.time(0) : 0, last = count > 0 ? history.time(count - 1) : 0;
        if (this.session.mode === "player") {
            return [first, Math.max(last, first + 1e-6)];
        }
        return [Math.max(first, last - LONGEST), Math.max(last, first + SHORTEST)];
    }

    // ---- drawing

    #changed() {
        if (this.#due === 0) {
            this.#due = setTimeout(() => {
                this.#due = 0;
                this.#draw();
            }, REDRAW_MS);
        }
    }

    #draw() {
        if (this.element.clientWidth === 0) {
            return;
        }
        const style = getComputedStyle(this.element);
        const [from, to] = this.#window();
        this.#start = this.history.length > 0 ? this.history.energy(0, 4, this.#rodOrAll()) : 0;
        const playing = this.session.mode === "player" ? (this.session.frame?.time ?? null) : null;
        const mark = this.#hover ?? playing;
        const at = mark === null ? this.history.length - 1 : Math.min(this.history.length - 1, this.history.indexAt(mark));
        for (const { chart, text } of this.charts) {
            chart.draw(this.history, from, to, mark, style);
            for (const line of chart.series) {
                line.value.textContent = at >= 0 ? text(this.#lastKnown(line, at)) : "";
            }
        }
        this.heading.textContent = this.#hover !== null && at >= 0 ? `${this.history.time(at).toFixed(2)} s` : "";
    }

    // Writhe is dear, and some frames do without.
    #lastKnown(line, at) {
        for (let i = at; i >= Math.max(0, at - LOOK_BACK); i--) {
            if (Number.isFinite(line.get(i))) {
                return line.get(i);
            }
        }
        return NaN;
    }

    redraw() {
        this.#changed();
    }

    save() {
        download(new Blob([this.history.csv()], { type: "text/csv" }), fileName(this.session.stem, ".csv"));
    }
}
