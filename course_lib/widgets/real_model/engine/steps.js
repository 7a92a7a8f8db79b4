// The steps of today's block that are no product with a map, on vectors that lie one behind the other: the twins of
// rms_norm, rotate, swiglu and attend in course_lib.

/** n vectors of weight.length numbers at `from`, each by its root mean square, times weight → at `to`. */
export function rmsNorm(F, n, from, weight, epsilon, to) {
  const d = weight.length;
  for (let t = 0; t < n; t++, from += d, to += d) {
    let sum = 0;
    for (let k = 0; k < d; k++) sum += F[from + k] * F[from + k];
    const times = 1 / Math.sqrt(sum / d + epsilon);
    for (let k = 0; k < d; k++) F[to + k] = F[from + k] * times * weight[k];
  }
}

/**
 * Cosines and sines of place·base^(−2i/m): [places, m/2] each. Angles are rounded as the reader rounds them, to 32
 * bits.
 */
export function turns(places, m, base) {
  const cosines = new Float32Array((places * m) / 2);
  const sines = new Float32Array((places * m) / 2);
  for (let p = 0, at = 0; p < places; p++)
    for (let i = 0; i < m; i += 2, at++) {
      const angle = Math.fround(p * Math.fround(base ** (-i / m)));
      cosines[at] = Math.cos(angle);
      sines[at] = Math.sin(angle);
    }
  return { cosines, sines };
}

/** Turn neighbouring coordinates of n rows of `heads` vectors [m] at `at`, whose first row is at `place`. */
export function rotate(F, n, at, heads, m, place, { cosines, sines }) {
  for (let t = 0; t < n; t++)
    for (let head = 0; head < heads; head++)
      for (let i = 0, turn = ((place + t) * m) / 2; i < m; i += 2, turn++, at += 2) {
        const even = F[at];
        const odd = F[at + 1];
        F[at] = even * cosines[turn] - odd * sines[turn];
        F[at + 1] = even * sines[turn] + odd * cosines[turn];
      }
}

/** gate ← silu(gate) · up, `count` numbers. */
export function swiglu(F, count, gate, up) {
  for (let i = 0; i < count; i++) F[gate + i] = (F[gate + i] / (1 + Math.exp(-F[gate + i]))) * F[up + i];
}

/** F[to …] += F[from …], `count` numbers. */
export function add(F, count, to, from) {
  for (let i = 0; i < count; i++) F[to + i] += F[from + i];
}

/**
 * Each of n queries, the first of them at `place`, looks at the keys up to its own place. Queries F[q …] and results
 * F[out …] are
 * [n, heads, m]; keys and values [places, keyHeads, m], heads/keyHeads queries to a key. `seen(t, head, weights,
 * spread)` hears each query's weights and the standard deviation of its scores.
 */
export function attend(F, n, q, keys, values, out, { heads, keyHeads, m }, place, weights, seen) {
  const width = keyHeads * m;
  const scale = 1 / Math.sqrt(m);
  for (let t = 0; t < n; t++)
    for (let head = 0; head < heads; head++, q += m, out += m) {
      const first = Math.floor((head * keyHeads) / heads) * m;
      const many = place + t + 1;
      let top = -Infinity;
      let total = 0;
      let squares = 0;
      for (let s = 0, k = first; s < many; s++, k += width) {
        let score = 0;
        for (let i = 0; i < m; i++) score += F[q + i] * keys[k + i];
        score *= scale;
        weights[s] = score;
        total += score;
        if (score > top) top = score;
      }
      const mean = total / many;
      let sum = 0;
      for (let s = 0; s < many; s++) {
        squares += (weights[s] - mean) ** 2;
        weights[s] = Math.exp(weights[s] - top);
        sum += weights[s];
      }
      for (let i = 0; i < m; i++) F[out + i] = 0;
      for (let s = 0, v = first; s < many; s++, v += width) {
        weights[s] /= sum;
        const weight = weights[s];
        for (let i = 0; i < m; i++) F[out + i] += weight * values[v + i];
      }
      seen?.(t, head, weights, Math.sqrt(squares / many));
    }
}
