// Elementwise loops. A chain of elementwise operators is kept as one expression {op, args, shape} over views and
// numbers, and becomes a single loop nest when its numbers are needed; a reduction at the end of the chain joins the
// same nest.
//
// FORMULAS is the only definition of each operator. Where generated code is allowed, its text is pasted into one
// function per loop nest (as fast as handwritten); where a strict content policy forbids that, the same formulas run as
// closures.
// Both add up in the same order in double precision and round once, at the store: equal results, bit by bit.

import { isView, stridesOver } from "./views.js";

// Booleans are 0 and 1. The parameters are one letter each; the tests hold every formula to PyTorch's operator.
export const FORMULAS = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  neg: (a) => -a,
  abs: (a) => Math.abs(a),
  exp: (a) => Math.exp(a),
  log: (a) => Math.log(a),
  sqrt: (a) => Math.sqrt(a),
  rsqrt: (a) => 1 / Math.sqrt(a),
  reciprocal: (a) => 1 / a,
  tanh: (a) => 2 / (1 + Math.exp(-2 * a)) - 1, // Math.tanh takes twice as long; this is within 3e-16 of it
  sigmoid: (a) => 1 / (1 + Math.exp(-a)),
  sin: (a) => Math.sin(a),
  cos: (a) => Math.cos(a),
  // no branch on the sign: it would be guessed wrong half of the time
  relu: (a) => (a === -1 / 0 ? 0 : (a + Math.abs(a)) / 2),
  // As C has it.
  // biome-ignore lint/style/useExponentiationOperator: the text is pasted, and -x ** y is no JavaScript
  pow: (a, b) => (a === 1 || (a === -1 && Math.abs(b) === 1 / 0) ? 1 : Math.pow(a, b)),
  maximum: (a, b) => Math.max(a, b),
  minimum: (a, b) => Math.min(a, b),
  eq: (a, b) => +(a === b),
  ne: (a, b) => +(a !== b),
  lt: (a, b) => +(a < b),
  le: (a, b) => +(a <= b),
  gt: (a, b) => +(a > b),
  ge: (a, b) => +(a >= b),
  // biome-ignore lint/suspicious/noSelfCompare: only NaN differs from itself
  isnan: (a) => (a !== a ? 1 : 0),
  isinf: (a) => (a === 1 / 0 || a === -1 / 0 ? 1 : 0),
  logical_not: (a) => (a ? 0 : 1),
  logical_and: (a, b) => (a && b ? 1 : 0),
  logical_or: (a, b) => (a || b ? 1 : 0),
  bitwise_not: (a) => (a ? 0 : 1),
  bitwise_and: (a, b) => (a && b ? 1 : 0),
  bitwise_or: (a, b) => (a || b ? 1 : 0),
  where: (a, b, c) => (a ? b : c),
};

// A reduction starts at `start` and joins one number after the other to what it has. NaN stays NaN.
const REDUCTIONS = {
  sum: { start: 0, join: (t, x) => t + x },
  amax: { start: -Infinity, join: (t, x) => Math.max(t, x) },
  amin: { start: Infinity, join: (t, x) => Math.min(t, x) },
  any: { start: 0, join: (t, x) => (t || x ? 1 : 0) },
};

// The compiled loop nest, a function of the heap's floats: out[kept axes] = reduction over the `reduced` axes of
// expression, for all indices of `shape`. `out` is {offset, strides}, strides over `shape` with 0 on the reduced axes.
export function compileLoop(shape, expression, out, { reduced = [], reduction = "sum", generate = true } = {}) {
  const nest = describe(shape, expression, out, reduced, REDUCTIONS[reduction]);
  return generate ? generated(nest) : closures(nest);
}

// May this page turn text into functions? A strict content policy answers with an exception.
export function mayGenerate() {
  try {
    return new Function("return true")();
  } catch {
    return false;
  }
}

// What both back ends share: the distinct pointers that walk, and the axes, kept ones outside, neighbours merged.
function describe(shape, expression, out, reduced, reduction) {
  const pointers = [];
  const find = (view) => {
    const strides = stridesOver(view, shape);
    const known = pointers.findIndex((p) => p.offset === view.offset && p.strides.join() === strides.join());
    return known >= 0 ? known : pointers.push({ offset: view.offset, strides }) - 1;
  };
  const number = (e) =>
    typeof e === "number" ? e : isView(e) ? { pointer: find(e) } : { op: e.op, args: e.args.map(number) };
  const body = number(expression);
  pointers.push(out);
  const axis = (i) => ({ n: shape[i], reduced: reduced.includes(i), strides: pointers.map((p) => p.strides[i]) });
  const all = shape.map((_, i) => axis(i)).filter((a) => a.n !== 1);
  const axes = [...all.filter((a) => !a.reduced), ...all.filter((a) => a.reduced)];
  for (let i = axes.length - 2; i >= 0; i--) {
    const outer = axes[i];
    const inner = axes[i + 1];
    if (outer.reduced === inner.reduced && outer.strides.every((s, k) => s === inner.strides[k] * inner.n)) {
      axes.splice(i, 2, { ...inner, n: outer.n * inner.n });
    }
  }
  return {
    pointers,
    body,
    axes,
    kept: axes.filter((a) => !a.reduced).length,
    reduction: reduced.length ? reduction : null,
  };
}

