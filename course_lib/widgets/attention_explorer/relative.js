// Positions that stand in attention itself, and heads that share their keys: what a "_relative" graph is given beside
// the rest.
// Twins of course_lib.transformer.rotary and alibi.

export const isRelative = ({ positions, share }) => share > 1 || positions === "rotary" || positions === "alibi";

/** The traced training step of these settings. */
export const graphName = (now) =>
  `train_${now.layers}_${now.norm}${now.residual ? "" : "_plain"}${isRelative(now) ? "_relative" : ""}`;

/** Key heads of h heads of which `share` have one together. */
export const keyHeads = ({ h, share }) => Math.ceil(h / share);

/** {name: numbers} of the inputs groups [h, g], cos, sin [n, m], quarter [m, m] and bias [h, n, n]. */
export function relative({ positions, h, m, share }, n) {
  const g = keyHeads({ h, share });
  const pairs = Math.floor(m / 2);
  const turned = positions === "rotary";
  const filled = (size, entry) => Float32Array.from({ length: size }, (_, at) => entry(at));
  const angle = (at) => {
    const [place, i] = [Math.floor(at / m), Math.floor((at % m) / 2)];
    return turned && i < pairs ? place * 10_000 ** ((-2 * i) / m) : 0;
  };
  const quarter = new Float32Array(m * m);
  for (let i = 0; i < 2 * pairs; i += 2) {
    quarter[(i + 1) * m + i] = 1;
    quarter[i * m + i + 1] = -1;
  }
  const falls = (at) => {
    const [head, row, column] = [Math.floor(at / (n * n)), Math.floor(at / n) % n, at % n];
    return positions === "alibi" ? -(2 ** ((-8 * (head + 1)) / h)) * Math.abs(row - column) : 0;
  };
  return {
    groups: filled(h * g, (at) => (at % g === Math.floor((Math.floor(at / g) * g) / h) ? 1 : 0)),
    cos: filled(n * m, (at) => Math.cos(angle(at))),
    sin: filled(n * m, (at) => Math.sin(angle(at))),
    quarter,
    bias: filled(h * n * n, falls),
  };
}
