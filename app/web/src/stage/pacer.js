// Decides when to draw: only after a change, never before the graphics card has finished the last picture, and with less effort where
// pictures take long.

// Most pixels per pixel of the page, side of the shadow map, samples of it per pixel, steps by which tubes are coarser.
const LEVELS = [
    { ratio: 2, map: 2048, taps: 9, coarser: 0 },
    { ratio: 1.5, map: 1024, taps: 7, coarser: 0 },
    { ratio: 1, map: 1024, taps: 5, coarser: 1 },
    { ratio: 0.75, map: 512, taps: 3, coarser: 2 },
];
const SLOW = 26;     // a picture that takes longer than this is slow [ms]
const PATIENCE = 12; // slow pictures in a row before the effort is lowered; a very slow one counts for several
const WARMING = 2;   // pictures after a change that also compile shaders or fill buffers, and tell nothing
const QUALITIES = { auto: 0, high: 0, low: 2, least: LEVELS.length - 1 }; // the level that each begins with
const REST = 1000;   // between two pictures of the quality "least" [ms]

export class Pacer {
    // `draw()` draws and returns true if something still moves; `apply(level)` sets the effort.
    constructor(draw, apply) {
        this.draw = draw;
        this.apply = apply;
        this.quality = "auto";
        this.level = 0;
        this.slow = 0;
        this.warming = WARMING;
        this.wanted = false;
        this.request = 0;
        this.fence = null;
        this.drawnAt = -Infinity; // when the last picture was asked for [ms]
        this.load = this.loweredAt = 0;
        this.tick = this.tick.bind(this);
    }

    setContext(gl) {
        this.gl = gl;
        this.fence = null;
    }

    // "auto" lowers the effort where pictures take long; "high" and "low" keep it. "least" draws coarse pictures, and few of them: it is
    // for tests on machines without a graphics card.
    setQuality(quality) {
        this.quality = quality;
        this.setLevel(QUALITIES[quality] ?? 0);
    }

    setLevel(level) {
        this.level = Math.min(level, LEVELS.length - 1);
        this.slow = 0;
        this.warming = WARMING;
        this.apply(LEVELS[this.level]);
        this.want();
    }

    // Sets how much there is to draw. With much less than when the effort was lowered, the full effort is tried again.
    setLoad(load) {
        this.load = load;
        if (this.quality === "auto" && this.level > 0 && load < 0.3 * this.loweredAt) {
            this.setLevel(0);
        }
    }

    want() {
        this.wanted = true;
        if (!this.request) {
            this.request = requestAnimationFrame(this.tick);
        }
    }

    tick() {
        this.request = 0;
        if (!this.wanted) {
            return;
        }
        if (this.isBusy() || this.isResting()) {
            this.request = requestAnimationFrame(this.tick);
            return;
        }
        this.wanted = false;
        this.drawnAt = performance.now();
        const moves = this.draw();
        this.mark();
        if (moves) {
            this.want();
        }
    }

    isResting() {
        return this.quality === "least" && performance.now() - this.drawnAt < REST;
    }

    mark() {
        if (this.gl && !this.gl.isContextLost()) {
            this.fence = this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
            this.marked = performance.now();
            this.gl.flush();
            this.watch(this.fence);
        }
    }

    // Polls the fence, so that the time of a picture is known to a few milliseconds.
    watch(fence) {
        setTimeout(() => {
            if (this.fence === fence && this.isBusy()) {
                this.watch(fence);
            }
        }, 3);
    }

    isBusy() {
        const { gl, fence } = this;
        if (!fence || gl.isContextLost()) {
            return false;
        }
        if (gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) {
            return true;
        }
        gl.deleteSync(fence);
        this.fence = null;
        this.learn(performance.now() - this.marked);
        return false;
    }

    learn(cost) {
        if (this.warming > 0) {
            this.warming--;
            return;
        }
        this.slow = cost > SLOW ? this.slow + Math.min(6, cost / SLOW) : 0;
        if (this.quality === "auto" && this.slow >= PATIENCE && this.level < LEVELS.length - 1) {
            this.loweredAt = this.load;
            this.setLevel(this.level + 1);
        }
    }
}
