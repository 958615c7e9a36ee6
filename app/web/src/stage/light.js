// What lights the stage: a lamp over the left shoulder that casts soft shadows, a sky and its light off the floor, and what every
// material shows of them.
import {
    Color, DepthFormat, DepthTexture, DirectionalLight, HemisphereLight, LessEqualCompare, LinearFilter,
    LinearMipmapLinearFilter, ShaderChunk, ShaderMaterial, UnsignedIntType, Vector3, WebGLRenderTarget,
} from "three";
import { FloorLight } from "./floor_light.js";

const KEY_SHARE = 0.62;  // of the light on the open floor; the sky gives the rest, as in our pictures
const SKY_SHARE = 0.38;
const KEY_SPREAD = 0.085; // half the angle under which the lamp is seen [rad]

// Places spread evenly over a disc, for any number of them: the first n fill one of radius sqrt(n).
const MOST_TAPS = 9;
const DISC = `const vec2 DISC[${MOST_TAPS}] = vec2[](${Array.from({ length: MOST_TAPS }, (_, i) => {
    const far = Math.sqrt(i + 0.5), angle = i * Math.PI * (3 - Math.sqrt(5));
    return `vec2(${(far * Math.cos(angle)).toFixed(6)}, ${(far * Math.sin(angle)).toFixed(6)})`;
}).join(", ")});`;

// Three's own shadows have five samples, which show as grain.
const SOFT_SHADOW = /* glsl */ `
uniform int shadowTaps;
uniform float flatReceiver;          // 1: the surface is as flat as its triangles, and its depth is known beside the pixel, too
${DISC}
#if defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0
float softShadow(sampler2DShadow map, vec2 mapSize, float intensity, float bias, float radius, vec4 coord) {
    vec3 at = coord.xyz / coord.w;
    vec3 dx = dFdx(at), dy = dFdy(at);
    float area = dx.x * dy.y - dx.y * dy.x;
    vec2 slope = abs(area) > 1e-12 ? vec2(dy.y * dx.z - dx.y * dy.z, dx.x * dy.z - dy.x * dx.z) / area : vec2(0.0);
    slope *= flatReceiver;
    float phi = interleavedGradientNoise(gl_FragCoord.xy) * PI2, lit = 0.0, lift = flatReceiver * 6e-4;
    vec2 turn = vec2(cos(phi), sin(phi)) * radius * inversesqrt(float(shadowTaps));
    for (int i = 0; i < shadowTaps; i++) {
        vec2 off = DISC[i];
        off = vec2(off.x * turn.x - off.y * turn.y, off.x * turn.y + off.y * turn.x) / mapSize;
        lit += texture(map, vec3(at.xy + off, at.z + bias + dot(slope, off) - lift));
    }
    bool inside = all(greaterThanEqual(at, vec3(0.0))) && all(lessThanEqual(at, vec3(1.0)));
    return inside ? mix(1.0, lit / float(shadowTaps), intensity) : 1.0;
}
#endif
`;

// A wide bright window in the sky, mirrored: what makes round things look round.
const SHEEN_PARS = /* glsl */ `
uniform float sheenStrength;
uniform vec3 rimDirection, rimColor; // a weak lamp behind everything, without highlights: it tells outlines from the background
float skyMirrored(vec3 mirror) {
    float window = smoothstep(0.35, 0.95, mirror.z) * (1.0 - 0.5 * smoothstep(0.2, 0.9, abs(mirror.x)));
    return 0.35 + 0.25 * smoothstep(-0.3, 0.6, mirror.z) + 0.9 * window;
}
`;

// In place of three's own end of lighting, whose larger part is for a map of the surroundings, of which there is none.
const SHEEN = /* glsl */ `
{
    RE_IndirectDiffuse(irradiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight);
    vec3 mirror = inverseTransformDirection(reflect(-geometryViewDir, normal), viewMatrix);
    float rim = max(0.0, dot(inverseTransformDirection(normal, viewMatrix), rimDirection));
    reflectedLight.indirectDiffuse += material.diffuseColor * rimColor * rim;
    float beside = 1.0 - saturate(dot(normal, geometryViewDir)), square = beside * beside, grazing = square * square * beside;
    float gloss = 1.0 - material.roughness;
    reflectedLight.indirectSpecular += sheenStrength * gloss * (0.018 + 0.26 * grazing) * skyMirrored(mirror);
}
`;

const SHADOW_CALL = "getShadow( directionalShadowMap";

function patched(source, marks) {
    return marks.reduce((text, [mark, put]) => {
        if (!text.includes(mark)) {
            throw new Error(`the shader has no ${mark} to change: is three still the pinned version?`);
        }
        return text.replace(mark, () => put);
    }, source);
}

