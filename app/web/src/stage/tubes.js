// Rods as tubes, made in the vertex shader: only node positions and material axes go to the graphics card with each frame, as tables;
// a small mesh of (ring, angle) is drawn once for each edge, and another for each end.
import {
    DataTexture, DoubleSide, FloatType, FrontSide, Group, InstancedBufferAttribute, InstancedBufferGeometry, Float32BufferAttribute, Mesh,
    MeshStandardMaterial, NearestFilter, RGBAFormat,
} from "three";
import { castMaterial, dress } from "./light.js";
import { NONE } from "./links.js";
import { BRAID_COLOR, BRAID_FRAGMENT, BRAID_HOVER, BRAID_NORMAL, TUBE_VARYINGS, TUBE_VERTEX } from "./tube_shader.js";

const TABLE_WIDTH = 1024; // as the shader has it
const LOOK_PLAIN = 8, LOOK_START = 16, LOOK_ROD = 256;
const CELL_LENGTH = 0.68; // of the braid, in radii

// Rings along an edge, sides around it, rings of a cap: the more edges there are, the fewer.
const DETAIL = [
    { edges: 60, rings: 16, sides: 28, cap: 8 },
    { edges: 400, rings: 10, sides: 24, cap: 6 },
    { edges: 2000, rings: 6, sides: 18, cap: 5 },
    { edges: 10000, rings: 3, sides: 12, cap: 4 },
    { edges: 40000, rings: 2, sides: 8, cap: 3 },
    { edges: 120000, rings: 1, sides: 6, cap: 2 },
    { edges: Infinity, ribbon: true },
];

// Of very many edges only some cast a shadow, and on slow machines only some are drawn.
const MANY = 60000;

// Four numbers for each of a growing count of things, as a texture.
class Table {
    constructor() {
        this.uniform = { value: null };
        this.data = new Float32Array(0);
    }

    hold(count) {
        const rows = Math.max(1, Math.ceil(count / TABLE_WIDTH));
        if (4 * TABLE_WIDTH * rows <= this.data.length) {
            return;
        }
        const grown = Math.ceil(1.25 * rows); // adaptive rods change their counts often
        this.uniform.value?.dispose();
        this.data = new Float32Array(4 * TABLE_WIDTH * grown);
        const texture = new DataTexture(this.data, TABLE_WIDTH, grown, RGBAFormat, FloatType);
        texture.minFilter = texture.magFilter = NearestFilter;
        this.uniform.value = texture;
    }

    // Three numbers each from `from`; the fourth stays.
    put(from, count) {
        const { data } = this;
        for (let i = 0, k = 0, j = 0; i < count; i++, k += 3, j += 4) {
            data[j] = from[k];
            data[j + 1] = from[k + 1];
            data[j + 2] = from[k + 2];
        }
        this.uniform.value.needsUpdate = true;
    }

    dispose() {
        this.uniform.value?.dispose();
    }
}

// What is the same for all vertices of an edge, in arrays that grow.
class Instances {
    constructor() {
        this.capacity = 0;
        this.reserve(0);
    }

    reserve(count) {
        this.count = 0;
        if (count > this.capacity || !this.attributes) {
            this.capacity = Math.max(16, Math.ceil(1.25 * count));
            this.attributes = {
                nodes: new InstancedBufferAttribute(new Uint32Array(4 * this.capacity), 4),
                edges: new InstancedBufferAttribute(new Uint32Array(4 * this.capacity), 4),
                span: new InstancedBufferAttribute(new Float32Array(4 * this.capacity), 4),
            };
            return true;
        }
        return false;
    }

    add(links, edge, look, from, to) {
        const { nodes, edges, span } = this.attributes, at = 4 * this.count++;
        for (let k = 0; k < 4; k++) {
            nodes.array[at + k] = links.nodes[4 * edge + k];
        }
        edges.array[at] = links.before[edge];
        edges.array[at + 1] = edge;
        edges.array[at + 2] = links.after[edge];
        edges.array[at + 3] = look;
        span.array[at + 2] = from;
        span.array[at + 3] = to;
    }

    setCells(cells) {
        const { edges, span } = this.attributes;
        for (let i = 0; i < this.count; i++) {
            const edge = edges.array[4 * i + 1];
            span.array[4 * i] = cells[2 * edge];
            span.array[4 * i + 1] = cells[2 * edge + 1];
        }
        span.needsUpdate = true;
    }
}

// A band along the edge: (0 or 1 along, -1 or 1 across).
function ribbonGeometry() {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute([0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 1, 0], 3));
    geometry.setAttribute("normal", geometry.getAttribute("position"));
    geometry.setIndex([0, 2, 1, 1, 2, 3]);
    return geometry;
}

// All of 0 to count - 1, each once, so that the first of them are spread over all.
function spread(count) {
    let step = Math.max(1, Math.round(0.618034 * count));
    const divisor = (a, b) => (b === 0 ? a : divisor(b, a % b));
    while (divisor(count, step) > 1) {
        step++;
    }
    return Array.from({ length: count }, (_, i) => (i * step) % count);
}

