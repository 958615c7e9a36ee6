// The stage: shows frames of the simulation (layouts and frames as the decoder of reels gives them) and answers what is under the
// pointer. Nothing is drawn while nothing changes. Lengths are metres, angles radians, and z is up.
import {
    Box3, Color, CustomToneMapping, PCFShadowMap, SRGBColorSpace, Scene, Vector3, Vector4, WebGLRenderer,
} from "three";
import { Badges, CLAMP, HAND, PIN, RING } from "./badges.js";
import { boxOfFrame, hiddenRods } from "./bounds.js";
import { View, mendBox } from "./camera.js";
import { Ground, planesOf } from "./ground.js";
import { Light } from "./light.js";
import { linkEdges } from "./links.js";
import { Contacts, Spring } from "./marks.js";
import { Pacer } from "./pacer.js";
import { THEMES, pairTexture, rampTexture, rodGroups } from "./palette.js";
import { Picker } from "./pick.js";
import { Solids } from "./solids.js";
import { Surfaces } from "./surfaces.js";
import { Tubes } from "./tubes.js";
import { ColorValues } from "./values.js";

const LEAST_RADIUS = 1.2;      // of a rod that would be thinner on the screen [pixels]
const LEAST_OF_MANY = 0.55;    // of one among very many
const COVER_OF_MANY = 60;      // pixels that the radii of many strands add up to, over the root of their number
const SCREENSHOT_MOST = 8192;  // pixels of a side

const NO_WEBGL = "This page draws with WebGL 2, which this browser does not offer. " +
    "Turn on hardware acceleration in its settings, or use a current Firefox, Chrome, Edge or Safari.";
const LOST = "The graphics card was taken away from this page. The picture comes back when the browser returns it; " +
    "reload the page if it does not.";

// Keeps one of all points that are closer together than `spacing` [m]: hundreds of clamps side by side look like one.
function thinned(points, spacing) {
    const cells = new Map();
    for (const point of points) {
        const key = spacing > 0 ? point.map((x) => Math.round(x / spacing)).join() : cells.size;
        cells.set(key, cells.get(key) ?? point);
    }
    return [...cells.values()];
}

function longestSide(box) {
    const size = box.getSize(new Vector3());
    return Math.max(size.x, size.y, size.z);
}

export class Stage {
    // onError(text) is told why there is no picture.
    constructor(canvas, { theme = "light", onError = null } = {}) {
        this.canvas = canvas;
        this.onError = onError;
        this.scene = new Scene();
        this.pacer = new Pacer(() => this.draw(), (level) => this.applyLevel(level));
        this.view = new View(canvas, () => this.changed());
        this.makeUniforms();
        this.makeParts();
        this.layout = this.frame = null;
        this.radiusScale = 1;
        this.groundWish = true;
        this.floorPlane = null;  // height of the scene's own floor [m], if it has one
        this.floorHeight = null; // where a floor is drawn, if there is one
        this.mode = "rod";
        this.placed = false;
        this.makeRenderer();
        this.setTheme(theme);
        this.resize();
        this.pacer.setQuality("auto");
    }

    get canDraw() { // false: the browser has no WebGL
        return this.renderer !== null;
    }

    makeUniforms() {
        this.pixelSize = { value: 1e-3 };
        this.shared = {
            eyePlane: { value: new Vector4(0, 1, 0, 1) },
            radiusScale: { value: 1 },
            leastRadius: { value: 1e-3 },
            pairTable: { value: null },
            rampTable: { value: rampTexture("tension") },
            colorByValue: { value: 0 },
            hoverRod: { value: -1 },
            hoverColor: { value: new Color() },
        };
    }

    makeParts() {
        this.light = new Light(this.scene);
        this.ground = new Ground(this.light);
        this.tubes = new Tubes({ ...this.shared, flatReceiver: { value: 0 } }, this.light);
        const lit = { ...this.light.uniforms, flatReceiver: { value: 1 } };
        this.solids = new Solids(lit, this.light.cast);
        this.surfaces = new Surfaces(lit, this.shared.pairTable, this.light.cast);
        this.badges = new Badges(this.pixelSize);
        this.spring = new Spring();
        this.contacts = new Contacts(this.pixelSize);
        this.contacts.show(false);
        this.picker = new Picker();
        this.values = new ColorValues();
        this.scene.add(this.ground.group, this.tubes.mesh, this.solids.group, this.surfaces.group, this.contacts.group,
                       this.spring.group, this.badges.group);
        this.ground.floor.onBeforeRender = (renderer) => this.finishShadow(renderer);
    }

