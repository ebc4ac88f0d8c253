import * as fc from 'fast-check';
import type { AttributeMap, AttributeValue } from '../../../values/attribute-value.ts';
import { checkAttributeMap } from '../../../values/check-attribute-value.ts';

/** Items of every type, as they are stored. */

const number = fc
  .record({
    digits: fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
    exponent: fc.integer({ min: -120, max: 80 }),
  })
  .map(({ digits, exponent }) => `${digits}E${exponent}`);
const binary = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const text = fc.string({ unit: 'binary', maxLength: 12 });
const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).filter((it) => it !== '__proto__');
const distinct = <T>(element: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.uniqueArray(element, { minLength: 1, maxLength: 4 });

const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ S: text }),
    fc.record({ N: number }),
    fc.record({ B: binary }),
    fc.record({ BOOL: fc.boolean() }),
    fc.constant<AttributeValue>({ NULL: true }),
    fc.record({ SS: distinct(text) }),
    fc.record({ NS: distinct(fc.integer().map(String)) }),
    fc.record({ BS: distinct(binary) }),
    fc.record({ L: fc.array(tie('value'), { maxLength: 4 }) }),
    fc.record({ M: fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }) }),
  ),
}));

export const arbitraryItem: fc.Arbitrary<AttributeMap> = fc
  .dictionary(name, value, { minKeys: 1, maxKeys: 6, noNullPrototype: true })
  .map((item) => checkAttributeMap(item));

/** Splits bytes into chunks of the given lengths, repeated. */
export async function* inChunks(bytes: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let from = 0, at = 0; from < bytes.length; at += 1) {
    const length = lengths[at % lengths.length] ?? bytes.length;
    yield bytes.subarray(from, from + length);
    from += length;
  }
}

export const arbitraryChunkLengths: fc.Arbitrary<number[]> = fc.array(fc.integer({ min: 1, max: 40 }), {
  minLength: 1,
  maxLength: 5,
});
