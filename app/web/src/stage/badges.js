// Small signs that keep their size on the screen: pins, clamps, the node under the pointer, the hand.
import { Color, GreaterDepth, Group, LessEqualDepth, Mesh, ShaderMaterial } from "three";
import { QuadGeometry } from "./quads.js";

export const PIN = 0, CLAMP = 1, RING = 2, HAND = 3;

const SIZES = [9, 7, 12, 9]; // half of what each takes [pixels]

// Signs stand a little before the rod, towards the eye, so that it does not hide its own.
const VERTEX = /* glsl */ `
${QuadGeometry.CORNER}
attribute vec3 place;
attribute vec2 sign;                 // which; half its size [pixels]
uniform float pixelSize, lift;
varying vec2 vAt;
varying float vSign, vSize;
void main() {
    vec4 view = viewMatrix * vec4(place, 1.0);
    float pixel = pixelSize * -view.z;
    view.xyz *= 1.0 - min(0.5, (lift + 8.0 * pixel) / max(length(view.xyz), 1e-9));
    pixel = pixelSize * -view.z;
    vSign = sign.x;
    vSize = sign.y + 2.0;
    vAt = quadCorner() * vSize;
    view.xy += vAt * pixel;
    gl_Position = projectionMatrix * view;
}
`;

// All sizes below are pixels, and distances from the outline of each sign are known exactly.
const FRAGMENT = /* glsl */ `
uniform vec3 ink, paper, accent;
uniform float opacity;
varying vec2 vAt;
varying float vSign, vSize;

float cover(float distance) {
    return clamp(0.5 - distance / max(fwidth(vAt.x), 1e-6), 0.0, 1.0);
}

float boxDistance(vec2 at, vec2 half_size, float corner) {
    vec2 off = abs(at) - half_size + corner;
    return length(max(off, 0.0)) + min(max(off.x, off.y), 0.0) - corner;
}

void over(inout vec4 under, vec3 color, float share) {
    float all = share + under.a * (1.0 - share);
    under.rgb = mix(under.rgb * under.a, color, share) / max(all, 1e-4);
    under.rgb = all > 0.0 ? under.rgb : color;
    under.a = all;
}

void main() {
    float size = vSize - 2.0, far = length(vAt);
    vec4 color = vec4(paper, 0.0);
    if (vSign < 0.5) {               // a pin: a disc with a bright head
        over(color, paper, cover(far - size));
        over(color, accent, cover(far - size + 0.2 * size));
        over(color, paper, cover(far - 0.3 * size));
    } else if (vSign < 1.5) {        // a clamp: two jaws
        over(color, paper, cover(boxDistance(vAt, vec2(size), 0.3 * size)));
        over(color, ink, cover(boxDistance(vAt, vec2(0.8 * size), 0.2 * size)));
        over(color, paper, cover(boxDistance(vAt, vec2(0.5 * size, 0.13 * size), 0.0)));
    } else if (vSign < 2.5) {        // a ring
        over(color, paper, cover(abs(far - size + 2.2) - 2.0) * 0.9);
        over(color, accent, cover(abs(far - size + 2.2) - 1.1));
    } else {                         // the hand
        over(color, paper, cover(far - size));
        over(color, accent, cover(far - size + 2.0));
        over(color, paper, cover(abs(far - 0.45 * size) - 0.8));
    }
    if (color.a <= 0.004) {
        discard;
    }
    gl_FragColor = vec4(color.rgb, color.a * opacity);
    #include <colorspace_fragment>
}
`;

// What is hidden behind something is still seen, faintly.
export function seenThrough(geometry, make) {
    const group = new Group();
    for (const [depthFunc, opacity] of [[GreaterDepth, 0.4], [LessEqualDepth, 1]]) {
        const mesh = new Mesh(geometry, make(depthFunc, opacity));
        mesh.renderOrder = depthFunc === GreaterDepth ? 20 : 21;
        mesh.frustumCulled = false;
        group.add(mesh);
    }
    return group;
}

export class Badges {
    constructor(pixelSize) {
        this.geometry = new QuadGeometry({ place: 3, sign: 2 });
        this.shared = {
            pixelSize, lift: { value: 0 }, ink: { value: new Color() }, paper: { value: new Color() },
            accent: { value: new Color() },
        };
        this.group = seenThrough(this.geometry, (depthFunc, opacity) => new ShaderMaterial({
            uniforms: { ...this.shared, opacity: { value: opacity } }, vertexShader: VERTEX, fragmentShader: FRAGMENT,
            transparent: true, depthWrite: false, depthFunc, toneMapped: false,
        }));
        this.signs = new Map(); // sign: points
        this.refill();
    }

    setTheme(theme) {
        for (const name of ["ink", "paper", "accent"]) {
            this.shared[name].value.set(theme[name]);
        }
    }

    // How far signs stand before what they mark [m].
    setLift(lift) {
        this.shared.lift.value = lift;
    }

    // All signs of a kind at once: points [m].
    set(sign, points) {
        this.signs.set(sign, points);
        this.refill();
    }

    has(sign) {
        return (this.signs.get(sign) ?? []).length > 0;
    }

    refill() {
        let count = 0;
        this.signs.forEach((points) => (count += points.length));
        this.geometry.hold(count);
        let at = 0;
        this.signs.forEach((points, sign) => {
            const size = SIZES[sign] * Math.min(1, Math.max(0.35, (40 / Math.max(1, points.length)) ** 0.25)); // many are small
            for (const point of points) {
                this.geometry.put("place", at, point);
                this.geometry.put("sign", at++, [sign, size]);
            }
        });
        this.geometry.show(count);
        this.group.visible = count > 0;
    }
}
