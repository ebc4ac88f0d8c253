import { anyString, messageContaining, oneOf } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, CAPTURED_2026, docs, DYNALITE, LOCALSTACK } from '../sources.ts';
import { batchWrite, call, deleteRequest, get, items, putRequest, scan } from '../steps.ts';
import { hashTable, rangeTable } from '../tables.ts';
import { N, S } from '../values.ts';

const BATCH_WRITE = docs('API_BatchWriteItem');
const key = (n: number | string) => ({ pk: S(String(n)) });
const done = { UnprocessedItems: {} };

export const batchWriteRows: readonly Row[] = [
  row('batch-write/puts-and-deletes', 'DB-150 DB-148', BATCH_WRITE, {
    table: hashTable,
    items: [
      { ...key(1), a: N(1) },
      { ...key(2), a: N(2) },
    ],
    steps: [
      batchWrite([
        putRequest({ ...key(1), b: N(9) }),
        deleteRequest(key(2)),
        putRequest(key(3)),
        deleteRequest(key(4)),
      ]).gives(done),
      get(key(1)).gives({ Item: { ...key(1), b: N(9) } }),
      get(key(2)).gives({}),
      get(key(3)).gives({ Item: key(3) }),
    ],
  }),
  row('batch-write/several-tables', 'DB-150', LOCALSTACK, {
    tables: { T: hashTable, U: rangeTable },
    steps: [
      call('BatchWriteItem', {
        RequestItems: { $T: [putRequest(key(1))], $U: [putRequest({ pk: S('x'), sk: S('y') })] },
      }).gives(done),
      get(key(1)).gives({ Item: key(1) }),
      get({ pk: S('x'), sk: S('y') }, { TableName: '$U' }).gives({ Item: { pk: S('x'), sk: S('y') } }),
    ],
  }),
  row('batch-write/twenty-five', 'DB-150 DB-118', BATCH_WRITE, {
    table: hashTable,
    steps: [
      batchWrite(Array.from({ length: 25 }, (_, n) => putRequest(key(n)))).gives(done),
      scan({ Select: 'COUNT' }).gives({ Count: 25, ScannedCount: 25 }),
    ],
  }),
  row('batch-write/twenty-six', 'DB-150 DB-118', CAPTURED_2026, {
    table: hashTable,
    steps: [
      batchWrite(Array.from({ length: 26 }, (_, n) => putRequest(key(n)))).invalid(
        messageContaining(
          "at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]",
        ),
      ),
      scan().gives(items()),
    ],
  }),
  row('batch-write/twenty-six-in-two-tables', 'DB-150 DB-118', DYNALITE, {
    tables: { T: hashTable, U: hashTable },
    steps: [
      call('BatchWriteItem', {
        RequestItems: { $T: Array.from({ length: 25 }, (_, n) => putRequest(key(n))), $U: [putRequest(key(1))] },
      }).invalid('Too many items requested for the BatchWriteItem call'),
      scan().gives(items()),
    ],
  }),
  row('batch-write/same-key-twice', 'DB-150', CAPTURED_2026, {
    table: hashTable,
    steps: [
      batchWrite([putRequest(key(1)), deleteRequest(key(1))]).invalid('Provided list of item keys contains duplicates'),
      batchWrite([putRequest({ ...key(1), a: N(1) }), putRequest({ ...key(1), a: N(2) })]).invalid(
        'Provided list of item keys contains duplicates',
      ),
      scan().gives(items()),
    ],
  }),
  row('batch-write/one-invalid-item-refuses-all', 'DB-150', BATCH_WRITE, {
    table: hashTable,
    steps: [
      batchWrite([putRequest(key(1)), putRequest({ ...key(2), a: N('x') })]).invalid(
        'The parameter cannot be converted to a numeric value: x',
      ),
      batchWrite([putRequest(key(1)), putRequest({ a: N(1) })]).invalid(
        'The provided key element does not match the schema',
      ),
      scan().gives(items()),
    ],
  }),
  row('batch-write/no-conditions', 'DB-150 DB-221', BATCH_WRITE, {
    table: hashTable,
    items: [{ ...key(1), a: N(1) }],
    steps: [
      // This parameter does not exist, so it is ignored.
      batchWrite([{ PutRequest: { Item: key(1), ConditionExpression: 'attribute_not_exists(pk)' } }]).gives(done),
      get(key(1)).gives({ Item: key(1) }),
    ],
  }),
  row('batch-write/no-updates', 'DB-150 DB-151', DYNALITE, {
    table: hashTable,
    steps: [batchWrite([{ UpdateRequest: { Key: key(1), UpdateExpression: 'SET a = :a' } }]).invalid(anyString)],
  }),
  row('batch-write/put-and-delete-in-one-request', 'DB-150', ALTERNATOR, {
    table: hashTable,
    steps: [batchWrite([{ ...putRequest(key(1)), ...deleteRequest(key(2)) }]).invalid(anyString)],
  }),
  row('batch-write/still-by-key', 'DB-151', CAPTURED_2026, {
    table: rangeTable,
    steps: [
      batchWrite([deleteRequest({ pk: S('x') })]).invalid('The provided key element does not match the schema'),
      batchWrite([putRequest({ pk: S('x') })]).invalid('The provided key element does not match the schema'),
      batchWrite([putRequest({ pk: S('x'), sk: N(1) })]).invalid('The provided key element does not match the schema'),
      batchWrite([putRequest({ pk: S('x'), sk: S('') })]).invalid(
        'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: sk',
      ),
    ],
  }),
  row('batch-write/one-table-of-two-is-missing', 'DB-150 DB-275', CAPTURED_2026, {
    table: hashTable,
    steps: [
      call('BatchWriteItem', { RequestItems: { $T: [putRequest(key(1))], $U: [putRequest(key(1))] } }).fails(
        'ResourceNotFoundException',
        'Requested resource not found',
      ),
      scan().gives(items()),
    ],
  }),
  row('batch-write/no-request', 'DB-150 DB-273', `${CAPTURED_2026}; classic text recorded by dynalite`, {
    steps: [
      call('BatchWriteItem', { RequestItems: {} }).invalid(
        oneOf(
          "Value '{}' at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
          'The requestItems parameter is required for BatchWriteItem',
          messageContaining('equestItems'),
        ),
      ),
    ],
  }),
  row('batch-write/no-return-values', 'DB-150 DB-184', BATCH_WRITE, {
    table: hashTable,
    items: [{ ...key(1), a: N(1) }],
    steps: [batchWrite([putRequest(key(1))], { ReturnValues: 'ALL_OLD' }).gives(done)],
  }),
];
