// Things to be put in order: each has a button up and a button down. A form as those in forms.js.

import { h } from "../drawing/ui.js";
import { rich } from "./forms.js";

/** `given`: the texts as they stand first. */
export function orderForm(given) {
  let texts = given;
  const el = h("ol", { class: "course-order" });
  const move = (i, by) => {
    [texts[i], texts[i + by]] = [texts[i + by], texts[i]];
    draw();
    const buttons = el.children[i + by].querySelectorAll("button");
    (buttons[by < 0 ? 0 : 1].disabled ? buttons[by < 0 ? 1 : 0] : buttons[by < 0 ? 0 : 1]).focus();
    el.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const form = { el, inputs: [], get: () => [...texts] };
  function draw() {
    const step = (i, by, sign, name) =>
      h(
        "button",
        {
          type: "button",
          "aria-label": `${name}: ${texts[i]}`,
          disabled: !(i + by in texts),
          onclick: () => move(i, by),
        },
        sign,
      );
    el.replaceChildren(
      ...texts.map((text, i) =>
        h("li", {}, step(i, -1, "↑", "Up"), step(i, 1, "↓", "Down"), h("span", {}, ...rich(text))),
      ),
    );
    form.inputs = [...el.querySelectorAll("button")];
  }
  form.set = (other) => {
    const same = Array.isArray(other) && JSON.stringify([...other].sort()) === JSON.stringify([...given].sort());
    texts = same ? [...other] : [...given];
    draw();
  };
  form.set(given);
  return form;
}
