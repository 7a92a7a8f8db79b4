// A prediction as a card: the reader commits, then sees. In the page what follows is covered until then
// (course_book/evidence).

import { h, setText } from "../drawing/ui.js";
import { rootOf } from "../shell/root.js";
import { shown } from "./check.js";
import { forms, rich } from "./forms.js";
import "./memory.js";
import { orderForm } from "./order_form.js";
import { compared } from "./prediction_check.js";
import { unkept } from "./unkept.js";

const SURE = [50, 60, 70, 80, 90, 99]; // per cent
const memory = globalThis.__courseMemory;
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Forms as those in forms.js; `problem` says in words why an answer cannot be committed. */
export const FORMS = {
  choose: (spec) => ({
    ...forms.choice(spec),
    problem: (answer) => (answer ? "" : "Choose one first: a guess is a prediction too."),
  }),
  order: (spec) =>
    orderForm(shown({ id: spec.id, options: spec.things.map(([text]) => ({ text })) }).map(({ text }) => text)),
};

// ------------------------------------------------------------------------------------------------ the evidence below
/** The parts of the page that this card covers: those after it, up to the next prediction. */
function covered(root) {
  const all = [...document.querySelectorAll(".tag_predict, .course-evidence")];
  const mine = all.findIndex((each) => each.contains(root));
  if (mine < 0) return [];
  const rest = all.slice(mine + 1);
  const next = rest.findIndex((each) => each.matches(".tag_predict"));
  return next < 0 ? rest : rest.slice(0, next);
}
function evidence(parts) {
  const text = parts.map((part) =>
    [...part.querySelectorAll(".cell_output pre, .cell_output table")].map((each) => each.textContent).join("\n"),
  );
  const figures = parts.flatMap((part) => [...part.querySelectorAll(".course-plotly script")]);
  return { text: text.join("\n"), lines: figures.flatMap((each) => JSON.parse(each.textContent).data) };
}

/** The widget's `render` for predictions that are made in these forms and judged by these rules. */
export const prediction = (forms, rules) => ({ render: (host) => render(host, forms, rules) });

function render({ model, el, signal }, forms, rules) {
  const spec = model.get("spec");
  const key = `course.prediction.${spec.id}`;
  const form = forms[spec.kind](spec);
  const badge = h("span", { class: "course-badge" });
  const result = h("div", { class: "course-result", role: "status", tabindex: -1 });
  const sure = h(
    "select",
    { class: "course-field" },
    h("option", { value: "" }, "not said"),
    ...SURE.map((percent) => h("option", { value: percent }, `${percent} %`)),
  );
  const commit = h("button", { type: "submit", class: "course-main" }, "That is my prediction");
  const show = h("button", { type: "button", onclick: look }, "Show me");
  const again = h("button", { type: "button", class: "course-quiet", onclick: startAgain }, "Start again");
  const lost = unkept();
  let made = null; // what is committed
  // in the page's own font and colours
  const box = rootOf(el, "course-exercise", "Prediction", { class: "course-exercise course-prediction" });
  const tell = (how) =>
    box.dispatchEvent(new CustomEvent("course:predicted", { bubbles: true, detail: { id: spec.id, how } }));

  /** The card as it stands once a prediction is made, or while it is open (no record): whether it was right. */
  function settle(record) {
    made = record;
    field.disabled = made !== null; // what the form itself has disabled stays so
    form.lock?.(made !== null);
    commit.hidden = made !== null;
    show.hidden = made !== null || !covered(box).some((part) => part.dataset.state === "covered");
    again.hidden = made === null;
    setText(badge, made ? "predicted" : "");
    result.replaceChildren();
    result.className = "course-result";
    form.compare?.(null);
    if (!made) return null;
    const { truth, right, message } = rules[spec.kind](spec, made.answer, evidence(covered(box)));
    form.compare?.(truth);
    const said = {
      true: "It is as you said.",
      false: spec.kind === "curve" ? "Dashed: what is measured." : `It is otherwise: ${truth}.`,
      null: "Kept. The cells below show what happens.",
    }[right];
    result.className = `course-result ${right ? "course-right" : right === false ? "course-wrong" : "course-open"}`;
    const told = h("p", {}, h("strong", {}, said), ...rich(message ? ` ${message}` : ""));
    const sign = h("span", { class: "course-sign", "aria-hidden": "true" }, right ? "✓" : right === false ? "≠" : "…");
    result.append(sign, told);
    return right;
  }
  /** The record that the browser has kept, shown in the form; null where it fits no more, or is anybody's. */
  function recorded() {
    const from = memory.read(key);
    const mine = form.get();
    if (!Number.isFinite(from?.at)) return null;
    form.set(from.answer);
    if (same(form.get(), from.answer) && !form.problem?.(from.answer)) return from;
    form.set(mine);
    return null;
  }
  function take(record) {
    if (record) sure.value = SURE.includes(record.sure) ? record.sure : "";
    settle(record);
  }
  /** What another tab has done, or the page's "Erase", is done here too. */
  function hear() {
    const before = made;
    const now = recorded();
    if (same(now, before)) return;
    take(now);
    if (!before === !now) return;
    tell(now ? "predicted" : "withdrawn");
    if (!now) settle(null); // now that the evidence is covered
  }
  function submit(event) {
    event.preventDefault();
    hear();
    if (made) return; // in another tab
    const answer = form.get();
    const problem = form.problem?.(answer);
    if (problem) {
      result.className = "course-result course-open";
      result.replaceChildren(h("span", { class: "course-sign", "aria-hidden": "true" }, "…"), h("p", {}, problem));
      form.inputs[0].focus();
      return;
    }
    const parts = covered(box);
    // then it foretells nothing
    const seen = parts.length > 0 && parts.every((part) => part.dataset.state !== "covered");
    const record = { answer, sure: Number(sure.value) || null, seen, at: Date.now() };
    record.right = settle(record);
    lost.show(memory.update(key, () => record).kept);
    tell("predicted");
    result.focus(); // not a button: whoever presses Enter twice would start again
  }
  function look() {
    tell("asked");
    show.hidden = true;
    commit.focus();
  }
  function startAgain() {
    memory.update(key, () => null);
    lost.show(true);
    hear();
    form.inputs.find((input) => !input.disabled).focus();
  }

  const how = h("label", { class: "course-number course-sure" }, h("span", {}, "How sure are you?"), sure);
  const field = h("fieldset", { "aria-label": "Your prediction" }, form.el, how);
  box.append(
    h("div", { class: "course-top" }, h("span", { class: "course-heading" }, "Predict"), badge),
    h("p", { class: "course-question" }, ...rich(spec.question)),
    h(
      "form",
      { novalidate: true, onsubmit: submit },
      field,
      h("div", { class: "course-buttons" }, commit, show, again),
    ),
    result,
    lost.el,
  );
  take(recorded());
  document.addEventListener("course:uncovered", () => {
    if (!made) settle(null);
  });
  signal?.addEventListener("abort", memory.watch(hear, key));
}

export default prediction(FORMS, compared);
