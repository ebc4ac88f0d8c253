import type { Random } from '../engine/index.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUV';
/** All request ids of the service end like this. */
const ending = 'VV4KQNSO5AEMVJF66Q9ASUAAJG';
const randomCharacters = 26;

/** How many ids are made at a time: requesting random bytes costs more than using them, and so does making a string. */
const idsInPortion = 128;

/**
 * Makes request ids in the service's form: 52 characters of `0-9A-V`, half of them random (130 bits).
 */
export function createRequestIds(random: Random): () => string {
  let portion = '';
  let used = 0;
  return () => {
    if (used >= portion.length) {
      const bytes = random.bytes(randomCharacters * idsInPortion);
      portion = Buffer.from(bytes.map((byte) => alphabet.charCodeAt(byte & 31))).toString('latin1');
      used = 0;
    }
    const start = used;
    used += randomCharacters;
    return portion.slice(start, used) + ending;
  };
}
