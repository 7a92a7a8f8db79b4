// The views that are maps: what each asks the provider (stored.js says what there is to ask), and what it found, as
// ../drawing/layer_map.js draws it, and in a sentence.

import { drawn } from "./chance.js";
import { tempered } from "../sampling_bars/tempered.js";
import { clamp, number } from "../drawing/ui.js";

const STRONG = 2; // nats that get the full colour
const range = (n) => Array.from({ length: n }, (_, i) => i);
const turned = (columns) => columns[0].flatMap((_, row) => columns.map((column) => column[row]));
const signed = (x) => (x > 0 ? `+${number(x)}` : number(x));

export const piece = (text) =>
  text.trim() === "" ? text.replaceAll("\n", "↵").replaceAll(" ", "␣") || "∅" : text.trim();
export const quoted = (text) => `“${piece(text)}”`;
export const share = (p) => (p > 0 && p < 0.0005 ? "below 0.001" : number(p, p < 0.0995 && p > 0 ? 3 : 2));
const layersRead = (k) => (k === 0 ? "before the first layer" : `after ${k} layer${k === 1 ? "" : "s"}`);
const capital = (text) => text[0].toUpperCase() + text.slice(1);
export const headName = (layer, head) => `head ${head} of layer ${layer}`;
export const partName = (heads, layer, part) =>
  part < heads
    ? headName(layer, part)
    : part === heads
      ? `all heads of layer ${layer}`
      : `the feed-forward layer ${layer}`;

/** The cell that is meant: settings may name one that this model or text has not. */
export function cellOf({ layers, heads }, { words }, { view, layer, head, row, column, part, word, what }) {
  const last = words.length - 1;
  const rows =
    { maps: clamp(row, 0, last), lens: word, erased: clamp(part, 0, heads + 1) }[view] ?? clamp(row, 0, last);
  const readLayers = view === "lens" || (view === "patched" && what === "stream");
  return {
    row: rows,
    place: clamp(row, 0, last),
    column: view === "maps" ? clamp(column, 0, last) : clamp(layer, 0, readLayers ? layers : layers - 1),
    layer: clamp(layer, 0, layers - 1),
    head: clamp(head, 0, heads - 1),
  };
}

/**
 * Keys seen by a row, how many equally weighted ones its weights are worth, and what chapter 6's law says of scores
 * with this spread.
 */
export function effective(map, n, row, causal, spread) {
  const keys = causal ? row + 1 : n;
  const weights = map.subarray(row * n, row * n + keys);
  const sum = weights.reduce((a, b) => a + b, 0);
  const squares = weights.reduce((a, b) => a + b * b, 0);
  return {
    keys,
    worth: squares ? (sum * sum) / squares : keys,
    law: spread === null ? null : keys * Math.exp(-(spread ** 2)),
  };
}

function maps(provider, reading, state) {
  const { words } = reading;
  const n = words.length;
  const { row, column, layer, head } = cellOf(provider, reading, state);
  const map = reading.weight(layer, head);
  const at = (i) => map[row * n + i];
  const most = range(n).reduce((best, i) => (at(i) > at(best) ? i : best), 0);
  const spread = reading.spread(layer, head, row);
  const { keys, worth, law } = effective(map, n, row, provider.causal, spread);
  const hidden = provider.causal && column > row;
  const lawful =
    law === null
      ? ""
      : ` Its scores have a standard deviation of ${number(spread)}: by the law n e^(−s²) they would be worth ` +
        `${number(law)}.`;
  return {
    rows: words.map(piece),
    columns: n,
    numbers: [...map],
    masked: (i, j) => provider.causal && j > i,
    kind: "share",
    most: 1,
    ends: ["weight 0", "1"],
    first: piece(words[0]),
    last: piece(words[n - 1]),
    axis: `looked at: ${quoted(words[column])}`,
    beside: words.map((_, i) => (provider.causal && column > i ? "–" : share(map[i * n + column]))),
    at: [row, column],
    value: hidden ? 0 : at(column),
    told:
      `${capital(headName(layer, head))}: from ${quoted(words[row])}, token ${row + 1}, ` +
      (hidden
        ? `${quoted(words[column])} is not to be seen, for it comes later. `
        : `${share(at(column))} of the weight is on ${quoted(words[column])}, token ${column + 1}. `) +
      `Most, ${share(at(most))}, is on ${quoted(words[most])}. Its ${keys} weights are worth ${number(worth, 1)} ` +
      `equal ones.${lawful}`,
  };
}

async function lens(provider, reading, state) {
  const { row, column, place } = cellOf(provider, reading, state);
  const { words, p, top } = await provider.lens(state.source.text, place);
  return {
    rows: words.map(piece),
    columns: provider.layers + 1,
    numbers: turned(p),
    kind: "share",
    most: 1,
    ends: ["share 0", "1"],
    axis: "layers read",
    beside: p[column].map(share),
    at: [row, column],
    value: p[column][row],
    told:
      `Read ${layersRead(column)}, the row of ${quoted(reading.words[place])} says ` +
      `${top[column].map(([word, q]) => `${quoted(word)} ${share(q)}`).join(", ")}. ` +
      `${quoted(words[row])}, ` +
      `${row ? `number ${row + 1} of what follows the whole sentence` : "the likeliest after the whole sentence"}, ` +
      `has ${share(p[column][row])}.`,
  };
}

