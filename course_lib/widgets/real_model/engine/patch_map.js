// Patching, place by layer: the model reads one sentence, but at one place a part of one layer is what it was in
// another sentence.

import { makeEdits } from "./edits.js";
import { ROWS } from "./decoder.js";
import { checkedTokens } from "./results.js";

const PARTS = ["stream", "attention", "feedForward"];

/**
 * `dirty` is read with the part of the run on `clean` put in at (layer, place); the value of a cell is logit(yes) −
 * logit(no) after its last token. Places run from the last one back to the first at which the sentences differ (before
 * it there is nothing to put in that is not there already), so what a cell changes among the remembered keys no later
 * cell reads: the keys before its place are always the dirty run's.
 * Cells go to onCells(cells) whenever pause() says so, and at the end. Gives { cells, clean, dirty }, the last two
 * being the runs' own values.
 */
export async function patchMap(
  decoder,
  reader,
  clean,
  dirty,
  { part = "stream", yes, no, every = 1, places, pause, onCells } = {},
) {
  const { config } = decoder;
  const { layers, d } = config;
  const [from, into] = [checkedTokens(clean, config, "clean"), checkedTokens(dirty, config, "dirty")];
  const n = into.length;
  checkedTokens([yes], config, "yes");
  checkedTokens([no], config, "no");
  if (from.length !== n)
    throw Error(`clean and dirty must have as many tokens as each other, got ${from.length} and ${n}`);
  if (n > ROWS) throw Error(`clean and dirty must have at most ${ROWS} tokens, got ${n}`);
  if (!PARTS.includes(part)) throw Error(`part must be ${PARTS.join(", ")}, got ${part}`);
  if (!(Number.isInteger(every) && every > 0)) throw Error(`every must be a whole number above 0, got ${every}`);
  const first = from.findIndex((token, place) => token !== into[place]);
  if (first < 0) throw Error("clean and dirty must differ in a token");
  const wanted = (places ?? [...into.keys()]).filter((place) => place >= first && place < n).sort((a, b) => b - a);

  const options = { maps: false, stream: true, parts: part !== "stream", logits: "none" };
  const given = reader.run(from, options);
  const own = reader.run(into, options);
  const value = (vector) => {
    const [a, b] = decoder.logitsOf(vector, [yes, no]);
    return a - b;
  };
  const last = (stream) => stream.slice(-d);
  const cells = [];
  let fresh = [];
  for (const place of wanted) {
    for (let layer = 0; layer < layers; layer += every) {
      const at = (layer * n + place) * d;
      const edit = { at: part, layer, places: [place], values: given[part].subarray(at, at + d) };
      const rows = own.stream.subarray(at, (layer + 1) * n * d); // the dirty run's vectors from this place on
      const end = decoder.through(rows, layer, place, { edits: makeEdits([edit], config) });
      fresh.push({ layer, place, value: value(end.slice(-d)) });
      if (await pause()) {
        onCells(fresh);
        cells.push(...fresh);
        fresh = [];
      }
    }
  }
  onCells(fresh);
  cells.push(...fresh);
  reader.forget();
  return { cells, clean: value(last(given.stream)), dirty: value(last(own.stream)) };
}
