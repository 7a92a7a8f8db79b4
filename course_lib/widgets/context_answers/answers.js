// What a stored answer gives at 41 places in the context of some points: its graph, run in the page; and how far that
// is from what was wanted.

import { evaluator } from "../runtime/graph.js";
import { count, sizeOf } from "../runtime/views.js";
import { QUESTIONS } from "./questions.js";

export const LINE = Array.from({ length: 41 }, (_, i) => Number((i / 20 - 1).toFixed(2)));
const KEPT = 24; // plans, one for each number of points

/** The parameters of a graph by name: the numbers in the order of its inputs after x and cloud. */
function parameters(graph, sizes, text) {
  const numbers = new Float32Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
  let at = 0;
  return graph.inputs.slice(2).map(([name, shape]) => {
    const many = count(shape.map((each) => sizeOf(each, sizes)));
    at += many;
    return [name, numbers.slice(at - many, at)];
  });
}

/** answers: as the page gives them, each with its graph. Gives {of(question), run(answer, points, copies)}. */
export function library(answers) {
  const plans = new Map();

  function plan(answer, n) {
    const key = `${answers.indexOf(answer)} ${n}`;
    const known = plans.get(key);
    if (known) return known;
    const { graph } = answer;
    const sizes = { ...answer.sizes, q: LINE.length, n };
    const made = evaluator(graph, sizes);
    for (const [name, numbers] of parameters(graph, sizes, answer.numbers)) made.set(name, numbers);
    if (plans.size >= KEPT) plans.delete(plans.keys().next().value);
    plans.set(key, made);
    return made;
  }
  const padded = (rows, width) =>
    Float32Array.from(
      rows.flatMap((row) => [...row, ...Array(Math.max(0, width - row.length)).fill(0)].slice(0, width)),
    );

  /** Its answers at LINE. */
  function run(answer, points, copies = 1) {
    const many = Array.from({ length: copies }, () => points).flat();
    const made = plan(answer, many.length);
    const width = answer.sizes.d ?? 1;
    const flat = QUESTIONS[answer.question].flat;
    made.set(
      "x",
      padded(
        LINE.map((x) => [x]),
        width,
      ),
    );
    made.set(
      "cloud",
      padded(
        many.map(([x, y]) => (flat ? [x] : [x, y, 1])),
        width,
      ),
    );
    made.run();
    return Array.from(made.get("answers"));
  }
  /** The answers of a question, by family: [{name, answers}]. */
  function of(question) {
    const own = answers.filter((each) => each.question === question);
    const names = [...new Set(own.map(({ family }) => family))];
    return names.map((name) => ({ name, answers: own.filter(({ family }) => family === name) }));
  }
  return { of, run, questions: [...new Set(answers.map(({ question }) => question))] };
}

/** Root mean square of the distance, the largest one, and where it is. */
export function distance(answered, wanted) {
  const apart = answered.map((value, i) => Math.abs(value - wanted[i]));
  const most = Math.max(...apart);
  return {
    rms: Math.sqrt(apart.reduce((sum, each) => sum + each ** 2, 0) / apart.length),
    most,
    at: apart.indexOf(most),
  };
}

/** The value between the places of LINE. */
export function between(values, x) {
  const at = Math.min(LINE.length - 2, Math.max(0, Math.floor((x + 1) * 20 + 1e-9)));
  const share = (x - LINE[at]) * 20;
  return values[at] + share * (values[at + 1] - values[at]);
}
