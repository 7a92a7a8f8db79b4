// The page's half of a training (runtime/session.js is the other): which run is under way, whether it plays, and the
// last frame that came.

import { announcer, h, oncePerFrame, setAttr, setAttrs, setText } from "../drawing/ui.js";
import { connect } from "../runtime/remote.js";

const SPOKEN = 900; // milliseconds of rest before the words are spoken

/**
 * opened: the settings (shell/traits.js), `speed` and `rate` among them; structure(settings): as text, what a run is
 * made of; begins(settings, {anew, playing}): what a "begin" says, or a promise of it; isShown?(frame): besides, is it
 * a picture of the settings? draw(now, theme): draws, and gives {words, data, back} where a frame is drawn: what is
 * said, the root's data-…, what Python reads.
 */
export function trainingOf({
  root,
  el,
  model,
  worker,
  session: local,
  opened,
  structure,
  begins,
  isShown = () => true,
  draw,
}) {
  const { values: get, change: set, save, link, follow } = opened;
  const now = {
    frame: null, // the last that came
    shown: null, // the settings of its run
    planned: null, // the settings of the run that was begun last
    playing: false,
    failed: null, // why, in words
  };
  const trouble = h("p", { class: "trn-trouble", role: "alert", hidden: true });
  const voice = announcer(SPOKEN);
  let theme = "light";
  let closed = false;
  let run = 0;
  let busy = false; // a run is begun, and its first frame still to come
  let ready = false; // the session has been told of the run that was begun last
  let again = false; // then another one is to begin
  let anew = false; // the next one may not be what is stored
  let next = null; // what the session is told once the new run is there
  let commanded = false; // plays only as long as Python asked for
  let asked = structure(get()); // of the run that was asked for last; the first one the widget begins itself
  let heard = get();
  let read = null;
  let queue = null;
  const session = connect(worker, hear, local);

  const redraw = oncePerFrame(paint);

  const is = (part) => Object.assign(now, part);
  function change(part) {
    set(part);
    save();
  }
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
      tell();
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
    if (closed) return;
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
    } else if (steps > 0) {
      next = () => go(steps);
      tell();
    } else go();
    redraw();
  }
  function halt() {
    if (!now.playing) return;
    is({ playing: false });
    go();
    redraw();
  }
  const step = () => session.send({ type: "step" });
  /**
   * Has the session been told of the run that these settings make? What it hears before that is lost with the run
   * before.
   */
  const told = () => ready && !again && structure(get()) === asked;
  function tell() {
    if (!told()) return;
    next?.();
    next = null;
  }

  /**
   * When settings have changed: a new run begins where its structure has, in a moment, since several may change
   * together.
   */
  function changed() {
    const settings = get();
    if (settings.rate !== heard.rate) session.send({ type: "rate", rate: settings.rate });
    if (settings.speed !== heard.speed && now.playing) go();
    heard = settings;
    redraw();
    if (queue !== null || structure(settings) === asked) return;
    queue = setTimeout(() => {
      queue = null;
      if (closed) return;
      if (structure(get()) !== asked) begin();
      else tell();
    });
  }
  function paint() {
    if (closed) return;
    const { frame, shown, playing, failed } = now;
    const isPicture = shown && structure(shown) === structure(get()) && isShown(frame);
    setAttr(root, "aria-busy", !failed && !isPicture);
    trouble.hidden = failed === null;
    setText(trouble, failed ?? "");
    link(get());
    const drawn = draw(now, theme);
    if (!drawn) return;
    if (drawn.words) voice.tell(drawn.words);
    setAttrs(root, { step: frame.step, playing, where: session.kind, loss: frame.loss, ...drawn.data }, "data-");
    if (!frame.on && read !== frame) {
      read = frame;
      model.set(drawn.back());
      save();
    }
    el.dataset.ready = "1";
    session.send({ type: "seen" });
  }

  const visible = () => {
    if (now.playing) go();
  };
  const heed = (message) => {
    if (message?.type === "train") start(message.steps);
  };
  return {
    now,
    trouble,
    voice: voice.el,
    change,
    redraw,
    send: session.send,
    halt,
    toggle: () => (now.playing ? halt() : start()),
    step() {
      if (now.frame?.stored) {
        anew = true;
        begin(step);
      } else {
        next = step;
        tell();
      }
    },
    /** A run from the start, with these settings; `stored`: the stored one will do. */
    afresh(part = {}, { stored = false } = {}) {
      halt();
      change(part);
      anew = !stored;
      begin();
    },
    /** Shows a frame that no session has sent, of the present settings. */
    show: (frame) => is({ frame, shown: get(), planned: get() }),
    /** Is the frame of the run that was begun last? */
    isLast: () => now.frame?.run === run,
    /** Draws, and begins the first run when that is on the screen. Returns a function that ends all. */
    live() {
      const turned = (dark) => {
        theme = dark;
      };
      const unfollow = follow(changed, { root, drawn: () => true, turned });
      document.addEventListener("visibilitychange", visible);
      model.on("msg:custom", heed);
      paint();
      setTimeout(begin);
      return () => {
        closed = true;
        unfollow();
        session.close();
        document.removeEventListener("visibilitychange", visible);
        model.off("msg:custom", heed);
      };
    },
  };
}
