// The trainer's settings as short text for the page's address, and back; undefined where the text is none.

const plain = (x) => String(Number(x.toPrecision(6)));
const between = (low, high) => (text) => (text !== "" && Number(text) >= low && Number(text) <= high ? Number(text) : undefined);
const real = (low, high) => ({ write: plain, read: between(low, high) });
const whole = (low, high) => ({ write: String, read: (text) => (/^\d+$/.test(text) ? between(low, high)(text) : undefined) });
const oneOf = (values) => ({ write: String, read: (text) => (values.includes(text) ? text : undefined) });
const or = (word, value, codec) => ({
  write: (x) => (x === value ? word : codec.write(x)),
  read: (text) => (text === word ? value : codec.read(text)),
});

export const CODECS = {
  p: {
    write: (p) => p.map(plain).join(","),
    read: (text) => {
      const p = text.split(",").map((part) => between(0, 1)(part));
      return p.length >= 2 && p.length <= 8 && p.every((x) => x !== undefined) && Math.abs(p.reduce((a, b) => a + b) - 1) < 1e-6
        ? p
        : undefined;
    },
  },
  stickiness: or("none", null, real(-1, 0.99)),
  n: whole(1, 128),
  d: whole(2, 128),
  m: whole(1, 128),
  r: whole(1, 512),
  scale: oneOf(["m", "d"]),
  updates: whole(1, 20_000),
  batch: whole(1, 64),
  sequences: or("fresh", null, whole(64, 20_000)),
  rate: real(1e-5, 1),
  beta_2: real(0.5, 0.9999),
  decay: oneOf(["none", "linear", "cosine"]),
  average: or("none", null, or("tail", "tail", real(0.5, 0.9999))),
  seed: whole(0, 9999),
  speed: or("max", null, real(1, 1000)),
};
