import { beforeAll, describe, expect, test } from 'vitest';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { emptyKey, invalidValue, openTables, refusal, validation } from '../testing/refusal.ts';
import { testContext, type TestServices } from '../testing/test-services.ts';
import { batchGetItem, type KeysAndAttributes } from './batch-get-item.ts';
import { batchWriteItem, type WriteRequest } from './batch-write-item.ts';

let services: TestServices;
beforeAll(async () => {
  services = await openTables();
});

const indexedKey = { pk: { S: 'a' }, sk: { S: 'b' } };
const mismatch = validation('The provided key element does not match the schema');
const empty = validation(
  `${emptyKey}The AttributeValue for a key attribute cannot contain an empty string value. Key: pk`,
);
const duplicates = validation('Provided list of item keys contains duplicates');
const notFound = 'ResourceNotFoundException: Requested resource not found';

describe('BatchWriteItem', () => {
  const write = (tableName: string, ...requests: WriteRequest[]): Promise<string> =>
    refusal(batchWriteItem(services, { requestItems: { [tableName]: requests } }, testContext));
  const put = (item: UncheckedAttributeMap): WriteRequest => ({ putRequest: { item } });

  test.each<[UncheckedAttributeMap, string]>([
    [{ pk: { N: '1' }, sk: { S: 'b' } }, mismatch],
    [{ pk: { L: [] }, sk: { S: 'b' } }, mismatch],
    [{ pk: { S: 'a' } }, mismatch],
    [{ pk: { S: '' }, sk: { S: 'b' } }, empty],
    [
      { ...indexedKey, score: { N: '1' } },
      validation(`${invalidValue}Type mismatch for Index Key score Expected: S Actual: N IndexName: byScore`),
    ],
    [
      { ...indexedKey, score: { S: '' } },
      validation(
        `${emptyKey}A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: byScore, IndexKey: score`,
      ),
    ],
    [{ ...indexedKey, n: { N: '' } }, validation('The parameter cannot be converted to a numeric value')],
    [
      { ...indexedKey, s: { SS: ['b', 'a', 'b'] } },
      validation(`${invalidValue}Input collection [b, a, b] contains duplicates.`),
    ],
  ])('DB-048 refuses to put %j', async (item, answer) => {
    expect(await write('indexed', put(item))).toBe(answer);
  });

  test('refuses to delete without a whole key, and one item twice', async () => {
    expect(await write('indexed', { deleteRequest: { key: { pk: { S: 'a' } } } })).toBe(mismatch);
    expect(await write('indexed', { deleteRequest: { key: { ...indexedKey, pk: { S: '' } } } })).toBe(empty);
    expect(await write('indexed', put(indexedKey), { deleteRequest: { key: indexedKey } })).toBe(duplicates);
  });

  test('DB-039 looks at the size of items after the table', async () => {
    const large = put({ pk: { S: 'K' }, b: { S: 'x'.repeat(409_597) } });
    expect(await write('plain', large)).toBe(validation('Item size has exceeded the maximum allowed size'));
    expect(await write('missing', large)).toBe(notFound);
  });
});

describe('BatchGetItem', () => {
  const get = (requestItems: Readonly<Record<string, KeysAndAttributes>>): Promise<string> =>
    refusal(batchGetItem(services, { requestItems }, testContext));
  const key = { pk: { S: 'a' } };
  const mixed = validation(
    'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}',
  );

  test('refuses expressions beside what was before them, also on different tables', async () => {
    const byExpression = { projectionExpression: 'a' };
    const byName = { attributesToGet: ['a'] };
    expect(await get({ plain: { keys: [key], ...byExpression, ...byName } })).toBe(mixed);
    expect(await get({ plain: { keys: [key], ...byExpression }, indexed: { keys: [indexedKey], ...byName } })).toBe(
      mixed,
    );
    expect(await get({ plain: { keys: [key], ...byExpression }, indexed: { keys: [indexedKey] } })).toBe('done');
  });

  test('refuses a key twice before it looks for the table, and bad keys after it', async () => {
    expect(await get({ missing: { keys: [key, key] } })).toBe(duplicates);
    expect(await get({ missing: { keys: [{ pk: { N: '1' } }] } })).toBe(notFound);
    expect(await get({ plain: { keys: [{ pk: { N: '1' } }] } })).toBe(mismatch);
    expect(await get({ plain: { keys: [{ pk: { S: '' } }] } })).toBe(empty);
  });

  test('DB-034 words bad values without an envelope', async () => {
    const key_ = { pk: { SS: ['b', 'a', 'b'] } };
    expect(await get({ plain: { keys: [key_] } })).toBe(
      validation(`${invalidValue}Input collection ["a", "b", "b"] contains duplicates.`),
    );
  });

  test('answers every table, and that nothing is left over', async () => {
    const answer = await batchGetItem(services, { requestItems: { plain: { keys: [key] } } }, testContext);
    expect(answer).toEqual({ responses: { plain: [] }, unprocessedKeys: {} });
  });
});
