// Training by the clock, behind messages: the same code runs in a worker, and on the page itself where no worker may
// start.
//
// In: {type: "begin", run, …what the run is made of}, "go" {on, speed, steps?}, "step", "rate" {rate}, "seen" (the page
// has drawn the last frame), and what the run itself answers to. Out: {type: "frame", run, on, step, stopped, …} or
// {type: "error", words}.
// A frame is sent only after the one before was seen, so that a page that is slow or hidden is never flooded.

const FRAME = 33; // milliseconds between two frames
const LONGEST = 250; // between two looks at the clock
const now = () => performance.now();

/**
 * open(message, options) makes the run of a "begin": {step: steps made, stopped: why it is over or null, rate, once():
 * a step more, frame(must): what a frame shows, settle?(): training rests here, acts?: {name(message, on)} of its own
 * messages}.
 * Returns session(post, options), which returns receive(message); options.slice: milliseconds of steps at a time.
 */
export const sessionOf =
  (open) =>
  (post, { slice = 20, ...options } = {}) => {
    let run = null;
    let id;
    let on = false;
    let speed = null; // steps a second, null for as many as possible
    let until = Infinity;
    let clock = null;
    let began = 0;
    let done = 0; // steps since then
    let waiting = false; // for the page to have seen the last frame
    let dirty = false;
    let sent = 0;

    const halt = () => {
      clearTimeout(clock);
      clock = null;
    };
    function count(steps) {
      began = now();
      done = steps;
    }
    function go() {
      count(0);
      halt();
      clock = setTimeout(tick, 0);
    }
    function once() {
      run.once();
      if (run.stopped || run.step >= until) on = false;
    }
    const settle = () => {
      if (!run.stopped) run.settle?.();
    };

    function tick() {
      clock = null;
      if (!on) return;
      const start = now();
      const due = speed === null ? Infinity : Math.floor(((start - began) * speed) / 1000) + 1 - done;
      let made = 0;
      while (on && made < due && (made === 0 || now() - start < slice)) {
        made++;
        once();
      }
      done += made;
      if (made < due && speed !== null) count(1); // too slow for this speed: no debt
      if (!on) settle();
      frame(!on);
      if (!on) return;
      const wait = speed === null ? 0 : Math.min(LONGEST, began + (1000 * done) / speed - now());
      clock = setTimeout(tick, Math.max(0, wait));
    }

    function frame(must = false) {
      dirty = true;
      if (waiting || (!must && now() - sent < FRAME)) return;
      const shown = run.frame(must);
      post({ type: "frame", run: id, on, step: run.step, stopped: run.stopped, ...shown });
      waiting = true;
      dirty = false;
      sent = now();
    }

    const acts = {
      begin(message) {
        halt();
        run = null;
        run = open(message, options);
        id = message.run;
        waiting = false;
        if (on) go();
        frame(true);
      },
      go(message) {
        const was = on;
        on = message.on && !run?.stopped;
        speed = message.speed ?? null;
        if (!run) return;
        until = message.steps ? run.step + message.steps : Infinity;
        if (on) go();
        else if (was) {
          halt();
          settle();
          frame(true);
        }
      },
      step() {
        if (!on && !run.stopped) {
          once();
          settle();
        }
        frame(true);
      },
      rate({ rate }) {
        run.rate = rate;
      },
      seen() {
        waiting = false;
        if (dirty) frame(!on);
      },
    };
    return (message) => {
      if (!run && message.type !== "begin" && message.type !== "go") return;
      try {
        if (acts[message.type]) acts[message.type](message);
        else {
          run.acts[message.type](message, on);
          frame(true);
        }
      } catch (error) {
        run = null; // half begun, or half of a step: nothing of it may be shown
        on = false;
        halt();
        post({ type: "error", words: error.message });
      }
    };
  };

/**
 * Answers the page from a worker: a classic one from a Blob, because a module worker does not start in a page opened
 * from a folder.
 */
export function serve(session) {
  const receive = session((message) => postMessage(message));
  self.onmessage = (event) => receive(event.data);
}

/**
 * A measure that costs at most an eighth of the time: take() takes it, due(must) tells whether the next may be taken.
 */
export function seldom(measure) {
  let taken = 0;
  let cost = 0;
  return {
    take() {
      const before = now();
      measure();
      taken = now();
      cost = taken - before;
    },
    due: (must) => must || now() - taken > 8 * cost,
  };
}
