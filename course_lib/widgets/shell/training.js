// The page's half of a training (runtime/session.js is the other): which run is under way, whether it plays, and the last frame that came.

import { h, setAttr } from "../drawing/ui.js";
import { loadData } from "../runtime/data.js";
import { connect } from "../runtime/remote.js";

/** The widget's data, in the order of their names; null where they cannot be had, and the root says why. */
export async function dataOf(root, model, names) {
  try {
    return await Promise.all(names.map((name) => loadData(model, name)));
  } catch (error) {
    setAttr(root, "aria-busy", false);
    root.append(h("p", { role: "alert" }, error.message));
    return null;
  }
}

/**
 * worker, session: see runtime/remote.js. get(): the settings, `speed` and `rate` among them; change(part); structure(settings): as text, what
 * a run is made of; begins(settings, {anew, playing}): what a "begin" says, or a promise of it; redraw(): something is another.
 */
export function trainingOf({ model, worker, session: local, get, change, structure, begins, redraw }) {
  const now = {
    frame: null, // the last that came
    shown: null, // the settings of its run
    planned: null, // the settings of the run that was begun last
    playing: false,
    failed: null, // why, in words
    closed: false,
  };
  let run = 0;
  let busy = false; // a run is begun, and its first frame still to come
  let ready = false; // the session has been told of the run that was begun last
  let again = false; // then another one is to begin
  let anew = false; // the next one may not be what is stored
  let next = null; // what the session is told once the new run is there
  let commanded = false; // plays only as long as Python asked for
  let asked = structure(get()); // of the run that was asked for last; the first one the widget begins itself
  let told = get();
  let read = null;
  let queue = null;
  const session = connect(worker, hear, local);

  const is = (part) => Object.assign(now, part);
  const go = (steps = 0) =>
    session.send({ type: "go", on: now.playing && (steps > 0 || !document.hidden), speed: get().speed, steps });

  async function begin(then = null) {
    const settings = get();
    asked = structure(settings);
    next = then ?? next;
    again = busy;
    if (busy) return;
    busy = true;
    ready = false;
    is({ failed: null });
    const how = { anew, playing: now.playing };
    anew = false;
    try {
      const message = await begins(settings, how);
      is({ planned: settings });
      session.send({ ...message, type: "begin", run: ++run });
      ready = true;
      next?.();
      next = null;
    } catch (error) {
      fail(error.message);
    }
  }
  function fail(words) {
    busy = false;
    is({ playing: false, failed: words });
    redraw();
    if (again) begin();
  }
  function hear(message) {
    if (now.closed) return;
    if (message.type === "error") fail(`The training stopped: ${message.words}. Reset starts it again.`);
    else if (message.run === run) {
      busy = false;
      is({ frame: message, shown: now.planned, failed: null });
      if (now.playing && !message.on && (message.stopped || commanded)) is({ playing: false });
      redraw();
      if (again) begin();
    }
  }

  /** Plays on, or for so many steps; a run that is over, or was only stored, cannot go on: training starts anew. */
  function start(steps = 0) {
    is({ playing: true });
    commanded = steps > 0;
    if (now.frame?.stopped || now.frame?.stored) {
      anew = true;
      begin(() => go(steps));
    } else go(steps);
    redraw();
  }
  function halt() {
    if (!now.playing) return;
    is({ playing: false });
    go();
    redraw();
  }
  const step = () => session.send({ type: "step" });

  const visible = () => {
    if (now.playing) go();
  };
  const heed = (message) => {
    if (message?.type === "train") start(message.steps);
  };
  document.addEventListener("visibilitychange", visible);
  model.on("msg:custom", heed);
  return {
    now,
    get kind() {
      return session.kind;
    },
    send: session.send,
    begin,
    halt,
    toggle: () => (now.playing ? halt() : start()),
    step() {
      if (now.frame?.stored) {
        anew = true;
        begin(step);
      } else if (ready) step();
      else next = step;
    },
    /** A run from the start, with these settings; `stored`: the stored one will do. */
    afresh(part = {}, { stored = false } = {}) {
      halt();
      change(part);
      anew = !stored;
      begin();
    },
    /** To be called when settings have changed: a new run begins where its structure has, in a moment, since several may change together. */
    follow() {
      const settings = get();
      if (settings.rate !== told.rate) session.send({ type: "rate", rate: settings.rate });
      if (settings.speed !== told.speed && now.playing) go();
      told = settings;
      if (queue !== null || structure(settings) === asked) return;
      queue = setTimeout(() => {
        queue = null;
        if (!now.closed && structure(get()) !== asked) begin();
      });
    },
    /** Shows a frame that no session has sent, of the present settings. */
    show: (frame) => is({ frame, shown: get(), planned: get() }),
    /** Is the frame's run that of the present settings? */
    isShown: () => now.shown !== null && structure(now.shown) === structure(get()),
    /** Is the frame of the run that was begun last? */
    isLast: () => now.frame?.run === run,
    /** Calls `tell` with a frame at rest, once. */
    atRest(tell) {
      if (now.frame.on || read === now.frame) return;
      read = now.frame;
      tell(now.frame);
    },
    /** The frame is drawn: the next may come. */
    seen: () => session.send({ type: "seen" }),
    close() {
      now.closed = true;
      session.close();
      document.removeEventListener("visibilitychange", visible);
      model.off("msg:custom", heed);
    },
  };
}
