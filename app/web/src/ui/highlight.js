// Colours for a scene's text: which stretches of it are keys, strings, numbers, words and comments.

import { commentEnd, stringEnd } from "./jsonc.js";
import { firstPlace } from "./search.js";

// Tokens in order, as [start, end, kind]; what lies between them is plain.
export function tokens(text) {
    const out = [];
    for (let i = 0; i < text.length;) {
        const c = text[i];
        if (c === "\"") {
            const end = stringEnd(text, i);
            out.push([i, end, /^\s*:/.test(text.slice(end, end + 40)) ? "key" : "string"]);
            i = end;
        } else if (c === "/" && (text[i + 1] === "/" || text[i + 1] === "*")) {
            const end = commentEnd(text, i);
            out.push([i, end, "comment"]);
            i = end;
        } else if (/[-\d]/.test(c)) {
            const end = i + /^[-+\d.eE]+/.exec(text.slice(i, i + 40))[0].length;
            out.push([i, end, "number"]);
            i = end;
        } else if (/[a-z]/i.test(c)) {
            const end = i + /^\w+/.exec(text.slice(i, i + 40))[0].length;
            out.push([i, end, "word"]);
            i = end;
        } else {
            i++;
        }
    }
    return out;
}

// Where each line begins.
export function lineStarts(text) {
    const out = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
        out.push(at + 1);
    }
    return out;
}

// The pieces of one line, [text, kind or null], from tokens of the whole text; `first`: a token that does not end before the line.
export function linePieces(text, list, first, start, end) {
    const out = [];
    let at = start;
    for (let i = first; i < list.length && list[i][0] < end; i++) {
        const [from, to, kind] = list[i];
        const low = Math.max(from, start), high = Math.min(to, end);
        if (low > at) {
            out.push([text.slice(at, low), null]);
        }
        if (high > low) {
            out.push([text.slice(low, high), kind]);
            at = high;
        }
    }
    if (at < end) {
        out.push([text.slice(at, end), null]);
    }
    return out;
}

// The first token that ends after a place.
export function tokenAfter(list, place) {
    return firstPlace(list.length, (i) => list[i][1] > place);
}
