// One head of softmax attention in the plane, for some queries over weighted tokens. Points are a Float64Array x₀ y₀ x₁
// y₁ …; a head is [S, M] with S = W_Q W_Kᵀ and M = W_V W_O; tokens are rows, maps act from the right.

/**
 * Adds ε · head to `out` for the queries from..to of `x`. tokens: {x, log, blur}: places, the logarithms of their
 * weights (a common term does not matter), and σ² where each stands for a round Gaussian, by the closed form: a score
 * p·y is tilted by e^{p·y}, which moves the mean of N(y, σ²I) by σ²p and weighs all tokens alike. scores: room for a
 * number a token.
 * Returns the sum over the queries of the effective number of tokens, 1/Σ w².
 */
export function look(x, out, { x: y, log, blur = 0 }, [S, M], { scale, step }, from, to, scores) {
  const n = log.length;
  let seen = 0;
  for (let i = 2 * from; i < 2 * to; i += 2) {
    const p = scale * (x[i] * S[0][0] + x[i + 1] * S[1][0]);
    const q = scale * (x[i] * S[0][1] + x[i + 1] * S[1][1]);
    let top = -Infinity;
    for (let j = 0; j < n; j++) {
      const score = log[j] + p * y[2 * j] + q * y[2 * j + 1];
      scores[j] = score;
      if (score > top) top = score;
    }
    let total = 0;
    let squares = 0;
    let u = 0;
    let v = 0;
    for (let j = 0; j < n; j++) {
      const weight = Math.exp(scores[j] - top); // the largest score is taken off: no overflow
      total += weight;
      squares += weight * weight;
      u += weight * y[2 * j];
      v += weight * y[2 * j + 1];
    }
    u = u / total + blur * p;
    v = v / total + blur * q;
    out[i] += step * (u * M[0][0] + v * M[1][0]);
    out[i + 1] += step * (u * M[0][1] + v * M[1][1]);
    seen += (total * total) / squares;
  }
  return seen;
}
