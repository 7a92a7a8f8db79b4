// Reads {function, calls: [[argument, …], …]} as JSON on stdin and answers with the list of results.
import { marks, rules as plain } from "../../course_lib/widgets/static/exercise_check.js";
import * as reading from "../../course_lib/widgets/static/formula.js";
import { formula } from "../../course_lib/widgets/static/formula_check.js";
import * as number from "../../course_lib/widgets/static/exercise_number.js";

const or = (action) => { try { return action(); } catch (problem) { return { problem: problem.message }; } };
const read = (text, names) => or(() => { const tree = reading.parse(text, names); return { tree, text: reading.write(tree) }; });
const valueAt = (tree, point) => or(() => ({ value: reading.value(tree, point) }));
const kinds = { ...plain, formula };
const check = (spec, given, tried = 0) => kinds[spec.kind](spec, given, tried);
const rules = { ...number, check, marks, read, valueAt };

let text = "";
for await (const chunk of process.stdin) text += chunk;
const { function: name, calls } = JSON.parse(text);
process.stdout.write(JSON.stringify(calls.map((args) => rules[name](...args))));
