// The shipped models under the page's decoders, for tests/widgets/test_decoding.py. Reads {english_french, read_translator} or {towns,
// read_towns}, and what is asked: translate, letters, words, spell; writes the answers in their place.

import { readFileSync } from "node:fs";
import { beam } from "../../course_lib/widgets/runtime/decode.js";
import { townsModel, translatorModel } from "../../course_lib/widgets/decoding/models.js";
import { remember } from "../../course_lib/widgets/decoding/search.js";
import { makeModel } from "../../course_lib/widgets/runtime/shipped.js";

const {
  english_french,
  read_translator,
  towns,
  read_towns,
  translate = [],
  letters = [],
  words = [],
  spell = [],
} = JSON.parse(readFileSync(0, "utf8"));
const model = english_french
  ? translatorModel(makeModel(english_french, read_translator))
  : townsModel(makeModel(towns, read_towns));
const plain = (maps) => maps.map((heads) => heads.map((rows) => rows.map((row) => Array.from(row))));

process.stdout.write(
  JSON.stringify({
    translate: translate.map(({ text, width, lengthPower }) => {
      const source = model.words(text);
      const read = remember(model.open(source.ids));
      const options = { start: [model.start], end: model.end, longest: 2 * source.ids.length + 10, width, lengthPower };
      const flat = ({ tokens, logProb, score }) => [tokens, logProb, score];
      const moments = [...beam((tokens) => read(tokens).logits, options)].map(({ kept, dropped }) => [
        kept.map(flat),
        dropped.slice(0, 2).map(flat),
      ]);
      const best = moments.at(-1)[0][0][0];
      return { ...source, moments, cross: plain(read([model.start, ...best.slice(0, -1)]).cross) };
    }),
    letters: letters.map((name) => {
      const { logits, looks } = model.read([model.start, ...model.letters(name).ids]);
      return {
        logits: Array.from(logits),
        looks: plain(looks).map((heads) => heads.map((rows) => rows.map((row) => row.slice(0, rows.length)))),
      };
    }),
    words: words.map((text) => model.words(text)),
    spell: spell.map(([text, special]) => model.letters(text, special)),
  }),
);
