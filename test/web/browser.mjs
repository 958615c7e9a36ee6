// Debian's chromium with the page in it. What would be wrong on any page is watched throughout: errors in the console, exceptions, crashes, and
// requests to anybody but the page's own files.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const PAGE = process.env.CORDAGE_PAGE ?? join(ROOT, "build/web/cordage.html");
export const PICTURES = join(dirname(PAGE), "pictures"); // that tests take, to be looked at
export const PATIENCE = Number(process.env.PATIENCE ?? 120000); // for anything that comes by itself [ms]: how fast the machine is decides no test

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PACKAGES = join(ROOT, "app/web/package.json");
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

// What is missing for tests in a browser, in a sentence; "": nothing.
export function missing() {
    if (!existsSync(PAGE)) {
        return `there is no page ${PAGE} ("make web" makes it)`;
    }
    if (!existsSync(CHROMIUM)) {
        return `there is no ${CHROMIUM} (Debian's package chromium; CHROMIUM names another one)`;
    }
    return existsSync(join(dirname(PACKAGES), "node_modules/playwright-core")) ? "" : "app/web has no playwright-core (scripts/web installs it)";
}

export class Browser {
    #browser = null;
    #tabs = [];

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
    //   ...       whatever playwright's newContext takes: viewport, hasTouch, colorScheme
    async open({ page = PAGE, address = null, origin = null, fragment = "", still = false, ...options } = {}) {
        const context = await this.#browser.newContext({
            viewport: { width: 960, height: 600 }, reducedMotion: still ? "reduce" : "no-preference", ...options,
        });
        const tab = new Tab(context, await context.newPage(), origin);
        this.#tabs.push(tab);
        const base = origin ?? pathToFileURL(page).href;
        await tab.page.goto(address ?? (fragment ? `${base}#${fragment}` : base));
        await tab.page.evaluate(() => window.cordage.ready);
        return tab;
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

    // What was wrong with any tab since they were opened; they are closed.
    async closeTabs() {
        const problems = this.#tabs.flatMap((tab) => tab.problems);
        await Promise.all(this.#tabs.map((tab) => tab.context.close()));
        this.#tabs = [];
        return problems;
    }

    async stop() {
        await this.#browser?.close();
    }
}

// One page. Its methods ask window.cordage, which app/web/src/main.js describes.
export class Tab {
    problems = [];

    constructor(context, page, origin) {
        this.context = context;
        this.page = page;
        page.setDefaultTimeout(PATIENCE);
        context.on("request", (request) => this.#request(request.url(), origin));
        page.on("websocket", (socket) => this.problems.push(`the page talks to ${socket.url()}`));
        page.on("pageerror", (error) => this.problems.push(`exception: ${error.stack ?? error.message}`));
        page.on("crash", () => this.problems.push("the page crashed"));
        page.on("console", (message) => message.type() === "error" && this.problems.push(`console: ${message.text()}`));
        page.on("dialog", (dialog) => {
            this.problems.push(`the page asks: ${dialog.message()}`);
            dialog.dismiss();
        });
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

    // Waits until `test`, a function that runs in the page, is true.
    until(test, argument = null) {
        return this.page.waitForFunction(test, argument, { polling: 20 });
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

    // One frame on, whether the page plays or not.
    async goOn() {
        const time = await this.time();
        await this.send("step");
        await this.until((t) => window.cordage.frame().time > t, time);
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

    // So many frames on, of a page that does not play and a scene of 60 frames a second. What the pointer did last is sent with the next picture,
    // so that comes first.
    async steps(count) {
        const time = await this.page.evaluate(async (frames) => {
            await new Promise(requestAnimationFrame);
            const now = window.cordage.frame().time;
            for (let i = 0; i < frames; i++) {
                window.cordage.send("step");
            }
            return now;
        }, count);
        await this.until((end) => window.cordage.frame().time > end, time + (count - 0.5) / 60);
    }

    // What is seen is how the worker stands, which does not step now: frames come before answers, and there may be one that waits until the last is
    // taken over.
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

    // ---- pictures

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
