import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check, type TenantPolicy, tenantPolicy } from '../src/check/index.ts';
import type { BuiltRequest } from '../src/run/context.ts';
import { connect, entity, InputError, type Model, model, ready } from '../src/index.ts';

const separators = z.string().regex(/^[^#]+$/);

const desk = model('desk')
  .entities({
    Agent: entity({ tenantId: z.string(), agentId: z.string(), email: z.email() }, { unique: ['email'] }),
    Ticket: entity({ tenantId: z.string(), ticketId: z.string(), agentId: z.string() }),
    Plan: entity({ planId: z.string(), price: z.number() }),
  })
  .relationships([['Agent', '1:N', 'Ticket']])
  .patterns({
    hire: { creates: 'Agent' },
    agent: { reads: 'Agent', by: ['tenantId', 'agentId'] },
    tickets: { reads: ['Ticket'], by: ['tenantId', 'agentId'], limit: 10 },
    plan: { reads: 'Plan', by: ['planId'] },
  })
  .tables({
    Desk: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] }, tenant: 'tenantId' },
  })
  .keys(
    {
      Agent: { Desk: ['T#{tenantId}', 'AGENT#{agentId}'] },
      Ticket: {
        Desk: ['T#{tenantId}#TICKET#{ticketId}', 'TICKET'],
        GSI1: ['T#{tenantId}#AGENT#{agentId}', 'TICKET#{ticketId}'],
      },
      Plan: { Desk: ['PLAN#{planId}', 'PLAN'] },
    },
    {
      Agent: { unique: { email: { key: ['T#{tenantId}#EMAIL#{email}', 'EMAIL'] } } },
      Plan: { accepts: { 'no-tenant': 'plans are the same for all' } },
    },
  )
  .served({
    hire: 'TransactWriteItems',
    agent: 'GetItem',
    tickets: { query: 'GSI1' },
    plan: 'GetItem',
  });

