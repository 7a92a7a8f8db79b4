// Products of vectors with maps of few bits, as a file of weights holds them: integers, and a scale (and an offset) for
// every 32 of them. What quantised.js does in JavaScript, with SIMD, in AssemblyScript.
// `python -m tools.page.graph_kernel` compiles it into quantised_kernel.js. Addresses and strides count bytes here.
//
// Maps are packed so that a lane of a vector of four 32-bit numbers is a row: a block is 4 rows by 32 columns.
//   Q4_1  64 bytes of 4-bit integers, 4 scales, 4 offsets:  96 bytes. Two bytes hold columns 2c, 2c + 1 … of one row:
//         bits 0-3, 4-7, 8-11, 12-15 of a 16-bit lane are the pairs c, c + 1, c + 2, c + 3, that of even columns first.
//   Q8_0  128 bytes of 8-bit integers, 4 scales:            144 bytes
// Vectors come as 16-bit integers, with a scale and a sum for every 32 of them:
// sum w·x = scale·scale·Σ integers + offset·sum.

const Q4: usize = 96, Q8: usize = 144;
const TILE: i32 = 4; // vectors that share each weight while it is in a register

@inline function half(bits: u32): f32 { // exact, subnormal numbers too
  const size = reinterpret<f32>((bits & 0x7fff) << 13) * reinterpret<f32>(0x77800000); // · 2¹¹²
  return bits & 0x8000 ? -size : size;
}

/** Rows of 32·blocks weights, blocks of 20 bytes as the file has them (scale, offset, 16 bytes) → packed. */
export function packQ4(rows: i32, blocks: i32, from: usize, to: usize): void {
  for (let r = 0; r < rows; r += 4) {
    for (let b = 0; b < blocks; b++, to += Q4) {
      memory.fill(to, 0, 64);
      for (let i = 0; i < 4; i++) {
        const block = from + <usize>(((r + i) * blocks + b) * 20);
        store<f32>(to + 4 * i, half(load<u16>(block)), 64);
        store<f32>(to + 4 * i, half(load<u16>(block, 2)), 80);
        for (let k = 0; k < 32; k++) { // byte i of a block: weight i in its low half, weight i + 16 in its high one
          const byte = <u32>load<u8>(block + (k & 15), 4), weight = k < 16 ? byte & 15 : byte >> 4;
          const pair = k >> 1, at = to + <usize>((pair >> 2) * 16 + 4 * i + 2 * (k & 1) + ((pair >> 1) & 1));
          store<u8>(at, <u8>(load<u8>(at) | (weight << (4 * (pair & 1)))));
        }
      }
    }
  }
}

/** Rows of 32·blocks weights, blocks of 34 bytes as the file has them (scale, 32 bytes) → packed. */
export function packQ8(rows: i32, blocks: i32, from: usize, to: usize): void {
  for (let r = 0; r < rows; r += 4) {
    for (let b = 0; b < blocks; b++, to += Q8) {
      for (let i = 0; i < 4; i++) {
        const block = from + <usize>(((r + i) * blocks + b) * 34);
        store<f32>(to + 4 * i, half(load<u16>(block)), 128);
        for (let pair = 0; pair < 16; pair++) store<u16>(to + 8 * pair + 2 * i, load<u16>(block + 2 * pair, 2));
      }
    }
  }
}

@inline function largest(v: v128): f32 {
  return max(max(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)),
    max(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)));
}

@inline function total(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

@inline function rounded(x: usize, times: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(x), times)));
}

