import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { IdentityError } from './identity-error.ts';

/** Bytes that are new each time. */
export type RandomBytes = (count: number) => Uint8Array;

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const firstLine = 'singlet auth key 1';

/**
 * The key of a server's identities. It encrypts the secret keys of users and seals sessions, each with a separate key derived from it.
 */
export class AuthKey {
  readonly #secretsKey: KeyObject;
  readonly #sessionsKey: KeyObject;

  constructor(bytes: Uint8Array) {
    this.#secretsKey = derivedKey(bytes, 'singlet secret access keys');
    this.#sessionsKey = derivedKey(bytes, 'singlet session tokens');
  }

  /** @param context - what the secret belongs to; opening it requires the same context. */
  sealSecret(secret: string, context: string, random: RandomBytes): string {
    return seal(this.#secretsKey, Buffer.from(secret, 'utf8'), context, random).toString('base64');
  }

  /** @returns undefined if it was sealed with another key, sealed for another context, or changed. */
  openSecret(sealed: string, context: string): string | undefined {
    return open(this.#secretsKey, Buffer.from(sealed, 'base64'), context)?.toString('utf8');
  }

  sealSession(session: Uint8Array, context: string, random: RandomBytes): string {
    return seal(this.#sessionsKey, session, context, random).toString('base64');
  }

  /** @returns undefined unless it is a session of this server and this context. */
  openSession(token: string, context: string): Buffer | undefined {
    return open(this.#sessionsKey, Buffer.from(token, 'base64'), context);
  }
}

/** A new key, as the text of its file. */
export function newAuthKeyText(random: RandomBytes): string {
  return `${firstLine}\n${Buffer.from(random(keyBytes)).toString('base64')}\n`;
}

/** @throws {IdentityError} if the text does not contain a key. */
export function readAuthKey(text: string): AuthKey {
  const [first, line = '', ...rest] = text.split('\n');
  const bytes = Buffer.from(line, 'base64');
  if (first !== firstLine || bytes.length !== keyBytes || rest.join('').trim() !== '') {
    throw new IdentityError(
      `This is not a key file of Singlet: it has the line "${firstLine}" and, in base64, ${keyBytes} bytes.`,
    );
  }
  return new AuthKey(bytes);
}

function derivedKey(bytes: Uint8Array, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', bytes, new Uint8Array(), purpose, keyBytes)));
}

/** AES-256-GCM: nonce, ciphertext, tag. */
function seal(key: KeyObject, plain: Uint8Array, context: string, random: RandomBytes): Buffer {
  const nonce = random(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(context, 'utf8'));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function open(key: KeyObject, sealed: Buffer, context: string): Buffer | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  } catch {
    return undefined; // the tag differs; there is no more information
  }
}
