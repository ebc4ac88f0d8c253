import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import { scan } from '../operations/scan.ts';
import { compositeKey, createdTable, mapOf } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { keyPlace } from './key-place.ts';
import { spaceOutline } from './space-outline.ts';

/** Items `[partition, sort, index key]`. */
async function filled(items: readonly (readonly [string, string, (string | undefined)?])[]): Promise<TestServices> {
  const services = testServices();
  await createdTable(services, {
    tableName: 'items',
    keySchema: compositeKey.keySchema,
    attributeDefinitions: [...(compositeKey.attributeDefinitions ?? []), { attributeName: 'g', attributeType: 'S' }],
    globalSecondaryIndexes: [
      {
        indexName: 'byG',
        keySchema: [{ attributeName: 'g', keyType: 'HASH' }],
        projection: { projectionType: 'KEYS_ONLY' },
      },
    ],
  });
  for (let at = 0; at < items.length; at += 25) {
    const requests = items.slice(at, at + 25).map(([pk, sk, g]) => ({
      putRequest: { item: { pk: { S: pk }, sk: { S: sk }, ...(g !== undefined && { g: { S: g } }) } },
    }));
    await batchWriteItem(services, { requestItems: { items: requests } }, testContext);
  }
  return services;
}

async function scanned(services: TestServices, more: object = {}): Promise<readonly (AttributeMap | undefined)[]> {
  const { items = [] } = await scan(services, { tableName: 'items', ...more }, testContext);
  return items.map(mapOf);
}

/** The attributes of an item that a start key has. */
function keyIn(item: AttributeMap | undefined, ofIndex: boolean): object | null {
  if (item === undefined) return null;
  const { pk, sk, g } = item;
  return { pk, sk, ...(ofIndex && { g }) };
}

const few = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom(...Array.from('abcdefghij')),
    fc.constantFrom(...Array.from('xyz')),
    fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
  ),
  { maxLength: 25, selector: ([pk, sk]) => pk + sk },
);

describe('a place', () => {
  test('is where a scan begins with its first key', async () => {
    await fc.assert(
      fc.asyncProperty(
        few,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        async (items, fraction, ofIndex) => {
          const services = await filled(items);
          const subject = { tableName: 'items', ...(ofIndex && { indexName: 'byG' }) };
          const place = await keyPlace(services, { ...subject, fraction }, testContext);
          const all = await scanned(services, subject);
          const rest = await scanned(services, {
            ...subject,
            ...(place.startKey !== null && { exclusiveStartKey: place.startKey }),
          });
          expect(keyIn(rest[0], ofIndex)).toEqual(place.firstKey);
          // The items before the place and those read from there on are all items, in their order.
          expect(all.slice(all.length - rest.length)).toEqual(rest);
          // Every item read from there on is at the place or after it, every other item before it.
          for (const [at, item] of all.entries()) {
            const { hash } = await keyPlace(services, { ...subject, key: item ?? {} }, testContext);
            expect(hash >= place.hash).toBe(at >= all.length - rest.length);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('of a key tells its part of hash space and its partition', async () => {
    const services = await filled([['a', 'x', 'g']]);
    const place = await keyPlace(services, { tableName: 'items', key: { pk: { S: 'a' } } }, testContext);
    expect(place.hash).toBe('ca978112ca1bbdcafac231b39a23dc4d'); // the first bytes of the SHA-256 of "a"
    expect(place.fraction).toBeCloseTo(0xca978112 / 2 ** 32, 6);
    expect(place.partition).toBeGreaterThanOrEqual(0);
    expect(place.firstKey).toEqual({ pk: { S: 'a' }, sk: { S: 'x' } });
    expect(place.startKey).toBeNull();
  });

  test.each([
    [{ key: {} }],
    [{ key: { pk: { N: '1' } } }],
    [{ key: { pk: { S: '' } } }],
    [{ fraction: -0.1 }],
    [{ fraction: 1.1 }],
    [{ fraction: Number.NaN }],
    [{ fraction: 0, indexName: 'none' }],
    [{ key: { pk: { S: 'a' } }, indexName: 'byG' }],
  ])('is not found by %j', async (request) => {
    const services = await filled([]);
    await expect(keyPlace(services, { tableName: 'items', ...request }, testContext)).rejects.toThrow(
      ValidationException,
    );
  });

  test('is in a table', async () => {
    const request = { tableName: 'none', fraction: 0 };
    await expect(keyPlace(testServices(), request, testContext)).rejects.toThrow(ResourceNotFoundException);
  });
});

describe('an outline', () => {
  test('of little counts all of it', async () => {
    await fc.assert(
      fc.asyncProperty(few, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (items, rows, ofIndex) => {
        const services = await filled(items);
        const subject = { tableName: 'items', ...(ofIndex && { indexName: 'byG' }) };
        const outline = await spaceOutline(services, { ...subject, rows }, testContext);
        expect(outline.isEstimate).toBe(false);
        expect(outline.rows).toHaveLength(rows);
        for (const [at, row] of outline.rows.entries()) {
          const segment = await scanned(services, { ...subject, segment: at, totalSegments: rows });
          expect(row.items).toBe(segment.length);
          expect(row.firstKey).toEqual(keyIn(segment[0], ofIndex));
          const key = ofIndex ? 'g' : 'pk';
          expect(row.collections).toBe(new Set(segment.map((item) => JSON.stringify(item?.[key]))).size);
        }
        expect(outline.items).toBe(outline.rows.reduce((sum, row) => sum + row.items, 0));
        expect(outline.bytes).toBe(outline.rows.reduce((sum, row) => sum + row.bytes, 0));
      }),
      { numRuns: 40 },
    );
  });

  test('of much is an estimate that adds up, and shows where most of it is', async () => {
    const spread = Array.from({ length: 15_000 }, (_, n) => [`p${n}`, 'x'] as const);
    const heap = Array.from({ length: 6_000 }, (_, n) => ['a', `s${n}`] as const);
    const services = await filled([...spread, ...heap]);
    const outline = await spaceOutline(services, { tableName: 'items', rows: 16 }, testContext);
    expect(outline).toMatchObject({ items: 21_000, isEstimate: true });
    const total = outline.rows.reduce((sum, row) => sum + row.items, 0);
    expect(Math.abs(total - 21_000)).toBeLessThan(50);
    // The hash of "a" begins with 0xca: row 12 of 16 has its six thousand, and no other row exceeds its share by a tenth.
    for (const [at, row] of outline.rows.entries()) {
      if (at === 12) expect(row.items).toBeGreaterThan(6_000);
      else expect(row.items).toBeLessThan(1_200);
    }
  });

  test.each([0, 513, 1.5, Number.NaN])('has no %j rows', async (rows) => {
    const services = await filled([]);
    await expect(spaceOutline(services, { tableName: 'items', rows }, testContext)).rejects.toThrow(
      ValidationException,
    );
  });
});
