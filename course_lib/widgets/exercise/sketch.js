// The card of a curve to be drawn.

import { card } from "./card.js";
import { sketchForm } from "./curve.js";
import { rules } from "./reasoning_check.js";

export default card({ sketch: sketchForm }, rules);
