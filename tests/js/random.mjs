// Streams of the page's generator for tests/test_graphs_training.py: from standard input {seeds, count}.
import { readFileSync } from "node:fs";
import { Generator } from "../../course_lib/widgets/static/random.js";

const { seeds, count } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(
  JSON.stringify(
    seeds.map((seed) => {
      const generator = new Generator(seed);
      const take = (kind) => Array.from({ length: count }, kind);
      const integers = take(() => generator.integer());
      const normal = take(() => generator.normal());
      return { integers, normal, below: take(() => generator.below(10)), state: generator.state };
    }),
  ),
);
