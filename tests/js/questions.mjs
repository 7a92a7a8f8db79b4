// What a script of this folder ends with: reads questions from standard input, one list [name, …arguments] each, and answers them.
import { readFileSync } from "node:fs";

/** answer: name → function of the arguments. */
export function answered(answer) {
  const questions = JSON.parse(readFileSync(0, "utf8"));
  process.stdout.write(JSON.stringify(questions.map(([name, ...rest]) => answer[name](...rest) ?? null)));
}
