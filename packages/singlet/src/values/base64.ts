/**
 * Binary values are stored as they travel: as canonical base64 (RFC 4648, padded, unused bits zero), so that equal bytes
 * are equal texts.
 */

/** The bytes of a base64 text. */
export function decodeBase64(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}

/** The canonical base64 text of bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Length in bytes of the contents of a canonical base64 text, without decoding it. */
export function base64ByteLength(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

/**
 * Order of two canonical base64 texts by the bytes they hold: negative, zero or positive.
 *
 * Nothing is decoded: characters represent six bits each, the first bits first, so the first characters that differ
 * decide; padding, whose bits are zero, is the end of the shorter one and comes before all characters.
 */
export function compareBinary(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const codeA = a.charCodeAt(index);
    const codeB = b.charCodeAt(index);
    if (codeA !== codeB) return Math.sign(sextet(codeA) - sextet(codeB));
  }
  return Math.sign(a.length - b.length);
}

/**
 * The canonical text of the same bytes. Characters outside the alphabet are skipped; the code that reads the wire refuses
 * such texts, see {@link isCanonicalBase64}.
 */
export function canonicalizeBase64(text: string): string {
  return isCanonicalBase64(text) ? text : Buffer.from(text, 'base64').toString('base64');
}

/** Whether a text is canonical base64: only characters of the alphabet, padded to a multiple of four, unused bits zero. */
export function isCanonicalBase64(text: string): boolean {
  const { length } = text;
  if (length % 4 !== 0) return false;
  // Decoding and encoding are vectorised: for long texts faster than checking each character.
  if (length > 256) return Buffer.from(text, 'base64').toString('base64') === text;
  if (length === 0) return true;
  const end = text.endsWith('==') ? length - 2 : text.endsWith('=') ? length - 1 : length;
  for (let index = 0; index < end; index += 1) {
    if (sextet(text.charCodeAt(index)) < 0) return false;
  }
  const unusedBits = end === length ? 0 : end === length - 1 ? 0b11 : 0b1111;
  return (sextet(text.charCodeAt(end - 1)) & unusedBits) === 0;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const sextets: Int8Array = Int8Array.from({ length: 128 }, (_, code) => alphabet.indexOf(String.fromCharCode(code)));

/** The six bits a character represents, or -1. */
function sextet(code: number): number {
  return sextets[code] ?? -1;
}
