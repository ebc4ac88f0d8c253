import { beforeAll, describe, expect, test } from 'vitest';
import type { UncheckedAttributeMap, UncheckedAttributeValue } from '../../values/attribute-value.ts';
import { TransactionCanceledException } from '../../values/service-error.ts';
import { emptyKey, invalidValue, openTables, refusal, validation } from '../testing/refusal.ts';
import { testContext, type TestServices } from '../testing/test-services.ts';
import { putItem } from './put-item.ts';
import { transactGetItems } from './transact-get-items.ts';
import { type TransactWriteItem, transactWriteItems, type TransactWriteItemsRequest } from './transact-write-items.ts';

let services: TestServices;
beforeAll(async () => {
  services = await openTables();
  await putItem(services, { tableName: 'plain', item: { pk: { S: 'there' } } }, testContext);
});

const plain = (pk: string): { tableName: string; key: UncheckedAttributeMap } => ({
  tableName: 'plain',
  key: { pk: { S: pk } },
});
const fine: TransactWriteItem = { put: { tableName: 'plain', item: { pk: { S: 'fine' } } } };
const put = (item: UncheckedAttributeMap, tableName = 'plain'): TransactWriteItem => ({ put: { tableName, item } });
const set = (value: UncheckedAttributeValue): TransactWriteItem => ({
  update: { ...plain('a'), updateExpression: 'SET a = :v', expressionAttributeValues: { ':v': value } },
});
const nested = (wraps: number): UncheckedAttributeValue =>
  wraps === 0 ? { S: 'leaf' } : { M: { n: nested(wraps - 1) } };
const nesting =
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';

/** The error of a transaction; if it was cancelled, its reasons in short: `-` for None, otherwise the text. */
async function answer(
  ...transactItems: readonly TransactWriteItem[]
): Promise<string | readonly (string | undefined)[]> {
  const transact = async (): Promise<unknown> => transactWriteItems(services, { transactItems }, testContext);
  const transaction = transact();
  try {
    await transaction;
  } catch (error) {
    if (error instanceof TransactionCanceledException) {
      return error.cancellationReasons.map(({ code, message }) => (code === 'None' ? '-' : message));
    }
  }
  return refusal(transaction);
}

