// What is to be seen, in sentences: shown and spoken.

import { number } from "../drawing/ui.js";
import { sizes } from "./flow.js";

const MOST = 5; // sizes of groups that are named

const joined = (parts) => (parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`);

/** now: the layer that is shown, of flow.js. */
export function told({ layers, n }, now) {
  const each = sizes(now.group);
  const when = layers === 0 ? "At the start" : `After ${layers} ${layers === 1 ? "layer" : "layers"}`;
  const named = each.slice(0, MOST).map(String);
  const rest = each.length > MOST ? `, the largest of ${joined(named)}` : ` of ${joined(named)}`;
  const where =
    each.length === 1
      ? `all ${n} tokens are one group`
      : each.length === n
        ? `the ${n} tokens stand each alone`
        : `the ${n} tokens form ${each.length} groups${rest}`;
  const equal = now.equal === null ? "" : ` Equal angles, from the same mean on, would be at ${number(now.equal)}.`;
  return `${when} ${where}. The mean cosine of two tokens is ${number(now.cosine)}.${layers === 0 ? "" : equal}`;
}

const GROUP = "A group is a chain of tokens, each within an angle of 0.1, about 6°, of the next.";

const shape = (d) =>
  d === 2
    ? "Each token is a dot on the circle. The line to it from inside is the way it has come: the inner end is its " +
      "place at the start, and outwards is later. A number outside the circle counts the tokens of a group there."
    : d === 3
      ? "Each token is a dot on a sphere, pale where it is behind; its tail is the way of the last layers."
      : "Each row and each column is a token, ordered by groups, the largest first. A cell is the cosine of two " +
        "tokens: full blue 1, blank 0, orange below 0.";

export const pictured = ({ d }) => `${shape(d)} ${GROUP}`;