    makeRenderer() {
        const context = this.canvas.getContext("webgl2", {
            alpha: false, antialias: true, depth: true, stencil: false,
        });
        if (!context) {
            this.renderer = null;
            queueMicrotask(() => this.onError?.(NO_WEBGL));
            return;
        }
        this.renderer = new WebGLRenderer({ canvas: this.canvas, context });
        this.renderer.outputColorSpace = SRGBColorSpace;
        this.renderer.toneMapping = CustomToneMapping;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.pacer.setContext(context);
        this.canvas.addEventListener("webglcontextlost", () => this.onError?.(LOST));
        this.canvas.addEventListener("webglcontextrestored", () => this.restore());
    }

    restore() {
        this.pacer.setContext(this.renderer.getContext());
        this.light.key.shadow.needsUpdate = true;
        this.changed();
    }

    // ------------------------------------------------------------------------------------------------ what is shown

    setLayout(layout) {
        this.layout = layout;
        this.frame = null;
        this.links = linkEdges(layout);
        const { pairs, most } = rodGroups(layout.rods);
        this.hidden = hiddenRods(layout);
        this.many = layout.rods.reduce((count, rod) => Math.max(count, rod.network ? rod.edgeCount : 0), most);
        this.pacer.setLoad(layout.edgeCount);
        this.tubes.setLayout(layout, this.links, pairs, this.hidden);
        this.solids.setLayout(layout);
        this.surfaces.setLayout(layout, pairs);
        this.picker.setLayout(layout, this.links);
        this.values.setLayout(layout);
        const radii = layout.radius;
        this.meanRadius = radii.length > 0 ? radii.reduce((sum, r) => sum + r, 0) / radii.length : 0;
    }

    // The arrays stay the caller's, and valid until the next frame.
    setFrame(frame) {
        if (!this.layout) {
            return;
        }
        this.frame = frame;
        this.tubes.setFrame(frame);
        this.solids.setFrame(frame);
        this.surfaces.setFrame(frame);
        this.picker.setFrame(frame);
        this.colorTubes();
        this.box = boxOfFrame(this.layout, frame, this.links, this.radiusScale, this.hidden, this.solids);
        this.contacts.setFrame(frame.contacts, 0.12 * this.size);
        this.placeRing();
        this.placeGround();
        this.changed();
    }

    // The box around what is on the stage; null: there is nothing yet.
    get bounds() {
        return this.frame ? this.box.clone() : null;
    }

    get size() { // of what is on the stage [m]
        return longestSide(mendBox(this.box));
    }

    // The box around several frames, { layout, frame } each.
    boxAround(frames) {
        const whole = new Box3();
        let last = null, links = null, hidden = null;
        for (const { layout, frame } of frames) {
            if (layout !== last) {
                last = layout;
                links = linkEdges(layout);
                hidden = hiddenRods(layout);
            }
            this.solids.setFrame(frame);
            whole.union(boxOfFrame(layout, frame, links, this.radiusScale, hidden, this.solids));
        }
        this.solids.setFrame(this.frame);
        return whole;
    }

    // Tells the stage the box of all that will be on it, so that the floor lies below it from the beginning.
    expect(box) {
        this.stageBox = mendBox(box);
        this.placeGround();
        this.changed();
    }

    // The floor lies on the highest plane that faces up; else where it is wanted; else just below everything that has been seen since
    // the camera was placed.
    placeGround() {
        const { floor, walls } = planesOf(this.frame, this.solids.planes);
        const box = mendBox(this.box);
        this.stageBox = this.stageBox ? this.stageBox.union(box) : box.clone();
        const middle = this.stageBox.getCenter(new Vector3()), reach = longestSide(this.stageBox);
        const wanted = typeof this.groundWish === "number" ? this.groundWish : this.stageBox.min.z - 0.02 * reach;
        this.floorPlane = floor;
        this.floorHeight = this.groundWish === false ? null : floor ?? wanted;
        this.ground.place(this.floorHeight, middle, reach);
        this.ground.placeWalls(walls, middle, reach);
        this.floorReach = 4.5 * reach;
        this.light.fit(box, this.floorHeight ?? box.min.z);
    }

    setCamera(camera, radiusScale = 1, ground = true) {
        this.radiusScale = radiusScale ?? 1;
        this.groundWish = ground ?? true;
        this.wish = camera ?? {};
        this.view.setUp(this.wish.up);
        this.view.setField(this.wish.fov);
        this.stageBox = null;
        this.placed = false;
        if (this.frame) {
            this.box = boxOfFrame(this.layout, this.frame, this.links, this.radiusScale, this.hidden, this.solids);
            this.placeCamera();
        }
    }

