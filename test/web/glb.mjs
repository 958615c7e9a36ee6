// A .glb as its readers see it: the bytes, checked by the letter of glTF 2.0, and the scene that three's loader makes of them, at any of
// its frames.
import assert from "node:assert/strict";
import { inflateSync } from "node:zlib";

const GLTF = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;
const COMPONENTS = { 5121: Uint8Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const VERTICES = 34962;
const TRIANGLES = 34963;

// ---------------------------------------------------------------------------------------------------- the bytes

// { json, bin } of a file's bytes.
export function splitGlb(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    assert.equal(view.getUint32(0, true), GLTF);
    assert.equal(view.getUint32(4, true), 2);
    assert.equal(view.getUint32(8, true), bytes.length);
    const size = view.getUint32(12, true);
    assert.equal(view.getUint32(16, true), JSON_CHUNK);
    assert.equal(size % 4, 0);
    const json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(20, 20 + size)));
    const bin = bytes.subarray(28 + size);
    assert.equal(view.getUint32(20 + size, true), bin.length);
    assert.equal(view.getUint32(24 + size, true), BIN_CHUNK);
    assert.equal(bin.length % 4, 0);
    return { json, bin };
}

// The numbers of an accessor, copied.
export function numbersOf({ json, bin }, index) {
    const accessor = json.accessors[index];
    const view = json.bufferViews[accessor.bufferView];
    const Kind = COMPONENTS[accessor.componentType];
    const count = accessor.count * WIDTHS[accessor.type];
    const offset = view.byteOffset + (accessor.byteOffset ?? 0);
    assert.equal(offset % Kind.BYTES_PER_ELEMENT, 0);
    assert.ok((accessor.byteOffset ?? 0) + count * Kind.BYTES_PER_ELEMENT <= view.byteLength);
    const start = bin.byteOffset + offset;
    return new Kind(bin.buffer.slice(start, start + count * Kind.BYTES_PER_ELEMENT));
}

function checkAccessor(file, accessor, index) {
    const numbers = numbersOf(file, index);
    assert.ok(accessor.count >= 1);
    assert.ok(numbers.every(Number.isFinite));
    for (let c = 0; accessor.min && c < accessor.min.length; c++) {
        const column = numbers.filter((_, i) => i % accessor.min.length === c);
        assert.equal(Math.fround(accessor.min[c]), column.reduce((a, b) => Math.min(a, b)));
        assert.equal(Math.fround(accessor.max[c]), column.reduce((a, b) => Math.max(a, b)));
    }
}

function checkPrimitive(file, { attributes, indices, material }) {
    const { accessors, bufferViews, materials } = file.json;
    const count = accessors[attributes.POSITION].count;
    assert.ok(accessors[attributes.POSITION].min && accessors[attributes.POSITION].max);
    for (const index of Object.values(attributes)) {
        assert.equal(accessors[index].count, count);
        assert.equal(bufferViews[accessors[index].bufferView].target, VERTICES);
    }
    assert.equal(bufferViews[accessors[indices].bufferView].target, TRIANGLES);
    assert.equal(accessors[indices].count % 3, 0);
    assert.ok(numbersOf(file, indices).every((vertex) => vertex < count));
    assert.ok(material < materials.length);
    const normals = numbersOf(file, attributes.NORMAL);
    for (let i = 0; i < normals.length; i += 3) {
        assert.ok(Math.abs(Math.hypot(...normals.subarray(i, i + 3)) - 1) < 1e-6); // rounding of floats
    }
}

function checkSkin(file, { joints, inverseBindMatrices, skeleton }, primitive) {
    const { nodes, accessors } = file.json;
    assert.equal(accessors[inverseBindMatrices].count, joints.length);
    assert.deepEqual(nodes[skeleton].children, joints);
    assert.ok(numbersOf(file, primitive.attributes.JOINTS_0).every((joint) => joint < joints.length));
    const weights = numbersOf(file, primitive.attributes.WEIGHTS_0);
    const one = weights instanceof Uint8Array ? 255 : 1;
    for (let i = 0; i < weights.length; i += 4) {
        const sum = weights[i] + weights[i + 1] + weights[i + 2] + weights[i + 3];
        assert.ok(Math.abs(sum / one - 1) < 4 * 2 ** -23); // four floats
    }
}

function checkAnimation(file, { channels, samplers }) {
    const { accessors, nodes } = file.json;
    const widths = { translation: "VEC3", rotation: "VEC4", scale: "VEC3" };
    for (const { sampler, target } of channels) {
        const { input, output } = samplers[sampler];
        const times = numbersOf(file, input);
        assert.ok(target.node < nodes.length);
        assert.equal(accessors[output].type, widths[target.path]);
        assert.equal(accessors[output].count, times.length);
        assert.ok(times.length > 1 && times[0] === 0 && times.every((time, k) => k === 0 || time > times[k - 1]));
        if (target.path === "rotation") {
            checkQuaternions(numbersOf(file, output));
        }
    }
}

// Unit, and the next one always the nearer of q and -q.
function checkQuaternions(q) {
    for (let i = 0; i < q.length; i += 4) {
        assert.ok(Math.abs(Math.hypot(...q.subarray(i, i + 4)) - 1) < 1e-6); // rounding of floats
        const along = [0, 1, 2, 3].reduce((sum, c) => sum + q[i + c] * (i > 0 ? q[i - 4 + c] : q[i + c]), 0);
        assert.ok(along >= 0);
    }
}

