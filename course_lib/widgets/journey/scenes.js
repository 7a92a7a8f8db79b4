// What there is to see at a stop: its matrices, the equation that joins them, and how each entry came about.
//
// scene(context, station) → { matrices: {id: matrix}, lines: [[id or sign…]…], main: id, heads: has it heads?, side }.
// An entry of a line that is no matrix is a sign between two. context: {model, results, source, target (token numbers),
// layer, head}.

import { sinusoidal } from "../runtime/shipped.js";
import { dense, learned, norm, product, sideBySide, slice, softmax, sum, times, wave } from "./matrices.js";

export const MOST_WORDS = 12; // columns of logits and probabilities that are shown

/** The token numbers from the largest logit of the last row down. */
export function ranking({ model, results, target }) {
  const v = model.target.length;
  const last = results.logits.numbers.subarray((target.length - 1) * v, target.length * v);
  return Array.from(last.keys()).sort((a, b) => last[b] - last[a]);
}

function tools(context) {
  const { model, results, source, target, layer, head } = context;
  const { parameters, config } = model;
  const words = {
    source: source.map((token) => model.source[token]),
    target: target.map((token) => model.target[token]),
  };
  const tall = { source: "s", target: "n" };
  const put = (name, letters, { rows, cols, numbers }, more) => dense(name, letters, rows, cols, numbers, more);
  return {
    config,
    words,
    tall,
    /** A result with a row for each token of a side. */
    result: (key, name, side, wide, more) =>
      put(name, [tall[side], wide], slice(results[key]), { rowNames: words[side], ...more }),
    ofHead: (key, name, side, wide, more) =>
      put(name, [tall[side], wide], slice(results[key], head), { rowNames: words[side], ...more }),
    joined: (key, name, side, more) =>
      put(name, [tall[side], "h·m"], sideBySide(results[key]), { rowNames: words[side], ...more }),
    parameter: (key, name, letters, more) => given(put(name, letters, slice(parameters[key]), more)),
    parameterOfHead: (key, name, letters) => given(put(name, letters, slice(parameters[key], head))),
    flat(key, name, letters) {
      const {
        shape: [h, m, d],
        numbers,
      } = parameters[key];
      return given(dense(name, letters, h * m, d, numbers));
    },
    vector: (key) => parameters[key].numbers,
    in: (part) => (key) => `${part}.${layer}.${key}`,
    block: (part) => (key) => `${part}.blocks.${layer}.${key}`,
  };
}
const given = (matrix) => Object.assign(matrix, { given: true, how: learned(() => matrix) });
const byId = (list) => Object.fromEntries(list.map((matrix) => [matrix.id, matrix]));
const scene = (side, main, lines, list, heads = false) => ({ side, main, lines, heads, matrices: byId(list) });

/** The one-hot rows, with the columns left out that hold only zeros. */
function oneHot(t, tokens, side, v) {
  const columns = [...new Set(tokens)].sort((a, b) => a - b);
  const numbers = new Float32Array(tokens.length * columns.length);
  tokens.forEach((token, i) => {
    numbers[i * columns.length + columns.indexOf(token)] = 1;
  });
  const names = t.words[side];
  return dense("one-hot", [t.tall[side], "v"], tokens.length, columns.length, numbers, {
    kind: "share",
    rowNames: names,
    columns,
    of: v,
    tokens,
    colNames: columns.map((token) => names[tokens.indexOf(token)]),
    how: (i, j) => ({
      formula:
        tokens[i] === columns[j]
          ? `1, because “${names[i]}” has number ${columns[j]}`
          : `0, because “${names[i]}” has number ${tokens[i]}, not ${columns[j]}`,
      result: Number(tokens[i] === columns[j]),
      strips: [],
    }),
  });
}

function embedding(t, side, tokens, v) {
  const hot = oneHot(t, tokens, side, v);
  const { d } = t.config;
  const root = t.config.root_d === false ? 1 : Math.sqrt(d);
  const E = t.parameter(`${side}_embedding.E`, "E", ["v", "d"], { first: 0 });
  const rows = t.result(`${side}.embedding`, "rows", side, "d", {
    how: (i, j) => ({
      formula: `E[${tokens[i]}, ${j + 1}]: “${t.words[side][i]}” picks row ${tokens[i]} of E`,
      result: E.numbers[tokens[i] * d + j],
      strips: [],
    }),
  });
  const scaled = t.result(`${side}.scaled`, "embedded", side, "d", { how: times(rows, root, "√d") });
  return { hot, E, rows, scaled };
}
const embeddingScene = (main) => (t, side, tokens, v) => {
  const { hot, E, rows, scaled } = embedding(t, side, tokens, v);
  return scene(
    side,
    main,
    [
      ["one-hot", "·", "E", "=", "rows"],
      ["√d ·", "rows", "=", "embedded"],
    ],
    [hot, E, rows, scaled],
  );
};
function position(t, side, tokens, v) {
  const { scaled } = embedding(t, side, tokens, v);
  const { d } = t.config;
  const n = tokens.length;
  const P = dense("P", [t.tall[side], "d"], n, d, sinusoidal(n, d), { rowNames: t.words[side], how: wave(d) });
  const x = t.result(`${side}.sum`, "x", side, "d", { how: sum(scaled, P) });
  return scene(side, "x", [["embedded", "+", "P", "=", "x"]], [scaled, P, x]);
}

