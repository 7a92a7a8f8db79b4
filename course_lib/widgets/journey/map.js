// The whole route as a small map, drawn as the architecture usually is: the encoder on the left, the decoder on the right, from the bottom up.
// Every box is a button; within a box, its steps are the buttons above the matrix.

import { h, setAttr } from "../drawing/ui.js";
import { boxes } from "./route.js";

/** go({station, layer}): the reader jumps. */
export function routeMap({ layers, go, open }) {
  const all = boxes(layers);
  const nodes = [];
  const button = (box) => {
    const node = h(
      "button",
      { type: "button", class: "jny-box", onclick: () => go({ station: box.stops[0], layer: box.layer }) },
      box.label,
    );
    const place = `${box.side === "source" ? "encoder" : "decoder"}${box.layer === null ? "" : `, layer ${box.layer + 1}`}: ${box.label}`;
    setAttr(node, "aria-label", place);
    nodes.push({ node, box });
    return node;
  };
  const column = (side, title) => {
    const own = all.filter((box) => box.side === side);
    const parts = [];
    for (const box of own) {
      if (box.layer === null) {
        parts.push(button(box));
        continue;
      }
      let layer = parts.find((part) => part.dataset?.layer === String(box.layer));
      if (!layer) {
        layer = h(
          "div",
          { class: "jny-layer", "data-layer": box.layer, role: "group", "aria-label": `layer ${box.layer + 1}` },
          h("span", { class: "jny-floor", "aria-hidden": "true" }, box.layer + 1),
        );
        parts.push(layer);
      }
      layer.append(button(box));
    }
    return h(
      "div",
      { class: `jny-side jny-${side}`, role: "group", "aria-label": title },
      h("span", { class: "jny-side-title" }, title),
      ...parts,
    );
  };
  const nav = h(
    "div",
    { class: "jny-route", role: "group", "aria-label": "The whole route: jump to a stop" },
    column("source", "Encoder"),
    column("target", "Decoder"),
  );
  const el = h("details", { class: "jny-map", open }, h("summary", {}, "The whole route"), nav);
  function draw(current) {
    const here = nodes.findIndex(({ box }) => box.key === current.box.key && box.layer === current.box.layer);
    nodes.forEach(({ node }, i) => {
      if (i === here) setAttr(node, "aria-current", "step");
      else node.removeAttribute("aria-current");
      node.classList.toggle("jny-passed", i < here);
      node.classList.toggle("jny-linked", current.box.key === "cross_look" && nodes[i].box.key === "memory"); // it is what one looks at there
    });
  }
  return { el, draw };
}
