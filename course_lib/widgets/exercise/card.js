// An exercise as a card: question, answer, verdict, hints in order, solution. What differs by kind comes as
// `forms` (fields) and `rules` (verdicts).

import { rich } from "./forms.js";
import "./memory.js";
import { unkept } from "./unkept.js";
import { rootOf } from "../shell/root.js";
import { h, setAttr, setText } from "../drawing/ui.js";

const memory = globalThis.__courseMemory;
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * How a function exercise is done: with a kernel the learner's function is run, without one the cases are worked out.
 */
function task(spec, model, signal) {
  if (spec.kind !== "function") return [];
  const how = h("p", { class: "course-how" }, "Write it in a notebook, or work out by hand what it returns:");
  const hear = (message) => {
    if (message?.type === "kernel")
      how.replaceChildren(
        ...rich(
          `Write it in a new cell, with \`from course_lib.widgets import check\` and \`${message.call}\`; or work ` +
            `out by hand what it returns:`,
        ),
      );
  };
  model.on("msg:custom", hear);
  signal?.addEventListener("abort", () => model.off("msg:custom", hear));
  model.send({ type: "kernel" });
  return [block("Starter code", spec.starter), how];
}
/** Code that scrolls sideways by the keyboard too. */
const block = (name, text) => h("pre", { class: "course-block", tabindex: 0, role: "group", "aria-label": name }, text);

/** The widget's `render` for these kinds of exercise. */
export const card = (forms, rules) => ({ render: (host) => render(host, forms, rules) });

