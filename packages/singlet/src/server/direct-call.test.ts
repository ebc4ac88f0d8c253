import { expect, it } from 'vitest';
import { StoredItem } from '../engine/index.ts';
import { directCall } from './direct-call.ts';
import { createProbeEngine } from './testing/probe-engine.ts';

const context = { accountId: '000000000000', region: 'us-east-1' };

it('DB-126 calls an action in wire form, without an envelope', async () => {
  const engine = createProbeEngine({ GetItem: { item: new StoredItem(Buffer.from('{"pk":{"S":"a"}}'), 3) } });
  const answer = await directCall(engine, 'GetItem', { TableName: 'abc', Key: { pk: { S: 'a' } } }, context);
  expect(answer).toStrictEqual({ Item: { pk: { S: 'a' } } });
  expect(await directCall(engine, 'TagResource', { ResourceArn: 'arn', Tags: [] }, context)).toStrictEqual({});
  expect(engine.calls[0]).toMatchObject({ action: 'GetItem', request: { tableName: 'abc' }, context });
});

it("leaves the caller's objects alone", async () => {
  const engine = createProbeEngine();
  const input = { TableName: 'abc', Item: { pk: { S: 'a', N: null }, gone: undefined }, Expected: { a: null } };
  const before = structuredClone(input);
  await directCall(engine, 'PutItem', input, context);
  expect(input).toStrictEqual(before);
  expect(engine.calls[0]?.request).toStrictEqual({
    tableName: 'abc',
    item: { pk: { S: 'a' } },
    expected: Object.create(null) as object,
  });
});

it.each([undefined, null, 'a', 1, []])('DB-280 refuses an input that is no object: %j', async (input) => {
  const call = async (): Promise<object> => directCall(createProbeEngine(), 'ListTables', input, context);
  await expect(call()).rejects.toMatchObject({ name: 'SerializationException' });
});

it('DB-280 refuses an unknown action', async () => {
  const call = async (): Promise<object> => directCall(createProbeEngine(), 'constructor', {}, context);
  await expect(call()).rejects.toMatchObject({ name: 'UnknownOperationException' });
});

it('answers what the encoder would have written', async () => {
  const item = new StoredItem(Buffer.from('{"pk":{"S":"a"},"__proto__":{"N":"1"}}'), 3);
  const engine = createProbeEngine({
    Query: { items: [item, { pk: { S: 'b' } }], count: 2, scannedCount: 2, lastEvaluatedKey: { pk: { S: 'b' } } },
  });
  const answer = await directCall(engine, 'Query', { TableName: 'abc', KeyConditionExpression: 'pk = :p' }, context);
  const text =
    '{"Items":[{"pk":{"S":"a"},"__proto__":{"N":"1"}},{"pk":{"S":"b"}}],"Count":2,"ScannedCount":2,"LastEvaluatedKey":{"pk":{"S":"b"}}}';
  expect(answer).toEqual(JSON.parse(text));
  expect(JSON.parse(JSON.stringify(answer))).toEqual(JSON.parse(text));
});
