// Reads {function, calls: [[argument, …], …]} as JSON on stdin and answers with the list of results.
import * as rules from "../../course_lib/widgets/static/exercise_check.js";

let text = "";
for await (const chunk of process.stdin) text += chunk;
const { function: name, calls } = JSON.parse(text);
process.stdout.write(JSON.stringify(calls.map((args) => rules[name](...args))));
