// What happened at a stop, in one sentence; what an entry is and how it came about. Plain text: the same is shown and
// spoken.

import { number } from "../drawing/ui.js";
import { entryName } from "./matrices.js";
import { ranking } from "./scenes.js";

export function percent(share) {
  if (share < 0.0005) return "below 0.1\u00a0%";
  if (share > 0.9995 && share < 1) return "over 99.9\u00a0%";
  return `${(100 * share).toFixed((share > 0.995 && share < 1) || share < 0.01 ? 1 : 0)}\u00a0%`;
}
/** A positive number that may be large: 12.35, 5.96·10⁴. */
function large(x) {
  if (x < 1e4) return number(x);
  const power = Math.floor(Math.log10(x));
  return `${number(x / 10 ** power)}·10${[...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
}
export const quote = (word) => `“${word}”`;
const largest = (list) => list.reduce((best, x, i) => (x > list[best] ? i : best), 0);

/** The title of a stop. */
export function titleOf({ box, layer }, layers, step) {
  const place = { source: "Encoder", target: "Decoder" }[box.side];
  const floor = layer === null ? "" : `, layer ${layer + 1} of ${layers}`;
  return `${place}${floor}: ${box.label}${step && box.stops.length > 1 ? ` – ${step}` : ""}`;
}

/**
 * The row looked at where the reader has chosen none: the last written word, which says what comes next; the second
 * English one.
 */
export const usualRow = (side, count) => (side === "target" ? count - 1 : Math.min(1, count - 1));

/** One sentence for the stop, with the numbers of this very sentence in it. context.row: the chosen row. */
export function sentenceOf(context, station, scene) {
  const { model, source, target, head } = context;
  const { config } = model;
  const { d, m, h, r } = config;
  const tokens = scene.side === "source" ? source : target;
  const list = model[scene.side];
  const row = Math.min(context.row ?? usualRow(scene.side, tokens.length), tokens.length - 1);
  const word = quote(list[tokens[row]]);
  const main = scene.matrices?.[scene.main];
  const values = main && main.rows > row ? main.numbers.subarray(row * main.cols, (row + 1) * main.cols) : [];
  const step = station.split("_").at(-1);
  const written = target.length - 1;
  const sight = () => {
    const best = largest(values);
    const found = main.colNames[best];
    const twice = main.colNames.filter((name) => name === found).length > 1;
    const itself = main.rowNames === main.colNames && best === row;
    return (
      `${word} looks most at ${itself ? "itself" : `${quote(found)}${twice ? ` (place ${best + 1})` : ""}`}, ` +
      `with ${number(values[best])}`
    );
  };
  switch (station) {
    case "words":
      return (
        `The sentence is cut into ${tokens.length} tokens, and the model knows each by its number in a list of ` +
        `${list.length}.`
      );
    case "target_words":
      return written
        ? `The decoder reads what is written so far: ⟨start⟩ and ${written} French word${written > 1 ? "s" : ""}, ` +
            `again as numbers in a list of ${list.length}.`
        : `Nothing is written yet, so the decoder reads only the token ⟨start⟩, number ${target[0]} in the French ` +
            `list of ${list.length}.`;
    case "one_hot":
      return (
        `Each token becomes a row of ${list.length} numbers that are all 0, but for a single 1 at the token's ` +
        `own number: ${word} has it at ${tokens[row]}.`
      );
    case "embedding":
    case "target_embedding":
      return (
        `The 1 picks a row of the learned table E: ${d} numbers that stand for ${word}` +
        `${config.root_d === false ? "" : `, made larger by √d = √${d}`}.`
      );
    case "position":
    case "target_position":
      return (
        `Waves of many lengths are added that say “place ${row + 1}” (position ${row}), because without them ` +
        `${word} would be the same wherever it stands.`
      );
    case "memory":
      return (
        `Each row is shifted and scaled once more (a layer norm), and the encoder is done: ${source.length} ` +
        `rows of ${d} numbers, the memory that the decoder looks at for every word it writes.`
      );
    case "final":
      return (
        `A last layer norm; of its rows only the last, that of ${quote(list[tokens.at(-1)])}, has to say what ` +
        `comes next.`
      );
    case "logits":
      return (
        `The last row is compared with every French word's row of E, which gives ${list.length} logits; the ` +
        `largest is ${number(lastLogit(context))}, for ${quote(list[ranking(context)[0]])}.`
      );
    case "softmax": {
      const [best] = ranking(context);
      return (
        `The softmax turns the last row's logits into probabilities: ${quote(list[best])} comes next with ` +
        `${percent(probability(context, best))}.`
      );
    }
    case "cross_read":
      return (
        `Now the French rows ask and the English ones answer: queries come from the decoder, keys and values ` +
        `from the encoder's memory.`
      );
    case "cross_weights":
      return `In head ${head + 1} of ${h}, the French ${sight()} of its attention on the English words.`;
    case "decoder_weights":
      return (
        `The mask hides later words, and the softmax shares out what is left: in head ${head + 1} of ${h}, ` +
        `${sight()}.`
      );
    case "decoder_scores":
      return (
        `Every query meets every key, and their dot product divided by √m = √${m} is the score; places after a ` +
        `word's own will be masked.`
      );
    default:
      break;
  }
  switch (step) {
    case "read":
      return (
        `Each row is shifted and scaled to mean 0 and deviation 1 (the norm), and multiplied by three learned ` +
        `matrices: a query (what ${word} looks for), a key (what it can be found by) and a value (what it passes on).`
      );
    case "scores":
      return `Every query meets every key: their dot product divided by √m = √${m} is the score.`;
    case "weights":
      return `The softmax turns each row of scores into shares that sum to 1: in head ${head + 1} of ${h}, ${sight()}.`;
    case "mix":
      return `Head ${head + 1} gives ${word} an average of the values, each counted with its weight.`;
    case "gather":
      return (
        `The ${h} heads' answers stand side by side, W_O mixes them into ${d} numbers, and these are added to ` +
        `the row that ${word} had.`
      );
    case "hidden":
      return (
        `Now ${word} thinks alone: of the ${r} neurons, ${values.filter((x) => x > 0).length} fire for it, the ` +
        `others give 0.`
      );
    default:
      return (
        `W_2 turns the neurons back into ${d} numbers, which are added to the row of ${word}: what was known ` +
        `stays, something is added.`
      );
  }
}
const lastLogit = ({ model, results, target }) =>
  results.logits.numbers
    .subarray((target.length - 1) * model.target.length)
    .reduce((a, b) => Math.max(a, b), -Infinity);
