// Promises of the planner that no traced model shows by itself. Writes the list of those that are broken.
import { evaluator, Heap, plan } from "../../course_lib/widgets/runtime/graph.js";

const broken = [];
const check = (what, good) => {
  if (!good) broken.push(what);
};
const graph = (inputs, nodes, outputs) => ({ format: 1, name: "test", sizes: ["n"], inputs, nodes, outputs });
const pair = [
  ["x", ["n"]],
  ["y", ["n"]],
];

// Two outputs that change places, each written over the other's input.
const heap = new Heap();
const x = heap.allocate([3]);
const y = heap.allocate([3]);
heap.write(x, [1, 2, 3]);
heap.write(y, [10, 20, 30]);
const swap = plan(
  heap,
  graph(
    pair,
    [
      ["add", "$1", 1],
      ["add", "$0", 2],
    ],
    [
      ["x", "^2"],
      ["y", "^1"],
    ],
  ),
  { x, y },
  { x, y },
);
swap.run();
check("swap in place", String(heap.read(x)) === "11,21,31" && String(heap.read(y)) === "3,4,5");

// A transposed matrix over itself: entry by entry would overwrite what is still to be read.
const square = heap.allocate([2, 2]);
heap.write(square, [1, 2, 3, 4]);
plan(
  heap,
  graph(
    [["m", [2, 2]]],
    [
      ["permute", "$0", [1, 0]],
      ["add", "^1", 0],
    ],
    [["m", "^1"]],
  ),
  { m: square },
  { m: square },
).run();
check("transpose in place", String(heap.read(square)) === "1,3,2,4");

// An old plan works after the heap has grown, and memory is not filled with junk.
const small = plan(heap, graph(pair, [["mul", "$0", "$1"]], [["z", "^1"]]), { x, y });
const before = heap.floats;
const large = heap.allocate([3_000_000]);
small.run();
check(
  "growth",
  heap.floats !== before &&
    String(heap.read(small.outputs.z)) === "33,84,155" &&
    heap.read(large).every((v) => v === 0),
);

// What the wanted outputs do not need is not planned, nor are its inputs asked for.
const two = graph(
  pair,
  [
    ["exp", "$0"],
    ["bmm", "$1", "$1"],
    ["neg", "^2"],
  ],
  [
    ["a", "^1"],
    ["b", "^2"],
  ],
);
const pruned = plan(heap, two, { x }, {}, { outputs: ["a"] });
check("pruning", pruned.steps.length === 1);

// A result with two readers is computed once, and one with a single reader melts into its reader's loop.
const shared = graph(
  pair,
  [
    ["exp", "$0"],
    ["add", "^1", 1],
    ["mul", "^2", 2],
  ],
  [
    ["a", "^2"],
    ["b", "^1"],
  ],
);
check(
  "computed once",
  plan(heap, shared, { x }).steps.length === 3 && plan(heap, shared, { x }, {}, { outputs: ["b"] }).steps.length === 1,
);

// One value under two names, an output that is an input, a number as an output.
const names = evaluator(
  graph(
    pair,
    [
      ["add", "$0", "$1"],
      ["scalar_tensor", 4],
    ],
    [
      ["p", "^2"],
      ["q", "^2"],
      ["r", "$0"],
      ["s", "^1"],
    ],
  ),
  { n: 2 },
);
names.set("x", [1, 2]);
names.set("y", [3, 4]);
names.run();
check(
  "names",
  ["p", "q", "r", "s"].map((k) => names.get(k).join()).join(" ") === "4,6 4,6 1,2 4" && names.shape("s").length === 0,
);

for (const [what, run, words] of [
  [
    "missing input",
    () => plan(heap, graph(pair, [["add", "$0", "$1"]], [["a", "^1"]]), { x }),
    /needs the input 'y' \[n\]/,
  ],
  [
    "unequal sizes",
    () => plan(heap, graph(pair, [["add", "$0", "$1"]], [["a", "^1"]]), { x, y: heap.allocate([4]) }),
    /input 'y' .* shape \[n\] with n = 3, got \[4\]/,
  ],
  ["no room", () => heap.allocate([2 ** 29]), /does not fit into the page's memory/],
]) {
  try {
    run();
    broken.push(`${what}: no error`);
  } catch (problem) {
    check(`${what}: ${problem.message}`, words.test(problem.message));
  }
}

process.stdout.write(JSON.stringify(broken));
