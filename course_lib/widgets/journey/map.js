// The whole route as a small map, drawn as the architecture usually is: the encoder on the left, the decoder on the
// right, from the bottom up.
// Every box is a button; within a box, its steps are the buttons above the matrix. Arrows: the line that each side's
// rows run along, with what each part adds (+), and the memory's way into each cross-attention.

import { h, setAttr, svg } from "../drawing/ui.js";
import { boxes } from "./route.js";

/** go({station, layer}): the reader jumps. */
export function routeMap({ layers, go }) {
  const all = boxes(layers);
  const nodes = [];
  const button = (box) => {
    const node = h(
      "button",
      { type: "button", class: "jny-box", onclick: () => go({ station: box.stops[0], layer: box.layer }) },
      box.label,
    );
    const place =
      `${box.side === "source" ? "encoder" : "decoder"}` +
      `${box.layer === null ? "" : `, layer ${box.layer + 1}`}: ${box.label}`;
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
  const lines = svg("svg", { class: "jny-lines", "aria-hidden": "true" });
  nav.prepend(lines);
  const key = h(
    "p",
    { class: "jny-key course-soft" },
    "+ adds to the rows that run past; dashed: the memory, read by each cross-attention",
  );
  const el = h("div", { class: "jny-map" }, nav, key);
  /** Where a box stands in the map. */
  function place({ node }) {
    const [box, own] = [node.getBoundingClientRect(), nav.getBoundingClientRect()];
    const [left, top] = [box.left - own.left, box.top - own.top];
    return { left, right: left + box.width, top, middle: top + box.height / 2, bottom: top + box.height };
  }
  function arrows() {
    const { width, height } = nav.getBoundingClientRect();
    if (!width) return;
    const draw = (d, kind) => svg("path", { d, class: `jny-way ${kind}` });
    const head = (x, y, way) =>
      svg("path", {
        d:
          way === "up"
            ? `M${x - 4} ${y + 6}L${x} ${y}L${x + 4} ${y + 6}`
            : `M${x - 6} ${y - 4}L${x} ${y}L${x - 6} ${y + 4}`,
        class: "jny-way",
      });
    const parts = [];
    for (const side of ["source", "target"]) {
      const own = nodes.filter(({ box }) => box.side === side);
      const inner = own.filter(({ box }) => box.layer !== null);
      const [from, to] = [place(own[own.indexOf(inner[0]) - 1]), place(own[own.indexOf(inner.at(-1)) + 1])];
      const right = side === "target";
      const edge = (box) => (right ? box.right : box.left);
      const x = edge(place(inner[0])) + (right ? 10 : -10);
      parts.push(draw(`M${x} ${from.top}V${to.bottom + 1}`, "jny-trunk"), head(x, to.bottom + 1, "up"));
      for (const node of inner) {
        const box = place(node);
        const sum = box.top + 4;
        parts.push(
          draw(`M${x} ${box.bottom - 3}H${edge(box)}M${edge(box)} ${sum}H${x}`, ""),
          draw(`M${x - 3.5} ${sum}H${x + 3.5}M${x} ${sum - 3.5}V${sum + 3.5}`, "jny-plus"),
        );
      }
    }
    const memory = place(nodes.find(({ box }) => box.key === "memory"));
    for (const node of nodes.filter(({ box }) => box.key === "cross_look")) {
      const cross = place(node);
      const x = (memory.right + cross.left) / 2 - 1;
      parts.push(
        draw(`M${memory.right} ${memory.middle}H${x}V${cross.middle}H${cross.left - 1}`, "jny-across"),
        head(cross.left - 1, cross.middle, "right"),
      );
    }
    setAttr(lines, "viewBox", `0 0 ${width} ${height}`);
    lines.replaceChildren(...parts);
  }
  const sized = new ResizeObserver(arrows);
  sized.observe(nav);
  function draw(current) {
    const here = nodes.findIndex(({ box }) => box.key === current.box.key && box.layer === current.box.layer);
    nodes.forEach(({ node }, i) => {
      if (i === here) setAttr(node, "aria-current", "step");
      else node.removeAttribute("aria-current");
      node.classList.toggle("jny-passed", i < here);
      // it is what one looks at there
      node.classList.toggle("jny-linked", current.box.key === "cross_look" && nodes[i].box.key === "memory");
    });
    nav.classList.toggle("jny-looks", current.box.key === "cross_look");
  }
  return { el, draw, stop: () => sized.disconnect() };
}
