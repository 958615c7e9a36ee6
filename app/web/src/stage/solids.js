// Bodies and obstacles. All of one shape and size are drawn together.
import {
    Box3, BufferAttribute, BufferGeometry, Color, DoubleSide, FrontSide, Group, InstancedMesh, InterleavedBuffer,
    InterleavedBufferAttribute,
    Matrix4, MeshStandardMaterial, Quaternion, Vector3,
} from "three";
import { solidKey } from "../reel.js";
import { castMaterial, dress } from "./light.js";

// Quarters around the axis in two tones, the other way round on a ball's lower half: how a thing turns is seen from anywhere.
const TONE_PARS = /* glsl */ `
varying vec3 vOwn;
uniform vec3 tones[2];
uniform float quarters;              // 0: one tone; 1: quarters; 2: those of a ball
float sideOf(float x) {
    return clamp(x / max(fwidth(x), 1e-9) + 0.5, 0.0, 1.0) * 2.0 - 1.0;
}
`;

const TONE = /* glsl */ `
float product = sideOf(vOwn.x) * sideOf(vOwn.y) * (quarters > 1.5 ? sideOf(vOwn.z) : 1.0);
diffuseColor.rgb = mix(tones[0], tones[1], quarters > 0.5 ? 0.5 - 0.5 * product : 0.0);
`;

const MAIN = "void main() {";

function meshGeometry({ vertices, triangles }) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(vertices), 3));
    geometry.setIndex(new BufferAttribute(new Uint32Array(triangles), 1));
    const flat = geometry.toNonIndexed(); // as the rods feel it
    flat.computeVertexNormals();
    geometry.dispose();
    return flat;
}

// As the engine has tessellated it.
function surfaceGeometry({ vertices, corners }) {
    const geometry = new BufferGeometry(), buffer = new InterleavedBuffer(vertices, 6);
    geometry.setAttribute("position", new InterleavedBufferAttribute(buffer, 3, 0));
    geometry.setAttribute("normal", new InterleavedBufferAttribute(buffer, 3, 3));
    geometry.setIndex(new BufferAttribute(corners, 1));
    return geometry;
}

function isSeen({ surface, vertices }) {
    return Boolean(surface?.mesh ? vertices.length > 0 : surface?.vertices);
}

// Quaternions that are none leave things as they are.
function poseAt(data, i, matrix) {
    const at = 7 * i, turn = new Quaternion(data[at + 3], data[at + 4], data[at + 5], data[at + 6]);
    const isTurn = Number.isFinite(turn.lengthSq()) && turn.lengthSq() > 0;
    return matrix.compose(new Vector3(data[at], data[at + 1], data[at + 2]), isTurn ? turn.normalize() : turn.identity(),
                          new Vector3(1, 1, 1));
}

// The same text for the same things: layouts come anew whenever an adaptive rod changes, and few of them change anything here.
function signature(layout) {
    const sum = (array) => (array ?? []).reduce((total, value, i) => (total * 31 + value * (i + 1)) % 1e9, 0);
    const told = (thing) => [thing.shape, ...thing.size, thing.vertices?.length, sum(thing.vertices), sum(thing.triangles)].join();
    return [...layout.bodies.map(told), "obstacles", ...layout.obstacles.map(told)].join(";");
}

class Family { // of things of one shape and size
    constructor(kind, thing, members, shared) {
        this.members = members;
        const { surface } = thing;
        const uniforms = { ...shared.lit, tones: shared.tones[kind], quarters: { value: surface.tones } };
        this.material = dress(
            new MeshStandardMaterial({
                roughness: kind === "body" ? 0.42 : 0.85,
                side: surface.mesh ? DoubleSide : FrontSide,
            }),
            "solid", uniforms,
            [[MAIN, `varying vec3 vOwn;\n${MAIN}\nvOwn = position;`]],
            [[MAIN, `${TONE_PARS}${MAIN}`], ["#include <color_fragment>", TONE]]);
        this.geometry = surface.mesh ? meshGeometry(thing) : surfaceGeometry(surface);
        this.geometry.computeBoundingBox();
        this.mesh = new InstancedMesh(this.geometry, this.material, members.length);
        this.mesh.customDepthMaterial = shared.cast;
        this.mesh.castShadow = this.mesh.receiveShadow = true;
        this.mesh.frustumCulled = false;
    }

