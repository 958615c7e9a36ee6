// Keeps what moves in view, as long as the user leaves the camera alone and the scene does not place it: of a recording all that it
// ever shows is seen from the beginning; of a live run the camera draws back as the rods take up more room.

const MOST = 2.5;    // times the first size: what falls for ever is let go
const FARTHEST = 3;  // times the first size, around what a recording begins with, likewise
const GONE = 4;      // times the first size: nobody looks for it so far away
const MARGIN = 0.08; // of the size, for what lies on the scene's edges: titles and buttons

export class Follow {
    #on = false;
    #seen = null;
    #limit = 0;
    #untouched = false; // the camera is where the scene has put it
    #around = null;     // all around what the scene began with

    constructor(stage) {
        this.stage = stage;
    }

    // A scene has begun; `on`: it says nothing of a camera; `whole`: the box of all there will be, or null if that is not known.
    begin(on, whole = null) {
        this.#on = on && !whole;
        this.#seen = null;
        this.#untouched = true;
        const start = this.stage.bounds;
        this.#around = start && !start.isEmpty() ? start.clone().expandByScalar(GONE * start.max.distanceTo(start.min)) : null;
        if (on && whole) {
            const first = this.stage.bounds;
            this.#seen = first.expandByScalar(FARTHEST * first.max.distanceTo(first.min)).intersect(whole);
            this.#fit(this.#seen);
        }
        this.frame();
    }

    // The user has taken the camera over.
    stop() {
        this.#on = this.#untouched = false;
    }

    // The window has another shape.
    refit() {
        if (this.#untouched) {
            this.#seen ? this.#fit(this.#seen) : this.stage.fit();
        }
    }

    // Is all that moves far from where it began?
    get isGone() {
        const box = this.#around ? this.stage.bounds : null;
        return box !== null && !box.isEmpty() && !box.intersectsBox(this.#around);
    }

    frame() {
        const box = this.#on ? this.stage.bounds : null;
        if (!box || box.isEmpty()) {
            return;
        }
        const before = this.#seen;
        const seen = before ? before.clone().union(box) : box;
        const size = seen.max.distanceTo(seen.min);
        if (!Number.isFinite(size) || (before && seen.equals(before))) {
            return;
        }
        this.#limit = before ? this.#limit : MOST * size;
        if (size <= this.#limit) {
            this.#seen = seen;
            this.#fit(seen);
        }
    }

    #fit(box) {
        this.stage.fitAround(box.clone().expandByScalar(MARGIN * box.max.distanceTo(box.min)));
    }
}
