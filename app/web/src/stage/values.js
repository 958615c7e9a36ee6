// Numbers of a frame as places on a map of colours, 0 to 1.

// The largest value of the last moments: it sinks slowly, so that colours do not flicker.
const SINK = 0.985;

export class ColorValues {
    setLayout(layout) {
        this.layout = layout;
        if (!this.values || this.values.length < layout.edgeCount) {
            this.values = new Float32Array(Math.ceil(1.25 * layout.edgeCount));
        }
    }

    forget() {
        this.most = 0;
    }

    of(mode, frame) {
        return mode === "energy" ? this.energies(frame) : this.tensions(frame);
    }

    reach(most) {
        this.most = Math.max(most, SINK * (this.most || 0));
        return this.most > 0 ? this.most : 1;
    }

    tensions({ tension }) {
        const count = this.layout.edgeCount;
        let most = 0;
        for (let e = 0; e < count; e++) {
            const size = Math.abs(tension[e]);
            most = size > most && size < Infinity ? size : most;
        }
        const scale = 0.5 / this.reach(most);
        for (let e = 0; e < count; e++) {
            this.values[e] = 0.5 + scale * tension[e];
        }
        return this.values;
    }

    // Energies are known by rods: bending, twist and stretch, shared among the rod's elements.
    energies({ energy }) {
        const { rods } = this.layout;
        const shares = rods.map((rod, k) => (energy[5 * k + 1] + energy[5 * k + 2] + energy[5 * k + 3]) / rod.edgeCount);
        const scale = 1 / this.reach(shares.reduce((most, share) => (share > most ? share : most), 0));
        rods.forEach((rod, k) => this.values.fill(scale * shares[k], rod.firstEdge, rod.firstEdge + rod.edgeCount));
        return this.values;
    }

    range(mode) {
        const most = this.most || 0;
        return mode === "energy" ? { low: 0, high: most, unit: "J" } : { low: -most, high: most, unit: "N" };
    }
}
