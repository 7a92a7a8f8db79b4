// The recurrent translators' runner for the tests. Reads {models: {name: {data, graphs}}, translate: [{model, ids}], compare: [[words,
// reference]], counted: [[words, reference, at, all]], refused: [{model, ids}]} from standard input; writes the answers in their place.

import { readFileSync } from "node:fs";
import { makeRecurrent } from "../../course_lib/widgets/runtime/recurrent.js";
import { compare, counted } from "../../course_lib/widgets/translate/compare.js";
import { greedySteps, longestFor } from "../../course_lib/widgets/translate/run.js";
import { cellWords, countWords, stepWords, verdict, warning } from "../../course_lib/widgets/translate/words.js";

const { models = {}, translate = [], read = [], refused = [], pairs = [], said = [] } = JSON.parse(readFileSync(0, "utf8"));
const made = Object.fromEntries(Object.entries(models).map(([name, { data, graphs }]) => [name, makeRecurrent(data, graphs)]));
const plain = (numbers) => numbers && Array.from(numbers);
const SAY = { cellWords, countWords, stepWords, verdict, warning };

process.stdout.write(
  JSON.stringify({
    translate: translate.map(({ model, ids }) => {
      const steps = [...greedySteps(made[model], ids)];
      return {
        longest: longestFor(ids.length),
        tokens: steps.map(({ token }) => token),
        probabilities: steps.map(({ probability }) => probability),
        weights: steps.map(({ weights }) => plain(weights)),
        C: steps.map(({ C }) => plain(C)),
      };
    }),
    read: read.map(({ model, ids, target }) => {
      const each = made[model];
      const encoded = each.encode(ids);
      const logits = [];
      let state = each.start(encoded);
      for (const token of target) {
        const answer = each.step(token, state);
        logits.push(plain(answer.logits));
        ({ state } = answer);
      }
      return { H: plain(encoded.H), C: plain(encoded.C), logits };
    }),
    refused: refused.map(({ model, ids }) => {
      try {
        made[model].start(made[model].encode(ids));
        return null;
      } catch (error) {
        return error.message;
      }
    }),
    pairs: pairs.map(([words, reference, at, all]) => {
      const found = compare(words, reference);
      return { ...found, counted: counted(found, at ?? words.length, all ?? true) };
    }),
    said: said.map(([name, ...given]) => SAY[name](...given)),
  }),
);
