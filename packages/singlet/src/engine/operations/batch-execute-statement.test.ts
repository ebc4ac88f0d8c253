import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  compositeTable,
  hashTable,
  indexedTable,
  openPartiqlClient,
  type PartiqlClient,
  problemOf,
  S,
} from '../partiql/testing/partiql-client.ts';

let client: PartiqlClient;
beforeAll(async () => {
  client = await openPartiqlClient();
  await client.table('Hash', hashTable);
  await client.table('Composite', compositeTable);
  await client.table('Indexed', indexedTable);
});
afterAll(() => client.db.close());

type Statement = string | { readonly Statement: string; readonly [member: string]: unknown };

async function batch(statements: readonly Statement[], more: object = {}): Promise<Record<string, unknown>> {
  const Statements = statements.map((statement) =>
    typeof statement === 'string' ? { Statement: statement } : statement,
  );
  return (await client.db.request('BatchExecuteStatement', { Statements, ...more })) as Record<string, unknown>;
}

const invalid = (Message: string): object => ({ Error: { Code: 'ValidationError', Message } });
const keyRefused = 'Select statements within BatchExecuteStatement must specify the primary key in the where clause.';

describe('reads', () => {
  it('answers come in request order, each with its table', async () => {
    await client.put('Hash', { pk: S('1'), data: S('one') }, { pk: S('2'), data: S('two') });
    const answer = await batch(
      [
        `SELECT * FROM "Hash" WHERE pk = '2'`,
        { Statement: 'SELECT data FROM "Hash" WHERE pk = ?', Parameters: [S('1')], ConsistentRead: true },
        `SELECT * FROM "Hash" WHERE pk = 'none'`,
      ],
      { ReturnConsumedCapacity: 'TOTAL' },
    );
    expect(answer).toEqual({
      Responses: [
        { TableName: 'Hash', Item: { pk: S('2'), data: S('two') } },
        { TableName: 'Hash', Item: { data: S('one') } },
        { TableName: 'Hash' },
      ],
      ConsumedCapacity: [{ TableName: 'Hash', CapacityUnits: 2 }],
    });
  });

  it('what is wrong with one statement shows in its place', async () => {
    await client.put('Composite', { pk: S('ranges'), sk: S('1'), flag: S('one') });
    const select = 'SELECT sk FROM "Composite" WHERE';
    const values = Array.from({ length: 51 }, (_, index) => `'v${index}'`).join(',');
    const { Responses } = await batch([
      `${select} pk IN ['ranges'] AND sk='1'`,
      `${select} pk='ranges' AND sk='1' AND flag='one'`,
      `${select} pk='ranges' AND sk='1' AND pk='other'`,
      `${select} pk='ranges'`,
      `${select} pk IN [${values}] AND sk='1'`,
      `SELECT * FROM "Indexed"."gsi" WHERE g = 'a'`,
      `SELECT * FROM "Indexed"."multi" WHERE g = 'a'`,
      `SLECT * FROM "Hash" WHERE pk = '1'`,
      `SELECT * FROM "Hash" WHERE`,
      `SELECT * FROM "nowhere" WHERE pk = 'x'`,
      { Statement: `SELECT * FROM "Hash" WHERE pk = ?`, Parameters: [{ N: 'abc' }] },
      `EXISTS(SELECT * FROM "Hash" WHERE pk = 'x' AND a IS MISSING)`,
    ]);
    const malformed = "Statement wasn't well formed, can't be processed: ";
    expect(Responses).toEqual([
      { TableName: 'Composite', Item: { sk: S('1') } },
      invalid(keyRefused),
      invalid(keyRefused),
      invalid(keyRefused),
      invalid('Too many decomposed read operations for a given query.'),
      invalid(keyRefused),
      invalid(
        'PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.',
      ),
      invalid(`${malformed}Expected data manipulation`),
      invalid(`${malformed}Unexpected term`),
      { Error: { Code: 'ResourceNotFound', Message: 'Requested resource not found' } },
      invalid('The parameter cannot be converted to a numeric value: abc'),
      invalid('EXISTS can only be used in ExecuteTransaction write requests.'),
    ]);
  });
});