describe('a table of tenants', () => {
  test('is accepted where each key begins with the tenant, and what is shared is said so', () => {
    expect(check(desk).findings.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('has a policy for the items of one tenant: by table and index, without scans', () => {
    const arn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/desk-production';
    const options = { tag: 'team', account: '123456789012', region: 'eu-west-1', tables: { Desk: 'desk-production' } };
    expect(tenantPolicy(desk, options)).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'OwnItemsOfDesk',
          Effect: 'Allow',
          Action: [
            'dynamodb:BatchGetItem',
            'dynamodb:BatchWriteItem',
            'dynamodb:ConditionCheckItem',
            'dynamodb:DeleteItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:Query',
            'dynamodb:UpdateItem',
          ],
          Resource: arn,
          Condition: {
            'ForAllValues:StringLike': {
              'dynamodb:LeadingKeys': [
                'T#${aws:PrincipalTag/team}',
                'T#${aws:PrincipalTag/team}#EMAIL#*',
                'T#${aws:PrincipalTag/team}#TICKET#*',
              ],
            },
          },
        },
        {
          Sid: 'OwnItemsOfDeskGSI1',
          Effect: 'Allow',
          Action: ['dynamodb:Query'],
          Resource: `${arn}/index/GSI1`,
          Condition: {
            'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['T#${aws:PrincipalTag/team}#AGENT#*'] },
          },
        },
      ],
    });
  });

  test.each([
    [
      'the guard of a unique value',
      { Agent: { unique: { email: { key: ['EMAIL#{email}', 'EMAIL'] } } } },
      {},
      'storage.Agent.unique.email',
    ],
    [
      'an index',
      {},
      { Ticket: { Desk: desk.keys.Ticket.Desk, GSI1: ['AGENT#{agentId}#{tenantId}', 'TICKET#{ticketId}'] } },
      'keys.Ticket.GSI1',
    ],
    ['an encoder', {}, { Ticket: { Desk: ['T#{tenantId:lower}#TICKET#{ticketId}', 'TICKET'] } }, 'keys.Ticket.Desk'],
    ['what is shared among them', {}, { Plan: { Desk: ['T#ALL', 'PLAN#{planId}'] } }, 'keys.Plan.Desk'],
    [
      'a value that another key continues',
      {},
      {
        Agent: { Desk: ['{tenantId}', 'AGENT#{agentId}'] },
        Ticket: { ...desk.keys.Ticket, Desk: ['{tenantId}#TICKET#{ticketId}', 'TICKET'] },
      },
      // A key that is the tenant alone may have the separator, so that no other key may rely on its absence.
      'storage.Agent.unique.email keys.Ticket.Desk keys.Plan.Desk keys.Ticket.GSI1',
    ],
    [
      'a prefix that a tenant could have',
      {},
      { Agent: { Desk: ['T{tenantId}', 'AGENT#{agentId}'] } },
      'keys.Agent.Desk',
    ],
  ])('is refused for %s without the tenant in front', (_, storage, keys, path) => {
    const wrong = { ...desk, storage: { ...desk.storage, ...storage }, keys: { ...desk.keys, ...keys } } as Model;
    expect(
      check(wrong)
        .findings.filter(({ code }) => code === 'tenant-not-leading')
        .map((each) => each.path),
    ).toEqual(path.split(' '));
    expect(() => tenantPolicy(wrong)).toThrow('does not begin with its tenant');
  });

  const letters = z.string().regex(/^[a-z]+$/);
  const threeLetters = z.string().regex(/^[a-z]{3}$/);

  test.each([
    [
      'of any length in one entity, and of three letters in another',
      letters,
      threeLetters,
      ['T#{tenantId}#', 'T#{tenantId}{id}'],
    ],
    ['that is the whole key of one entity', letters, threeLetters, ['T#{tenantId}', 'T#{tenantId}{id}']],
    ['with separators, in another entity', z.string(), letters, ['{tenantId}', '{tenantId}#X#{id}']],
  ])('is refused for a tenant %s', (_, one, other, [first, second]) => {
    const wrong = model('two')
      .entities({ One: entity({ tenantId: one, id: letters }), Two: entity({ tenantId: other, id: letters }) })
      .relationships([])
      .patterns({ putOne: { puts: 'One' }, putTwo: { puts: 'Two' } })
      .tables({ Both: { key: ['PK', 'SK'], tenant: 'tenantId' } })
      // The compiler infers templates only from literals.
      .keys({ One: { Both: [first, 'ONE#{id}'] }, Two: { Both: [second, 'TWO#{id}'] } } as never)
      .served({ putOne: 'PutItem', putTwo: 'PutItem' });
    expect(check(wrong).findings.map(({ code }) => code)).toContain('tenant-not-leading');
  });

  test('is refused where an index relies on a separator that the primary key allows in a tenant', () => {
    const wrong = model('two')
      .entities({ One: entity({ tenantId: z.string(), id: letters, kind: letters.optional() }) })
      .relationships([])
      .patterns({ putOne: { puts: 'One' } })
      .tables({ Both: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] }, tenant: 'tenantId' } })
      .keys({ One: { Both: ['{tenantId}', 'ONE#{id}'], GSI1: ['T#{tenantId}#x#{kind}#{id}', '{id}'] } })
      .served({ putOne: 'PutItem' });
    const codes = (of: Model): string[] => check(of).findings.map(({ code }) => code);
    expect(codes(wrong as unknown as Model)).toContain('tenant-not-leading');
  });

  test('needs a tenant for a policy', () => {
    const { key, indexes } = desk.tables.Desk;
    const without: Model = { ...desk, tables: { Desk: { key, indexes } } };
    expect(() => tenantPolicy(without)).toThrow('no table declares a tenant');
  });
});

/*
 * Random models and the keys that they write for two tenants. Where `check` accepts a model, the policy of a tenant allows each of its
 * own keys and none of the other's.
 */
const models = Number(process.env['TENANT_MODELS'] ?? 1000);
const prefix = fc.constantFrom('', '', 'T', 'T#', 'A', 'A#', 'T#A', 'T#A#');
const tail = fc
  .tuple(
    fc.constantFrom(...repeated(8, '{tenantId}'), '{tenantId:rest}', '{tenantId:lower}', '{itemId}#{tenantId}'),
    fc.constantFrom(
      ...repeated(4, ''),
      ...repeated(3, '#X#{itemId}'),
      '#',
      '##',
      '#X',
      '#{itemId}',
      '#{kind}',
      'X{itemId}',
      '{itemId}',
      '{kind}',
    ),
  )
  .map((all) => all.join(''));
const templates = fc
  .tuple(prefix, prefix, fc.integer({ min: 0, max: 3 }), tail, tail)
  .map(([one, other, same, first, second]) => [one + first, (same > 0 ? one : other) + second] as const);

function repeated(count: number, text: string): readonly string[] {
  return Array.from({ length: count }, () => text);
}

