// Surfaces of triangles that go along with rods, shaded as if they were round.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, DoubleSide, Group, Mesh, MeshStandardMaterial } from "three";
import { castMaterial, dress, showMaterial } from "./light.js";

// Normals of the triangles summed at their vertices, each as large as its triangle.
function vertexNormals(x, triangles, normals) {
    normals.fill(0);
    for (let k = 0; k + 2 < triangles.length; k += 3) {
        const a = 3 * triangles[k], b = 3 * triangles[k + 1], c = 3 * triangles[k + 2];
        const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
        const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
        const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        normals[a] += nx, normals[a + 1] += ny, normals[a + 2] += nz;
        normals[b] += nx, normals[b + 1] += ny, normals[b + 2] += nz;
        normals[c] += nx, normals[c + 1] += ny, normals[c + 2] += nz;
    }
}

const MAIN = "void main() {";

// In the strong colour of its rod, which it hides; or in the light one if the rod is to be seen as well.
function surfaceMaterial(lit, pairTable, pair, tone) {
    const uniforms = { ...lit, pairTable, pairPlace: { value: [pair, tone] } };
    return dress(
        new MeshStandardMaterial({ roughness: 0.55, side: DoubleSide }), "surface", uniforms, [],
        [[MAIN, `uniform sampler2D pairTable;\nuniform vec2 pairPlace;\n${MAIN}`],
         ["#include <color_fragment>", "diffuseColor.rgb = texelFetch(pairTable, ivec2(pairPlace), 0).rgb;"]]);
}

class Surface {
    constructor(from, pair, tone, material, cast) {
        const geometry = new BufferGeometry();
        for (const name of ["position", "normal"]) {
            const attribute = new BufferAttribute(new Float32Array(3 * from.vertexCount), 3);
            attribute.setUsage(DynamicDrawUsage);
            geometry.setAttribute(name, attribute);
        }
        geometry.setIndex(new BufferAttribute(new Uint32Array(from.triangles), 1));
        this.triangles = geometry.index.array;
        this.pair = pair;
        this.tone = tone;
        this.mesh = new Mesh(geometry, material);
        this.mesh.customDepthMaterial = cast;
        this.mesh.castShadow = this.mesh.receiveShadow = true;
        this.mesh.frustumCulled = false;
    }

    isOf(from, pairs) {
        return this.pair === pairs[from.rod] && this.tone === (from.hides ? 0 : 1) &&
            3 * from.vertexCount === this.mesh.geometry.attributes.position.array.length &&
            from.triangles.length === this.triangles.length && from.triangles.every((corner, i) => corner === this.triangles[i]);
    }

    setVertices(x) {
        const { position, normal } = this.mesh.geometry.attributes;
        position.array.set(x.subarray(0, position.array.length));
        vertexNormals(position.array, this.triangles, normal.array); // three makes them unit length in the shader
        position.needsUpdate = normal.needsUpdate = true;
    }

    dispose() {
        this.mesh.geometry.dispose();
        this.mesh.material.dispose();
    }
}

export class Surfaces {
    constructor(lit, pairTable, cast) {
        this.lit = lit;
        this.pairTable = pairTable;
        this.cast = castMaterial(cast);
        this.group = new Group();
        this.list = [];
        this.shown = true;
    }

    show(on) {
        this.shown = on;
        this.list.forEach(({ mesh }) => showMaterial(mesh.material, on));
    }

    // Layouts come anew whenever an adaptive rod changes, and seldom with other triangles.
    setLayout(layout, pairs) {
        const same = layout.surfaces.length === this.list.length && layout.surfaces.every((from, k) => this.list[k].isOf(from, pairs));
        if (same) {
            return;
        }
        this.clear();
        this.list = layout.surfaces.map((from) => {
            const pair = pairs[from.rod], tone = from.hides ? 0 : 1;
            return new Surface(from, pair, tone, surfaceMaterial(this.lit, this.pairTable, pair, tone), this.cast);
        });
        this.list.forEach((surface) => this.group.add(surface.mesh));
        this.show(this.shown);
    }

    setFrame(frame) {
        this.list.forEach((surface, k) => surface.setVertices(frame.surfaces[k]));
    }

    clear() {
        this.list.forEach((surface) => surface.dispose());
        this.list = [];
        this.group.clear();
    }
}
