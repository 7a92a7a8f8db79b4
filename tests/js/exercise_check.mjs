// The card's rules and texts without a browser, for tests/widgets/test_exercises.py and test_formula.py.

import { marks, rules as choices, shown } from "../../course_lib/widgets/exercise/check.js";
import { curve } from "../../course_lib/widgets/exercise/curve_check.js";
import * as reading from "../../course_lib/widgets/exercise/formula.js";
import { formula } from "../../course_lib/widgets/exercise/formula_check.js";
import { forms, rich } from "../../course_lib/widgets/exercise/forms.js";
import * as number from "../../course_lib/widgets/exercise/number.js";
import { number as numberRule } from "../../course_lib/widgets/exercise/number_check.js";
import { compared } from "../../course_lib/widgets/exercise/prediction_check.js";
import { rules as reasoning, shuffled } from "../../course_lib/widgets/exercise/reasoning_check.js";
import { readNumber } from "../../course_lib/widgets/exercise/typed_number.js";
import { rules as numbers } from "../../course_lib/widgets/exercise/value_check.js";
import { answers } from "./answers.mjs";

/** As much of a document as a form needs, and its markup as text. */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const html = (node) => (typeof node === "string" ? escaped(node) : node.html());
class Element {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, children: [] });
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  append(...children) {
    this.children.push(...children);
  }
  html() {
    return `<${this.tag}>${this.tag === "br" ? "" : `${this.children.map(html).join("")}</${this.tag}>`}`;
  }
  tree() {
    return [this.attributes.class ?? this.tag, ...this.children.map((child) => child.tree?.() ?? child)];
  }
}
globalThis.document = { createElement: (tag) => new Element(tag) };

const or = (action) => {
  try {
    return action();
  } catch (problem) {
    return { problem: problem.message };
  }
};
const read = (text, names) =>
  or(() => {
    const tree = reading.parse(text, names);
    return { tree, text: reading.write(tree) };
  });
const valueAt = (tree, point) => or(() => ({ value: reading.value(tree, point) }));
const kinds = { ...choices, ...numbers, formula, ...reasoning };
const check = (spec, given, tried = 0) => kinds[spec.kind](spec, given, tried);
const drawn = (text) => rich(text).map(html).join("");
const form = (spec) => forms[spec.kind](spec).el.tree();
const predicted = (spec, answer, evidence) =>
  ({ ...compared, number: numberRule, curve })[spec.kind](spec, answer, evidence);
await answers({
  ...number,
  ...reading,
  check,
  readNumber,
  predicted,
  marks,
  drawn,
  form,
  read,
  shown,
  shuffled,
  valueAt,
});
