// matmul.js with SIMD, in AssemblyScript: four rows by eight columns at a time. Offsets and strides count floats.
// `python -m tools.page.graph_kernel` compiles it into kernel.js.
//
// A vector load needs neighbouring columns of B. Where they are apart, B is first copied row by row into `scratch`.

@inline function at(float: i32): usize { return <usize>float << 2; }

@inline function madd(sum: v128, a: v128, b: v128): v128 { return f32x4.add(sum, f32x4.mul(a, b)); }

function copyRows(K: i32, N: i32, b: i32, bRow: i32, bColumn: i32, scratch: i32): void {
  for (let k = 0; k < K; k++) {
    for (let j = 0; j < N; j++) store<f32>(at(scratch + k * N + j), load<f32>(at(b + k * bRow + j * bColumn)));
  }
}

export function matmul(batch: i32, M: i32, N: i32, K: i32, a: i32, aBatch: i32, aRow: i32, aColumn: i32,
                       b: i32, bBatch: i32, bRow: i32, bColumn: i32, c: i32, scratch: i32): void {
  const N8 = N & ~7, N4 = N & ~3, M4 = M & ~3, stepA = at(aColumn), zero = f32x4.splat(0);
  for (let t = 0; t < batch; t++) {
    let rows = b, row = bRow;
    if (bColumn != 1 && !(bBatch == 0 && t > 0)) copyRows(K, N, b, bRow, bColumn, scratch);
    if (bColumn != 1) { rows = scratch; row = N; }
    const stepB = at(row);
    for (let i = 0; i < M; i += i < M4 ? 4 : 1) {
      // A left-over row is computed as a block of four equal rows, all written to the same place.
      const four = i < M4, height = four ? 4 : 1, next = four ? at(aRow) : 0, below = four ? at(N) : 0;
      const first = at(a + i * aRow);
      let j = 0;
      for (; j < N8; j += 8) {
        let p = first, q = at(rows + j);
        let x0 = zero, x1 = zero, x2 = zero, x3 = zero, y0 = zero, y1 = zero, y2 = zero, y3 = zero;
        for (let k = 0; k < K; k++, p += stepA, q += stepB) {
          const u = v128.load(q), v = v128.load(q, 16);
          let s = v128.load32_splat(p);
          x0 = madd(x0, s, u); y0 = madd(y0, s, v);
          s = v128.load32_splat(p + next);
          x1 = madd(x1, s, u); y1 = madd(y1, s, v);
          s = v128.load32_splat(p + 2 * next);
          x2 = madd(x2, s, u); y2 = madd(y2, s, v);
          s = v128.load32_splat(p + 3 * next);
          x3 = madd(x3, s, u); y3 = madd(y3, s, v);
        }
        let w = at(c + i * N + j);
        v128.store(w, x0); v128.store(w, y0, 16); w += below;
        v128.store(w, x1); v128.store(w, y1, 16); w += below;
        v128.store(w, x2); v128.store(w, y2, 16); w += below;
        v128.store(w, x3); v128.store(w, y3, 16);
      }
      for (; j < N4; j += 4) {
        let p = first, q = at(rows + j), x0 = zero, x1 = zero, x2 = zero, x3 = zero;
        for (let k = 0; k < K; k++, p += stepA, q += stepB) {
          const u = v128.load(q);
          x0 = madd(x0, v128.load32_splat(p), u);
          x1 = madd(x1, v128.load32_splat(p + next), u);
          x2 = madd(x2, v128.load32_splat(p + 2 * next), u);
          x3 = madd(x3, v128.load32_splat(p + 3 * next), u);
        }
        let w = at(c + i * N + j);
        v128.store(w, x0); w += below;
        v128.store(w, x1); w += below;
        v128.store(w, x2); w += below;
        v128.store(w, x3);
      }
      for (; j < N; j++) {
        for (let r = 0; r < height; r++) {
          let p = at(a + (i + r) * aRow), q = at(rows + j), s: f32 = 0;
          for (let k = 0; k < K; k++, p += stepA, q += stepB) s += load<f32>(p) * load<f32>(q);
          store<f32>(at(c + (i + r) * N + j), s);
        }
      }
    }
    a += aBatch; b += bBatch; c += M * N;
  }
}