// Colours as they are up to this brightness, and from there towards white, never beyond: the palette stays the palette.
ShaderChunk.tonemapping_pars_fragment = patched(ShaderChunk.tonemapping_pars_fragment, [[
    "vec3 CustomToneMapping( vec3 color ) { return color; }", /* glsl */ `
vec3 CustomToneMapping(vec3 color) {
    color *= toneMappingExposure;
    const float start = 0.76, room = 1.0 - start;
    float peak = max(color.r, max(color.g, color.b));
    if (peak <= start) {
        return color;
    }
    float held = 1.0 - room * room / (peak + room - start);
    float white = 1.0 - 1.0 / (0.15 * (peak - held) + 1.0);
    return mix(color * held / peak, vec3(held), white);
}`]]);

// Materials of the stage: three's, with the shadows and the sheen above, and changes of their own. `fragment` and `vertex` are lists
// of [text in the shader, what to put in its place].
export function dress(material, name, uniforms, vertex = [], fragment = []) {
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, uniforms);
        shader.vertexShader = patched(shader.vertexShader, vertex);
        shader.fragmentShader = patched(shader.fragmentShader, [
            ["#include <shadowmap_pars_fragment>", `#include <shadowmap_pars_fragment>\n${SOFT_SHADOW}${SHEEN_PARS}`],
            ["#include <lights_fragment_begin>",
             patched(ShaderChunk.lights_fragment_begin, [[SHADOW_CALL, "softShadow( directionalShadowMap"]])],
            ["#include <lights_fragment_end>", SHEEN],
            ...fragment,
        ]);
    };
    material.customProgramCacheKey = () => name;
    return material;
}

// What is not shown casts its shadow all the same.
export function showMaterial(material, on) {
    material.colorWrite = material.depthWrite = on;
}

// What casts a shadow writes, beside its depth, what the floor needs: that it is there, and how high above the floor. Both are
// subtracted from white, which is what the map is cleared to.
const CAST_FRAGMENT = /* glsl */ `
uniform vec2 floorRange;             // its height, and 1 over the height of everything above it
varying float vHeight;
void main() {
    gl_FragColor = vec4(0.0, 1.0 - clamp((vHeight - floorRange.x) * floorRange.y, 0.0, 1.0), 1.0, 1.0);
}
`;

const CAST_VERTEX = /* glsl */ `
varying float vHeight;
void main() {
    vec4 world = vec4(position, 1.0);
#ifdef USE_INSTANCING
    world = instanceMatrix * world;
#endif
    world = modelMatrix * world;
    vHeight = world.z;
    gl_Position = projectionMatrix * viewMatrix * world;
}
`;

export function castMaterial(uniforms, vertexShader = CAST_VERTEX) {
    return new ShaderMaterial({ uniforms, vertexShader: `#include <common>\n${vertexShader}`, fragmentShader: CAST_FRAGMENT });
}

function shadowTarget(width, height) {
    const target = new WebGLRenderTarget(width, height, {
        generateMipmaps: true,
        minFilter: LinearMipmapLinearFilter,
        magFilter: LinearFilter,
    });
    const depth = new DepthTexture(width, height, UnsignedIntType);
    depth.format = DepthFormat;
    depth.compareFunction = LessEqualCompare;
    depth.minFilter = depth.magFilter = LinearFilter;
    target.depthTexture = depth;
    return target;
}

function powerOfTwo(size) {
    return 2 ** Math.round(Math.log2(size));
}

export class Light {
    constructor(scene) {
        this.key = new DirectionalLight(0xffffff, 1);
        this.key.castShadow = true;
        this.key.shadow.autoUpdate = false;
        this.sky = new HemisphereLight(0xffffff, 0xffffff, 1);
        this.direction = new Vector3();
        this.mapSize = 2048;
        this.uniforms = {
            sheenStrength: { value: 1 }, shadowTaps: { value: 9 }, rimDirection: { value: new Vector3() },
            rimColor: { value: new Color() },
        };
        this.threads = { // what very many thin rods are lit by (strand_shader.js)
            lampDepth: { value: null }, lampMatrix: { value: this.key.shadow.matrix }, lampDirection: { value: this.direction },
            lampColor: { value: new Color() }, skyColor: { value: new Color() }, earthColor: { value: new Color() },
        };
        this.cast = { floorRange: { value: [0, 1] } };
        this.floorLight = new FloorLight(this.key.shadow.matrix);
        this.aim(new Vector3(0, 1, 0));
        scene.add(this.key, this.key.target, this.sky);
    }

