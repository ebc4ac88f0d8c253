import { hmacSha256, sha256 } from '../keys/sha256.ts';
import { InputError } from '../model-error.ts';
import type { Cursor } from '../patterns/signature.ts';

const macBytes = 16;
const text = new TextEncoder();

/** Seals the positions where reading continues, so that they cannot be changed or used for another pattern or input. */
export class CursorSeal {
  readonly #key: Uint8Array;

  /** @param secret - without one, cursors are proof against accidents but not against forgery. */
  constructor(secret: string) {
    this.#key = sha256(text.encode(secret));
  }

  /** The cursor for a position. It is valid only for the pattern and its input. */
  seal(pattern: string, input: unknown, position: unknown): Cursor {
    const body = text.encode(JSON.stringify(position, binaryOut));
    return toBase64Url(new Uint8Array([...this.#mac(pattern, input, body), ...body]));
  }

  /**
   * The position inside a cursor.
   *
   * @throws {InputError} `bad-cursor` if it is none, was changed, or belongs to another pattern or input.
   */
  open(pattern: string, input: unknown, cursor: unknown): unknown {
    const sealed = fromBase64Url(cursor);
    const body = sealed.subarray(macBytes);
    const mac = this.#mac(pattern, input, body);
    // A missing byte equals none.
    if (mac.reduce((all, byte, i) => all | ((sealed[i] ?? 256) ^ byte), 0) !== 0)
      throw new InputError('bad-cursor', 'cursor', 'does not belong to this pattern and input');
    return JSON.parse(new TextDecoder().decode(body), binaryIn);
  }

  #mac(pattern: string, input: unknown, body: Uint8Array): Uint8Array {
    const prefix = text.encode(`${pattern} ${canonical(input)}\n`);
    return hmacSha256(this.#key, new Uint8Array([...prefix, ...body])).subarray(0, macBytes);
  }
}

/** One text for equal inputs, whatever the order of their names. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return String(part);
    if (part instanceof Set) return Array.from(part, String).sort();
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** For `JSON.stringify`: bytes as text that `binaryIn` reads. */
export function binaryOut(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? { $binary: toBase64Url(value) } : value;
}

/** For `JSON.parse`. */
export function binaryIn(_: string, value: unknown): unknown {
  const { $binary } = (value ?? {}) as { $binary?: unknown };
  return typeof $binary === 'string' ? fromBase64Url($binary) : value;
}

function toBase64Url(bytes: Uint8Array): string {
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The bytes of a text; none of what is no such text, which no seal fits. */
function fromBase64Url(given: unknown): Uint8Array {
  const encoded = String(given);
  if (!/^[\w-]*$/.test(encoded) || encoded.length % 4 === 1) return new Uint8Array();
  return Uint8Array.from(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  );
}