/** Shares of the five likeliest pieces, untouched. */
const five = ({ next }) => tempered(next, 1).shares.slice(0, 5);

async function erased(provider, reading, state) {
  const { layers, heads } = provider;
  const { row: part, column: layer } = cellOf(provider, reading, state);
  const { text } = state.source;
  const chance = drawn(state.seed, { layers, heads, layer, part });
  const [own, other] = [
    await provider.erase(text, { layer, part, fill: state.fill }),
    await provider.erase(text, { ...chance, fill: state.fill }),
  ];
  const known = await provider.erased(text, state.fill);
  const before = five(reading);
  const after = (changes) => before.map((p, i) => p * Math.exp(changes[i]));
  const words = reading.next.top.slice(0, 5).map(([word]) => word);
  const missing = known.flat().filter(Number.isNaN).length;
  const numbers = turned(known);
  return {
    rows: [...range(heads).map((k) => `head ${k}`), "all heads", "feed-forward"],
    columns: layers,
    numbers: numbers.map((x) => (Number.isNaN(x) ? 0 : x)),
    masked: (i, j) => Number.isNaN(numbers[i * layers + j]),
    kind: "signed",
    most: STRONG,
    ends: [`log p of ${piece(words[0])}: −${STRONG} or less`, `+${STRONG}`],
    axis: "layer",
    beside: known[layer].map((x) => (Number.isNaN(x) ? "" : signed(x))),
    at: [part, layer],
    value: own[0],
    missing,
    compare: {
      words,
      columns: [
        ["untouched", before],
        ["without it", after(own)],
        ["without another", after(other)],
      ],
    },
    told:
      `${capital(partName(heads, layer, part))} ${part === heads ? "give" : "gives"} ` +
      `${state.fill === "mean" ? "the mean over other texts" : "nothing"} at every token: ` +
      `${quoted(words[0])} goes from ${share(before[0])} to ${share(after(own)[0])}, ${signed(own[0])} nats. ` +
      `Drawn by chance instead, ${partName(heads, chance.layer, chance.part)}: ${signed(other[0])} nats.`,
  };
}

async function patched(provider, reading, state, { seen, signal }) {
  const { text, other } = state.source;
  const show = (found) => {
    const { A, B, yes, no, values, others } = found;
    const { row, column: asked } = cellOf(provider, reading, state);
    // after all layers a live model is not patched: there it must be all or nothing
    const column = Math.min(asked, values.length - 1);
    const scaled = Math.abs(A - B) >= 1; // else there is no way to measure on: then the change in nats
    const scale = (D) => (scaled ? (D - B) / (A - B) : D - B);
    const numbers = turned(values).map(scale);
    const value = scale(values[column][row]);
    const read = state.what === "stream";
    const what = read
      ? `${capital(layersRead(column))} the row of ${quoted(others[row])}, token ${row + 1} of the second sentence, ` +
        `gives way to that of ${quoted(reading.words[row])} in the first`
      : `What ${state.what === "attention" ? "the attention" : "the feed-forward part"} of layer ${column} adds to ` +
        `${quoted(others[row])}, token ${row + 1} of the second sentence, is what it adds to ` +
        `${quoted(reading.words[row])} in the first`;
    return {
      rows: others.map((each, i) =>
        each === reading.words[i] ? piece(each) : `${piece(reading.words[i])} → ${piece(each)}`,
      ),
      columns: values.length,
      numbers: numbers.map((x) => (Number.isNaN(x) ? 0 : x)),
      masked: (i, j) => Number.isNaN(numbers[i * values.length + j]),
      kind: "signed",
      most: 1,
      ends: scaled ? ["−1", "0: as after the second, 1: as after the first"] : ["−1 nat", "+1 nat"],
      axis: read ? "layers read" : "layer",
      beside: values[column].map((D) => (Number.isNaN(D) ? "" : number(scale(D)))),
      at: [row, column],
      value,
      missing: values.flat().filter(Number.isNaN).length,
      told: Number.isNaN(value)
        ? "This cell is still to come."
        : `${what}: logit(${piece(yes)}) − logit(${piece(no)}) goes from ${number(B)} to ` +
          `${number(values[column][row])}, ` +
          (scaled
            ? `${number(value)} of the way to ${number(A)}, that of the first sentence.`
            : `a change of ${number(value)}.`),
    };
  };
  return show(await provider.patch(text, other, state.what, { seen: (found) => seen(show(found)), signal }));
}

async function moved(provider, reading, state) {
  const { row, column } = cellOf(provider, reading, state);
  const table = await provider.moved(state.source.text);
  const value = table[column][row];
  const angle = (Math.acos(clamp(1 - value, -1, 1)) * 180) / Math.PI;
  return {
    rows: reading.words.map(piece),
    columns: provider.layers,
    numbers: turned(table),
    kind: "share",
    most: 1,
    ends: ["1 − cosine: 0", "1 or more"],
    axis: "layer",
    beside: table[column].map((x) => number(x)),
    at: [row, column],
    value,
    told:
      `Layer ${column} turns the row of ${quoted(reading.words[row])}, token ${row + 1}, by ` +
      `${number(angle, 0)}°: the cosine of the row before and the row after is ${number(1 - value)}.`,
  };
}

const VIEWS = { maps, lens, erased, patched, moved };

/** more: {seen(the same, as more comes), signal}. */
export const look = (provider, reading, state, more = { seen() {} }) =>
  VIEWS[state.view](provider, reading, state, more);
