// A decoder of today on quantised maps: rotary places, RMSNorm, SwiGLU, fewer heads of keys than of queries. It is the
// twin of SmolLM in course_lib/pretrained/smollm.py, and the one model of the course that is no traced graph: as 32-bit
// floats its maps need 538 MB, with the file's integers 112 (benchmarks/real_model.py measures both).
// tests/widgets/test_real_model.py holds it to the reader, layer by layer.

import { makeEdits } from "./edits.js";
import { add, attend, rmsNorm, rotate, swiglu, turns } from "./steps.js";
import { makeWeights } from "./weights.js";

export const ROWS = 32; // so many places at once
const E = "token_embd.weight";

/**
 * The model of this manifest; its weights come by `add(part, bytes)`. It remembers the keys and values of the `length`
 * places that it has read; setting `length` back forgets the later ones.
 */
export function makeDecoder(manifest, { simd = true } = {}) {
  const { layers, heads, keyHeads, d, m, r, vocab, context, base, epsilon } = manifest.config;
  const sizes = {
    x: d,
    y: d,
    q: heads * m,
    k: keyHeads * m,
    v: keyHeads * m,
    o: heads * m,
    gate: r,
    up: r,
    logits: vocab,
  };
  const room = Object.fromEntries(Object.entries(sizes).map(([name, width]) => [name, ROWS * width]));
  const weights = makeWeights(manifest, { room, widest: Math.max(r, d, heads * m), rows: ROWS, simd });
  const F = weights.floats;
  const [X, Y, Q, K, V, O, GATE, UP, LOGITS] = Object.keys(sizes).map(weights.at);
  const cache = Array.from({ length: layers }, () => [0, 1].map(() => new Float32Array(context * keyHeads * m)));
  const turning = turns(context, m, base);
  const looks = new Float32Array(context);
  const none = makeEdits([], manifest.config);

  /**
   * Layer l on the n vectors at X, the first of which is at `place`. see(what, l, place, n, from, width) hears of the
   * vectors that each part has made; seen(l, place, head, weights, spread) of each query's weights.
   */
  function layer(l, n, place, { edits = none, see, seen } = {}) {
    const name = (part) => `blk.${l}.${part}.weight`;
    edits.apply(F, "stream", l, n, place, X, d);
    see?.("stream", l, place, n, X, d);
    rmsNorm(F, n, X, weights.vector(name("attn_norm")), epsilon, Y);
    weights.prepare(n, d, Y);
    weights.product(name("attn_q"), n, Q);
    weights.product(name("attn_k"), n, K);
    weights.product(name("attn_v"), n, V);
    rotate(F, n, Q, heads, m, place, turning);
    rotate(F, n, K, keyHeads, m, place, turning);
    const [keys, values] = cache[l];
    keys.set(F.subarray(K, K + n * keyHeads * m), place * keyHeads * m);
    values.set(F.subarray(V, V + n * keyHeads * m), place * keyHeads * m);
    const heard = seen && ((t, head, row, spread) => seen(l, place + t, head, row, spread));
    attend(F, n, Q, keys, values, O, { heads, keyHeads, m }, place, looks, heard);
    edits.apply(F, "head", l, n, place, O, heads * m);
    see?.("heads", l, place, n, O, heads * m);
    weights.prepare(n, heads * m, O);
    weights.product(name("attn_output"), n, Y);
    edits.apply(F, "attention", l, n, place, Y, d);
    see?.("attention", l, place, n, Y, d);
    add(F, n * d, X, Y);
    rmsNorm(F, n, X, weights.vector(name("ffn_norm")), epsilon, Y);
    weights.prepare(n, d, Y);
    weights.product(name("ffn_gate"), n, GATE);
    weights.product(name("ffn_up"), n, UP);
    swiglu(F, n * r, GATE, UP);
    weights.prepare(n, r, GATE);
    weights.product(name("ffn_down"), n, Y);
    edits.apply(F, "feedForward", l, n, place, Y, d);
    see?.("feedForward", l, place, n, Y, d);
    add(F, n * d, X, Y);
  }

  const model = {
    config: manifest.config,
    kind: weights.kind,
    bytes: weights.bytes,
    floats: F,
    add: weights.add,
    length: 0,

    /**
     * Vectors [n, d] at `place` through the layers from `first` on; the last layer's vectors, a view. At most 32 rows.
     */
    through(rows, first, place, watch = {}) {
      const n = rows.length / d;
      F.set(rows, X);
      for (let l = first; l < layers; l++) layer(l, n, place, watch);
      watch.edits?.apply(F, "stream", layers, n, place, X, d);
      watch.see?.("stream", layers, place, n, X, d);
      return F.subarray(X, X + n * d);
    },

    /** Read more tokens after those that it remembers → the last layer's vector of the last one, a view [d]. */
    read(tokens, watch = {}) {
      let last = null;
      for (let from = 0; from < tokens.length; from += ROWS) {
        const few = tokens.slice(from, from + ROWS);
        const rows = new Float32Array(few.length * d);
        few.forEach((token, t) => weights.row(E, token, rows, t * d));
        last = model.through(rows, 0, model.length, watch).subarray(-d);
        model.length += few.length;
      }
      return last;
    },

    /** Logits of vectors [n, d], at most 32 of them: a view [n, vocab]. */
    unembed(rows) {
      const n = rows.length / d;
      F.set(rows, X);
      rmsNorm(F, n, X, weights.vector("output_norm.weight"), epsilon, Y);
      weights.prepare(n, d, Y);
      weights.product(E, n, LOGITS);
      return F.subarray(LOGITS, LOGITS + n * vocab);
    },

    /** Logits of a few tokens after a vector [d], from these tokens' own rows alone, in 32-bit floats. */
    logitsOf(vector, tokens) {
      F.set(vector, X);
      rmsNorm(F, 1, X, weights.vector("output_norm.weight"), epsilon, Y);
      const own = new Float32Array(d);
      return tokens.map((token) => {
        weights.row(E, token, own, 0);
        return own.reduce((sum, number, i) => sum + number * F[Y + i], 0);
      });
    },
  };
  return model;
}
