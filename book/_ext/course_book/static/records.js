// What the browser keeps of the reader's work, and nothing else does: read carefully, for anybody may have written there.
//
//   course.exercise.<id>   {answer, hints, tried, solved, at, right}   written by an exercise's card
//   course.prediction.<id> {answer, sure, right, seen, at}             written by a prediction's card; sure in per cent, seen: the evidence was open
//   course.recall.<id>     {box, at}                                   written here: the question's place in the recall boxes
//   course.cover           "never"                                     evidence is not covered any more
//
// `at` is milliseconds since 1970. Where the browser allows no storage, this page remembers until it is closed.
(() => {
  const EXERCISE = "course.exercise.";
  const PREDICTION = "course.prediction.";
  const RECALL = "course.recall.";
  const COVER = "course.cover";
  const AGAIN = "recall.";
  const BOXES = 5;
  const page = new Map(); // the stand-in for a storage that is not allowed
  let store = null;
  try {
    store = globalThis.localStorage ?? null;
    store?.getItem(EXERCISE);
  } catch {
    store = null;
  }

  const time = (at) => (Number.isFinite(at) && at >= 0 ? at : null);
  const object = (raw) => raw && typeof raw === "object" && !Array.isArray(raw);

  /** A card's record as numbers one can rely on, or null where it is none. `at` and `right` are null in an old record. */
  const asExercise = (raw) => {
    if (!object(raw)) return null;
    const whole = (x, most) => (Number.isInteger(x) && x > 0 ? Math.min(x, most) : 0);
    const tried = whole(raw.tried, 1e6);
    const hints = whole(raw.hints, 3);
    if (!tried && !hints) return null;
    return {
      answer: raw.answer,
      hints,
      tried,
      solved: raw.solved === true,
      at: time(raw.at),
      right: typeof raw.right === "boolean" ? raw.right : null,
    };
  };
  const asPrediction = (raw) => {
    if (!object(raw) || time(raw.at) === null || raw.answer === undefined) return null;
    const { answer, at, sure, right, seen } = raw;
    return {
      answer,
      sure: Number.isInteger(sure) && sure >= 50 && sure <= 99 ? sure : null,
      right: typeof right === "boolean" ? right : null,
      seen: seen === true,
      at,
    };
  };
  const asRecall = (raw) =>
    object(raw) && Number.isInteger(raw.box) && raw.box >= 1 && raw.box <= BOXES && time(raw.at) !== null
      ? { box: raw.box, at: raw.at }
      : null;

  const read = (key) => {
    try {
      return JSON.parse((store ? store.getItem(key) : page.get(key)) ?? "null");
    } catch {
      return null;
    }
  };
  /** False where the browser refused: it is full, or storage was forbidden since. */
  const write = (key, value) => {
    try {
      if (store) store.setItem(key, JSON.stringify(value));
      else page.set(key, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  };
  const remove = (key) => {
    try {
      if (store) store.removeItem(key);
      else page.delete(key);
    } catch {
      /* nothing to lose */
    }
  };
  const keys = () => {
    try {
      return store ? Object.keys(store) : [...page.keys()];
    } catch {
      return [];
    }
  };

  globalThis.__course.records = {
    BOXES,
    AGAIN,
    asExercise,
    asPrediction,
    asRecall,
    kept: () => store !== null,
    exercise: (id) => asExercise(read(EXERCISE + id)),
    prediction: (id) => asPrediction(read(PREDICTION + id)),
    recall: (id) => asRecall(read(RECALL + id)),
    writeExercise: (id, record) => write(EXERCISE + id, record),
    writePrediction: (id, record) => write(PREDICTION + id, record),
    /** Is evidence never covered? Given a value: from now on it is so, or not. */
    coverNever: (yes) => (yes === undefined ? read(COVER) === "never" : yes ? write(COVER, "never") : remove(COVER)),
    writeRecall: (id, record) => write(RECALL + id, record),
    /** A card in a recall box starts blank: what the last one left under its name goes. */
    blank: (id) => remove(EXERCISE + AGAIN + id),
    /** Every key of the reader's work, also of exercises that the book no longer has. */
    keys: () => keys().filter((key) => [EXERCISE, PREDICTION, RECALL].some((kind) => key.startsWith(kind))),
    erase() {
      for (const key of this.keys()) remove(key);
    },
    /** Without storage a card leaves nothing behind: what it tells is noted here instead. */
    note(id, correct, now) {
      if (store) return;
      const old = this.exercise(id);
      write(EXERCISE + id, {
        answer: "",
        hints: 0,
        tried: (old?.tried ?? 0) + 1,
        solved: correct || (old?.solved ?? false),
        at: now,
        right: correct,
      });
    },
    /** Calls `changed` when another tab wrote. */
    watch: (changed) =>
      globalThis.addEventListener?.("storage", (event) => {
        if (event.key === null || event.key.startsWith("course.")) changed();
      }),
  };
})();