describe('what cancels a transaction', () => {
  const mismatch = 'The provided key element does not match the schema';
  const indexMismatch = `${invalidValue}Type mismatch for Index Key score Expected: S Actual: N IndexName: byScore`;
  const indexed = { pk: { S: 'a' }, sk: { S: 'b' } };
  test.each<[TransactWriteItem, string]>([
    [put({ pk: { N: '1' } }), `${invalidValue}Type mismatch for key pk expected: S actual: N`],
    [put({ pk: { L: [] } }), `${invalidValue}Type mismatch for key pk expected: S actual: L`],
    [{ delete: { ...plain('a'), key: { pk: { N: '1' } } } }, mismatch],
    [{ conditionCheck: { ...plain('a'), key: {}, conditionExpression: 'a = b' } }, mismatch],
    [put({ ...indexed, score: { N: '1' } }, 'indexed'), indexMismatch],
    [
      {
        update: {
          tableName: 'indexed',
          key: indexed,
          updateExpression: 'SET score = :v',
          expressionAttributeValues: { ':v': { N: '1' } },
        },
      },
      indexMismatch,
    ],
    [
      put({ pk: { S: 'x'.repeat(2049) } }),
      `${invalidValue}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
    ],
    [set({ S: 'x'.repeat(409_597) }), 'Item size to update has exceeded the maximum allowed size'],
    [set(nested(32)), nesting],
    [
      { update: { ...plain('a'), updateExpression: 'SET a = nothing' } },
      'The provided expression refers to an attribute that does not exist in the item',
    ],
  ])('DB-175 %#', async (action, message) => {
    expect(await answer(fine, action)).toEqual(['-', message]);
  });

  test('DB-175 only the first faulty action is named, before conditions; of conditions all are', async () => {
    const no: TransactWriteItem = { conditionCheck: { ...plain('no'), conditionExpression: 'attribute_exists(pk)' } };
    const failed = 'The conditional request failed';
    const faulty = put({ pk: { N: '1' } });
    expect(await answer(no, faulty, put({ pk: { N: '2' } }))).toEqual([
      '-',
      `${invalidValue}Type mismatch for key pk expected: S actual: N`,
      '-',
    ]);
    const alsoNo: TransactWriteItem = {
      delete: { ...plain('there'), conditionExpression: 'attribute_not_exists(pk)' },
    };
    expect(await answer(no, fine, alsoNo)).toEqual([failed, '-', failed]);
  });
});

describe('what is the answer to the transaction as a whole', () => {
  const noEmpty = 'The AttributeValue for a key attribute cannot contain an empty string value.';
  const indexed = { pk: { S: 'a' }, sk: { S: 'b' } };
  test.each<[TransactWriteItem, string]>([
    [put({ pk: { S: '' } }), `${emptyKey}${noEmpty} Key: pk`],
    [{ delete: plain('') }, `${emptyKey}${noEmpty} Key: pk`],
    [
      put({ ...indexed, score: { S: '' } }, 'indexed'),
      `${emptyKey}A value specified for a secondary index key is not supported. ${noEmpty} IndexName: byScore, IndexKey: score`,
    ],
    [
      {
        update: {
          tableName: 'indexed',
          key: indexed,
          updateExpression: 'SET score = :v',
          expressionAttributeValues: { ':v': { S: '' } },
        },
      },
      `${emptyKey}The update expression attempted to update a secondary index key to a value that is not supported. ${noEmpty}`,
    ],
    [put({ pk: { S: 'K' }, b: { S: 'x'.repeat(409_597) } }), 'Item size has exceeded the maximum allowed size'],
    [put({ pk: { S: 'K' }, b: nested(32) }), nesting],
    [set(nested(33)), `ExpressionAttributeValues contains invalid value: ${nesting} for key :v`],
    [
      set({ N: '' }),
      'ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value for key :v',
    ],
    [{}, 'Invalid Request: TransactWriteRequest should contain Delete or Put or Update request'],
    [{ delete: { ...plain('fine') } }, 'Transaction request cannot include multiple operations on one item'],
    [
      { conditionCheck: { ...plain('a'), key: { pk: nested(100) }, conditionExpression: 'a = = b' } },
      'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"',
    ],
    [put({ '': { S: 'x' }, a: nested(100) }), 'Empty attribute name'],
    [put({ a: { M: { '': { S: 'x' } } }, b: nested(100) }), nesting],
  ])('DB-171 %#', async (action, message) => {
    expect(await answer(fine, action)).toBe(validation(message));
  });

  test('the first faulty action in the order of the request, before any table is looked for', async () => {
    const bad = put({ pk: { N: 'abc' } }, 'missing');
    const worse = put({ pk: nested(100) }, 'missing');
    const numeric = validation('The parameter cannot be converted to a numeric value: abc');
    expect(await answer(bad, worse)).toBe(numeric);
    expect(await answer(worse, bad)).toBe(validation(nesting));
    expect(await answer(put({ pk: { S: 'a' } }, 'missing'), bad)).toBe(numeric);
    expect(await answer(put({ pk: { S: 'a' } }, 'missing'))).toBe(
      'ResourceNotFoundException: Requested resource not found',
    );
  });
});

describe('DB-119 the 4 MB of a transaction are what is sent', () => {
  const items = Array.from({ length: 50 }, (_, at) => ({ pk: { S: `large-${at}` }, b: { S: 'x'.repeat(99_990) } }));

  test('not what is deleted', async () => {
    for (const item of items) await putItem(services, { tableName: 'plain', item }, testContext);
    expect(await answer(...items.map(({ pk }) => ({ delete: plain(pk.S) })))).toBe('done');
    expect(await answer(...items.slice(0, 40).map((item) => put(item)))).toBe('done');
    const text = 'Transaction payload size cannot exceed 4MB. Payload Size: ';
    expect(await answer(...items.map((item) => put(item)))).toMatch(
      new RegExp(`^ValidationException: ${text}: ${text}5000[0-9]{3}$`),
    );
  });

  test('values of expressions count too', async () => {
    const updates = Array.from({ length: 50 }, (_, at): TransactWriteItem => ({
      update: {
        ...plain(`large-${at}`),
        updateExpression: 'SET b = if_not_exists(b, :v)',
        expressionAttributeValues: { ':v': { S: 'x'.repeat(99_990) } },
      },
    }));
    expect(await answer(...updates)).toMatch(/Transaction payload size cannot exceed 4MB/);
  });
});

test('names and values without an expression are accepted', async () => {
  const idle = {
    expressionAttributeNames: { '#n': 'n' },
    expressionAttributeValues: { ':v': { N: '1' } },
  };
  expect(
    await answer(
      { put: { tableName: 'plain', item: { pk: { S: 'idle' } }, ...idle } },
      { delete: { ...plain('x'), ...idle } },
    ),
  ).toBe('done');
  const get = { ...plain('none'), expressionAttributeNames: { '#n': 'n' } };
  expect(await transactGetItems(services, { transactItems: [{ get }] }, testContext)).toEqual({ responses: [{}] });
});

test('DB-179 a key that does not fit cancels a read, an empty one refuses it', async () => {
  const read = (key: UncheckedAttributeMap): Promise<unknown> =>
    transactGetItems(
      services,
      { transactItems: [{ get: plain('a') }, { get: { tableName: 'plain', key } }] },
      testContext,
    );
  for (const key of [{}, { pk: { N: '1' } }, { pk: { S: 'x'.repeat(2049) } }]) {
    await expect(read(key)).rejects.toThrow('reasons [None, ValidationError]');
  }
  expect(await refusal(read({ pk: { S: '' } }))).toBe(
    validation(`${emptyKey}The AttributeValue for a key attribute cannot contain an empty string value. Key: pk`),
  );
});

test('DB-036 a value that is only compared may be one level deeper', async () => {
  const compare = (wraps: number): TransactWriteItem => ({
    conditionCheck: {
      ...plain('there'),
      conditionExpression: 'a <> :v',
      expressionAttributeValues: { ':v': nested(wraps) },
    },
  });
  expect(await answer(compare(32))).toBe('done');
  expect(await answer(compare(33))).toContain(nesting);
});

describe('DB-180 capacity', () => {
  const consumed = async (request: TransactWriteItemsRequest): Promise<unknown> => {
    const { consumedCapacity } = await transactWriteItems(
      services,
      { ...request, returnConsumedCapacity: 'INDEXES' },
      testContext,
    );
    return consumedCapacity?.[0];
  };
  const written = (tableUnits: number): object => ({
    tableName: 'plain',
    capacityUnits: tableUnits,
    writeCapacityUnits: tableUnits,
    table: { capacityUnits: tableUnits, writeCapacityUnits: tableUnits },
  });
  const read = (units: number): object => ({
    tableName: 'plain',
    capacityUnits: units,
    readCapacityUnits: units,
    table: { capacityUnits: units, readCapacityUnits: units },
  });

  test('a write counts twice, its repetition as a read of what the first one met', async () => {
    const item = { pk: { S: 'size' }, b: { S: 'x'.repeat(9000) } };
    const request = (token: string, action: TransactWriteItem): TransactWriteItemsRequest => ({
      clientRequestToken: token,
      transactItems: [action],
    });
    expect(await consumed(request('put', put(item)))).toEqual(written(18));
    expect(await consumed(request('put', put(item)))).toEqual(read(6));
    expect(await consumed(request('delete', { delete: plain('size') }))).toEqual(written(18));
    expect(await consumed(request('delete', { delete: plain('size') }))).toEqual(read(6));
  });

  test('a condition counts as a write of the item it looks at, an index entry once', async () => {
    const check: TransactWriteItem = {
      conditionCheck: { ...plain('there'), conditionExpression: 'attribute_exists(pk)' },
    };
    expect(await consumed({ transactItems: [check] })).toEqual(written(2));
    const indexed = put({ pk: { S: 'a' }, sk: { S: 'capacity' }, score: { S: 'r' } }, 'indexed');
    expect(await consumed({ transactItems: [indexed] })).toEqual({
      tableName: 'indexed',
      capacityUnits: 5,
      writeCapacityUnits: 5,
      table: { capacityUnits: 2, writeCapacityUnits: 2 },
      localSecondaryIndexes: { localScore: { capacityUnits: 1, writeCapacityUnits: 1 } },
      globalSecondaryIndexes: {
        byScoreToo: { capacityUnits: 1, writeCapacityUnits: 1 },
        byScore: { capacityUnits: 1, writeCapacityUnits: 1 },
      },
    });
  });
});
