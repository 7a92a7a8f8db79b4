// A canvas to draw on, for sighted readers only: what it shows is told beside it.

import { begin, trace as line, write } from "./canvas.js";
import { h } from "./ui.js";

/** Gives {face, canvas, open(width, height)}; `over`: what lies over the canvas. */
export function sheet(name, attributes = {}, ...over) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const face = h("div", { class: name, ...attributes }, canvas, ...over);

  /** The canvas cleared, in the page's colours, and what draws on it. */
  function open(width, height) {
    const { context, colours } = begin(canvas, width, height);
    const style = getComputedStyle(canvas);
    const hue = (colour) => style.getPropertyValue(`--course-${colour}`).trim();
    const quiet = { ...colours, ink: colours.soft };
    const trace = (...pen) => line(context, ...pen);
    const between = (start, end, ...pen) => trace([start, end], ...pen);
    const across = (y, left, right, ...pen) => between([left, y], [right, y], ...pen);
    const upright = (x, top, foot, ...pen) => between([x, top], [x, foot], ...pen);
    const disc = ([x, y], radius, colour) => {
      context.fillStyle = colour;
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
    };
    const note = (text, x, y, align = "center") => write(context, quiet, text, x, y, { align });
    /** Lines across from `left` to `right`, each [y, text] with its text before it. */
    const levels = (marks, left, right) => {
      for (const [y, text] of marks) {
        across(y, left, right, colours.line, 1);
        note(text, left - 6, y, "right");
      }
    };
    return { context, colours, hue, trace, across, upright, disc, note, levels };
  }
  return { face, canvas, open };
}

/** A sheet under a caption. */
export function figure(name, caption) {
  const { face, open } = sheet(name);
  return { el: h("figure", { class: "course-figure" }, h("figcaption", {}, caption), face), face, open };
}
