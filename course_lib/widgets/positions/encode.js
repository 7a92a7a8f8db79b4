// Positions as numbers: the page's twin of course_lib.transformer.sinusoidal, and binary counting beside it.

/** How many columns belong together: a sine with its cosine, or one bit. */
export const columnsOf = (kind) => (kind === "binary" ? 1 : 2);
export const pairsOf = ({ kind, d }) => d / columnsOf(kind);

/** Radians that pair i turns from one position to the next. Bit i comes round in 2^(i+1) positions. */
export const speed = ({ kind, d, base }, i) => (kind === "binary" ? Math.PI / 2 ** i : base ** ((-2 * i) / d));

/**
 * Where the hand of pair i stands at position p. A bit is 1 while its hand, half a position ahead, is in the lower
 * half.
 */
export const angle = (settings, i, p) => (settings.kind === "binary" ? p + 0.5 : p) * speed(settings, i);

export const bit = (p, i) => Math.floor(p / 2 ** i) % 2;

/** P as rows: n arrays of d numbers. */
export function encode(settings) {
  const { kind, n, d } = settings;
  const pairs = Array.from({ length: pairsOf(settings) }, (_, i) => i);
  const row = (p) =>
    kind === "binary"
      ? pairs.map((i) => bit(p, i))
      : pairs.flatMap((i) => [Math.sin(angle(settings, i, p)), Math.cos(angle(settings, i, p))]);
  return Array.from({ length: n }, (_, p) => row(p)).map((each) => each.slice(0, d));
}

/** The dot product of row p with every row. */
export const dots = (P, p) => P.map((row) => row.reduce((sum, x, c) => sum + x * P[p][c], 0));
