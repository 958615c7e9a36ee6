// The background, the floor that fades into it, and planes that are no floor.
import {
    BufferAttribute, BufferGeometry, Color, CustomBlending, Group, Mesh, OneMinusSrcAlphaFactor, PlaneGeometry,
    Quaternion, ShaderMaterial, SrcAlphaFactor, Vector3,
} from "three";

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
    gl_FragColor = vec4(color, 1.0);
    #include <colorspace_fragment>
    gl_FragColor.rgb += grain(gl_FragCoord.xy) / 255.0;
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

// The lamp's shadow is the wider the higher what casts it is above the floor: how high is looked up in a coarse level of the lamp's
// map first. What lies close to the floor also takes the sky from the floor around it.
const FLOOR_FRAGMENT = /* glsl */ `
uniform sampler2D coverMap;
uniform mat4 coverMatrix;
uniform vec2 coverSpread;
uniform int coverTaps;
uniform vec3 shadow, line, pool;
uniform float shadowShare, lineShare, poolShare, reach, spacing, strong, keyShare;
uniform vec2 middle, origin;
varying vec3 vWorld;
${DITHER}
${GRID}

// How much of the map is covered within `blur` texels, and how high above the floor that is, times the first.
vec2 coverAt(vec2 uv, float blur) {
    return vec2(1.0) - textureLod(coverMap, uv, log2(max(blur, 1.0))).rg;
}

vec2 coverAround(vec2 uv, float blur, int taps) {
    vec2 sum = vec2(0.0), step = 0.9 * blur / vec2(textureSize(coverMap, 0));
    float turn = 3.0 * grain(gl_FragCoord.xy), most = float(taps);
    for (int i = 0; i < taps; i++) {
        float angle = float(i) * 2.3999632 + turn, far = sqrt((float(i) + 0.5) / most);
        sum += coverAt(uv + vec2(cos(angle), sin(angle)) * far * step, 0.75 * blur);
    }
    return sum / most;
}

float light(vec3 world) {
    vec2 uv = (coverMatrix * vec4(world, 1.0)).xy, off = max(vec2(0.0), abs(uv - 0.5) - 0.5);
    float wide_blur = max(2.0, 0.035 * coverSpread.y);
    if (off.x + off.y > 0.2 || coverAt(uv, 4.0 * wide_blur).x < 0.002) {
        return 1.0;
    }
    vec2 wide = coverAround(uv, wide_blur, coverTaps / 2);
    float high = wide.x > 0.0 ? wide.y / wide.x : 0.0;
    float lamp = coverAround(uv, 1.6 + coverSpread.x * high, coverTaps).x;
    float sky = wide.x * (1.0 - smoothstep(0.0, 0.5, high));
    return 1.0 - keyShare * lamp - (1.0 - keyShare) * min(1.0, 1.5 * sky);
}

void main() {
    float away = length(vWorld.xy - middle) / reach, fade = 1.0 - smoothstep(0.25, 1.0, away);
    if (fade <= 0.0) {
        discard;
    }
    vec2 at = (vWorld.xy - origin) / spacing;
    float ink = min(1.0, lineShare * (gridCover(at, 0.012) + 1.4 * gridCover(at / strong, 0.006 * 2.0 / strong * 2.0))) * fade;
    float dark = shadowShare * (1.0 - light(vWorld)) * fade;
    float lit = poolShare * (1.0 - smoothstep(0.0, 0.8, away));
    vec3 color = pool * lit;
    float cover = lit;
    color = mix(color, line, ink), cover = ink + cover * (1.0 - ink);
    color = mix(color, shadow, dark), cover = dark + cover * (1.0 - dark);
    gl_FragColor = vec4(color / max(cover, 1e-4), cover);
    #include <colorspace_fragment>
    gl_FragColor.rgb += grain(gl_FragCoord.xy) / 255.0;
}
`;

const WALL_FRAGMENT = /* glsl */ `
uniform vec3 tones[2];
uniform vec3 line;
uniform float spacing;
varying vec2 vOwn;
${GRID}
void main() {
    vec2 at = vOwn / spacing, edge = abs(vOwn) * 2.0;
    float fade = 1.0 - smoothstep(0.55, 1.0, length(edge));
    vec3 color = mix(tones[0], line, 0.5 * gridCover(at, 0.02));
    gl_FragColor = vec4(color, 0.55 * fade);
    #include <colorspace_fragment>
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
export function roundDown(size) {
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
    const numbers = { shadowShare: 0, lineShare: 0, poolShare: 0, reach: 1, spacing: 1, strong: 10, keyShare: 0.72 };
    const uniforms = { ...light.floor, middle: { value: [0, 0] }, origin: { value: [0, 0] } };
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
            uniforms: { tones: { value: [new Color(), new Color()] }, line: { value: new Color() }, spacing: { value: 1 } },
            vertexShader: WALL_VERTEX, fragmentShader: WALL_FRAGMENT, transparent: true, depthWrite: false, toneMapped: false,
        });
        this.wallGeometry = new PlaneGeometry(1, 1);
        this.group = new Group();
        this.group.add(this.background, this.floor, this.walls);
    }

    setTheme(theme) {
        const put = (uniforms, names) => names.forEach((name) => uniforms[name].value.set(theme[name]));
        const { uniforms } = this.floor.material;
        put(this.background.material.uniforms, ["high", "low", "corner"]);
        put(uniforms, ["shadow", "line", "pool"]);
        for (const name of ["shadowShare", "lineShare", "poolShare"]) {
            uniforms[name].value = theme[name];
        }
        const wall = this.wallMaterial.uniforms;
        wall.tones.value.forEach((color, k) => color.set(theme.plane[k]));
        put(wall, ["line"]);
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
        this.spacing = spacing;
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

    dispose() {
        for (const mesh of [this.background, this.floor]) {
            mesh.geometry.dispose();
            mesh.material.dispose();
        }
        this.wallGeometry.dispose();
        this.wallMaterial.dispose();
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
