// A number in words, and the model on it, for tests/widgets/test_number_writer.py.

import { readFileSync } from "node:fs";
import { makeRecurrent } from "../../course_lib/widgets/runtime/recurrent.js";
import { english, german } from "../../course_lib/widgets/number_writer/numerals.js";
import { words } from "../../course_lib/widgets/number_writer/words.js";
import { both, searched, written } from "../../course_lib/widgets/number_writer/write.js";

const { numbers, model, graphs, cases } = JSON.parse(readFileSync(0, "utf8"));
const net = makeRecurrent(model, graphs);
const word = (token) => net.target[token];

process.stdout.write(
  JSON.stringify({
    words: numbers.map((n) => [english(n).join(" "), german(n).join(" ")]),
    cases: cases.map(({ number, reads, width }) => {
      const pair = both(net, number);
      const steps = written(net, pair, reads);
      return {
        said: steps.map(({ said }) => said),
        probabilities: steps.map(({ probabilities }) => Array.from(probabilities)),
        right: pair.right,
        beam: searched(net, pair, width).map(({ tokens, logProb }) => [tokens, logProb]),
        told: steps.map((_, k) => words({ steps, right: pair.right, at: k + 1, reads, word, sentences: [] })),
      };
    }),
  }),
);
