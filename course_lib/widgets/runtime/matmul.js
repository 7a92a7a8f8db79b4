// Batched matrix products with any strides: for each t, C[t] = A[t] · B[t], C dense. Offsets and strides count floats.
//
// Four rows by two columns at a time: eight sums stay in registers, and each number read is used two or four times.
// A kernel is called as kernel(H, batch, M, N, K, a, aBatch, aRow, aColumn, b, bBatch, bRow, bColumn, c, scratch) with
// A [M, K], B [K, N]; H are the heap's floats, scratch is room for K·N of them. matmul.ts is the same with SIMD.

export function matmul(H, batch, M, N, K, a, aBatch, aRow, aColumn, b, bBatch, bRow, bColumn, c) {
  const M4 = M & ~3;
  const N2 = N & ~1;
  for (let t = 0; t < batch; t++, a += aBatch, b += bBatch, c += M * N) {
    // biome-ignore-start lint/style/useSingleVarDeclarator: the block is laid out as its sums are, a row a line
    // biome-ignore format: the same
    for (let i = 0; i < M4; i += 4) {
      for (let j = 0; j < N2; j += 2) {
        let p = a + i * aRow, q = b + j * bColumn;
        let s00 = 0, s01 = 0, s10 = 0, s11 = 0, s20 = 0, s21 = 0, s30 = 0, s31 = 0;
        for (let k = 0; k < K; k++, p += aColumn, q += bRow) {
          const x = H[q], y = H[q + bColumn];
          const a0 = H[p], a1 = H[p + aRow], a2 = H[p + 2 * aRow], a3 = H[p + 3 * aRow];
          s00 += a0 * x; s01 += a0 * y;
          s10 += a1 * x; s11 += a1 * y;
          s20 += a2 * x; s21 += a2 * y;
          s30 += a3 * x; s31 += a3 * y;
        }
        let r = c + i * N + j;
        H[r] = s00; H[r + 1] = s01; r += N;
        H[r] = s10; H[r + 1] = s11; r += N;
        H[r] = s20; H[r + 1] = s21; r += N;
        H[r] = s30; H[r + 1] = s31;
      }
    }
    // biome-ignore-end lint/style/useSingleVarDeclarator: end of the block
    for (let i = 0; i < M; i++) {
      // the rows and the column that are left over
      for (let j = i < M4 ? N2 : 0; j < N; j++) {
        let p = a + i * aRow;
        let q = b + j * bColumn;
        let s = 0;
        for (let k = 0; k < K; k++, p += aColumn, q += bRow) s += H[p] * H[q];
        H[c + i * N + j] = s;
      }
    }
  }
}

// The kernel of a WebAssembly module that works in `memory`, or null where this page may not compile one.
export function compiledMatmul(bytes, memory) {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
    return (_H, ...numbers) => exports.matmul(...numbers);
  } catch (problem) {
    if (problem instanceof TypeError) throw problem; // wrong bytes or memory: a mistake in the code, not a policy
    return null;
  }
}
