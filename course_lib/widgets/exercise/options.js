// The card of what is chosen or put in order, not typed.

import { card } from "./card.js";
import { rules as choices } from "./check.js";
import { forms } from "./forms.js";
import { rules as reasoning } from "./reasoning_check.js";
import { forms as reasoningForms } from "./reasoning_forms.js";

export default card({ ...forms, ...reasoningForms }, { ...choices, ...reasoning });
