// A prediction that is typed: the only one whose card needs to read numbers.

import { forms } from "./forms.js";
import { number } from "./number_check.js";
import { FORMS, prediction } from "./prediction.js";
import { compared } from "./prediction_check.js";
import { readNumber } from "./typed_number.js";

const form = (spec) => ({ ...forms.value(spec), problem: (answer) => readNumber(answer, spec.unit).problem });

export default prediction({ ...FORMS, number: form }, { ...compared, number });
