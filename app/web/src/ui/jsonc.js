// A scene's text as a value: JSON with comments and trailing commas. The engine reads scenes by its own, far stricter reader;
// this one serves the controls, which look up what a scene has so as to change it, and finds null in what it cannot read.

const LIMIT = 4e6; // characters: beyond that the controls do without

// Blanks out comments, and commas before a closing bracket, keeping every other character where it is.
function stripComments(text) {
    const out = [];
    let comma = -1; // where in `out` a comma stands that nothing but blanks and comments has followed
    for (let i = 0; i < text.length;) {
        const c = text[i];
        if (c === "\"") {
            const end = stringEnd(text, i);
            out.push(text.slice(i, end));
            i = end;
            comma = -1;
        } else if (c === "/" && (text[i + 1] === "/" || text[i + 1] === "*")) {
            const end = commentEnd(text, i);
            out.push(text.slice(i, end).replace(/[^\n]/g, " "));
            i = end;
        } else {
            if ((c === "}" || c === "]") && comma >= 0) {
                out[comma] = " ";
            }
            if (!/\s/.test(c)) {
                comma = c === "," ? out.length : -1;
            }
            out.push(c);
            i++;
        }
    }
    return out.join("");
}

// One past the closing quote, or the end of the line if there is none.
export function stringEnd(text, start) {
    for (let i = start + 1; i < text.length; i++) {
        if (text[i] === "\\") {
            i++;
        } else if (text[i] === "\"") {
            return i + 1;
        } else if (text[i] === "\n") {
            return i;
        }
    }
    return text.length;
}

export function commentEnd(text, start) {
    const block = text[start + 1] === "*";
    const end = text.indexOf(block ? "*/" : "\n", start + 2);
    return end < 0 ? text.length : end + (block ? 2 : 0);
}

export function parseScene(text) {
    if (text.length > LIMIT) {
        return null;
    }
    try {
        const value = JSON.parse(stripComments(text.replace(/^\uFEFF/, "")));
        return value !== null && typeof value === "object" && !Array.isArray(value) ? value : null;
    } catch {
        return null;
    }
}

// The first paragraph of a scene's comments says what is to be seen: shipped scenes all begin with one.
export function firstComment(text) {
    const lines = [];
    for (const line of text.split("\n", 12)) {
        const match = /^\s*\/\/\s?(.*)$/.exec(line);
        if (!match?.[1].trim()) {
            break;
        }
        lines.push(match[1].trim());
    }
    return lines.join(" ").slice(0, 400);
}