function crc(bytes) {
    let sum = 0xffffffff;
    for (const byte of bytes) {
        sum ^= byte;
        for (let bit = 0; bit < 8; bit++) {
            sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
        }
    }
    return ~sum >>> 0;
}

// One row of pixels, as [red, green, blue] each.
export function pixelsOf({ json, bin }, image) {
    const view = json.bufferViews[json.images[image].bufferView];
    const png = Buffer.from(bin.buffer, bin.byteOffset + view.byteOffset, view.byteLength);
    assert.equal(png.toString("latin1", 0, 8), "\x89PNG\r\n\x1a\n");
    const chunks = {};
    for (let at = 8; at < png.length; ) {
        const size = png.readUInt32BE(at);
        assert.equal(png.readUInt32BE(at + 8 + size), crc(png.subarray(at + 4, at + 8 + size)));
        chunks[png.toString("latin1", at + 4, at + 8)] = png.subarray(at + 8, at + 8 + size);
        at += 12 + size;
    }
    assert.deepEqual(Object.keys(chunks), ["IHDR", "IDAT", "IEND"]);
    const row = inflateSync(chunks.IDAT);
    assert.equal(row.length, 1 + 3 * chunks.IHDR.readUInt32BE(0));
    return Array.from({ length: (row.length - 1) / 3 }, (_, i) => [...row.subarray(1 + 3 * i, 4 + 3 * i)]);
}

// All that a validator would find fault with.
export function checkGlb(file) {
    const { json, bin } = file;
    assert.equal(json.asset.version, "2.0");
    assert.ok(bin.length - json.buffers[0].byteLength < 4 && bin.length >= json.buffers[0].byteLength);
    for (const view of json.bufferViews) {
        assert.ok(view.byteLength > 0 && view.byteOffset + view.byteLength <= bin.length);
        assert.equal(view.byteOffset % 4, 0);
    }
    json.accessors.forEach((accessor, index) => checkAccessor(file, accessor, index));
    json.meshes.forEach((mesh) => mesh.primitives.forEach((primitive) => checkPrimitive(file, primitive)));
    for (const node of json.nodes.filter(({ skin }) => skin !== undefined)) {
        checkSkin(file, json.skins[node.skin], json.meshes[node.mesh].primitives[0]);
    }
    (json.animations ?? []).forEach((animation) => checkAnimation(file, animation));
    (json.images ?? []).forEach((_, image) => pixelsOf(file, image));
    const parents = json.nodes.flatMap(({ children }) => children ?? []);
    assert.equal(new Set(parents).size, parents.length); // a tree
    assert.equal(new Set([...parents, ...json.scenes[0].nodes]).size, json.nodes.length); // of all nodes
    Object.values(json).filter(Array.isArray).forEach((list) => assert.ok(list.length > 0));
}

// ---------------------------------------------------------------------------------------------------- the scene

// What three's loader makes of a file, to be set to any of its frames. Points are told in Cordage's axes.
export class Stage {
    // `three`: { THREE, GLTFLoader }
    static async load(three, bytes) {
        const loader = new three.GLTFLoader();
        // Node has no decoder of pictures; the texture itself is looked at by pixelsOf.
        loader.register(() => ({ name: "blank", loadTexture: async () => new three.THREE.Texture() }));
        const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
        return new Stage(three.THREE, await loader.parseAsync(copy, ""));
    }

    constructor(THREE, gltf) {
        this.THREE = THREE;
        this.scene = gltf.scene;
        this.clip = gltf.animations[0] ?? null;
        this.times = this.clip ? this.clip.tracks[0].times : Float32Array.of(0);
        this.mixer = new THREE.AnimationMixer(this.scene);
        if (this.clip) {
            this.action = this.mixer.clipAction(this.clip).setLoop(THREE.LoopOnce, 1);
            this.action.clampWhenFinished = true; // it stops at the last frame
        }
    }

    show(frame) {
        this.action?.reset().play();
        this.mixer.setTime(this.times[frame]);
        this.scene.updateMatrixWorld(true);
    }

    // The object whose name in the file is this.
    find(name, wanted = () => true) {
        const found = [];
        this.scene.traverse((object) => {
            if ((object.userData.name ?? object.name) === name && wanted(object)) {
                found.push(object);
            }
        });
        assert.equal(found.length, 1, `${found.length} are named ${JSON.stringify(name)}`);
        return found[0];
    }

    skinned(name) {
        return this.find(name, (object) => object.isSkinnedMesh);
    }

    vertex(mesh, index) {
        const v = new this.THREE.Vector3().fromBufferAttribute(mesh.geometry.attributes.position, index);
        if (mesh.isSkinnedMesh) {
            mesh.applyBoneTransform(index, v);
        }
        return toCordage(v.applyMatrix4(mesh.matrixWorld));
    }

    // The position of an object, and its rotation as a matrix of columns.
    pose(object) {
        const e = object.matrixWorld.elements;
        const column = (c) => toCordage(new this.THREE.Vector3(e[4 * c], e[4 * c + 1], e[4 * c + 2]));
        return { position: column(3), axes: [column(0), column(1), column(2)] };
    }
}

function toCordage({ x, y, z }) {
    return [x, -z, y];
}
