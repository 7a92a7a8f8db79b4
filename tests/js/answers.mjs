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

export async function answers(table, questions = asked()) {
  const told = [];
  for (const [name, ...rest] of questions) told.push((await table[name](...rest)) ?? null);
  process.stdout.write(JSON.stringify(told));
}
