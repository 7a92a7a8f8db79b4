// What both models do with what they are given and what they found.

/** Tokens that the model can read, as a list; an Error names what is wrong. */
export function checkedTokens(tokens, { vocab, context }, name = "tokens") {
  const list = Array.from(tokens ?? []);
  if (!list.length || list.length > context) throw Error(`${name} must be 1 to ${context} tokens, got ${list.length}`);
  const bad = list.find((token) => !(Number.isInteger(token) && token >= 0 && token < vocab));
  if (bad !== undefined) throw Error(`${name} must be whole numbers from 0 to ${vocab - 1}, got ${bad}`);
  return list;
}

/** [layers, n, heads, m] → [layers, heads, n, m]. */
export function headsFirst(rows, n, { layers, heads, m }) {
  const out = new Float32Array(rows.length);
  for (let l = 0, from = 0; l < layers; l++)
    for (let t = 0; t < n; t++)
      for (let head = 0; head < heads; head++, from += m)
        out.set(rows.subarray(from, from + m), ((l * heads + head) * n + t) * m);
  return out;
}

/** Means over the n queries of each head from query `first` on. */
export function meanOverQueries(at, n, first) {
  const out = new Float32Array(at.length / n);
  for (let i = 0; i < out.length; i++) {
    let sum = 0;
    for (let t = first; t < n; t++) sum += at[i * n + t];
    out[i] = n > first ? sum / (n - first) : at[i * n];
  }
  return out;
}
