// The shapes of bodies and obstacles, with their own z as axis, as include/cordage/cordage.h and frame.h define them.
import {
    BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, LatheGeometry, SphereGeometry, TorusGeometry,
    Vector2,
} from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";

export const SHAPES_OF_BODIES = ["sphere", "box", "cylinder", "capsule"]; // CordBodyShape
export const SHAPES_OF_OBSTACLES = ["plane", "sphere", "box", "cylinder", "capsule", "torus", "tube", "mesh"]; // CordObstacleShape

const AROUND = 64;
const BEVEL = 0.015; // of the shortest side: no real box is sharp, and its edges catch a little light

function upright(geometry) { // three's axis is y
    return geometry.rotateX(Math.PI / 2);
}

// A pipe: the section of its wall turned about the axis. Corners are there twice, so that its rims are sharp.
function pipeGeometry(outer, inner, length) {
    const half = 0.5 * length;
    const corners = [[outer, -half], [outer, half], [inner, half], [inner, -half], [outer, -half]];
    const points = [];
    for (let k = 0; k < 4; k++) {
        points.push(new Vector2(...corners[k]), new Vector2(...corners[k + 1]));
    }
    return upright(new LatheGeometry(points, AROUND));
}

function meshGeometry(vertices, triangles) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(vertices), 3));
    geometry.setIndex(new BufferAttribute(new Uint32Array(triangles), 1));
    const flat = geometry.toNonIndexed(); // as the rods feel it
    flat.computeVertexNormals();
    geometry.dispose();
    return flat;
}

// A size of zero is a joint of rods, of which there is nothing to be seen.
export function isSeen(shape, size, vertices) {
    switch (shape) {
    case "mesh": return vertices.length > 0;
    case "box": return size[0] > 0 && size[1] > 0 && size[2] > 0;
    default: return size[0] > 0;
    }
}

export function shapeGeometry(shape, size, vertices, triangles) {
    const [x, y, z] = size;
    switch (shape) {
    case "sphere": return upright(new SphereGeometry(x, AROUND, AROUND / 2));
    case "box": return new RoundedBoxGeometry(x, y, z, 2, BEVEL * Math.min(x, y, z));
    case "cylinder": return upright(new CylinderGeometry(x, x, z, AROUND));
    case "capsule": return upright(new CapsuleGeometry(x, z, AROUND / 4, AROUND));
    case "torus": return new TorusGeometry(x, y, AROUND / 2, 2 * AROUND);
    case "tube": return pipeGeometry(x, y, z);
    case "mesh": return meshGeometry(vertices, triangles);
    default: return null;
    }
}
