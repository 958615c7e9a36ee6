// Small helpers for the page: elements, icons, numbers as people read them. Data only ever becomes text here, never markup, so
// that no name or title in a scene can add anything to the page.

const SVG = "http://www.w3.org/2000/svg";

// el("button", { class: "plain", "aria-label": "Play", onclick: f }, "text", child): functions become listeners, null and
// false leave an attribute out, true sets it empty.
export function el(tag, props = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
        if (typeof value === "function") {
            node.addEventListener(name.slice(2), value);
        } else if (value !== null && value !== undefined && value !== false) {
            node.setAttribute(name, value === true ? "" : value);
        }
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
}

// One of the symbols at the top of page.html.
export function icon(name) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", `#icon-${name}`);
    svg.append(use);
    return svg;
}

// A button that is an icon; `label` is what it is called, `props` say more.
export function iconButton(name, label, onclick, props = {}) {
    return el("button", { type: "button", class: "plain", "aria-label": label, title: label, onclick, ...props }, icon(name));
}

export function setIcon(svg, name) {
    svg.querySelector("use").setAttribute("href", `#icon-${name}`);
}

export function byId(id) {
    return document.getElementById(id);
}

// Three significant digits without an exponent where that reads well.
export function formatNumber(value, digits = 3) {
    if (!Number.isFinite(value)) {
        return "–";
    }
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
        return value.toExponential(digits - 1).replace("e+", "e").replace("-", "−").replace("e-", "e−");
    }
    const before = size < 1 ? 1 : Math.floor(Math.log10(size)) + 1;
    return value.toFixed(Math.max(0, digits - before)).replace("-", "−");
}

const NOTHING = 1e-12; // of any unit: what rounding leaves
const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

// The largest prefix that a size still fills: [1e6, "M"] for 1.5e6.
export function prefixOf(size) {
    return PREFIXES.find(([least]) => size >= least * 0.9995) ?? PREFIXES.at(-1);
}

// 1.5e6, "Pa" -> "1.50 MPa"
export function formatUnit(value, unit, digits = 3) {
    if (!Number.isFinite(value)) {
        return "–";
    }
    if (Math.abs(value) < NOTHING) {
        return `0 ${unit}`;
    }
    const [scale, prefix] = prefixOf(Math.abs(value));
    return `${formatNumber(value / scale, digits)} ${prefix}${unit}`;
}

export function formatBytes(count) {
    return count < 1e6 ? `${Math.max(1, Math.round(count / 1e3))} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

export function clamp(value, low, high) {
    return Math.min(high, Math.max(low, value));
}

// Calls `f` at most once for each picture, with what was given last.
export function eachPicture(f) {
    let last = null;
    return (...values) => {
        if (last === null) {
            requestAnimationFrame(() => {
                const now = last;
                last = null;
                f(...now);
            });
        }
        last = values;
    };
}

// Calls `f` once things have been quiet for `milliseconds`; `cancel` forgets a call that is due.
export function debounce(f, milliseconds) {
    let timer = 0;
    const later = (...values) => {
        clearTimeout(timer);
        timer = setTimeout(() => f(...values), milliseconds);
    };
    later.cancel = () => clearTimeout(timer);
    return later;
}

// Offers bytes to be kept as a file.
export function download(blob, name) {
    const address = URL.createObjectURL(blob);
    const link = el("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 60000); // the browser reads it in its own time
}

// A file name from a scene's path: letters, digits and a few signs, of which nothing can climb out of a folder.
export function fileName(path, ending) {
    const bare = path.replace(/^scenes\//, "").replace(/\.json$/, "");
    const stem = bare.replace(/[^\p{L}\p{N}_-]+/gu, "_").replace(/^_+|_+$/g, "").slice(0, 60);
    return `${stem || "scene"}${ending}`;
}
