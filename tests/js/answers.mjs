// What scripts of this folder answer with: questions on standard input, each [name, argument, …], and a table name →
// function.

import { readFileSync } from "node:fs";

export const asked = () => JSON.parse(readFileSync(0, "utf8"));

/** What a generator returns; and all that it yields. */
export const finish = (work) => {
  for (;;) {
    const { value, done } = work.next();
    if (done) return value;
  }
};
export const every = (make, ...given) => [...make(...given)];

/** Of what a function answers, one part. */
export const part =
  (act, name) =>
  (...given) =>
    act(...given)[name];

/** What a language in a table reads: logits = after[last token] + at[number of tokens so far]. */
export const reader = (after, at) => (tokens) =>
  after[tokens.at(-1)].map((x, token) => x + at[tokens.length - 1][token]);

/** The same provider, which answers each of these questions after a while; `asked`: how often. */
export function later(provider, names, asked) {
  const slow =
    (name) =>
    async (...given) => {
      asked[name] = (asked[name] ?? 0) + 1;
      await new Promise((done) => setTimeout(done, asked[name] % 3));
      return provider[name](...given);
    };
  return { ...provider, ...Object.fromEntries(names.map((name) => [name, slow(name)])) };
}

/** A clock that counts so much at every look. */
export function clock(tick) {
  let time = 0;
  return () => (time += tick);
}

/** What is said where something is refused. */
export function refused(act, ...given) {
  try {
    act(...given);
    return null;
  } catch (problem) {
    return problem.message;
  }
}

/** An array of numbers is told as a list; a number that JSON lacks in its letters. */
export function list(_key, value) {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return ArrayBuffer.isView(value) ? [...value] : value;
}

/** A generator is run to its end, an array of numbers told as a list. */
export async function answers(table, questions = asked()) {
  const told = [];
  for (const [name, ...rest] of questions) {
    const answer = await table[name](...rest);
    told.push((typeof answer?.next === "function" ? finish(answer) : answer) ?? null);
  }
  process.stdout.write(JSON.stringify(told, list));
}
