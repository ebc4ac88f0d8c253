import { beforeAll, describe, expect, test } from 'vitest';
import type { UncheckedAttributeMap, UncheckedAttributeValue } from '../../values/attribute-value.ts';
import { emptyKey, envelope, invalidValue, openTables, refusal, validation } from '../testing/refusal.ts';
import { mapOf } from '../testing/test-engine.ts';
import { testContext, type TestServices } from '../testing/test-services.ts';
import { deleteItem } from './delete-item.ts';
import { getItem } from './get-item.ts';
import { putItem, type PutItemRequest } from './put-item.ts';
import { updateItem } from './update-item.ts';

let services: TestServices;
beforeAll(async () => {
  services = await openTables();
});

const key = { pk: { S: 'a' } };
const put = (request: Partial<PutItemRequest>): Promise<string> =>
  refusal(() => putItem(services, { tableName: 'plain', item: key, ...request }, testContext));
const putIndexed = (item: UncheckedAttributeMap): Promise<string> =>
  put({ tableName: 'indexed', item: { pk: { S: 'a' }, sk: { S: 'b' }, ...item } });

/** Nested maps, with the leaf at the given depth. */
function nested(wraps: number): UncheckedAttributeValue {
  return wraps === 0 ? { S: 'leaf' } : { M: { n: nested(wraps - 1) } };
}

describe('what PutItem, UpdateItem and DeleteItem find without the table is in an envelope', () => {
  const nesting =
    'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';
  test.each<[UncheckedAttributeValue, string]>([
    [{ N: '' }, `${envelope}The parameter cannot be converted to a numeric value: `],
    [{ SS: [] }, `${envelope}${invalidValue}An string set  may not be empty`],
    [
      { L: [{ SS: ['b', 'a', 'b'] }] },
      `${envelope}${invalidValue}Input collection ["a", "b", "b"] contains duplicates.`,
    ],
    [{ NULL: false }, `${envelope}${invalidValue}Null attribute value types must have the value of true`],
    [nested(32), `${envelope}${nesting}`],
    // Malformed values are an exception.
    [{}, 'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes'],
    [
      { S: 'a', N: '1' },
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    ],
  ])('%j, wherever it is, also for a missing table', async (value, message) => {
    const condition = { conditionExpression: 'a = :v', expressionAttributeValues: { ':v': value } };
    const expected = { expected: { a: { value } } };
    const answers = await Promise.all([
      put({ tableName: 'missing', item: { ...key, value } }),
      put(condition),
      put(expected),
      refusal(() => deleteItem(services, { tableName: 'plain', key: { pk: value } }, testContext)),
      refusal(() => deleteItem(services, { tableName: 'plain', key, ...condition }, testContext)),
      refusal(() => updateItem(services, { tableName: 'plain', key, ...expected }, testContext)),
      refusal(() => updateItem(services, { tableName: 'plain', key, attributeUpdates: { a: { value } } }, testContext)),
    ]);
    expect(new Set(answers)).toEqual(new Set([validation(message)]));
  });

  test.each<[Partial<PutItemRequest>, string]>([
    [{ conditionExpression: '' }, 'Invalid ConditionExpression: The expression can not be empty;'],
    [
      { expressionAttributeNames: { '#n': 'n' } },
      'ExpressionAttributeNames can only be specified when using expressions',
    ],
    [{ returnValues: 'UPDATED_OLD' }, 'ReturnValues can only be ALL_OLD or NONE'],
    [
      { expected: { a: { exists: true } } },
      `${invalidValue}Value must be provided when Exists is true for Attribute: a`,
    ],
  ])('%j', async (request, message) => {
    expect(await put(request)).toBe(validation(envelope + message));
  });
});

describe('what PutItem finds with the table has no wrapper', () => {
  const filler = (bytes: number): UncheckedAttributeMap => ({ pk: { S: 'K' }, b: { S: 'x'.repeat(bytes - 4) } });
  const tooLarge = validation('Item size has exceeded the maximum allowed size');
  const notFound = 'ResourceNotFoundException: Requested resource not found';

  test('DB-039 an item of 400 KB is accepted, one byte more is not, and a missing table comes first', async () => {
    expect(await put({ item: filler(409_600) })).toBe('done');
    expect(await put({ item: filler(409_601) })).toBe(tooLarge);
    expect(await put({ item: filler(409_601), conditionExpression: 'attribute_exists(pk)' })).toBe(tooLarge);
    expect(await put({ item: filler(409_601), tableName: 'missing' })).toBe(notFound);
  });

  test('DB-042 an item and its entries in local indexes have to fit together', async () => {
    expect(await putIndexed({ b: { S: 'x'.repeat(250_000) } })).toBe('done');
    expect(await putIndexed({ b: { S: 'x'.repeat(250_000) }, score: { S: 'r' } })).toBe(tooLarge);
  });

  test.each<[UncheckedAttributeMap, string]>([
    [{}, `${invalidValue}Missing the key pk in the item`],
    [{ pk: { L: [] } }, `${invalidValue}Type mismatch for key pk expected: S actual: L`],
    [
      { pk: { S: '' } },
      `${emptyKey}The AttributeValue for a key attribute cannot contain an empty string value. Key: pk`,
    ],
    [
      { pk: { S: 'x'.repeat(2049) } },
      `${invalidValue}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
    ],
  ])('%#', async (item, message) => {
    expect(await put({ item })).toBe(validation(message));
  });

  test.each<[UncheckedAttributeValue, string]>([
    [{ N: '1' }, `${invalidValue}Type mismatch for Index Key score Expected: S Actual: N IndexName: byScore`],
    [
      { S: '' },
      `${emptyKey}A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: byScore, IndexKey: score`,
    ],
    [
      { S: 'x'.repeat(43_398) },
      `${invalidValue}Size limit exceeded for Index Key score Actual Size: 43398 bytes Max Size: 2048 bytes IndexName: byScore`,
    ],
  ])('DB-037 index keys, by the first index in the alphabet: %#', async (score, message) => {
    expect(await putIndexed({ score })).toBe(validation(message));
  });
});

test('DB-034 sets are answered in order', async () => {
  const item = { ...key, s: { SS: ['b', 'a'] }, n: { NS: ['10', '9'] }, b: { BS: ['/w==', 'AA=='] } };
  await putItem(services, { tableName: 'plain', item }, testContext);
  const answer = await getItem(services, { tableName: 'plain', key }, testContext);
  expect(mapOf(answer.item)).toEqual({
    ...key,
    s: { SS: ['a', 'b'] },
    n: { NS: ['9', '10'] },
    b: { BS: ['AA==', '/w=='] },
  });
});