function render({ model, el, signal }, forms, rules) {
  const spec = model.get("spec");
  const check = rules[spec.kind];
  // passing: asked again, it starts blank each time
  const key = `${spec.passing ? "page" : "course"}.exercise.${spec.id}`;
  const form = forms[spec.kind](spec);
  const total = spec.hints.length;
  // what is kept: {answer, hints, tried, solved, at, right}; the last two: when the last counted try was (ms), and
  // whether it was right
  let state;
  let shown; // the answer that the card showed or judged last: another one is being typed

  const badge = h("span", { class: "course-badge" });
  const result = h("div", { class: "course-result", role: "status", "aria-live": "polite" });
  const hints = h("ol", { class: "course-hints", "aria-live": "polite" });
  const solution = h(
    "div",
    { class: "course-solution", hidden: true },
    h("p", { class: "course-heading" }, "Solution"),
    spec.kind === "function" ? block("Solution code", spec.solution) : h("p", {}, ...rich(spec.solution)),
  );
  const once = (act) => (event) => event.detail > 1 || act(); // the second of a double click would read a hint too many
  const button = (act, more = {}, ...text) => h("button", { type: "button", onclick: once(act), ...more }, ...text);
  const hint = button(showHint);
  const solve = button(showSolution);
  const lost = unkept();
  const again = button(startAgain, { class: "course-quiet" }, "Start again");

  // aria-disabled rather than disabled: a button that is done keeps the keyboard's place.
  const able = (button, yes) => setAttr(button, "aria-disabled", !yes);
  const usable = (button) => button.getAttribute("aria-disabled") !== "true";
  const open = () => state.tried > 0 || state.hints >= total;

  function refresh() {
    setText(badge, state.solved ? "✓ solved" : state.tried ? "tried" : "");
    badge.classList.toggle("course-solved", state.solved);
    setText(hint, state.hints < total ? `Hint ${state.hints + 1} of ${total}` : "No more hints");
    able(hint, state.hints < total);
    setText(solve, solution.hidden ? "Show solution" : "Hide solution");
    setAttr(solve, "aria-expanded", !solution.hidden);
    able(solve, open());
    solve.title = open() ? "" : "After a try, or after all hints";
    again.hidden = !(state.tried || state.hints);
  }
  /** The case that failed: calls and lists stand in columns, a formula's point is a sentence. */
  const failing = ({ detail }) =>
    detail ? [h(spec.kind === "function" ? "pre" : "p", { class: "course-failing" }, detail)] : [];
  function tell(verdict) {
    const sign = verdict.correct ? "✓" : verdict.counts ? "✗" : "…";
    // With these words the message itself says it.
    const said = verdict.correct ? /^(?:Right|Yes)\b/ : /^(?:`[^`]*`: )?not yet\b/i;
    const word = verdict.counts && !said.test(verdict.message) ? (verdict.correct ? "Right. " : "Not yet. ") : "";
    const kind = verdict.correct ? "right" : verdict.counts ? "wrong" : "open";
    result.className = `course-result course-${kind}`;
    result.replaceChildren(
      h("span", { class: "course-sign", "aria-hidden": "true" }, sign),
      h("div", {}, h("p", {}, h("strong", {}, word), ...rich(verdict.message)), ...failing(verdict)),
    );
    mark(verdict.at);
    form.compare?.(verdict.correct || !solution.hidden);
  }
  /** The field to look at, if any. */
  function mark(at) {
    form.inputs.forEach((input, i) => {
      if (i === at) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    });
  }
  function quiet() {
    // a changed answer is no longer the one that was judged
    result.className = "course-result";
    result.replaceChildren();
    mark(null);
    form.compare?.(!solution.hidden);
  }
  /** What may stand under the card's name, made sure of; an older record has no `at` and no `right`. */
  function recorded(from) {
    const count = (x, most) => (Number.isInteger(x) ? Math.min(Math.max(x, 0), most) : 0);
    const { answer, hints, tried, solved, at, right } = from ?? {};
    return {
      answer,
      hints: count(hints, total),
      tried: count(tried, 1e6),
      solved: solved === true,
      at: Number.isFinite(at) ? at : null,
      right: typeof right === "boolean" ? right : null,
    };
  }
  function keep(change) {
    const { record, kept } = memory.update(key, (old) => change(recorded(old)));
    state = recorded(record);
    lost.show(kept);
  }
  /** What another tab has done, or the page's "Erase", shows here too; what is being typed stays. */
  function hear() {
    const now = recorded(memory.read(key));
    if (!same(now, state)) begin(now, same(form.get(), shown));
  }
  function submit(event) {
    event.preventDefault();
    hear();
    const answer = form.get();
    const twice = state.tried > 0 && same(answer, state.answer); // a double click: one text is one try
    const verdict = check(spec, answer, state.tried - (twice ? 1 : 0));
    tell(verdict);
    shown = answer;
    if (verdict.counts && !twice) {
      const { correct: right } = verdict;
      const at = Date.now();
      keep((old) => ({ ...old, answer, tried: old.tried + 1, solved: old.solved || right, at, right }));
      box.dispatchEvent(
        new CustomEvent("course:tried", { bubbles: true, detail: { id: spec.id, correct: verdict.correct } }),
      );
    } else if (!verdict.counts) form.inputs[verdict.at ?? 0].focus();
    refresh();
  }
  const addHint = (number) => hints.append(h("li", {}, ...rich(spec.hints[number])));
  function showHint() {
    hear();
    if (!usable(hint)) return;
    addHint(state.hints);
    keep((old) => ({ ...old, hints: old.hints + 1 }));
    refresh();
  }
  function showSolution() {
    if (!usable(solve)) return;
    solution.hidden = !solution.hidden;
    form.compare?.(!solution.hidden);
    refresh();
  }
  /** `whole`: the answer too, with its verdict. */
  function begin(from, whole) {
    state = from;
    hints.replaceChildren();
    for (let i = 0; i < state.hints; i += 1) addHint(i);
    if (!open()) solution.hidden = true;
    if (whole) {
      form.set(state.answer);
      shown = form.get();
      quiet();
      const verdict = state.tried ? check(spec, shown, state.tried - 1) : null;
      if (verdict?.counts) tell(verdict);
    }
    refresh();
  }
  function startAgain() {
    memory.update(key, () => null);
    lost.show(true);
    begin(recorded(null), true);
    form.inputs.find((input) => !input.disabled).focus();
  }

  form.el.addEventListener("input", quiet);
  const buttons = h(
    "div",
    { class: "course-buttons" },
    h("button", { type: "submit", class: "course-main" }, "Check"),
    hint,
    solve,
    again,
  );
  // a card has the page's own font and colours
  const box = rootOf(el, "course-exercise", "Exercise", { class: "course-exercise" });
  box.append(
    h("div", { class: "course-top" }, h("span", { class: "course-heading" }, "Exercise"), badge),
    h("p", { class: "course-question" }, ...rich(spec.question)),
    ...task(spec, model, signal),
    h("form", { novalidate: true, onsubmit: submit }, form.el, buttons),
    result,
    lost.el,
    hints,
    solution,
  );
  begin(recorded(memory.read(key)), true);
  signal?.addEventListener("abort", memory.watch(hear, key));
}
