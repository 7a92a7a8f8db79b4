// How fast this device multiplies matrices: the same product that runs the course's models in the page (graph.js with
// its SIMD kernel), one thread, float32, for about half a second. It runs in a worker; where none may start, on the
// page in short pieces.
//
// In: {type: "measure"}. Out: {type: "measured", rate} in FLOPs a second, or {type: "error", words}.

import { evaluator } from "../runtime/graph.js";
import { KERNEL } from "../runtime/kernel.js";

const PRODUCT = {
  format: 1,
  name: "product",
  sizes: ["n"],
  inputs: [
    ["A", ["n", "n"]],
    ["B", ["n", "n"]],
  ],
  nodes: [["mm", "$0", "$1"]],
  outputs: [["C", "^1"]],
};
export const SIZE = 256; // three matrices of 256 kB: in a cache, as the blocks of a larger product would be
const LONG = 550;
const FLOPS = 2 * SIZE ** 3;

/** A product of two SIZE × SIZE matrices, ready to run. */
export function product() {
  const kernel = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));
  const made = evaluator(PRODUCT, { n: SIZE }, { kernel });
  for (const name of ["A", "B"])
    made.set(
      name,
      Float32Array.from({ length: SIZE * SIZE }, (_, i) => ((i * 7919) % 1013) / 1013 - 0.5),
    );
  return made;
}

/**
 * post(message) tells the page; slice: milliseconds of products at a time, after which others may do their work.
 * Returns receive(message).
 */
export function session(post, { slice = 45, now = () => performance.now() } = {}) {
  let busy = false;
  async function burst() {
    const made = product();
    const rates = [];
    const began = now();
    made.run(); // the first one is slower: code is compiled, memory is touched
    do {
      await new Promise((done) => setTimeout(done));
      const start = now();
      let count = 0;
      let spent = 0;
      do {
        made.run();
        count++;
        spent = now() - start;
      } while (spent < slice);
      rates.push((FLOPS * count) / (spent / 1000));
    } while (now() - began < LONG);
    return { type: "measured", rate: Math.max(...rates) }; // what else the device does only makes a piece slower
  }
  return async ({ type }) => {
    if (type !== "measure" || busy) return;
    busy = true;
    const told = await burst().catch((error) => ({ type: "error", words: error.message }));
    busy = false;
    post(told);
  };
}
