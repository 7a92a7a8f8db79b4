// What scripts of this folder answer with: questions on standard input, each [name, argument, …], and a table name → function.

import { readFileSync } from "node:fs";

export const asked = () => JSON.parse(readFileSync(0, "utf8"));

/** What a generator returns; and in how many pieces it works. */
export const finish = (work) => {
  for (;;) {
    const { value, done } = work.next();
    if (done) return value;
  }
};
export const pieces = (work) => {
  let count = 0;
  while (!work.next().done) count++;
  return count;
};

export const list = (_key, value) => (ArrayBuffer.isView(value) ? [...value] : value);

/** A generator is run to its end, an array of numbers told as a list. */
export async function answers(table, questions = asked()) {
  const told = [];
  for (const [name, ...rest] of questions) {
    const answer = await table[name](...rest);
    told.push((typeof answer?.next === "function" ? finish(answer) : answer) ?? null);
  }
  process.stdout.write(JSON.stringify(told, list));
}
