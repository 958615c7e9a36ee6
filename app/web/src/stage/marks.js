// What is drawn into the scene for the one who watches: the spring of the hand, and contacts with their forces.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, ShaderMaterial, Vector3 } from "three";
import { seenThrough } from "./badges.js";
import { QuadGeometry } from "./quads.js";

// Lit from the eye, so that a wire looks round and shows its colour from anywhere.
const PLAIN_FRAGMENT = /* glsl */ `
uniform vec3 color;
uniform float opacity;
varying vec3 vNormalView;
void main() {
    float facing = clamp(normalize(vNormalView).z, 0.0, 1.0);
    gl_FragColor = vec4(color * (0.55 + 0.45 * facing), opacity);
    #include <colorspace_fragment>
}
`;

// ---------------------------------------------------------------------------------------------------- the hand's spring

const COILS = 9, STEPS = 200, SIDES = 8;
const COIL_RADIUS = 6, WIRE_RADIUS = 1.5, HEAD_LENGTH = 15, HEAD_RADIUS = 6; // [pixels]

const SPRING_VERTEX = /* glsl */ `
varying vec3 vNormalView;
void main() {
    vNormalView = (viewMatrix * vec4(normal, 0.0)).xyz;
    gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}
`;

// A wire from the rod to the hand, coiled but for its ends, and an arrow's head at the hand. Made anew for each picture: all its
// widths are pixels.
export class Spring {
    constructor() {
        const vertices = (STEPS + 1) * SIDES + 2 * SIDES + 1;
        this.geometry = new BufferGeometry();
        for (const name of ["position", "normal"]) {
            this.geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(DynamicDrawUsage));
        }
        this.geometry.setIndex(springIndex());
        this.color = { value: new Color() };
        this.group = seenThrough(this.geometry, (depthFunc, opacity) => new ShaderMaterial({
            uniforms: { color: this.color, opacity: { value: opacity } }, vertexShader: SPRING_VERTEX,
            fragmentShader: PLAIN_FRAGMENT, transparent: true, depthFunc, depthWrite: opacity === 1, toneMapped: false,
        }));
        this.group.visible = false;
        this.hand = null;
    }

    set(hand) {
        this.hand = hand;
        this.group.visible = hand !== null;
    }

    // `pixelAt(point)` is what a pixel spans at a point [m].
    shape(pixelAt) {
        if (!this.hand) {
            return;
        }
        const from = new Vector3(...this.hand.point), to = new Vector3(...this.hand.target);
        const axis = to.clone().sub(from), length = axis.length();
        const pixel = pixelAt(from.clone().lerp(to, 0.5)), head = HEAD_LENGTH * pixel;
        this.group.visible = length > 1.2 * head;
        if (!this.group.visible) {
            return;
        }
        axis.divideScalar(length);
        const u = new Vector3(-axis.y, axis.x, 0);
        if (u.lengthSq() < 1e-6) {
            u.set(1, 0, 0);
        }
        u.normalize();
        const v = axis.clone().cross(u);
        this.bend({ from, axis, u, v, length: length - head, pixel });
        this.point({ at: to.clone().addScaledVector(axis, -head), axis, u, v, head, pixel });
        this.geometry.attributes.position.needsUpdate = this.geometry.attributes.normal.needsUpdate = true;
    }

    // The wire's place and direction at s from 0 to 1.
    static wireAt({ from, axis, u, v, length, pixel }, s, place, direction) {
        const inner = Math.min(1, Math.max(0, (s - 0.12) / 0.76)), angle = 2 * Math.PI * COILS * inner;
        const swell = Math.min(1, 8 * Math.min(inner, 1 - inner)) * Math.min(COIL_RADIUS * pixel, 0.25 * length);
        const rate = inner > 0 && inner < 1 ? (2 * Math.PI * COILS) / 0.76 : 0;
        place.copy(from).addScaledVector(axis, s * length)
            .addScaledVector(u, swell * Math.cos(angle)).addScaledVector(v, swell * Math.sin(angle));
        direction.copy(axis).multiplyScalar(length)
            .addScaledVector(u, -swell * rate * Math.sin(angle)).addScaledVector(v, swell * rate * Math.cos(angle)).normalize();
    }

    bend(wire) {
        const place = new Vector3(), direction = new Vector3(), side = new Vector3(), other = new Vector3();
        const { position, normal } = this.geometry.attributes, radius = WIRE_RADIUS * wire.pixel;
        for (let i = 0; i <= STEPS; i++) {
            Spring.wireAt(wire, i / STEPS, place, direction);
            side.copy(wire.axis).cross(direction);
            if (side.lengthSq() < 1e-9) {
                side.copy(wire.u);
            }
            side.addScaledVector(direction, -side.dot(direction)).normalize();
            other.copy(direction).cross(side);
            for (let k = 0; k < SIDES; k++) {
                const angle = (2 * Math.PI * k) / SIDES, c = Math.cos(angle), s = Math.sin(angle), at = i * SIDES + k;
                const nx = c * side.x + s * other.x, ny = c * side.y + s * other.y, nz = c * side.z + s * other.z;
                normal.setXYZ(at, nx, ny, nz);
                position.setXYZ(at, place.x + radius * nx, place.y + radius * ny, place.z + radius * nz);
            }
        }
    }

    point({ at, axis, u, v, head, pixel }) {
        const { position, normal } = this.geometry.attributes, first = (STEPS + 1) * SIDES, radius = HEAD_RADIUS * pixel;
        const tip = at.clone().addScaledVector(axis, head);
        for (let k = 0; k < SIDES; k++) {
            const angle = (2 * Math.PI * k) / SIDES;
            const out = u.clone().multiplyScalar(Math.cos(angle)).addScaledVector(v, Math.sin(angle));
            const base = at.clone().addScaledVector(out, radius);
            position.setXYZ(first + k, base.x, base.y, base.z);
            normal.setXYZ(first + k, out.x, out.y, out.z);
            position.setXYZ(first + SIDES + k, tip.x, tip.y, tip.z);
            normal.setXYZ(first + SIDES + k, out.x, out.y, out.z);
        }
        position.setXYZ(first + 2 * SIDES, at.x, at.y, at.z);
        normal.setXYZ(first + 2 * SIDES, -axis.x, -axis.y, -axis.z);
    }
}

