// The sentence encoder: its layer is a traced graph (tools/page/sentence_encoder.py), planned once for each of a few
// lengths and each layer.

import { Heap, plan } from "../../runtime/graph.js";
import { KERNEL } from "../../runtime/kernel.js";
import { makeEdits } from "./edits.js";
import { checkedTokens, headsFirst, meanOverQueries } from "./results.js";

const ROOMS = [16, 32, 64, 128]; // tokens that a plan has room for
const BIG = 2 ** 112; // what 16-bit floats lack once their bits stand where those of 32-bit floats do

/** 16-bit floats → `into`, from float `at` on. */
function widen(halves, into, at) {
  const bits = new Uint32Array(into.buffer, into.byteOffset, into.length);
  for (let i = 0; i < halves.length; i++) {
    bits[at + i] = ((halves[i] & 0x8000) << 16) | ((halves[i] & 0x7fff) << 13);
    into[at + i] *= BIG;
  }
}

/** Rows of `d` numbers, each to mean 0 and variance 1, then scaled and shifted: in place. */
function normalise(rows, d, weight, bias, epsilon) {
  for (let at = 0; at < rows.length; at += d) {
    let mean = 0;
    let square = 0;
    for (let k = 0; k < d; k++) mean += rows[at + k] / d;
    for (let k = 0; k < d; k++) square += (rows[at + k] - mean) ** 2 / d;
    const times = 1 / Math.sqrt(square + epsilon);
    for (let k = 0; k < d; k++) rows[at + k] = (rows[at + k] - mean) * times * weight[k] + bias[k];
  }
}

