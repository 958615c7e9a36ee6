// Share and save: a link, a picture, a recording, the scene's text, the plots as a table.

import { byId, download, el, fileName, icon, iconButton } from "./dom.js";
import { encodeLink, linkTo } from "./share.js";

const LONG_LINK = 30000; // characters: many programs cut an address off beyond

export class SaveDialog {
    constructor(session, stage, recorder, plots, messages, library) {
        Object.assign(this, { session, stage, recorder, plots, messages, library });
        this.dialog = byId("share");
        this.recent = this.#item("film", "Save the last seconds", "", () => this.recorder.saveRecent());
        this.link = this.#item("link", "Copy a link", "to this scene, with what the controls have changed", () => this.copyLink());
        this.scene = this.#item("file", "Save the scene", "its text, .json", () => this.saveScene());
        this.record = this.#item("record", "Record", "from now on, as a .reel for this page", () => this.#record());
        const close = iconButton("close", "Close", () => this.dialog.close());
        this.address = el("input", { type: "text", readonly: true, hidden: true, "aria-label": "Link" });
        this.address.addEventListener("focus", () => this.address.select());
        this.fault = el("p", { class: "fault", role: "alert", hidden: true });
        this.dialog.append(
            el("div", { class: "dialog-head" }, el("h2", { id: "share-title" }, "Share and save"), close),
            el("div", { class: "items" }, this.link, this.address, this.fault,
                this.#item("camera", "Save a picture", "what is to be seen now, .png", () => this.savePicture()),
                this.record, this.recent, this.scene,
                this.#item("plots", "Save the plots", "as a table, .csv", () => this.plots.save())),
        );
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
        this.address.hidden = this.fault.hidden = true;
        if (!this.dialog.open) {
            this.dialog.showModal();
            this.link.focus();
        }
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
            this.messages.tell(address.length > LONG_LINK ? "Copied. The link is long: some programs will cut it off." : "Link copied.");
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
            download(await this.stage.screenshot(), fileName(this.session.scene?.path ?? "recording", ".png"));
        } catch (error) {
            this.messages.warn(`No picture could be made: ${error.message}`);
        }
    }

    // Settings go into a comment at the top, as the command line takes them.
    saveScene() {
        const { path, text, settings } = this.session.current;
        const quoted = (setting) => `'${setting.replace(/[\r\n]+/g, " ").replaceAll("'", "'\\''")}'`; // whoever wrote the link, a shell takes it as one word
        const head = settings.map((setting) => `//   --set ${quoted(setting)}\n`).join("");
        const whole = head ? `// Changed in the browser; run this with\n${head}\n${text}` : text;
        download(new Blob([whole], { type: "application/json" }), fileName(path.replace(/^.*\//, ""), ".json"));
        this.dialog.close();
    }
}
