// The background, the floor that fades into it, and planes that are no floor.
import {
    BufferAttribute, BufferGeometry, Color, CustomBlending, Group, LinearSRGBColorSpace, Mesh, OneMinusSrcAlphaFactor, PlaneGeometry,
    Quaternion, ShaderMaterial, SrcAlphaFactor, Vector3,
} from "three";

// Colours here are mixed as they are written to the screen, without light to compute: they fill most of it, and powers are dear.
const plainColor = (hex) => new Color().setHex(hex, LinearSRGBColorSpace);

// What is smooth over a whole screen shows steps of 1/255 unless these are blurred by a little noise.
const DITHER = /* glsl */ `
float grain(vec2 at) {
    return fract(52.9829189 * fract(dot(at, vec2(0.06711056, 0.00583715)))) - 0.5;
}
`;

const BACKGROUND_FRAGMENT = /* glsl */ `
uniform vec3 high, low, corner;
varying vec2 vAt;
${DITHER}
void main() {
    vec3 color = mix(low, high, smoothstep(0.35, 1.2, vAt.y));
    vec2 off = vAt - 0.5;
    color = mix(color, corner, min(1.0, 1.1 * dot(off, off)));
    gl_FragColor = vec4(color + grain(gl_FragCoord.xy) / 255.0, 1.0);
}
`;

const BACKGROUND_VERTEX = /* glsl */ `
varying vec2 vAt;
void main() {
    vAt = 0.5 * position.xy + 0.5;
    gl_Position = vec4(position.xy, 1.0, 1.0);
}
`;

// How much of a pixel is covered by lines at every whole number.
const GRID = /* glsl */ `
float lineCover(float at, float width) {
    float foot = fwidth(at), drawn = max(width, foot);
    float distance = abs(fract(at + 0.5) - 0.5);
    float inside = clamp((0.5 * (drawn + foot) - distance) / foot, 0.0, 1.0);
    return mix(inside * width / drawn, width, smoothstep(0.25, 0.8, foot));
}

float gridCover(vec2 at, float width) {
    return max(lineCover(at.x, width), lineCover(at.y, width));
}
`;

const FLOOR_VERTEX = /* glsl */ `
varying vec3 vWorld;
void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    vWorld = world.xyz;
    gl_Position = projectionMatrix * viewMatrix * world;
}
`;

const FLOOR_FRAGMENT = /* glsl */ `
uniform sampler2D lightMap;          // how much of the light is taken
uniform mat4 lightMatrix;
uniform vec3 shadow, line, pool;
uniform float shadowShare, lineShare, poolShare, reach, spacing, strong;
uniform vec2 middle, origin;
varying vec3 vWorld;
${DITHER}
${GRID}

void main() {
    float away = length(vWorld.xy - middle) / reach, fade = 1.0 - smoothstep(0.25, 1.0, away);
    if (fade <= 0.0) {
        discard;
    }
    vec2 at = (vWorld.xy - origin) / spacing;
    float ink = min(1.0, lineShare * (gridCover(at, 0.012) + gridCover(at / strong, 0.024 / strong))) * fade;
    float dark = shadowShare * texture2D(lightMap, (lightMatrix * vec4(vWorld, 1.0)).xy).r * fade;
    float lit = poolShare * (1.0 - smoothstep(0.0, 0.8, away));
    vec3 color = pool * lit;
    float cover = lit;
    color = mix(color, line, ink), cover = ink + cover * (1.0 - ink);
    color = mix(color, shadow, dark), cover = dark + cover * (1.0 - dark);
    gl_FragColor = vec4(color / max(cover, 1e-4) + grain(gl_FragCoord.xy) / 255.0, cover);
}
`;

const WALL_FRAGMENT = /* glsl */ `
uniform vec3 plane, line;
uniform float spacing;
varying vec2 vOwn;
${GRID}
void main() {
    vec2 at = vOwn / spacing, edge = abs(vOwn) * 2.0;
    float fade = 1.0 - smoothstep(0.55, 1.0, length(edge));
    vec3 color = mix(plane, line, 0.5 * gridCover(at, 0.02));
    gl_FragColor = vec4(color, 0.55 * fade);
}
`;

const WALL_VERTEX = /* glsl */ `
varying vec2 vOwn;
void main() {
    vOwn = position.xy;
    gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0);
}
`;

