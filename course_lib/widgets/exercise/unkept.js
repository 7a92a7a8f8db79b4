// What a card says where the browser does not keep what was done.

import { h } from "../drawing/ui.js";

/** {el, show(kept)}. In the book's pages it offers the file that the page "Your progress" takes in. */
export function unkept() {
  const el = h("p", { class: "course-unkept", "aria-live": "polite" });
  function show(kept) {
    const save = globalThis.__course?.save;
    const words =
      "Your browser does not keep this: its storage is full, or forbidden. It is lost when you leave this page.";
    const button = save
      ? [" ", h("button", { type: "button", onclick: () => save() }, "Save your work as a file")]
      : [];
    el.replaceChildren(...(kept ? [] : [words, ...button]));
  }
  return { el, show };
}
