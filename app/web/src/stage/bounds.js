// The box around what a frame shows.
import { Box3 } from "three";

// Which rods are not drawn, since a surface goes along with them and hides them.
export function hiddenRods(layout) {
    const hidden = new Uint8Array(layout.rods.length);
    layout.surfaces.forEach((surface) => (hidden[surface.rod] |= surface.hides ? 1 : 0));
    return hidden;
}

function widen(low, high, k, least, most) { // numbers that are none, or have no end, change nothing
    low[k] = least < low[k] && least > -Infinity ? least : low[k];
    high[k] = most > high[k] && most < Infinity ? most : high[k];
}

function addRods(low, high, layout, frame, links, radiusScale, hidden) {
    const { x } = frame;
    for (let e = 0; e < layout.edgeCount; e++) {
        if (hidden[links.rod[e]]) {
            continue;
        }
        const radius = layout.radius[e] * radiusScale;
        for (let end = 1; end <= 2; end++) {
            const at = 3 * links.nodes[4 * e + end];
            for (let k = 0; k < 3; k++) {
                widen(low, high, k, x[at + k] - radius, x[at + k] + radius);
            }
        }
    }
}

function addSurfaces(low, high, frame) {
    for (const vertices of frame.surfaces) {
        for (let i = 0; i + 2 < vertices.length; i += 3) {
            for (let k = 0; k < 3; k++) {
                widen(low, high, k, vertices[i + k], vertices[i + k]);
            }
        }
    }
}

// Rods as thick as they are drawn, but for those that a surface hides, surfaces and bodies; obstacles last, since only what is near
// the others counts of them.
export function boxOfFrame(layout, frame, links, radiusScale, hidden, solids) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], box = new Box3();
    addRods(low, high, layout, frame, links, radiusScale, hidden);
    addSurfaces(low, high, frame);
    box.min.fromArray(low);
    box.max.fromArray(high);
    solids.addBodiesTo(box);
    solids.addObstaclesTo(box);
    return box;
}
