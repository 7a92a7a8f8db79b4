// What a prediction is compared with: read from the evidence, as its cells have put it out. No DOM here, so that Node can test it.
//
// Evidence: {text, lines: [{name, x, y}]}, the printed text of the cells and the lines of their figures.

import { hash } from "./check.js";
import { figure, plainNumber } from "./number.js";

const NONE = { truth: null, right: null, message: "" };
const WIDTHS = {
  f8: Float64Array,
  f4: Float32Array,
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
};

/** A figure's numbers, stored as a list or as plotly's base64. */
export function numbers(stored) {
  if (Array.isArray(stored)) return stored.map(Number);
  const Kind = WIDTHS[stored?.dtype];
  if (!Kind) return [];
  const bytes = Uint8Array.from(atob(stored.bdata), (letter) => letter.charCodeAt(0));
  return [...new Kind(bytes.buffer)].map(Number);
}

/** The text that the pattern's group finds; null where it finds none. A printed minus may be a true one. */
const found = (pattern, { text }) => new RegExp(pattern, "m").exec(text)?.[1] ?? null;
const numberIn = (pattern, evidence) => {
  const typed = found(pattern, evidence);
  const read = typed === null ? {} : plainNumber(typed);
  return Number.isFinite(read.value) ? read.value : null;
};

/** The heights of a line at these places, straight between its own. */
function heights({ x, y }, places) {
  return places.map((place) => {
    const next = x.findIndex((each) => each >= place - 1e-9);
    if (next < 0) return null;
    if (next === 0 || Math.abs(x[next] - place) < 1e-9) return Math.abs(x[next] - place) < 1e-9 ? y[next] : null;
    return y[next - 1] + ((y[next] - y[next - 1]) * (place - x[next - 1])) / (x[next] - x[next - 1]);
  });
}

function choose({ read, options }, answer, evidence) {
  const text = found(read, evidence);
  if (text === null) return NONE;
  const x = plainNumber(text).value;
  const holds = ({ when }) => (typeof when === "string" ? when === text : when[0] <= x && x <= when[1]);
  const truth = options.find(holds);
  const mine = options.find((option) => option.text === answer);
  if (!truth) return NONE;
  const right = truth === mine;
  const why = ({ text, reason }) => `\n*${text}*: ${reason}`;
  return { truth: truth.text, right, message: right ? truth.reason : [mine, truth].filter(Boolean).map(why).join("") };
}

function number({ read, within, mistakes, unit }, answer, evidence) {
  const truth = numberIn(read, evidence);
  if (truth === null) return NONE;
  const shown = `${figure(truth)}${unit ? ` ${unit}` : ""}`;
  const mine = plainNumber(answer, unit).value;
  const near = (x, y, share) => Math.abs(x - y) <= Math.max(within, share * Math.abs(y)) * (1 + 1e-9);
  const right = near(mine, truth, 0);
  const reason = right ? "" : (mistakes.find(([value]) => near(mine, value, 0.1))?.[1] ?? "");
  return { truth: shown, right, message: reason };
}

/** `answer`: the texts, in the reader's order. */
function order({ things, reason }, answer, evidence) {
  const values = things.map(([text, pattern]) => [text, numberIn(pattern, evidence)]);
  if (values.some(([, value]) => value === null)) return NONE;
  const truth = values.sort(([, a], [, b]) => b - a).map(([text]) => text);
  return { truth: truth.join(" > "), right: truth.join() === answer?.join(), message: reason };
}

/** `answer`: a height at each place. */
function curve({ x, within, read, reason }, answer, { lines }) {
  const line = lines.find(({ name }) => name === read);
  const truth = line && heights({ x: numbers(line.x), y: numbers(line.y) }, x);
  if (!truth || truth.includes(null)) return NONE;
  const off = truth.map((height, i) => Math.abs(height - answer[i]));
  const mean = off.reduce((sum, each) => sum + each) / off.length;
  const worst = off.indexOf(Math.max(...off));
  const where = `You are off by ${figure(Number(mean.toPrecision(2)))} on average, most at ${figure(x[worst])}`;
  return { truth, right: mean <= within, message: `${where}. ${reason}` };
}

/** A rule a kind: {truth, right, message}; all null and empty where there is no evidence to read, as in a notebook not run yet. */
export const compared = { choose, number, order, curve };

// ------------------------------------------------------------------------------------------------ a code for a class
const TENTHS = "0123456789abcdefghijklmnopqrstuvwxyz"; // 36 heights of a curve

/** Four letters that stand for an id. */
export const short = (id) => hash(id).toString(36).padStart(4, "0").slice(-4);

/** What was committed, in letters that a class can call out or paste: short(id)-answer-sure. The teacher's page reads it (course_book/classroom). */
export function code({ id, kind, options, things, low, high }, { answer, sure }) {
  const texts = { choose: options?.map(({ text }) => text), order: things?.map(([text]) => text) }[kind];
  const place = (text) => TENTHS[texts.indexOf(text)];
  const height = (y) => TENTHS[Math.round((35 * (y - low)) / (high - low))];
  const said = {
    choose: () => place(answer),
    number: () => String(plainNumber(answer).value),
    order: () => answer.map(place).join(""),
    curve: () => answer.map(height).join(""),
  }[kind]();
  return [short(id), said.replaceAll("-", "m"), ...(sure ? [sure] : [])].join("-");
}
