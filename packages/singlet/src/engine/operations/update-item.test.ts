import { beforeAll, describe, expect, test } from 'vitest';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { emptyKey, invalidValue, openTables, refusal, validation } from '../testing/refusal.ts';
import { mapOf } from '../testing/test-engine.ts';
import { testContext, type TestServices } from '../testing/test-services.ts';
import { getItem } from './get-item.ts';
import { putItem } from './put-item.ts';
import { updateItem, type UpdateItemRequest } from './update-item.ts';

let services: TestServices;
beforeAll(async () => {
  services = await openTables();
});

const plain = (pk: string): { tableName: string; key: UncheckedAttributeMap } => ({
  tableName: 'plain',
  key: { pk: { S: pk } },
});
const update = (request: UpdateItemRequest): Promise<string> =>
  refusal(() => updateItem(services, request, testContext));

describe('DB-039 sizes', () => {
  const tooLarge = validation('Item size to update has exceeded the maximum allowed size');
  const text = (bytes: number): UncheckedAttributeMap => ({ ':pad': { S: 'x'.repeat(bytes) } });
  /** The item counts its key, `pk` and `K`, and the name `b`. */
  const restOfItem = 3 + 1;

  test('an update expression is bounded itself: 3 + 19 + 1 bytes besides the value', async () => {
    const set = (bytes: number): UpdateItemRequest => ({
      ...plain('K'),
      updateExpression: 'SET b = :pad',
      expressionAttributeValues: text(bytes),
    });
    expect(await update(set(409_581 - restOfItem))).toBe('done');
    expect(await update(set(409_582 - restOfItem))).toBe(tooLarge);
    expect(await update({ ...set(409_582 - restOfItem), conditionExpression: 'attribute_exists(nothing)' })).toBe(
      tooLarge,
    );
  });

  test('also where nothing of it is stored', async () => {
    await putItem(services, { tableName: 'plain', item: { pk: { S: 'L' }, b: { S: 'here' } } }, testContext);
    const keep = (bytes: number): UpdateItemRequest => ({
      ...plain('L'),
      updateExpression: 'SET b = if_not_exists(b, :pad)',
      expressionAttributeValues: text(bytes),
    });
    expect(await update(keep(409_600 - 3 - 19 - 1 - 39 - 16))).toBe('done');
    expect(await update(keep(409_600 - 3 - 19 - 1 - 39 - 15))).toBe(tooLarge);
  });

  test('the legacy parameter is not', async () => {
    const put = (bytes: number): UpdateItemRequest => ({
      ...plain('K'),
      attributeUpdates: { b: { value: { S: 'x'.repeat(bytes) } } },
    });
    expect(await update(put(409_600 - restOfItem))).toBe('done');
    expect(await update(put(409_601 - restOfItem))).toBe(tooLarge);
  });
});

describe('what is answered of an update', () => {
  const item = { pk: { S: 'v' }, l: { L: [{ N: '1' }, { N: '2' }] }, m: { M: { x: { N: '1' }, y: { N: '2' } } } };
  test.each<[string, UpdateItemRequest['returnValues'], object | undefined]>([
    ['SET n = :5', 'UPDATED_NEW', { n: { N: '5' } }],
    ['SET n = :5', 'UPDATED_OLD', undefined],
    ['SET m.x = :5, m.z = :5', 'UPDATED_NEW', { m: { M: { x: { N: '5' }, z: { N: '5' } } } }],
    ['SET m.x = :5', 'UPDATED_OLD', { m: { M: { x: { N: '1' } } } }],
    ['SET l[1] = :5', 'UPDATED_NEW', { l: { L: [{ N: '5' }] } }],
    ['SET l[9] = :5', 'UPDATED_NEW', undefined],
    ['SET l[2000000000] = :5', 'ALL_NEW', { ...item, l: { L: [...item.l.L, { N: '5' }] } }],
    ['REMOVE m.x', 'UPDATED_NEW', undefined],
    ['REMOVE m', 'UPDATED_OLD', { m: item.m }],
    ['REMOVE nothing', 'ALL_OLD', item],
  ])('DB-183 %s with %s', async (updateExpression, returnValues, attributes) => {
    await putItem(services, { tableName: 'plain', item }, testContext);
    const values = updateExpression.includes(':5') ? { expressionAttributeValues: { ':5': { N: '5' } } } : {};
    const answer = await updateItem(
      services,
      { ...plain('v'), updateExpression, returnValues, ...values },
      testContext,
    );
    expect(mapOf(answer.attributes)).toEqual(attributes);
  });
});

