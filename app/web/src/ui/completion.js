// Keys and words that the schema knows at the place where one writes, as a list below the line.

import { el } from "./dom.js";
import { commentEnd, stringEnd } from "./jsonc.js";

const MOST = 8; // entries that are shown

// Describes a place in the text: the path of keys to it (null: an entry of a list), whether a key must stand there, and the string that
// has been begun. Returns null inside a comment.
function contextAt(text, place) {
    const stack = []; // { list, key }
    let afterColon = false, word = null;
    for (let i = 0; i < place;) {
        const c = text[i];
        if (c === "/" && (text[i + 1] === "/" || text[i + 1] === "*")) {
            const end = commentEnd(text, i);
            if (end >= place) {
                return null;
            }
            i = end;
        } else if (c === "\"") {
            const end = stringEnd(text, i);
            const begins = end === i + 1; // a quote alone
            if (end > place || (end === place && (begins || text[end - 1] !== "\""))) {
                word = { from: i, to: end, text: text.slice(i + 1, place) };
                break;
            }
            const top = stack.at(-1);
            if (top && !top.list && !afterColon) {
                top.key = text.slice(i + 1, end - 1);
            }
            i = end;
        } else {
            if (c === "{" || c === "[") {
                stack.push({ list: c === "[", key: null });
            } else if (c === "}" || c === "]") {
                stack.pop();
            }
            afterColon = c === ":" || (afterColon && /\s/.test(c));
            i++;
        }
    }
    const top = stack.at(-1);
    const wantsKey = top !== undefined && !top.list && !afterColon;
    const path = stack.flatMap(({ list, key }, depth) => (list ? [null] : depth < stack.length - 1 || !wantsKey ? [key] : []));
    return { path, wantsKey, word };
}

