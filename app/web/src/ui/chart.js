// One plot on a canvas: lines over time, a few levels with numbers, and a mark where the pointer is.

import { prefixOf } from "./dom.js";

const LEFT = 44;   // room for the numbers [px]
const RIGHT = 6;
const TOP = 6;
const BOTTOM = 6;
const LEVELS = 3;

// Round numbers that hold all of low..high, at least `least` apart, and the distance between levels.
function niceRange(low, high, least) {
    if (!(low <= high)) {
        return { low: 0, high: least, step: least / 2 }; // nothing is known
    }
    const room = Math.max(0, (least - (high - low)) / 2);
    const bottom = low > -1e-6 * least && low - room < 0 ? 0 : low - room; // what rounding leaves is no reason to show negative numbers
    const top = Math.max(high + room, bottom + least);
    const rough = (top - bottom) / LEVELS;
    const decade = 10 ** Math.floor(Math.log10(rough));
    const step = decade * [1, 2, 5, 10].find((factor) => factor * decade >= rough * (1 - 1e-9));
    return { low: step * Math.floor(bottom / step + 1e-9), high: step * Math.ceil(top / step - 1e-9), step };
}

// As many decimals as tell levels apart; the unit stands at the top alone.
function levelText(level, { low, high, step }, unit) {
    const [scale, prefix] = unit ? prefixOf(Math.max(Math.abs(low), Math.abs(high))) : [1, ""];
    const decimals = Math.max(0, -Math.floor(Math.log10(step / scale) + 1e-9));
    const text = (level / scale).toFixed(decimals).replace("-", "−");
    return unit && level > high - step / 2 ? `${text} ${prefix}${unit}` : text;
}

function firstKnown(line, from, to) {
    for (let i = from; i < to; i++) {
        if (Number.isFinite(line.get(i))) {
            return i;
        }
    }
    return -1;
}

export class Chart {
    // `series`: [{ name, color (a CSS variable), get(i), shown, wide }]; `unit`: "" for bare numbers; `least`: the smallest range shown
    constructor(canvas, series, unit, least) {
        this.canvas = canvas;
        this.series = series;
        this.unit = unit;
        this.least = least;
        this.range = { low: 0, high: 1, step: 0.5 };
    }

    // `from`..`to`: the time that is shown; `mark`: where a line stands, or null; `style`: computed style for the colours.
    draw(history, from, to, mark, style) {
        const ratio = Math.min(2, window.devicePixelRatio || 1);
        const { clientWidth: width, clientHeight: height } = this.canvas;
        if (width === 0) {
            return; // folded away
        }
        if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
        }
        const context = this.canvas.getContext("2d");
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        const first = Math.max(0, history.indexAt(from) - 1);
        const last = Math.min(history.length - 1, history.indexAt(to));
        this.range = this.#rangeOf(first, last);
        this.#drawLevels(context, width, height, style);
        const stride = Math.max(1, Math.floor((last - first) / (2 * width)));
        const xOf = (time) => LEFT + ((time - from) / (to - from)) * (width - LEFT - RIGHT);
        context.save();
        context.beginPath();
        context.rect(LEFT, 0, width - LEFT - RIGHT + 2, height);
        context.clip();
        for (const line of this.series) {
            if (line.shown) {
                this.#drawLine(context, history, line, first, last, stride, xOf, height, style);
            }
        }
        context.restore();
        if (mark !== null && mark >= from && mark <= to) {
            this.#drawMark(context, xOf(mark), height, style);
        }
    }

    // Which time is at a place across the canvas.
    timeAt(x, from, to) {
        const share = (x - LEFT) / (this.canvas.clientWidth - LEFT - RIGHT);
        return from + Math.min(1, Math.max(0, share)) * (to - from);
    }

    #rangeOf(first, last) {
        let low = Infinity, high = -Infinity;
        for (const line of this.series) {
            for (let i = first; line.shown && i <= last; i++) {
                const value = line.get(i);
                if (Number.isFinite(value)) {
                    low = Math.min(low, value);
                    high = Math.max(high, value);
                }
            }
        }
        return niceRange(low, high, this.least);
    }

    #y(value, height) {
        const { low, high } = this.range;
        return height - BOTTOM - ((value - low) / (high - low)) * (height - TOP - BOTTOM);
    }

    #drawLevels(context, width, height, style) {
        const { low, high, step } = this.range;
        context.font = `10px ${style.getPropertyValue("--font")}`;
        context.textAlign = "right";
        context.textBaseline = "middle";
        context.lineWidth = 1;
        for (let level = low; level <= high + step * 1e-6; level += step) {
            const rounded = Math.abs(level) < step * 1e-6 ? 0 : level;
            const y = Math.round(this.#y(rounded, height)) + 0.5;
            context.strokeStyle = style.getPropertyValue(rounded === 0 ? "--axis" : "--grid");
            context.beginPath();
            context.moveTo(LEFT, y);
            context.lineTo(width - RIGHT, y);
            context.stroke();
            context.fillStyle = style.getPropertyValue("--faint");
            context.fillText(levelText(rounded, this.range, this.unit), LEFT - 6, y);
        }
    }

    #drawLine(context, history, line, first, last, stride, xOf, height, style) {
        context.strokeStyle = style.getPropertyValue(line.color);
        context.lineWidth = line.wide ? 2 : 1.5;
        context.lineJoin = "round";
        context.beginPath();
        let drawing = false; // what is not known at some frames is drawn from one that has it to the next
        for (let i = first; i <= last; i += stride) {
            const at = firstKnown(line, i, Math.min(last + 1, i + stride));
            if (at < 0) {
                continue;
            }
            const x = xOf(history.time(at)), y = this.#y(line.get(at), height);
            if (drawing) {
                context.lineTo(x, y);
            } else {
                context.moveTo(x, y);
            }
            drawing = true;
        }
        context.stroke();
    }

    #drawMark(context, x, height, style) {
        context.strokeStyle = style.getPropertyValue("--faint");
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(Math.round(x) + 0.5, 2);
        context.lineTo(Math.round(x) + 0.5, height - 2);
        context.stroke();
    }
}
