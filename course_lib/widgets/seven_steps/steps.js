// The seven steps as matrices, and how each entry came about. What the model's graphs give is shown; between two of
// their results stand sums of products that are computed here, and that must meet the graph's numbers again.

import { dense, learned, product, softmax } from "../journey/matrices.js";

export const NAMES = ["Encode", "Query", "Keys", "Scores", "Weights", "Context", "Decoder"];
export const MOST_WORDS = 10; // French words whose logits are shown

const given = (matrix) => Object.assign(matrix, { given: true, how: learned(() => matrix) });
const scene = (main, lines, ...matrices) => ({
  main,
  lines,
  matrices: Object.fromEntries(matrices.map((each) => [each.id, each])),
});
const plain = (x) => (x < 0 ? `(−${Math.abs(x).toFixed(2)})` : x.toFixed(2));

/** The numbers of the tokens with the largest logits, the largest first. */
export const likeliest = (logits, count) =>
  Array.from(logits.keys())
    .sort((a, b) => logits[b] - logits[a])
    .slice(0, count);

/**
 * The scenes of steps 1 to 7. model: of runtime/recurrent.js; words: the sentence as the model reads it; ids: its
 * numbers; last: the number of the word written last; before: the state that looks; answer: what model.step(last,
 * before) gave.
 */
export function scenesOf({ model, words, ids, last, before, answer }) {
  const { weights: W, sizes, width: r } = model;
  const { d, m, vocab } = sizes;
  const s = ids.length;
  const named = { rowNames: words };
  const after = answer.state;
  const rowOfTable = (table, token) => W[table].subarray(token * d, (token + 1) * d);

  const E = Float32Array.from(ids.flatMap((id) => [...rowOfTable("E_source", id)]));
  const x = dense("x", ["s", "d"], s, d, E, {
    ...named,
    how: (i, j) => ({
      formula: `E[${ids[i]}, ${j + 1}]: “${words[i]}” picks row ${ids[i]} of the embedding`,
      result: E[i * d + j],
      strips: [],
    }),
  });
  const H = dense("H", ["s", "r"], s, r, before.H.subarray(0, s * r), named);
  const q = dense("q", ["1", "r"], 1, r, before.s);
  const K = dense("K", ["s", "m"], s, m, before.keys.subarray(0, s * m), named);
  const W_k = given(dense("W_k", ["r", "m"], r, m, W["decoder.score.W_k"]));
  const W_q = given(dense("W_q", ["r", "m"], r, m, W["decoder.score.W_q"]));
  const w = given(dense("w", ["m", "1"], m, 1, W["decoder.score.w"]));
  K.how = product(H, W_k);

  const turned = product(q, W_q);
  const p = dense(
    "u",
    ["1", "m"],
    1,
    m,
    Float32Array.from({ length: m }, (_, j) => turned(0, j).result),
    { how: turned },
  );
  const bent = (i, j) => Math.tanh(p.numbers[j] + K.numbers[i * m + j]);
  const T = dense(
    "T",
    ["s", "m"],
    s,
    m,
    Float32Array.from({ length: s * m }, (_, at) => bent(Math.floor(at / m), at % m)),
    {
      ...named,
      how: (i, j) => ({
        formula:
          `tanh(u[1, ${j + 1}] + K[${i + 1}, ${j + 1}]) = tanh(${plain(p.numbers[j])} + ` +
          `${plain(K.numbers[i * m + j])})`,
        result: bent(i, j),
        strips: [],
      }),
    },
  );
  const scored = product(T, w);
  const S = dense("S", ["1", "s"], 1, s, after.scores, { colNames: words, how: (_, j) => scored(j, 0) });
  const A = dense("A", ["1", "s"], 1, s, after.weights, { colNames: words, kind: "share", how: softmax(S) });
  const C = dense("C", ["1", "r"], 1, r, after.C, { how: product(A, H) });

  const y = dense("y", ["1", "d"], 1, d, rowOfTable("E_target", last));
  const next = dense("sₜ", ["1", "r"], 1, r, after.s, {
    how: (_, j) => ({
      formula: `f(q, [y, C])[${j + 1}]: the gated cell reads word and context, as in Recurrence`,
      result: after.s[j],
      strips: [],
    }),
  });
  const all = 2 * r + d;
  const together = dense(
    "[sₜ, C, y]",
    ["1", "2r + d"],
    1,
    all,
    Float32Array.from([...after.s, ...after.C, ...y.numbers]),
  );
  const W_r = given(dense("W_r", ["2r + d", "r"], all, r, W["decoder.W_r"]));
  const joined = product(together, W_r, { bias: W["decoder.b_r"], biasName: "b_r" });
  const how = (_, j) => {
    const way = joined(0, j);
    return { ...way, formula: `tanh(${way.formula})`, result: Math.tanh(way.result) };
  };
  const g = dense(
    "g",
    ["1", "r"],
    1,
    r,
    Float32Array.from({ length: r }, (_, j) => how(0, j).result),
    { how },
  );
  const { logits, probabilities } = answer;
  const columns = likeliest(logits, MOST_WORDS);
  const french = { columns, colNames: columns.map((token) => model.target[token]), of: vocab };
  const U = given(
    dense(
      "U",
      ["r", "v"],
      r,
      columns.length,
      Float32Array.from(
        { length: r * columns.length },
        (_, at) => W["decoder.U"][Math.floor(at / columns.length) * vocab + columns[at % columns.length]],
      ),
      french,
    ),
  );
  const bias = columns.map((token) => W["decoder.b_U"][token]);
  const z = dense(
    "z",
    ["1", "v"],
    1,
    columns.length,
    Float32Array.from(columns, (token) => logits[token]),
    {
      ...french,
      how: product(g, U, { bias, biasName: "b_U" }),
    },
  );
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
  const P = dense(
    "P",
    ["1", "v"],
    1,
    columns.length,
    Float32Array.from(columns, (token) => probabilities[token]),
    {
      ...french,
      kind: "share",
      how: (_, j) => ({
        formula: `exp(z[1, ${columns[j]}]) / Σ exp(z)`,
        share: [z.numbers[j], total],
        result: Math.exp(z.numbers[j]) / total,
        strips: [],
      }),
    },
  );
  return [
    scene("H", [["x", "→ two cells read it, from both ends →", "H"]], x, H),
    scene("q", [["q", "= the decoder's state before this word"]], q),
    scene("K", [["H", "·", "W_k", "=", "K"]], H, W_k, K),
    scene(
      "S",
      [
        ["q", "·", "W_q", "=", "u"],
        ["tanh(", "u", "+", "K", ") =", "T"],
        ["T", "·", "w", "=", "S"],
      ],
      q,
      W_q,
      p,
      K,
      T,
      w,
      S,
    ),
    scene("A", [["softmax(", "S", ") =", "A"]], S, A),
    scene("C", [["A", "·", "H", "=", "C"]], A, H, C),
    scene(
      "P",
      [
        ["f(", "q", ",", "y", ",", "C", ") =", "sₜ"],
        ["tanh(", "[sₜ, C, y]", "·", "W_r", "+ b) =", "g"],
        ["g", "·", "U", "+ b =", "z"],
        ["softmax(", "z", ") =", "P"],
      ],
      q,
      y,
      C,
      next,
      together,
      W_r,
      g,
      U,
      z,
      P,
    ),
  ];
}
