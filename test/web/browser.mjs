// Debian's chromium with the page in it. Every tab notes what would be wrong on any page: errors in the console, exceptions, crashes, and
// requests to anybody but the page's own files.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const PAGE = process.env.CORDAGE_PAGE ?? join(ROOT, "build/web/cordage.html");
export const PICTURES = join(dirname(PAGE), "pictures"); // that tests take, to be looked at
export const PATIENCE = Number(process.env.PATIENCE ?? 120000); // wait for anything [ms]: no test depends on how fast the machine is

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PACKAGES = join(ROOT, "app/web/package.json");
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

export function distance(a, b) {
    return Math.hypot(...a.map((value, k) => value - b[k]));
}

// What is missing for tests in a browser, in a sentence; "": nothing.
export function missing() {
    if (!existsSync(PAGE)) {
        return `there is no page ${PAGE} ("make web" makes it)`;
    }
    if (!existsSync(CHROMIUM)) {
        return `there is no ${CHROMIUM} (Debian's package chromium; CHROMIUM names another one)`;
    }
    const installed = existsSync(join(dirname(PACKAGES), "node_modules/playwright-core"));
    return installed ? "" : "app/web has no playwright-core (scripts/web installs it)";
}

export class Browser {
    #browser = null;
    #tabs = [];
    #idle = []; // windows that wait for the next test: { kind, context, page }

    async start() {
        const { chromium } = createRequire(PACKAGES)("playwright-core");
        this.#browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
    }

    // The page in a window of its own, with nothing remembered. `options`:
    //   page      another one, a path
    //   address   the whole of it, in place of all these
    //   origin    a server to take it from (its address ends with /); else it comes from disk
    //   fragment  what stands behind the # of its address
    //   still     nothing plays by itself, as for those who want less motion
    //   sharp     pictures as its users see them; else coarse ones, and few: software draws them, and would take all the time there is
    //   viewport, colorScheme, and whatever else playwright's newContext takes: hasTouch, isMobile
    async open({
        page = PAGE, address = null, origin = null, fragment = "", still = false, sharp = false,
        viewport = { width: 960, height: 600 }, colorScheme = "light", ...options
    } = {}) {
        const window = await this.#window(sharp, options), tab = new Tab(window, origin);
        this.#tabs.push(tab);
        await tab.page.setViewportSize(viewport);
        await tab.page.emulateMedia({ colorScheme, reducedMotion: still ? "reduce" : "no-preference" });
        const base = origin ?? pathToFileURL(page).href;
        await tab.page.goto(address ?? (fragment ? `${base}#${fragment}` : base));
        await tab.page.evaluate(() => window.cordage.ready);
        return tab;
    }