/** Blocks of 32 floats at x → 16-bit integers, and each block's scale and sum. */
export function quantise(blocks: i32, x: usize, integers: usize, scales: usize, sums: usize): void {
  for (let b = 0; b < blocks; b++, x += 128, integers += 64, scales += 4, sums += 4) {
    let most = f32x4.splat(0), sum = f32x4.splat(0);
    for (let k: usize = 0; k < 128; k += 16) {
      const v = v128.load(x + k);
      most = f32x4.max(most, f32x4.abs(v));
      sum = f32x4.add(sum, v);
    }
    const top = largest(most), times = f32x4.splat(top > 0 ? 32767 / top : 0);
    store<f32>(scales, top / 32767);
    store<f32>(sums, total(sum));
    for (let k: usize = 0; k < 4; k++) {
      v128.store(integers + 16 * k, i16x8.narrow_i32x4_s(rounded(x + 32 * k, times), rounded(x + 32 * k + 16, times)));
    }
  }
}

/** sum + the products of a pair of neighbouring integers of x with the same pair of four rows. */
@inline function more(sum: v128, weights: v128, x: usize): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(weights, v128.load32_splat(x)));
}

@inline function nibbles(v: v128, shift: i32): v128 { return v128.and(i16x8.shr_u(v, shift), i16x8.splat(15)); }

/** sum + integer products times both scales, + offset times the vector's sum: a Q4_1 block's part of four rows. */
@inline function q4Part(sum: v128, integer: v128, block: usize, scale: usize, vectorSum: usize): v128 {
  const scales = f32x4.mul(v128.load(block, 64), v128.load32_splat(scale));
  const part = f32x4.mul(f32x4.convert_i32x4_s(integer), scales);
  return f32x4.add(sum, f32x4.add(part, f32x4.mul(v128.load(block, 80), v128.load32_splat(vectorSum))));
}

@inline function q8Part(sum: v128, integer: v128, block: usize, scale: usize): v128 {
  return f32x4.add(sum,
    f32x4.mul(f32x4.convert_i32x4_s(integer), f32x4.mul(v128.load(block, 128), v128.load32_splat(scale))));
}

/** A Q4_1 map times n vectors: out[t] of rows floats. rows: a multiple of 4. */
export function productQ4(
  n: i32, rows: i32, blocks: i32, map: usize, x: usize, scales: usize, sums: usize, out: usize,
): void {
  const next = <usize>blocks * 64, nextScale = <usize>blocks * 4, below = <usize>rows * 4;
  let t = 0;
  for (; t + TILE <= n; t += TILE, x += 4 * next, scales += 4 * nextScale, sums += 4 * nextScale, out += 4 * below) {
    let p = map;
    for (let r = 0; r < rows; r += 4) {
      let f0 = f32x4.splat(0), f1 = f0, f2 = f0, f3 = f0, a = x, s = scales, o = sums;
      for (let b = 0; b < blocks; b++, p += Q4, s += 4, o += 4) {
        let i0 = i32x4.splat(0), i1 = i0, i2 = i0, i3 = i0;
        for (let k: usize = 0; k < 64; k += 16, a += 16) {
          const v = v128.load(p + k);
          let w = v128.and(v, i16x8.splat(15));
          i0 = more(i0, w, a); i1 = more(i1, w, a + next);
          i2 = more(i2, w, a + 2 * next); i3 = more(i3, w, a + 3 * next);
          w = nibbles(v, 4);
          i0 = more(i0, w, a + 4); i1 = more(i1, w, a + next + 4);
          i2 = more(i2, w, a + 2 * next + 4); i3 = more(i3, w, a + 3 * next + 4);
          w = nibbles(v, 8);
          i0 = more(i0, w, a + 8); i1 = more(i1, w, a + next + 8);
          i2 = more(i2, w, a + 2 * next + 8); i3 = more(i3, w, a + 3 * next + 8);
          w = i16x8.shr_u(v, 12);
          i0 = more(i0, w, a + 12); i1 = more(i1, w, a + next + 12);
          i2 = more(i2, w, a + 2 * next + 12); i3 = more(i3, w, a + 3 * next + 12);
        }
        f0 = q4Part(f0, i0, p, s, o); f1 = q4Part(f1, i1, p, s + nextScale, o + nextScale);
        f2 = q4Part(f2, i2, p, s + 2 * nextScale, o + 2 * nextScale);
        f3 = q4Part(f3, i3, p, s + 3 * nextScale, o + 3 * nextScale);
      }
      const at = out + <usize>r * 4;
      v128.store(at, f0); v128.store(at + below, f1); v128.store(at + 2 * below, f2); v128.store(at + 3 * below, f3);
    }
  }
  for (; t < n; t++, x += next, scales += nextScale, sums += nextScale, out += below) {
    let p = map;
    for (let r = 0; r < rows; r += 4) {
      let f = f32x4.splat(0), a = x, s = scales, o = sums;
      for (let b = 0; b < blocks; b++, p += Q4, s += 4, o += 4) {
        let i = i32x4.splat(0), j = i;
        for (let k: usize = 0; k < 64; k += 16, a += 16) {
          const v = v128.load(p + k);
          i = more(i, v128.and(v, i16x8.splat(15)), a); j = more(j, nibbles(v, 4), a + 4);
          i = more(i, nibbles(v, 8), a + 8); j = more(j, i16x8.shr_u(v, 12), a + 12);
        }
        f = q4Part(f, i32x4.add(i, j), p, s, o);
      }
      v128.store(out + <usize>r * 4, f);
    }
  }
}