// ---- Attention. part: "encoder" or "decoder"; cross: the decoder looks at the encoder's memory.
function attention(context, station) {
  const t = tools(context);
  const [which, step] = station.split("_");
  const cross = which === "cross";
  const part = which === "encoder" ? "encoder" : "decoder";
  const side = part === "encoder" ? "source" : "target";
  const keys = cross || part === "encoder" ? "source" : "target";
  const name = t.in(part);
  const block = t.block(part);
  const own = cross ? "cross_" : "";
  const set = cross ? "cross_attention" : "attention";
  const masked = part === "decoder" && !cross ? (i, j) => j > i : () => false;
  const before = cross
    ? name("after_attention")
    : context.layer === 0
      ? `${side}.sum`
      : `${part}.${context.layer - 1}.output`;
  const x = t.result(before, cross ? "x′" : "x", side, "d");
  const wrap = block(cross ? "around_cross_attention.norm" : "around_attention.norm");
  const normed = t.result(name(`${own}normed`), "normed", side, "d", {
    how: norm(x, t.vector(`${wrap}.gain`), t.vector(`${wrap}.bias`)),
  });
  const memory = cross ? t.result("memory", "memory", "source", "d") : normed;
  const weightsOf = (letter) => t.parameterOfHead(block(`${set}.W_${letter}`), `W_${letter}`, ["d", "m"]);
  const [WQ, WK, WV] = ["Q", "K", "V"].map(weightsOf);
  const Q = t.ofHead(name(`${own}Q`), "Q", side, "m", { how: product(normed, WQ) });
  const K = t.ofHead(name(`${own}K`), "K", keys, "m", { how: product(memory, WK) });
  const V = t.ofHead(name(`${own}V`), "V", keys, "m", { how: product(memory, WV) });
  const map = { colNames: t.words[keys], masked };
  const scores = t.ofHead(name(`${own}scores`), "scores", side, t.tall[keys], {
    ...map,
    how: product(Q, K, { transposed: true, factor: t.config.m ** -0.5, factorName: " / √m" }),
  });
  const weights = t.ofHead(name(`${own}weights`), "weights", side, t.tall[keys], {
    ...map,
    kind: "share",
    how: softmax(scores, masked),
  });
  const mixed = t.ofHead(name(`${own}heads`), "mix", side, "m", { how: product(weights, V) });
  if (step === "read") {
    const lines = [
      ["norm", x.id, "=", "normed"],
      ...(cross
        ? [
            ["normed", "·", "W_Q", "=", "Q"],
            ["memory", "·", "W_K", "W_V", "=", "K", "V"],
          ]
        : [["normed", "·", "W_Q", "W_K", "W_V", "=", "Q", "K", "V"]]),
    ];
    return scene(side, "Q", lines, [x, normed, memory, WQ, WK, WV, Q, K, V], true);
  }
  if (step === "scores") return scene(side, "scores", [["Q", "·", "K", "ᵀ / √m =", "scores"]], [Q, K, scores], true);
  if (step === "weights")
    return scene(side, "weights", [["softmax", "scores", "=", "weights"]], [scores, weights], true);
  if (step === "mix") return scene(side, "mix", [["weights", "·", "V", "=", "mix"]], [weights, V, mixed], true);
  const heads = t.joined(name(`${own}heads`), "mixes", side, {
    how: (i, j) => ({
      formula: `mix[${i + 1}, ${(j % t.config.m) + 1}] of head ${Math.floor(j / t.config.m) + 1}`,
      result: entryOf(heads, i, j),
      strips: [],
    }),
  });
  const WO = t.flat(block(`${set}.W_O`), "W_O", ["h·m", "d"]);
  const answer = t.result(name(`${own}attention`), "attention", side, "d", { how: product(heads, WO) });
  const after = t.result(name(`after_${own}attention`), cross ? "x″" : "x′", side, "d", { how: sum(x, answer) });
  return scene(
    side,
    after.id,
    [
      ["mixes", "·", "W_O", "=", "attention"],
      [x.id, "+", "attention", "=", after.id],
    ],
    [heads, WO, answer, x, after],
  );
}
const entryOf = ({ numbers, cols }, i, j) => numbers[i * cols + j];

