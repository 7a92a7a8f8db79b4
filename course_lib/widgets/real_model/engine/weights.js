// The weights of the language model, in the file's own integers, and the room in which vectors meet them.

import { BLOCK, FORMS, quantisedMemory, unpackQ8 } from "../../runtime/quantised.js";

const ALIGNED = 64;

/**
 * manifest: what tools/page/real_models.py wrote. room: name → floats, vectors that the caller needs beside the
 * weights. widest: the most numbers that a vector has which meets a map; rows: how many vectors may do so at once.
 */
export function makeWeights(manifest, { room, widest, rows, simd = true }) {
  let end = 0;
  const take = (bytes) => {
    const at = end;
    end += Math.ceil(bytes / ALIGNED) * ALIGNED;
    return at;
  };
  const maps = new Map();
  let staged = 0; // the largest piece of a map that arrives at once
  for (const { name, kind, rows: height, cols, bytes } of manifest.pieces) {
    if (kind !== "F32") staged = Math.max(staged, bytes);
    if (maps.has(name)) continue;
    const { rows: whole } = manifest.tensors[name];
    const blocks = cols / BLOCK;
    if (kind !== "F32" && (!FORMS[kind] || cols % BLOCK || whole % 4 || height % 4))
      throw Error(
        `a map must be Q4_1 or Q8_0 with rows in fours and columns in blocks of ${BLOCK}, got ${name}: ${kind} ` +
          `[${whole}, ${cols}]`,
      );
    maps.set(name, {
      kind,
      rows: whole,
      cols,
      blocks,
      at: take(kind === "F32" ? 4 * whole * cols : (whole / 4) * blocks * FORMS[kind].packed),
    });
  }
  const places = Object.fromEntries(Object.entries(room).map(([name, count]) => [name, take(4 * count)]));
  const integers = take(2 * rows * widest);
  const scales = take((4 * rows * widest) / BLOCK);
  const sums = take((4 * rows * widest) / BLOCK);
  const stage = take(staged);
  const kernel = quantisedMemory(end, { simd });
  const bytes = new Uint8Array(kernel.buffer);
  const floats = new Float32Array(kernel.buffer);
  const w = new Int32Array(BLOCK);
  const map = (name) => maps.get(name) ?? refuse(`there is no map ${name}`);

  return {
    floats,
    kind: kernel.kind,
    bytes: end,
    /** Where the vectors `name` begin, in floats. */
    at: (name) => places[name] >> 2,
    /** A vector of the file as floats. */
    vector: (name) => floats.subarray(map(name).at >> 2, (map(name).at >> 2) + map(name).cols),

    /** Part number `part` of the file has come. */
    add(part, from) {
      for (const piece of manifest.pieces) {
        if (piece.part !== part) continue;
        const { kind, blocks, at } = map(piece.name);
        const source = from.subarray(piece.at, piece.at + piece.bytes);
        if (kind === "F32") {
          bytes.set(source, at + 4 * piece.first * piece.cols);
          continue;
        }
        bytes.set(source, stage);
        const to = at + (piece.first / 4) * blocks * FORMS[kind].packed;
        kernel[kind === "Q4_1" ? "packQ4" : "packQ8"](piece.rows, blocks, stage, to);
      }
    },

    /** n vectors of `width` numbers at float `from` become what `product` multiplies. */
    prepare(n, width, from) {
      kernel.quantise((n * width) / BLOCK, 4 * from, integers, scales, sums);
    },
    /** The map times each of the n vectors that were prepared last → n times its rows floats at `to`. */
    product(name, n, to) {
      const { kind, rows: height, blocks, at } = map(name);
      if (kind === "Q4_1") kernel.productQ4(n, height, blocks, at, integers, scales, sums, 4 * to);
      else kernel.productQ8(n, height, blocks, at, integers, scales, 4 * to);
    },
    /** Row `r` of a map of 8 bits as floats → `into` from float `to`. */
    row(name, r, into, to) {
      const { blocks, at } = map(name);
      for (let b = 0; b < blocks; b++) {
        const block = at + ((r >> 2) * blocks + b) * FORMS.Q8_0.packed;
        const scale = floats[((block + 128) >> 2) + (r & 3)];
        unpackQ8(bytes, block, r & 3, w);
        for (let k = 0; k < BLOCK; k++) into[to + b * BLOCK + k] = scale * w[k];
      }
    },
  };
}

function refuse(words) {
  throw Error(words);
}
