// Plays a recording: frames of a reel by their times.

import { firstPlace } from "./search.js";

export class Player {
    reel = null;
    index = 0;
    loop = true;
    #time = 0;
    #last = 0; // when the last picture was [ms]

    constructor(session) {
        this.session = session;
    }

    open(reel) {
        this.reel = reel;
        this.index = 0;
        this.session.enterPlayer();
    }

    play(on) {
        if (on && this.index === this.reel.count - 1) {
            this.seek(0);
        }
        this.session.play(on);
        if (on) {
            this.#last = performance.now();
            requestAnimationFrame((now) => this.#tick(now));
        }
    }

    seek(index) {
        this.index = Math.min(this.reel.count - 1, Math.max(0, index));
        this.#time = this.reel.times[this.index];
        const { layout, frame } = this.reel.read(this.index);
        this.session.show(layout, frame);
    }

    // So many frames at the most, { layout, frame }, from all over the recording.
    *sample(most) {
        const { count } = this.reel, taken = Math.min(most, count);
        for (let k = 0; k < taken; k++) {
            yield this.reel.read(Math.round((k * (count - 1)) / Math.max(1, taken - 1)));
        }
    }

    // The last frame at or before a time, or else the first.
    #indexAt(time) {
        return Math.max(0, firstPlace(this.reel.count, (i) => !(this.reel.times[i] <= time)) - 1);
    }

    #tick(now) {
        if (!this.session.playing || this.session.mode !== "player" || !this.reel) {
            return;
        }
        const elapsed = Math.min(0.25, (now - this.#last) / 1000); // after a pause of the tab, no leap
        this.#last = now;
        this.#advance(elapsed * this.session.speed);
        requestAnimationFrame((next) => this.#tick(next));
    }

    #advance(seconds) {
        const { times, count } = this.reel;
        const time = this.#time + seconds;
        if (time > times[count - 1]) {
            if (this.loop && count > 1) {
                this.seek(0);
            } else {
                this.seek(count - 1);
                this.session.play(false);
            }
            return;
        }
        const index = this.#indexAt(time);
        if (index !== this.index) {
            this.seek(index);
        }
        this.#time = time;
    }
}
