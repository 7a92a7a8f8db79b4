// The settings with their ranges, and as short text for the page's address; null where a text is none.

export const RANGES = { x: [-4, 4], spread: [0.05, 3], angle: [-180, 180], entry: [-2, 2], scale: [0, 3], step: [0.01, 1], layers: [0, 8], n: [10, 500], seed: [0, 9999] };
export const HEADS = 3;

const within = (text, [low, high]) => text.trim() !== "" && Number(text) >= low && Number(text) <= high;
const show = (x) => String(Number(x.toPrecision(4)));
const number = (range) => ({ write: show, read: (text) => (within(text, range) ? Number(text) : null) });
const whole = (range) => ({ write: String, read: (text) => (/^\d+$/.test(text) && within(text, range) ? Number(text) : null) });
const list = (range, counts) => ({
  write: (values) => values.map(show).join(","),
  read(text) {
    const parts = text.split(",");
    return counts.includes(parts.length) && parts.every((part) => within(part, range)) ? parts.map(Number) : null;
  },
});

const entries = list(RANGES.entry, [8, 16, 24]);
/** Eight numbers a head, as it is read: S first, row by row, then M. */
const heads = {
  write: (value) => entries.write(value.flat(3)),
  read(text) {
    const all = entries.read(text);
    return all && Array.from({ length: all.length / 8 }, (_, k) => [0, 4].map((at) => [0, 2].map((row) => all.slice(8 * k + at + row, 8 * k + at + row + 2))));
  },
};
export const CODECS = {
  mean: list(RANGES.x, [2]), spread: list(RANGES.spread, [2]), angle: number(RANGES.angle), heads, scale: number(RANGES.scale), step: number(RANGES.step),
  layers: whole(RANGES.layers), n: whole(RANGES.n), seed: whole(RANGES.seed),
  matched: { write: (on) => (on ? "1" : "0"), read: (text) => ({ 0: false, 1: true })[text] ?? null },
};
