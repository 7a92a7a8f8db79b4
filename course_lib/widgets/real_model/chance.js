// Chance, from a seed: the part that is erased as a control.

/** Numbers from 0 to 1, the same for a seed. */
export function randomOf(seed) {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0; // mulberry32
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Another part of the same kind: any other head, or the same part of another layer. */
export function drawn(seed, { layers, heads, layer, part }) {
  const random = randomOf(seed);
  if (part >= heads) {
    const other = Math.floor(random() * (layers - 1));
    return { layer: other + (other >= layer), part };
  }
  const at = Math.floor(random() * (layers * heads - 1));
  const other = at + (at >= layer * heads + part);
  return { layer: Math.floor(other / heads), part: other % heads };
}
