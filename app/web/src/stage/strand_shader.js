// Very many rods are thin. Each edge is then a band that faces the eye, shaded as a round thread of hair is: light is computed at its
// four corners alone, and a pixel, of which many lie behind each other, costs next to nothing.
import { ROD_TABLES } from "./tube_shader.js";

// An index names a slot, that is an edge, and a corner: 1 across, 2 along. `lamp`: the band faces the lamp and lies behind the axis,
// so that its shadow falls beyond it, not on it.
const BAND = /* glsl */ `
struct Band {
    vec3 position, tangent, aside, face, m1;
    float side, value;
    uint look;
};

Band bandOf(int index, bool lamp) {
    uint slot = uint(index) >> 10u;
    bool starts = (index & 2) == 0;
    uvec4 nodes = texelFetch(linkTable, tablePlace(slot), 0), style = texelFetch(styleTable, tablePlace(slot), 0);
    vec4 a = tableRow(nodeTable, nodes.y), b = tableRow(nodeTable, nodes.z), own = tableRow(edgeTable, style.x), here = starts ? a : b;
    vec3 x = here.xyz, t = unitOr(b.xyz - a.xyz, vec3(1.0, 0.0, 0.0)), tangent = t;
    uint beyond = starts ? nodes.x : nodes.w;
    if (beyond != NONE) {
        vec3 y = tableRow(nodeTable, beyond).xyz;
        tangent = unitOr(t + unitOr(starts ? x - y : y - x, t), t);
    }
    bool plain = (style.y & PLAIN) != 0u;
    float radius = drawnRadius(plain ? uintBitsToFloat(style.z) : here.w, x);
    vec3 to_eye = lamp ? vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]) : normalize(cameraPosition - x);
    Band band;
    band.side = (index & 1) == 0 ? -1.0 : 1.0;
    band.tangent = tangent;
    band.aside = unitOr(cross(to_eye, tangent), acrossAny(tangent));
    band.face = cross(tangent, band.aside);
    band.m1 = across(own.xyz, t);
    band.value = own.w;
    band.look = style.y;
    band.position = x + radius * (band.side * band.aside - (lamp ? 1.5 * to_eye : vec3(0.0)));
    return band;
}
`;

export const STRAND_CAST_VERTEX = /* glsl */ `
varying float vHeight;
${ROD_TABLES}
${BAND}
void main() {
    vec3 at = bandOf(gl_VertexID, true).position;
    vHeight = at.z;
    gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}
`;

const VARYINGS = /* glsl */ `
varying vec3 vStrong, vLight;        // its two colours in its light, as written to the screen
varying vec2 vAxis;                  // m1 across the band, and towards the eye
varying float vSide;
`;

export const STRAND_VERTEX = /* glsl */ `
#include <common>
#include <colorspace_pars_fragment>
${ROD_TABLES}
${BAND}
${VARYINGS}
uniform sampler2D pairTable;
uniform sampler2D rampTable;
uniform float colorByValue;
uniform int hoverRod;
uniform highp sampler2DShadow lampDepth;
uniform mat4 lampMatrix;
uniform vec3 lampDirection, lampColor, skyColor, earthColor;

float lampReaches(vec3 x) {
    vec4 at = lampMatrix * vec4(x, 1.0);
    bool inside = all(greaterThanEqual(at.xyz, vec3(0.0))) && all(lessThanEqual(at.xyz, vec3(1.0)));
    return inside ? texture(lampDepth, at.xyz) : 1.0;
}

vec3 screenColor(vec3 color) {
    return sRGBTransferOETF(vec4(min(color, vec3(1.0)), 1.0)).rgb;
}

// What a thin round thread sends back: the more across the light it is, and the more of its lit side faces the eye.
void main() {
    Band band = bandOf(gl_VertexID, false);
    vec3 t = band.tangent, to_eye = band.face, l = lampDirection, h = normalize(l + to_eye);
    float lit = lampReaches(band.position);
    float across_lamp = sqrt(max(0.0, 1.0 - dot(t, l) * dot(t, l)));
    float faced = 0.5 + 0.5 * dot(unitOr(l - dot(t, l) * t, to_eye), to_eye);
    float across_half = max(0.0, 1.0 - dot(t, h) * dot(t, h)), narrow = pow(across_half, 24.0);
    vec3 light = lampColor * lit * across_lamp * faced + mix(earthColor, skyColor, 0.5 + 0.5 * to_eye.z);
    light *= 0.84 + 0.28 * rand(vec2(float(band.look >> 8u), 1.0)); // no two hairs are the same
    vec3 gleam = 0.11 * lampColor * lit * faced * narrow;

    int pair = int(band.look & 7u);
    vec3 mapped = texture2D(rampTable, vec2(band.value, 0.5)).rgb;
    vec3 strong = mix(texelFetch(pairTable, ivec2(pair, 0), 0).rgb, mapped, colorByValue);
    vec3 pale = mix(texelFetch(pairTable, ivec2(pair, 1), 0).rgb, mapped * 0.75, colorByValue);
    float lifted = int(band.look >> 8u) == hoverRod ? 1.5 : 1.0;
    vStrong = screenColor(strong * light * lifted + gleam);
    vLight = (band.look & PLAIN) != 0u ? vStrong : screenColor(pale * light * lifted + gleam);
    vAxis = vec2(dot(band.aside, band.m1), dot(band.face, band.m1));
    vSide = band.side;
    gl_Position = projectionMatrix * viewMatrix * vec4(band.position, 1.0);
}
`;

// The stripes of the tubes, where they can be told apart.
export const STRAND_FRAGMENT = /* glsl */ `
${VARYINGS}
void main() {
    float bulge = sqrt(max(0.0, 1.0 - vSide * vSide));
    float to_axis = vSide * vAxis.x + bulge * vAxis.y, edge = 0.37 - to_axis * to_axis, width = fwidth(edge); // 52.5 degrees from m1
    float light = mix(clamp(edge / max(width, 1e-6) + 0.5, 0.0, 1.0), 0.417, smoothstep(0.5, 1.5, width));
    gl_FragColor = vec4(mix(vStrong, vLight, light) * (0.8 + 0.2 * bulge), 1.0);
}
`;
