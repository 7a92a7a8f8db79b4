// The plane: tokens to drag, the query of the chosen row, keys, values, and the output among them.

import { TAKES } from "./address.js";
import { clamp, draggable, h, number, setAttr, setAttrs, setText, svg } from "../drawing/ui.js";

const REACH = TAKES.vectors[1]; // the plane shows [-3, 3]²
const SIZE = 400;
const HALF = SIZE / 2;
const UNIT = HALF / (REACH + 0.25);
const px = (x) => HALF + UNIT * x;
const py = (y) => HALF - UNIT * y;
const round = (x) => Math.round(x * 100) / 100;

const LAYERS = [
  ["x", "words x", "soft"],
  ["q", "query q", "orange"],
  ["k", "keys k", "blue"],
  ["v", "values v", "green"],
  ["o", "output o", "purple"],
  ["shadow", "shadows of k on q", "blue"],
];

/** An arrow that moves in place. A short arrow keeps a head in proportion; a zero arrow vanishes. */
function arrow(kind) {
  const line = svg("line", {});
  const head = svg("path", {});
  const el = svg("g", { class: `abh-arrow abh-${kind}` }, line, head);
  return {
    el,
    to(x, y) {
      const length = Math.hypot(x, y) * UNIT;
      setAttr(el, "visibility", length < 2 ? "hidden" : "visible");
      if (length < 2) return;
      const [c, s] = [(x * UNIT) / length, (-y * UNIT) / length];
      const size = Math.min(kind === "q" ? 13 : 9, length);
      const wing = size * 0.42;
      const tip = [px(x), py(y)];
      const root = [tip[0] - c * size, tip[1] - s * size];
      setAttrs(line, { x1: HALF, y1: HALF, x2: root[0].toFixed(2), y2: root[1].toFixed(2) });
      const corner = (side) => `${(root[0] - s * wing * side).toFixed(2)} ${(root[1] + c * wing * side).toFixed(2)}`;
      setAttr(head, "d", `M${tip[0].toFixed(2)} ${tip[1].toFixed(2)}L${corner(1)}L${corner(-1)}Z`);
    },
  };
}

const place = (node, x, y) => setAttr(node, "transform", `translate(${px(x).toFixed(2)} ${py(y).toFixed(2)})`);

/** Points of the convex hull, by Andrew's monotone chain: the output can never leave it. */
function hull(points) {
  const sorted = points.map(([x, y]) => [x, y]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const side = (list) =>
    list
      .reduce((chain, p) => {
        while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), p) <= 0) chain.pop();
        chain.push(p);
        return chain;
      }, [])
      .slice(0, -1);
  return sorted.length < 3 ? sorted : [...side(sorted), ...side([...sorted].reverse())];
}

function grid() {
  const lines = svg("g", { class: "abh-grid" });
  for (let t = -REACH; t <= REACH; t++) {
    lines.append(svg("line", { x1: px(t), x2: px(t), y1: 0, y2: SIZE, class: t ? "" : "abh-axis" }));
    lines.append(svg("line", { y1: py(t), y2: py(t), x1: 0, x2: SIZE, class: t ? "" : "abh-axis" }));
  }
  for (const t of [-2, -1, 1, 2]) {
    lines.append(svg("text", { x: px(t), y: HALF + 13, "text-anchor": "middle" }, number(t, 0)));
    lines.append(svg("text", { x: HALF - 6, y: py(t) + 4, "text-anchor": "end" }, number(t, 0)));
  }
  return lines;
}

/**
 * move(i, [x, y]): the reader moved token i; choose(i): the reader picked a row.
 * maps: whether queries, keys and values may differ from the tokens at all (if not, they are not drawn).
 */
