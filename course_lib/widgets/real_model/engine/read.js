// Small things that the page and the worker both do with the model's numbers.

/** Probabilities of logits at a temperature above 0. */
export function softmax(logits, temperature = 1) {
  if (!(temperature > 0)) throw Error(`temperature must be above 0, got ${temperature}`);
  let top = -Infinity;
  for (const logit of logits) if (logit > top) top = logit;
  const out = new Float32Array(logits.length);
  let sum = 0;
  for (let i = 0; i < out.length; i++) sum += out[i] = Math.exp((logits[i] - top) / temperature);
  for (let i = 0; i < out.length; i++) out[i] /= sum;
  return out;
}

/**
 * The `top` largest logits in order, with their probabilities; of each asked token its probability and rank, 1 being
 * the likeliest.
 */
export function ranked(logits, top, asked = []) {
  const ids = [];
  let highest = -Infinity;
  for (let i = 0; i < logits.length; i++) {
    if (logits[i] > highest) highest = logits[i];
    if (ids.length === top && logits[i] <= logits[ids[top - 1]]) continue;
    let at = ids.length;
    while (at > 0 && logits[ids[at - 1]] < logits[i]) at--;
    ids.splice(at, 0, i);
    if (ids.length > top) ids.pop();
  }
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i] - highest);
  const probability = (id) => Math.exp(logits[id] - highest) / sum;
  const rank = (id) => logits.reduce((before, logit) => before + (logit > logits[id]), 1);
  return {
    ids,
    probabilities: ids.map(probability),
    asked: asked.map((id) => ({ id, probability: probability(id), rank: rank(id) })),
  };
}

/** The map [n, n] of one head of a result of `run`. */
export function attentionMap({ maps, n }, { heads }, layer, head) {
  const at = (layer * heads + head) * n * n;
  return maps.subarray(at, at + n * n);
}

/** The vectors [layers + 1, d] of one place of a result of `run`. */
export function column({ stream, n }, { layers, d }, place) {
  const rows = new Float32Array((layers + 1) * d);
  for (let l = 0; l <= layers; l++) rows.set(stream.subarray((l * n + place) * d, (l * n + place + 1) * d), l * d);
  return rows;
}

/** The row of `means` for an edit at this head, or this layer's attention or feedForward. */
export function meanOf(means, { heads, m, d }, at, layer, head = 0) {
  if (at === "head") return means.heads.subarray((layer * heads + head) * m, (layer * heads + head + 1) * m);
  return means[at].subarray(layer * d, (layer + 1) * d);
}
