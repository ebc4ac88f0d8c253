import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StorageError } from '../../storage/storage-error.ts';
import { compareVersions, decodeMark, encodeMark, firstVersion, nextVersion, type Version } from './item-version.ts';

const region = fc.constantFrom('eu-west-1', 'us-east-1', 'us-west-2');
const version: fc.Arbitrary<Version> = fc.record({ timeMs: fc.nat(5), counter: fc.nat(3), region });

describe('versions', () => {
  test('are in total order', () => {
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b))).toBe(0 - Math.sign(compareVersions(b, a)));
        expect(compareVersions(a, b) === 0).toBe(JSON.stringify(a) === JSON.stringify(b));
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  test('of a write come after what it was decided on, whatever the clock says', () => {
    fc.assert(
      fc.property(version, fc.nat(10), region, (before, nowMs, here) => {
        const next = nextVersion(before, nowMs, here);
        expect(compareVersions(next, before)).toBeGreaterThan(0);
        if (nowMs > before.timeMs) expect(next).toEqual({ timeMs: nowMs, counter: 0, region: here });
      }),
    );
  });

  test('come after the first one', () => {
    fc.assert(
      fc.property(version, (any) => {
        expect(compareVersions(firstVersion, any)).toBeLessThan(0);
      }),
    );
  });
});

describe('the mark of an item', () => {
  test('is read as it was written', () => {
    const deleted = fc.option(
      fc.record({ atSeconds: fc.nat(), key: fc.record({ pk: fc.record({ S: fc.string() }) }) }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(version, deleted, (of, gone) => {
        const mark = { version: of, ...(gone !== undefined && { deleted: gone }) };
        expect(decodeMark(encodeMark(mark))).toEqual(mark);
      }),
    );
  });

  test('of another format is refused', () => {
    const value = encodeMark({ version: firstVersion });
    value[0] = 9;
    expect(() => decodeMark(value)).toThrow(StorageError);
  });
});
