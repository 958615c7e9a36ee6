// How much light reaches the floor, as a picture of its own: made once for each map of the lamp, not for each picture of the stage.
import {
    BufferAttribute, BufferGeometry, LinearFilter, Mesh, OrthographicCamera, Scene, ShaderMaterial, WebGLRenderTarget,
} from "three";

const KEY_SHARE = 0.72; // of the light that a shadow takes: the lamp's; the rest is the sky's

const VERTEX = /* glsl */ `
varying vec2 vAt;
void main() {
    vAt = 0.5 * position.xy + 0.5;
    gl_Position = vec4(position.xy, 0.0, 1.0);
}
`;

// The lamp's shadow is the wider the higher what casts it is above the floor: how high is looked up in a coarse level of the lamp's
// map first. What lies close to the floor also takes the sky from the floor around it.
const FRAGMENT = /* glsl */ `
uniform sampler2D coverMap;          // 1 - covered, 1 - covered times height above the floor
uniform float spread;                // texels of blur for what is highest
varying vec2 vAt;

vec2 coverAt(vec2 uv, float blur) {
    return vec2(1.0) - textureLod(coverMap, uv, log2(max(blur, 1.0))).rg;
}

// Within so many texels.
vec2 coverAround(vec2 uv, float blur) {
    vec2 sum = vec2(0.0), texel = blur / vec2(textureSize(coverMap, 0));
    for (int i = 0; i < 12; i++) {
        float angle = float(i) * 2.3999632, far = sqrt((float(i) + 0.5) / 12.0);
        sum += coverAt(uv + vec2(cos(angle), sin(angle)) * far * texel, 0.6 * blur);
    }
    return sum / 12.0;
}

void main() {
    vec2 size = vec2(textureSize(coverMap, 0));
    float wide_blur = max(2.0, 0.035 * max(size.x, size.y));
    vec2 wide = coverAround(vAt, wide_blur);
    float high = wide.x > 0.0 ? wide.y / wide.x : 0.0;
    vec2 near = coverAround(vAt, 2.0 + spread * high);
    float near_high = mix(high, near.y / max(near.x, 1e-4), smoothstep(0.0, 0.3, near.x));
    float lamp = coverAround(vAt, 1.2 + spread * near_high).x;
    float sky = wide.x * (1.0 - smoothstep(0.0, 0.5, high));
    float taken = ${KEY_SHARE} * lamp + (1.0 - ${KEY_SHARE}) * min(1.0, 1.5 * sky);
    vec2 border = smoothstep(vec2(0.5), vec2(0.47), abs(vAt - 0.5)); // what is not in the map is in the light
    gl_FragColor = vec4(taken * border.x * border.y, 0.0, 0.0, 1.0);
}
`;

export class FloorLight {
    constructor(matrix) {
        this.uniforms = { lightMap: { value: null }, lightMatrix: { value: matrix } }; // what the floor reads
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
        this.material = new ShaderMaterial({
            uniforms: { coverMap: { value: null }, spread: { value: 1 } }, vertexShader: VERTEX, fragmentShader: FRAGMENT,
            depthTest: false, depthWrite: false, toneMapped: false,
        });
        this.mesh = new Mesh(geometry, this.material);
        this.mesh.frustumCulled = false;
        this.scene = new Scene();
        this.scene.add(this.mesh);
        this.camera = new OrthographicCamera();
    }

    setSpread(texels) {
        this.material.uniforms.spread.value = texels;
    }

    // Half as fine as the lamp's map: nothing in it is sharp.
    setMap(texture, width, height) {
        this.target?.dispose();
        const options = { depthBuffer: false, minFilter: LinearFilter, magFilter: LinearFilter };
        this.target = new WebGLRenderTarget(width / 2, height / 2, options);
        this.uniforms.lightMap.value = this.target.texture;
        this.material.uniforms.coverMap.value = texture;
    }

    // While the stage is drawn, after the lamp's map and before the floor. Blur is by coarser levels of the map, which three does not
    // make for shadow maps by itself.
    render(renderer) {
        const gl = renderer.getContext(), cover = this.material.uniforms.coverMap.value;
        const made = cover && renderer.properties.get(cover).__webglTexture;
        if (!made) {
            return;
        }
        renderer.state.bindTexture(gl.TEXTURE_2D, made);
        gl.generateMipmap(gl.TEXTURE_2D);
        renderer.state.unbindTexture();
        const target = renderer.getRenderTarget(), { autoUpdate } = renderer.shadowMap;
        renderer.shadowMap.autoUpdate = false;
        renderer.setRenderTarget(this.target);
        renderer.render(this.scene, this.camera);
        renderer.setRenderTarget(target);
        renderer.shadowMap.autoUpdate = autoUpdate;
    }
}