export function plane({ n, movable, maps, move, choose }) {
  const group = (kind, parts) => svg("g", { class: `abh-layer-${kind}` }, ...parts);
  const each = (make) => Array.from({ length: n }, (_, i) => make(i));
  const query = arrow("q");
  const keys = each(() => arrow("k"));
  const keyNames = each(() => svg("text", { class: "abh-k abh-small" }));
  const values = each(() => svg("rect", { class: "abh-v", x: -6, y: -6, width: 12, height: 12 }));
  const pulls = each(() => svg("line", { class: "abh-pull" }));
  const shadows = each(() => svg("line", { class: "abh-shadow" }));
  const feet = each(() => svg("circle", { class: "abh-foot", r: 2.5 }));
  const ray = svg("line", { class: "abh-ray" });
  const area = svg("polygon", { class: "abh-hull" });
  const output = svg(
    "g",
    { class: "abh-o" },
    svg("path", { d: "M0 -9L2.6 -2.8L9 -2.6L4 1.7L5.6 8L0 4.4L-5.6 8L-4 1.7L-9 -2.6L-2.6 -2.8Z" }),
  );
  const border = svg("line", { class: "abh-border", visibility: "hidden" });
  const stems = each(() => svg("line", { class: "abh-stem" }));
  let points = [];

  const handles = each((i) => {
    const name = svg("text", { class: "abh-name", y: -13, "text-anchor": "middle" });
    const el = svg(
      "g",
      { class: "abh-token", tabindex: 0, role: movable ? "slider" : "button" },
      svg("circle", { class: "abh-target", r: 17 }),
      svg("circle", { class: "abh-ring", r: 11 }),
      svg("circle", { class: "abh-dot", r: 6.5 }),
      name,
    );
    const put = (x, y) => {
      const point = [clamp(round(x), -REACH, REACH), clamp(round(y), -REACH, REACH)];
      points = points.map((old, j) => (i === j ? point : old)); // at once: a second key may come before the next frame
      move(i, point);
    };
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    el.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") choose(i);
      else if (movable && event.key in steps)
        put(...steps[event.key].map((step, axis) => points[i][axis] + step * (event.shiftKey ? 0.5 : 0.1)));
      else return;
      event.preventDefault();
    });
    if (movable) {
      let grip = null;
      let moved = false;
      draggable(el, {
        start(event) {
          grip = [event.clientX, event.clientY, ...points[i]];
          moved = false;
        },
        move(event) {
          const unit = (face.getBoundingClientRect().width / SIZE) * UNIT;
          const [dx, dy] = [event.clientX - grip[0], grip[1] - event.clientY];
          if (!moved && Math.hypot(dx, dy) < 4) return; // a click with an unsteady hand chooses the row
          moved = true;
          put(grip[2] + dx / unit, grip[3] + dy / unit);
        },
        end(event) {
          if (!moved && event.type === "pointerup") choose(i);
        },
      });
    } else el.addEventListener("click", () => choose(i));
    return { el, name };
  });

  const drawing = svg(
    "g",
    { "aria-hidden": "true" },
    grid(),
    group("v", [area, ...pulls]),
    group("x", [border, ...stems]),
    group("shadow", [ray, ...shadows, ...feet]),
    group("k", [...keys.map((key) => key.el), ...keyNames]),
    group("q", [query.el]),
    group("v", values),
  );
  const face = svg(
    "svg",
    { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "abh-plane", role: "group", "aria-label": "The plane of the tokens" },
    drawing,
    group(
      "x",
      handles.map((handle) => handle.el),
    ),
    svg("g", { class: "abh-layer-o", "aria-hidden": "true" }, output),
  );

  const legend = h("div", { class: "abh-legend", role: "group", "aria-label": "Show in the plane" });
  for (const [kind, label, colour] of LAYERS) {
    if (!maps && (kind === "k" || kind === "v" || kind === "q" || kind === "shadow")) continue;
    const button = h(
      "button",
      { type: "button", class: `abh-key abh-key-${kind}`, "aria-pressed": kind !== "shadow" },
      h("i", { "aria-hidden": "true", style: `--mark: var(--course-${colour})` }),
      label,
    );
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", on);
      face.classList.toggle(`abh-no-${kind}`, !on);
    });
    if (kind === "shadow") face.classList.add("abh-no-shadow");
    legend.append(button);
  }
  if (!maps) face.classList.add("abh-no-q", "abh-no-k", "abh-no-shadow");

  const key = h("p", { class: "abh-how" });
  setText(
    key,
    `${movable ? "Dotted: each word's vector, from the origin. " : ""}Shaded: every average of the ` +
      `${maps ? "values" : "words"}; the star cannot leave it. Purple lines: as thick as the weight.`,
  );

  /** edge: [a, b, c] for the line a·x + b·y = c, or null. */
  function draw({ tokens, x, q, k, v, o, weights, row, edge }) {
    points = x;
    setAttr(border, "visibility", edge ? "visible" : "hidden");
    if (edge) {
      const [a, b, c] = edge;
      const size = Math.hypot(a, b);
      const foot = [(a * c) / size ** 2, (b * c) / size ** 2];
      const along = [(-b / size) * 4 * REACH, (a / size) * 4 * REACH];
      line(border, [foot[0] - along[0], foot[1] - along[1]], [foot[0] + along[0], foot[1] + along[1]]);
    }
    handles.forEach(({ el, name }, i) => {
      place(el, ...x[i]);
      setText(name, tokens[i]);
      const anchor = x[i][0] > REACH - 0.6 ? "end" : x[i][0] < 0.6 - REACH ? "start" : "middle";
      // a name never leaves the picture
      setAttrs(name, { y: x[i][1] > REACH - 0.45 ? 23 : -13, "text-anchor": anchor });
      el.classList.toggle("abh-chosen", i === row);
      setAttr(el, "aria-label", i === row ? `${tokens[i]}, the chosen row` : tokens[i]);
      if (!movable) return setAttr(el, "aria-pressed", i === row);
      const text = `x ${number(x[i][0])}, y ${number(x[i][1])}`;
      setAttrs(el, { valuemin: -REACH, valuemax: REACH, valuenow: x[i][0], valuetext: text }, "aria-");
      line(stems[i], [0, 0], x[i]);
    });
    query.to(...q[row]);
    const norm = Math.hypot(...q[row]) || 1;
    const along = [q[row][0] / norm, q[row][1] / norm];
    const far = norm > 1e-6 ? 2 * REACH : 0;
    line(ray, [-far * along[0], -far * along[1]], [far * along[0], far * along[1]]);
    for (let j = 0; j < n; j++) {
      keys[j].to(...k[j]);
      // the token's own name stands there
      setText(keyNames[j], Math.hypot(k[j][0] - x[j][0], k[j][1] - x[j][1]) < 0.15 ? "" : tokens[j]);
      const length = Math.hypot(...k[j]) || 1;
      const out = 11 / UNIT;
      const [tx, ty] = k[j].map((x) => x * (1 + out / length));
      const side = k[j][0] / length;
      const anchor = side > 0.5 ? "start" : side < -0.5 ? "end" : "middle";
      setAttrs(keyNames[j], { x: px(tx).toFixed(2), y: (py(ty) + 4).toFixed(2), "text-anchor": anchor });
      const reach = far ? k[j][0] * along[0] + k[j][1] * along[1] : 0;
      const foot = [reach * along[0], reach * along[1]];
      line(shadows[j], k[j], foot);
      setAttrs(feet[j], { cx: px(foot[0]).toFixed(2), cy: py(foot[1]).toFixed(2) });
      place(values[j], ...v[j]);
      line(pulls[j], v[j], o[row]);
      setAttr(pulls[j], "stroke-width", (weights[row][j] * 9).toFixed(2));
    }
    setAttr(
      area,
      "points",
      hull(v)
        .map(([a, b]) => `${px(a).toFixed(1)},${py(b).toFixed(1)}`)
        .join(" "),
    );
    place(output, ...o[row]);
  }

  const el = h("div", { class: "abh-figure" }, face, legend, key);
  return { el, draw };
}

function line(node, [x1, y1], [x2, y2]) {
  const ends = { x1: px(x1), y1: py(y1), x2: px(x2), y2: py(y2) };
  for (const [name, value] of Object.entries(ends)) setAttr(node, name, value.toFixed(2));
}
