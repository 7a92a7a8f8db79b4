// What a widget is given to show; where it does not come, the widget says so.

import { loadData } from "../runtime/data.js";
import { h } from "../drawing/ui.js";

/** The blob `name` of the widget, or null, and the reason stands in its root. */
export async function given(root, model, name) {
  try {
    return await loadData(model, name);
  } catch (error) {
    root.append(h("p", { role: "alert" }, error.message));
    return null;
  }
}
