// Ten names, one after the other from one stream of random numbers, each held against the list of real ones; the page
// stays alive.

import { sample } from "../runtime/decode.js";
import { Generator } from "../runtime/random.js";
import { number } from "../drawing/ui.js";
import { nameList, unfold } from "./names.js";

const TEN = 10;

/** name: of letters.js; real(): promises the list of real names, folded; redraw(): a name or the list has come. */
export function tenNames({ model, name, logits, dials, get, real, redraw }) {
  const list = nameList();
  let names = [];
  let job = null;
  let known = null;
  let failed = "";
  let asked = false;
  const dialsTold = () =>
    `temperature ${number(get("temperature"))}, top-k ${get("top_k") ?? "all"}, top-p ${number(get("top_p"))}, seed ` +
    `${get("seed")}`;
  /** What the names begin with: all that stands there, or what was typed where the name has ended. */
  function begun() {
    const { typed, own, ended } = name.state();
    return ended ? typed : [...typed, ...own];
  }
  const wanted = () => JSON.stringify([begun(), dialsTold()]);
  const kindOf = (said) => (known ? (known.has(said) ? "real" : "invented") : "unchecked");

  /** Asks for the list of real names, when the first name is to be compared. */
  function compare() {
    if (asked) return;
    asked = true;
    real()
      .then(
        (entries) => {
          known = unfold(entries);
        },
        (error) => {
          failed = ` ${error.message}`;
          asked = false;
        },
      )
      .finally(redraw);
  }
  function begin() {
    clearTimeout(job?.clock);
    const first = begun();
    const said = name.spell(first);
    const longest = model.longest - first.length;
    const options = {
      start: [model.start, ...first],
      end: model.end,
      longest,
      generator: new Generator(get("seed")),
      ...dials(),
    };
    const mine = {
      key: wanted(),
      clock: null,
      words: `Drawn with ${dialsTold()}${said ? `, beginning with “${said}”` : ""}.`,
    };
    const one = () => {
      const { tokens, finished } = sample(logits, options);
      names = [...names, { name: said + name.spell(tokens), finished }];
      if (names.length < TEN) mine.clock = setTimeout(one);
      redraw();
    };
    job = mine;
    names = [];
    compare();
    mine.clock = setTimeout(one);
  }
  /** Shows the names so far; gives how many, how many of all are invented, and what the widget hands back. */
  function draw() {
    const stale = job && job.key !== wanted();
    const shown = names.map((each) => ({ name: each.name, kind: each.finished ? kindOf(each.name) : "cut" }));
    const all = shown.length === TEN && known;
    const invented = all ? shown.filter(({ kind }) => kind === "invented").length : "";
    list.draw({
      names: shown,
      words:
        `${all ? `${invented} of ${TEN} are invented. ` : ""}${job?.words ?? ""}` +
        `${stale ? " The beginning or a dial has changed since." : ""}${failed}`,
    });
    return {
      data: { names: names.length, invented },
      words: all && !stale ? ` ${invented} of ${TEN} names are invented.` : "",
      back: all && !stale ? shown.map(({ name: said, kind }) => [said, kind]) : [],
      going: job !== null && names.length < TEN,
    };
  }
  return {
    el: list.el,
    begin,
    compare,
    kindOf,
    draw,
    started: () => job !== null,
    fresh: () => job?.key === wanted(),
    close: () => clearTimeout(job?.clock),
  };
}
