import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SigningKey } from './signing-key.ts';

const hexadecimal = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: length, maxLength: length });
const digits = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), minLength: length, maxLength: length });
const request = fc.record({
  date: fc.tuple(digits(8), digits(6)).map(([day, time]) => `${day}T${time}Z`),
  hash: hexadecimal(64),
});

test('signs as createHmac does, whatever the key, the scope and the requests before', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 0, maxLength: 64 }),
      fc.string({ maxLength: 300 }),
      fc.array(request, { minLength: 1, maxLength: 4 }),
      (bytes, scope, requests) => {
        const key = Buffer.from(bytes);
        const signing = new SigningKey(key, scope);
        for (const { date, hash } of requests) {
          const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash}`;
          const signature = createHmac('sha256', key).update(text, 'utf8').digest('hex');
          expect(signing.sign(date, hash)).toBe(signature);
          expect(signing.hasSigned(date, hash, signature)).toBe(true);
          expect(signing.hasSigned('20261120T120000Z', hash, signature)).toBe(date === '20261120T120000Z');
          expect(signing.hasSigned(date, '0'.repeat(64), signature)).toBe(hash === '0'.repeat(64));
          expect(signing.hasSigned(date, hash, signature.slice(0, -1))).toBe(false);
        }
      },
    ),
    { numRuns: 300 },
  );
});
