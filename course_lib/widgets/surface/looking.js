// How heights are looked at, by the surface's own widget and by descent: as a map, or turned and tilted.

import { clamp, h, number } from "../drawing/ui.js";

export const row = (...parts) => h("div", { class: "srf-row" }, ...parts);

/**
 * board: of drawing/desk.js. Its dials of the view: {view, turning}; turning, with `more` in its row, is there where
 * something turns.
 */
export function looking(board, ...more) {
  const angle = (name, label) => board.dial(name, label, 5, { format: (value) => `${number(value, 0)}°` });
  const view = board.pick("view", "View", { surface: "surface", map: "map" });
  const turning = row(angle("azimuth", "turn"), angle("elevation", "tilt"), ...more);
  const set = (seen) => {
    turning.hidden = seen !== "surface";
  };
  board.parts.turning = { set, read: (state) => state.view };
  return { view, turning };
}

/** What the panel turns by; tilt: the range of elevations. */
export const turner = (get, change, tilt) => ({
  from: () => [get().azimuth, get().elevation],
  to([azimuth, elevation], right, up) {
    const turned = azimuth + right;
    // into (-180, 180]
    change({ azimuth: turned - 360 * Math.ceil((turned - 180) / 360), elevation: clamp(elevation + up, ...tilt) });
  },
});
