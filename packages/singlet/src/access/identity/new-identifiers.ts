import type { RandomBytes } from './auth-key.ts';

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The prefixes of the service's identifiers. */
export type IdentifierPrefix = 'AKIA' | 'ASIA' | 'AIDA' | 'AROA' | 'AGPA';

/** A prefix and sixteen characters: 80 random bits. */
export function newIdentifier(prefix: IdentifierPrefix, random: RandomBytes): string {
  return prefix + Array.from(random(16), (byte) => characters[byte % characters.length]).join('');
}

/** A secret key in the service's form: forty characters, 240 random bits. */
export function newSecretAccessKey(random: RandomBytes): string {
  return Buffer.from(random(30)).toString('base64');
}
