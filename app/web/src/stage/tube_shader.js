// The shaders of the tubes: from nodes to a smooth curve with the material frame along it, as src/export/picture_curve.c does for our
// pictures, and the braid on it.

// What the graphics card knows of the rods, and small things to do with it. Also for strands (strand_shader.js).
export const ROD_TABLES = /* glsl */ `
uniform highp sampler2D nodeTable;   // x y z, radius
uniform highp sampler2D edgeTable;   // m1, a number to colour by
uniform highp usampler2D linkTable;  // of a slot: the node before its edge, the edge's two, the one after
uniform highp usampler2D styleTable; // the edge, its look, and bits of floats: cells of the braid at its ends, or its radius
uniform vec4 eyePlane;               // the distance of x before the eye is dot(xyz, x) + w
uniform float radiusScale;
uniform float leastRadius;           // per unit of that distance

const uint NONE = 0xffffffffu;
const uint PLAIN = 8u;               // in the look: an edge of a network

ivec2 tablePlace(uint i) {
    return ivec2(int(i & 1023u), int(i >> 10u));
}

vec4 tableRow(highp sampler2D table, uint i) {
    return texelFetch(table, tablePlace(i), 0);
}

vec3 unitOr(vec3 a, vec3 otherwise) {
    float square = dot(a, a);
    return square > 0.0 ? a * inversesqrt(square) : otherwise;
}

vec3 acrossAny(vec3 n) {
    return normalize(abs(n.z) < 0.9 ? vec3(-n.y, n.x, 0.0) : vec3(0.0, -n.z, n.y));
}

vec3 across(vec3 m1, vec3 t) {
    return unitOr(m1 - dot(m1, t) * t, acrossAny(t));
}

float drawnRadius(float radius, vec3 x) {
    return max(radius * radiusScale, leastRadius * max(0.0, dot(eyePlane.xyz, x) + eyePlane.w));
}
`;