    // One that a test has left, if there is one of this kind: a new one takes twice as long to show the page.
    async #window(sharp, options) {
        const kind = JSON.stringify([sharp, options]), found = this.#idle.findIndex((window) => window.kind === kind);
        if (found >= 0) {
            return this.#idle.splice(found, 1)[0];
        }
        const context = await this.#browser.newContext(options);
        if (!sharp) {
            await context.addInitScript(drawLittle);
        }
        const page = await context.newPage();
        page.setDefaultTimeout(PATIENCE);
        return { kind, context, page };
    }

    // What the tabs show, for those who look for the reason of a failure.
    async describe() {
        const lines = this.#tabs.map(({ page }) => page.evaluate(() => {
            const { title, mode, playing, time, rods } = window.cordage.state();
            const words = [...document.querySelectorAll("#messages p, #fatal p")].map((node) => node.textContent);
            return JSON.stringify({ title, mode, playing, time, model: rods[0]?.model, words });
        }).catch((error) => error.message));
        return Promise.all(lines);
    }

    // What was wrong with any tab since they were opened. They are left: windows are used again if `good`, all went as it should.
    async closeTabs(good) {
        const problems = this.#tabs.flatMap((tab) => tab.problems);
        const windows = this.#tabs.map((tab) => tab.leave());
        this.#tabs = [];
        await Promise.all(windows.map((window) => (good && problems.length === 0 ? this.#clear(window) : window.context.close())));
        return problems;
    }

    async #clear(window) {
        await window.page.evaluate(() => localStorage.clear());
        await window.page.goto("about:blank");
        await window.page.mouse.move(0, 0);
        this.#idle.push(window);
    }

    async stop() {
        await this.#browser?.close();
    }
}

// Runs in the page before its scripts, in every document: window.cordage, once it is made, has the stage draw as little as it can.
function drawLittle() {
    Object.defineProperty(window, "cordage", {
        configurable: true,
        set(value) {
            Object.defineProperty(window, "cordage", { value });
            value.stage.setQuality("least");
        },
    });
}

// One page. Its methods ask window.cordage, which app/web/src/main.js describes.
export class Tab {
    problems = [];
    #watches = [];

    constructor(window, origin) {
        this.window = window;
        this.context = window.context;
        this.page = window.page;
        const watch = (from, event, work) => {
            from.on(event, work);
            this.#watches.push(() => from.off(event, work));
        };
        const note = (text) => this.problems.push(text);
        watch(this.context, "request", (request) => this.#request(request.url(), origin));
        watch(this.page, "websocket", (socket) => note(`the page talks to ${socket.url()}`));
        watch(this.page, "pageerror", (error) => note(`exception: ${error.stack ?? error.message}`));
        watch(this.page, "crash", () => note("the page crashed"));
        watch(this.page, "console", (message) => message.type() === "error" && note(`console: ${message.text()}`));
        watch(this.page, "dialog", (dialog) => {
            note(`the page asks: ${dialog.message()}`);
            dialog.dismiss();
        });
    }

    // Nothing is watched any more. The window, for the next one.
    leave() {
        this.#watches.forEach((end) => end());
        return this.window;
    }

    #request(url, origin) {
        if (!/^(file|data|blob):/.test(url) && !(origin && url.startsWith(origin))) {
            this.problems.push(`the page asks for ${url}`);
        }
    }

    state() {
        return this.page.evaluate(() => window.cordage.state());
    }

    async time() {
        return this.page.evaluate(() => window.cordage.frame().time);
    }

    // Node positions of all rods, one after the other: [[x, y, z]...]
    async nodes() {
        const x = await this.page.evaluate(() => Array.from(window.cordage.frame().x));
        return Array.from({ length: x.length / 3 }, (_, i) => x.slice(3 * i, 3 * i + 3));
    }

    async node(index) {
        return (await this.nodes())[index];
    }

    ask(type, fields = {}) {
        return this.page.evaluate(([t, f]) => window.cordage.ask(t, f), [type, fields]);
    }

    async knot(rod = 0) {
        return (await this.ask("knot", { rod })).value;
    }

    async hash() {
        return (await this.ask("hash")).value;
    }

    send(type, fields = {}) {
        return this.page.evaluate(([t, f]) => window.cordage.send(t, f), [type, fields]);
    }

    // Runs a scene: the answer of the engine, { ok, notes }.
    open(text, options = {}) {
        return this.page.evaluate(([t, o]) => window.cordage.open(t, o), [text, options]);
    }

    // Runs a scene of scenes/, which must be accepted.
    async openScene(name, settings = []) {
        const path = `scenes/${name}.json`;
        const { ok, notes } = await this.open(readFileSync(join(ROOT, path), "utf8"), { path, settings });
        if (!ok) {
            throw new Error(`${path}: ${JSON.stringify(notes)}`);
        }
    }

    // Waits until `test`, a function that runs in the page, is true.
    until(test, argument = null) {
        return this.page.waitForFunction(test, argument, { polling: 20 });
    }

    // Waits for an error message of the page: its words. They are read at once, since messages go away after some seconds.
    async told() {
        return (await this.until(() => document.querySelector("#messages .error")?.textContent)).jsonValue();
    }

    // Waits until so much simulated time has gone by.
    pass(seconds) {
        return this.page.evaluate(([wanted, patience]) => new Promise((resolve, reject) => {
            const end = window.cordage.frame().time + wanted, late = performance.now() + patience;
            const look = () => {
                const { time } = window.cordage.frame();
                if (time >= end) {
                    resolve();
                } else if (performance.now() > late) {
                    reject(new Error(`simulated time stands at ${time} s`));
                } else {
                    setTimeout(look, 4);
                }
            };
            look();
        }), [seconds, PATIENCE]);
    }

    // So many frames on, whether the page plays or not, as fast as the engine goes: no test waits for real time.
    steps(count) {
        return this.page.evaluate(async (frames) => {
            if (!(await window.cordage.advance(frames) > 0)) {
                throw new Error(`simulated time stands at ${window.cordage.frame().time} s`);
            }
        }, count);
    }

    goOn() {
        return this.steps(1);
    }

    // Goes on, some frames at a time and `most` in all, until `test`, a function that runs in the page, is true.
    async stepsUntil(test, argument = null, { frames = 6, most = 3000 } = {}) {
        for (let gone = 0; !(await this.page.evaluate(test, argument)); gone += frames) {
            if (gone >= most) {
                throw new Error(`after ${gone} frames it is not so: ${test}`);
            }
            await this.steps(frames);
        }
    }

    // ---- the pointer

    // Where points of the scene are on the page [pixels].
    places(points) {
        return this.page.evaluate((list) => list.map((point) => {
            const corner = document.getElementById("canvas").getBoundingClientRect();
            const { x, y } = window.cordage.stage.project(point);
            return { x: corner.left + x, y: corner.top + y };
        }), points);
    }

    async at(point) {
        return (await this.places([point]))[0];
    }

    async point(point) {
        const { x, y } = await this.at(point);
        await this.page.mouse.move(x, y);
    }

    // Time stands still while `work` is done, which needs things to stay where they are; the page's own button does not know.
    async stopped(work) {
        const { playing } = await this.state();
        await this.send("play", { on: false });
        await this.settled();
        const result = await work();
        await this.send("play", { on: playing });
        return result;
    }

    // Waits until the page shows the state of the worker, which must not be stepping. Frames come before answers, and one frame may wait
    // until the page has acknowledged the last.
    settled() {
        return this.page.evaluate(async () => {
            await window.cordage.ask("hash");
            await new Promise(requestAnimationFrame);
            await window.cordage.ask("hash");
        });
    }

    // Presses on a node, and waits until the hand has it.
    grab(index) {
        return this.stopped(async () => {
            await this.point(await this.node(index));
            await this.page.mouse.down();
            await this.until(() => window.cordage.state().hand !== null);
            return (await this.state()).hand;
        });
    }

    // Lets go, with Shift where it is to be pinned, and waits until that has been heard.
    async release({ pin = false } = {}) {
        if (pin) {
            await this.page.keyboard.down("Shift");
        }
        await this.page.mouse.up();
        await this.until(() => window.cordage.state().hand === null);
        if (pin) {
            await this.page.keyboard.up("Shift");
        }
    }

    // Presses twice on a node, until it is pinned: a page that is busy may take both presses for two single ones.
    async pinHere(node) {
        const isPinned = () => this.page.evaluate((wanted) => window.cordage.state().pins.some((pin) => pin.node === wanted), node);
        await this.stopped(async () => {
            const { x, y } = await this.at(await this.node(node));
            for (let tries = 0; tries < 5 && !(await isPinned()); tries++) {
                await this.page.mouse.click(x, y, { clickCount: 2 });
                await this.settled();
            }
        });
        if (!(await isPinned())) {
            throw new Error(`node ${node} is not pinned`);
        }
    }

    // ---- files

    // Opens files as the user does: paths, or { name, buffer } each.
    give(files) {
        const whole = (file) => (file.buffer ? { mimeType: "application/octet-stream", ...file } : file);
        return this.page.locator("input[type=file]").setInputFiles(Array.isArray(files) ? files.map(whole) : whole(files));
    }

    // What `work` makes the page download: { name, path, bytes }.
    async downloaded(work) {
        const [file] = await Promise.all([this.page.waitForEvent("download"), work()]);
        const path = await file.path();
        return { name: file.suggestedFilename(), path, bytes: new Uint8Array(readFileSync(path)) };
    }

    // What the dialog "Share and save" saves under a name.
    save(name) {
        return this.downloaded(async () => {
            await this.page.getByRole("button", { name: "Share and save", exact: true }).click();
            await this.page.getByRole("dialog").getByRole("button", { name }).click();
        });
    }

    // The page's own recording of the last seconds.
    async savedReel() {
        const { bytes } = await this.save(/^Save the last seconds/);
        await this.page.keyboard.press("Escape");
        return Buffer.from(bytes);
    }

    // ---- recordings

    // A frame of a recording, chosen by its slider: { time, x }.
    seek(index) {
        return this.page.evaluate((value) => {
            const slider = document.querySelector("#transport input[aria-label=Frame]");
            slider.value = value;
            slider.dispatchEvent(new Event("input"));
            window.cordage.stage.prepare(); // as for a picture of it
            const { time, x } = window.cordage.frame();
            return { time, x: Array.from(x) };
        }, index);
    }

    // ---- pictures

    // Of the page as its users see it, in a file to be looked at.
    async screenshot(name) {
        await this.page.evaluate(() => window.cordage.stage.setQuality("high"));
        await this.page.screenshot({ path: join(PICTURES, name) });
        await this.page.evaluate(() => window.cordage.stage.setQuality("least"));
    }

    // Of the page, as numbers: see `figuresOf`.
    async picture(path) {
        const png = await this.page.screenshot({ path });
        return this.page.evaluate(figuresOf, png.toString("base64"));
    }

    // How many pixels of a small picture of the scene differ with the rods in it from what it is without them.
    pixelsOfRods() {
        return this.page.evaluate(differenceOfRods);
    }
}

// Both run in the page. { colors: how many different ones, mean and deviation of brightness, 0 to 255 }
async function figuresOf(base64) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const colors = new Set();
    let sum = 0, squares = 0;
    for (let i = 0; i < data.length; i += 4) {
        const light = (data[i] + data[i + 1] + data[i + 2]) / 3;
        sum += light;
        squares += light * light;
        colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    }
    const mean = (4 * sum) / data.length;
    return { colors: colors.size, mean, deviation: Math.sqrt((4 * squares) / data.length - mean * mean) };
}

async function differenceOfRods() {
    const { stage } = window.cordage;
    const take = async (shown) => {
        stage.showRods(shown);
        const bitmap = await createImageBitmap(await stage.screenshot(320, 200));
        const context = new OffscreenCanvas(320, 200).getContext("2d");
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, 320, 200).data;
    };
    const without = await take(false), whole = await take(true);
    let count = 0;
    for (let i = 0; i < whole.length; i += 4) {
        const most = Math.max(...[0, 1, 2].map((k) => Math.abs(whole[i + k] - without[i + k])));
        count += most > 8 ? 1 : 0; // of 255: more than rounding
    }
    return count;
}
