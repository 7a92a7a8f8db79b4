// What the reader does to the tokens: choose one, move, weigh, add, remove, split.

import { clamp } from "../drawing/ui.js";
import { TOKENS } from "./address.js";

/** A free place for a new token: the one of a few that is farthest from the others. */
function free(tokens) {
  const spots = Array.from({ length: 49 }, (_, i) => [((i % 7) - 3) * 0.6, (Math.floor(i / 7) - 3) * 0.6]);
  const room = ([x, y]) => Math.min(...tokens.map(([u, v]) => Math.hypot(x - u, y - v)));
  return spots
    .reduce((best, spot) => (room(spot) > room(best) + 1e-9 ? spot : best))
    .map((value) => Number(value.toFixed(2)));
}

/**
 * get(), change(part): the settings; focus(k): the keyboard goes to a token's handle; shown(): the grid where it is
 * now, or null.
 */
export function tokenActs({ get, change, redraw, focus, shown }) {
  let pick = 0;
  let said = null; // what the last split asks to be told: {token, weight, before}
  const chosen = () => clamp(pick, 0, get().tokens.length - 1);
  function choose(k) {
    pick = k;
    redraw();
  }
  const swapped = (k, token) => change({ tokens: get().tokens.map((old, i) => (i === k ? token : old)) });
  return {
    chosen,
    choose,
    move(k, [x, y]) {
      swapped(k, [x, y, get().tokens[k][2]]);
    },
    weigh(k, weight) {
      const [x, y] = get().tokens[k];
      swapped(k, [x, y, weight]);
    },
    add(at) {
      const { tokens } = get();
      if (tokens.length >= TOKENS) return;
      change({ tokens: [...tokens, [...(at ?? free(tokens)), 1]] });
      focus(tokens.length);
    },
    remove(k, refocus) {
      const { tokens } = get();
      if (tokens.length === 1) return;
      pick = Math.min(k, tokens.length - 2);
      change({ tokens: tokens.filter((_, i) => i !== k) });
      if (refocus) focus(pick); // at once: another key may come before the next frame
    },
    split() {
      const k = chosen();
      const { tokens, layers } = get();
      const [x, y, weight] = tokens[k];
      const before = shown();
      const half = [x, y, weight / 2];
      change({ tokens: [...tokens.slice(0, k), half, half, ...tokens.slice(k + 1)] });
      said = before && layers ? { token: k, weight: weight / 2, before } : null;
    },
    go(by) {
      const many = get().tokens.length;
      choose((chosen() + by + many) % many);
    },
    said: () => said,
    /** Any other change: nothing is left to say of a split. */
    hush() {
      said = null;
    },
  };
}
