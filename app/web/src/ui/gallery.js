// The gallery: shipped scenes with pictures, in groups, to be searched; and files of one's own.

import { byId, el, icon, iconButton } from "./dom.js";

const GROUPS = [
    { folder: "", title: "Everyday things" },
    { folder: "der/", title: "Discrete elastic rods: Bergou et al. 2008" },
    { folder: "corde/", title: "CORDE: Spillmann and Teschner 2007" },
    { folder: "acm/", title: "Contact and knots: Spillmann and Teschner 2008" },
    { folder: "pbd/", title: "Position-based rods: Umetani et al. 2014" },
    { folder: "modal/", title: "Modal warping: networks of beams" },
];

export class Gallery {
    // `open(name)`: runs a shipped scene; `openFiles(files)`: what the user picked
    constructor(library, thumbs, open, openFiles) {
        this.dialog = byId("gallery");
        this.library = library;
        this.thumbs = thumbs;
        this.open = open;
        this.search = el("input", { type: "search", placeholder: "Search", "aria-label": "Search scenes", oninput: () => this.#filter() });
        this.files = el("input", {
            type: "file", multiple: true, hidden: true, accept: ".json,.jsonc,.reel,.obj,.ply,.stl,.csv", "aria-label": "Files",
            onchange: () => this.#picked(openFiles),
        });
        const pick = el("button", { type: "button", class: "small", onclick: () => this.files.click() }, icon("folder"), "Open a file");
        const close = iconButton("close", "Close the gallery", () => this.dialog.close());
        this.none = el("p", { class: "none", hidden: true }, "No scene has these words.");
        this.list = el("div", { class: "groups" }, ...this.#groups(), this.none);
        this.dialog.append(
            el("div", { class: "dialog-head" }, el("h2", { id: "gallery-title" }, "Scenes"),
                el("label", { class: "search" }, icon("search"), this.search), pick, this.files, close),
            this.list,
        );
        this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
        byId("open-gallery").addEventListener("click", () => this.show());
    }

    show() {
        if (!this.dialog.open) {
            this.dialog.showModal();
            this.search.focus({ preventScroll: true });
        }
    }

    #groups() {
        const favourites = this.library.scenes.filter((scene) => scene.favourite > 0).sort((a, b) => a.favourite - b.favourite);
        const groups = [this.#group("Play with these", favourites)];
        for (const { folder, title } of GROUPS) {
            groups.push(this.#group(title, this.library.scenes.filter((scene) => scene.folder === folder && !scene.favourite)));
        }
        const known = new Set(GROUPS.map(({ folder }) => folder));
        const others = this.library.scenes.filter((scene) => !known.has(scene.folder) && !scene.favourite);
        groups.push(this.#group("More", others));
        return groups.filter((group) => group !== null);
    }

    #group(title, scenes) {
        if (scenes.length === 0) {
            return null;
        }
        const cards = scenes.map((scene) => this.#card(scene));
        return el("section", { class: "group" }, el("h3", {}, title), el("div", { class: "cards" }, ...cards));
    }

    #card(scene) {
        const picture = this.thumbs[scene.name]
            ? el("img", { src: this.thumbs[scene.name], alt: "", width: 240, height: 135, loading: "lazy" })
            : el("div", { class: "no-picture" }, icon("mark"));
        const card = el("button", { type: "button", class: "scene", "data-name": scene.name, onclick: () => this.#choose(scene) },
            picture, el("strong", {}, scene.title), el("span", {}, scene.remark),
            scene.needs ? el("small", {}, scene.needs) : null);
        card.words = `${scene.name} ${scene.title} ${scene.remark}`.toLowerCase();
        return card;
    }

    #choose(scene) {
        this.dialog.close();
        this.open(scene.name);
    }

    #picked(openFiles) {
        const files = [...this.files.files];
        this.files.value = "";
        if (files.length > 0) {
            this.dialog.close();
            openFiles(files);
        }
    }

    #filter() {
        const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
        let any = false;
        for (const group of this.list.querySelectorAll(".group")) {
            let shown = 0;
            for (const card of group.querySelectorAll(".scene")) {
                card.hidden = !words.every((word) => card.words.includes(word));
                shown += card.hidden ? 0 : 1;
            }
            group.hidden = shown === 0;
            any ||= shown > 0;
        }
        this.none.hidden = any;
    }
}
