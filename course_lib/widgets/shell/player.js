// Steps by the clock: play and pause. A page that nobody sees stands still, and goes on where it stood.

/**
 * step(): go one on; false where there is nothing to go on to. pace(): milliseconds a step. changed(): playing began or
 * ended.
 * Gives {playing(), start(), halt(), close()}: halt is silent where nothing plays, close tells nobody.
 */
export function player({ step, pace, changed }) {
  let clock = null;
  const close = () => {
    clearInterval(clock);
    clock = null;
  };
  const halt = () => {
    if (clock !== null) {
      close();
      changed();
    }
  };
  function start() {
    if (clock !== null) return;
    clock = setInterval(() => {
      if (!document.hidden && step() === false) halt();
    }, pace());
    changed();
  }
  return { playing: () => clock !== null, start, halt, close };
}
