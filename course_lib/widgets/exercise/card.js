// An exercise as a card: question, answer, verdict, hints in order, solution. What differs by kind comes as
// `forms` (fields) and `rules` (verdicts).

import { rich } from "./forms.js";
import { h, setText } from "../drawing/ui.js";

/** What the reader did with one exercise, kept by the browser where it allows that: a file or a private window may not. */
function memory(id) {
  const key = `course.exercise.${id}`;
  return {
    read() {
      try {
        const kept = JSON.parse(localStorage.getItem(key));
        return kept && typeof kept === "object" ? kept : {};
      } catch {
        return {};
      }
    },
    write(kept) {
      try {
        if (kept) localStorage.setItem(key, JSON.stringify(kept));
        else localStorage.removeItem(key);
      } catch {
        /* then it lasts as long as the page */
      }
    },
  };
}

/** How a function exercise is done: with a kernel the learner's function is run, without one the cases are worked out. */
function task(spec, model, signal) {
  if (spec.kind !== "function") return [];
  const how = h("p", { class: "course-how" }, "Write it in a notebook, or work out by hand what it returns:");
  const hear = (message) => {
    if (message?.type === "kernel")
      how.replaceChildren(
        ...rich("Write it in the next cell and give it to this exercise's `.check(…)`; or work out by hand what it returns:"),
      );
  };
  model.on("msg:custom", hear);
  signal?.addEventListener("abort", () => model.off("msg:custom", hear));
  model.send({ type: "kernel" });
  return [h("pre", { class: "course-block", tabindex: 0, role: "group", "aria-label": "Starter code" }, spec.starter), how];
}

/** The widget's `render` for these kinds of exercise. */
export const card = (forms, rules) => ({ render: (host) => render(host, forms, rules) });

function render({ model, el, signal }, forms, rules) {
  const spec = model.get("spec");
  const check = rules[spec.kind];
  const kept = memory(spec.id);
  const form = forms[spec.kind](spec);
  const total = spec.hints.length;
  let state; // what is kept: {answer, hints, tried, solved, at, right}; the last two: when the last counted try was (ms), and whether it was right

  const badge = h("span", { class: "course-badge" });
  const result = h("div", { class: "course-result", role: "status", "aria-live": "polite" });
  const hints = h("ol", { class: "course-hints", "aria-live": "polite" });
  const solution = h(
    "div",
    { class: "course-solution", hidden: true },
    h("p", { class: "course-heading" }, "Solution"),
    spec.kind === "function"
      ? h("pre", { class: "course-block", tabindex: 0, role: "group", "aria-label": "Solution code" }, spec.solution)
      : h("p", {}, ...rich(spec.solution)),
  );
  const hint = h("button", { type: "button", onclick: showHint });
  const solve = h("button", { type: "button", onclick: showSolution });
  const again = h("button", { type: "button", class: "course-quiet", onclick: startAgain }, "Start again");

  // aria-disabled rather than disabled: a button that is done keeps the keyboard's place.
  const able = (button, yes) => button.setAttribute("aria-disabled", String(!yes));
  const usable = (button) => button.getAttribute("aria-disabled") !== "true";
  const open = () => state.tried > 0 || state.hints >= total;

  function refresh() {
    setText(badge, state.solved ? "✓ solved" : state.tried ? "tried" : "");
    badge.classList.toggle("course-solved", state.solved);
    setText(hint, state.hints < total ? `Hint ${state.hints + 1} of ${total}` : "No more hints");
    able(hint, state.hints < total);
    setText(solve, solution.hidden ? "Show solution" : "Hide solution");
    solve.setAttribute("aria-expanded", String(!solution.hidden));
    able(solve, open());
    solve.title = open() ? "" : "After a try, or after all hints";
    again.hidden = !(state.tried || state.hints);
  }
  /** The case that failed: calls and lists stand in columns, a formula's point is a sentence. */
  const failing = ({ detail }) =>
    detail ? [h(spec.kind === "function" ? "pre" : "p", { class: "course-failing" }, detail)] : [];
  function tell(verdict) {
    const sign = verdict.correct ? "✓" : verdict.counts ? "✗" : "…";
    const word = verdict.correct ? "Right. " : verdict.counts ? "Not yet. " : "";
    const message = word && verdict.message.startsWith(word.slice(0, -2)) ? "" : word; // "Right: 0.25" says it already
    result.className = `course-result ${verdict.correct ? "course-right" : verdict.counts ? "course-wrong" : "course-open"}`;
    result.replaceChildren(
      h("span", { class: "course-sign", "aria-hidden": "true" }, sign),
      h("div", {}, h("p", {}, h("strong", {}, message), ...rich(verdict.message)), ...failing(verdict)),
    );
    form.inputs.forEach((input, i) => {
      if (i === verdict.at) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    });
  }
  function quiet() {
    // a changed answer is no longer the one that was judged
    result.className = "course-result";
    result.replaceChildren();
    for (const input of form.inputs) input.removeAttribute("aria-invalid");
  }
  function submit(event) {
    event.preventDefault();
    const answer = form.get();
    const verdict = check(spec, answer, state.tried);
    tell(verdict);
    if (verdict.counts) {
      state = {
        ...state,
        answer,
        tried: state.tried + 1,
        solved: state.solved || verdict.correct,
        at: Date.now(),
        right: verdict.correct,
      };
      kept.write(state);
      box.dispatchEvent(new CustomEvent("course:tried", { bubbles: true, detail: { id: spec.id, correct: verdict.correct } }));
    } else form.inputs[verdict.at ?? 0].focus();
    refresh();
  }
  const addHint = (number) => hints.append(h("li", {}, ...rich(spec.hints[number])));
  function showHint() {
    if (!usable(hint)) return;
    addHint(state.hints);
    state = { ...state, hints: state.hints + 1 };
    kept.write(state);
    refresh();
  }
  function showSolution() {
    if (!usable(solve)) return;
    solution.hidden = !solution.hidden;
    refresh();
  }
  function begin(from) {
    const count = (x, most) => (Number.isInteger(x) ? Math.min(Math.max(x, 0), most) : 0);
    state = { answer: from.answer, hints: count(from.hints, total), tried: count(from.tried, 1e6), solved: from.solved === true };
    state.at = Number.isFinite(from.at) ? from.at : null; // a record from before these were kept has none
    state.right = typeof from.right === "boolean" ? from.right : null;
    form.set(state.answer);
    quiet();
    hints.replaceChildren();
    for (let i = 0; i < state.hints; i += 1) addHint(i);
    solution.hidden = true;
    if (state.tried) {
      const verdict = check(spec, form.get(), state.tried - 1);
      if (verdict.counts) tell(verdict);
    }
    refresh();
  }
  function startAgain() {
    kept.write(null);
    begin({});
    form.inputs[0].focus();
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
  const box = h(
    "div",
    { class: "course-exercise", role: "group", "aria-label": "Exercise" },
    h("div", { class: "course-top" }, h("span", { class: "course-heading" }, "Exercise"), badge),
    h("p", { class: "course-question" }, ...rich(spec.question)),
    ...task(spec, model, signal),
    h("form", { novalidate: true, onsubmit: submit }, form.el, buttons),
    result,
    hints,
    solution,
  );
  el.append(box);
  begin(kept.read());
}
