// A task that the picture checks: move token j until token i looks at it more than at itself.

import { task } from "../shell/layout.js";
import { h, number, setText } from "../drawing/ui.js";

/** pair: [i, j], or null for no task. Gives {el, draw(state) → the words once it is done, edge(state)}, or null. */
export function goal(pair, n) {
  const sound =
    Array.isArray(pair) && pair.length === 2 && pair.every((row) => Number.isInteger(row) && row >= 0 && row < n);
  if (!sound || pair[0] === pair[1]) return null;
  const [i, j] = pair;
  const [mover, looker, now] = [h("em", {}), h("em", {}), h("span", { class: "abh-now" })];
  const keys = h("span", { class: "abh-keys" }, " (or Tab, arrows)");
  const ask = h("span", {}, "drag ", mover, keys, " until ", looker, " looks at it more than at itself. ");
  const el = task(ask, now); // once it is reached, another line of the same height
  let reached = false;

  function draw({ tokens, weights }) {
    const [other, self] = [weights[i][j], weights[i][i]];
    const done = other > self;
    reached = reached || done;
    ask.hidden = reached;
    setText(mover, tokens[j]);
    setText(looker, tokens[i]);
    const both = `${number(other)} at ${tokens[j]}, ${number(self)} at itself`;
    const line = reached ? " The dashed line is where the two are equal." : "";
    setText(now, done ? `✓ Done: ${both}.${line}` : `Now: ${both}.${line}`);
    el.classList.toggle("course-done", done);
    return done ? `Done: ${tokens[i]} looks at ${tokens[j]} more than at itself.` : "";
  }

  /**
   * Where a token scores with i as i does with itself: the points x with x · (W_K q) = q · k, once the task has been
   * done.
   */
  function edge({ q, k, W_K }) {
    const normal = W_K.map(([a, b]) => a * q[i][0] + b * q[i][1]);
    return reached && Math.hypot(...normal) > 1e-6 ? [...normal, q[i][0] * k[i][0] + q[i][1] * k[i][1]] : null;
  }
  return { el, draw, edge };
}
