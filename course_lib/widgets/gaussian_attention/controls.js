// What the reader may set: the layers to pass, the cloud, the heads' matrices, and the layer's numbers.

import { abreast, desk, group } from "../drawing/desk.js";
import { headsEditor } from "../drawing/heads.js";
import { h, number } from "../drawing/ui.js";
import { HEADS, RANGES } from "./address.js";

/** get(): the settings; change(part); acts: {play, reset}. */
export function controls({ get, change, acts }) {
  const board = desk({ get, change, takes: RANGES });
  const { dial, entry } = board;
  const editor = headsEditor({ get, change, range: RANGES.heads, most: HEADS });
  const transport = board.transport(acts);
  const dials = h(
    "div",
    { class: "course-dials" },
    group(
      "The starting cloud",
      abreast(
        entry("mean", 0, ["mean, ", h("i", {}, "x")], 0.05),
        entry("mean", 1, ["mean, ", h("i", {}, "y")], 0.05),
        entry("spread", 0, "first axis", 0.05),
        entry("spread", 1, "second axis", 0.05),
        dial("angle", "turned by", 1, { format: (value) => `${number(value, 0)}°` }),
      ),
    ),
    group(
      "The layer",
      abreast(dial("step", ["step ", h("i", {}, "ε")], 0.01), dial("scale", ["scale ", h("i", {}, "s")], 0.01)),
      editor.count,
      editor.list,
    ),
    group(
      "The particles",
      abreast(
        dial("n", ["particles ", h("i", {}, "n")], 10, { format: String }),
        board.seed(),
        board.another("another sample"),
      ),
      board.flag("matched", "sample with exactly this mean and covariance"),
    ),
  );

  function draw(state, playing) {
    board.draw({ ...state, playing });
    editor.draw(state.heads);
  }
  return { transport, dials, draw };
}