    placeCamera() {
        this.placed = true;
        const { eye, target } = this.wish ?? {};
        if (eye && target) {
            this.view.place(eye, target);
        } else {
            this.view.fit(this.box);
        }
        this.light.aim(this.view.direction().negate());
        this.placeGround();
        this.changed();
    }

    // Places the camera as at the beginning, around what is there now.
    fit() {
        if (this.frame) {
            this.stageBox = null;
            this.placeCamera();
        }
    }

    // Places the camera so that all of a box is seen.
    fitAround(box) {
        this.view.fit(box);
    }

    set controlsEnabled(on) {
        this.view.setEnabled(on);
    }

    turn(left, up) {
        this.view.turn(left, up);
    }

    zoom(factor) {
        this.view.zoom(factor);
    }

    // ------------------------------------------------------------------------------------------------ pointers

    pick(clientX, clientY, pixels = 14) {
        if (!this.frame) {
            return null;
        }
        this.prepare();
        const raycaster = this.view.ray(clientX, clientY), forward = this.view.camera.getWorldDirection(new Vector3());
        const wall = this.solids.hit(raycaster) * raycaster.ray.direction.dot(forward);
        const corner = this.canvas.getBoundingClientRect(), pixel = this.pixelSize.value;
        const { radius } = this.layout, scale = this.radiusScale, least = this.leastPixels();
        const drawn = (edge, distance) => Math.max(least, (radius[edge] * scale) / (pixel * distance));
        const farthest = wall + 4 * this.meanRadius * scale + 2 * pixel * wall;
        return this.picker.nearest(this.view, clientX - corner.left, clientY - corner.top, pixels, farthest, drawn);
    }

    // The point under the pointer in the plane through `through` that faces the camera; it lies on the floor rather than below it.
    dragPoint(clientX, clientY, through) {
        const point = this.view.dragPoint(clientX, clientY, through), floor = this.floorPlane;
        if (floor === null || point[2] >= floor) {
            return point;
        }
        const higher = this.view.dragPoint(clientX, clientY, [through[0], through[1], through[2] + 1]); // on the same ray
        const rise = higher[2] - point[2], share = (floor - point[2]) / rise;
        return Math.abs(rise) > 1e-9 && share > 0 ? point.map((part, k) => part + share * (higher[k] - part)) : [point[0], point[1], floor];
    }

    // A point moved to the right, up and away as the camera sees it [m], likewise not below the floor.
    moved(point, way) {
        const [x, y, z] = this.view.moved(point, way);
        return [x, y, Math.max(z, this.floorPlane ?? z)];
    }

    project(point) {
        return this.view.project(point);
    }

    distanceOf(point) { // before the eye, along its direction [m]
        return this.view.distanceOf(point);
    }

    // ------------------------------------------------------------------------------------------------ marks

    setHand(hand) {
        this.spring.set(hand);
        this.badges.set(HAND, hand ? [hand.target] : []);
        this.changed();
    }

    setPins(pins) {
        this.badges.set(PIN, pins.map((pin) => pin.point));
        this.changed();
    }

    setClamps(clamps) {
        this.badges.set(CLAMP, thinned(clamps.map((clamp) => clamp.point), this.box ? 0.015 * this.size : 0));
        this.changed();
    }

    setHover(hover) {
        this.hover = hover;
        this.shared.hoverRod.value = hover ? hover.rod : -1;
        this.placeRing();
        this.changed();
    }

    placeRing() {
        const rod = this.hover && this.frame ? this.layout.rods[this.hover.rod] : null;
        const at = rod ? 3 * (rod.firstNode + Math.min(this.hover.node, rod.nodeCount - 1)) : 0;
        if (rod || this.badges.has(RING)) {
            this.badges.set(RING, rod ? [this.frame.x.slice(at, at + 3)] : []);
        }
    }

    // Shows or hides rods and the surfaces that move with them; their shadows stay.
    showRods(on) {
        this.tubes.show(on);
        this.surfaces.show(on);
        this.changed();
    }

    showContacts(on) {
        this.contacts.show(on);
        if (on && this.frame) {
            this.contacts.setFrame(this.frame.contacts, 0.12 * this.size);
        }
        this.changed();
    }

    // "rod": each its own pair; "tension": compression to tension; "energy": of bending, twist and stretch, per element.
    colorBy(mode) {
        this.mode = mode;
        this.values.forget();
        this.shared.colorByValue.value = mode === "rod" ? 0 : 1;
        this.shared.rampTable.value.dispose();
        this.shared.rampTable.value = rampTexture(mode);
        this.colorTubes();
        this.changed();
    }

