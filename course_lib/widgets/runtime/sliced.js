// Long work in small pieces, so that the page stays smooth: a generator function that yields now and then is run for a
// few milliseconds at a time. Of requests that come while one is under way only the last is kept; the one under way is
// finished, so that something new is seen even while the reader drags without a pause.

const SLICE = 9; // milliseconds: leaves a frame of 16 room for drawing

/** work(request) is a generator; done(result, request) gets what it returns. Returns {ask(request), stop(), busy()}. */
export function sliced(work, done) {
  let job = null;
  let request = null;
  let waiting = null;
  let clock = null;
  const later = () => {
    clock = setTimeout(go, 0);
  };
  function go() {
    clock = null;
    const end = performance.now() + SLICE;
    do {
      const { value, done: finished } = job.next();
      if (!finished) continue;
      const answered = request;
      job = null;
      if (waiting !== null) begin(waiting);
      done(value, answered);
      return;
    } while (performance.now() < end);
    later();
  }
  function begin(next) {
    request = next;
    waiting = null;
    job = work(next);
    later();
  }
  return {
    ask(next) {
      if (job) waiting = next;
      else begin(next);
    },
    stop() {
      clearTimeout(clock);
      job = waiting = null;
    },
    busy: () => job !== null,
  };
}