// The largest of 1, 2 and 5 times a power of ten that is not above `size`.
function roundDown(size) {
    const power = 10 ** Math.floor(Math.log10(size)), digit = (size / power) * (1 + 1e-9);
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

function backgroundMesh() {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    const uniforms = { high: { value: new Color() }, low: { value: new Color() }, corner: { value: new Color() } };
    const mesh = new Mesh(geometry, new ShaderMaterial({
        uniforms, vertexShader: BACKGROUND_VERTEX, fragmentShader: BACKGROUND_FRAGMENT, depthTest: false, depthWrite: false,
        toneMapped: false,
    }));
    mesh.renderOrder = -1000;
    mesh.frustumCulled = false;
    return mesh;
}

// Blended over the background but drawn before all else and into the depth buffer: it hides what is below it.
function floorMesh(light) {
    const numbers = { shadowShare: 0, lineShare: 0, poolShare: 0, reach: 1, spacing: 1, strong: 10 };
    const uniforms = { ...light.floorLight.uniforms, middle: { value: [0, 0] }, origin: { value: [0, 0] } };
    for (const name of Object.keys(numbers)) {
        uniforms[name] = { value: numbers[name] };
    }
    for (const name of ["shadow", "line", "pool"]) {
        uniforms[name] = { value: new Color() };
    }
    const mesh = new Mesh(new PlaneGeometry(2, 2), new ShaderMaterial({
        uniforms, vertexShader: FLOOR_VERTEX, fragmentShader: FLOOR_FRAGMENT, toneMapped: false, transparent: false,
        blending: CustomBlending, blendSrc: SrcAlphaFactor, blendDst: OneMinusSrcAlphaFactor,
    }));
    mesh.renderOrder = -500;
    mesh.frustumCulled = false;
    return mesh;
}

export class Ground {
    constructor(light) {
        this.background = backgroundMesh();
        this.floor = floorMesh(light);
        this.walls = new Group();
        this.wallMaterial = new ShaderMaterial({
            uniforms: { plane: { value: new Color() }, line: { value: new Color() }, spacing: { value: 1 } },
            vertexShader: WALL_VERTEX, fragmentShader: WALL_FRAGMENT, transparent: true, depthWrite: false, toneMapped: false,
        });
        this.wallGeometry = new PlaneGeometry(1, 1);
        this.group = new Group();
        this.group.add(this.background, this.floor, this.walls);
    }

    setTheme(theme) {
        const put = (uniforms, names) => names.forEach((name) => uniforms[name].value.copy(plainColor(theme[name])));
        const { uniforms } = this.floor.material;
        put(this.background.material.uniforms, ["high", "low", "corner"]);
        put(uniforms, ["shadow", "line", "pool"]);
        for (const name of ["shadowShare", "lineShare", "poolShare"]) {
            uniforms[name].value = theme[name];
        }
        put(this.wallMaterial.uniforms, ["plane", "line"]);
    }

    // The floor lies at `height` around the middle of what is on the stage, which is `size` long; null: there is none.
    place(height, middle, size) {
        this.floor.visible = height !== null;
        const reach = 4.5 * size, spacing = roundDown(size / 6), { uniforms } = this.floor.material;
        uniforms.reach.value = reach;
        uniforms.middle.value = [middle.x, middle.y];
        uniforms.spacing.value = spacing;
        uniforms.strong.value = Math.round((10 * 10 ** Math.floor(Math.log10(spacing * (1 + 1e-9)))) / spacing);
        const whole = uniforms.strong.value * spacing; // counted from a line near the middle: far lines keep their digits
        uniforms.origin.value = [Math.round(middle.x / whole) * whole, Math.round(middle.y / whole) * whole];
        this.floor.position.set(middle.x, middle.y, height ?? 0);
        this.floor.scale.setScalar(reach);
        this.wallMaterial.uniforms.spacing.value = spacing / (2.4 * size);
    }

    // Squares of the planes that do not face up, before the middle of what is on the stage. Their backs are not seen, so that walls do
    // not hide what is between them.
    placeWalls(planes, middle, size) {
        while (this.walls.children.length < planes.length) {
            const wall = new Mesh(this.wallGeometry, this.wallMaterial);
            wall.renderOrder = 10;
            this.walls.add(wall);
        }
        this.walls.children.forEach((wall, k) => {
            wall.visible = k < planes.length;
            if (wall.visible) {
                const { position, rotation } = planes[k], normal = new Vector3(0, 0, 1).applyQuaternion(rotation);
                const off = middle.clone().sub(position).dot(normal);
                wall.position.copy(middle).addScaledVector(normal, -off);
                wall.quaternion.copy(rotation);
                wall.scale.setScalar(2.4 * size);
            }
        });
    }
}

// Planes of a frame: the height of the highest that faces up, or null, and those that are walls.
export function planesOf(frame, places) {
    let floor = null;
    const walls = [];
    for (const i of places) {
        const data = frame.obstacles.subarray(7 * i, 7 * i + 7);
        const position = new Vector3(data[0], data[1], data[2]);
        const rotation = new Quaternion(data[3], data[4], data[5], data[6]).normalize();
        const normal = new Vector3(0, 0, 1).applyQuaternion(rotation);
        if (normal.z > 0 && Math.hypot(normal.x, normal.y) < 1e-4) { // a slope that cannot be seen, nor told from rounding
            floor = floor === null ? position.z : Math.max(floor, position.z);
        } else {
            walls.push({ position, rotation });
        }
    }
    return { floor, walls };
}
