// The engine of both real models in Node, on a model packed by tools/page/real_models.py: one answer a call, arrays of
// floats in base64.

import { readFileSync } from "node:fs";
import { makeDecoder } from "../../course_lib/widgets/real_model/engine/decoder.js";
import { makeEncoder } from "../../course_lib/widgets/real_model/engine/encoder.js";
import { patchMap } from "../../course_lib/widgets/real_model/engine/patch_map.js";
import { makeReader } from "../../course_lib/widgets/real_model/engine/reader.js";

const { folder, calls, simd = true } = JSON.parse(readFileSync(0, "utf8"));
const arrived = readFileSync(`${folder}/manifest.js`, "utf8"); // __course_model(name, "manifest", text);
const manifest = JSON.parse(JSON.parse(`[${arrived.slice(arrived.indexOf("(") + 1, -2)}]`)[2]);

const decoder = manifest.config.causal ? makeDecoder(manifest, { simd }) : makeEncoder(manifest);
manifest.parts.forEach(({ file, role }, number) => {
  // not a Buffer, whose slices share memory
  if (role === "weights") decoder.add(number, new Uint8Array(readFileSync(`${folder}/${file}.bin`)));
});
const reader = manifest.config.causal ? makeReader(decoder, manifest.reference) : decoder;

const packed = (value) => {
  if (ArrayBuffer.isView(value))
    return { floats: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
  if (Array.isArray(value)) return value.map(packed);
  if (value && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, packed(v)]));
  return value;
};
const unpacked = (value) => {
  if (typeof value?.floats === "string")
    return new Float32Array(new Uint8Array(Buffer.from(value.floats, "base64")).buffer);
  if (Array.isArray(value)) return value.map(unpacked);
  if (value && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, unpacked(v)]));
  return value;
};

async function answer([name, ...args]) {
  try {
    if (name !== "patchMap") return packed(reader[name](...args));
    const came = [];
    const [clean, dirty, options] = args;
    const pause = () => came.length < 2; // the first two cells one by one, the rest together
    const found = await patchMap(decoder, reader, clean, dirty, {
      ...options,
      pause,
      onCells: (cells) => came.push(cells.length),
    });
    return packed({ ...found, came });
  } catch (error) {
    return { refused: error.message };
  }
}
const answers = [];
for (const call of unpacked(calls)) answers.push(await answer(call));
process.stdout.write(JSON.stringify({ kind: decoder.kind, answers }));
