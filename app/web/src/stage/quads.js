// Many small squares, each with numbers of its own at all four corners; the shader places them.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Sphere } from "three";

export class QuadGeometry extends BufferGeometry {
    // `sizes`: how many numbers each attribute has.
    constructor(sizes) {
        super();
        this.sizes = sizes;
        this.capacity = 0;
        this.boundingSphere = new Sphere();
        this.hold(16);
        this.setDrawRange(0, 0);
    }

    // Room for `count` squares; what was there is lost when it grows.
    hold(count) {
        if (count <= this.capacity) {
            return;
        }
        this.dispose();
        this.capacity = Math.ceil(1.5 * count);
        for (const name of Object.keys(this.sizes)) {
            const array = new Float32Array(4 * this.sizes[name] * this.capacity);
            this.setAttribute(name, new BufferAttribute(array, this.sizes[name]).setUsage(DynamicDrawUsage));
        }
        const index = new Uint32Array(6 * this.capacity);
        for (let i = 0; i < this.capacity; i++) {
            index.set([4 * i, 4 * i + 1, 4 * i + 3, 4 * i, 4 * i + 3, 4 * i + 2], 6 * i);
        }
        this.setIndex(new BufferAttribute(index, 1));
    }

    put(name, i, numbers) {
        const size = this.sizes[name], { array } = this.attributes[name];
        for (let corner = 0; corner < 4; corner++) {
            for (let k = 0; k < size; k++) {
                array[(4 * i + corner) * size + k] = numbers[k];
            }
        }
    }

    show(count) {
        this.setDrawRange(0, 6 * count);
        for (const name of Object.keys(this.sizes)) {
            this.attributes[name].needsUpdate = true;
        }
    }
}

// Which corner a vertex is: -1 or 1 across and up.
QuadGeometry.CORNER = /* glsl */ `
vec2 quadCorner() {
    return vec2((gl_VertexID & 1) == 0 ? -1.0 : 1.0, (gl_VertexID & 2) == 0 ? -1.0 : 1.0);
}
`;
