// Settings, "path=value" as `cordage run --set` takes them, put into a parsed scene here too: so that controls start from what a
// scene with settings really has. docs/scene.md has the rules; what is wrong is the engine's to tell, and is passed over here.

// "rods[rope].elements" -> ["rods", "[rope]", "elements"]; null if it is no path
function pathParts(path) {
    const parts = path.match(/\[[^\]]*\]|[^.[\]]+/g);
    return parts && parts.join("").length + (path.match(/\./g) ?? []).length === path.length ? parts : null;
}

// Which members of `holder` a part of a path names.
function keysOf(holder, part) {
    const inner = part.startsWith("[") ? part.slice(1, -1) : part;
    if (!Array.isArray(holder)) {
        return [inner];
    }
    if (inner === "*") {
        return [...holder.keys()];
    }
    if (/^\d+$/.test(inner)) {
        return Number(inner) <= holder.length ? [Number(inner)] : [];
    }
    return [...holder.keys()].filter((i) => holder[i]?.name === inner);
}

function settingValue(text) {
    try {
        return JSON.parse(text);
    } catch {
        return text;
    }
}

function put(holder, parts, value) {
    for (const key of keysOf(holder, parts[0])) {
        if (key === "__proto__") {
            continue;
        }
        if (parts.length === 1) {
            holder[key] = structuredClone(value);
            continue;
        }
        if (holder[key] === null || typeof holder[key] !== "object") {
            holder[key] = parts[1].startsWith("[") && /^\[\d+\]$/.test(parts[1]) ? [] : {};
        }
        put(holder[key], parts.slice(1), value);
    }
}

// Changes `scene` (a parsed one).
export function applySettings(scene, settings) {
    for (const setting of settings) {
        const at = setting.indexOf("=");
        const parts = at > 0 ? pathParts(setting.slice(0, at)) : null;
        if (parts) {
            put(scene, parts, settingValue(setting.slice(at + 1)));
        }
    }
    return scene;
}