    colorTubes() {
        if (this.mode !== "rod" && this.frame) {
            this.tubes.setValues(this.values.of(this.mode, this.frame));
        }
    }

    // The values at the ends of the colour map: {low, high, unit}; null when rods have their own colours.
    get colorRange() {
        return this.mode === "rod" ? null : this.values.range(this.mode);
    }

    setTheme(name) {
        const theme = THEMES[name] ?? THEMES.light;
        this.shared.pairTable.value?.dispose();
        this.shared.pairTable.value = pairTexture(name);
        this.shared.hoverColor.value.set(theme.accent);
        this.spring.color.value.set(theme.accent);
        for (const part of [this.light, this.ground, this.solids, this.badges, this.contacts]) {
            part.setTheme(theme);
        }
        this.changed();
    }

    setQuality(quality) {
        this.pacer.setQuality(quality);
    }

    // ------------------------------------------------------------------------------------------------ drawing

    changed() {
        this.pacer.want();
    }

    applyLevel(level) {
        this.level = level;
        this.light.setMap(level.map, level.taps);
        this.tubes.setCoarser(level.coarser);
        if (this.frame) {
            this.placeGround();
        }
        this.resize();
    }

    resize() {
        const width = this.canvas.clientWidth || this.canvas.width, height = this.canvas.clientHeight || this.canvas.height;
        this.view.resize(width, height);
        if (this.renderer && this.setBuffer(width, height, Math.min(window.devicePixelRatio || 1, this.level?.ratio ?? 2))) {
            this.draw(); // a canvas that changes its size is empty: it must not be seen like that
        }
        this.changed();
    }

    setBuffer(width, height, ratio) {
        const { width: wide, height: tall } = this.canvas;
        if (wide === Math.floor(width * ratio) && tall === Math.floor(height * ratio)) {
            return false;
        }
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(width, height, false);
        return true;
    }

    leastPixels() {
        return Math.min(LEAST_RADIUS, Math.max(LEAST_OF_MANY, COVER_OF_MANY / Math.sqrt(Math.max(1, this.many))));
    }

    // Updates all that depends on the camera.
    prepare() {
        const pixel = this.view.pixelSize();
        this.view.clip(this.box ?? new Box3(), this.floorReach ?? 10, this.floorHeight);
        this.view.eyePlane(this.shared.eyePlane.value);
        this.pixelSize.value = pixel;
        this.shared.radiusScale.value = this.radiusScale;
        this.shared.leastRadius.value = this.leastPixels() * pixel;
        const perMetre = 1 / (pixel * this.view.direction().length());
        if (this.layout && this.tubes.setScale(perMetre * (this.level?.ratio ?? 1), this.meanRadius * this.radiusScale)) {
            this.light.key.shadow.needsUpdate = true;
        }
    }

    draw() {
        if (!this.renderer || this.renderer.getContext().isContextLost()) {
            return false;
        }
        const moves = this.view.update();
        if (this.frame && !this.placed) {
            this.placeCamera();
        }
        this.prepare();
        const plane = this.shared.eyePlane.value;
        const distance = (point) => Math.max(1e-9, plane.x * point.x + plane.y * point.y + plane.z * point.z + plane.w);
        this.spring.shape((point) => this.pixelSize.value * distance(point));
        this.badges.setLift(3 * this.meanRadius * this.radiusScale);
        this.shadowFresh = this.light.key.shadow.needsUpdate;
        this.renderer.render(this.scene, this.view.camera);
        return moves;
    }

    finishShadow(renderer) {
        if (this.shadowFresh) {
            this.shadowFresh = false;
            this.light.floorLight.render(renderer);
        }
    }

    // A picture of the scene as a PNG, as large as the canvas by default.
    screenshot(width = this.canvas.width, height = this.canvas.height) {
        if (!this.renderer) {
            return Promise.reject(new Error(NO_WEBGL));
        }
        const wide = Math.min(SCREENSHOT_MOST, Math.max(1, Math.round(width)));
        const tall = Math.min(SCREENSHOT_MOST, Math.max(1, Math.round(height)));
        const { camera } = this.view, { aspect } = camera;
        this.setBuffer(wide, tall, 1);
        camera.aspect = wide / tall;
        this.draw();
        const taken = new Promise((resolve, reject) => {
            this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be made; try a smaller one"))),
                               "image/png");
        });
        camera.aspect = aspect;
        this.resize();
        return taken;
    }
}
