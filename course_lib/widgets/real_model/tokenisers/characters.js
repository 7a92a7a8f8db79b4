// Classes of characters, as ranges of hexadecimal numbers: "41-5a 61-7a aa" (tools/models/tokeniser_files.py). They
// come with a model's pieces, because a browser may know another year of Unicode than the model's own tokeniser.

/** The inside of a regular expression's brackets (with the flag u): every character of the ranges. */
export const inside = (ranges) => ranges.replaceAll(/[0-9a-f]+/g, "\\u{$&}").replaceAll(" ", "");

/** test(character): is it one of these? */
export function classOf(ranges) {
  const pattern = new RegExp(`^[${inside(ranges)}]$`, "u");
  return (character) => pattern.test(character);
}

/** A text cut before and after each of these pieces; of two that begin at one place the longer one is meant. */
export function around(pieces) {
  const escaped = [...pieces]
    .sort((a, b) => b.length - a.length)
    .map((each) => each.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const pattern = new RegExp(`(${escaped.join("|")})`, "u");
  return (text) => text.split(pattern).filter((part) => part !== "");
}