describe('paths that lead nowhere', () => {
  const invalidPath = validation('The document path provided in the update expression is invalid for update');
  test.each([
    ['there', 'REMOVE x.y', invalidPath],
    ['there', 'REMOVE x[0]', invalidPath],
    ['there', 'REMOVE m.x', 'done'],
    ['there', 'REMOVE l[17]', 'done'],
    ['absent', 'REMOVE x.y', 'done'],
    ['absent', 'SET x.y = pk', invalidPath],
  ])('DB-242 in an item that is %s: %s', async (pk, updateExpression, answer) => {
    await putItem(
      services,
      { tableName: 'plain', item: { pk: { S: 'there' }, m: { M: {} }, l: { L: [] } } },
      testContext,
    );
    expect(await update({ ...plain(pk), updateExpression })).toBe(answer);
  });
});

describe('keys', () => {
  const indexed = { tableName: 'indexed', key: { pk: { S: 'a' }, sk: { S: 'b' } } };
  test.each<[string, UncheckedAttributeMap, string]>([
    [
      'SET sk = :v',
      { ':v': { S: 'x' } },
      `${invalidValue}Cannot update attribute sk. This attribute is part of the key`,
    ],
    [
      'SET score = :v',
      { ':v': { N: '1' } },
      `${invalidValue}Type mismatch for Index Key score Expected: S Actual: N IndexName: byScore`,
    ],
    [
      'SET score = :v',
      { ':v': { S: '' } },
      `${emptyKey}The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value.`,
    ],
    [
      'SET score = :v',
      { ':v': { S: 'x'.repeat(2049) } },
      'The update expression attempted to update the secondary index key beyond allowed size limits',
    ],
    [
      'SET score = if_not_exists(score, n)',
      {},
      'The update expression attempted to update the secondary index key to unsupported type',
    ],
  ])('DB-037 %s %#', async (updateExpression, expressionAttributeValues, message) => {
    await putItem(services, { tableName: 'indexed', item: { ...indexed.key, n: { N: '1' } } }, testContext);
    const values = Object.keys(expressionAttributeValues).length > 0 ? { expressionAttributeValues } : {};
    expect(await update({ ...indexed, updateExpression, ...values })).toBe(validation(message));
  });

  test('DB-144 an update that says nothing makes an item of its key', async () => {
    expect(await update(plain('bare'))).toBe('done');
    expect(await update({ ...plain('bare too'), attributeUpdates: {} })).toBe('done');
    for (const pk of ['bare', 'bare too']) {
      const { item } = await getItem(services, plain(pk), testContext);
      expect(mapOf(item)).toEqual({ pk: { S: pk } });
    }
  });

  test('DB-113 attribute names of the legacy parameters are checked', async () => {
    expect(await update({ ...plain('names'), attributeUpdates: { '': { value: { S: 'x' } } } })).toContain(
      'Empty attribute name',
    );
    expect(
      await update({ ...plain('names'), attributeUpdates: { ['n'.repeat(65_536)]: { value: { S: 'x' } } } }),
    ).toContain('65536');
    const get = () => getItem(services, { ...plain('names'), attributesToGet: ['n'.repeat(65_536)] }, testContext);
    expect(await refusal(get)).toContain('65536');
  });
});
