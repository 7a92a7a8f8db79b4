// Streams of the page's generator for tests/widgets/test_graphs_training.py: from standard input {seeds, count}, or {quantiles}.
import { readFileSync } from "node:fs";
import { Generator, normalQuantile } from "../../course_lib/widgets/runtime/random.js";

const { seeds, count, quantiles } = JSON.parse(readFileSync(0, "utf8"));

function streams(seed) {
  const generator = new Generator(seed);
  const take = (kind) => Array.from({ length: count }, kind);
  const integers = take(() => generator.integer());
  const normal = take(() => generator.normal());
  return { integers, normal, below: take(() => generator.below(10)), state: generator.state };
}

process.stdout.write(JSON.stringify(quantiles?.map(normalQuantile) ?? seeds.map(streams)));
