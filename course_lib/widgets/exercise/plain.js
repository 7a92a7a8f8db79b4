// The card of every kind but a formula. A notebook stores the code once a card, so eight cards do without what only a formula's field needs.

import { card } from "./card.js";
import { rules } from "./check.js";
import { forms } from "./forms.js";

export default card(forms, rules);
