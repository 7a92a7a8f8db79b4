// A prediction that is drawn: the only one whose card needs what draws and what reads a figure's line.

import { curveForm } from "./curve.js";
import { curve } from "./curve_check.js";
import { FORMS, prediction } from "./prediction.js";
import { compared } from "./prediction_check.js";

export default prediction({ ...FORMS, curve: curveForm }, { ...compared, curve });
