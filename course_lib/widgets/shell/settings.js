// Settings of a widget as its settings.json declares them (course_lib/widgets/settings.py says how): as short text for
// the page's address and back. A codec is {write, read}; read gives null where the text is none of what the setting
// takes, and NONE for None.

export const NONE = undefined;
const DIGITS = 4;

const within = (text, [low, high]) => text.trim() !== "" && Number(text) >= low && Number(text) <= high;
const show = (digits) => (x) => String(Number(x.toPrecision(digits)));
const rounded = (places) => (x) => String(Number(x.toFixed(places)) + 0); // + 0: no negative zero

export const numbers = (range, counts, digits = DIGITS) => ({
  write: (values) => values.map(show(digits)).join(","),
  read(text) {
    const parts = text.split(",");
    return counts.includes(parts.length) && parts.every((part) => within(part, range)) ? parts.map(Number) : null;
  },
});

/** Heads [[S, M], …] of the plane: eight numbers a head, as it is read: S first, row by row, then M. */
function heads(range, most, digits) {
  const entries = numbers(
    range,
    Array.from({ length: most }, (_, k) => 8 * (k + 1)),
    digits,
  );
  const matrix = (all, at) => [all.slice(at, at + 2), all.slice(at + 2, at + 4)];
  return {
    write: (value) => entries.write(value.flat(3)),
    read(text) {
      const all = entries.read(text);
      return all && Array.from({ length: all.length / 8 }, (_, k) => [matrix(all, 8 * k), matrix(all, 8 * k + 4)]);
    },
  };
}

const KINDS = {
  number: ({ takes, digits = DIGITS, places }) => ({
    write: places === undefined ? show(digits) : rounded(places),
    read: (text) => (within(text, takes) ? Number(text) : null),
  }),
  whole: ({ takes, from = 0, step = 1 }) => ({
    write: (i) => String(i + from),
    read(text) {
      const i = Number(text) - from;
      return /^\d+$/.test(text) && within(String(i), takes) && i % step === 0 ? i : null;
    },
  }),
  text: ({ takes: [least, most] }) => ({
    write: String,
    read: (text) => (text.length <= most && (!least || text.trim()) ? text : null),
  }),
  own: () => null, // no link holds it, or the widget brings the codec
  flag: () => ({
    write: (on) => (on ? "1" : "0"),
    read: (text) => (text === "0" || text === "1" ? text === "1" : null),
  }),
  option: ({ takes }) => ({ write: String, read: (text) => takes.find((each) => String(each) === text) ?? null }),
  order: ({ takes }) => ({ write: String, read: (text) => (takes.includes(text.replace(/^-/, "")) ? text : null) }),
  names: ({ takes }) => ({
    write: (names) => names.join(","),
    read(text) {
      const asked = text === "" ? [] : text.split(",");
      return asked.every((name) => takes.includes(name)) ? takes.filter((name) => asked.includes(name)) : null;
    },
  }),
  numbers: ({ takes, counts, digits }) => numbers(takes, counts, digits),
  heads: ({ takes, most, digits }) => heads(takes, most, digits),
};

const orNone = (word, codec) => ({
  write: (value) => (value === null ? word : codec.write(value)),
  read: (text) => (text === word ? NONE : codec.read(text)),
});

const alike = (a, b) =>
  Array.isArray(a)
    ? Array.isArray(b) && a.length === b.length && a.every((part, i) => alike(part, b[i]))
    : typeof a === typeof b;

/** Is this what the setting takes? A notebook from elsewhere may hold anything. */
export function sound(codec, value) {
  if (value === null && codec.start === null) return true;
  try {
    const back = codec.read(codec.write(value));
    return back === NONE ? value === null : back !== null && alike(back, value);
  } catch {
    return false; // another type
  }
}

/** name → codec of each setting, with its default; `own`: name → codec for those whose kind does not say all. */
export function codecsOf(declared, own = {}) {
  const codec = ([name, each]) => [name, own[name] ?? KINDS[each.kind](each)];
  const whole = ([name, each]) =>
    each.none === undefined ? codec([name, each]) : [name, orNone(each.none, codec([name, each])[1])];
  const made = Object.entries(declared).map(whole);
  return Object.fromEntries(made.map(([name, codec]) => [name, codec && { ...codec, start: declared[name].default }]));
}

/** name → what it takes: the range of a dial, the options of a choice. */
export const takesOf = (declared) =>
  Object.fromEntries(Object.entries(declared).map(([name, { takes }]) => [name, takes]));
