// Rods as tubes, made in the vertex shader: only node positions and material axes go to the graphics card with each frame, as tables.
// All rods, with their caps, are one mesh without vertices of its own: an index says which slot, that is edge, and which vertex of it.
// (A small mesh drawn once per edge would do as well, but drawing very many instances of very small meshes is slow everywhere.)
import { BufferAttribute, BufferGeometry, DoubleSide, Mesh, MeshStandardMaterial, ShaderMaterial, Sphere } from "three";
import { chooseDetail, isFar, measureEdges } from "./detail.js";
import { castMaterial, dress, showMaterial } from "./light.js";
import { NONE } from "./links.js";
import { STRAND_CAST_VERTEX, STRAND_FRAGMENT, STRAND_VERTEX } from "./strand_shader.js";
import { Table } from "./table.js";
import { BRAID_COLOR, BRAID_FRAGMENT, BRAID_HOVER, BRAID_NORMAL, TUBE_VARYINGS, TUBE_VERTEX } from "./tube_shader.js";

// Vertices of a slot, as the shader has them: (rings + 1) sides of an edge, at most 17 times 28, and (cap + 1) sides of each cap.
const SLOT = 1024, START_CAP = 512, END_CAP = 768;
const LOOK_PLAIN = 8, LOOK_ROD = 256;
const CELL_LENGTH = 0.68; // of the braid, in radii

const STRANDS_ALWAYS = 100000;         // as many edges are bands whatever their thickness,
const STRANDS_FROM = 4000;             // as many only while they are thin,
const THIN = 2.2, THICK = 3.2;         // thinner and thicker than this in the mean [pixels]

// Of very many edges only some cast a shadow, and on slow machines only some are drawn.
const MANY = 60000;

// Triangles between rings, as vertices of a slot.
function gridPattern(first, rings, sides) {
    const pattern = [];
    for (let i = 0; i < rings; i++) {
        for (let k = 0; k < sides; k++) {
            const a = first + i * sides + k, b = first + i * sides + ((k + 1) % sides);
            pattern.push(a, b, a + sides, b, b + sides, a + sides);
        }
    }
    return pattern;
}

// All of 0 to count - 1, each once, so that the first of them are spread over all.
function spread(count) {
    const divisor = (a, b) => (b === 0 ? a : divisor(b, a % b));
    let step = Math.max(1, Math.round(0.618034 * count));
    while (divisor(count, step) > 1) {
        step++;
    }
    return Array.from({ length: count }, (_, i) => (i * step) % count);
}

const MAIN = "void main() {";

