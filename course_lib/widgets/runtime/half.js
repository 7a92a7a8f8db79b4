/** 16-bit floats in base64 → numbers: their bits, shifted to where a 32-bit float has them, lack only a factor 2¹¹². */
export function halves(text) {
  const letters = atob(text);
  const numbers = new Float32Array(letters.length / 2);
  const bits = new Uint32Array(numbers.buffer);
  for (let i = 0; i < numbers.length; i++) {
    const code = letters.charCodeAt(2 * i) | (letters.charCodeAt(2 * i + 1) << 8);
    bits[i] = ((code & 0x8000) << 16) | ((code & 0x7fff) << 13);
    numbers[i] *= 2 ** 112;
  }
  return numbers;
}