function think(context, station) {
  const t = tools(context);
  const [part, step] = station.split("_");
  const side = part === "encoder" ? "source" : "target";
  const name = t.in(part);
  const block = t.block(part);
  const mark = part === "encoder" ? "x′" : "x″";
  const wrap = block("around_feed_forward.norm");
  const x = t.result(name(part === "encoder" ? "after_attention" : "after_cross_attention"), mark, side, "d");
  const normed = t.result(name("ffn_normed"), "normed", side, "d", {
    how: norm(x, t.vector(`${wrap}.gain`), t.vector(`${wrap}.bias`)),
  });
  const W1 = t.parameter(block("feed_forward.W_1"), "W_1", ["d", "r"]);
  const W2 = t.parameter(block("feed_forward.W_2"), "W_2", ["r", "d"]);
  const bias = (key) => ({ bias: t.vector(block(`feed_forward.${key}`)), biasName: key });
  const hidden = t.result(name("hidden"), "hidden", side, "r", {
    how: product(normed, W1, { ...bias("b_1"), relu: true }),
  });
  if (step === "hidden")
    return scene(
      side,
      "hidden",
      [
        ["norm", x.id, "=", "normed"],
        ["max(0,", "normed", "·", "W_1", "+ b_1) =", "hidden"],
      ],
      [x, normed, W1, hidden],
    );
  const ffn = t.result(name("ffn"), "ffn", side, "d", { how: product(hidden, W2, bias("b_2")) });
  const output = t.result(name("output"), "output", side, "d", { how: sum(x, ffn) });
  return scene(
    side,
    "output",
    [
      ["hidden", "·", "W_2", "+ b_2 =", "ffn"],
      [x.id, "+", "ffn", "=", "output"],
    ],
    [hidden, W2, ffn, x, output],
  );
}

function last(context, part) {
  const t = tools(context);
  const side = part === "encoder" ? "source" : "target";
  const end = part === "encoder" ? "memory" : "final";
  const layers = context.model.config.layers;
  const x = t.result(`${part}.${layers - 1}.output`, "output", side, "d");
  const vector = (key) => t.vector(`${part}.final_norm.${key}`);
  const result = t.result(end, end, side, "d", { how: norm(x, vector("gain"), vector("bias")) });
  return { t, scene: scene(side, end, [["norm", "output", "=", end]], [x, result]), result };
}

function answer(context, station) {
  const { t, result: final } = last(context, "decoder");
  const { model, results } = context;
  const v = model.target.length;
  const columns = ranking(context).slice(0, MOST_WORDS);
  const n = context.target.length;
  const some = ({ numbers }) =>
    Float32Array.from(
      { length: n * columns.length },
      (_, at) => numbers[Math.floor(at / columns.length) * v + columns[at % columns.length]],
    );
  const E = t.parameter("target_embedding.E", "E", ["v", "d"], { first: 0 });
  const all = dense("logits", ["n", "v"], n, v, results.logits.numbers, { firstColumn: 0 });
  const shown = { rowNames: t.words.target, columns, of: v, colNames: columns.map((token) => model.target[token]) };
  const through = (how) => (i, j) => how(i, columns[j]);
  const logits = dense("logits", ["n", "v"], n, columns.length, some(results.logits), {
    ...shown,
    how: through(product(final, E, { transposed: true })),
  });
  const shares = dense("probabilities", ["n", "v"], n, columns.length, some(results.probabilities), {
    ...shown,
    kind: "share",
    how: through(softmax(all)),
  });
  return station === "logits"
    ? scene("target", "logits", [["final", "·", "E", "ᵀ =", "logits"]], [final, E, logits])
    : scene("target", "probabilities", [["softmax", "logits", "=", "probabilities"]], [logits, shares]);
}

export function sceneOf(context, station) {
  const t = tools(context);
  const { model, source, target } = context;
  const english = ["source", source, model.source.length];
  const french = ["target", target, model.target.length];
  switch (station) {
    case "words":
      return { side: "source", list: source.map((token) => ({ word: model.source[token], token })) };
    case "target_words":
      return { side: "target", list: target.map((token) => ({ word: model.target[token], token })) };
    case "one_hot":
      return embeddingScene("one-hot")(t, ...english);
    case "embedding":
      return embeddingScene("embedded")(t, ...english);
    case "target_embedding":
      return embeddingScene("embedded")(t, ...french);
    case "position":
      return position(t, ...english);
    case "target_position":
      return position(t, ...french);
    case "memory":
      return last(context, "encoder").scene;
    case "final":
      return last(context, "decoder").scene;
    case "logits":
    case "softmax":
      return answer(context, station);
    default:
      return /_(hidden|output)$/.test(station) ? think(context, station) : attention(context, station);
  }
}