// A grid of rings and sides that closes around: (u, angle, latitude) for each vertex.
function gridGeometry(rings, sides, vertex) {
    const places = [], index = [];
    for (let i = 0; i <= rings; i++) {
        for (let k = 0; k < sides; k++) {
            places.push(...vertex(i / rings, (2 * Math.PI * k) / sides));
            if (i < rings) {
                const a = i * sides + k, b = i * sides + ((k + 1) % sides);
                index.push(a, b, a + sides, b, b + sides, a + sides);
            }
        }
    }
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(places, 3));
    geometry.setAttribute("normal", geometry.getAttribute("position")); // three asks for one; the shader makes its own
    geometry.setIndex(index);
    return geometry;
}

const MAIN = "void main() {";

function tubeMaterial(uniforms) {
    const material = new MeshStandardMaterial({ roughness: 0.58, metalness: 0 });
    const vertex = [
        [MAIN, `${TUBE_VERTEX}${TUBE_VARYINGS}
${MAIN}
Tube tube = tubeAt(position.x, position.y, position.z);
vLook = edges.w; vCell = tube.cell; vValue = tube.value; vLatitude = position.z;
vAlong = (viewMatrix * vec4(tube.tangent, 0.0)).xyz;
#ifdef RIBBON
vAxis = (viewMatrix * vec4(tube.m1, 0.0)).xyz;
#else
vAround = tube.around;
#endif`],
        ["#include <beginnormal_vertex>", "vec3 objectNormal = tube.normal;"],
        ["#include <begin_vertex>", "vec3 transformed = tube.position;"],
    ];
    const fragment = [
        [MAIN, `${TUBE_VARYINGS}${BRAID_FRAGMENT}${MAIN}`],
        ["#include <color_fragment>", BRAID_COLOR],
        ["#include <normal_fragment_maps>", BRAID_NORMAL],
        ["#include <emissivemap_fragment>", BRAID_HOVER],
    ];
    return dress(material, "tube", uniforms, vertex, fragment);
}

function tubeCastMaterial(uniforms) {
    return castMaterial(uniforms, /* glsl */ `
varying float vHeight;
${TUBE_VERTEX}
void main() {
    vec3 at = tubeAt(position.x, position.y, position.z).position;
    vHeight = at.z;
    gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}`);
}

export class Tubes {
    // `uniforms`: what the stage shares with all tubes (camera, palette, hover); `cast`: what shadows need.
    constructor(uniforms, cast) {
        this.nodes = new Table();
        this.edges = new Table();
        const tables = { nodeTable: this.nodes.uniform, edgeTable: this.edges.uniform };
        this.material = tubeMaterial({ ...uniforms, ...tables });
        this.castMaterial = tubeCastMaterial({ ...uniforms, ...cast, ...tables });
        this.group = new Group();
        this.bodies = { instances: new Instances(), mesh: this.makeMesh() };
        this.caps = { instances: new Instances(), mesh: this.makeMesh() };
        this.detail = null;
        this.coarser = 0;
        this.nodes.hold(1);
        this.edges.hold(1);
    }

    makeMesh() {
        const mesh = new Mesh(new InstancedBufferGeometry(), this.material);
        mesh.customDepthMaterial = this.castMaterial;
        mesh.castShadow = mesh.receiveShadow = true;
        mesh.frustumCulled = false;
        mesh.onBeforeShadow = (renderer, object, camera, lamp, geometry) => {
            geometry.instanceCount = Math.min(geometry.instanceCount, MANY);
        };
        mesh.onAfterShadow = (renderer, object, camera, lamp, geometry) => {
            geometry.instanceCount = this.shown((object === this.bodies.mesh ? this.bodies : this.caps).instances.count);
        };
        this.group.add(mesh);
        return mesh;
    }

    setLayout(layout, links, pairs, hidden) {
        this.layout = layout;
        this.links = links;
        this.nodes.hold(layout.nodeCount);
        this.edges.hold(layout.edgeCount);
        let edges = 0, ends = 0;
        layout.rods.forEach((rod, k) => {
            edges += hidden[k] ? 0 : rod.edgeCount;
            ends += hidden[k] || rod.closed ? 0 : rod.network ? 2 * rod.edgeCount : 2;
        });
        this.bodies.grown = this.bodies.instances.reserve(edges);
        this.caps.grown = this.caps.instances.reserve(ends);
        for (const k of spread(layout.rods.length)) {
            const rod = layout.rods[k];
            if (!hidden[k]) {
                this.addRod(rod, (pairs[k] | (rod.network ? LOOK_PLAIN : 0)) + LOOK_ROD * k);
            }
        }
        this.setDetail(edges);
        this.place();
        this.cellsKnown = false;
    }

