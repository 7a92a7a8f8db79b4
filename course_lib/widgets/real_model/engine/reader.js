// What may be asked of the language model, on top of its layers: a whole reading, what follows, the lens, means,
// patches.

import { makeEdits } from "./edits.js";
import { ROWS } from "./decoder.js";
import { column, ranked } from "./read.js";
import { checkedTokens, headsFirst, meanOverQueries } from "./results.js";

export const LONGEST_MAPS = 128; // all maps of 30 layers of 9 heads are 18 MB then

/** Where the results of a reading go: `see` and `seen` of decoder.js that fill arrays. */
function gathered(n, { layers, heads, d, m }, { maps, stream, parts }) {
  const out = {};
  if (stream) out.stream = new Float32Array((layers + 1) * n * d);
  if (parts) {
    out.heads = new Float32Array(layers * n * heads * m); // as they come: [layers, n, heads, m]
    for (const name of ["attention", "feedForward"]) out[name] = new Float32Array(layers * n * d);
  }
  if (maps) {
    out.maps = new Float32Array(layers * heads * n * n);
    for (const name of ["spreadAt", "effectiveAt"]) out[name] = new Float32Array(layers * heads * n);
  }
  return {
    out,
    watch: (F) => ({
      see: (what, l, place, rows, from, width) =>
        out[what]?.set(F.subarray(from, from + rows * width), (l * n + place) * width),
      seen: maps
        ? (l, place, head, row, spread) => {
            const query = (l * heads + head) * n + place;
            let squares = 0;
            for (let s = 0; s <= place; s++) {
              out.maps[query * n + s] = row[s];
              squares += row[s] * row[s];
            }
            out.spreadAt[query] = spread;
            out.effectiveAt[query] = 1 / squares;
          }
        : undefined,
    }),
  };
}

/** decoder: of decoder.js, its weights there. reference: lists of tokens, over which `means()` takes its means. */
export function makeReader(decoder, reference = []) {
  const { config } = decoder;
  const { layers, heads, d, m, vocab } = config;
  let known = { tokens: [], edits: "[]" }; // what the decoder's keys and values belong to
  let referenceMeans = null;
  let latest = null; // the stream of the last reading, for lenses on it

  const forget = () => {
    decoder.length = 0;
    known = { tokens: [], edits: "[]" };
  };

  function run(tokens, { maps = true, stream = true, parts = false, logits = "last", edits = [] } = {}) {
    const started = performance.now();
    const list = checkedTokens(tokens, config);
    const n = list.length;
    if (!["last", "all", "none"].includes(logits)) throw Error(`logits must be last, all or none, got ${logits}`);
    if (maps && n > LONGEST_MAPS) throw Error(`tokens must be at most ${LONGEST_MAPS} where maps are wanted, got ${n}`);
    const changed = makeEdits(edits, config);
    const { out, watch } = gathered(n, config, { maps, stream: stream || logits === "all", parts });
    forget();
    const last = decoder.read(list, { edits: changed, ...watch(decoder.floats) });
    known = { tokens: list, edits: changed.key };
    let scores = null;
    if (logits === "last") scores = decoder.unembed(last.slice()).slice();
    if (logits === "all") {
      scores = new Float32Array(n * vocab);
      const rows = out.stream.subarray(layers * n * d);
      for (let t = 0; t < n; t += ROWS) scores.set(decoder.unembed(rows.subarray(t * d, (t + ROWS) * d)), t * vocab);
    }
    if (parts) out.heads = headsFirst(out.heads, n, config);
    if (maps) {
      out.spread = meanOverQueries(out.spreadAt, n, 1);
      out.effective = meanOverQueries(out.effectiveAt, n, 1);
    }
    if (out.stream) latest = { key: JSON.stringify(list) + changed.key, stream: out.stream };
    return { n, logits: scores, ...out, ms: performance.now() - started };
  }

  /** Logits of what follows. What is remembered of the same tokens is not read again. */
  function next(tokens, { edits = [] } = {}) {
    const list = checkedTokens(tokens, config);
    const changed = makeEdits(edits, config);
    let same = 0;
    if (changed.key === known.edits) while (same < known.tokens.length && known.tokens[same] === list[same]) same++;
    same = Math.min(same, list.length - 1); // the last one's vector is not remembered
    decoder.length = same;
    const last = decoder.read(list.slice(same), { edits: changed });
    known = { tokens: list, edits: changed.key };
    return decoder.unembed(last.slice()).slice();
  }

  /** Vectors [k, d] read as if they were the last layer's: k times { ids, probabilities, asked }. */
  function lens(rows, { top = 10, tokens = [] } = {}) {
    if (!(rows?.length > 0) || rows.length % d)
      throw Error(`rows must be vectors of ${d} numbers, got ${rows?.length} numbers`);
    if (tokens.length) checkedTokens(tokens, config, "tokens");
    const found = [];
    for (let from = 0; from < rows.length; from += ROWS * d) {
      const logits = decoder.unembed(rows.subarray(from, from + ROWS * d));
      for (let at = 0; at < logits.length; at += vocab)
        found.push(ranked(logits.subarray(at, at + vocab), top, tokens));
    }
    return found;
  }

  /** The lens on one place of these tokens, after each layer: layers + 1 rows. */
  function lensOf(tokens, place, { top = 10, asked = [], edits = [] } = {}) {
    const list = checkedTokens(tokens, config);
    const n = list.length;
    if (!(Number.isInteger(place) && place >= 0 && place < n))
      throw Error(`place must be a whole number from 0 to ${n - 1}, got ${place}`);
    if (latest?.key !== JSON.stringify(list) + makeEdits(edits, config).key)
      run(list, { maps: false, logits: "none", edits });
    return lens(column({ stream: latest.stream, n }, config, place), { top, tokens: asked });
  }

  /** Means of what heads and parts write, over all places of these texts but their first. */
  function means(texts) {
    if (!texts && referenceMeans) return referenceMeans;
    const sums = {
      heads: new Float64Array(layers * heads * m),
      attention: new Float64Array(layers * d),
      feedForward: new Float64Array(layers * d),
    };
    let places = 0;
    for (const tokens of texts ?? reference) {
      const n = tokens.length;
      const read = run(tokens, { maps: false, stream: false, parts: true, logits: "none" });
      for (const [name, sum] of Object.entries(sums)) {
        const width = name === "heads" ? m : d;
        for (let i = 0; i < sum.length / width; i++)
          for (let t = 1; t < n; t++)
            for (let k = 0; k < width; k++) sum[i * width + k] += read[name][(i * n + t) * width + k];
      }
      places += n - 1;
    }
    if (!places) throw Error("texts must have at least one place beside their first ones");
    const mean = Object.fromEntries(
      Object.entries(sums).map(([name, sum]) => [name, Float32Array.from(sum, (x) => x / places)]),
    );
    if (!texts) referenceMeans = mean;
    return mean;
  }

  return { run, next, lens, lensOf, means, forget };
}
