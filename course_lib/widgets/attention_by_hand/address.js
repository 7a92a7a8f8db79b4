// The settings, what they take, and how a link holds them.

import declared from "./settings.json" with { type: "json" };
import { fromDial, toDial } from "./maps.js";
import { short } from "../shell/address.js";
import { codecsOf, numbers, takesOf } from "../shell/settings.js";
import { clamp } from "../drawing/ui.js";

const FIXED = ["tokens", "controls", "predict", "goal"]; // the author's, for good
export const SETTINGS = Object.keys(declared).filter((name) => !FIXED.includes(name));
export const VIEWS = declared.view.takes;
export const TAKES = takesOf(declared);

const flat = (rows) =>
  rows
    .flat()
    .map((x) => short(x))
    .join(",");
const pairs = (list) => list && Array.from({ length: list.length / 2 }, (_, i) => list.slice(2 * i, 2 * i + 2));
const turns = numbers([-360, 360], [2]);
const entries = numbers(TAKES.W_Q, [4]);
const map = {
  // a pure turn is written "angle,stretch", anything else with its four entries
  write(W) {
    const { angle, stretch, pure } = toDial(W);
    return pure ? `${short(angle ?? 0, 1)},${short(stretch)}` : flat(W);
  },
  read(text) {
    const turn = turns.read(text);
    return turn && Math.abs(turn[1]) <= TAKES.W_Q[1] ? fromDial(...turn) : pairs(entries.read(text));
  },
};

/** The codecs of a widget with n tokens. */
export function codecs(n) {
  const points = numbers(TAKES.vectors, [2 * n]);
  const vectors = { write: flat, read: (text) => pairs(points.read(text)) };
  const row = { ...declared.row, kind: "whole", takes: [0, n - 1] };
  const all = codecsOf({ ...declared, row }, { vectors, W_Q: map, W_K: map, W_V: map });
  const read = (text) => (Number(text) > 0 ? clamp(Number(text), ...TAKES.temperature) : null);
  return { ...all, temperature: { ...all.temperature, read } };
}
