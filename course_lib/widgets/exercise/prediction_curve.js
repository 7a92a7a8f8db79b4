// A prediction that is drawn: the only one whose card needs what draws.

import { curveForm } from "./curve.js";
import { FORMS, prediction } from "./prediction.js";

export default prediction({ ...FORMS, curve: curveForm });
