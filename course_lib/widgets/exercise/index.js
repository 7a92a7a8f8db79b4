// The card of every kind of exercise.

import { card } from "./card.js";
import { rules } from "./check.js";
import { forms } from "./forms.js";
import { formulaForm } from "./formula_field.js";
import { formula } from "./formula_check.js";

export default card({ ...forms, formula: formulaForm }, { ...rules, formula });
