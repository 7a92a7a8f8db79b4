// What a widget is given to show; where it does not come, the widget says so.

import { loadData } from "../runtime/data.js";
import { h, setAttr } from "../drawing/ui.js";

/** The widget's blobs, in the order of their names, or null, and the reason stands in its root. */
export async function dataOf(root, model, names) {
  try {
    return await Promise.all(names.map((name) => loadData(model, name)));
  } catch (error) {
    setAttr(root, "aria-busy", false);
    root.append(h("p", { role: "alert" }, error.message));
    return null;
  }
}
/** The same of one. */
export const given = async (root, model, name) => (await dataOf(root, model, [name]))?.[0] ?? null;
