// A row for each kind chosen: operations, bytes, seconds, steps that wait for each other, and how far a token is heard.

import { thousands } from "../model_sizes/words.js";
import { h, setText } from "../drawing/ui.js";
import { tint } from "./chart.js";
import { P100 } from "./costs.js";
import { KINDS } from "./stack.js";
import { bytes, operations, PAGE, seconds } from "./words.js";

const HEADS = ["layer", "FLOPs", "kept", "P100, peak", "", "steps in turn", "layers to hear all"];
const MARKS = { "more than a P100 holds": " ‡", "more than this page holds": " †" };

export function table() {
  const heads = HEADS.map((text) => h("th", { scope: "col" }, text));
  const here = heads[4];
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
      h("thead", {}, h("tr", {}, ...heads)),
      body,
    ),
  );

  function line([kind, cost]) {
    const cell = (text) => h("td", {}, text);
    const full =
      cost.bytes > P100.memory ? "more than a P100 holds" : cost.bytes > PAGE ? "more than this page holds" : "";
    return h(
      "tr",
      { "data-kind": kind },
      h("th", { scope: "row", class: "wal-name", style: tint(kind) }, KINDS[kind].name),
      cell(operations(cost.flops)),
      h(
        "td",
        { class: full ? "wal-over" : "" },
        bytes(cost.bytes),
        ...(full
          ? [h("span", { "aria-hidden": "true" }, MARKS[full]), h("span", { class: "course-hidden" }, ` (${full})`)]
          : []),
      ),
      ...[cost.peak, cost.here].map((each) => cell(seconds(each))),
      ...[cost.steps, cost.path].map((each) => cell(thousands(each))),
    );
  }
  function draw(found, measured) {
    setText(here, measured ? "your device" : "reference");
    body.replaceChildren(...Object.entries(found.costs).map(line));
  }
  return { el, draw };
}
