import type { Random } from '../engine/index.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUV';
/** All request ids of the service end like this. */
const ending = 'VV4KQNSO5AEMVJF66Q9ASUAAJG';
const randomCharacters = 26;

/** Two characters at a time: the text for each value of ten bits. */
const pairs: readonly string[] = Array.from(
  { length: 1024 },
  (_, value) => `${alphabet.charAt(value >> 5)}${alphabet.charAt(value & 31)}`,
);

/**
 * Makes request ids in the service's form: 52 characters of `0-9A-V`, half of them random (130 bits). Random bytes are
 * taken in larger portions, because asking for some costs more than using them.
 */
export function createRequestIds(random: Random): () => string {
  const portionBytes = randomCharacters * 128;
  let portion: Uint8Array = new Uint8Array(0);
  let used = 0;
  return () => {
    if (used >= portion.length) {
      portion = random.bytes(portionBytes);
      used = 0;
    }
    let id = '';
    for (const end = used + randomCharacters; used < end; used += 2) {
      id += pairs[(((portion[used] ?? 0) << 8) | (portion[used + 1] ?? 0)) & 1023] ?? '';
    }
    return id + ending;
  };
}