// Shared by what is seen and by what casts shadows. tubeOf says all about a vertex that the index names: a slot, that is an edge, and
// which vertex of it.
export const TUBE_VERTEX = /* glsl */ `
${ROD_TABLES}
uniform vec3 detail;                 // rings along an edge, sides, rings of a cap

struct Tube {
    vec3 position, normal, tangent;
    vec2 around;                     // cosine and sine of the angle from m1
    float cell, value, latitude;
    uint look;
};

// Turns a, at right angles to from, with the least rotation that takes from to to.
vec3 transport(vec3 a, vec3 from, vec3 to) {
    float c = dot(from, to);
    if (c < -0.999) {                // a hairpin: any turn will do, but it must be one
        return across(a, to);
    }
    vec3 w = cross(from, to);
    return a * c + cross(w, a) + w * (dot(w, a) / (1.0 + c));
}

// From one edge's frame to the next one's, about the tangent of the node between them.
float turnBetween(vec3 m1a, vec3 ta, vec3 m1b, vec3 tb, vec3 tangent) {
    vec3 from = transport(across(m1a, ta), ta, tangent), to = transport(across(m1b, tb), tb, tangent);
    return atan(dot(to, cross(tangent, from)), dot(to, from));
}

vec3 mirrored(vec3 tangent, vec3 t) {
    return 2.0 * dot(tangent, t) * t - tangent;
}

// With this handle the nodes of a circle give a circle.
float handle(float len, vec3 tangent, vec3 t) {
    return 2.0 / 3.0 * len / (1.0 + max(0.0, dot(tangent, t)));
}

Tube tubeOf(int index) {
    uint slot = uint(index) >> 10u, part = (uint(index) >> 8u) & 3u; // 2: the cap at the edge's start; 3: at its end
    uint local = part < 2u ? uint(index) & 511u : uint(index) & 255u, sides = uint(detail.y), ring = local / sides;
    bool starts = part == 2u;
    float u = part < 2u ? float(ring) / detail.x : float(part - 2u);
    float latitude = part < 2u ? 0.0 : 0.5 * PI * float(ring) / detail.z;
    // About the edge's start angles run backwards, so that the faces of the cap look outwards.
    float angle = PI2 * float(local - ring * sides) / detail.y * (starts ? -1.0 : 1.0);
    uvec4 nodes = texelFetch(linkTable, tablePlace(slot), 0), style = texelFetch(styleTable, tablePlace(slot), 0);
    vec4 first = tableRow(nodeTable, nodes.y), last = tableRow(nodeTable, nodes.z);
    vec3 a = first.xyz, b = last.xyz;
    bool before = nodes.x != NONE, after = nodes.w != NONE;
    vec3 e = b - a, ea = e, eb = e;
    if (before) ea = a - tableRow(nodeTable, nodes.x).xyz;
    if (after) eb = tableRow(nodeTable, nodes.w).xyz - b;
    float len = length(e), la = length(ea), lb = length(eb);
    vec3 t = unitOr(e, unitOr(ea, unitOr(eb, vec3(1.0, 0.0, 0.0))));
    vec3 ta = unitOr(ea, t), tb = unitOr(eb, t);

    // The tangent of the circle through a node and its neighbours, nearly; at an open end, the other end's mirrored.
    vec3 start = before ? unitOr(ta * len + t * la, t) : t, end = after ? unitOr(t * lb + tb * len, t) : t;
    if (!before) start = mirrored(end, t);
    if (!after) end = mirrored(start, t);

    vec3 a1 = a + start * handle(len, start, t), b1 = b - end * handle(len, end, t);
    float v = 1.0 - u;
    vec3 x = v * v * v * a + 3.0 * u * v * v * a1 + 3.0 * u * u * v * b1 + u * u * u * b;
    vec3 tangent = unitOr(v * v * (a1 - a) + 2.0 * u * v * (b1 - a1) + u * u * (b - b1), t);

    vec4 own = tableRow(edgeTable, style.x);
    vec3 m1 = transport(across(own.xyz, t), t, tangent);
    float value = own.w;
    if (u < 0.5 ? before : after) {  // half of the turn to the neighbour happens on this edge
        uint neighbour = style.x - nodes.y + (u < 0.5 ? nodes.x : nodes.z); // edges are counted along a rod as the nodes they start at
        vec4 other = tableRow(edgeTable, neighbour);
        float turn = u < 0.5 ? -turnBetween(other.xyz, ta, own.xyz, t, start) : turnBetween(own.xyz, t, other.xyz, tb, end);
        float far = 2.0 * abs(u - 0.5);
        turn *= far * len / max(len + (u < 0.5 ? la : lb), 1e-30);
        m1 = m1 * cos(turn) + cross(tangent, m1) * sin(turn);
        value = mix(value, 0.5 * (own.w + other.w), far);
    }

    bool plain = (style.y & PLAIN) != 0u;
    vec2 cells = uintBitsToFloat(style.zw);
    float radius = drawnRadius(plain ? cells.x : mix(first.w, last.w, u), x);
    Tube tube;
    tube.around = vec2(cos(angle), sin(angle));
    vec3 radial = tube.around.x * m1 + tube.around.y * cross(tangent, m1);
    tube.normal = radial * cos(latitude) + (starts ? -tangent : tangent) * sin(latitude);
    tube.position = x + radius * tube.normal;
    tube.tangent = tangent;
    tube.cell = mix(cells.x, cells.y, u);
    tube.value = value;
    tube.latitude = latitude;
    tube.look = style.y;
    return tube;
}
`;

export const TUBE_VARYINGS = /* glsl */ `
flat varying uint vLook;
varying vec2 vAround;                // cosine and sine of the angle from m1
varying float vCell;
varying float vValue;
varying float vLatitude;
varying vec3 vAlong;
`;