    addRod(rod, look) {
        const { links, layout } = this;
        for (let e = rod.firstEdge; e < rod.firstEdge + rod.edgeCount; e++) {
            const own = layout.radius[e], before = links.before[e], after = links.after[e];
            const from = before === NONE ? own : 0.5 * (own + layout.radius[before]);
            const to = after === NONE ? own : 0.5 * (own + layout.radius[after]);
            this.bodies.instances.add(links, e, look, from, to);
            if (before === NONE) {
                this.caps.instances.add(links, e, look + LOOK_START, from, to);
            }
            if (after === NONE) {
                this.caps.instances.add(links, e, look, from, to);
            }
        }
    }

    // 0: as fine as the number of edges allows; 1, 2: coarser, for slow machines.
    setCoarser(steps) {
        if (steps !== this.coarser) {
            this.coarser = steps;
            this.setDetail(this.bodies.instances.count);
            this.place();
        }
    }

    shown(count) {
        return this.coarser > 0 ? Math.min(count, Math.max(MANY, Math.ceil(count / 2 ** this.coarser))) : count;
    }

    setDetail(edges) {
        const fitting = DETAIL.findIndex((detail) => edges <= detail.edges);
        const detail = DETAIL[Math.min(DETAIL.length - 1, fitting + this.coarser)];
        if (detail === this.detail) {
            return;
        }
        this.detail = detail;
        this.bodies.grown = this.caps.grown = true;
        this.bodies.mesh.geometry.dispose();
        this.caps.mesh.geometry.dispose();
        this.bodies.mesh.geometry =
            detail.ribbon ? ribbonGeometry() : gridGeometry(detail.rings, detail.sides, (u, angle) => [u, angle, 0]);
        this.caps.mesh.geometry =
            detail.ribbon ? ribbonGeometry() : gridGeometry(detail.cap, detail.sides, (u, angle) => [-1, angle, (u * Math.PI) / 2]);
        for (const material of [this.material, this.castMaterial]) {
            material.defines = { ...material.defines };
            delete material.defines.RIBBON;
            Object.assign(material.defines, detail.ribbon ? { RIBBON: "" } : {});
            material.needsUpdate = true;
        }
        this.material.side = this.castMaterial.side = detail.ribbon ? DoubleSide : FrontSide;
    }

    place() {
        for (const part of [this.bodies, this.caps]) {
            const { geometry } = part.mesh, { attributes, count } = part.instances;
            if (part.grown) {
                geometry.dispose(); // with it, the arrays that were too short
            }
            for (const name of Object.keys(attributes)) {
                geometry.setAttribute(name, attributes[name]);
                attributes[name].needsUpdate = true;
            }
            part.grown = false;
            geometry.instanceCount = this.shown(count);
            part.mesh.visible = count > 0;
        }
        this.caps.mesh.visible &&= !this.detail.ribbon;
    }

    setFrame(frame) {
        this.nodes.put(frame.x, this.layout.nodeCount);
        this.edges.put(frame.m1, this.layout.edgeCount);
        if (!this.cellsKnown) {
            this.layBraid(frame.x);
            this.cellsKnown = true;
        }
    }

    // The braid is laid along the rod as it is when its nodes are first known, and then stretches with it. A ring has a whole number
    // of cells, and each edge counts from a number below one: what is drawn repeats from cell to cell.
    layBraid(x) {
        const { layout, links } = this, cells = new Float32Array(2 * layout.edgeCount);
        for (const rod of layout.rods) {
            const lengths = [];
            let whole = 0, radius = 0;
            for (let e = rod.firstEdge; e < rod.firstEdge + rod.edgeCount; e++) {
                const a = 3 * links.nodes[4 * e + 1], b = 3 * links.nodes[4 * e + 2];
                const length = Math.hypot(x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]);
                lengths.push(length);
                whole += length;
                radius += layout.radius[e] / rod.edgeCount;
            }
            const count = whole / (CELL_LENGTH * Math.max(radius, 1e-4 * whole) || 1);
            const perMetre = whole > 0 ? (rod.closed ? Math.max(1, Math.round(count)) : count) / whole : 0;
            let at = 0;
            lengths.forEach((length, j) => {
                cells[2 * (rod.firstEdge + j)] = at % 1;
                cells[2 * (rod.firstEdge + j) + 1] = (at % 1) + length * perMetre;
                at += length * perMetre;
            });
        }
        this.bodies.instances.setCells(cells);
        this.caps.instances.setCells(cells);
    }

    // One number from 0 to 1 for each edge.
    setValues(values) {
        const { data } = this.edges;
        for (let e = 0; e < this.layout.edgeCount; e++) {
            data[4 * e + 3] = values[e];
        }
        this.edges.uniform.value.needsUpdate = true;
    }

    dispose() {
        this.bodies.mesh.geometry.dispose();
        this.caps.mesh.geometry.dispose();
        this.material.dispose();
        this.castMaterial.dispose();
        this.nodes.dispose();
        this.edges.dispose();
    }
}