    setTheme(theme) {
        this.sky.color.set(theme.sky);
        this.sky.groundColor.copy(new Color(theme.earth)).multiplyScalar(theme.earthStrength);
        this.sky.intensity = SKY_SHARE * Math.PI * theme.skyStrength;
        this.key.color.set(theme.key);
        this.key.intensity = (KEY_SHARE * Math.PI * theme.keyStrength) / this.direction.z;
        this.uniforms.rimColor.value.set(theme.rim).multiplyScalar(theme.rimStrength);
        this.uniforms.sheenStrength.value = theme.sheen;
        const { lampColor, skyColor, earthColor } = this.threads;
        lampColor.value.copy(this.key.color).multiplyScalar(this.key.intensity / Math.PI);
        skyColor.value.copy(this.sky.color).multiplyScalar(this.sky.intensity / Math.PI);
        earthColor.value.copy(this.sky.groundColor).multiplyScalar(this.sky.intensity / Math.PI);
    }

    // From over the left shoulder of one who looks along `forward`; it then stays where it is while the camera goes around.
    aim(forward) {
        const level = new Vector3(forward.x, forward.y, 0);
        const back = level.lengthSq() > 1e-12 ? level.normalize().negate() : new Vector3(0, -1, 0);
        const side = new Vector3(-back.y, back.x, 0); // to the right
        this.direction.set(0, 0, 1.25).addScaledVector(side, -0.6).addScaledVector(back, 0.5).normalize();
        this.uniforms.rimDirection.value.set(0, 0, 0.7).addScaledVector(side, 0.8).addScaledVector(back, -0.9).normalize();
        this.fitted = null;
    }

    // The lamp's map holds the box, with room to move in: it is fitted anew when the box leaves that or fills little of it.
    fit(box, floorHeight) {
        const size = box.getSize(new Vector3()), slack = 0.15 * size.length() + 1e-9;
        const kept = this.fitted && this.fitted.containsBox(box) &&
            this.fitted.getSize(new Vector3()).length() < 3 * (size.length() + slack);
        this.cast.floorRange.value = [floorHeight, 1 / Math.max(box.max.z - floorHeight, 1e-9)];
        if (!kept) {
            this.fitted = box.clone().expandByScalar(slack);
            this.frame(this.fitted);
        }
        const high = 1 / this.cast.floorRange.value[1];
        this.floorLight.setSpread((high / this.direction.z) * KEY_SPREAD * this.texelsPerMetre);
        this.key.shadow.needsUpdate = true;
    }

    frame(box) {
        const { key } = this, { shadow } = key, center = box.getCenter(new Vector3());
        const reach = box.getSize(new Vector3()).length();
        key.target.position.copy(center);
        key.position.copy(center).addScaledVector(this.direction, reach);
        const camera = shadow.camera;
        camera.up.set(0, 1, 0);
        if (Math.abs(this.direction.y) > 0.9) {
            camera.up.set(1, 0, 0);
        }
        camera.position.copy(key.position);
        camera.lookAt(center);
        camera.updateMatrixWorld();
        const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate();
        for (let k = 0; k < 8; k++) {
            const corner = new Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
                                       k & 4 ? box.max.z : box.min.z).applyMatrix4(camera.matrixWorldInverse);
            low.min(corner);
            high.max(corner);
        }
        const wide = high.x - low.x, tall = high.y - low.y;
        const width = wide >= tall ? 1 : Math.max(0.25, powerOfTwo(wide / tall));
        const height = tall >= wide ? 1 : Math.max(0.25, powerOfTwo(tall / wide));
        const texel = Math.max(wide / width, tall / height) / this.mapSize; // [m], the same both ways
        const halfWide = 0.5 * texel * width * this.mapSize, halfTall = 0.5 * texel * height * this.mapSize;
        const x = 0.5 * (low.x + high.x), y = 0.5 * (low.y + high.y);
        Object.assign(camera, { left: x - halfWide, right: x + halfWide, bottom: y - halfTall, top: y + halfTall,
                                near: Math.max(0, -high.z - 0.05 * reach), far: -low.z + 0.05 * reach });
        camera.updateProjectionMatrix();
        this.texelsPerMetre = 1 / texel;
        this.resizeMap(width * this.mapSize, height * this.mapSize);
        shadow.radius = Math.min(4, Math.max(1.5, 0.0022 * this.mapSize));
        shadow.normalBias = 1.2 * texel;
    }

    resizeMap(width, height) {
        const { shadow } = this.key;
        if (!shadow.map || shadow.map.width !== width || shadow.map.height !== height) {
            shadow.map?.depthTexture?.dispose();
            shadow.map?.dispose();
            shadow.map = shadowTarget(width, height);
            shadow.mapSize.set(width, height);
            this.threads.lampDepth.value = shadow.map.depthTexture;
            this.floorLight.setMap(shadow.map.texture, width, height);
        }
    }

    // Side of the map, and how often it is looked at for a pixel.
    setMap(size, taps) {
        this.uniforms.shadowTaps.value = taps;
        if (size !== this.mapSize) {
            this.mapSize = size;
            this.fitted = null;
        }
    }
}
