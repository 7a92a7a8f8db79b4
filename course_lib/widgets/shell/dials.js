// Sliders for settings, with the range that settings.json declares.

import { slider } from "../drawing/ui.js";

/** Gives dial(name, label, more): the slider of a setting; `more` as for `slider` of ui.js. */
export const dialsOf =
  (declared, change) =>
  (name, label, more = {}) =>
    slider({
      label,
      min: declared[name].takes[0],
      max: declared[name].takes[1],
      step: declared[name].step ?? 1,
      value: declared[name].default,
      format: String,
      oninput: (value) => change({ [name]: value }),
      ...more,
    });
