// Energies, twist, writhe and contacts of the frames that were shown: what plots draw and tables hold.

import { firstPlace } from "./search.js";

const MOST_ROWS = 36000; // ten minutes of 60 frames a second
const MOST_RODS = 32;    // told apart; others count in the sums alone
const ENERGIES = ["kinetic", "bend", "twist", "stretch", "gravity"];
const OF_ROD = 7; // five energies, twist, writhe

// A row: time, contacts, five sums of energies, then OF_ROD numbers for each rod.
export class History {
    #rows = [];
    #first = 0;

    constructor() {
        this.clear([]);
    }

    clear(rodNames) {
        this.names = rodNames.slice(0, MOST_RODS);
        this.#rows = [];
        this.#first = 0;
    }

    get length() {
        return this.#rows.length - this.#first;
    }

    // Frames come in the order of time; one from before the last begins a new history.
    push(frame) {
        if (this.length > 0 && frame.time < this.time(this.length - 1)) {
            this.clear(this.names);
        } else if (this.length > 0 && frame.time === this.time(this.length - 1)) {
            return;
        }
        const rods = frame.twist.length;
        const row = new Float64Array(7 + OF_ROD * this.names.length);
        row[0] = frame.time;
        row[1] = frame.contacts.count;
        for (let rod = 0; rod < rods; rod++) {
            for (let k = 0; k < 5; k++) {
                row[2 + k] += frame.energy[5 * rod + k];
            }
        }
        for (let rod = 0; rod < this.names.length; rod++) {
            const at = 7 + OF_ROD * rod;
            row.set(frame.energy.subarray(5 * rod, 5 * rod + 5), at);
            row[at + 5] = frame.twist[rod];
            row[at + 6] = frame.writhe[rod];
        }
        this.#rows.push(row);
        if (this.length > MOST_ROWS) {
            this.#first++;
        }
        if (this.#first > 4096) {
            this.#rows.splice(0, this.#first);
            this.#first = 0;
        }
    }

    #row(i) {
        return this.#rows[this.#first + i];
    }

    time(i) {
        return this.#row(i)[0];
    }

    contacts(i) {
        return this.#row(i)[1];
    }

    // Of all rods (rod < 0), or of one.
    energy(i, kind, rod = -1) {
        const row = this.#row(i);
        return rod >= 0 && rod < this.names.length ? row[7 + OF_ROD * rod + kind] : row[2 + kind];
    }

    twist(i, rod) {
        return this.#row(i)[7 + OF_ROD * rod + 5] ?? NaN;
    }

    writhe(i, rod) {
        return this.#row(i)[7 + OF_ROD * rod + 6] ?? NaN;
    }

    // The first row that is not before a time.
    indexAt(time) {
        return firstPlace(this.length, (i) => !(this.time(i) < time));
    }

    // One line for each frame and rod, and one for all of them together.
    csv() {
        const lines = [`time,rod,${ENERGIES.map((name) => `${name}_energy`).join(",")},twist,writhe,contacts`];
        const cell = (value) => (Number.isFinite(value) ? String(value) : "");
        const name = (text) => `"${text.replace(/"/g, "\"\"").replace(/^(?=[=+\-@])/, "'")}"`; // no spreadsheet takes a name for a formula
        for (let i = 0; i < this.length; i++) {
            const row = this.#row(i);
            for (let rod = 0; rod < this.names.length; rod++) {
                const at = 7 + OF_ROD * rod;
                lines.push([row[0], name(this.names[rod]), ...Array.from(row.subarray(at, at + OF_ROD), cell), ""].join(","));
            }
            lines.push([row[0], "", ...Array.from(row.subarray(2, 7), cell), "", "", row[1]].join(","));
        }
        return `${lines.join("\n")}\n`;
    }
}
