// Which nodes and edges follow each other: open rods, rings and networks alike.

export const NONE = 0xffffffff;

function linkNetwork(layout, rod, links) {
    for (let e = rod.firstEdge; e < rod.firstEdge + rod.edgeCount; e++) {
        links.nodes.set([NONE, layout.ends[2 * e], layout.ends[2 * e + 1], NONE], 4 * e);
        links.before[e] = links.after[e] = NONE;
    }
}

function linkChain(rod, links) {
    const { firstNode, nodeCount, firstEdge, edgeCount, closed } = rod;
    for (let j = 0; j < edgeCount; j++) {
        const e = firstEdge + j, isFirst = j === 0, isLast = j === edgeCount - 1;
        const a = firstNode + j, b = firstNode + ((j + 1) % nodeCount);
        links.before[e] = isFirst ? (closed ? firstEdge + edgeCount - 1 : NONE) : e - 1;
        links.after[e] = isLast ? (closed ? firstEdge : NONE) : e + 1;
        links.nodes[4 * e] = links.before[e] === NONE ? NONE : firstNode + ((j + nodeCount - 1) % nodeCount);
        links.nodes[4 * e + 1] = a;
        links.nodes[4 * e + 2] = b;
        links.nodes[4 * e + 3] = links.after[e] === NONE ? NONE : firstNode + ((j + 2) % nodeCount);
    }
}

// Of each edge: the node before it, its two nodes, the node after it (nodes, 4 each), and the edges before and after it, or NONE.
// The edges of a network stand by themselves.
export function linkEdges(layout) {
    const count = layout.edgeCount;
    const links = {
        nodes: new Uint32Array(4 * count),
        before: new Uint32Array(count),
        after: new Uint32Array(count),
        rod: new Uint32Array(count),
    };
    layout.rods.forEach((rod, k) => {
        links.rod.fill(k, rod.firstEdge, rod.firstEdge + rod.edgeCount);
        if (rod.network) {
            linkNetwork(layout, rod, links);
        } else {
            linkChain(rod, links);
        }
    });
    return links;
}
