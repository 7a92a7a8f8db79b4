// Every layer in numbers: the eigenvalues of Σ, of the closed form and of the particles, and how far the two are apart.

import { digits } from "../drawing/scale.js";
import { h } from "../drawing/ui.js";
import { shownSpectrum } from "./maps.js";
import { errors } from "./particles.js";
import { percent } from "./words.js";

const HEAD = ["layer", "closed form", "particles", "mean off", "covariance off", "rests on"];

export function table() {
  const body = h("tbody");
  const pair = (sigma) =>
    shownSpectrum(sigma)
      .map((value) => (value === null ? "rounding" : digits(value)))
      .join(" and ");
  const el = h(
    "div",
    { class: "gau-scroll course-fades", tabindex: 0, role: "group", "aria-label": "Every layer in numbers" },
    h(
      "table",
      { class: "gau-table" },
      h("caption", {}, "Eigenvalues of the covariance, and the particles' distance from the closed form"),
      h("thead", {}, h("tr", {}, ...HEAD.map((text) => h("th", { scope: "col" }, text)))),
      body,
    ),
  );
  function draw(clouds, steps) {
    const count = Math.min(clouds.length, steps.length);
    body.replaceChildren(
      ...Array.from({ length: count }, (_, layer) => {
        const error = errors(clouds[layer], steps[layer]);
        const seen = steps[layer].effective;
        const cells = [
          pair(clouds[layer].sigma),
          pair(steps[layer].sigma),
          percent(error.mean),
          percent(error.covariance),
          seen === null ? "–" : digits(seen),
        ];
        return h("tr", {}, h("th", { scope: "row" }, String(layer)), ...cells.map((text) => h("td", {}, text)));
      }),
    );
  }
  return { el, draw };
}
