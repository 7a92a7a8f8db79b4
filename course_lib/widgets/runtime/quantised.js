// Products of vectors with maps of few bits: the memory in which they are made, and who makes them: quantised.ts with
// SIMD, or the same here. The packed forms are described there. Addresses count bytes.

import { KERNEL } from "./quantised_kernel.js";

export const BLOCK = 32; // so many neighbouring weights share a scale
/** Bytes of 32 weights as a file has them, and of 4 rows of 32 weights once they are packed. */
export const FORMS = { Q4_1: { stored: 20, packed: 96 }, Q8_0: { stored: 34, packed: 144 } };
const TOP = 32767; // vectors become integers of 16 bits
const PAGE = 65536;
const LEAST = 16; // pages that the kernel asks for (tools/page/graph_kernel.py)

/** The weights of 32 columns of row `i` in the packed block at `at` → `w`. */
export function unpackQ4(bytes, at, i, w) {
  for (let pair = 0; pair < 16; pair++) {
    const from = at + (pair >> 2) * 16 + 4 * i + ((pair >> 1) & 1);
    const shift = 4 * (pair & 1);
    w[2 * pair] = (bytes[from] >> shift) & 15;
    w[2 * pair + 1] = (bytes[from + 2] >> shift) & 15;
  }
}

export function unpackQ8(bytes, at, i, w) {
  for (let pair = 0; pair < 16; pair++) {
    w[2 * pair] = (bytes[at + 8 * pair + 2 * i] << 24) >> 24;
    w[2 * pair + 1] = (bytes[at + 8 * pair + 2 * i + 1] << 24) >> 24;
  }
}

/** 16 bits of a small float → its value. */
function half(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24;
  return bits & 0x8000 ? -size : size;
}

function scripted(buffer) {
  const bytes = new Uint8Array(buffer);
  const floats = new Float32Array(buffer);
  const small = new Int16Array(buffer);
  const w = new Int32Array(BLOCK);
  const half16 = (at) => half(bytes[at] | (bytes[at + 1] << 8));

  function packQ4(rows, blocks, from, to) {
    for (let r = 0; r < rows; r += 4)
      for (let b = 0; b < blocks; b++, to += FORMS.Q4_1.packed) {
        bytes.fill(0, to, to + 64);
        for (let i = 0; i < 4; i++) {
          const block = from + ((r + i) * blocks + b) * FORMS.Q4_1.stored;
          floats[(to + 64 + 4 * i) >> 2] = half16(block);
          floats[(to + 80 + 4 * i) >> 2] = half16(block + 2);
          for (let k = 0; k < BLOCK; k++) {
            const byte = bytes[block + 4 + (k & 15)];
            const pair = k >> 1;
            const at = to + (pair >> 2) * 16 + 4 * i + 2 * (k & 1) + ((pair >> 1) & 1);
            bytes[at] |= (k < 16 ? byte & 15 : byte >> 4) << (4 * (pair & 1));
          }
        }
      }
  }
  function packQ8(rows, blocks, from, to) {
    for (let r = 0; r < rows; r += 4)
      for (let b = 0; b < blocks; b++, to += FORMS.Q8_0.packed)
        for (let i = 0; i < 4; i++) {
          const block = from + ((r + i) * blocks + b) * FORMS.Q8_0.stored;
          floats[(to + 128 + 4 * i) >> 2] = half16(block);
          for (let k = 0; k < BLOCK; k++) bytes[to + 8 * (k >> 1) + 2 * i + (k & 1)] = bytes[block + 2 + k];
        }
  }
  function quantise(blocks, x, integers, scales, sums) {
    for (let b = 0, at = x >> 2, to = integers >> 1; b < blocks; b++, at += BLOCK, to += BLOCK) {
      let top = 0;
      let sum = 0;
      for (let k = 0; k < BLOCK; k++) {
        top = Math.max(top, Math.abs(floats[at + k]));
        sum += floats[at + k];
      }
      floats[(scales >> 2) + b] = top / TOP;
      floats[(sums >> 2) + b] = sum;
      for (let k = 0; k < BLOCK; k++) small[to + k] = top > 0 ? Math.round((floats[at + k] / top) * TOP) : 0;
    }
  }
  /** unpack: the weights of a block; size: its bytes; sums: null where the form has no offset. */
  function product(unpack, size, n, rows, blocks, map, x, scales, sums, out) {
    for (let r = 0; r < rows; r++) {
      for (let t = 0; t < n; t++) floats[(out >> 2) + t * rows + r] = 0;
      for (let b = 0; b < blocks; b++) {
        const at = map + ((r >> 2) * blocks + b) * size;
        const scale = floats[((at + (sums === null ? 128 : 64)) >> 2) + (r & 3)];
        const offset = sums === null ? 0 : floats[((at + 80) >> 2) + (r & 3)];
        unpack(bytes, at, r & 3, w);
        for (let t = 0; t < n; t++) {
          const block = t * blocks + b;
          const from = (x >> 1) + block * BLOCK;
          let sum = 0;
          for (let k = 0; k < BLOCK; k++) sum += w[k] * small[from + k];
          const shift = sums === null ? 0 : offset * floats[(sums >> 2) + block];
          floats[(out >> 2) + t * rows + r] += sum * scale * floats[(scales >> 2) + block] + shift;
        }
      }
    }
  }
  return {
    packQ4,
    packQ8,
    quantise,
    productQ4: (...of) => product(unpackQ4, FORMS.Q4_1.packed, ...of),
    productQ8: (n, rows, blocks, map, x, scales, out) =>
      product(unpackQ8, FORMS.Q8_0.packed, n, rows, blocks, map, x, scales, null, out),
  };
}

/**
 * `bytes` bytes of memory and the functions of quantised.ts that work in it: { buffer, kind, packQ4, … }. kind: "simd",
 * or "script" where the browser has no WebAssembly with SIMD, or forbids it. RangeError where there is not that much
 * memory.
 */
export function quantisedMemory(bytes, { simd = true } = {}) {
  if (simd) {
    try {
      const code = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));
      const module = new WebAssembly.Module(code);
      const memory = new WebAssembly.Memory({ initial: Math.max(LEAST, Math.ceil(bytes / PAGE)) });
      return { buffer: memory.buffer, kind: "simd", ...new WebAssembly.Instance(module, { env: { memory } }).exports };
    } catch (error) {
      if (error instanceof RangeError || error.name === "LinkError") throw error;
    }
  }
  const buffer = new ArrayBuffer(Math.ceil(bytes / PAGE) * PAGE);
  return { buffer, kind: "script", ...scripted(buffer) };
}