function tubeMaterial(uniforms) {
    const material = new MeshStandardMaterial({ roughness: 0.58, metalness: 0 });
    const vertex = [
        [MAIN, `${TUBE_VERTEX}${TUBE_VARYINGS}
${MAIN}
Tube tube = tubeOf(gl_VertexID);
vLook = tube.look; vCell = tube.cell; vValue = tube.value; vLatitude = tube.latitude;
vAround = tube.around; vAlong = (viewMatrix * vec4(tube.tangent, 0.0)).xyz;`],
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
    vec3 at = tubeOf(gl_VertexID).position;
    vHeight = at.z;
    gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}`);
}

function strandMaterial(uniforms) {
    return new ShaderMaterial({
        uniforms, vertexShader: STRAND_VERTEX, fragmentShader: STRAND_FRAGMENT, side: DoubleSide, toneMapped: false,
    });
}

export class Tubes {
    // `uniforms`: what the stage shares with all tubes (camera, palette, hover); `light`: what lights them.
    constructor(uniforms, light) {
        this.nodes = new Table(Float32Array);  // x y z, radius
        this.edges = new Table(Float32Array);  // m1, a number to colour by
        this.links = new Table(Uint32Array);   // of a slot: the node before its edge, the edge's two, the one after
        this.styles = new Table(Uint32Array);  // the edge, how it looks, and bits of floats: cells of the braid at its ends, or its radius
        this.detailUniform = { value: [1, 3, 1] };
        const own = {
            nodeTable: this.nodes.uniform, edgeTable: this.edges.uniform, linkTable: this.links.uniform,
            styleTable: this.styles.uniform, detail: this.detailUniform,
        };
        const cast = { ...uniforms, ...light.cast, ...own };
        this.tube = { material: tubeMaterial({ ...light.uniforms, ...uniforms, ...own }), cast: tubeCastMaterial(cast) };
        this.strand = {
            material: strandMaterial({ ...light.threads, ...uniforms, ...own }),
            cast: castMaterial(cast, STRAND_CAST_VERTEX),
        };
        this.isThin = false;
        this.scale = { radius: 5, length: 20 }; // of an edge on the screen [pixels]
        this.shape = { turn: 0.2, length: 1 };  // of the edges there are
        this.mesh = this.makeMesh();
        this.coarser = 0;
        this.slots = this.drawn = this.perSlot = 0;
        this.caps = [];
    }

    makeMesh() {
        const geometry = new BufferGeometry();
        geometry.setAttribute("normal", new BufferAttribute(new Float32Array(3), 3)); // three asks for one; the shader makes its own
        geometry.boundingSphere = new Sphere();
        const mesh = new Mesh(geometry, this.tube.material);
        mesh.customDepthMaterial = this.tube.cast;
        mesh.castShadow = mesh.receiveShadow = true;
        mesh.frustumCulled = false;
        mesh.visible = false;
        mesh.onBeforeShadow = () => geometry.setDrawRange(0, Math.min(this.drawn, MANY * this.perSlot));
        mesh.onAfterShadow = () => geometry.setDrawRange(0, this.drawn);
        return mesh;
    }

    setLayout(layout, links, pairs, hidden) {
        this.layout = layout;
        this.chain = links;
        this.nodes.hold(layout.nodeCount);
        this.edges.hold(layout.edgeCount);
        this.links.hold(layout.edgeCount);
        this.styles.hold(layout.edgeCount);
        this.slots = 0;
        this.caps = [];
        for (const k of spread(layout.rods.length)) {
            const rod = layout.rods[k];
            if (!hidden[k]) {
                this.addRod(rod, (pairs[k] | (rod.network ? LOOK_PLAIN : 0)) + LOOK_ROD * k);
            }
        }
        this.links.send();
        this.cellsKnown = false;
        this.refresh();
    }

    addRod(rod, look) {
        const { chain, layout } = this, { radius } = layout;
        for (let e = rod.firstEdge; e < rod.firstEdge + rod.edgeCount; e++) {
            const slot = this.slots++, before = chain.before[e], after = chain.after[e];
            for (let k = 0; k < 4; k++) {
                this.links.data[4 * slot + k] = chain.nodes[4 * e + k];
            }
            this.styles.data[4 * slot] = e;
            this.styles.data[4 * slot + 1] = look;
            this.nodes.data[4 * chain.nodes[4 * e + 1] + 3] = before === NONE ? radius[e] : 0.5 * (radius[before] + radius[e]);
            this.nodes.data[4 * chain.nodes[4 * e + 2] + 3] = after === NONE ? radius[e] : 0.5 * (radius[e] + radius[after]);
            if (before === NONE) {
                this.caps.push(SLOT * slot + START_CAP);
            }
            if (after === NONE) {
                this.caps.push(SLOT * slot + END_CAP);
            }
        }
    }

    show(on) {
        showMaterial(this.tube.material, on);
        showMaterial(this.strand.material, on);
    }

    // 0: as fine as can be seen; 1, 2: coarser, for slow machines.
    setCoarser(steps) {
        if (steps !== this.coarser) {
            this.coarser = steps;
            this.refresh();
        }
    }

    // How many pixels a metre is where the rods are, and how thick these are in the mean [m]. True: they are drawn in another way now.
    setScale(pixelsPerMetre, radius) {
        this.scale = { radius: radius * pixelsPerMetre, length: this.shape.length * pixelsPerMetre };
        this.isThin = this.scale.radius < (this.isThin ? THICK : THIN);
        if (this.isStrands === this.wantsStrands() && !isFar(this.detail, this.wantedDetail())) {
            return false;
        }
        this.refresh();
        return true;
    }

    wantsStrands() {
        return this.slots > STRANDS_ALWAYS || (this.slots > STRANDS_FROM && this.isThin);
    }

    wantedDetail() {
        return chooseDetail({ edges: this.slots, turn: this.shape.turn, coarser: this.coarser, ...this.scale });
    }

    refresh() {
        this.detail = this.wantedDetail();
        this.detailUniform.value = [this.detail.rings, this.detail.sides, this.detail.cap];
        this.isStrands = this.wantsStrands();
        const kind = this.isStrands ? this.strand : this.tube;
        this.mesh.material = kind.material;
        this.mesh.customDepthMaterial = kind.cast;
        this.makeIndex();
    }

    // First the edges, slot by slot, so that any number of them can be left out; then the caps.
    makeIndex() {
        const { rings, sides, cap } = this.detail;
        const body = this.isStrands ? [0, 2, 1, 1, 2, 3] : gridPattern(0, rings, sides);
        const lid = this.isStrands ? [] : gridPattern(0, cap, sides);
        const shown = this.coarser > 0 ? Math.min(this.slots, Math.max(MANY, this.slots >> this.coarser)) : this.slots;
        const caps = shown < this.slots ? [] : this.caps, count = shown * body.length + caps.length * lid.length;
        const { geometry } = this.mesh;
        if (!geometry.index || geometry.index.array.length < count) {
            geometry.dispose();
            geometry.setIndex(new BufferAttribute(new Uint32Array(Math.ceil(1.25 * count)), 1));
        }
        const index = geometry.index.array;
        let at = 0;
        for (let slot = 0; slot < shown; slot++) {
            for (let k = 0; k < body.length; k++) {
                index[at++] = SLOT * slot + body[k];
            }
        }
        for (const first of caps) {
            for (let k = 0; k < lid.length; k++) {
                index[at++] = first + lid[k];
            }
        }
        geometry.index.needsUpdate = true;
        this.drawn = at;
        this.perSlot = body.length;
        geometry.setDrawRange(0, at);
        this.mesh.visible = at > 0;
    }

    setFrame(frame) {
        this.nodes.putVectors(frame.x, this.layout.nodeCount);
        this.edges.putVectors(frame.m1, this.layout.edgeCount);
        this.shape = measureEdges(this.layout, this.chain, frame.x);
        if (!this.cellsKnown) {
            this.layBraid(frame.x);
            this.cellsKnown = true;
        }
    }

    // The braid is laid along the rod as it is when its nodes are first known, and then stretches with it. A ring has a whole number
    // of cells, and each edge counts from a number below one: what is drawn repeats from cell to cell.
    layBraid(x) {
        const { layout } = this, cells = new Float32Array(2 * layout.edgeCount);
        for (const rod of layout.rods) {
            const { lengths, whole, radius } = this.measure(rod, x);
            const count = whole / Math.max(CELL_LENGTH * radius, 1e-4 * whole);
            const perMetre = whole > 0 ? (rod.closed ? Math.max(1, Math.round(count)) : count) / whole : 0;
            let at = 0;
            lengths.forEach((length, j) => {
                const edge = rod.firstEdge + j, start = at % 1;
                cells[2 * edge] = rod.network ? layout.radius[edge] : start;
                cells[2 * edge + 1] = rod.network ? layout.radius[edge] : start + length * perMetre;
                at += length * perMetre;
            });
        }
        const bits = new Uint32Array(cells.buffer), { data } = this.styles;
        for (let slot = 0; slot < this.slots; slot++) {
            data[4 * slot + 2] = bits[2 * data[4 * slot]];
            data[4 * slot + 3] = bits[2 * data[4 * slot] + 1];
        }
        this.styles.send();
    }

    measure(rod, x) {
        const lengths = [], { nodes } = this.chain;
        let whole = 0, radius = 0;
        for (let e = rod.firstEdge; e < rod.firstEdge + rod.edgeCount; e++) {
            const a = 3 * nodes[4 * e + 1], b = 3 * nodes[4 * e + 2];
            const length = Math.hypot(x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]);
            lengths.push(length);
            whole += length;
            radius += this.layout.radius[e] / rod.edgeCount;
        }
        return { lengths, whole, radius };
    }

    // One number from 0 to 1 for each edge.
    setValues(values) {
        this.edges.putFourth(values, this.layout.edgeCount);
    }
}
