// The widget's settings as short text for the page's address, and back; null where the text is none. Counts start at 1 there.
// undefined stands for None: the reader's own text gone, the moment at the end.

const whole = (low, high, from = 0) => ({
  write: (i) => String(i + from),
  read: (text) => (/^\d+$/.test(text) && Number(text) - from >= low && Number(text) - from <= high ? Number(text) - from : null),
});
export const LONGEST_TEXT = 600;

export const CODECS = {
  text: {
    write: (text) => text ?? "",
    read: (text) => (text === "" ? undefined : text.trim() && text.length <= LONGEST_TEXT ? text : null),
  },
  clauses: whole(1, 6),
  example: whole(0, 7, 1),
  moment: {
    write: (at) => (at === null ? "end" : String(at)),
    read: (text) => (text === "end" ? undefined : whole(0, 199).read(text)),
  },
};
