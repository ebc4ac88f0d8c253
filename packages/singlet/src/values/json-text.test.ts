import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOfPlainName, endOfString, endOfValue, isNamed, isPlainName } from './json-text.ts';

const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('a', '\\', '"', '\\"', 'a\\', '', 'é'),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    name,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
})).value;

test('the end of a value is where the parser finds it', () => {
  fc.assert(
    fc.property(
      json,
      fc.constantFrom(',"x"', ']', '}', ',{}'),
      fc.constantFrom('', 'é"', '\\'),
      (value, behind, before) => {
        const text = JSON.stringify(value);
        const bytes = Buffer.from(before + text.toWellFormed() + behind, 'utf8');
        const start = Buffer.byteLength(before);
        const end = start + Buffer.byteLength(text.toWellFormed());
        expect(endOfValue(bytes, start)).toBe(end);
        if (typeof value === 'string') expect(endOfString(bytes, start)).toBe(end);
      },
    ),
    { numRuns: 3000 },
  );
});

test('a plain name ends where the string ends; others are left to the parser', () => {
  fc.assert(
    fc.property(name, (text) => {
      const bytes = Buffer.from(JSON.stringify(text).toWellFormed(), 'utf8');
      const end = endOfPlainName(bytes, 0);
      expect(end === -1 || end === bytes.length).toBe(true);
      expect(end === -1).toBe(bytes.includes('\\'));
      if (isPlainName(text)) expect([end, isNamed(bytes, 0, end, text)]).toEqual([bytes.length, true]);
      expect(isNamed(bytes, 0, bytes.length, `${text}x`)).toBe(false);
    }),
  );
});

test('any bytes at all are stepped over within their bounds', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a', ' ') }),
      fc.nat(8),
      (text, start) => {
        const bytes = Buffer.from(text);
        const from = Math.min(start, bytes.length);
        for (const end of [endOfValue(bytes, from), endOfPlainName(bytes, from)])
          expect(end).toBeLessThanOrEqual(bytes.length);
        if (bytes[from] === 0x22) expect(endOfString(bytes, from)).toBeLessThanOrEqual(bytes.length);
      },
    ),
    { numRuns: 2000 },
  );
});
