// The camera that a scene asks for, as the engine tells it of one that runs: for recordings, whose scene is text alone. Values that the
// engine would refuse are left out.

import { parseScene } from "./jsonc.js";
import { applySettings } from "./settings.js";

const isVector = (value) => Array.isArray(value) && value.length === 3 && value.every(Number.isFinite);
const isWithin = (value, most) => typeof value === "number" && value > 0 && value <= most;

// `scene`: { text, settings }, or null
export function cameraOf(scene) {
    const parsed = parseScene(scene?.text ?? "");
    const { from, target, up, fov, radius_scale: radiusScale, ground } = (parsed && applySettings(parsed, scene.settings).camera) ?? {};
    const stands = isVector(from) && isVector(target) && from.some((value, k) => value !== target[k]);
    return {
        eye: stands ? from : null,
        target: stands ? target : null,
        up: isVector(up) && up.some((value) => value !== 0) ? up : null,
        fov: isWithin(fov, 170) ? (fov * Math.PI) / 180 : null,
        radiusScale: isWithin(radiusScale, 1e6) ? radiusScale : null,
        ground: typeof ground === "boolean" ? ground : null,
        groundHeight: Number.isFinite(ground) ? ground : null,
    };
}
