// The four views: what each asks a provider, as a map with a row for each token or part and a column for each layer,
// and in a sentence. look(provider, state) gives {rows, columns, numbers, kind, most, ends, beside, at: [row, column],
// value, told}; `ends`: of the colour scale;
// `beside`: a word for each row.

import { number, clamp } from "../drawing/ui.js";

const STRONG = { written: 2, erased: 2 }; // nats that get the full colour

export const piece = (text) => (text.trim() === "" ? "␣" : text.trim());
const quoted = (text) => `“${piece(text)}”`;
const share = (p) => (p > 0 && p < 0.0005 ? "below 0.001" : number(p, p < 0.0995 && p > 0 ? 3 : 2));
const layersRead = (k) => (k === 0 ? "before the first layer" : `after ${k} layer${k === 1 ? "" : "s"}`);
const range = (n) => Array.from({ length: n }, (_, i) => i);
const rowsOf = ({ heads }) => [...range(heads).map((k) => `head ${k}`), "all heads", "feed-forward"];

/** The sentence with the word that differs, as the dials call it. */
export const called = ({ tokens, at }, side) => piece(tokens[side][at]);

/** The cell that is meant: settings may name one that this pair or view has not. */
export function cellOf({ tokens, layers, heads }, { view, token, part, layer }) {
  const parts = view === "written" || view === "erased";
  return [
    parts ? clamp(part, 0, heads + 1) : clamp(token, 0, tokens.A.length - 1),
    clamp(layer, 0, layers - (parts ? 1 : 0)),
  ];
}

const partOf = ({ heads }, row, layer) =>
  row === heads
    ? `all heads of layer ${layer}`
    : row > heads
      ? `the feed-forward layer ${layer}`
      : `head ${row} of layer ${layer}`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const score = ({ words }) => `logit(${piece(words.A)}) − logit(${piece(words.B)})`;

/** all[column][row] as the map has it, row by row. */
const turned = (all) => all[0].flatMap((_, row) => all.map((column) => column[row]));

async function lens(provider, state) {
  const { tokens, layers } = provider;
  const [row, column] = cellOf(provider, state);
  const read = await Promise.all(range(layers + 1).map((layer) => provider.lens(state.side, layer)));
  const { top, next } = read[column][row];
  const pieces = tokens[state.side];
  const following =
    row + 1 < pieces.length
      ? `The word that follows, ${quoted(pieces[row + 1])},`
      : `The word that fits, ${quoted(provider.own[state.side])},`;
  return {
    rows: pieces.map(piece),
    columns: layers + 1,
    numbers: turned(read.map((each) => each.map((token) => token.next))),
    kind: "share",
    most: 1,
    ends: ["share of the true next word: 0", "1"],
    beside: read[column].map((token) => piece(token.top[0][0])),
    value: next,
    told:
      `Read ${layersRead(column)}, the row of ${quoted(pieces[row])} says ` +
      `${top.map(([word, p]) => `${quoted(word)} ${share(p)}`).join(", ")}. ` +
      `${following} has ${share(next)}.`,
  };
}

async function written(provider, state) {
  const { layers, heads, plain, words } = provider;
  const [row, column] = cellOf(provider, state);
  const { start, parts } = await provider.contributions(state.side);
  const value = parts[column][row];
  const total = parts.reduce((sum, each) => sum + each[heads] + each[heads + 1], start);
  const speaks = Math.abs(value) < 0.05 ? "next to nothing" : `for ${quoted(words[value > 0 ? "A" : "B"])}`;
  return {
    rows: rowsOf(provider),
    columns: layers,
    numbers: turned(parts),
    kind: "signed",
    most: STRONG.written,
    ends: [`for ${piece(words.B)}: 2 or more`, `for ${piece(words.A)}: 2 or more`],
    beside: parts[column].map((x) => number(x)),
    value,
    told:
      `In the sentence with ${called(provider, state.side)}, ${partOf(provider, row, column)} writes ` +
      `${number(value)} to ${score(provider)}: ${speaks}. ` +
      `The first row had ${number(start)}; with all ${layers * (heads + 1)} parts the sum is ${number(total)}, and ` +
      `the difference itself is ${number(plain[state.side].D)}.`,
  };
}

