// What the widget RealModel sees and says, for tests/widgets/test_real_model_views.py: reads {rows, cases: [settings], cuts: [[next, dials]], finds: [[row, kind,
// cell]], little: [[deviceMemory, width]]}. Each case is asked twice, of the recorded provider and of one that answers later.

import { readFileSync } from "node:fs";
import { drawn } from "../../course_lib/widgets/real_model/chance.js";
import { cut } from "../../course_lib/widgets/real_model/cut.js";
import { most } from "../../course_lib/widgets/real_model/find.js";
import { look } from "../../course_lib/widgets/real_model/looks.js";
import { little } from "../../course_lib/widgets/real_model/opening.js";
import { stored } from "../../course_lib/widgets/real_model/stored.js";

const { rows, cases = [], cuts = [], finds = [], devices = [], draws = [] } = JSON.parse(readFileSync(0, "utf8"));
const provider = stored(rows);
const later = {
  ...provider,
  ...Object.fromEntries(
    ["lens", "erase", "erased", "patch", "moved"].map((name) => [
      name,
      async (...given) => {
        await new Promise((done) => setTimeout(done, 2));
        return provider[name](...given);
      },
    ]),
  ),
};

async function seen(state) {
  const { text, other } = rows[state.sentence];
  const full = { ...state, source: { text, other } };
  const reading = provider.read(text);
  const [now, then] = await Promise.all([look(provider, reading, full), look(later, reading, full)]);
  const shown = now.masked
    ? now.numbers.map((x, i) => (now.masked(Math.floor(i / now.columns), i % now.columns) ? null : x))
    : now.numbers;
  return { ...now, numbers: shown, same: JSON.stringify(now) === JSON.stringify(then) };
}
function refused() {
  try {
    provider.read("A sentence of my own");
  } catch (error) {
    return [error.constructor.name, error.message];
  }
}
process.stdout.write(
  JSON.stringify({
    cases: await Promise.all(cases.map(seen)),
    cuts: cuts.map(([next, dials]) => cut(next, dials)),
    finds: finds.map(([row, kind, cell]) => most(kind, provider, provider.read(rows[row].text), cell)),
    little: devices.map(([deviceMemory, width]) => little({ deviceMemory: deviceMemory ?? undefined }, width)),
    draws: draws.map(([seed, at]) => drawn(seed, at)),
    refused: refused(),
  }),
);
