// What stored answers give in some contexts, what was wanted, and the words, for tests/widgets/test_context_answers.py.

import { readFileSync } from "node:fs";
import { distance, library, LINE } from "../../course_lib/widgets/context_answers/answers.js";
import { CODECS } from "../../course_lib/widgets/context_answers/address.js";
import { QUESTIONS } from "../../course_lib/widgets/context_answers/questions.js";
import { told } from "../../course_lib/widgets/context_answers/words.js";

const { answers, states, links, sentences } = JSON.parse(readFileSync(0, "utf8"));
const { run } = library(answers);
const found = states.map(({ answer, points, copies }) => {
  const many = Array.from({ length: copies }, () => points).flat();
  const wanted = LINE.map(QUESTIONS[answers[answer].question].wanted(many));
  const answered = run(answers[answer], points, copies);
  return { wanted, answered, ...distance(answered, wanted) };
});
process.stdout.write(
  JSON.stringify({
    line: LINE,
    found,
    read: links.map((text) => CODECS.points.read(text)),
    words: sentences.map((each) => told(each)),
  }),
);
