// Keeps what moves in view, as long as the user leaves the camera alone and the scene does not place it: the camera draws back as
// the rods take up more room.

const MOST = 2.5;    // times the first size: what falls for ever is let go
const MARGIN = 0.08; // of the size, for what lies on the scene's edges: titles and buttons

export class Follow {
    #on = false;
    #seen = null;
    #limit = 0;

    constructor(stage) {
        this.stage = stage;
    }

    // A scene has begun; `on`: it says nothing of a camera.
    begin(on) {
        this.#on = on;
        this.#seen = null;
        if (on) {
            this.frame();
        }
    }

    // The user has taken the camera over.
    stop() {
        this.#on = false;
    }

    frame() {
        const box = this.stage.box?.box;
        if (!this.#on || !box || box.isEmpty()) {
            return;
        }
        const before = this.#seen;
        const seen = before ? before.clone().union(box) : box.clone();
        const size = seen.max.distanceTo(seen.min);
        if (!Number.isFinite(size) || (before && seen.equals(before))) {
            return;
        }
        this.#limit = before ? this.#limit : MOST * size;
        if (size <= this.#limit || !before) {
            this.#seen = seen;
            this.stage.view.fit(seen.clone().expandByScalar(MARGIN * size));
        }
    }
}
