// What a step does, as its equation with numbers in it.

import { number } from "../drawing/ui.js";

const inside = (x) => (number(x).startsWith("−") ? `(${number(x)})` : number(x));
const count = (text, letter) => text.split(letter).length - 1;

const EQUATIONS = {
  rnn: ({ s, before }, { weight }, reads) =>
    `s = tanh(${number(reads)} + ${number(weight)} · ${inside(before.s)}) = ${number(s)}: what the letter brings, ` +
    `and the old state times W_s.`,
  gru: ({ update, proposal, s, before }) =>
    `The update gate keeps ${number(update)} of the old state and takes ${number(1 - update)} of the proposal: s = ` +
    `${number(1 - update)} · ${inside(proposal)} + ${number(update)} · ${inside(before.s)} = ${number(s)}.`,
  lstm: ({ forget, input, proposal, c, output, s, before }) =>
    `The forget gate keeps ${number(forget)} of the memory, the input gate writes ${number(input)} of the proposal: ` +
    `c = ${number(forget)} · ${inside(before.c)} + ${number(input)} · ${inside(proposal)} = ${number(c)}. The ` +
    `output gate shows s = ${number(output)} · tanh(${number(c)}) = ${number(s)}.`,
};

function verdict({ kind, task }, read, step) {
  if (task === "keep") {
    const last = [...read].reverse().find((letter) => letter !== "-");
    return last ? ` The last letter but - was ${last}.` : " Nothing has been written yet.";
  }
  const a = count(read, "a");
  const b = count(read, "b");
  const shown = kind === "lstm" ? `The memory says ${number(step.c)}` : `The state says ${number(step.s)}`;
  return ` So far a came ${a} and b ${b} times, the difference is ${number(a - b, 0)}. ${shown}.`;
}

/**
 * state: settings, steps, at (the letter told, from 1; 0 where nothing was read) and reads: x W_x + b of that letter.
 */
export function words(state) {
  const { kind, text, steps, at, reads } = state;
  if (!at) return "Nothing has been read: state and memory are 0. Feed the cell a letter.";
  const step = steps[at - 1];
  const letter = step.letter === "-" ? "-, a letter that says nothing" : step.letter;
  return `Letter ${at} is ${letter}. ${EQUATIONS[kind](step, state, reads)}${verdict(state, text.slice(0, at), step)}`;
}
