// A formula that a reader types, read by a small grammar and given its value at a point. Nothing is evaluated as code.
// No DOM here.
//
//     sum      product (("+" | "-") product)*
//     product  signed (("*" | "/" | nothing) signed)*      nothing: a product without a sign, `2 n^2 d`
//     signed   ("-" | "+") signed | power                  so -x^2 is -(x^2)
//     power    atom ("^" signed)?                          so 2^3^2 is 2^(3^2); `x²` is x^2
//     atom     number | name | function "(" sum ")" | "√" atom | "(" sum ")"
//
// A word that is no name is a product of names, `s₀s₁` or `ne^t`, where it can be cut into them in one way only.
// A tree is an array: ["number", 2, "2"] with the text as typed, ["name", "x"], ["-", tree] for the sign, ["+" | "-" |
// "*" | "/" | "^", tree, tree], ["call", "exp", tree]. An author's formulas are valued by
// course_lib/exercises/evaluate.py; tests hold the two together.

const LARGE = "That number is too large to read.";
const LENGTH = 200;
const DEPTH = 40;
const FUNCTIONS = {
  exp: Math.exp,
  ln: Math.log,
  log2: Math.log2,
  sqrt: Math.sqrt,
  sin: Math.sin,
  cos: Math.cos,
  tanh: Math.tanh,
  abs: Math.abs,
  sigmoid: (x) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x))), // the form that cannot overflow
};
const CONSTANTS = { e: Math.E, pi: Math.PI };
const ALIASES = { log: "ln", logistic: "sigmoid", sigma: "sigmoid" };
const GREEK = Object.fromEntries(
  (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi " +
    "psi omega " +
    "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
  )
    .split(" ")
    .map((name, i) => [name, "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"[i]]),
);
const LETTERS = { ...Object.fromEntries(Object.entries(GREEK).map(([name, letter]) => [letter, name])), ς: "sigma" };
const TIMES = "·⋅∙•×∗";
const SIGNS = { ...Object.fromEntries([...TIMES].map((sign) => [sign, "*"])), "÷": "/", "∕": "/", "⁄": "/", "**": "^" };
// Thousands stand in threes; a decimal mark is a point or a comma.
const NUMERAL = [
  "[1-9][0-9]{0,2}(?: [0-9]{3})+(?![0-9])(?:[.,][0-9]+)?",
  "[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])(?:\\.[0-9]*)?",
  "[1-9][0-9]{0,2}(?:\\.[0-9]{3})+,[0-9]+",
  "[1-9][0-9]{0,2}(?:\\.[0-9]{3}){2,}(?![0-9])",
  "[0-9]+(?:[.,][0-9]+|\\.)?",
  "[.,][0-9]+",
].join("|");
const TOKEN = new RegExp(
  [
    `(?<number>(?:${NUMERAL})(?:[eE][-+]?[0-9]+)?)`,
    "(?<name>[A-Za-zα-ωΑ-Ω][A-Za-zα-ωΑ-Ω0-9_₀-₉]*|√)",
    "(?<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)",
    `(?<sign>\\*\\*|[-+*/^()÷∕⁄${TIMES}])`,
  ].join("|"),
  "uy",
);
const EITHER = /^[1-9][0-9]{0,2},[0-9]{3}(?:e|$)/i;
const RAISED_POINT = /(?:^|[^0-9.,])(0[·⋅∙•][0-9]+)/;
const LOWERED = "₀₁₂₃₄₅₆₇₈₉";
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
export const LEVEL = { "+": 1, "-": 1, "*": 2, "/": 2, "^": 4 };
const has = (object, name) => Object.hasOwn(object, name); // "constructor" is no function of ours

/** What a reader typed cannot be read: the message says where. */
export class Unread extends Error {}
/** No finite value at this point: `part` is where, `why` says it in words. */
export class NoValue extends Error {
  constructor(part, why) {
    super(`\`${part}\` ${why}`);
    Object.assign(this, { part, why });
  }
}

