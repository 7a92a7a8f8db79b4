// A reader's progress out of a file. Pure: a text in, records out; a file may come from anywhere. records.js writes it.
(() => {
  const MOST_BYTES = 2_000_000;
  const MOST_ANSWER = 5_000;
  const DAY = 86_400_000;
  const { FORMAT, VERSION, asExercise, asPrediction, asRecall } = globalThis.__course.records;
  const AS = { exercises: asExercise, recall: asRecall, predictions: asPrediction };

  /** A text, a finite number, or lists of such: what the cards' answer fields can hold. */
  const typed = (answer) =>
    typeof answer === "string" || Number.isFinite(answer) || (Array.isArray(answer) && answer.every(typed));

  /**
   * {problem} in words, or {exercises, recall, predictions, refused}: what can be taken, and how many cannot. `known`
   * are the book's ids.
   */
  function read(text, known, now) {
    let file = null;
    try {
      file = text.length > MOST_BYTES ? null : JSON.parse(text);
    } catch {}
    if (file?.format !== FORMAT || file.version !== VERSION)
      return {
        problem:
          `This is no progress file of this book, or it was cut short, or is of another version than ` +
          `${VERSION}. Nothing was changed.`,
      };
    const found = { refused: 0 };
    for (const [kind, as] of Object.entries(AS)) {
      found[kind] = new Map();
      for (const [id, raw] of Object.entries(file[kind] ?? {})) {
        const record = known.has(id) ? as(raw) : null;
        const { at, answer = "" } = record ?? {};
        if (record && !(at > now + DAY) && typed(answer) && JSON.stringify(answer).length <= MOST_ANSWER)
          found[kind].set(id, record);
        else found.refused += 1;
      }
    }
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

  globalThis.__course.progressFile = { read, newer, MOST_BYTES };
})();
