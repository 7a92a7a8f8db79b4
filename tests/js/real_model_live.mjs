// A live provider of the widget RealModel in Node, on a model packed by tools/page/model_parts.py: reads {folder,
// questions: [[name, …given]]}.

import { readFileSync } from "node:fs";
import { makeDecoder } from "../../course_lib/widgets/real_model/engine/decoder.js";
import { patchMap } from "../../course_lib/widgets/real_model/engine/patch_map.js";
import { makeReader } from "../../course_lib/widgets/real_model/engine/reader.js";
import { live } from "../../course_lib/widgets/real_model/live.js";
import { look } from "../../course_lib/widgets/real_model/looks.js";

const { folder, questions } = JSON.parse(readFileSync(0, "utf8"));
const arrived = readFileSync(`${folder}/manifest.js`, "utf8");
const manifest = JSON.parse(JSON.parse(`[${arrived.slice(arrived.indexOf("(") + 1, -2)}]`)[2]);
const decoder = makeDecoder(manifest, { simd: true });
let vocabulary = null;
manifest.parts.forEach(({ file, role }, number) => {
  const bytes = readFileSync(`${folder}/${file}.bin`);
  if (role === "weights") decoder.add(number, bytes);
  else vocabulary = JSON.parse(bytes.toString());
});
const reader = makeReader(decoder, manifest.reference);
const provider = live({
  ...reader,
  title: "Small",
  config: manifest.config,
  vocabulary,
  patchMap: (clean, dirty, { onCells, signal, ...options }) =>
    patchMap(decoder, reader, clean, dirty, { ...options, pause: async () => true, onCells }),
});

const came = [];
async function answer([name, ...given]) {
  try {
    if (name === "read") {
      const { words, weight, spread, next } = await provider.read(...given);
      const { layers, heads } = provider;
      const all = (each) =>
        Array.from({ length: layers }, (_, l) => Array.from({ length: heads }, (_, j) => each(l, j)));
      return {
        words,
        maps: all((l, j) => [...weight(l, j)]),
        spread: all((l, j) => spread(l, j, words.length - 1)),
        next,
      };
    }
    if (name === "look") {
      const [state] = given;
      const reading = await provider.read(state.source.text);
      return { told: (await look(provider, reading, state, { seen: ({ missing }) => came.push(missing) })).told, came };
    }
    return await provider[name](...given);
  } catch (error) {
    return { refused: `${error.constructor.name}: ${error.message}` };
  }
}
const answers = [];
for (const each of questions) answers.push(await answer(each));
process.stdout.write(JSON.stringify(answers));
