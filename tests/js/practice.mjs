// The scheduler's, the records' and the file's pure parts for tests/book/test_practice.py: reads [name, ...arguments]
// lists, answers them.
// "-Infinity" stands for the number that JSON lacks.

import { readFileSync } from "node:fs";

let full = false;
class Storage {
  getItem(key) {
    return this[key] ?? null;
  }
  setItem(key, text) {
    if (full) throw new Error("full");
    this[key] = text;
  }
}
const kept = { "course.exercise.corrupt": "{not json", "course.exercise.list": "[1]", "other.key": "1" };
globalThis.localStorage = Object.assign(new Storage(), kept);
globalThis.__course = {};
await import("../../course_lib/widgets/exercise/memory.js");
for (const name of ["records", "schedule", "progress_file", "next_page"])
  await import(`../../book/_ext/course_book/static/${name}.js`);
const { records, schedule, progressFile, nextPage } = globalThis.__course;

const known = new Set(["a", "b", "c"]);
const answer = {
  full(yes) {
    full = yes;
  },
  change: (id, more) => records.update("exercises", id, (old) => ({ ...old, ...more })).kept,
  elsewhere(id, record) {
    localStorage[`course.exercise.${id}`] = JSON.stringify(record);
  },
  stored: (id) => JSON.parse(localStorage.getItem(`course.exercise.${id}`)),
  standing: schedule.standing,
  after: schedule.after,
  order: schedule.order,
  first: schedule.first,
  isDue: schedule.isDue,
  dueDay: schedule.dueDay,
  dayOf: schedule.dayOf,
  days: () => schedule.DAYS,
  asExercise: records.asExercise,
  asPrediction: records.asPrediction,
  asRecall: records.asRecall,
  exercise: records.exercise,
  onwards: nextPage.onwards,
  newer: progressFile.newer,
  write(exercises, recall, predictions, now) {
    for (const [kind, given] of Object.entries({ exercises, recall, predictions }))
      for (const [id, record] of Object.entries(given)) records.update(kind, id, () => record);
    return records.file(now);
  },
  read(text, now) {
    const found = progressFile.read(text, known, now);
    return found.problem
      ? found
      : {
          ...Object.fromEntries(
            ["exercises", "recall", "predictions"].map((kind) => [kind, Object.fromEntries(found[kind])]),
          ),
          refused: found.refused,
        };
  },
};
const lacking = (_, value) => (value === -Infinity ? "-Infinity" : value === undefined ? null : value);
const back = (_, value) => (value === "-Infinity" ? -Infinity : value);
const questions = JSON.parse(readFileSync(0, "utf8"), back);
process.stdout.write(
  JSON.stringify(
    questions.map(([name, ...rest]) => answer[name](...rest)),
    lacking,
  ),
);
