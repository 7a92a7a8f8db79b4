// The card of every kind of exercise.

import { card } from "./card.js";
import { rules as choices } from "./check.js";
import { sketchForm } from "./curve.js";
import { forms } from "./forms.js";
import { formula } from "./formula_check.js";
import { formulaForm } from "./formula_field.js";
import { rules as reasoning } from "./reasoning_check.js";
import { forms as reasoningForms } from "./reasoning_forms.js";
import { rules as numbers } from "./value_check.js";

const rules = { ...choices, ...numbers, ...reasoning, formula };

export default card({ ...forms, ...reasoningForms, formula: formulaForm, sketch: sketchForm }, rules);
