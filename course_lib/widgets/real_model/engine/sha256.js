// SHA-256 where the browser keeps its own from a page: on plain http, and in some browsers on pages opened from a
// folder.

const PRIMES = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((prime) => n % prime)) PRIMES.push(n);
const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0;
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const turned = (x, by) => (x >>> by) | (x << (32 - by));

function mix(state, words) {
  for (let i = 16; i < 64; i++) {
    const [near, far] = [words[i - 2], words[i - 15]];
    const a = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    const b = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    words[i] = (words[i - 16] + a + words[i - 7] + b) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] = (state[i] + word) | 0;
  });
}

/** The digest of these bytes in hexadecimal digits. */
export function sha256(bytes) {
  const state = Int32Array.from(START);
  const words = new Int32Array(64);
  const whole = bytes.length - (bytes.length % 64);
  const tail = new Uint8Array(bytes.length % 64 < 56 ? 64 : 128); // a one, zeros, the length in bits
  tail.set(bytes.subarray(whole));
  tail[bytes.length - whole] = 0x80;
  const length = new DataView(tail.buffer);
  length.setUint32(tail.length - 8, Math.floor(bytes.length / 2 ** 29));
  length.setUint32(tail.length - 4, (bytes.length * 8) % 2 ** 32);
  for (const part of [bytes.subarray(0, whole), tail]) {
    const view = new DataView(part.buffer, part.byteOffset, part.length);
    for (let at = 0; at < part.length; at += 64) {
      for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
      mix(state, words);
    }
  }
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The same by the browser itself where it may: in a fraction of the time. */
export async function digest(bytes) {
  const own = globalThis.crypto?.subtle;
  if (!own) return sha256(bytes);
  return [...new Uint8Array(await own.digest("SHA-256", bytes))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
