// What a matrix does to the plane, for tests/widgets/test_matrix_rows.py.

import { readFileSync } from "node:fs";
import { seen, told } from "../../course_lib/widgets/matrix_rows/moved.js";

const states = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(states.map((state) => ({ ...seen(state), told: told(state, seen(state)) }))));
