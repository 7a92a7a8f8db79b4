// Drag the rows of a matrix and see what it does to the plane. The widget's model holds the settings; this file has the
// parts draw them once a frame.

import declared from "./settings.json" with { type: "json" };
import { seen, told } from "./moved.js";
import { picture } from "./picture.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { codecsOf } from "../shell/settings.js";
import { settingsOf } from "../shell/traits.js";
import { button } from "../drawing/desk.js";
import { facts, signs } from "../drawing/facts.js";
import { announcer, h, number, setAttrs, setText } from "../drawing/ui.js";

const settings = settingsOf(Object.keys(declared));
const CODECS = codecsOf(declared);
const MOVES = {
  "nothing moves": [
    [1, 0],
    [0, 1],
  ],
  lean: [
    [1, 0],
    [1, 1],
  ],
  "a quarter turn": [
    [0, 1],
    [-1, 0],
  ],
  "turn over": [
    [0, 1],
    [1, 0],
  ],
};

function render({ model, el }) {
  const root = rootOf(el, "rws course-desk", "The rows of a matrix");
  const { authored, values: get, change, publish, live } = settings.open(model, CODECS);
  const view = picture({ get, change });
  const asked = h("span");
  const first = task(asked);
  const list = facts({ area: "areas, times", stretch: "longest arrow of length 1", rank: "rank" });
  const moves = Object.entries(MOVES).map(([name, [first, second]]) => button(name, () => change({ first, second })));
  const sentence = h("p", { class: "course-words" });
  const voice = announcer();
  const key = signs(
    ["rws-paper", "squared paper, after"],
    ["rws-circle", "circle of radius 1, after"],
    ["rws-before", "the circle before"],
  );
  const buttons = h(
    "div",
    { class: "course-buttons" },
    ...moves,
    button("reset", () => change(authored)),
  );
  root.append(first, sides({ picture: [view.face, key], beside: [list.el, buttons, sentence] }), voice.el);

  function draw() {
    const state = get();
    const found = seen(state);
    if (view.draw(state, found) === false) return false;
    const text = told(state, found);
    const done = found.rank === 1;
    setText(
      asked,
      done
        ? "Done: the circle is a line. What do the two rows have in common?"
        : "drag row 1 or row 2, by its end, until the circle is a line.",
    );
    first.classList.toggle("course-done", done);
    list.set("area", number(found.area));
    list.set("stretch", number(found.stretch[0]));
    list.set("rank", String(found.rank));
    setText(sentence, text);
    voice.tell(text);
    setAttrs(
      root,
      { area: found.area, stretch: found.stretch.join(","), rank: found.rank, image: found.image.join(",") },
      "data-",
    );
    publish(root, state, { seen: found });
  }
  return live(draw, { root, el, face: view.face }).stop;
}

export default { initialize: settings.initialize, render };
