// The next letter's distribution, from the logits to what is drawn from: each dial's effect in a column of its own. A
// cut letter keeps its grey bar, and a tick in the bars that have grown says where they were before the cuts.

import { h, number, setAttr, setText } from "../drawing/ui.js";

const FEW = 12;
const CUTS = { k: "cut by top-k", p: "cut by top-p" };
const share = (p) => (p >= 0.0005 ? number(p, 3) : p > 0 ? "< .001" : "0");

/** choose(token): the reader takes this letter. name(token) is what a row shows. */
export function bars({ choose }) {
  const columns = ["letter", "logit", "softmax", "tempered", "after the cuts"];
  const heads = columns.map((text, i) =>
    h(
      "th",
      { scope: "col", class: ["", "dec-wide dec-right", "dec-wide dec-right", "dec-wide dec-right", ""][i] },
      text,
    ),
  );
  const body = h("tbody", {});
  const caption = h(
    "caption",
    {},
    "The next letter: press one to take it yourself. A tick in a bar says how long it was before the cuts.",
  );
  const rest = h("p", { class: "course-soft" });
  const all = h("button", { type: "button", class: "course-button", "aria-expanded": "false" });
  const table = h("table", { class: "dec-bars" }, caption, h("thead", {}, h("tr", {}, ...heads)), body);
  const el = h("div", { class: "dec-next-letter" }, table, h("div", { class: "dec-line" }, rest, all));
  const lines = [];
  let whole = false;
  let latest = null;
  all.addEventListener("click", () => {
    whole = !whole;
    draw(latest);
  });

  const line = () => {
    const button = h("button", { type: "button", onclick: () => choose(entry.token) });
    const numbers = Array.from({ length: 3 }, () => h("td", { class: "dec-wide dec-right" }));
    const before = h("i", { class: "dec-before" });
    const after = h("i", { class: "dec-after" });
    const tick = h("i", { class: "dec-tick" });
    const value = h("span", { class: "dec-value" });
    const cell = h(
      "td",
      { class: "dec-cell" },
      h("div", {}, h("span", { class: "dec-bar", "aria-hidden": "true" }, before, after, tick), value),
    );
    const entry = {
      el: h("tr", {}, h("th", { scope: "row" }, button), ...numbers, cell),
      button,
      numbers,
      before,
      after,
      tick,
      value,
      token: null,
    };
    return entry;
  };
  /**
   * logits, plain (softmax), tempered, cut (null, "k" or "p"), probabilities: [v] each; order: tokens from the
   * likeliest; may(token): can it be taken?
   */
  function draw(state) {
    latest = state;
    const { logits, plain, tempered, cut, probabilities, order, name, spoken, may } = state;
    const shown = order.slice(0, whole ? order.length : FEW);
    const hidden = order.slice(shown.length);
    while (lines.length < shown.length) lines.push(line());
    if (body.children.length !== shown.length)
      body.replaceChildren(...lines.slice(0, shown.length).map((entry) => entry.el));
    shown.forEach((token, i) => {
      const entry = lines[i];
      entry.token = token;
      setText(entry.button, name(token));
      setAttr(entry.button, "aria-label", `take ${spoken(token)}`);
      entry.button.disabled = !may(token);
      [number(logits[token]), share(plain[token]), share(tempered[token])].forEach((text, k) =>
        setText(entry.numbers[k], text),
      );
      setAttr(entry.before, "style", `transform:scaleX(${tempered[token].toFixed(4)})`);
      setAttr(entry.after, "style", `transform:scaleX(${probabilities[token].toFixed(4)})`);
      entry.tick.hidden = !(probabilities[token] > tempered[token] + 0.004);
      setAttr(entry.tick, "style", `left:${(100 * tempered[token]).toFixed(2)}%`);
      setText(entry.value, cut[token] ? CUTS[cut[token]] : share(probabilities[token]));
      setAttr(entry.el, "class", cut[token] ? "dec-cut" : "");
      setAttr(entry.el, "data-token", token);
      setAttr(entry.el, "data-p", probabilities[token].toFixed(6));
    });
    const left = hidden.reduce((sum, token) => sum + probabilities[token], 0);
    setText(rest, whole ? "" : `The other ${hidden.length} together: ${share(left)}.`);
    setText(all, whole ? "Show the likeliest only" : `Show all ${order.length}`);
    setAttr(all, "aria-expanded", whole);
    all.hidden = order.length <= FEW;
  }
  return { el, draw };
}

/** The last draw: the kept letters side by side, as wide as they are likely, and where the random number fell. */
export function strip() {
  const pieces = h("div", { class: "dec-pieces" });
  const arrow = h("i", { class: "dec-arrow" });
  const words = h("p", { class: "course-soft" });
  const picture = h("div", { class: "dec-strip", "aria-hidden": "true" }, pieces, arrow);
  const el = h("div", { hidden: true }, picture, words);
  /** draw: {probabilities, order (as they lie on the strip), u, token}, or null. */
  function draw({ last, name, spoken }) {
    el.hidden = !last;
    if (!last || el.last === last) return;
    el.last = last;
    const kept = last.order.filter((token) => last.probabilities[token] > 0);
    pieces.replaceChildren(
      ...kept.map((token) =>
        h(
          "span",
          { class: token === last.token ? "dec-hit" : "", style: `flex:${last.probabilities[token].toFixed(6)} 1 0` },
          last.probabilities[token] > 0.03 ? name(token) : "",
        ),
      ),
    );
    setAttr(arrow, "style", `left:${(100 * last.u).toFixed(2)}%`);
    setText(
      words,
      `The random number ${number(last.u, 3)} falls into the piece of ${spoken(last.token)}, which is ` +
        `${number(last.probabilities[last.token], 3)} wide.`,
    );
  }
  return { el, draw };
}