// A braid of strands in two directions, each over and under the others in turn: squares of the lattice p = u + v, q = u - v. A
// column of squares stays at one angle about the rod, so the columns near m1 and -m1 in the strong colour, and those between them
// in the light one, make stripes that run straight along a rod without twist.
export const BRAID_FRAGMENT = /* glsl */ `
uniform sampler2D pairTable;
uniform sampler2D rampTable;
uniform float colorByValue;
uniform int hoverRod;
uniform vec3 hoverColor;

const uint LOOK_PAIR = 7u;
const uint LOOK_PLAIN = 8u;
const float COLUMNS = 12.0;          // squares around the rod, in each direction of the lattice

struct Braid {
    float light;                     // 0: strong; 1: light
    float height;                    // of the strand there, 0 in the furrows to 1
    vec2 slope;                      // of the surface, about the rod and along it
};

// The middle of a column says which colour it has: strong within 52.5 degrees of m1 and -m1.
float columnLight(float column) {
    return step(3.5, abs(mod(column + 0.5 * COLUMNS, COLUMNS) - 0.5 * COLUMNS));
}

// The share of a pixel that is beyond the nearest side of the square, and which side that is.
vec2 besideSquare(float at, float width) {
    float low = at, high = 1.0 - at;
    return vec2(clamp(0.5 - min(low, high) / max(width, 1e-6), 0.0, 0.5), low < high ? -1.0 : 1.0);
}

float stripeLight(float phi, float width) {
    float edge = abs(abs(mod(phi, PI) - PI_HALF) - PI_HALF) - 0.9163; // 52.5 degrees
    return mix(clamp(edge / max(width, 1e-6) + 0.5, 0.0, 1.0), 0.417, smoothstep(0.8, 2.0, width));
}

Braid braidAt(vec2 around, float cell, float flatness) {
    float phi = atan(around.y, around.x);
    vec2 dx = dFdx(around), dy = dFdy(around);
    float square = max(dot(around, around), 1e-6);
    vec2 dphi = vec2(around.x * dx.y - around.y * dx.x, around.x * dy.y - around.y * dy.x) / square;
    vec2 du = dphi * (COLUMNS / PI2), dv = vec2(dFdx(cell), dFdy(cell));
    float u = phi * (COLUMNS / PI2), p = u + cell, q = u - cell;
    vec2 width = vec2(length(du + dv), length(du - dv)), in_square = fract(vec2(p, q));
    float column = floor(p) + floor(q) + 1.0;
    float coarse = max(smoothstep(0.3, 0.75, max(width.x, width.y)), flatness);

    Braid braid;
    braid.light = stripeLight(phi, length(dphi));
    braid.height = 0.6;
    braid.slope = vec2(0.0);
    if (coarse >= 1.0) {
        return braid;
    }
    vec2 bp = besideSquare(in_square.x, width.x), bq = besideSquare(in_square.y, width.y);
    float near = mix(columnLight(column), columnLight(column + bp.y), bp.x);
    float far = mix(columnLight(column + bq.y), columnLight(column + bp.y + bq.y), bp.x);
    braid.light = mix(mix(near, far, bq.x), braid.light, coarse);

    // Round across the strand that is on top, and sinking under its neighbours at both ends of the square. At the sides of the square,
    // where a pixel sees both strands, it is level.
    bool over = mod(column, 2.0) < 0.5;
    vec2 at = 2.0 * (over ? in_square : in_square.yx) - 1.0, across_at = over ? width : width.yx;
    vec2 inside = clamp((1.0 - abs(at)) / max(2.0 * across_at, 1e-6), 0.0, 1.0);
    float round_off = 1.0 - at.x * at.x, sink = 1.0 - 0.55 * at.y * at.y, clear = inside.x * inside.y;
    braid.height = mix(mix(0.25, round_off * sink, clear), 0.6, coarse);
    vec2 rise = vec2(-4.0 * at.x * sink, -2.2 * at.y * round_off);

    // Each strand is laid of yarns.
    float yarn = 9.4247780 * (at.x + 0.35 * at.y), fine = 1.0 - smoothstep(0.05, 0.14, max(width.x, width.y));
    rise += 1.6 * fine * cos(yarn) * vec2(1.0, 0.35);
    braid.height *= 1.0 + 0.09 * fine * sin(yarn);
    rise *= clear * (1.0 - coarse);
    rise = over ? rise : rise.yx;
    braid.slope = vec2(rise.x + rise.y, rise.x - rise.y);
    return braid;
}
`;

// What is seen: after the material's own colour, and after its normal.
export const BRAID_COLOR = /* glsl */ `
bool plain = (vLook & LOOK_PLAIN) != 0u;
Braid braid = braidAt(vAround, vCell, plain ? 1.0 : smoothstep(0.0, 0.5, vLatitude));
int pair = int(vLook & LOOK_PAIR);
vec3 strong = texelFetch(pairTable, ivec2(pair, 0), 0).rgb, light = texelFetch(pairTable, ivec2(pair, 1), 0).rgb;
vec3 mapped = texture2D(rampTable, vec2(vValue, 0.5)).rgb;
strong = mix(strong, mapped, colorByValue);
light = mix(light, mapped * 0.75, colorByValue);
diffuseColor.rgb = mix(strong, light, plain ? 0.0 : braid.light) * mix(0.6, 1.12, sqrt(braid.height));
`;

export const BRAID_NORMAL = /* glsl */ `
vec3 along = normalize(vAlong), about = cross(along, normal);
normal = normalize(normal - 0.115 * (braid.slope.x * about + braid.slope.y * along));
`;

export const BRAID_HOVER = /* glsl */ `
if (int(vLook >> 8u) == hoverRod) {
    float rim = 1.0 - saturate(dot(normal, normalize(vViewPosition)));
    totalEmissiveRadiance += diffuseColor.rgb * 0.12 + hoverColor * rim * rim * 0.55;
}
`;
