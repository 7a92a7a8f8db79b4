// What the page's own functions answer, for `call` of tests/shared/graph_node.py: one step after the other, each with
// what those before it gave, which {js: number} stands for. A step is [module], [owner, name], [function, arguments],
// or
// [what is told, as it is now].

import { asked, finish, list } from "./answers.mjs";

const question = asked();
const given = [];

function put(x) {
  if (x === null || typeof x !== "object") return x;
  if (Array.isArray(x)) return x.map(put);
  return "js" in x
    ? given[x.js].value
    : Object.fromEntries(Object.entries(x).map(([name, value]) => [name, put(value)]));
}

async function made([first, then]) {
  if (typeof first === "string")
    return { value: first ? await import(`../../course_lib/widgets/${first}`) : globalThis };
  const { value, owner } = given[first.js];
  if (then === undefined) return { value: JSON.parse(JSON.stringify(value ?? null, list)) };
  if (!Array.isArray(then)) return { value: value[put(then)], owner: value };
  const answer = await value.apply(owner, put(then));
  return { value: typeof answer?.next === "function" ? finish(answer) : answer };
}

for (const step of question.steps) given.push(await made(step));
process.stdout.write(JSON.stringify(put(question.asked)));