describe('writes', () => {
  it('each is independent', async () => {
    await client.put('Hash', { pk: S('u'), data: S('before') }, { pk: S('d'), data: S('gone') }, { pk: S('dup') });
    const { Responses } = await batch([
      `INSERT INTO "Hash" VALUE {'pk': 'i', 'data': 'new'}`,
      `UPDATE "Hash" SET data = 'after' WHERE pk = 'u' RETURNING MODIFIED NEW *`,
      `DELETE FROM "Hash" WHERE pk = 'd' RETURNING ALL OLD *`,
      `INSERT INTO "Hash" VALUE {'pk': 'dup'}`,
      { Statement: `UPDATE "Hash" SET a = 1 WHERE pk = 'absent'`, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
      `DELETE FROM "Hash" WHERE pk = 'x' RETURNING MODIFIED OLD *`,
    ]);
    expect(Responses).toEqual([
      { TableName: 'Hash' },
      { TableName: 'Hash', Item: { data: S('after') } },
      { TableName: 'Hash', Item: { pk: S('d'), data: S('gone') } },
      { TableName: 'Hash', Error: { Code: 'DuplicateItem', Message: 'Duplicate primary key exists in table' } },
      { TableName: 'Hash', Error: { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' } },
      invalid(
        'Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed in DELETE statements.',
      ),
    ]);
    expect(await client.get('Hash', { pk: S('i') })).toEqual({ pk: S('i'), data: S('new') });
  });

  it('a false condition hands back the item when asked to', async () => {
    await client.put('Hash', { pk: S('c'), a: S('x') });
    const { Responses } = await batch([
      {
        Statement: `UPDATE "Hash" SET a = 'z' WHERE pk = 'c' AND a = 'y'`,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    ]);
    expect(Responses).toEqual([
      {
        TableName: 'Hash',
        Error: {
          Code: 'ConditionalCheckFailed',
          Message: 'The conditional request failed',
          Item: { pk: S('c'), a: S('x') },
        },
      },
    ]);
  });

  it('an empty projection is not an item', async () => {
    await client.put('Hash', { pk: S('e'), data: S('old') });
    const { Responses } = await batch([`UPDATE "Hash" REMOVE data WHERE pk = 'e' RETURNING MODIFIED NEW *`]);
    expect(Responses).toEqual([{ TableName: 'Hash' }]);
  });
});

describe('the request as a whole', () => {
  it.each([
    [
      [`SELECT * FROM "Hash" WHERE pk = 'a'`, `DELETE FROM "Hash" WHERE pk = 'b'`],
      'ValidationException: BatchExecuteStatement API does not support both read and write operations in the same request.',
    ],
    [
      [`SELECT * FROM "Hash" WHERE pk = 'a'`, `SELECT pk FROM "Hash" WHERE pk IN ['a']`],
      'ValidationException: Provided list of item keys contains duplicates',
    ],
    [
      [`DELETE FROM "Hash" WHERE pk = 'a'`, `INSERT INTO "Hash" VALUE {'pk': 'a'}`],
      'ValidationException: Provided list of item keys contains duplicates',
    ],
  ])('%j', async (statements, expected) => {
    expect(await problemOf(() => batch(statements))).toBe(expected);
  });

  it('is bounded', async () => {
    expect(await problemOf(() => batch([]))).toContain('Member must have length greater than or equal to 1');
    const many = Array.from({ length: 26 }, (_, index) => `SELECT * FROM "Hash" WHERE pk = '${index}'`);
    expect(await problemOf(() => batch(many))).toContain('Member must have length less than or equal to 25');
    expect(await problemOf(() => batch([`SELECT * FROM "Hash" WHERE pk = '${'x'.repeat(8192)}'`]))).toContain(
      'Member must have length less than or equal to 8192',
    );
  });
});
