// A widget whose data are large: they are asked for when it comes near, and until they are there a line says so.

import { nearScreen } from "../drawing/near_screen.js";
import { h, setAttr } from "../drawing/ui.js";

/**
 * words: the line; get(): promises the data; start(data): shows them and gives a function that stops it. What goes
 * wrong is said instead.
 * Returns a function that stops all.
 */
export function whenNear(root, { words, get, start }) {
  const waiting = h("p", { class: "course-soft" }, words);
  let stop = () => {};
  let closed = false;
  root.append(waiting);
  nearScreen(root)
    .then(get)
    .then((data) => {
      if (closed) return;
      waiting.remove();
      stop = start(data);
    })
    .catch((error) => {
      waiting.remove();
      setAttr(root, "aria-busy", false);
      root.append(h("p", { role: "alert" }, error.message));
    });
  return () => {
    closed = true;
    stop();
  };
}
