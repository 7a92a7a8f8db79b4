// The card of the kinds that ask for an argument.

import { card } from "./card.js";
import { rules } from "./reasoning_check.js";
import { forms } from "./reasoning_forms.js";

export default card(forms, rules);
