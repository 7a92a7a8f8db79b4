// The page's positions for tests/widgets/test_positions.py: from standard input a list of settings with a position each.
import { readFileSync } from "node:fs";
import { angle, bit, dots, encode, pairsOf } from "../../course_lib/widgets/positions/encode.js";
import { rise, words } from "../../course_lib/widgets/positions/words.js";

const cases = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(
  JSON.stringify(
    cases.map((given) => {
      const P = encode(given);
      const curve = dots(P, given.position);
      const state = { ...given, dots: curve };
      const pairs = pairsOf(given);
      const angles = Array.from({ length: pairs }, (_, i) => angle(given, i, given.position));
      return {
        P,
        dots: curve,
        pairs,
        angles,
        rise: rise(curve, given.position),
        words: words(state),
        bits: [0, 1, 5, 12].map((i) => bit(given.position, i)),
      };
    }),
  ),
);
