// Nothing in a scene becomes markup or script of the page: names, titles, comments and keys that try, by editor, link and file.
import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import { suite } from "./suite.mjs";

const EVIL = [
    "<img src=x onerror=window.hacked=1>",
    "\"><script>window.hacked=1</script>",
    "</textarea></script><svg onload=window.hacked=1>",
    "javascript:window.hacked=1",
    "${window.hacked=1}{{window.hacked=1}}",
    "' onmouseover='window.hacked=1' x='",
    "<iframe srcdoc='<script>parent.hacked=1</script>'>",
    "<a href=javascript:window.hacked=1>here</a>",
    "__proto__",
    "\u202e<b>bold\n</b>",
];


function rod(name, y, more = {}) {
    return {
        name, integrator: "backward_euler", material: "rubber", section: { disc: { radius: 0.01 } }, elements: 10,
        shape: { line: { from: [0, y, 0.5], to: [1, y, 0.5] } }, ...more,
    };
}

// A scene that runs if names may be any text: its rods, materials, bodies, obstacles, probes, title and comments have the text.
function sceneNamed(text) {
    const name = text.replace(/[[\]/]/g, "|").slice(0, 50);
    const value = {
        cordage: 1, title: text, materials: { [name]: { like: "rubber" } },
        rods: [rod(`${name}1`, 0, { material: name }), rod(`${name}2`, 0.5)],
        clamps: [{ rod: `${name}1`, at: "start", fix: "frame" }],
        bodies: [{ name: `${name}3`, shape: { sphere: { radius: 0.02 } }, mass: 0.1, position: [0, 1, 1] }],
        obstacles: [{ name: `${name}4`, plane: { normal: [0, 0, 1], offset: 0 } }],
        probes: [{ name: `${name}5`, rod: `${name}1`, at: "end", measure: "position" }],
    };
    return `// ${text.replace(/\s/g, " ")}\n${JSON.stringify(value)}`;
}

// Scenes with errors, whose notes repeat the text.
function scenesRefused(text) {
    const of = (more, first = {}) => JSON.stringify({ cordage: 1, rods: [rod("a", 0, first)], ...more }, null, 1);
    return [
        of({ [`k${text}`]: 1 }),
        of({}, { model: text }),
        of({}, { material: `m${text}` }),
        of({}, { [`k${text}`]: 1 }),
        of({ clamps: [{ rod: `r${text}`, at: "start", fix: "frame" }] }),
        of({ obstacles: [{ name: "o", mesh: { file: `f${text}` } }] }),
        `{ ${text}`,
    ];
}

// One of them, another for each text and way in.
function oneOf(scenes, number) {
    return scenes[number % scenes.length];
}

function linkOf(scene) {
    return deflateRawSync(JSON.stringify(scene)).toString("base64url");
}

// What a page must never have: handlers in attributes, addresses with script in them, or more elements of these kinds than it began with.
function census(tab) {
    return tab.page.evaluate(() => {
        const all = [...document.querySelectorAll("*")];
        const attributes = all.flatMap((node) => [...node.attributes]);
        const kinds = ["SCRIPT", "IFRAME", "OBJECT", "EMBED", "IMG", "A", "FORM", "LINK", "BASE", "META", "STYLE", "TEMPLATE"];
        return {
            hacked: window.hacked ?? null,
            polluted: Object.keys(Object.prototype).length + Object.keys(Array.prototype).length,
            handlers: attributes.filter(({ name }) => name.startsWith("on")).length,
            script: attributes.filter(({ value }) => /^\s*javascript:/i.test(value)).length,
            kinds: kinds.map((kind) => all.filter((node) => node.tagName === kind).length).join(" "),
        };
    });
}

async function check(tab, before, what) {
    assert.deepEqual(await census(tab), before, what);
}

function fresh(tab) {
    return tab.page.evaluate(() => document.getElementById("messages").replaceChildren());
}

const isAnswered = ([text]) => window.cordage.state().title === text || document.querySelector("#messages .error") !== null;

// Three ways in. Each is through when the scene runs, or a message says why not.
const WAYS = {
    async file(tab, text, title, name) {
        await tab.give({ name: `${name.replaceAll("/", "|")}.json`, buffer: Buffer.from(text) });
        await tab.until(isAnswered, [title]);
    },
    async link(tab, text, title, name) {
        const fragment = linkOf({ path: `${name}.json`, text, settings: [`title=${JSON.stringify(title)}`] });
        await tab.page.evaluate((value) => {
            window.location.hash = `#scene=${value}`;
        }, fragment);
        await tab.until(isAnswered, [title]);
    },
    async editor(tab, text) {
        if (!(await tab.page.locator("#editor").isVisible())) {
            await tab.page.getByRole("button", { name: "Scene editor" }).click();
        }
        await tab.page.getByRole("textbox", { name: "Scene text" }).fill(text);
        await tab.page.getByRole("button", { name: "Run", exact: true }).click();
        await tab.until(() => /error|Running/.test(document.querySelector("#editor .status").textContent));
        await tab.send("play", { on: false }); // it plays, whoever wants less motion or not
    },
};

await suite(Object.fromEntries(Object.entries(WAYS).map(([way, send]) => [
    `by ${way}: text stays text`,
    async (browser, note) => {
        const tab = await browser.open({ fragment: "open=tie", still: true });
        const before = await census(tab);
        assert.deepEqual([before.hacked, before.handlers, before.script], [null, 0, 0]);
        let ran = 0, refused = 0;
        for (const text of EVIL) {
            await fresh(tab);
            await send(tab, sceneNamed(text), text, text);
            if ((await tab.state()).title === text) {
                ran++;
                assert.equal(await tab.page.locator("#title").textContent(), text, "the title is shown as it is written");
                const names = await tab.page.locator("#panel select").first().evaluate((select) => {
                    select.selectedIndex = 1; // a rod by its name, though the editor may lie over the panel
                    select.dispatchEvent(new Event("change"));
                    return [...select.options].map((option) => option.textContent);
                });
                assert.equal(names[1], JSON.parse(sceneNamed(text).split("\n")[1]).rods[0].name);
                await tab.goOn();
            }
            await check(tab, before, text);
            const wrong = oneOf(scenesRefused(text), EVIL.indexOf(text) + 3 * Object.keys(WAYS).indexOf(way));
            await fresh(tab);
            await send(tab, wrong, "no such title", text);
            refused += (await tab.page.locator("#editor .notes li").count()) > 0 ? 1 : 0;
            await check(tab, before, wrong);
        }
        note(`${ran} scenes ran, ${refused} were refused with notes; nothing became markup`);
        assert.ok(ran >= 9 && refused === EVIL.length);
        await tab.goOn();
    },
])));
