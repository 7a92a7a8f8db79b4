// The tasks of course_lib/tasks.py in the page: the same questions from the same random numbers. The vocabulary, sizes
// and exact lines come from Python as a table; here is how draws are spelled as tokens, and how a reader's own text is
// read.

const PAIRS = 4; // recall: pairs of letter and digit, then as many letters
const ARROW = "→";
const SIGNS = 10; // text: its letters and the sign between words

// Answers that stand behind the question: each is asked for one place before it stands.
const after = (question, answer, arrow) => ({
  tokens: [...question, arrow, ...answer.slice(0, -1)],
  targets: [...question.map(() => -1), ...answer],
});
// One sign after the other, each drawn from the line of its two predecessors.
const signs = (draws, at, follow) => {
  const said = [0, 0];
  for (const draw of draws) said.push(at(follow[said.at(-2) * SIGNS + said.at(-1)][draw]));
  return { tokens: said.slice(1, -1), targets: said.slice(2) };
};
const letters = (solve) => (draws, at) => after(draws, solve(draws), at(ARROW));

const SPELL = {
  reverse: letters((draws) => [...draws].reverse()),
  copy: letters((draws) => [...draws]),
  sort: letters((draws) => [...draws].sort((a, b) => a - b)),
  recall(draws, at) {
    const keys = draws.slice(0, PAIRS);
    const digits = draws.slice(PAIRS, 2 * PAIRS).map((digit) => digit + at("0"));
    const asked = draws.slice(2 * PAIRS).map((pick) => keys[pick]);
    const pairs = keys.flatMap((key, i) => [key, digits[i]]);
    return {
      tokens: [...pairs, ...asked],
      targets: [...pairs.map(() => -1), ...asked.map((key) => digits[keys.indexOf(key)])],
    };
  },
  numbers([hundreds, tens, ones], at) {
    const german = at("ein");
    return after(
      [hundreds, at("hundred"), at("twenty") + tens, ones],
      [german + hundreds, at("hundert"), german + ones, at("und"), at("zwanzig") + tens],
      at(ARROW),
    );
  },
  text: signs,
};

const readLetters = ({ vocabulary, bounds }, text) => {
  const draws = [...text].map((letter) => vocabulary.indexOf(letter));
  return draws.length === bounds.length && draws.every((draw) => draw >= 0 && draw < bounds[0]) ? draws : null;
};

// Text → draws, null where it is no question of this task. Spaces and signs between the tokens do not matter.
const READ = {
  reverse: readLetters,
  copy: readLetters,
  sort: readLetters,
  recall({ vocabulary, bounds }, text) {
    const tokens = [...text].map((sign) => vocabulary.indexOf(sign));
    const zero = vocabulary.indexOf("0");
    const pairs = Array.from({ length: PAIRS }, (_, i) => tokens.slice(2 * i, 2 * i + 2));
    const keys = pairs.map(([key]) => key);
    const digits = pairs.map(([, digit]) => digit - zero);
    const picks = tokens.slice(2 * PAIRS).map((key) => keys.indexOf(key));
    const draws = [...keys, ...digits, ...picks];
    return draws.length === bounds.length && draws.every((draw, i) => draw >= 0 && draw < bounds[i]) ? draws : null;
  },
  numbers({ vocabulary }, text) {
    const digits = /^[1-9][2-9][1-9]$/.test(text) ? [...text].map(Number) : null;
    if (digits) return [digits[0] - 1, digits[1] - 2, digits[2] - 1];
    const parts = text.match(/^(.+)hundred(.+ty)(.+)$/)?.slice(1) ?? [];
    const [hundreds, tens, ones] = parts.map((word) => vocabulary.indexOf(word));
    const draws = [hundreds, tens - vocabulary.indexOf("twenty"), ones];
    return parts.length && draws.every((draw, i) => draw >= 0 && draw < [9, 8, 9][i]) ? draws : null;
  },
  text({ vocabulary, bounds, follow }, text) {
    const said = [..."··", ...text.replaceAll(/[._]/g, "·")].map((sign) => vocabulary.indexOf(sign));
    if (said.length !== bounds.length + 2 || said.includes(-1)) return null;
    const draws = bounds.map((_, i) => follow[said[i] * SIGNS + said[i + 1]].indexOf(vocabulary[said[i + 2]]));
    return draws.includes(-1) ? null : draws;
  },
};
const SIX = "six letters from a to j, like b a d c e f";
const WANTED = {
  reverse: SIX,
  copy: SIX,
  sort: SIX,
  recall: "four pairs of a letter a–f and a digit 0–5, then four letters that occur there, like a3 b1 c2 a4 a c b a",
  numbers: "a number like 354 whose digits are not 0, and whose tens are not 1",
  text:
    "twelve of the letters a e i o n r l s t, with a full stop where a word ends, in an order that occurs, like " +
    "san.torino.a",
};

// table {name, vocabulary, n, bounds, fed, blind, floor, and for text follow} → the task: spell, batch, read, show.
export function makeTask(table) {
  const { name, vocabulary, n, bounds } = table;
  const at = (word) => vocabulary.indexOf(word);
  const spell = (draws) => SPELL[name](draws, at, table.follow);
  return {
    ...table,
    spell,
    wanted: WANTED[name],
    // b questions, drawn row by row: tokens and targets, b·n numbers each.
    batch(generator, b) {
      const tokens = new Int32Array(b * n);
      const targets = new Int32Array(b * n);
      for (let row = 0; row < b; row++) {
        const spelled = spell(bounds.map((bound) => generator.below(bound)));
        tokens.set(spelled.tokens, row * n);
        targets.set(spelled.targets, row * n);
      }
      return { tokens, targets };
    },
    read: (text) => READ[name](table, text.toLowerCase().replaceAll(/[\s,;?|→-]/g, "")),
    // The question as text that `read` takes.
    show(draws) {
      const { tokens, targets } = spell(draws);
      if (table.floor) return targets.map((i) => vocabulary[i]).join(" ");
      const end = tokens.indexOf(at(ARROW));
      return tokens
        .slice(0, end < 0 ? n : end)
        .map((i) => vocabulary[i])
        .join(" ");
    },
  };
}
