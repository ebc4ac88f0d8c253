import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  base64ByteLength,
  canonicalizeBase64,
  compareBinary,
  decodeBase64,
  encodeBase64,
  isCanonicalBase64,
} from './base64.ts';

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.uint8Array({ minLength: 190, maxLength: 220 }),
  fc.uint8Array({ max: 1, maxLength: 6 }), // often one a prefix of the other
);

describe('base64 (DB-030)', () => {
  it('DB-030: what is encoded is canonical, has the length said, and decodes to the same bytes', () => {
    fc.assert(
      fc.property(bytes, (list) => {
        const text = encodeBase64(list);
        expect(isCanonicalBase64(text)).toBe(true);
        expect(canonicalizeBase64(text)).toBe(text);
        expect(base64ByteLength(text)).toBe(list.length);
        expect([...decodeBase64(text)]).toEqual([...list]);
      }),
    );
  });

  it('encodes a view of a larger buffer', () => {
    expect(encodeBase64(new Uint8Array([1, 2, 3, 4]).subarray(1, 3))).toBe('AgM=');
  });

  it.each([
    'A',
    'AA',
    'AAA',
    'AA=',
    'A===',
    '====',
    '=',
    'AAA*',
    'AA A',
    'AAA\n',
    'AB==',
    'AAB=',
    'A_-A',
    'AA=A',
    'é===',
    'ÿAAA',
  ])('DB-030: %j is not canonical', (text) => {
    expect(isCanonicalBase64(text)).toBe(false);
    const long = 'AAAA'.repeat(80) + text;
    expect(isCanonicalBase64(long)).toBe(false);
  });

  it.each([
    ['AB==', 'AA=='],
    ['AAB=', 'AAA='],
    ['AA', 'AA=='],
    ['_-AA', '/+AA'],
  ])('DB-030: %s is kept as %s', (text, canonical) => {
    expect(canonicalizeBase64(text)).toBe(canonical);
  });

  it('DB-030: orders by unsigned bytes, which is not the order of the texts', () => {
    expect(compareBinary('/w==', 'AA==')).toBeGreaterThan(0);
    expect(['AA==', '/w=='].toSorted()).toEqual(['/w==', 'AA==']);
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(compareBinary(encodeBase64(a), encodeBase64(b))).toBe(Buffer.compare(a, b));
      }),
    );
  });
});