// All schemas that a schema may mean: references followed, alternatives side by side.
function variants(schema, root, depth = 0) {
    if (!schema || depth > 8) {
        return [];
    }
    const out = [schema];
    if (schema.$ref?.startsWith("#/$defs/")) {
        out.push(...variants(root.$defs[schema.$ref.slice(8)], root, depth + 1));
    }
    for (const each of [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) {
        out.push(...variants(each, root, depth + 1));
    }
    return out;
}

function stepInto(schemas, key, root) {
    return schemas.flatMap((schema) => {
        const next = key === null ? [schema.items, ...(schema.prefixItems ?? [])]
            : [Object.hasOwn(schema.properties ?? {}, key) ? schema.properties[key] : schema.additionalProperties];
        return next.filter((each) => each !== null && typeof each === "object").flatMap((each) => variants(each, root));
    });
}

function keysOf(schema) {
    return Object.entries(schema.properties ?? {}).map(([key, value]) => [key, value.description]);
}

function wordsOf(schema) {
    const values = [...(schema.enum ?? []), schema.const];
    return values.filter((value) => typeof value === "string").map((value) => [value, ""]);
}

// What may stand there: [{ text, remark }].
function suggestions(root, context) {
    let schemas = variants(root, root);
    for (const key of context.path) {
        schemas = stepInto(schemas, key, root);
    }
    const found = new Map();
    for (const schema of schemas) {
        for (const [key, remark] of context.wantsKey ? keysOf(schema) : wordsOf(schema)) {
            if (!found.has(key)) {
                found.set(key, remark ?? "");
            }
        }
    }
    return [...found].map(([text, remark]) => ({ text, remark }));
}

export class Completion {
    #found = [];
    #chosen = 0;
    #context = null;

    // `placeOf`: where a place in the text is in the pane, in pixels
    constructor(area, pane, schema, placeOf) {
        this.area = area;
        this.schema = schema;
        this.placeOf = placeOf;
        this.box = el("ul", { class: "completion card", role: "listbox", id: "completions", "aria-label": "Completions", hidden: true });
        pane.append(this.box);
        area.setAttribute("aria-autocomplete", "list");
        area.setAttribute("aria-controls", this.box.id);
        area.setAttribute("aria-expanded", "false");
        area.addEventListener("input", () => setTimeout(() => this.offer(false)));
        area.addEventListener("blur", () => this.close());
        area.addEventListener("scroll", () => this.close());
        area.addEventListener("pointerdown", () => this.close());
    }

    get open() {
        return !this.box.hidden;
    }

    close() {
        this.#show(false);
    }

    // The text area keeps the focus: it tells which list belongs to it, and which entry is chosen there.
    #show(on) {
        this.box.hidden = !on;
        this.area.setAttribute("aria-expanded", on);
        if (on) {
            this.#draw();
        } else {
            this.area.removeAttribute("aria-activedescendant");
        }
    }

    // Within a string that is being written; `asked`: anywhere.
    offer(asked) {
        const place = this.area.selectionStart;
        const context = place === this.area.selectionEnd ? contextAt(this.area.value, place) : null;
        if (!this.schema || !context || (!context.word && !asked)) {
            this.close();
            return;
        }
        const start = (context.word?.text ?? "").toLowerCase();
        const goesOn = (text) => text.length > start.length && text.toLowerCase().startsWith(start);
        this.#found = suggestions(this.schema, context).filter(({ text }) => goesOn(text));
        this.#context = context;
        this.#chosen = 0;
        this.#show(this.#found.length > 0);
        const { x, y } = this.placeOf(context.word?.from ?? place);
        this.box.style.transform = `translate(${Math.max(0, x)}px, ${y}px)`;
    }

    #draw() {
        const first = Math.max(0, Math.min(this.#chosen - MOST + 2, this.#found.length - MOST));
        this.box.replaceChildren(...this.#found.slice(first, first + MOST).map(({ text, remark }, k) =>
            el("li", {
                id: this.#idOf(first + k), role: "option", "aria-selected": first + k === this.#chosen ? "true" : "false",
                "aria-posinset": first + k + 1, "aria-setsize": this.#found.length,
                onpointerdown: (event) => {
                    event.preventDefault(); // the text area keeps the focus
                    this.#take(first + k);
                },
            }, el("b", {}, text), el("span", {}, remark))));
        this.area.setAttribute("aria-activedescendant", this.#idOf(this.#chosen));
    }

    #idOf(index) {
        return `${this.box.id}-${index}`;
    }

    // Takes keys while the list is open; returns whether it did.
    key(event) {
        if (!this.open || event.ctrlKey || event.metaKey) {
            return false;
        }
        const moves = { ArrowDown: 1, ArrowUp: -1 };
        if (event.key in moves) {
            this.#chosen = (this.#chosen + moves[event.key] + this.#found.length) % this.#found.length;
            this.#draw();
        } else if (event.key === "Enter" || event.key === "Tab") {
            this.#take(this.#chosen);
        } else if (event.key === "Escape") {
            this.close();
        } else {
            return false;
        }
        event.preventDefault();
        event.stopPropagation();
        return true;
    }

    #take(index) {
        const { text } = this.#found[index];
        const { word, wantsKey } = this.#context;
        const from = word?.from ?? this.area.selectionStart;
        const after = this.area.value.slice(word?.to ?? from);
        // A quote that is followed by a letter begins the next string and does not close this one.
        const closed = word && word.to > word.from + 1 && this.area.value[word.to - 1] === "\"" && !/^\w/.test(after);
        const to = closed ? word.to : this.area.selectionStart;
        const colon = wantsKey && !/^\s*:/.test(this.area.value.slice(to)) ? ": " : "";
        this.area.setSelectionRange(from, to);
        const whole = `"${text}"${colon}`;
        if (!document.execCommand("insertText", false, whole)) {
            this.area.setRangeText(whole, from, to, "end");
            this.area.dispatchEvent(new Event("input"));
        }
        this.close();
    }
}