// What is raised or lowered, and fractions of one sign: without their form they would mean something else.
const FORMED = /[\p{No}\p{Lm}\u2070-\u209f]/u;
/** The text as keys write it: 𝜏, copied from a formula, is τ; －, – and − are -; a blank of no width is none. */
export const plain = (text) =>
  text
    .replace(/[^\0-\x7f]/gu, (sign) => (FORMED.test(sign) ? sign : sign.normalize("NFKC")))
    .replace(/\p{Cf}/gu, "")
    .replace(/\p{Pd}|−/gu, "-")
    .replace(/\s/g, " ")
    .trim();

/** What two spellings of a name share: σ₁, σ_1, sigma_1 and sigma1. */
export const key = (name) =>
  [...name.replaceAll("√", "sqrt")]
    .map((c) => (LOWERED.includes(c) ? LOWERED.indexOf(c) : has(LETTERS, c) ? LETTERS[c] : c))
    .join("")
    .replace(/_(?=[0-9])/g, "");
/** A name in its parts as shown: sigma_1 is ["σ", "1"]. */
export function parts(name) {
  const cut = name.indexOf("_");
  const [head, tail] = cut < 0 ? [name, ""] : [name.slice(0, cut), name.slice(cut + 1)];
  return [head, tail].map((part) => (has(GREEK, part) ? GREEK[part] : part));
}
export function symbol(name) {
  const [head, tail] = parts(name);
  if (!tail) return head;
  return /^[0-9]+$/.test(tail) ? head + [...tail].map((digit) => LOWERED[digit]).join("") : `${head}_${tail}`;
}
/** The names as they are shown: x, σ₁ and n. */
export function listed(names) {
  const shown = names.map(symbol);
  return shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** A numeral without its marks of thousands, with a point as its decimal mark. */
function pointed(text) {
  const marks = text.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  const point = marks.length > 1 && marks.every((mark) => mark === last) ? -1 : text.lastIndexOf(last);
  return text.replace(/[., ]/g, (_mark, i) => (i === point ? "." : ""));
}
const number = (typed) => {
  const text = pointed(typed);
  if (EITHER.test(typed))
    throw new Unread(`\`${typed}\` can be read in two ways: write ${text.replace(".", "")} or ${Number(text)}.`);
  if (!Number.isFinite(Number(text))) throw new Unread(LARGE);
  return ["number", Number(text), text];
};

/** The tree of a formula in these names; throws Unread. */
export function parse(typed, names) {
  const text = plain(typed);
  const known = new Map(names.map((name) => [key(name), name]));
  let at = 0;
  let depth = 0;

  function after(place) {
    const before = text.slice(0, place).trim();
    return before ? ` after \`${before.length > 20 ? `…${before.slice(-18)}` : before}\`` : " at the beginning";
  }
  function stranger(place) {
    const sign = String.fromCodePoint(text.codePointAt(place));
    if (sign === "=") return "Leave the `=` out: write only what stands on its right.";
    if (sign === ",") return `The comma${after(place)} cannot be read: a comma stands only inside a number, as in 0,5.`;
    if ("[]{}".includes(sign)) return `Write round parentheses instead of \`${sign}\`${after(place)}.`;
    if ("|∣‖".includes(sign)) return `Write \`abs(…)\` instead of the bar${after(place)}.`;
    if (/[¼-¾⅐-⅞]/.test(sign))
      return `Write ${sign.normalize("NFKC").replace("⁄", "/")} instead of \`${sign}\`${after(place)}.`;
    return sign === "`"
      ? `I cannot read the quotation mark${after(place)}.`
      : `I cannot read the sign \`${sign}\`${after(place)}.`;
  }
  /**
   * What a word stands for: a name, a constant, or {call: function}; null where nothing. A tablet makes a first letter
   * large. `called`: a parenthesis follows.
   */
  function meant(word, called) {
    for (const short of [key(word), key(word[0].toLowerCase() + word.slice(1))]) {
      if (known.has(short)) return known.get(short);
      const call = has(ALIASES, short) ? ALIASES[short] : short;
      if (has(FUNCTIONS, call) && (called || short !== "sigma")) return { call };
      if (has(CONSTANTS, short)) return short;
    }
    return null;
  }
  /** The ways to cut a word into names and constants, the last perhaps a `called` function: none, one, two or more. */
  function cuts(word, called) {
    const ways = [...word].map(() => []); // from each place on
    ways.push([[]]);
    for (let from = word.length - 1; from >= 0; from -= 1)
      for (let to = word.length; to > from && ways[from].length < 2; to -= 1) {
        const ends = called && to === word.length;
        const one = meant(word.slice(from, to), ends);
        if (one === null || (one.call && !ends)) continue;
        ways[from].push(...ways[to].map((rest) => [word.slice(from, to), ...rest]));
        if (one.call) break; // exp( is no e·x·p(
      }
    return ways[0];
  }
  /** A word's names: itself, or those of a product without signs. */
  function factors(word, called) {
    if (meant(word, called)) return [word];
    const [one, two] = cuts(word, called);
    if (two)
      throw new Unread(`\`${word}\` can be read in two ways: write \`${one.join("*")}\` or \`${two.join("*")}\`.`);
    return one ?? [word];
  }
  function scan() {
    if (!text) throw new Unread(`There is no answer yet: write a formula in ${listed(names)}.`);
    const length = [...text].length;
    const found = [];
    const raised = RAISED_POINT.exec(text)?.[1];
    if (length > LENGTH) throw new Unread(`A formula of at most ${LENGTH} characters is read; this has ${length}.`);
    if (raised)
      throw new Unread(
        `\`${raised}\` can be read in two ways: write \`0.${raised.slice(2)}\` or \`0*${raised.slice(2)}\`.`,
      );
    for (let place = 0; place < text.length; ) {
      if (text[place] === " ") {
        place += 1;
        continue;
      }
      TOKEN.lastIndex = place;
      const one = TOKEN.exec(text);
      if (!one) throw new Unread(stranger(place));
      const kind = Object.keys(one.groups).find((kind) => one.groups[kind] !== undefined);
      for (const part of kind === "name" ? factors(one[0], /^ *\(/.test(text.slice(TOKEN.lastIndex))) : [one[0]]) {
        found.push([kind, has(SIGNS, part) ? SIGNS[part] : part, place]);
        place += part.length;
      }
    }
    return [...found, ["end", "", text.length]];
  }
  const tokens = scan();
  const is = (...signs) => tokens[at][0] === "sign" && signs.includes(tokens[at][1]);
  const next = (...signs) => (is(...signs) ? tokens[at++][1] : null);
  const twice = () => new Unread(`Two powers follow each other${after(tokens[at][2])}: write parentheses.`);

  function sum() {
    let tree = product();
    for (let sign = next("+", "-"); sign; sign = next("+", "-")) tree = [sign, tree, product()];
    return tree;
  }
  function product() {
    let tree = signed();
    let last = "*";
    for (;;) {
      const sign = next("*", "/");
      if (sign) {
        tree = [sign, tree, signed()];
        last = sign;
        continue;
      }
      const [kind] = tokens[at];
      if (kind === "raised") throw twice();
      if (kind === "end" || (kind === "sign" && !is("("))) return tree;
      clear(last);
      tree = ["*", tree, signed()];
    }
  }
  function clear(last) {
    // a product without a sign must be readable in one way only
    const [kind, word, place] = tokens[at];
    if (kind === "number")
      throw new Unread(
        `A sign is missing before \`${word}\`${after(place)}: write \`*\` for a product, \`^\` for a power.`,
      );
    if (last === "/")
      throw new Unread(`Is \`${word}\`${after(place)} divided by too, or multiplied? Write \`*\` or parentheses.`);
    const squared = tokens[at - 1][0] === "number" && word === "("; // x^2(1 - x) has one reading
    const root = follows("√");
    if ((root || (follows("^") && !squared)) && text[place - 1] !== " ")
      throw new Unread(
        `Does \`${word}\`${after(place)} still belong ${root ? "under the root" : "to the exponent"}? Write \`*\` ` +
          `or parentheses.`,
      );
  }
  function follows(mark) {
    // whether the token before this one is all that stands behind the mark, as in e^2, e^-2 or √2
    if (!["number", "name"].includes(tokens[at - 1][0])) return false;
    let back = at - 2;
    while (back > 0 && ["-", "+"].includes(tokens[back][1])) back -= 1;
    return back >= 0 && tokens[back][1] === mark;
  }
  function signed() {
    depth += 1;
    if (depth > DEPTH) throw new Unread(`That is nested too deeply: at most ${DEPTH} levels are read.`);
    const sign = next("-", "+");
    const tree = sign ? signed() : power();
    depth -= 1;
    return sign === "-" ? ["-", tree] : tree;
  }
  function power() {
    const tree = atom();
    const [kind, word] = tokens[at];
    if (kind !== "raised") return next("^") ? ["^", tree, signed()] : tree;
    at += 1;
    const digits = number(word.replace(/[⁻⁺]/, "").replace(/./g, (digit) => RAISED.indexOf(digit)));
    if (is("^")) throw twice();
    return ["^", tree, word[0] === "⁻" ? ["-", digits] : digits];
  }
  function atom() {
    const [kind, word, place] = tokens[at];
    if (kind === "number" || kind === "name") at += 1;
    if (kind === "number") return number(word);
    if (kind === "name") return name(word, place);
    if (next("(")) return closed(place);
    throw new Unread(`Something is missing${after(place)}${word ? ` before \`${word}\`` : ""}.`);
  }
  function name(word, place) {
    if (word === "√" && !is("(")) return ["call", "sqrt", atom()];
    const one = meant(word, is("("));
    if (one?.call) {
      if (!is("(")) throw new Unread(`A function takes parentheses: write \`${word}(…)\`${after(place)}.`);
      at += 1;
      return ["call", one.call, closed(tokens[at - 1][2])];
    }
    if (one) return ["name", one];
    const none = names.length ? `none of the names here: ${listed(names)}` : "no number and no function";
    throw new Unread(`\`${word}\`${after(place)} is ${none}.${perhaps(word)}`);
  }
  function perhaps(word) {
    // x2 may be a power
    const found = /^(.+?)([0-9]+)$/.exec(word);
    return found && known.has(key(found[1])) ? ` For a power write \`${found[1]}^${found[2]}\`.` : "";
  }
  function closed(opened) {
    const tree = sum();
    if (!next(")")) throw new Unread(`The parenthesis \`(\`${after(opened)} is not closed.`);
    return tree;
  }

  const tree = sum();
  if (tokens[at][0] !== "end") throw new Unread(`The \`${tokens[at][1]}\`${after(tokens[at][2])} closes nothing.`);
  return tree;
}

