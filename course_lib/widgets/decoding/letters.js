// The name so far: what the reader typed, then what was drawn; the end can only be drawn last.

import { draw as pick, restrict } from "../runtime/decode.js";
import { Generator } from "../runtime/random.js";

/** model: of models.js; logits(tokens); dials(): temperature and cuts, for `restrict`. */
export function letters({ model, get, change, logits, dials }) {
  const spell = (ids) => ids.map((token) => model.vocabulary[token]).join("");
  let last = null;

  function state() {
    const { ids, unknown } = model.letters(get("text"));
    const typed = ids.slice(0, model.longest - 1);
    const rest = model.letters(get("drawn"), true);
    const end = rest.ids.indexOf(model.end);
    const ends = end < 0 || end === rest.ids.length - 1;
    const drawn = rest.unknown === null && ends && typed.length + rest.ids.length <= model.longest + 1 ? rest.ids : [];
    const ended = drawn.at(-1) === model.end;
    const own = ended ? drawn.slice(0, -1) : drawn;
    return {
      typed,
      drawn,
      own,
      ended,
      unknown,
      full: typed.length + own.length >= model.longest,
      tokens: [model.start, ...typed, ...own],
      said: spell([...typed, ...own]),
    };
  }
  function drawOne() {
    const { tokens, drawn } = state();
    const { probabilities, order } = restrict(logits(tokens), dials());
    const generator = new Generator(get("seed"));
    for (const _ of drawn) generator.uniform(); // the seed's stream goes on: letter by letter or at once, the same name
    const u = generator.uniform();
    const token = pick(probabilities, order, u);
    change({ drawn: spell([...drawn, token]) });
    last = { probabilities, order, u, token };
  }
  function finish() {
    for (let now = state(); !now.ended && !now.full; now = state()) drawOne();
  }
  /** The reader's own choice counts as typed. */
  function take(token) {
    const { typed, own, said } = state();
    if (token === model.end) change({ drawn: spell([...own, token]) });
    else if (typed.length + own.length < model.longest - 1) change({ text: said + model.vocabulary[token], drawn: "" });
  }
  /** Where the latest letter fell; null where none is drawn. */
  function latest() {
    if (!state().drawn.length) last = null;
    return last;
  }
  return { state, spell, drawOne, finish, take, latest };
}
