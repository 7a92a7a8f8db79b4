// "Draw the curve": a height at each place, by pointer or by arrow keys. A form as those in forms.js, which can show
// the measured line too.

import { clamp, h, number, setAttr, svg } from "../drawing/ui.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [420, 250, 46, 14, 12, 38];
// Beside the drawing, so that cards without one do not carry it.
const STYLE = `
  .course-curve { display: block; width: 100%; max-width: 34rem; height: auto;
    touch-action: none; user-select: none; cursor: crosshair; }
  .course-curve text { fill: var(--course-soft); font: 12px system-ui, sans-serif; }
  .course-level { stroke: var(--course-line); }
  .course-mine, .course-measured { fill: none; stroke: var(--course-main); stroke-width: 2.5; }
  .course-measured { stroke: var(--course-bad); stroke-dasharray: 6 4; }
  .course-curve circle { fill: var(--course-paper); stroke: var(--course-main); stroke-width: 2.5; }
  .course-curve circle:focus-visible { outline: none; fill: var(--course-main); stroke-width: 6; }`;

export function curveForm({ x, low, high, x_title, y_title }) {
  const step = (high - low) / 50;
  const digits = Math.max(0, Math.ceil(-Math.log10(step)));
  const across = (place) => LEFT + ((WIDTH - LEFT - RIGHT) * (place - x[0])) / (x.at(-1) - x[0]);
  const down = (height) => TOP + ((HEIGHT - TOP - BOTTOM) * (high - height)) / (high - low);
  const heightAt = (value) => clamp(low + Math.round((value - low) / step) * step, low, high);
  const path = (heights) => `M${heights.map((height, i) => `${across(x[i])} ${down(height)}`).join("L")}`;
  const text = (where, content) => svg("text", where, content);
  let heights = x.map(() => (low + high) / 2);
  let at = 0;
  let locked = false;

  const measured = svg("path", { class: "course-measured" });
  const mine = svg("path", { class: "course-mine" });
  const knobs = x.map((place, i) =>
    svg("circle", {
      r: 7,
      cx: across(place),
      role: "slider",
      "aria-orientation": "vertical",
      "aria-valuemin": low,
      "aria-valuemax": high,
      "aria-label": `${x_title} ${number(place, place % 1 ? 2 : 0)}`,
      onfocus: () => {
        at = i;
      },
    }),
  );
  const level = [low, (low + high) / 2, high];
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      class: "course-curve",
      role: "group",
      "aria-label": `Draw ${y_title} against ${x_title}. Left and right: another point; up and down: its height`,
    },
    svg("style", {}, STYLE),
    ...level.map((height) => svg("path", { class: "course-level", d: `M${LEFT} ${down(height)}H${WIDTH - RIGHT}` })),
    ...level.map((height) => text({ x: LEFT - 6, y: down(height) + 4, "text-anchor": "end" }, number(height, digits))),
    ...x.map((place) =>
      text({ x: across(place), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, number(place, place % 1 ? 2 : 0)),
    ),
    text({ x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, x_title),
    measured,
    mine,
    ...knobs,
  );

  function draw() {
    setAttr(mine, "d", path(heights));
    knobs.forEach((knob, i) => {
      setAttr(knob, "cy", down(heights[i]));
      setAttr(knob, "aria-valuenow", heights[i].toFixed(digits));
      setAttr(knob, "tabindex", i === at ? 0 : -1);
      setAttr(knob, "aria-disabled", locked);
    });
  }
  function change(i, height) {
    heights[i] = heightAt(height);
    picture.dispatchEvent(new Event("input", { bubbles: true }));
  }
  function key(event) {
    const { [event.key]: rise } = { ArrowUp: step, ArrowDown: -step, PageUp: 10 * step, PageDown: -10 * step };
    const { [event.key]: aside } = { ArrowLeft: -1, ArrowRight: 1 };
    const { [event.key]: end } = { Home: low, End: high };
    if (rise === undefined && aside === undefined && end === undefined) return;
    event.preventDefault();
    if (aside) at = clamp(at + aside, 0, x.length - 1);
    else if (!locked) change(at, end ?? heights[at] + rise);
    draw();
    knobs[at].focus();
  }
  let last = null; // a fast pointer jumps: the places between get their share
  function paint({ clientX, clientY }) {
    const point = new DOMPoint(clientX, clientY).matrixTransform(picture.getScreenCTM().inverse());
    const off = x.map((place) => Math.abs(across(place) - point.x));
    const to = off.indexOf(Math.min(...off));
    const height = high - ((point.y - TOP) / (HEIGHT - TOP - BOTTOM)) * (high - low);
    const from = last ?? [to, height];
    const steps = Math.abs(to - from[0]);
    for (let k = steps ? 1 : 0; k <= steps; k += 1)
      change(from[0] + k * Math.sign(to - from[0]), steps ? from[1] + ((height - from[1]) * k) / steps : height);
    last = [to, height];
    at = to;
    draw();
  }
  picture.addEventListener("keydown", key);
  picture.addEventListener("pointerdown", (event) => {
    if (locked) return;
    event.preventDefault();
    picture.setPointerCapture(event.pointerId);
    last = null;
    paint(event);
    knobs[at].focus({ preventScroll: true });
  });
  picture.addEventListener("pointermove", (event) => {
    if (!locked && picture.hasPointerCapture(event.pointerId)) paint(event);
  });
  draw();
  const el = h("div", {}, h("p", { class: "course-how" }, `${y_title}, against ${x_title}:`), picture);
  return {
    el,
    inputs: knobs,
    get: () => [...heights],
    set: (given) => {
      heights = x.map((_, i) => (Number.isFinite(given?.[i]) ? heightAt(given[i]) : (low + high) / 2));
      draw();
    },
    lock: (yes) => {
      locked = yes;
      draw();
    },
    /** The measured heights beside the reader's, or none. */
    compare: (truth) => setAttr(measured, "d", truth ? path(truth.map((height) => clamp(height, low, high))) : ""),
  };
}

/** The same for an exercise: the answer is null until something has been drawn. */
export function sketchForm(spec) {
  const form = curveForm(spec);
  const level = JSON.stringify(form.get());
  return {
    ...form,
    get: () => (JSON.stringify(form.get()) === level ? null : form.get()),
    compare: (yes) => form.compare(yes ? spec.curve : null),
  };
}