async function erased(provider, state) {
  const { layers, heads, plain, own } = provider;
  const [row, column] = cellOf(provider, state);
  const { side, fill } = state;
  const left = await Promise.all(
    range(layers).map((layer) => Promise.all(range(heads + 2).map((part) => provider.erase(side, fill, layer, part)))),
  );
  const wrote = (await provider.contributions(side)).parts[column][row];
  const { log, D } = left[column][row];
  const value = log - plain[side].log;
  const harm = left.flatMap((each) => each.slice(0, heads)).filter((each) => each.log < log).length;
  const rank =
    row < heads
      ? harm
        ? ` ${harm} of the ${layers * heads} heads cost${harm === 1 ? "s" : ""} more.`
        : ` No other of the ${layers * heads} heads costs more.`
      : "";
  return {
    rows: rowsOf(provider),
    columns: layers,
    numbers: turned(left.map((each) => each.map((one) => one.log - plain[side].log))),
    kind: "signed",
    most: STRONG.erased,
    ends: [`log p of ${piece(own[side])}: −2 or less`, "+2 or more"],
    beside: left[column].map((one) => number(one.log - plain[side].log)),
    value,
    told:
      `With ${fill === "zero" ? "nothing" : "the mean over other texts"} in place of ` +
      `${partOf(provider, row, column)}, at the last token, ${quoted(own[side])} ` +
      `goes from ${share(Math.exp(plain[side].log))} to ${share(Math.exp(log))}, and ${score(provider)} changes by ` +
      `${number(D - plain[side].D)}. ` +
      `Directly it had written ${number(wrote)}.${rank}`,
  };
}

async function patched(provider, state) {
  const { layers, tokens, plain, kind } = provider;
  const [row, column] = cellOf(provider, state);
  const { A, B } = { A: plain.A.D, B: plain.B.D };
  const scaled = kind !== "null"; // where A and B hardly differ there is no way to measure on: then the change in nats
  const scale = (D) => (scaled ? (D - B) / (A - B) : D - B);
  const cells = (source) =>
    Promise.all(
      range(layers + 1).map((layer) => Promise.all(tokens.A.map((_, token) => provider.patch(source, layer, token)))),
    );
  const D = await cells(state.source);
  const other = state.source === "A" ? "C" : "A";
  const control = await provider.patch(other, column, row);
  const value = scale(D[column][row]);
  return {
    rows: tokens.B.map((each, i) =>
      i === provider.at ? `${piece(tokens[state.source][i])} → ${piece(each)}` : piece(each),
    ),
    columns: layers + 1,
    numbers: turned(D.map((each) => each.map(scale))),
    kind: "signed",
    most: 1,
    ends: scaled
      ? ["−1", `0: as after ${called(provider, "B")}, 1: as after ${called(provider, "A")}`]
      : ["−1 nat", "+1 nat"],
    beside: D[column].map((each) => number(scale(each))),
    value,
    told:
      `${layersRead(column)}, the row of ${quoted(tokens.B[row])} in the sentence with ${called(provider, "B")} ` +
      `gives way to that of ` +
      `${quoted(tokens[state.source][row])} in the sentence with ${called(provider, state.source)}: ` +
      `${score(provider)} goes from ${number(B)} to ` +
      `${number(D[column][row])}, ` +
      (scaled
        ? `${number(value)} of the way to ${number(A)}, that of the sentence with ${called(provider, "A")}. `
        : `a change of ${number(value)}. `) +
      `The same row from ${called(provider, other)}: ${number(scale(control))}${scaled ? " of the way" : ""}.`,
  };
}

const VIEWS = { lens, written, erased, patched };

export async function look(provider, state) {
  const seen = await VIEWS[state.view](provider, state);
  return { ...seen, told: capital(seen.told), at: cellOf(provider, state) };
}
