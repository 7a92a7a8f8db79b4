// Texts as the page reads them, for tests/widgets/test_typed_text.py. Reads {texts, numbers}; writes of each text its words, its words as a
// translator's sentence, its letters, and where a reader sees its characters begin, by the browser's own rules.

import { readFileSync } from "node:fs";
import { letters, plain, sentence, words } from "../../course_lib/widgets/runtime/text.js";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const { texts } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(
  JSON.stringify(
    texts.map((text) => ({
      words: words(text),
      plain: plain(text),
      sentence: sentence(text),
      letters: letters(text),
      graphemes: Array.from(graphemes.segment(text.normalize("NFC")), ({ segment }) => segment),
    })),
  ),
);
