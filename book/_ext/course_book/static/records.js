// The reader's work as the browser keeps it (course_lib/widgets/exercise/memory.js), read carefully: anybody may have
// written there.
//
//   course.exercise.<id>   {answer, hints, tried, solved, at, right}   written by an exercise's card
//   course.prediction.<id> {answer, sure, right, seen, at}             written by a prediction's card; sure in per
// cent, seen: the evidence was open
//   course.recall.<id>     {box, at}                                   written here: the question's place in the recall
// boxes
//   course.cover           "never"                                     evidence is not covered any more
//
// `at` is milliseconds since 1970.
(() => {
  const memory = globalThis.__courseMemory;
  const COVER = "course.cover";
  const AGAIN = "recall.";
  const BOXES = 5;
  const FORMAT = "attention-by-hand-progress";
  const VERSION = 1;

  const time = (at) => (Number.isFinite(at) && at >= 0 ? at : null);
  const object = (raw) => raw && typeof raw === "object" && !Array.isArray(raw);

  /**
   * A card's record as numbers one can rely on, or null where it is none. `at` and `right` are null in an old record.
   */
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

  const PREFIX = { exercises: "course.exercise.", predictions: "course.prediction.", recall: "course.recall." };
  const AS = { exercises: asExercise, predictions: asPrediction, recall: asRecall };
  const read = (kind, id) => AS[kind](memory.read(PREFIX[kind] + id));
  /** Every key of the reader's work, also of exercises that the book no longer has. */
  const keys = () => memory.keys().filter((key) => Object.values(PREFIX).some((prefix) => key.startsWith(prefix)));
  /** Id → record, of what is `known`; a card with a point in its name stands on no page of the book. */
  const all = (kind, known) =>
    Object.fromEntries(
      keys()
        .filter((key) => key.startsWith(PREFIX[kind]))
        .map((key) => key.slice(PREFIX[kind].length))
        .filter((id) => !id.includes(".") && (!known || known.has(id)))
        .sort()
        .map((id) => [id, read(kind, id)])
        .filter(([, record]) => record),
    );

  globalThis.__course.records = {
    BOXES,
    AGAIN,
    FORMAT,
    VERSION,
    asExercise,
    asPrediction,
    asRecall,
    kept: memory.allowed,
    watch: memory.watch,
    read,
    exercise: (id) => read("exercises", id),
    prediction: (id) => read("predictions", id),
    recall: (id) => read("recall", id),
    /** Changes a record, or null: {record, kept}, where `kept` is false if the browser refused. */
    update: (kind, id, change) => memory.update(PREFIX[kind] + id, (old) => change(AS[kind](old))),
    /** Is evidence never covered? Given a value: now it is so, or not; false where the browser does not keep that. */
    coverNever: (yes) =>
      yes === undefined ? memory.read(COVER) === "never" : memory.update(COVER, () => (yes ? "never" : null)).kept,
    keys,
    erase: () => keys().forEach((key) => memory.update(key, () => null)),
    /** The text of the file that "Your progress" takes in: what the browser keeps, and what it refused on this page. */
    file: (now, known) =>
      JSON.stringify(
        {
          format: FORMAT,
          version: VERSION,
          written: new Date(now).toISOString(),
          exercises: all("exercises", known),
          recall: all("recall", known),
          predictions: all("predictions", known),
        },
        null,
        1,
      ),
  };
})();
