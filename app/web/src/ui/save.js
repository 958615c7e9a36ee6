// Share and save: a link, a picture, a recording, the scene's text, the plots as a table.

import { byId, download, el, fileName, icon, iconButton } from "./dom.js";
import { encodeLink, linkTo } from "./share.js";

const LONG_LINK = 30000; // characters: many programs cut an address off beyond
const LINK_MS = 9000;
const HERE_ONLY = /^(file:|https?:\/\/(127\.|localhost|\[::1\]))/.test(window.location.href); // nobody else has a page at such an address
const ONLY_HERE = " It opens on this machine alone: to others send the saved scene, or a page made by “cordage export --to html”.";

export class SaveDialog {
    constructor(session, stage, recorder, plots, messages, library) {
        Object.assign(this, { session, stage, recorder, plots, messages, library });
        this.dialog = byId("share");
        this.recent = this.#item("film", "Save the last seconds", "", () => this.recorder.saveRecent());
        this.link = this.#item("link", "Copy a link", "to this scene, with what the controls have changed", () => this.copyLink());
        this.scene = this.#item("file", "Save the scene", "its text, .json", () => this.saveScene());
        this.record = this.#item("record", "Record", "from now on, as a .reel for this page", () => this.#record());
        this.bits = this.#item("play", "Compare with the program", "", () => this.#finish());
        const close = iconButton("close", "Close", () => this.dialog.close());
        this.address = el("input", { type: "text", readonly: true, hidden: true, "aria-label": "Link" });
        this.address.addEventListener("focus", () => this.address.select());
        this.fault = el("p", { class: "fault", role: "alert", hidden: true });
        this.dialog.append(
            el("div", { class: "dialog-head" }, el("h2", { id: "share-title" }, "Share and save"), close),
            el("div", { class: "items" }, this.link, this.address, this.fault,
                this.#item("camera", "Save a picture", "what is to be seen now, .png", () => this.savePicture()),
                this.record, this.recent, this.scene,
                this.#item("plots", "Save the plots", "as a table, .csv", () => this.plots.save()), this.bits),
        );
        session.client.on("finishing", ({ time }) => this.#tellBits(`${time.toFixed(2)} s of ${session.info?.end ?? "?"} s …`));
        this.dialog.addEventListener("close", () => session.stopFinishing());
        this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
        byId("open-share").addEventListener("click", () => this.show());
    }

    #item(name, title, remark, onclick) {
        const words = el("span", {}, el("strong", {}, title), el("small", {}, remark));
        return el("button", { type: "button", class: "item", onclick }, icon(name), words);
    }

    show() {
        const live = this.session.mode === "live";
        const seconds = this.recorder.recentSeconds;
        this.recent.querySelector("small").textContent = `${seconds.toFixed(1)} s of frames, as a .reel for this page`;
        this.recent.disabled = !live || seconds === 0;
        this.record.disabled = !live;
        this.record.querySelector("strong").textContent = this.recorder.running ? "Stop recording" : "Record";
        this.link.disabled = this.scene.disabled = !this.session.scene;
        this.bits.disabled = !live;
        this.#tellBits("runs the scene to its end, with no hand on it, and tells its state");
        this.address.hidden = this.fault.hidden = true;
        if (!this.dialog.open) {
            this.dialog.showModal();
            this.link.focus();
        }
    }

    #tellBits(text) {
        this.bits.querySelector("small").textContent = text;
    }

    async #finish() {
        this.bits.disabled = true;
        this.bits.querySelector("small").setAttribute("aria-live", "off");
        const { ok, value, text } = await this.session.finish();
        this.bits.disabled = false;
        this.bits.querySelector("small").setAttribute("aria-live", "polite"); // the outcome is said, the way there is not
        this.#tellBits(ok ? `state ${value.hash} at ${value.time.toPrecision(6)} s, ${value.steps} steps: “cordage run” tells the same`
            : `it did not come to its end: ${text}`);
    }

    #record() {
        this.recorder.toggle();
        this.dialog.close();
    }

    // A shipped scene as it is has a short link; any other holds its text.
    async #makeLink() {
        const scene = this.session.current;
        const name = scene.path.replace(/^scenes\//, "").replace(/\.json$/, "");
        if (scene.settings.length === 0 && this.library.find(name)?.text === scene.text) {
            return linkTo("open", name);
        }
        return linkTo("scene", await encodeLink(scene));
    }

    async copyLink() {
        let address = "";
        try {
            address = await this.#makeLink();
            await navigator.clipboard.writeText(address);
            const length = address.length > LONG_LINK ? " It is long: some programs will cut it off." : "";
            this.messages.tell(`Link copied.${length}${HERE_ONLY ? ONLY_HERE : ""}`, LINK_MS);
            this.dialog.close();
        } catch (error) {
            if (address) { // no clipboard, as on a page from disk in some browsers: it can be copied by hand
                this.address.value = address;
                this.address.hidden = false;
                this.address.focus();
            } else {
                this.#warn(error.message);
                return;
            }
        }
        if (Object.keys(this.session.scene.files).some((name) => !(name in this.library.filesFor(this.session.scene.path)))) {
            this.#warn("The link holds no meshes: who opens it needs them, too.");
        }
    }

    // Where it can be seen: nothing is heard of what lies behind an open dialog.
    #warn(text) {
        if (this.dialog.open) {
            this.fault.textContent = text;
            this.fault.hidden = false;
        } else {
            this.messages.warn(text);
        }
    }

    async savePicture() {
        this.dialog.close();
        try {
            download(await this.stage.screenshot(), fileName(this.session.stem, ".png"));
        } catch (error) {
            this.messages.warn(`No picture could be made: ${error.message}`);
        }
    }

    // Settings go into a comment at the top, as the command line takes them.
    saveScene() {
        const { text, settings } = this.session.current;
        // A shell takes a quoted setting as one word, whatever the author of a link has put into it.
        const quoted = (setting) => `'${setting.replace(/[\r\n]+/g, " ").replaceAll("'", "'\\''")}'`;
        const head = settings.map((setting) => `//   --set ${quoted(setting)}\n`).join("");
        const whole = head ? `// Changed in the browser; run this with\n${head}\n${text}` : text;
        download(new Blob([whole], { type: "application/json" }), fileName(this.session.stem.replace(/^.*\//, ""), ".json"));
        this.dialog.close();
    }
}
