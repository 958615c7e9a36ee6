// What the page says to its user: short notes that go away, and what keeps it from working at all.

import { byId, el, icon, iconButton } from "./dom.js";

const STAY_MS = 4000;
const STAY_ERROR_MS = 12000;
const MOST = 4; // notes at a time

export class Messages {
    constructor() {
        this.list = byId("messages");
        this.wall = byId("fatal");
    }

    tell(text, milliseconds = STAY_MS) {
        this.#add(text, "", milliseconds);
    }

    // Something went wrong; the page goes on.
    warn(text) {
        this.#add(text, "error", STAY_ERROR_MS);
    }

    // What was wrong is so no more.
    clear() {
        this.list.querySelectorAll(".error").forEach((note) => note.remove());
    }

    #add(text, kind, milliseconds) {
        const note = el("div", { class: `card note ${kind}` }, el("p", {}, text));
        const remove = () => note.remove();
        note.append(iconButton("close", "Close this message", remove));
        this.list.append(note);
        while (this.list.children.length > MOST) {
            this.list.firstChild.remove();
        }
        setTimeout(remove, milliseconds);
    }

    // The page cannot do its work: said in the middle of it, in plain words.
    fatal(title, text) {
        this.wall.replaceChildren(el("div", { class: "card" }, icon("warning"), el("h2", {}, title), el("p", {}, text)));
        this.wall.hidden = false;
    }
}
