import type { Clock } from '../clock.ts';
import { createKsuidGenerator } from '../ksuid.ts';

/**
 * KSUIDs that differ by a count: those of one instant sort in order of creation.
 *
 * @param options.backwards - in the opposite order: real ones only distinguish seconds.
 */
export function countedKsuids(clock: Clock, options: { readonly backwards?: boolean } = {}): () => string {
  let made = 0;
  return createKsuidGenerator({
    clock,
    randomBytes: (count) => {
      made += 1;
      const bytes = Buffer.alloc(count);
      bytes.writeUInt32BE(options.backwards === true ? 0xffffffff - made : made, 0);
      return bytes;
    },
  });
}
