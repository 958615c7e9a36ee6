// Which rod is under the pointer. Every node is put on the screen once per camera and frame; the edges near the pointer are then
// found by comparing numbers, so that hundreds of thousands take a few milliseconds.
import { Matrix4 } from "three";

export class Picker {
    constructor() {
        this.screen = new Float32Array(0); // x y of each node [pixels], and its distance before the eye (3 each)
        this.matrix = new Matrix4();
        this.stale = true;
    }

    setLayout(layout, links) {
        this.layout = layout;
        this.links = links;
        this.stale = true;
    }

    setFrame(frame) {
        this.frame = frame;
        this.stale = true;
    }

    projectNodes(view) {
        const { camera } = view, count = this.layout.nodeCount;
        const whole = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
        if (!this.stale && whole.equals(this.matrix) && this.width === view.width && this.height === view.height) {
            return;
        }
        this.matrix.copy(whole);
        this.width = view.width;
        this.height = view.height;
        this.stale = false;
        if (this.screen.length < 3 * count) {
            this.screen = new Float32Array(3 * Math.ceil(1.25 * count));
        }
        const m = whole.elements, { x } = this.frame, { screen } = this, w2 = 0.5 * view.width, h2 = 0.5 * view.height;
        for (let i = 0, k = 0; i < count; i++, k += 3) {
            const a = x[k], b = x[k + 1], c = x[k + 2];
            const w = m[3] * a + m[7] * b + m[11] * c + m[15];
            screen[k] = w2 * (1 + (m[0] * a + m[4] * b + m[8] * c + m[12]) / w);
            screen[k + 1] = h2 * (1 - (m[1] * a + m[5] * b + m[9] * c + m[13]) / w);
            screen[k + 2] = w;
        }
    }

    // The edge nearest to (px, py), pixels of the page: of those that the pointer is on, the one in front; else, within `pixels` of
    // their sides, the nearest. `farthest` is how far before the eye something else stands in the way. `radiusOf(edge, distance)` is
    // the drawn radius in pixels.
    nearest(view, px, py, pixels, farthest, radiusOf) {
        this.projectNodes(view);
        const { screen, links, layout } = this, { nodes } = links;
        let best = null, bestCost = Infinity;
        for (let e = 0; e < layout.edgeCount; e++) {
            const a = 3 * nodes[4 * e + 1], b = 3 * nodes[4 * e + 2];
            const wa = screen[a + 2], wb = screen[b + 2];
            if (!(wa > 0 && wb > 0)) {
                continue; // behind the eye
            }
            const reach = pixels + Math.max(radiusOf(e, wa), radiusOf(e, wb));
            const ax = screen[a] - px, bx = screen[b] - px, ay = screen[a + 1] - py, by = screen[b + 1] - py;
            if ((ax > reach && bx > reach) || (ax < -reach && bx < -reach) ||
                (ay > reach && by > reach) || (ay < -reach && by < -reach)) {
                continue;
            }
            const dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
            const s = square > 0 ? Math.min(1, Math.max(0, -(ax * dx + ay * dy) / square)) : 0;
            const along = (s * wa) / (s * wa + (1 - s) * wb); // the place on the edge whose picture is at s
            const distance = wa + along * (wb - wa);
            const beside = Math.max(0, Math.hypot(ax + s * dx, ay + s * dy) - radiusOf(e, distance));
            // Depth decides only among those that the pointer is on.
            const cost = beside + (beside > 0 ? 1 : distance / (1 + distance));
            if (beside <= pixels && distance <= farthest && cost < bestCost) {
                bestCost = cost;
                best = { edge: e, along: square > 0 ? along : 0, distance, beside };
            }
        }
        return best && this.describe(best);
    }

    // Rod, and node and edge counted within it; the point on the edge [m].
    describe({ edge, along, distance, beside }) {
        const { links, layout } = this, { x } = this.frame, k = links.rod[edge], rod = layout.rods[k];
        const a = links.nodes[4 * edge + 1], b = links.nodes[4 * edge + 2];
        const point = [0, 1, 2].map((i) => x[3 * a + i] + along * (x[3 * b + i] - x[3 * a + i]));
        const node = (along < 0.5 ? a : b) - rod.firstNode;
        return { rod: k, node, edge: edge - rod.firstEdge, point, distance, beside };
    }
}
