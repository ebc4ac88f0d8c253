import type { RandomBytes } from './auth-key.ts';

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** What the identifiers of the service begin with. */
export type IdentifierPrefix = 'AKIA' | 'ASIA' | 'AIDA' | 'AROA' | 'AGPA';

/** A prefix and sixteen characters: 80 random bits. */
export function newIdentifier(prefix: IdentifierPrefix, random: RandomBytes): string {
  return prefix + Array.from(random(16), (byte) => characters[byte % characters.length]).join('');
}

/** A secret key as the service makes them: forty characters, 240 random bits. */
export function newSecretAccessKey(random: RandomBytes): string {
  return Buffer.from(random(30)).toString('base64');
}
