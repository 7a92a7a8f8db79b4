// Gauss–Hermite quadrature for the standard normal: Σ weights f(nodes) = E f(Z) for polynomials of degree up to 2 count − 1.

const FAR = 8;
const STRIDE = 0.01;
const known = new Map();

/** The orthonormal Hermite polynomials of degree `count` and `count − 1` at x: h_{k+1} = (x h_k − √k h_{k−1}) / √(k + 1). */
function polynomial(count, x) {
  let before = 0;
  let now = 1;
  for (let k = 0; k < count; k++) [before, now] = [now, (x * now - Math.sqrt(k) * before) / Math.sqrt(k + 1)];
  return [now, before];
}

/** {nodes, weights}, count from 1 to 12, nodes rising. */
export function hermite(count) {
  if (known.has(count)) return known.get(count);
  const nodes = [];
  for (let x = -FAR - STRIDE / 2; x < FAR; x += STRIDE) {
    // no two zeros are so near
    let [low, high] = [x, x + STRIDE];
    if (polynomial(count, low)[0] > 0 === polynomial(count, high)[0] > 0) continue;
    const rising = polynomial(count, high)[0] > 0;
    for (let k = 0; k < 60; k++) {
      const middle = (low + high) / 2;
      if (polynomial(count, middle)[0] > 0 === rising) high = middle;
      else low = middle;
    }
    nodes.push((low + high) / 2);
  }
  const weights = nodes.map((x) => 1 / (count * polynomial(count, x)[1] ** 2));
  known.set(count, { nodes, weights });
  return known.get(count);
}