    setPoses(data, matrix) {
        this.members.forEach((member, i) => this.mesh.setMatrixAt(i, poseAt(data, member, matrix)));
        this.mesh.instanceMatrix.needsUpdate = true;
        this.mesh.boundingSphere = null; // the next pick finds it
    }

    addTo(box, matrix, clip) {
        const own = new Box3();
        for (let i = 0; i < this.members.length; i++) {
            this.mesh.getMatrixAt(i, matrix);
            own.copy(this.geometry.boundingBox).applyMatrix4(matrix);
            if (Number.isFinite(own.min.lengthSq() + own.max.lengthSq())) {
                box.union(clip ? new Box3(own.min.clamp(clip.min, clip.max), own.max.clamp(clip.min, clip.max)) : own);
            }
        }
    }

    dispose() {
        this.geometry.dispose();
        this.material.dispose();
        this.mesh.dispose();
    }
}

export class Solids {
    constructor(lit, cast) {
        this.shared = {
            lit,
            cast: castMaterial(cast),
            tones: {
                body: { value: [new Color(), new Color()] },
                obstacle: { value: [new Color(), new Color()] },
            },
        };
        this.group = new Group();
        this.families = { body: [], obstacle: [] };
        this.planes = []; // their places among the obstacles
        this.matrix = new Matrix4();
    }

    setTheme(theme) {
        for (const kind of ["body", "obstacle"]) {
            this.shared.tones[kind].value.forEach((color, k) => color.set(theme[kind][k]));
        }
    }

    setLayout(layout) {
        const now = signature(layout);
        if (now === this.signature) {
            return;
        }
        this.signature = now;
        this.clear();
        this.make("body", layout.bodies);
        this.make("obstacle", layout.obstacles);
        this.planes = [];
        layout.obstacles.forEach((obstacle, i) => {
            if (obstacle.surface?.endless) {
                this.planes.push(i);
            }
        });
    }

    make(kind, things) {
        const alike = new Map();
        things.forEach((thing, i) => {
            if (isSeen(thing)) {
                const key = thing.surface.mesh ? `mesh ${i}` : solidKey(thing);
                alike.set(key, [...(alike.get(key) ?? []), i]);
            }
        });
        for (const members of alike.values()) {
            const first = things[members[0]];
            const family = new Family(kind, first, members, this.shared);
            this.families[kind].push(family);
            this.group.add(family.mesh);
        }
    }

    setFrame(frame) {
        this.families.body.forEach((family) => family.setPoses(frame.bodies, this.matrix));
        this.families.obstacle.forEach((family) => family.setPoses(frame.obstacles, this.matrix));
    }

    addBodiesTo(box) {
        this.families.body.forEach((family) => family.addTo(box, this.matrix, null));
    }

    // Of an obstacle that is much larger than the box, only the part within one size of the box counts.
    addObstaclesTo(box) {
        const size = box.getSize(new Vector3());
        const clip = box.isEmpty() ? null : box.clone().expandByScalar(Math.max(size.x, size.y, size.z));
        this.families.obstacle.forEach((family) => family.addTo(box, this.matrix, clip));
    }

    // How far along the ray something stands in the way.
    hit(raycaster) {
        const hits = raycaster.intersectObject(this.group, true);
        return hits.length > 0 ? hits[0].distance : Infinity;
    }

    clear() {
        for (const kind of ["body", "obstacle"]) {
            this.families[kind].forEach((family) => family.dispose());
            this.families[kind] = [];
        }
        this.group.clear();
    }
}
