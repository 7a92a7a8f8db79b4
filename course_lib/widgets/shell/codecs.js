// Settings as short text for the page's address, and back: null where a text is none. Ranges are [low, high].

export const within = (text, [low, high]) => text.trim() !== "" && Number(text) >= low && Number(text) <= high;
export const show = (x) => String(Number(x.toPrecision(4)));
export const number = (range) => ({ write: show, read: (text) => (within(text, range) ? Number(text) : null) });
export const whole = (range) => ({
  write: String,
  read: (text) => (/^\d+$/.test(text) && within(text, range) ? Number(text) : null),
});
export const flag = { write: (on) => (on ? "1" : "0"), read: (text) => (text === "0" || text === "1" ? text === "1" : null) };
export const list = (range, counts) => ({
  write: (values) => values.map(show).join(","),
  read(text) {
    const parts = text.split(",");
    return counts.includes(parts.length) && parts.every((part) => within(part, range)) ? parts.map(Number) : null;
  },
});

/** Heads [[S, M], …] of the plane: eight numbers a head, as it is read: S first, row by row, then M. */
export function headsCodec(range, most) {
  const entries = list(
    range,
    Array.from({ length: most }, (_, k) => 8 * (k + 1)),
  );
  return {
    write: (value) => entries.write(value.flat(3)),
    read(text) {
      const all = entries.read(text);
      return (
        all &&
        Array.from({ length: all.length / 8 }, (_, k) =>
          [0, 4].map((at) => [0, 2].map((row) => all.slice(8 * k + at + row, 8 * k + at + row + 2))),
        )
      );
    },
  };
}
