// The search of the present sentence and dials as the page shows it; what was read of a sentence is kept.

import { remember, search } from "./search.js";
import { joined } from "./words.js";

export const FEW = 3; // dropped hypotheses shown
const QUIET = ["⟨pad⟩", "⟨start⟩", "⟨end⟩"];

/** model: of models.js; changed(): the search has come further. */
export function hypotheses({ model, get, changed }) {
  let source = null;
  let read = null;
  let found = null;
  let key = "";
  let alone = null;
  const name = (token) => model.target[token];
  const text = ({ tokens }) => joined(tokens.map(name).filter((word) => !QUIET.includes(word)));
  const last = () => found.moments.length - 1;
  const at = () => Math.min(get("moment") ?? last(), last());

  /** Begins anew where the sentence or a dial of the search is another. */
  function begin() {
    const wanted = JSON.stringify([get("text"), get("width"), get("length_power")]);
    if (wanted === key) return;
    key = wanted;
    if (source?.text !== get("text")) {
      source = { text: get("text"), ...model.words(get("text")) };
      read = remember(model.open(source.ids));
    }
    found?.close();
    const longest = 2 * source.ids.length + 10; // as tools/models/train_translator.py scores the model
    const options = {
      start: [model.start],
      end: model.end,
      longest,
      width: get("width"),
      lengthPower: get("length_power"),
    };
    found = search(read, options, changed);
  }

  const greedyScore = ({ tokens, finished, logProb }) =>
    logProb / (tokens.length + Number(finished)) ** get("length_power");
  /** Is a hypothesis the beginning of greedy's answer? */
  const isGreedy = ({ tokens }) =>
    found.greedy !== null &&
    tokens.every((token, i) => token === (found.greedy.tokens[i] ?? model.end)) &&
    tokens.length <= found.greedy.tokens.length + 1;
  /**
   * The rows of the table: what was kept, the best of what was dropped, and at the end greedy's sentence where it is
   * none of these.
   */
  function rows() {
    const { kept, dropped } = found.moments[at()];
    const shown = [...kept, ...dropped.slice(0, FEW)];
    const { greedy } = found;
    if (!greedy || !found.complete || at() < last() || shown.some(isGreedy)) return shown;
    const tokens = [...greedy.tokens, ...(greedy.finished ? [model.end] : [])];
    if (alone?.greedy !== greedy) alone = { ...greedy, greedy, tokens, score: greedyScore(greedy), from: null };
    return [...shown, alone];
  }
  /** A row in words; kept: how many rows go on. */
  function line(hypothesis, i, kept) {
    const { tokens, finished, logProb, score } = hypothesis;
    const words = tokens.map(name);
    const carried = finished && hypothesis.from?.finished;
    return {
      state: hypothesis === alone ? "greedy" : i >= kept ? "out" : finished ? "ended" : "open",
      text: carried ? text(hypothesis) : joined(words.slice(0, -1)),
      newest: carried ? "" : finished ? "⟨end⟩" : (words.at(-1) ?? ""),
      logProb,
      score,
      length: tokens.length,
      greedy: isGreedy(hypothesis),
    };
  }
  return {
    begin,
    at,
    last,
    rows,
    line,
    name,
    text,
    isGreedy,
    greedyScore,
    found: () => found,
    source: () => source,
    read: () => read,
    close: () => found?.close(),
  };
}
