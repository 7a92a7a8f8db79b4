// The card of every kind of exercise.

import { card } from "./exercise_card.js";
import { rules } from "./exercise_check.js";
import { forms } from "./exercise_forms.js";
import { formulaForm } from "./exercise_formula.js";
import { formula } from "./formula_check.js";

export default card({ ...forms, formula: formulaForm }, { ...rules, formula });
