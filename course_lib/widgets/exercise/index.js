// The card of every kind of exercise.

import { card } from "./card.js";
import { rules } from "./check.js";
import { forms } from "./forms.js";
import { formulaForm } from "./formula_field.js";
import { formula } from "./formula_check.js";
import { rules as reasoningRules } from "./reasoning_check.js";
import { forms as reasoningForms } from "./reasoning_forms.js";

export default card({ ...forms, formula: formulaForm, ...reasoningForms }, { ...rules, formula, ...reasoningRules });
