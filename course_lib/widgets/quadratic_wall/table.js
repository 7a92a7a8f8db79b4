// A row for each kind chosen: operations, bytes, seconds, steps that wait for each other, and how far a token is heard.

import { thousands } from "../model_sizes/words.js";
import { h, setText } from "../drawing/ui.js";
import { P100 } from "./costs.js";
import { KINDS } from "./stack.js";
import { bytes, operations, PAGE, seconds } from "./words.js";

export function table() {
  const heads = {
    kind: h("th", { scope: "col" }, "layer"),
    flops: h("th", { scope: "col" }, "FLOPs"),
    bytes: h("th", { scope: "col" }, "kept"),
    peak: h("th", { scope: "col" }, "P100, peak"),
    p100: h("th", { scope: "col" }),
    here: h("th", { scope: "col" }),
    steps: h("th", { scope: "col" }, "steps in turn"),
    path: h("th", { scope: "col" }, "layers to hear all"),
  };
  const body = h("tbody");
  const el = h(
    "div",
    {
      class: "wal-scroll course-fades course-fades-end",
      tabindex: 0,
      role: "region",
      "aria-label": "Costs by kind of layer: scroll with the arrow keys",
    },
    h(
      "table",
      { class: "wal-table" },
      h("caption", { class: "course-hidden" }, "Costs by kind of layer"),
      h("thead", {}, h("tr", {}, ...Object.values(heads))),
      body,
    ),
  );

  function line([kind, cost]) {
    const cell = (...parts) => h("td", {}, ...parts);
    const full = cost.bytes > P100.memory ? "more than a P100 holds" : cost.bytes > PAGE ? "more than this page holds" : "";
    return h(
      "tr",
      { "data-kind": kind },
      h("th", { scope: "row", class: `wal-name wal-${kind}` }, KINDS[kind].name),
      cell(operations(cost.flops)),
      h(
        "td",
        { class: full ? "wal-over" : "" },
        bytes(cost.bytes),
        ...(full
          ? [
              h("span", { "aria-hidden": "true" }, full.includes("P100") ? " ‡" : " †"),
              h("span", { class: "course-hidden" }, ` (${full})`),
            ]
          : []),
      ),
      cell(seconds(cost.peak)),
      cell(seconds(cost.p100)),
      cell(seconds(cost.here)),
      cell(thousands(cost.steps)),
      cell(thousands(cost.path)),
    );
  }
  function draw(state, found, measured) {
    setText(heads.p100, `P100, ${state.reached}\u00a0%`);
    setText(heads.here, measured ? "your device" : "reference");
    body.replaceChildren(...Object.entries(found.costs).map(line));
  }
  return { el, draw };
}
