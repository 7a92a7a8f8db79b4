// The card of what is answered in numbers. A notebook stores the code once a card: each does without what it does not
// need.

import { card } from "./card.js";
import { forms } from "./forms.js";
import { rules } from "./value_check.js";

export default card(forms, rules);