export const probability = ({ model, results, target }, token) =>
  results.probabilities.numbers[(target.length - 1) * model.target.length + token];

/** Where each head of the decoder's last row looks most among the English words, and which word follows. */
export function lookedAt(context) {
  const { model, results, source, target, layer } = context;
  const { h } = model.config;
  const { shape, numbers } = results[`decoder.${layer}.cross_weights`];
  const [n, s] = shape.slice(-2);
  const found = Array.from({ length: h }, (_, head) => {
    const start = (head * n + n - 1) * s;
    const row = numbers.subarray(start, start + s);
    const best = largest(row);
    return `head ${head + 1} at ${quote(model.source[source[best]])} (${number(row[best])})`;
  });
  const [next] = ranking(context);
  return (
    `Before ${quote(model.target[next])} is written, ${quote(model.target[target.at(-1)])} looks across in ` +
    `layer ${layer + 1}: ${found.join(", ")}.`
  );
}

/** The name of a row or a column in words. */
export const rowName = (matrix, i) =>
  matrix.rowNames ? `${quote(matrix.rowNames[i])}` : `row ${i + (matrix.first ?? 1)}`;
export const columnName = (matrix, j) => (matrix.colNames ? quote(matrix.colNames[j]) : `column ${j + 1}`);

/** An entry: which, and its value. */
export function entryWords(matrix, i, j) {
  const value = matrix.numbers[i * matrix.cols + j];
  const place =
    `${matrix.rowNames ? `row ${i + 1} ` : ""}${rowName(matrix, i)}, ` +
    `${matrix.colNames ? (matrix.columns ? `column ${matrix.columns[j]} ` : `column ${j + 1} `) : ""}` +
    `${columnName(matrix, j)}`;
  return matrix.masked?.(i, j) ? `${place}: masked` : `${place}: ${number(value, 3)}`;
}

/** How an entry came about: its formula and the numbers in it, as text. how: what matrix.how(i, j) gave. */
export function howWords(matrix, i, j, how) {
  const name = entryName(matrix, i, j);
  const from = `${name} = ${how.formula}`;
  if (how.learned) return `${name} is a number that training has set.`;
  const signed = (x) => (x < 0 ? `(${number(x, 2)})` : number(x, 2));
  if (how.terms) return `${from} = ${number(how.terms[0])} + ${signed(how.terms[1])}`;
  if (how.factors) return `${from} = ${number(how.factors[0])} · ${signed(how.factors[1])}`;
  if (how.share && Number.isFinite(how.share[0]))
    return `${from} = exp(${number(how.share[0])}) / ${large(how.share[1])}`;
  if (how.mean !== undefined)
    return (
      `${from}, with mean ${number(how.mean)}, deviation ${number(how.deviation)}, gain ${number(how.gain)} ` +
      `and bias ${number(how.shift)}`
    );
  if (!how.parts) return from;
  const order = Array.from(how.parts.keys())
    .sort((a, b) => Math.abs(how.parts[b]) - Math.abs(how.parts[a]))
    .slice(0, 2);
  const [a, b] = how.strips.map((strip) => strip.numbers);
  const count = how.parts.length;
  const some = order.map((k) => `${number(a[k])} · ${signed(b[k])}`).join(" and ");
  return (
    `${from}: the sum of ${count} product${count > 1 ? "s, the two largest" : ""} ${some}` +
    `${how.cut === null ? "" : `; the sum ${number(how.cut)} is below 0 and becomes 0`}`
  );
}

/** The matrix in words, for those who do not see it. */
export function summary(matrix, i) {
  const values = Array.from(matrix.numbers);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const cells = matrix.numbers.subarray(i * matrix.cols, (i + 1) * matrix.cols);
  const best = largest(cells);
  const many = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;
  const shape = `${matrix.name}, ${many(matrix.rows, "row")} and ${many(matrix.of ?? matrix.cols, "column")}`;
  if (matrix.kind === "share")
    return (
      `${shape}. In row ${i + 1}, ${rowName(matrix, i)}, the largest is ${number(cells[best])}, at ` +
      `${columnName(matrix, best)}.`
    );
  return (
    `${shape}, from ${number(low)} to ${number(high)}. In row ${rowName(matrix, i)} the largest is ` +
    `${number(cells[best])}, in ${columnName(matrix, best)}.`
  );
}
