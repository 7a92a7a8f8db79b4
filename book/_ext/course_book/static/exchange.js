// A reader's progress out of a file. Pure: a text in, records out; a file may come from anywhere. records.js writes it.
(() => {
  const MOST_BYTES = 2_000_000;
  const MOST_ANSWER = 5_000;
  const DAY = 86_400_000;
  const { FORMAT, VERSION, asExercise, asPrediction, asRecall } = globalThis.__course.records;

  /** A text, or lists of texts: what the cards' answer fields can hold. */
  const typed = (answer) => typeof answer === "string" || (Array.isArray(answer) && answer.every(typed));
  const drawn = (answer) => Array.isArray(answer) && answer.every(Number.isFinite);
  const plain = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

  /** {problem} in words, or {exercises, recall, predictions, refused}: what can be taken, and [id, why] for what cannot. `known` are the book's ids. */
  function read(text, known, now) {
    if (text.length > MOST_BYTES) return { problem: "This file is far larger than a progress file can be. Nothing was changed." };
    let file;
    try {
      file = JSON.parse(text);
    } catch {
      return { problem: "This file cannot be read: it is no JSON, or it was cut short. Nothing was changed." };
    }
    if (!plain(file) || file.format !== FORMAT)
      return { problem: "This is not a progress file of this book. Nothing was changed." };
    if (file.version !== VERSION)
      return {
        problem: `This progress file has version ${JSON.stringify(file.version) ?? "none"}; this book reads version ${VERSION}. Nothing was changed.`,
      };
    if (!plain(file.exercises) || !plain(file.recall))
      return { problem: "This progress file is damaged: its lists are missing. Nothing was changed." };
    file.predictions ??= {}; // a file from before there were any
    if (!plain(file.predictions))
      return { problem: "This progress file is damaged: its predictions are no list. Nothing was changed." };
    const found = { exercises: new Map(), recall: new Map(), predictions: new Map(), refused: [] };
    const take = (kind, as, wrong) => {
      for (const [id, raw] of Object.entries(file[kind])) {
        const record = as(raw);
        const why = !known.has(id)
          ? `is no ${kind === "predictions" ? "prediction" : "exercise"} of this book`
          : record === null
            ? "has a record that makes no sense"
            : record.at > now + DAY
              ? "has a date in the future"
              : wrong(record);
        if (why) found.refused.push([id, why]);
        else found[kind].set(id, record);
      }
    };
    const answered = ({ answer = "" }, also = () => false) =>
      (typed(answer) || also(answer)) && JSON.stringify(answer).length <= MOST_ANSWER ? "" : "has an answer that makes no sense";
    take("exercises", asExercise, (record) => answered(record));
    take("predictions", asPrediction, (record) => answered(record, drawn));
    take("recall", asRecall, () => "");
    return found;
  }

  /** Of two records of one exercise the one with the newer try. What was read or solved stays so, as on the card. */
  function newer(ours, theirs) {
    if (!ours || !theirs) return ours ?? theirs;
    const [a, b] = [ours.at ?? -1, theirs.at ?? -1];
    const chosen = b > a || (a === b && theirs.tried > ours.tried) ? theirs : ours;
    if (!("solved" in chosen)) return chosen;
    const most = (field) => Math.max(ours[field], theirs[field]);
    return { ...chosen, hints: most("hints"), tried: most("tried"), solved: ours.solved || theirs.solved };
  }

  globalThis.__course.exchange = { read, newer, MOST_BYTES };
})();
