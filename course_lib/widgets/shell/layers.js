// Layers that are passed one after the other: played by the clock, and on the screen a layer that glides to the one
// that is set.

import { player } from "./player.js";

const PAUSE = 1000; // milliseconds from one layer to the next

/** Values part of the way from a to b. */
export const between = (a, b, share) => (share === 0 ? a : a.map((value, i) => value + share * (b[i] - value)));

/**
 * get(), change(part): the settings, with `layers`, at most `last`; ready(): whether the layer after the one set is
 * worked out.
 */
export function layered({ get, change, last, ready, redraw }) {
  const way = player({
    pace: () => PAUSE,
    changed: redraw,
    step() {
      const { layers } = get();
      if (!ready(layers)) return true; // it comes first
      if (layers < last) change({ layers: layers + 1 });
      return layers + 1 < last;
    },
  });
  function play() {
    if (way.playing()) return way.halt();
    if (get().layers >= last) change({ layers: 0 });
    way.start();
  }
  return { ...way, play };
}

/** span: milliseconds from one layer to the next. Gives {at(), glide}. */
export function glider(span) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let at = null;
  let stamp = 0;
  /**
   * The layer on the screen moves towards `target`, no further than `most`, at once where it is not to be seen on its
   * way; true once there.
   */
  function glide(target, most, seen) {
    const goal = Math.min(target, most);
    const now = performance.now();
    const passed = now - stamp;
    stamp = now;
    if (at === null || calm.matches || !seen) at = goal;
    at = Math.min(at, most); // a new start may not come so far
    const far = Math.abs(goal - at);
    const by = (Math.min(passed, 50) / span) * Math.max(1, far);
    at = far <= by ? goal : at + Math.sign(goal - at) * by;
    return at === goal;
  }
  return { at: () => at, glide };
}