/** A Q8_0 map times n vectors: out[t] of rows floats. rows: a multiple of 4. */
export function productQ8(n: i32, rows: i32, blocks: i32, map: usize, x: usize, scales: usize, out: usize): void {
  const next = <usize>blocks * 64, nextScale = <usize>blocks * 4, below = <usize>rows * 4;
  let t = 0;
  for (; t + TILE <= n; t += TILE, x += 4 * next, scales += 4 * nextScale, out += 4 * below) {
    let p = map;
    for (let r = 0; r < rows; r += 4) {
      let f0 = f32x4.splat(0), f1 = f0, f2 = f0, f3 = f0, a = x, s = scales;
      for (let b = 0; b < blocks; b++, p += Q8, s += 4) {
        let i0 = i32x4.splat(0), i1 = i0, i2 = i0, i3 = i0;
        for (let k: usize = 0; k < 128; k += 16, a += 8) {
          let w = v128.load8x8_s(p + k);
          i0 = more(i0, w, a); i1 = more(i1, w, a + next);
          i2 = more(i2, w, a + 2 * next); i3 = more(i3, w, a + 3 * next);
          w = v128.load8x8_s(p + k, 8);
          i0 = more(i0, w, a + 4); i1 = more(i1, w, a + next + 4);
          i2 = more(i2, w, a + 2 * next + 4); i3 = more(i3, w, a + 3 * next + 4);
        }
        f0 = q8Part(f0, i0, p, s); f1 = q8Part(f1, i1, p, s + nextScale);
        f2 = q8Part(f2, i2, p, s + 2 * nextScale); f3 = q8Part(f3, i3, p, s + 3 * nextScale);
      }
      const at = out + <usize>r * 4;
      v128.store(at, f0); v128.store(at + below, f1); v128.store(at + 2 * below, f2); v128.store(at + 3 * below, f3);
    }
  }
  for (; t < n; t++, x += next, scales += nextScale, out += below) {
    let p = map;
    for (let r = 0; r < rows; r += 4) {
      let f = f32x4.splat(0), a = x, s = scales;
      for (let b = 0; b < blocks; b++, p += Q8, s += 4) {
        let i = i32x4.splat(0), j = i;
        for (let k: usize = 0; k < 128; k += 16, a += 8) {
          i = more(i, v128.load8x8_s(p + k), a);
          j = more(j, v128.load8x8_s(p + k, 8), a + 4);
        }
        f = q8Part(f, i32x4.add(i, j), p, s);
      }
      v128.store(out + <usize>r * 4, f);
    }
  }
}
