// Tokens with weights in the plane, and what layers of attention to their measure make of the plane and of them. The
// widget's model is the one truth; the layer on the screen glides to the layer that is set; numbers are worked out in
// slices of a frame.

import { CODECS, RANGES } from "./address.js";
import { chart } from "./chart.js";
import { controls } from "./controls.js";
import { apart, moments } from "./measure.js";
import { extentFor, plane } from "./plane.js";
import { tokenActs } from "./tokens.js";
import * as words from "./words.js";
import { fieldKey, GRID, working } from "./work.js";
import { between, glider, layered } from "../shell/layers.js";
import { sides } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { digits } from "../drawing/scale.js";
import { facts, signs } from "../drawing/facts.js";
import { announcer, h, oncePerFrame, setAttr, setText } from "../drawing/ui.js";

const GLIDE = 420;
const settings = settingsOf(Object.keys(CODECS));
const pairs = (x) => Array.from({ length: x.length / 2 }, (_, k) => [x[2 * k], x[2 * k + 1]]);

function render({ model, el }) {
  const root = rootOf(el, "mea course-desk", "Attention on a measure of the plane", { "aria-busy": "true" });
  const { authored, values: get, change: set, publish, follow } = settings.open(model, CODECS);
  const change = (parts) => {
    tokens.hush();
    set(parts);
    redraw();
  };
  const work = working(() => redraw());
  let known = null; // the layers that were last worked out
  /** The layers, where they are those of the settings and go so far. */
  const reached = (layers) =>
    known?.key === fieldKey(get()) && known.steps.length > layers ? known.steps[layers] : null;
  const way = layered({ get, change, last: RANGES.layers[1], ready: reached, redraw: () => redraw() });
  const tokens = tokenActs({
    get,
    change,
    redraw: () => redraw(),
    focus: (k) => picture.focus(k),
    shown: () => reached(get().layers)?.grid ?? null,
  });
  function reset() {
    way.halt();
    tokens.choose(0);
    change(authored);
  }

  const picture = plane({ get, acts: tokens });
  const board = controls({ get, change, acts: { ...tokens, play: way.play, reset } });
  const errors = chart();
  const sentence = h("p", { class: "course-words" });
  const more = h("p", { class: "mea-more" });
  const voice = announcer();
  const list = facts({
    mean: "mean of the measure",
    spread: "its spread",
    move: "largest move on the grid",
    stretch: "largest stretch at a token",
    order: "with the other composition",
    error: "error of the drawn tokens",
  });
  const key = signs(
    ["mea-blue", "the grid, moved"],
    ["mea-ring", "a token’s start: drag it"],
    ["mea-disc", "the token, moved"],
    ["mea-green", "and from there to where drawn tokens move it"],
  );
  const greens = key.lastChild;
  greens.hidden = true;
  const beside = [board.transport, board.dials];
  const columns = sides({ picture: [picture.face, key], beside });
  root.append(columns, sentence, more, h("div", { class: "course-results" }, list.el, errors.el), voice.el);

  const { at, glide } = glider(GLIDE);
  let extent = 3;
  let first = true;

  function draw() {
    const state = get();
    const { ready, ...last } = work.layers(state);
    known = last.known;
    const total = state.tokens.reduce((sum, [, , weight]) => sum + weight, 0);
    const shares = state.tokens.map(([, , weight]) => weight / total);
    board.draw(state, way.playing(), words.chosen(state, tokens.chosen(), shares));
    setAttr(root, "data-chosen", tokens.chosen());
    if (!known) return;
    const { steps, mu: start } = known;
    const most = steps.length - 1;
    const there = glide(state.layers, most, !first);
    const k = Math.min(Math.floor(at()), most);
    const share = at() - k;
    const glided = (name) => between(steps[k][name], steps[k + (share ? 1 : 0)][name], share);
    const limit = ready ? steps[state.layers].grid : null;
    const asked = ready && state.compare && state.layers > 0;
    const { compared, fallen } = asked ? work.compared(state, known, limit) : { compared: null, fallen: null };
    const view = extentFor([...start.x, ...steps[Math.min(Math.max(state.layers, Math.ceil(at())), most)].tokens]);
    if (!picture.held()) extent = view.extent;
    const settled = there && ready;
    picture.draw({
      extent,
      grid: glided("grid"),
      other: settled && compared ? compared.landed : null,
      tokens: start.x,
      moved: glided("tokens"),
      nodes: start.blur && settled && state.layers ? steps[k].mu : null,
      probabilities: Array.from(start.log, Math.exp),
      blur: Math.sqrt(start.blur),
    });
    errors.draw(fallen?.errors);
    if (ready) tell(state, limit, compared, fallen, view.outside);
    if (!there) redraw();
    setAttr(root, "aria-busy", !settled || (asked && !(compared && fallen)));
    first = false;
  }

  function tell(state, limit, compared, fallen, outside) {
    const { layers } = state;
    const before = moments(known.mu);
    const move = apart(limit, GRID);
    const last = known.steps[layers];
    const after = layers ? moments(last.mu) : before;
    const gap = known.others && layers > 1 ? apart(limit, known.others[layers]).most : null;
    const text = words.told(state, {
      layers,
      before,
      after,
      move,
      from: [GRID[2 * move.where], GRID[2 * move.where + 1]],
    });
    const said = tokens.said();
    const split = said ? words.split(said.token, said.weight, apart(said.before, limit).most) : "";
    const rest = [
      words.blurred(state, layers, last.mu.log.length, known.error ?? 0),
      words.composed(state, gap),
      words.sampled(state, compared?.error) || "",
      words.rate(fallen?.power ?? null, fallen?.errors),
      words.outside(outside),
    ]
      .filter(Boolean)
      .join(" ");
    list.set("mean", `${words.point(before.mean)} → ${words.point(after.mean)}`);
    list.set("spread", `${digits(before.spread)} → ${digits(after.spread)}`);
    list.set("move", digits(move.most));
    list.set("stretch", digits(known.stretch));
    list.rows.order.hidden = gap === null;
    list.set("order", gap === null ? "" : `up to ${digits(gap)} away`);
    list.rows.error.hidden = greens.hidden = !state.compare;
    list.set("error", compared ? digits(compared.error.rms, 2) : layers ? "…" : "no layer yet");
    const shown = split ? `${split} ${text}` : text;
    setText(sentence, shown);
    setText(more, rest);
    const all = `${shown} ${rest}`;
    voice.tell(all, split || all);
    publish(root, state, {
      result: {
        layer: layers,
        tokens: pairs(last.tokens),
        mean: after.mean,
        spread: after.spread,
        largest_move: move.most,
        stretch: known.stretch,
        other_order: gap,
        node_error: layers > 1 ? known.error : null,
        sample_error: compared?.error.rms ?? null,
        rate: fallen?.power ?? null,
      },
    });
  }
  const redraw = oncePerFrame(draw);
  const stop = follow(redraw, { root, face: picture.face, drawn: () => !first });
  draw();
  el.dataset.ready = "1";
  return () => {
    way.close();
    work.stop();
    stop();
  };
}

export default { initialize: settings.initialize, render };
