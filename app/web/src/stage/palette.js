// Colours: the pairs that rods have in our pictures (src/export/picture_stage.c), the two themes, and the maps that show numbers.
import { ClampToEdgeWrapping, Color, DataTexture, LinearFilter, NearestFilter, RGBAFormat, SRGBColorSpace } from "three";

// Strong and light, pair by pair, as in the pictures.
const PAIRS = [
    [0xcb3f0a, 0xf6cf9f], // vermilion, sand
    [0x0a4f8f, 0x9dcbf0], // blue, ice
    [0x05704f, 0x9fdcbf], // green, mint
    [0xc98200, 0xffe394], // amber, straw
    [0x86296a, 0xebb0d6], // plum, rose
    [0x1f8ccc, 0xc2e6fb], // sky, mist
    [0x2b3240, 0xb3becd], // slate, silver
    [0x6e6208, 0xdcd488], // olive, lime
];

// The two strong tones that would be lost on a dark background are lifted there.
const DARK_STRONG = { 1: 0x1f6fbf, 6: 0x66738a };

export const THEMES = {
    light: {
        high: 0xdde2e8,
        low: 0xf3f4f5,
        corner: 0xc9ced6,
        pool: 0xfafbfb,
        poolShare: 0.55,
        shadow: 0x282c33,
        shadowShare: 0.46,
        line: 0x7f8b9b,
        lineShare: 0.26,
        sky: 0xf4f8ff,
        skyStrength: 1.0,
        earth: 0xd9d2c8,
        earthStrength: 0.72,
        key: 0xfff6ea,
        keyStrength: 1.0,
        rim: 0xffffff,
        rimStrength: 0.12,
        sheen: 1.0,
        body: [0x5b6b7a, 0xa9b5bf],
        obstacle: [0xa39b90, 0xb3aca2],
        plane: 0xcbc6be,
        ink: 0x18212d,
        paper: 0xffffff,
        accent: 0x0f766e,
    },
    dark: {
        high: 0x0e1116,
        low: 0x1a1f27,
        corner: 0x080a0d,
        pool: 0x2a313c,
        poolShare: 0.75,
        shadow: 0x020304,
        shadowShare: 0.62,
        line: 0x8b98aa,
        lineShare: 0.13,
        sky: 0xc9d8f0,
        skyStrength: 0.62,
        earth: 0x5c5650,
        earthStrength: 0.4,
        key: 0xfff3e2,
        keyStrength: 1.06,
        rim: 0xa9c6ff,
        rimStrength: 0.42,
        sheen: 0.7,
        body: [0x5f7183, 0xafbcc7],
        obstacle: [0x7b756d, 0x89837a],
        plane: 0x59564f,
        ink: 0xf2f5f8,
        paper: 0x10151c,
        accent: 0x2dd4bf,
    },
};

// Compression, nothing, tension. Legends on the page show the same colours (style/fields.css).
const DIVERGING = [0x123f8c, 0x4a8fd6, 0xb9d5ea, 0xe9e6e0, 0xf3c19b, 0xdf6a34, 0x9c1f12];
// Little, much.
const SEQUENTIAL = [0x2a2a6e, 0x6a3d9a, 0xb8458a, 0xe8705f, 0xf7b267, 0xfbe7a2];

const RAMP_WIDTH = 64;

function texture(bytes, width, height, filter) {
    const made = new DataTexture(bytes, width, height, RGBAFormat);
    made.colorSpace = SRGBColorSpace;
    made.magFilter = made.minFilter = filter;
    made.wrapS = made.wrapT = ClampToEdgeWrapping;
    made.needsUpdate = true;
    return made;
}

function putHex(bytes, at, hex) {
    bytes.set([(hex >> 16) & 255, (hex >> 8) & 255, hex & 255, 255], 4 * at);
}

// Row 0: strong; row 1: light; a column for each pair.
export function pairTexture(theme) {
    const bytes = new Uint8Array(4 * 2 * PAIRS.length);
    PAIRS.forEach(([strong, light], k) => {
        putHex(bytes, k, theme === "dark" && DARK_STRONG[k] ? DARK_STRONG[k] : strong);
        putHex(bytes, PAIRS.length + k, light);
    });
    return texture(bytes, PAIRS.length, 2, NearestFilter);
}

export function rampTexture(kind) {
    const stops = (kind === "energy" ? SEQUENTIAL : DIVERGING).map((hex) => new Color(hex).convertLinearToSRGB());
    const bytes = new Uint8Array(4 * RAMP_WIDTH);
    for (let i = 0; i < RAMP_WIDTH; i++) {
        const at = (i / (RAMP_WIDTH - 1)) * (stops.length - 1), k = Math.min(stops.length - 2, Math.floor(at));
        putHex(bytes, i, stops[k].clone().lerp(stops[k + 1], at - k).convertSRGBToLinear().getHex());
    }
    return texture(bytes, RAMP_WIDTH, 1, LinearFilter);
}

// Strands of one entry of a scene are called name_00001, name_00002, ... and share one pair; any other rod has its own.
function strandOf(name) {
    const parts = /^(.*)_\d{5}$/.exec(name);
    return parts ? parts[1] : null;
}

// The pair of each rod, and how many rods the largest set of strands has.
export function rodGroups(rods) {
    const pairs = new Uint32Array(rods.length);
    let group = -1, last = null, count = 0, most = 0;
    rods.forEach((rod, k) => {
        const strand = strandOf(rod.name);
        const goesOn = strand !== null && strand === last;
        group += goesOn ? 0 : 1;
        count = goesOn ? count + 1 : 1;
        most = strand !== null ? Math.max(most, count) : most;
        last = strand;
        pairs[k] = group % PAIRS.length;
    });
    return { pairs, most };
}
