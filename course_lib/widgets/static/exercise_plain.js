// The card of every kind but a formula. A notebook stores the code once a card, so eight cards do without what only a formula needs.

import { card } from "./exercise_card.js";
import { rules } from "./exercise_check.js";
import { forms } from "./exercise_forms.js";

export default card(forms, rules);
