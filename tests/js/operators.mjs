// The names of the operators that graph.js really has.
import { FORMULAS } from "../../course_lib/widgets/runtime/loops.js";
import { OPERATORS } from "../../course_lib/widgets/runtime/ops.js";

process.stdout.write(JSON.stringify([...Object.keys(FORMULAS), ...Object.keys(OPERATORS)]));
