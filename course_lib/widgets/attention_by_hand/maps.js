// The three maps. Rows are vectors, x ↦ x·W.

export const NAMES = { W_Q: "query", W_K: "key", W_V: "value" };
export const MATRICES = Object.keys(NAMES);

/** W turns x anticlockwise and multiplies its length. */
export const fromDial = (degrees, stretch) => {
  const c = Math.cos((degrees * Math.PI) / 180);
  const s = Math.sin((degrees * Math.PI) / 180);
  return [
    [stretch * c, stretch * s],
    [-stretch * s, stretch * c],
  ];
};
/** The turn and stretch nearest to W; pure says whether they are all of it. */
export function toDial([[a, b], [c, d]]) {
  const p = (a + d) / 2;
  const q = (b - c) / 2;
  const stretch = Math.hypot(p, q);
  return {
    angle: stretch < 1e-9 ? null : (Math.atan2(q, p) * 180) / Math.PI,
    stretch,
    pure: Math.hypot(a - d, b + c) < 1e-3,
  };
}
