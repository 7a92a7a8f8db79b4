// The seven maps of a layer of the language model, on n vectors: as a traced graph of 32-bit floats, and in the integers of its file.
// In: { graph, sizes, maps: { name: [rows, columns] }, vectors: [n, …], rounds }. Out: for each n milliseconds by both ways, medians; and bytes.

import { readFileSync } from "node:fs";
import { evaluator } from "../course_lib/widgets/runtime/graph.js";
import { KERNEL } from "../course_lib/widgets/runtime/kernel.js";
import { BLOCK, FORMS, quantisedMemory } from "../course_lib/widgets/runtime/quantised.js";

const { graph, sizes, maps, vectors, rounds } = JSON.parse(readFileSync(0, "utf8"));
const kernel = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
const timed = (work) => {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
};
const often = (work) => {
  for (let i = 0; i < 20; i++) work(); // until the compiler has done its best
  return median(Array.from({ length: rounds }, () => timed(() => Array.from({ length: 10 }, work)) / 10));
};

const shapes = Object.values(maps);
const weights = shapes.reduce((sum, [rows, columns]) => sum + rows * columns, 0);
const packed = (weights / (4 * BLOCK)) * FORMS.Q4_1.packed;
const widest = Math.max(...shapes.flat());
const most = Math.max(...vectors);
const room = quantisedMemory(packed + most * widest * 16, {});
const [x, integers, scales, sums, out] = [0, 4, 6, 7, 8].map((each) => packed + most * widest * each);

process.stdout.write(
  JSON.stringify({
    bytes: { graph: 4 * weights, integers: packed },
    times: vectors.map((n) => {
      const plan = evaluator(graph, { ...sizes, n }, { kernel });
      const integersToo = () => {
        let at = 0;
        for (const [rows, columns] of shapes) {
          const blocks = columns / BLOCK;
          room.quantise(n * blocks, x, integers, scales, sums);
          room.productQ4(n, rows, blocks, at, integers, scales, sums, out);
          at += (rows / 4) * blocks * FORMS.Q4_1.packed;
        }
      };
      return { n, graph: often(plan.run), integers: often(integersToo) };
    }),
  }),
);
