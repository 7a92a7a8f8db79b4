// Work piece by piece, for a few milliseconds at a time, so that the page stays alive and sees it grow.

const SLICE = 12; // milliseconds of computing before the page gets a turn

/**
 * step(): one piece; true when that was the last. changed() after each slice. Gives `found` with {done, error, close}.
 */
export function inSlices(found, step, changed) {
  let clock = setTimeout(work);
  function work() {
    const end = performance.now() + SLICE;
    try {
      do found.done = step();
      while (!found.done && performance.now() < end);
    } catch (error) {
      found.error = error.message;
      found.done = true;
    }
    if (!found.done) clock = setTimeout(work);
    changed();
  }
  return Object.assign(found, { done: false, error: null, close: () => clearTimeout(clock) });
}
