// The field for a formula: typed text, shown as it is read while it is typed, and buttons for what a phone's keys hide.

import { LEVEL, Unread, listed, parse, parts, symbol, write } from "./formula.js";
import { field, put, rich } from "./forms.js";
import { h, setText } from "../drawing/ui.js";

const PAUSE = 700; // ms without a key before a screen reader is told how the formula is read
const SIGNS = { "+": "+", "−": "-", "·": "*", "/": "/", "^": "^", "(": "(", ")": ")" };
const CALLS = ["exp", "ln", "sqrt"];
const NAMESPACE = "http://www.w3.org/1998/Math/MathML";

/** m("mi", child, …): a MathML element; strings become text. */
function m(tag, ...children) {
  const node = document.createElementNS(NAMESPACE, tag);
  node.append(...children);
  return node;
}
const upright = (text) => {
  const node = m("mi", text);
  node.setAttribute("mathvariant", "normal");
  return node;
};
const inParentheses = (node) => m("mrow", m("mo", "("), node, m("mo", ")"));

/** A tree as MathML: what a fraction bar, a root or a raised place shows needs no parentheses. */
function drawn(tree, least = 0) {
  const [kind, first, second] = tree;
  let level = 5;
  let node;
  if (kind === "number") node = m("mn", second);
  else if (kind === "name") {
    const [head, tail] = parts(first);
    const letter = head.length > 1 || head === "π" || first === "e" ? upright(head) : m("mi", head);
    node = tail ? m("msub", letter, /^[0-9]+$/.test(tail) ? m("mn", tail) : m("mi", tail)) : letter;
  } else if (kind === "call" && first === "sqrt") node = m("msqrt", drawn(second));
  else if (kind === "call" && first === "abs") node = m("mrow", m("mo", "|"), drawn(second), m("mo", "|"));
  else if (kind === "call") {
    const name = first === "log2" ? m("msub", upright("log"), m("mn", "2")) : upright(first);
    node = m("mrow", name, inParentheses(drawn(second)));
  } else if (kind === "/") node = m("mfrac", drawn(first), drawn(second));
  else if (kind === "^") [level, node] = [4, m("msup", drawn(first, first[0] === "/" ? 6 : 5), drawn(second))];
  else if (tree.length === 2) [level, node] = [3, m("mrow", m("mo", "−"), drawn(first, 3))];
  else {
    level = LEVEL[kind];
    node = m(
      "mrow",
      drawn(first, level),
      m("mo", kind === "*" ? "·" : kind === "-" ? "−" : "+"),
      drawn(second, level + 1),
    );
  }
  if (kind === "/" && least > 5) level = 4;
  return level < least ? inParentheses(node) : node;
}

export function formulaForm(spec) {
  const id = `course-${Math.random().toString(36).slice(2)}`;
  const input = field({
    class: "course-field course-formula",
    size: null,
    autocorrect: "off",
    maxlength: 300,
    "aria-describedby": `${id}-read`,
  });
  const label = spec.left
    ? [h("span", { class: "course-hidden" }, "Your answer: "), ...rich(`${spec.left} =`)]
    : ["Your answer"];
  const read = h("div", { class: "course-read", "aria-hidden": "true" });
  const said = h("span", { class: "course-hidden", id: `${id}-read`, "aria-live": "polite" });
  let pause;

  function show() {
    clearTimeout(pause);
    const typed = input.value.trim();
    let words = `A formula in ${listed(spec.names)}`;
    let nodes = [words];
    if (typed) {
      try {
        const tree = parse(typed, spec.names);
        const math = m("math", drawn(tree));
        math.setAttribute("display", "inline");
        words = `Read as ${write(tree)}`;
        nodes = ["Read as ", math];
      } catch (problem) {
        if (!(problem instanceof Unread)) throw problem;
        words = problem.message.replaceAll("`", "");
        nodes = [words];
      }
    }
    read.replaceChildren(...nodes);
    pause = setTimeout(() => setText(said, words), PAUSE);
  }
  /**
   * Text at the caret, or round what is selected. The focus stays where it is: a phone's keyboard does not jump up and
   * down.
   */
  function insert(before, after = "") {
    const { selectionStart: start, selectionEnd: end, value } = input;
    input.setRangeText(before + value.slice(start, end) + after, start, end, "end");
    if (after) input.setSelectionRange(end + before.length, end + before.length);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const key = (shown, ...text) =>
    h(
      "button",
      {
        type: "button",
        class: "course-key",
        "aria-label": `Insert ${shown}`,
        onpointerdown: (event) => event.preventDefault(),
        onclick: () => insert(...text),
      },
      shown,
    );
  const keys = h(
    "div",
    { class: "course-keys", role: "group", "aria-label": "Insert into the formula" },
    ...spec.names.map((name) => key(symbol(name), symbol(name))),
    ...Object.entries(SIGNS).map(([shown, text]) => key(shown, text)),
    ...CALLS.map((name) => key(name, `${name}(`, ")")),
  );
  const how = h(
    "details",
    { class: "course-how" },
    h("summary", {}, "How to write a formula"),
    h(
      "p",
      {},
      "A product is 2*x or 2 x, a power x^2 or x², a fraction (x + 1)/(2*x). Functions take parentheses: exp(x), " +
        "ln(x) = log(x), log2(x), sqrt(x), sin(x), cos(x), tanh(x), abs(x), sigmoid(x). " +
        "e and pi are constants. −x^2 is −(x²), and 2^3^2 is 2^(3²). Any equivalent form is right. What could be " +
        "read in two ways, such as 1/2 x, is asked back and is no try.",
    ),
  );
  input.addEventListener("input", show);
  show();
  return {
    el: h(
      "div",
      { class: "course-formula-form" },
      h("label", { class: "course-number" }, h("span", {}, ...label), input),
      read,
      said,
      keys,
      how,
    ),
    inputs: [input],
    get: () => input.value,
    set: (given) => {
      put(input, given);
      show();
    },
  };
}
