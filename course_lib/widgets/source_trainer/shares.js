// Probabilities that a reader moves: whole numbers of 1/100,000 behind the scenes, so that their sum is exactly 1.

const UNIT = 1e5;

/** Rounds shares that sum to 1 to whole units, the largest remainders up; an exact sum needs no repair later. */
export function whole(shares) {
  const sum = shares.reduce((a, b) => a + b);
  const units = shares.map((share) => (share / sum) * UNIT);
  const floors = units.map(Math.floor);
  let missing = UNIT - floors.reduce((a, b) => a + b);
  const order = units.map((unit, i) => [unit - floors[i], i]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  for (const [, i] of order) if (missing-- > 0) floors[i] += 1;
  return floors.map((unit) => unit / UNIT);
}

/** Token i gets this share; the others keep their proportions (equal shares where all the rest was 0). */
export function move(p, i, share) {
  const rest = 1 - p[i];
  return whole(
    p.map((old, j) => (j === i ? share : rest > 1e-9 ? (old / rest) * (1 - share) : (1 - share) / (p.length - 1))),
  );
}
