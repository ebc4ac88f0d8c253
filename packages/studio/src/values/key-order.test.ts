import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareKeys } from './key-order.ts';

test('WB-11: keys are in the order of the service: by bytes', () => {
  const near = fc.string({ unit: fc.constantFrom('a', 'é', '\uFFFD', '\uE000', '😀', '\u{10FFFF}') });
  fc.assert(
    fc.property(near, near, (a, b) => {
      const wanted = Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(Math.sign(compareKeys({ S: a }, { S: b }))).toBe(wanted);
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
      const [first, second] = [a, b].map((bytes) => ({ B: Buffer.from(bytes).toString('base64') }));
      expect(Math.sign(compareKeys(first, second))).toBe(Math.sign(Buffer.compare(a, b)));
    }),
  );
  expect(compareKeys({ N: '9' }, { N: '10' })).toBeLessThan(0);
});
