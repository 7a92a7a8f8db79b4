// The page's decoders on the shared vectors, for tests/widgets/test_decoding.py. Reads the vectors from standard input and writes what
// widgets/runtime/decode.js answers in their place; folded, refused, strip and verdicts ask for more.

import { readFileSync } from "node:fs";
import { beam, draw, greedy, restrict, sample } from "../../course_lib/widgets/runtime/decode.js";
import { unfold } from "../../course_lib/widgets/decoding/names.js";
import { verdict } from "../../course_lib/widgets/decoding/words.js";
import { Generator } from "../../course_lib/widgets/runtime/random.js";

const {
  start,
  end,
  longest,
  cuts = [],
  searches = [],
  folded,
  refused = [],
  strip = [],
  verdicts = [],
} = JSON.parse(readFileSync(0, "utf8"));

function search({ after, at, beams, samples }) {
  const read = (tokens) => after[tokens.at(-1)].map((x, token) => x + at[tokens.length - 1][token]);
  const options = { start: [start], end, longest };
  const flat = ({ tokens, logProb, score, parent, finished }) => [tokens, logProb, score, parent, finished];
  return {
    greedy: greedy(read, options),
    beams: beams.map(({ width, lengthPower }) =>
      [...beam(read, { ...options, width, lengthPower })].map(({ kept, dropped }) => [
        kept.map(flat),
        dropped.slice(0, 4).map(flat),
      ]),
    ),
    samples: samples.map(({ seed, temperature, topK, topP }) =>
      sample(read, { ...options, temperature, topK, topP, generator: new Generator(seed) }),
    ),
  };
}

const attempt = (dials) => {
  try {
    return restrict([1, 2], dials).probabilities;
  } catch (error) {
    return error.message;
  }
};

process.stdout.write(
  JSON.stringify({
    cuts: cuts.map(({ logits, ...dials }) => {
      const { probabilities, tempered, cut, order } = restrict(logits.map(Number), dials);
      return { probabilities: [...probabilities], tempered: [...tempered], cut, order };
    }),
    searches: searches.map(search),
    names: folded && [...unfold(folded)],
    refused: refused.map(attempt),
    verdicts: verdicts.map(([logProb, score, others, otherScore]) =>
      verdict({
        best: { tokens: [1], logProb, score },
        other: { tokens: [2], logProb: others },
        score: otherScore,
        text: ({ tokens }) => String(tokens),
        width: 3,
      }),
    ),
    strip: strip.map(([probabilities, order, u]) => draw(probabilities, order, u)),
  }),
);
