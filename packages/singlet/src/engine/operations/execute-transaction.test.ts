import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TransactionCanceledException } from '../../values/service-error.ts';
import {
  compositeTable,
  hashTable,
  indexedTable,
  N,
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

async function transact(statements: readonly Statement[], more: object = {}): Promise<unknown> {
  const TransactStatements = statements.map((statement) =>
    typeof statement === 'string' ? { Statement: statement } : statement,
  );
  return client.db.request('ExecuteTransaction', { TransactStatements, ...more });
}

/** Codes and messages of the reasons for a cancelled transaction. */
async function reasons(statements: readonly Statement[]): Promise<readonly string[]> {
  try {
    await transact(statements);
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    return error.cancellationReasons.map(({ code, message }) => (message === undefined ? code : `${code}: ${message}`));
  }
  return [];
}

const mismatch = 'ValidationError: The provided key element does not match the schema';

describe('reads', () => {
  beforeAll(async () => {
    await client.put('Composite', { pk: S('keyed'), sk: S('1'), flag: S('right') }, { pk: S('keyed'), sk: S('2') });
  });
  const select = 'SELECT * FROM "Composite" WHERE';

  it('come from one snapshot, in request order', async () => {
    const answer = await transact(
      [
        `SELECT flag FROM "Composite" WHERE (sk='1') AND pk='keyed' AND pk='keyed'`,
        `${select} pk IN ['keyed'] AND sk IN ['2']`,
        `${select} pk='keyed' AND sk='none'`,
      ],
      { ReturnConsumedCapacity: 'TOTAL' },
    );
    expect(answer).toEqual({
      Responses: [{ Item: { flag: S('right') } }, { Item: { pk: S('keyed'), sk: S('2') } }, {}],
      ConsumedCapacity: [{ TableName: 'Composite', CapacityUnits: 6, ReadCapacityUnits: 6 }],
    });
  });

  const refused =
    'ValidationException: Validation failed in TransactStatements[0]: Select statements within ExecuteTransaction must specify the primary key in the where clause.';
  it.each([
    [`${select} pk='keyed' AND sk='1' AND flag='right'`, refused],
    [`${select} pk='keyed' AND sk='1' AND pk='reads'`, refused],
    [`${select} pk IN ['other'] AND pk='keyed' AND sk='1'`, refused],
    [`${select} pk='keyed'`, refused],
    [
      `${select} pk IN ['keyed','keyed'] AND sk='1'`,
      'ValidationException: Validation failed in TransactStatements[0]: Overlapping conditions with range keys are not supported in where clause',
    ],
    [
      `SELECT * FROM "Indexed"."gsi" WHERE g = 'x'`,
      'ValidationException: Validation failed in TransactStatements[0]: Reads on indices are not supported within transactions.',
    ],
    [
      'SELECT * FROM "Hash" WHERE',
      "ValidationException: Validation failed in TransactStatements[0]: Statement wasn't well formed, can't be processed: Unexpected term",
    ],
  ])('%s', async (statement, expected) => {
    expect(await problemOf(() => transact([statement]))).toBe(expected);
  });

  it('one item once, with the right types', async () => {
    expect(await problemOf(() => transact([`${select} pk='a' AND sk='1'`, `${select} sk='1' AND pk='a'`]))).toBe(
      'ValidationException: Transaction request cannot include multiple operations on one item',
    );
    expect(
      await reasons([`${select} pk='a' AND sk='1'`, `${select} pk='a' AND sk='1'`, `${select} pk=1 AND sk='1'`]),
    ).toEqual(['None', 'None', mismatch]);
  });
});

describe('writes', () => {
  it('happen together', async () => {
    await client.put('Hash', { pk: S('u') }, { pk: S('d') }, { pk: S('x'), free: S('y') });
    const answer = await transact(
      [
        `INSERT INTO "Hash" VALUE {'pk': 'i'}`,
        `UPDATE "Hash" SET ss = set_add(ss, <<'t'>>) WHERE pk = 'u' AND attribute_exists(pk)`,
        `DELETE FROM "Hash" WHERE pk = 'd'`,
        `EXISTS(SELECT * FROM "Hash" WHERE pk = 'x' AND Awards IS MISSING)`,
      ],
      { ReturnConsumedCapacity: 'TOTAL' },
    );
    expect(answer).toEqual({
      Responses: [],
      ConsumedCapacity: [{ TableName: 'Hash', CapacityUnits: 8, WriteCapacityUnits: 8 }],
    });
    expect(await client.items('SELECT * FROM "Hash" WHERE pk IN [?, ?, ?]', S('i'), S('u'), S('d'))).toEqual([
      { pk: S('i') },
      { pk: S('u'), ss: { SS: ['t'] } },
    ]);
  });

  it('or not at all, with a reason for each', async () => {
    await client.put('Hash', { pk: S('here'), a: N(1) });
    expect(
      await reasons([
        `INSERT INTO "Hash" VALUE {'pk': 'here'}`,
        `UPDATE "Hash" SET a = 1 WHERE pk = 'absent'`,
        `DELETE FROM "Hash" WHERE pk = 'absent2' AND a = 5`,
        `UPDATE "Hash" SET "touched" = 1 WHERE pk = 'other'`,
      ]),
    ).toEqual([
      'DuplicateItem: Duplicate primary key exists in table',
      'ConditionalCheckFailed: The conditional request failed',
      'None',
      'ConditionalCheckFailed: The conditional request failed',
    ]);
  });

  it('EXISTS checks one item', async () => {
    await client.put('Composite', { pk: S('x1'), sk: S('1') }, { pk: S('x3'), sk: S('1'), Awards: N(1) });
    const exists = (where: string): string => `EXISTS(SELECT * FROM "Composite" WHERE ${where})`;
    const update = `UPDATE "Composite" SET Touched=1 WHERE pk = 'x1' AND sk = '1'`;
    expect(await reasons([exists(`pk = 'x3' AND sk = '1' AND Awards IS MISSING`), update])).toEqual([
      'ConditionalCheckFailed: The conditional request failed',
      'None',
    ]);
    expect(await reasons([exists(`pk = 'x3' AND sk = '1' AND pk = 'other' AND Awards = 1`), update])).toEqual([
      'ConditionalCheckFailed: The conditional request failed',
      'None',
    ]);
    for (const where of [`pk = 'x1' AND sk = '1'`, `pk IN ['x1'] AND sk = '1' AND a = 1`, `pk = 'x1' AND a = 1`]) {
      expect(await problemOf(() => transact([exists(where), update]))).toBe(
        'ValidationException: Validation failed in TransactStatements[0]: EXISTS() must contain a single item read with additional condition',
      );
    }
    expect(await client.get('Composite', { pk: S('x1'), sk: S('1') })).toEqual({ pk: S('x1'), sk: S('1') });
  });

  it('hand back the item that was in the way when asked to', async () => {
    await client.put('Hash', { pk: S('old'), a: N(1) });
    await expect(
      transact([
        {
          Statement: `UPDATE "Hash" SET a = 2 WHERE pk = 'old' AND a = 5`,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      ]),
    ).rejects.toMatchObject({ cancellationReasons: [{ item: { pk: S('old'), a: N(1) } }] });
  });

  it('a repeated request does nothing and counts as a read', async () => {
    await client.put('Hash', { pk: S('token'), n: N(1) });
    const request = [`UPDATE "Hash" SET n = n + 1 WHERE pk = 'token'`];
    const more = { ClientRequestToken: 'once', ReturnConsumedCapacity: 'TOTAL' };
    await transact(request, more);
    expect(await transact(request, more)).toEqual({
      Responses: [],
      ConsumedCapacity: [{ TableName: 'Hash', CapacityUnits: 2, ReadCapacityUnits: 2 }],
    });
    expect(await client.get('Hash', { pk: S('token') })).toEqual({ pk: S('token'), n: N(2) });
    expect(await problemOf(() => transact([`UPDATE "Hash" SET n = 9 WHERE pk = 'token'`], more))).toContain(
      'IdempotentParameterMismatchException',
    );
  });
});

describe('what is wrong, in order', () => {
  const missing = `UPDATE "nowhere" SET a=1 WHERE pk='x'`;
  const update = `UPDATE "Hash" SET a=1 WHERE pk='present'`;
  const unreadable = { Statement: `UPDATE "Hash" SET a = ? WHERE pk = 'x'`, Parameters: [{ SS: ['a', 'a'] }] };
  it.each([
    [
      'parameters first, without a place',
      [missing, 'SLECT', unreadable],
      'Input collection [a, a] contains duplicates.',
    ],
    ['then texts', [missing, 'SELECT'], 'Validation failed in TransactStatements[1]: Statement'],
    [
      'then reads and writes mixed',
      [`SELECT * FROM "nowhere" WHERE pk='x'`, update],
      'ExecuteTransaction API does not support both read and write operations in the same request.',
    ],
    [
      'then RETURNING, where there is a table',
      [missing, `${update} RETURNING ALL NEW *`],
      'Validation failed in TransactStatements[1]: RETURNING clause is not supported in ExecuteTransaction.',
    ],
    [
      'then indexes, where there is a table',
      [`SELECT * FROM "nowhere" WHERE pk='x'`, `SELECT * FROM "Hash"."idx" WHERE pk='x'`],
      'Validation failed in TransactStatements[1]: Reads on indices are not supported within transactions.',
    ],
  ])('%s', async (_, statements, expected) => {
    expect(await problemOf(() => transact(statements))).toContain(expected);
  });

  it('then missing tables', async () => {
    const notFound = 'ResourceNotFound: Requested resource not found';
    expect(await reasons([`${missing} RETURNING ALL NEW *`, `DELETE FROM "nowhere" WHERE pk='y'`])).toEqual([
      notFound,
      notFound,
    ]);
    expect(await reasons([update, missing])).toEqual(['None', notFound]);
  });

  it('then keys, of all statements', async () => {
    const composite = 'UPDATE "Composite" SET a=1 WHERE';
    const found = await reasons([
      `${composite} pk='keys'`,
      `${composite} pk IN ['keys'] AND sk='1'`,
      `${composite} pk='keys' AND sk='1' AND pk='other'`,
      `${composite} pk='keys' AND sk=1`,
      `${composite} pk='keys' AND sk='1'`,
      `INSERT INTO "Composite" VALUE {'pk':'keys-insert'}`,
      `DELETE FROM "Composite" WHERE sk='1'`,
    ]);
    expect(found).toEqual([
      mismatch,
      mismatch,
      expect.stringContaining('ValidationError'),
      mismatch,
      'None',
      'ValidationError: One or more parameter values were invalid: Missing the key sk in the item',
      mismatch,
    ]);
  });

  it('is bounded', async () => {
    expect(await problemOf(() => transact([]))).toContain('Member must have length greater than or equal to 1');
    const many = Array.from({ length: 101 }, (_, index) => `SELECT * FROM "Hash" WHERE pk = '${index}'`);
    expect(await problemOf(() => transact(many))).toContain('Member must have length less than or equal to 100');
    expect(await problemOf(() => transact(many.slice(1)))).toBe('accepted');
  });
});
