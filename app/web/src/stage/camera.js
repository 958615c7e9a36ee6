// The camera: what is to be seen, where to stand, and how pointers move it.
import { MathUtils, PerspectiveCamera, Plane, Raycaster, Vector2, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const MARGIN = 0.1;                                  // a free border, as a fraction of the half picture
const FRONT = new Vector3(0.3, -1.0, 0.36);          // from where our pictures look unless they are told
const FIELD = MathUtils.degToRad(30);                // vertical, likewise
const DAMPING = 0.13;                                // time in which a swing loses most of its speed [s]
const COMPOSED = 16 / 9;                             // the shape of the pictures that scenes place their cameras for

// One direction of the picture, across or up: corners of a box at (along[k], forward[k]), seen from an eye at (e, f), appear at
// (along - e) / (forward - f), which must stay within +-reach. The closest f from which they can is linear in both.
function closest(along, forward, reach) {
    let above = -Infinity, below = Infinity;
    for (let k = 0; k < 8; k++) {
        above = Math.max(above, along[k] - reach * forward[k]);
        below = Math.min(below, along[k] + reach * forward[k]);
    }
    return (below - above) / (2 * reach);
}

// The e that leaves equal borders on both sides. What appears moves one way as e moves the other: bisection.
function centered(along, forward, f) {
    let low = Math.min(...along), high = Math.max(...along);
    for (let step = 0; step < 60; step++) {
        const e = 0.5 * (low + high), seen = along.map((a, k) => (a - e) / (forward[k] - f));
        if (Math.min(...seen) + Math.max(...seen) > 0) {
            low = e;
        } else {
            high = e;
        }
    }
    return 0.5 * (low + high);
}

// Makes a box that can be looked at out of any.
export function mendBox(box) {
    const mended = box.clone(), finite = Number.isFinite(box.min.lengthSq() + box.max.lengthSq());
    if (box.isEmpty() || !finite) {
        mended.set(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
    }
    const size = mended.getSize(new Vector3()), largest = Math.max(size.x, size.y, size.z);
    return mended.expandByScalar(largest > 0 ? 1e-3 * largest : 1e-3);
}

export class View {
    constructor(canvas, changed) {
        this.canvas = canvas;
        this.changed = changed;
        this.camera = new PerspectiveCamera(MathUtils.radToDeg(FIELD), 1, 0.01, 100);
        this.camera.up.set(0, 0, 1);
        this.camera.position.copy(FRONT);
        this.width = this.height = 1;
        this.enabled = true;
        this.raycaster = new Raycaster();
        this.makeControls();
    }

    // three's controls take the direction that is up when they are made.
    makeControls() {
        const target = this.controls?.target.clone() ?? new Vector3();
        this.controls?.dispose();
        this.controls = new OrbitControls(this.camera, this.canvas);
        Object.assign(this.controls, {
            enableDamping: true, rotateSpeed: 0.7, panSpeed: 0.9, zoomSpeed: 1.1, zoomToCursor: true,
            screenSpacePanning: true, enabled: this.enabled,
        });
        this.controls.target.copy(target);
        this.controls.addEventListener("change", this.changed);
    }

    setEnabled(on) {
        this.enabled = this.controls.enabled = on;
        if (!on) {
            this.stop();
        }
    }

    resize(width, height) {
        this.width = Math.max(1, width);
        this.height = Math.max(1, height);
        this.camera.aspect = this.width / this.height;
        this.camera.updateProjectionMatrix();
    }

    setUp(up) {
        const wanted = up ? new Vector3(...up).normalize() : new Vector3(0, 0, 1);
        if (wanted.distanceTo(this.camera.up) > 1e-6) {
            this.camera.up.copy(wanted);
            this.makeControls();
        }
    }

    setField(fov) {
        this.camera.fov = MathUtils.radToDeg(fov ?? FIELD);
        this.camera.updateProjectionMatrix();
    }

    // Scenes place their camera for a wide picture: in a narrow one it stands farther back, so that the same is seen from side to side.
    place(eye, target) {
        const to = new Vector3(...target), from = new Vector3(...eye).sub(to);
        from.multiplyScalar(Math.max(1, (0.9 * COMPOSED) / this.camera.aspect));
        this.stand(to.clone().add(from), to);
    }

    stand(eye, target) {
        const distance = eye.distanceTo(target);
        this.controls.minDistance = 0.01 * distance;
        this.controls.maxDistance = 20 * distance;
        this.controls.target.copy(target);
        this.camera.position.copy(eye);
        this.stop();
        this.changed();
    }

    // Ends what is left of a swing: it is taken at once, and the camera put back.
    stop() {
        const { controls, camera } = this, eye = camera.position.clone(), target = controls.target.clone();
        controls.enableDamping = false;
        controls.update();
        camera.position.copy(eye);
        controls.target.copy(target);
        controls.update();
        controls.enableDamping = true;
    }

    // So that the whole box is in view with a border, from the direction `from` (from the target to the eye).
    fit(box, from = FRONT) {
        const mended = mendBox(box), middle = mended.getCenter(new Vector3());
        const forward = from.clone().normalize().negate();
        const right = forward.clone().cross(this.camera.up);
        if (right.lengthSq() < 1e-12) {
            right.set(1, 0, 0);
        }
        const up = right.normalize().clone().cross(forward);
        const across = [], upward = [], ahead = [];
        for (let k = 0; k < 8; k++) {
            const corner = new Vector3(k & 1 ? mended.max.x : mended.min.x, k & 2 ? mended.max.y : mended.min.y,
                                       k & 4 ? mended.max.z : mended.min.z).sub(middle);
            across.push(corner.dot(right));
            upward.push(corner.dot(up));
            ahead.push(corner.dot(forward));
        }
        const reach = (1 - MARGIN) * Math.tan(0.5 * MathUtils.degToRad(this.camera.fov));
        const f = Math.min(closest(across, ahead, reach * this.camera.aspect), closest(upward, ahead, reach));
        const target = middle.addScaledVector(right, centered(across, ahead, f)).addScaledVector(up, centered(upward, ahead, f));
        this.stand(target.clone().addScaledVector(forward, f), target);
    }

    direction() { // from the target to the eye
        return this.camera.position.clone().sub(this.controls.target);
    }

    // Keyboards move the camera, too: angles [rad], and a factor on the distance.
    turn(left, up) {
        this.controls.rotateLeft(left);
        this.controls.rotateUp(up);
        this.controls.update();
    }

    zoom(factor) {
        const target = this.controls.target, away = this.direction().multiplyScalar(factor);
        away.clampLength(this.controls.minDistance, this.controls.maxDistance);
        this.camera.position.copy(target).add(away);
        this.stop();
        this.changed();
    }

    // A step of what damping leaves to do; true: the camera moved. It takes the same time however often there is a picture.
    update() {
        const now = performance.now(), since = 1e-3 * (now - (this.updated ?? now));
        this.updated = now;
        this.controls.dampingFactor = 1 - Math.exp(-(since > 0 && since < 1 ? since : 1 / 60) / DAMPING); // longer: it stood still
        return this.controls.update();
    }

    // Near and far enough for all that can be seen, and no more: depths are told apart by their ratio. `floorHeight`: null if there is none
    clip(box, floorReach, floorHeight) {
        const mended = mendBox(box), { camera } = this;
        camera.updateMatrixWorld();
        const middle = mended.getCenter(new Vector3()), radius = 0.5 * mended.getSize(new Vector3()).length();
        const away = camera.position.distanceTo(middle);
        camera.far = away + radius + floorReach;
        const nearest = Math.min(away - 1.5 * radius - 0.1 * away, 0.99 * this.nearestFloor(floorHeight));
        camera.near = Math.max(nearest, 5e-4 * camera.far, 1e-6);
        camera.updateProjectionMatrix();
    }

    // How far before the eye a floor begins to be seen: in the corner of the picture where one looks down most steeply, the eye's height
    // over the drop for each metre of depth.
    nearestFloor(height) {
        const { camera } = this, e = camera.matrixWorld.elements, above = camera.position.z - height;
        if (height === null || above <= 0) {
            return Infinity;
        }
        const half = Math.tan(0.5 * MathUtils.degToRad(camera.fov)); // e[2], e[6], e[10]: how the camera's right, up and back rise
        const drop = e[10] + half * (Math.abs(e[6]) + camera.aspect * Math.abs(e[2]));
        return drop > 0 ? above / drop : Infinity;
    }

    // What a pixel of the page spans at distance 1.
    pixelSize() {
        return (2 * Math.tan(0.5 * MathUtils.degToRad(this.camera.fov))) / this.height;
    }

    // Plane (n, d) of the eye: n.x + d is how far x is before it.
    eyePlane(into) {
        const forward = this.camera.getWorldDirection(new Vector3());
        return into.set(forward.x, forward.y, forward.z, -forward.dot(this.camera.position));
    }

    pointer(clientX, clientY) {
        const frame = this.canvas.getBoundingClientRect();
        return new Vector2(((clientX - frame.left) / frame.width) * 2 - 1, 1 - ((clientY - frame.top) / frame.height) * 2);
    }

    ray(clientX, clientY) {
        this.camera.updateMatrixWorld();
        this.raycaster.setFromCamera(this.pointer(clientX, clientY), this.camera);
        return this.raycaster;
    }

    dragPoint(clientX, clientY, through) {
        const normal = this.camera.getWorldDirection(new Vector3());
        const plane = new Plane().setFromNormalAndCoplanarPoint(normal, new Vector3(...through));
        const point = this.ray(clientX, clientY).ray.intersectPlane(plane, new Vector3());
        return point ? point.toArray() : [...through];
    }

    // A point so far [m] to the right, up and away from it.
    moved(point, [right, up, away]) {
        const x = new Vector3(), y = new Vector3(), z = new Vector3();
        this.camera.updateMatrixWorld();
        this.camera.matrixWorld.extractBasis(x, y, z);
        return new Vector3(...point).addScaledVector(x, right).addScaledVector(y, up).addScaledVector(z, -away).toArray();
    }

    distanceOf(point) {
        return new Vector3(...point).sub(this.camera.position).dot(this.camera.getWorldDirection(new Vector3()));
    }

    // Where a point is on the canvas, in pixels of the page from its upper left corner.
    project(point) {
        this.camera.updateMatrixWorld();
        const at = new Vector3(...point).project(this.camera);
        return {
            x: (0.5 + 0.5 * at.x) * this.width,
            y: (0.5 - 0.5 * at.y) * this.height,
            visible: Math.abs(at.x) <= 1 && Math.abs(at.y) <= 1 && at.z > -1 && at.z < 1,
        };
    }
}
