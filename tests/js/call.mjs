// What the page's own functions answer, for `call` of tests/shared/graph_node.py. In what is asked {js: [module, step, …]} stands for what is
// found there: a step is a name, or the list of arguments of a call; the module "" is the language itself.

import { asked, finish, list } from "./answers.mjs";

async function found(x) {
  if (Array.isArray(x)) return Promise.all(x.map(found));
  if (x === null || typeof x !== "object") return x;
  if (!x.js) {
    const entries = Object.entries(x).map(async ([name, value]) => [name, await found(value)]);
    return Object.fromEntries(await Promise.all(entries));
  }
  const [module, ...steps] = x.js;
  let owner = null;
  let value = module ? await import(`../../course_lib/widgets/${module}`) : globalThis;
  for (const step of steps)
    [owner, value] = Array.isArray(step)
      ? [null, await value.apply(owner, await found(step))]
      : [value, value[await found(step)]];
  return typeof value?.next === "function" ? finish(value) : value;
}

process.stdout.write(JSON.stringify(await found(asked()), list));
