// The widget's settings as short text for the page's address, and back; null where the text is none. Settings that may be None write
// it as a word: moment "end", head "mean", top_k "all".

const whole = (low, high) => ({
  write: String,
  read: (text) => (/^\d+$/.test(text) && Number(text) >= low && Number(text) <= high ? Number(text) : null),
});
const from1 = (high) => ({
  write: (i) => String(i + 1),
  read: (text) => {
    const i = whole(1, high).read(text);
    return i === null ? null : i - 1;
  },
});
const or = (word, codec) => ({
  write: (x) => (x === null ? word : codec.write(x)),
  read: (text) => (text === word ? undefined : codec.read(text)),
});
const between = (low, high) => ({
  write: (x) => String(Number(x.toPrecision(3))),
  read: (text) => (text !== "" && Number(text) >= low && Number(text) <= high ? Number(text) : null),
});
const words = (most) => ({ write: (text) => text, read: (text) => (text.length <= most ? text : null) });
const sentence = (most) => ({ write: (text) => text, read: (text) => (text.trim() && text.length <= most ? text : null) });
const flag = { write: (on) => (on ? "1" : "0"), read: (text) => (text === "0" || text === "1" ? text === "1" : null) };

const shared = { layer: or("last", from1(12)), head: or("mean", from1(16)) };
export const CODECS = {
  translator: {
    text: sentence(200),
    width: whole(1, 6),
    length_power: between(0, 1.5),
    moment: or("end", whole(0, 99)),
    hypothesis: from1(99),
    ...shared,
  },
  towns: {
    text: words(40),
    drawn: words(200),
    seed: whole(0, 9999),
    temperature: between(0.1, 5),
    top_k: or("all", whole(1, 99)),
    top_p: between(0.05, 1),
    listed: flag,
    ...shared,
  },
};
/** What a codec's `read` gives as a setting: undefined is the word for None. Returns [known, value]. */
export const decoded = (value) => (value === null ? [false, null] : [true, value === undefined ? null : value]);
