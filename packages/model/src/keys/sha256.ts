const constants: Uint32Array = new Uint32Array(64);
const initial: Uint32Array = new Uint32Array(8);

/** The constants of FIPS 180-4 are the first 32 bits of the fractional parts of roots of the first primes. */
function fillConstants(): void {
  const fraction = (x: number): number => ((x - Math.floor(x)) * 2 ** 32) >>> 0;
  let found = 0;
  for (let n = 2; found < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
    if (!prime) continue;
    if (found < 8) initial[found] = fraction(Math.sqrt(n));
    constants[found++] = fraction(Math.cbrt(n));
  }
}

/**
 * SHA-256, synchronous and without a platform's crypto: shard numbers are part of a key, and cursors are sealed while a request
 * is built, which cannot be asynchronous.
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  if (constants[0] === 0) fillConstants();
  const state = Uint32Array.from(initial);
  const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const words = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + i * 4);
    round(state, words);
  }
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  for (let i = 0; i < 8; i++) out.setUint32(i * 4, word(state, i));
  return digest;
}

/** HMAC-SHA-256 of RFC 2104. */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = new Uint8Array(64 + message.length);
  inner.set(block.map((byte) => byte ^ 0x36));
  inner.set(message, 64);
  const outer = new Uint8Array(96);
  outer.set(block.map((byte) => byte ^ 0x5c));
  outer.set(sha256(inner), 64);
  return sha256(outer);
}

function round(state: Uint32Array, w: Uint32Array): void {
  for (let i = 16; i < 64; i++) {
    const a = word(w, i - 15);
    const b = word(w, i - 2);
    const s0 = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
    const s1 = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
    w[i] = word(w, i - 16) + s0 + word(w, i - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + word(constants, i) + word(w, i)) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  // Stored into 32 unsigned bits each, which reduces the sum modulo 2^32.
  [a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] = word(state, i) + value));
}

function turn(x: number, n: number): number {
  return (x >>> n) | (x << (32 - n));
}

function word(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}
