// Six scores over the plane of keys, with one query to drag. The numbers come from the traced PyTorch scores
// (field.js).

import { button, desk, named } from "../drawing/desk.js";
import { facts, signs } from "../drawing/facts.js";
import { announcer, h, number, setText } from "../drawing/ui.js";
import { dataOf } from "../shell/given.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { CODECS, TAKES } from "./address.js";
import { machine } from "./field.js";
import { picture } from "./picture.js";
import { NAMES, words } from "./words.js";

const LEARNED = ["additive", "multiplicative", "reduced_rank"];
const settings = settingsOf(Object.keys(CODECS));

async function render({ model, el }) {
  const root = rootOf(el, "scf course-desk", "Six scores over a plane of keys", { "aria-busy": "true" });
  const data = await dataOf(root, model, ["six_scores", "parameters"]);
  if (!data) return;
  const run = machine(...data);
  const { authored, values, change, publish, live } = settings.open(model, CODECS);
  const board = desk({ get: values, change, takes: TAKES });
  const plane = picture({ get: values, change });
  const told = facts({ weight: "largest weight", high: "highest score of the 13", low: "lowest score of the 13" });
  const seed = board.dial("seed", "numbers in its matrices (0: by hand)", 1, { format: String });
  const sentence = h("p", { class: "course-words" });
  const voice = announcer();
  const key = signs(
    ["scf-query", "query"],
    ["scf-key", "keys: the larger, the more weight"],
    ["scf-level", "level lines, 0.5 apart; bold: 0"],
  );
  const beside = [
    named("Score", board.pick("score", "Score", NAMES)),
    board.dial("x", "query, to the right", 0.05),
    board.dial("y", "query, up", 0.05),
    seed,
    told.el,
    sentence,
    h(
      "div",
      { class: "course-buttons" },
      button("reset", () => change(authored)),
    ),
  ];
  const first = task("drag the query farther out. Which scores then give one key more?");
  root.append(first, sides({ picture: [plane.face, key], beside }), voice.el);

  function draw(theme) {
    const state = values();
    const found = run(state);
    const text = words({ ...state, ...found });
    board.draw(state);
    plane.draw(theme, found);
    seed.hidden = !LEARNED.includes(state.score);
    told.set("weight", number(Math.max(...found.weights)));
    told.set("high", number(Math.max(...found.scores)));
    told.set("low", number(Math.min(...found.scores)));
    setText(sentence, text);
    voice.tell(text);
    publish(root, state, { scores: found.scores, weights: found.weights });
    root.setAttribute("aria-busy", "false");
  }
  return live(draw, { root, el, face: plane.face }).stop;
}

export default { initialize: settings.initialize, render };