/** The value at a point {name: number}; throws NoValue where it, or a part of it, is not a finite number. */
export function value(tree, point) {
  const [kind, first, second] = tree;
  if (kind === "number") return first;
  if (kind === "name") return has(point, first) ? point[first] : CONSTANTS[first];
  const inner = (kind === "call" ? [second] : tree.slice(1)).map((part) => value(part, point));
  const result = kind === "call" ? FUNCTIONS[first](inner[0]) : signs(kind, ...inner);
  if (!Number.isFinite(result)) throw new NoValue(write(tree), why(kind, first, inner));
  return result;
}
function signs(sign, a, b) {
  if (b === undefined) return -a;
  return sign === "+" ? a + b : sign === "-" ? a - b : sign === "*" ? a * b : sign === "/" ? a / b : a ** b;
}
function why(kind, called, [a, b]) {
  if (kind === "/" && b === 0) return "divides by 0";
  if (kind === "call" && ["ln", "log2"].includes(called) && a <= 0)
    return `takes the logarithm of ${a === 0 ? "0" : "a negative number"}`;
  if (kind === "call" && called === "sqrt") return "takes the square root of a negative number";
  if (kind === "^" && a === 0) return "divides by 0";
  if (kind === "^" && a < 0 && b !== Math.floor(b)) return "raises a negative number to a broken power";
  return "is too large";
}

/** The formula in one line, every product with its sign and no parenthesis too many; `parse` reads the same tree. */
export function write(tree, least = 0) {
  const [kind, first, second] = tree;
  let level = 5;
  let text;
  if (kind === "number") text = second;
  else if (kind === "name") text = symbol(first);
  else if (kind === "call") text = `${first}(${write(second)})`;
  else if (tree.length === 2) [level, text] = [3, `-${write(first, 3)}`];
  else {
    level = LEVEL[kind];
    const [left, right] = kind === "^" ? [5, 3] : [level, level + 1];
    const gap = level === 1 ? " " : "";
    text = `${write(first, left)}${gap}${kind}${gap}${write(second, right)}`;
  }
  return level < least ? `(${text})` : text;
}