const tenantSchemas = {
  text: z.string(),
  letters: z.string().regex(/^[a-z]+$/),
  coded: separators,
  few: z.enum(['A', 'AA', 'T', 'TA', '#', 'A#']),
  number: z.int().min(0),
  either: z.union([z.string(), z.number()]),
  fixed: z.string().length(2),
};
const schemaName = fc.constantFrom(...(Object.keys(tenantSchemas) as (keyof typeof tenantSchemas)[]));
/** Those of two entities, which may differ. */
const schemas = fc
  .tuple(schemaName, schemaName, fc.boolean())
  .map(([one, other, same]) => [one, same ? one : other] as const);
const tenants = fc.oneof(
  fc.constantFrom('A', 'A', 'AA', 'T', 'TA', 'a', 'aa', 'ab', 'A#X#1'),
  fc.constantFrom('T#', '#', 'A#', 'A#X', 'A#X#1', 'AX1', 'AX', 'A1', 'A##', '*', '?', '', '1'),
  fc.integer({ min: 0, max: 12 }),
);
const items = fc.constantFrom('1', 'X', 'A', 'a', '*', '#X', 'X#1');

/** Compares as `StringLike` does, with the value of a variable as literal text. */
function allows(pattern: string, tenant: string, key: string): boolean {
  const source = pattern
    .split(/(\$\{[^}]*\}|\*)/)
    .map((part) => (part === '*' ? '.*' : escaped(part.startsWith('${aws:') ? tenant : part)))
    .join('');
  return new RegExp(`^${source}$`, 's').test(key);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

function partitionPatterns({ Statement }: TenantPolicy): readonly string[] {
  return Statement.flatMap(({ Condition }) => Condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? []);
}

test('no accepted model has a key of one tenant that the policy of another allows', async () => {
  const client = new DynamoDBClient({ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  let accepted = 0;
  let compared = 0;
  const run = async (
    [one, two]: readonly [string, string],
    [schema, other]: readonly [keyof typeof tenantSchemas, keyof typeof tenantSchemas],
    calls: readonly (readonly [unknown, unknown])[],
  ): Promise<void> => {
    const rest = { itemId: z.string(), kind: z.enum(['A', 'T']) };
    const random = model('random')
      .entities({
        One: entity({ tenantId: tenantSchemas[schema], ...rest }),
        Two: entity({ tenantId: tenantSchemas[other], ...rest }),
      })
      .relationships([])
      .patterns({ putOne: { puts: 'One' }, putTwo: { puts: 'Two' } })
      .tables({ Both: { key: ['PK', 'SK'], tenant: 'tenantId' } })
      // The compiler infers templates only from literals.
      .keys({ One: { Both: [one, 'ONE#{itemId}'] }, Two: { Both: [two, 'TWO#{itemId}'] } } as never)
      .served({ putOne: 'PutItem', putTwo: 'PutItem' });
    if (check(random).findings.some(({ code }) => /tenant/.test(code))) return;
    accepted += 1;
    const patterns = partitionPatterns(tenantPolicy(random));
    const db = await ready(connect(random, { client }));
    const keys = calls.flatMap(([tenantId, itemId]) =>
      [db.putOne, db.putTwo].flatMap((put) => {
        try {
          const [request] = put.request({ tenantId, itemId, kind: 'T' } as never) as readonly BuiltRequest[];
          const { PK } = (request as BuiltRequest).input['Item'] as { readonly PK: { readonly S: string } };
          return [{ tenantId, key: PK.S }];
        } catch (error) {
          if (error instanceof InputError) return []; // refused by the schema, or because of the separator
          throw error;
        }
      }),
    );
    for (const { tenantId, key } of keys) {
      for (const other of keys) {
        const allowed = patterns.some((pattern) => allows(pattern, String(other.tenantId), key));
        compared += 1;
        // An assertion for each of the comparisons takes longer than all else.
        if (allowed !== (tenantId === other.tenantId))
          expect.fail(JSON.stringify({ key, tenantId, other: other.tenantId, patterns, allowed }));
      }
    }
  };
  await fc.assert(
    fc.asyncProperty(templates, schemas, fc.array(fc.tuple(tenants, items), { minLength: 4, maxLength: 24 }), run),
    { numRuns: models },
  );
  expect(accepted).toBeGreaterThan(models / 40);
  expect(compared).toBeGreaterThan(models * 3);
});
