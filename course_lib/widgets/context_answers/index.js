// The reader's own context: points to drag, and what a stored answer makes of them beside what was wanted. The numbers
// of an answer come from its traced graph (answers.js); the widget's model is the one truth.

import { button, desk, named } from "../drawing/desk.js";
import { facts, signs } from "../drawing/facts.js";
import { digits } from "../drawing/scale.js";
import { announcer, choice, clamp, h, number, setAttr, setText, slider } from "../drawing/ui.js";
import { given } from "../shell/given.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { CODECS, MOST, TAKES } from "./address.js";
import { between, distance, library, LINE } from "./answers.js";
import { chart } from "./chart.js";
import { picture } from "./picture.js";
import { QUESTIONS } from "./questions.js";
import { told, WANTED } from "./words.js";

const settings = settingsOf(Object.keys(CODECS));
/** The first task, by what answers. */
const TASKS = {
  line: "drag the rightmost point up and down. Which curve follows farther?",
  terms: "move the dial of terms to its end. How far does the error fall?",
  layers: "go through the five starts. What becomes of the left group?",
};

async function render({ model, el }) {
  const root = rootOf(el, "ctx course-desk", "A context of your own", { "aria-busy": "true" });
  const data = await given(root, model, "answers");
  if (!data) return;
  const { of, run, questions } = library(data);
  const { authored, values: set, change, publish, live } = settings.open(model, CODECS);

  /** The settings as they can be met with these answers. */
  function get() {
    const state = set();
    const question = questions.includes(state.question) ? state.question : questions[0];
    const families = of(question);
    const family = clamp(state.family, 0, families.length - 1);
    const members = families[family].answers;
    const { flat, range } = QUESTIONS[question];
    return {
      ...state,
      question,
      families,
      family,
      members,
      size: clamp(state.size, 0, members.length - 1),
      flat,
      range,
    };
  }

  let pick = 0;
  const chosen = () => clamp(pick, 0, get().points.length - 1);
  const acts = {
    chosen,
    choose(k) {
      pick = k;
      again.redraw();
    },
    move: (k, to) => change({ points: get().points.map((old, i) => (i === k ? to : old)) }),
    add(at) {
      const { points } = get();
      if (points.length >= MOST) return;
      change({ points: [...points, at] });
      plane.focus(points.length);
    },
    remove(k, refocus) {
      const { points } = get();
      if (points.length === 1) return;
      pick = Math.min(k, points.length - 2);
      change({ points: points.filter((_, i) => i !== k) });
      if (refocus) plane.focus(pick);
    },
  };
  /** Where a new point comes: in the widest gap, on the wanted curve. */
  function gap() {
    const { points, question, flat } = get();
    const places = [-1, ...points.map(([x]) => x).sort((a, b) => a - b), 1];
    const wide = places.slice(1).map((x, i) => x - places[i]);
    const i = wide.indexOf(Math.max(...wide));
    const x = Number(((places[i] + places[i + 1]) / 2).toFixed(2));
    return [x, flat ? 0 : clamp(Number(QUESTIONS[question].wanted(points)(x).toFixed(2)), -3, 3)];
  }

  const board = desk({ get, change, takes: TAKES });
  const plane = picture({ get, acts });
  const errors = chart();
  const label = (text) => ({ label: text, value: text });
  const line = questions.includes("line");
  const terms = "terms" in data[0].sizes;
  const kind = line ? "line" : terms ? "terms" : "layers";
  const grouped = of(questions[0]).length > 1;
  const grouping = terms ? "Each term is a product of" : "Trained from";
  const asked = choice({
    legend: "Target",
    value: "",
    options: questions.map(label),
    oninput: (to) => change({ question: to }),
  });
  const group = choice({
    legend: grouping,
    value: "",
    options: of(questions[0]).map(({ name }, i) => ({ label: name, value: String(i) })),
    oninput: (to) => change({ family: Number(to) }),
  });
  const last = of(questions[0])[0].answers.length - 1;
  const size = slider({
    label: terms ? "terms" : "depth",
    min: 0,
    max: Math.max(1, last),
    step: 1,
    value: 0,
    format: (i) => get().members[i]?.name ?? "",
    oninput: (i) => change({ size: Math.round(i) }),
  });
  const copies = board.dial("copies", "each point stands in the list, times", 1, { format: String });
  const query = board.dial("query", "asked at x", 0.05);
  const add = button("Add a point", () => acts.add(gap()));
  const remove = button("Remove", () => acts.remove(chosen(), false));
  const list = facts({
    asked: "prediction there",
    best: "best answer there",
    rms: "error, root mean square",
    most: "largest error",
  });
  const sentence = h("p", { class: "course-words" });
  const voice = announcer();
  const key = signs(
    ["ctx-wanted", "what was wanted"],
    ["ctx-answered", "what is answered"],
    ["ctx-point", "a point of the context: drag it"],
  );
  const beside = [
    ...(questions.length > 1 ? [named("Target", asked.el)] : []),
    ...(grouped ? [named(grouping, group.el)] : []),
    ...(last > 0 ? [size.el] : []),
    ...(line ? [query] : []),
    copies,
    h(
      "div",
      { class: "course-buttons" },
      add,
      remove,
      button("Reset", () => change(authored)),
    ),
    list.el,
  ];
  root.append(task(TASKS[kind]), sides({ picture: [plane.face, key, errors.el], beside }), sentence, voice.el);

  function draw() {
    const state = get();
    const { points, question, members } = state;
    const wantedAt = QUESTIONS[question].wanted(Array.from({ length: state.copies }, () => points).flat());
    const wanted = LINE.map(wantedAt);
    const all = members.map((answer) => run(answer, points, state.copies));
    const answered = all[state.size];
    const found = distance(answered, wanted);
    const shift =
      state.copies > 1
        ? {
            answered: distance(run(members[state.size], points), answered).most,
            wanted: distance(LINE.map(QUESTIONS[question].wanted(points)), wanted).most,
          }
        : null;
    const there = { x: state.query, wanted: wantedAt(state.query), answered: between(answered, state.query) };
    const family = state.families[state.family].name;
    const name = [members[state.size].name, family].filter(Boolean).join(terms ? " of " : " from ");
    const text = told({ ...state, name, found, wanted, answered, shift, asked: there });
    board.draw(state);
    asked.set(question);
    group.set(String(state.family));
    size.set(state.size);
    add.disabled = points.length >= MOST;
    remove.disabled = points.length === 1;
    plane.draw({ wanted, answered, query: line ? there : null });
    errors.draw(
      all.map((each) => distance(each, wanted).rms),
      members.map((each) => each.name.replace(/ (terms?|layers?)$/, "")),
      state.size,
    );
    for (const row of ["asked", "best"]) list.rows[row].hidden = !line;
    list.set("asked", number(there.answered));
    list.set("best", number(there.wanted));
    list.set("rms", digits(found.rms, 2));
    list.set("most", digits(found.most, 2));
    setText(key.firstChild, WANTED[question]);
    setText(sentence, text);
    voice.tell(text);
    setAttr(root, "data-chosen", chosen());
    publish(root, set(), { result: { wanted, answered, apart: found.rms } });
    root.setAttribute("aria-busy", "false");
  }
  const again = live(draw, { root, el, face: plane.face });
  return again.stop;
}

export default { initialize: settings.initialize, render };