// ---- Back end 1: text. Pointer k at loop depth i is the variable `pk_i`; a pointer that never moves is read once. The
// innermost loop takes several entries at a time, one after the other.
function generated({ pointers, body, axes, kept, reduction }) {
  const out = pointers.length - 1;
  const depth = axes.length;
  const still = pointers.map((_, k) => k !== out && axes.every((a) => a.strides[k] === 0));
  const moving = pointers.map((_, k) => k).filter((k) => !still[k]);
  const inner = axes.at(-1);
  const many = inner && !(reduction && kept === depth); // a sum of one entry is stored at once
  const together = many ? [4, 5, 6, 7, 3, 2, 1].find((k) => inner.n % k === 0) : 1;
  const place = (k, entry) => `p${k}_${depth}${entry ? `+${entry * inner.strides[k]}` : ""}`;
  let named = 0;
  // The text of an expression for an entry of the innermost loop; what a formula reads twice gets a name in `names`.
  const write = (e, entry, names) => {
    if (typeof e === "number") return `(${e})`;
    if (e.pointer !== undefined) return still[e.pointer] ? `c${e.pointer}` : `H[${place(e.pointer, entry)}]`;
    const [a, b, c] = e.args;
    if (e.op === "where" && b.pointer !== undefined && c.pointer !== undefined) {
      const [yes, no] = [b, c].map(({ pointer: k }) => (still[k] ? pointers[k].offset : place(k, entry)));
      return `H[(${no})^(((${yes})^(${no}))&-${write(a, entry, names)})]`; // both may be read, and no branch is guessed
    }
    return paste(FORMULAS[e.op], e.args, (arg, often) => {
      const text = write(arg, entry, names);
      if (!(often && arg.op)) return text;
      names.push(`const v${named}=${text};`);
      return `v${named++}`;
    });
  };
  const statement = (entry) => {
    const names = [];
    const value = write(body, entry, names);
    const store = reduction
      ? `t=${paste(reduction.join, ["t", value], (text) => text)};`
      : `H[${place(out, entry)}]=${value};`;
    return names.join("") + store;
  };
  let text = pointers.map((p, k) => (still[k] ? `const c${k}=H[${p.offset}];` : "")).join("");
  text += `let ${moving.map((k) => `p${k}_0=${pointers[k].offset}`)};`;
  const begin = reduction ? `let t=${reduction.start};` : "";
  axes.forEach((a, i) => {
    const step = i === depth - 1 ? together : 1;
    if (i === kept) text += begin;
    text +=
      `for(let i${i}=0,${moving.map((k) => `p${k}_${i + 1}=p${k}_${i}`)};i${i}<${a.n};i${i}+=${step},` +
      `${moving.map((k) => `p${k}_${i + 1}+=${step * a.strides[k]}`)}){`;
  });
  if (kept === depth) text += begin;
  for (let entry = 0; entry < together; entry++) text += statement(entry);
  text += "}".repeat(depth - kept);
  if (reduction) text += `H[p${out}_${kept}]=t;`;
  text += "}".repeat(kept);
  return new Function("H", text);
}

// The text of an arrow function's body with its parameters replaced by write(arg, is it read twice); a minifier may
// have renamed them.
function paste(formula, args, write) {
  const text = String(formula);
  const arrow = text.indexOf("=>");
  const names = text.slice(0, arrow).match(/[\w$]+/g);
  const body = text.slice(arrow + 2).trim();
  const words = body.match(/[\w$]+/g);
  const texts = args.map((arg, i) => write(arg, words.indexOf(names[i]) !== words.lastIndexOf(names[i])));
  return `(${body.replace(/[\w$]+/g, (word) => (names.includes(word) ? texts[names.indexOf(word)] : word))})`;
}

// ---- Back end 2: closures over an array of moving pointers.
function closures({ pointers, body, axes, kept, reduction }) {
  const starts = pointers.map((p) => p.offset);
  const at = [...starts];
  const out = pointers.length - 1;
  const value = closure(body, at);
  let total = 0;
  const visit = (H, level, end, action) => {
    if (level === end) {
      action(H);
      return;
    }
    const { n, strides } = axes[level];
    for (let i = 0; i < n; i++) {
      visit(H, level + 1, end, action);
      for (let k = 0; k < at.length; k++) at[k] += strides[k];
    }
    for (let k = 0; k < at.length; k++) at[k] -= n * strides[k];
  };
  const join = (H) => {
    total = reduction.join(total, value(H));
  };
  const store = reduction
    ? (H) => {
        total = reduction.start;
        visit(H, kept, axes.length, join);
        H[at[out]] = total;
      }
    : (H) => {
        H[at[out]] = value(H);
      };
  return (H) => visit(H, 0, kept, store);
}

function closure(e, at) {
  if (typeof e === "number") return () => e;
  if (e.pointer !== undefined) return (H) => H[at[e.pointer]];
  const formula = FORMULAS[e.op];
  const [a, b, c] = e.args.map((arg) => closure(arg, at));
  if (c) return (H) => formula(a(H), b(H), c(H));
  return b ? (H) => formula(a(H), b(H)) : (H) => formula(a(H));
}