/** The model of this manifest; its weights come by `add(part, bytes)`. Edits are heads' and the stream's. */
export function makeEncoder(manifest) {
  const { layers, heads, d, m, r, vocab, context, epsilon } = manifest.config;
  const graph = JSON.parse(manifest.config.graph);
  const heap = new Heap();
  const simd = heap.accelerate(Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0)));
  const size = { d, m, h: heads, r };
  const own = graph.inputs.filter(([name]) => !["x", "mask", "scale", "keep", "put"].includes(name));
  const weights = Array.from({ length: layers }, () =>
    Object.fromEntries(own.map(([name, shape]) => [name, heap.allocate(shape.map((each) => size[each] ?? each))])),
  );
  const vectors = new Uint16Array(vocab * d); // 16 bits, as they came: a sentence looks up a few
  const places = new Float32Array(context * d);
  const norm = { weight: new Float32Array(d), bias: new Float32Array(d) };
  const plans = new Map(); // room → a plan a layer

  function add(part, bytes) {
    for (const { name, part: of, at, bytes: length, first, cols } of manifest.pieces) {
      if (of !== part) continue;
      const halves = new Uint16Array(bytes.slice(at, at + length).buffer);
      const [layer, rest] = [Number.parseInt(name, 10), name.slice(name.indexOf(".") + 1)];
      if (name === "vectors") vectors.set(halves, first * cols);
      else if (name === "places") widen(halves, places, first * cols);
      else if (name.startsWith("norm.")) widen(halves, norm[rest], first * cols);
      else widen(halves, heap.floats, weights[layer][rest].offset + first * cols);
    }
  }

  function planned(room) {
    if (!plans.has(room)) {
      const shapes = { x: [room, d], mask: [room, room], scale: [], keep: [heads, room, 1], put: [heads, room, m] };
      const given = Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, heap.allocate(shape)]));
      plans.set(room, { given, each: weights.map((of) => plan(heap, graph, { ...of, ...given })) });
    }
    return plans.get(room);
  }

  function embedded(tokens) {
    const rows = new Float32Array(tokens.length * d);
    tokens.forEach((token, t) => widen(vectors.subarray(token * d, (token + 1) * d), rows, t * d));
    for (let i = 0; i < rows.length; i++) rows[i] += places[i];
    normalise(rows, d, norm.weight, norm.bias, epsilon);
    return rows;
  }

  /** Edits of heads, as what multiplies and what is added: [heads, room, 1], [heads, room, m]. */
  function changes(edits, layer, n, room) {
    const was = new Float32Array(n * heads * m).fill(Number.NaN); // what an edit sets is a number afterwards
    edits.apply(was, "head", layer, n, 0, 0, heads * m);
    const keep = new Float32Array(heads * room).fill(1);
    const put = new Float32Array(heads * room * m);
    for (let t = 0; t < n; t++)
      for (let head = 0; head < heads; head++) {
        const row = was.subarray((t * heads + head) * m, (t * heads + head + 1) * m);
        if (Number.isNaN(row[0])) continue;
        keep[head * room + t] = 0;
        put.set(row, (head * room + t) * m);
      }
    return { keep, put };
  }

  function run(tokens, { maps = true, stream = true, parts = false, edits = [] } = {}) {
    const started = performance.now();
    const list = checkedTokens(tokens, manifest.config);
    const wrong = edits.findIndex?.(({ at }) => at === "attention" || at === "feedForward") ?? -1;
    if (wrong >= 0) throw Error(`edits[${wrong}].at must be head or stream in this model, got ${edits[wrong].at}`);
    const changed = makeEdits(edits, manifest.config);
    const n = list.length;
    const room = ROOMS.find((each) => each >= n);
    const { given, each } = planned(room);
    const out = { stream: new Float32Array((layers + 1) * n * d), maps: new Float32Array(layers * heads * n * n) };
    if (parts) out.heads = new Float32Array(layers * n * heads * m);
    heap.write(given.scale, [1 / Math.sqrt(m)]);
    heap.write(
      given.mask,
      Float32Array.from({ length: room * room }, (_, i) => Number(i % room < n)),
    );
    const x = new Float32Array(room * d);
    x.set(embedded(list));
    for (let l = 0; l <= layers; l++) {
      changed.apply(x, "stream", l, n, 0, 0, d);
      out.stream.set(x.subarray(0, n * d), l * n * d);
      if (l === layers) break;
      const { keep, put } = changes(changed, l, n, room);
      for (const [name, numbers] of Object.entries({ x, keep, put })) heap.write(given[name], numbers);
      each[l].run();
      const result = each[l].outputs;
      const seen = heap.read(result.weights);
      for (let head = 0; head < heads; head++)
        for (let t = 0; t < n; t++) {
          const from = (head * room + t) * room;
          out.maps.set(seen.subarray(from, from + n), ((l * heads + head) * n + t) * n);
        }
      if (parts) {
        const wrote = heap.read(result.heads);
        for (let t = 0; t < n; t++)
          for (let head = 0; head < heads; head++) {
            const from = (head * room + t) * m;
            out.heads.set(wrote.subarray(from, from + m), ((l * n + t) * heads + head) * m);
          }
      }
      x.set(heap.read(result.output));
    }
    if (parts) out.heads = headsFirst(out.heads, n, manifest.config);
    Object.assign(out, statistics(out.maps, n));
    if (!maps) out.maps = undefined;
    if (!stream) out.stream = undefined;
    return { n, logits: null, ...out, ms: performance.now() - started };
  }

  return { config: manifest.config, kind: simd ? "simd" : "script", add, run };
}

/**
 * Of each query: its effective keys, 1/Σ w², and the spread of its scores, which is that of its weights' logarithms.
 */
function statistics(maps, n) {
  const spreadAt = new Float32Array(maps.length / n);
  const effectiveAt = new Float32Array(maps.length / n);
  for (let query = 0; query < spreadAt.length; query++) {
    const logs = Array.from(maps.subarray(query * n, (query + 1) * n), (weight) => Math.log(Math.max(weight, 1e-38)));
    const mean = logs.reduce((sum, each) => sum + each, 0) / n;
    spreadAt[query] = Math.sqrt(logs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / n);
    effectiveAt[query] = 1 / logs.reduce((sum, each) => sum + Math.exp(2 * each), 0);
  }
  return {
    spreadAt,
    effectiveAt,
    spread: meanOverQueries(spreadAt, n, 0),
    effective: meanOverQueries(effectiveAt, n, 0),
  };
}
