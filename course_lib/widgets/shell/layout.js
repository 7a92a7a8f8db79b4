// Where a widget's parts stand, the same in all: the first task in one line, then the picture with the dials that
// change it (drawing/ui.css).

import { h } from "../drawing/ui.js";

/** What a reader does first: above the picture, in one line where there is room. */
export const task = (...words) => h("p", { class: "course-task" }, h("b", {}, "First: "), ...words);

/**
 * The picture, whose first part stays in sight, and the dials beside it. `over`: a picture as wide as the widget, with
 * the dials below.
 */
export const sides = ({ picture, beside, over = false }) =>
  h(
    "div",
    { class: `course-sides${over ? " course-over" : ""}` },
    h("div", { class: "course-picture" }, ...picture),
    h("div", { class: "course-beside" }, ...beside),
  );
