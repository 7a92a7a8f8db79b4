// How links hold the settings of AttentionByHand, for tests/widgets/test_widgets.py.

import { codecs } from "../../course_lib/widgets/attention_by_hand/address.js";
import { answers } from "./answers.mjs";

await answers({
  written: (n, name, value) => codecs(n)[name].write(value),
  linked: (n, name, text) => codecs(n)[name].read(text),
});