function springIndex() {
    const index = [], first = (STEPS + 1) * SIDES, base = first + 2 * SIDES;
    for (let i = 0; i < STEPS; i++) {
        for (let k = 0; k < SIDES; k++) {
            const a = i * SIDES + k, b = i * SIDES + ((k + 1) % SIDES);
            index.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
        }
    }
    for (let k = 0; k < SIDES; k++) {
        const a = first + k, b = first + ((k + 1) % SIDES);
        index.push(a, b, a + SIDES, b, a, base);
    }
    return index;
}

// ---------------------------------------------------------------------------------------------------- contacts

const KINDS = [0xe11d48, 0x7c3aed, 0x0284c7]; // CordTouch: rod, obstacle, body

// From the place of contact, where it has a head, along the push: a band on the screen, whose own axes are pixels.
const CONTACT_VERTEX = /* glsl */ `
${QuadGeometry.CORNER}
attribute vec3 place, push;          // a push of length 1 is the largest of late
attribute vec3 tint;
uniform float pixelSize, longest;
varying vec3 vTint;
varying vec2 vAt;
varying float vLength;
void main() {
    vec3 from = (viewMatrix * vec4(place, 1.0)).xyz, to = (viewMatrix * vec4(place + longest * push, 1.0)).xyz;
    float pixel = pixelSize * max(1e-9, -from.z);
    vec2 way = (to.xy / -to.z - from.xy / -from.z) * -from.z / pixel;
    vLength = length(way);
    vec2 along = vLength > 1e-3 ? way / vLength : vec2(0.0, 1.0), corner = quadCorner();
    vAt = vec2(corner.x * 5.0, corner.y > 0.0 ? vLength + 5.0 : -5.0);
    vTint = tint;
    from.xy += pixel * (vAt.y * along + vAt.x * vec2(along.y, -along.x));
    gl_Position = projectionMatrix * vec4(from, 1.0);
}
`;

const CONTACT_FRAGMENT = /* glsl */ `
uniform vec3 paper;
uniform float opacity;
varying vec3 vTint;
varying vec2 vAt;
varying float vLength;
void main() {
    float along = clamp(vAt.y / max(vLength, 1e-3), 0.0, 1.0);
    float needle = length(vec2(vAt.x, vAt.y - along * vLength)) - mix(1.8, 0.8, along), head = length(vAt) - 3.2;
    float distance = min(needle, head), pixel = max(fwidth(vAt.x), 1e-6);
    float inner = clamp(0.5 - distance / pixel, 0.0, 1.0), outer = clamp(0.5 - (distance - 1.0) / pixel, 0.0, 1.0);
    if (outer <= 0.0) {
        discard;
    }
    gl_FragColor = vec4(mix(paper, vTint, inner), outer * opacity);
    #include <colorspace_fragment>
}
`;

export class Contacts {
    constructor(pixelSize) {
        this.geometry = new QuadGeometry({ place: 3, push: 3, tint: 3 });
        this.uniforms = { pixelSize, longest: { value: 1 }, paper: { value: new Color() } };
        this.group = seenThrough(this.geometry, (depthFunc, opacity) => new ShaderMaterial({
            uniforms: { ...this.uniforms, opacity: { value: opacity } }, vertexShader: CONTACT_VERTEX,
            fragmentShader: CONTACT_FRAGMENT, transparent: true, depthFunc, depthWrite: false, toneMapped: false,
        }));
        this.tints = KINDS.map((hex) => new Color(hex).toArray());
        this.shown = false;
        this.most = 0; // the largest push of late [N]
    }

    setTheme(theme) {
        this.uniforms.paper.value.set(theme.paper);
    }

    show(on) {
        this.shown = on;
        this.group.visible = on;
    }

    // Lengths are compared with the largest push of the last moments: it sinks slowly, so that needles do not jump.
    setFrame(contacts, longest) {
        this.uniforms.longest.value = longest;
        if (!this.shown) {
            return;
        }
        const { count, data } = contacts, kinds = new Uint32Array(data.buffer, data.byteOffset, data.length);
        let most = 0;
        for (let i = 0; i < count; i++) {
            most = Math.max(most, data[8 * i + 6] || 0);
        }
        this.most = Math.max(most, 0.97 * this.most);
        this.geometry.hold(count);
        for (let i = 0; i < count; i++) {
            const share = this.most > 0 ? data[8 * i + 6] / this.most : 0, at = 8 * i;
            this.geometry.put("place", i, data.subarray(at, at + 3));
            this.geometry.put("push", i, [share * data[at + 3], share * data[at + 4], share * data[at + 5]]);
            this.geometry.put("tint", i, this.tints[Math.min(2, kinds[at + 7])]);
        }
        this.geometry.show(count);
    }
}
