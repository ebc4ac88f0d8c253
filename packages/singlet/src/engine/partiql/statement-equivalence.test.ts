import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConditionalCheckFailedException, DynamoError } from '../../values/service-error.ts';
import { indexedTable, type Item, N, openPartiqlClient, type PartiqlClient, S } from './testing/partiql-client.ts';

/* A statement gives the same answer as the equivalent request of the API, however it was planned. */

let client: PartiqlClient;
beforeAll(async () => {
  client = await openPartiqlClient();
  await client.table('Tab', indexedTable);
  for (const pk of ['p', 'q', 'r']) {
    for (const sk of ['1', '2', '3', '4']) {
      const n = pk.charCodeAt(0) + Number(sk);
      await client.put('Tab', {
        pk: S(pk),
        sk: S(sk),
        ...(n % 2 === 0 && { g: S(n % 4 === 0 ? 'x' : 'y'), h: S(sk) }),
        ...(n % 3 === 0 ? { a: N(n % 5) } : n % 3 === 1 ? { a: S(`v${sk}`) } : {}),
        m: { M: { b: N(Number(sk)) } },
        l: S(sk),
      });
    }
  }
});
afterAll(() => client.db.close());

/** A condition in both languages. */
interface Condition {
  readonly partiql: string;
  readonly expression: string;
}

const literals: readonly (readonly [string, string, object])[] = [
  ["'1'", ':s1', S('1')],
  ["'3'", ':s3', S('3')],
  ["'p'", ':p', S('p')],
  ["'q'", ':q', S('q')],
  ["'x'", ':x', S('x')],
  ["'v2'", ':v2', S('v2')],
  ['0', ':n0', N(0)],
  ['2', ':n2', N(2)],
];

const nameArbitrary = fc.constantFrom('pk', 'sk', 'g', 'a', 'm.b', 'absent');
const literalArbitrary = fc.constantFrom(...literals);
const aliased = (name: string): string =>
  name
    .split('.')
    .map((part) => `#${part}`)
    .join('.');

const simpleArbitrary: fc.Arbitrary<Condition> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(nameArbitrary, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), literalArbitrary)
      .map(([name, operator, [text, placeholder]]) => ({
        partiql: `${name} ${operator} ${text}`,
        expression: `${aliased(name)} ${operator} ${placeholder}`,
      })),
  },
  fc.tuple(nameArbitrary, fc.uniqueArray(literalArbitrary, { minLength: 1, maxLength: 3 })).map(([name, values]) => ({
    partiql: `${name} IN [${values.map(([text]) => text).join(', ')}]`,
    expression: `${aliased(name)} IN (${values.map(([, placeholder]) => placeholder).join(', ')})`,
  })),
  nameArbitrary.map((name) => ({
    partiql: `${name} IS MISSING`,
    expression: `attribute_not_exists(${aliased(name)})`,
  })),
  nameArbitrary.map((name) => ({ partiql: `${name} IS STRING`, expression: `attribute_type(${aliased(name)}, :S)` })),
  nameArbitrary.map((name) => ({
    partiql: `begins_with(${name}, 'v')`,
    expression: `begins_with(${aliased(name)}, :v)`,
  })),
  nameArbitrary.map((name) => ({ partiql: `size(${name}) > 0`, expression: `size(${aliased(name)}) > :n0` })),
  nameArbitrary.map((name) => ({
    partiql: `${name} BETWEEN '1' AND '3'`,
    expression: `${aliased(name)} BETWEEN :s1 AND :s3`,
  })),
);

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    simpleArbitrary,
    fc
      .tuple(tie('condition'), fc.constantFrom('AND', 'AND', 'OR'), tie('condition'))
      .map(([left, operator, right]) => ({
        partiql: `(${left.partiql}) ${operator} (${right.partiql})`,
        expression: `(${left.expression}) ${operator} (${right.expression})`,
      })),
    tie('condition').map(({ partiql, expression }) => ({
      partiql: `NOT (${partiql})`,
      expression: `NOT (${expression})`,
    })),
  ),
}));

const placeholders: Readonly<Record<string, object>> = {
  ...Object.fromEntries(literals.map(([, placeholder, value]) => [placeholder, value])),
  ':S': S('S'),
  ':v': S('v'),
};

/** The names and values that an expression uses, and no others. */
function used(expression: string): object {
  const names = [...new Set(expression.match(/#\w+/g))];
  const values = [...new Set(expression.match(/:\w+/g))];
  return {
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [name, name.slice(1)])),
    ...(values.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(values.map((name) => [name, placeholders[name]])),
    }),
  };
}

const sorted = (items: readonly Item[]): readonly string[] => items.map((item) => JSON.stringify(item)).toSorted();

const keysOf = (items: readonly Item[]): readonly Item[] =>
  items.map((item) => ({ pk: item['pk']!, sk: item['sk']!, l: item['l']! }));

/** Errors that only statements have: about key types, overlaps, unprojected attributes. */
const ownRefusals = /^(Key |Overlapping|One or more parameter values were invalid: Secondary index)/;

describe('the same answer', () => {
  it.each(['Tab', 'Tab.all', 'Tab.gsi', 'Tab.lsi'])('SELECT from %s and Scan with a filter', async (source) => {
    const [TableName, IndexName] = source.split('.');
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(condition, fc.boolean(), async ({ partiql, expression }, byPages) => {
        const scan = (await client.db.request('Scan', {
          TableName,
          ...(IndexName !== undefined && { IndexName }),
          FilterExpression: expression,
          ...used(expression),
        })) as { Items: readonly Item[] };
        // A filter of Scan on a local index sees the whole item; that of a statement sees the index entry.
        if (IndexName === 'lsi' && /\b(g|a|m|absent)\b/.test(partiql)) return;
        const statement = `SELECT * FROM ${IndexName === undefined ? 'Tab' : `Tab."${IndexName}"`} WHERE ${partiql}`;
        try {
          const items: Item[] = [];
          let NextToken: string | undefined;
          do {
            const page = await client.answer(statement, {
              ...(byPages && { Limit: 2 }),
              ...(NextToken && { NextToken }),
            });
            items.push(...page.Items);
            ({ NextToken } = page);
          } while (NextToken !== undefined);
          // Also, selecting everything in a Scan on a local index returns the whole item.
          const shown = IndexName === 'lsi' ? keysOf(scan.Items) : scan.Items;
          expect(sorted(items), statement).toEqual(sorted(shown));
          answered += 1;
        } catch (error) {
          if (!(error instanceof DynamoError) || !ownRefusals.test(error.message)) throw error;
        }
      }),
      { numRuns: 300 },
    );
    expect(answered).toBeGreaterThan(30);
  });

  it('UPDATE and UpdateItem with a condition', async () => {
    const actions: readonly (readonly [string, string])[] = [
      ["SET a = 'x', n = 2", 'SET #a = :x, #n = :n2'],
      ['SET a = m.b + 2', 'SET #a = #m.#b + :n2'],
      ['REMOVE a REMOVE m.b', 'REMOVE #a, #m.#b'],
      ['SET m.c = sk SET a = size2', 'SET #m.#c = #sk, #a = #size2'],
    ];
    await fc.assert(
      fc.asyncProperty(
        condition,
        fc.constantFrom(...actions),
        async ({ partiql, expression }, [partiqlActions, update]) => {
          const before: Item = { pk: S('w'), sk: S('1'), a: N(1), m: { M: { b: N(5) } } };
          const outcome = async (send: () => Promise<unknown>): Promise<unknown> => {
            await client.put('Tab', before);
            const problem = await send().then(
              () => 'done',
              (error: unknown) => (error instanceof DynamoError ? error.message : error),
            );
            return [
              typeof problem === 'string' ? problem.replace('1 validation error detected: ', '') : problem,
              await client.get('Tab', { pk: S('w'), sk: S('1') }),
            ];
          };
          const viaApi = await outcome(() =>
            client.db.request('UpdateItem', {
              TableName: 'Tab',
              Key: { pk: S('w'), sk: S('1') },
              UpdateExpression: update,
              ConditionExpression: expression,
              ...used(`${update} ${expression}`),
            }),
          );
          const viaStatement = await outcome(() =>
            client.answer(`UPDATE Tab ${partiqlActions} WHERE pk = 'w' AND sk = '1' AND (NOT (NOT (${partiql})))`),
          );
          expect(viaStatement).toEqual(viaApi);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('DELETE and DeleteItem with a condition', async () => {
    await fc.assert(
      fc.asyncProperty(condition, async ({ partiql, expression }) => {
        const key = { pk: S('z'), sk: S('1') };
        const request = { TableName: 'Tab', Key: key, ConditionExpression: expression, ...used(expression) };
        const isDone = async (send: () => Promise<unknown>): Promise<boolean> => {
          await client.put('Tab', { ...key, a: N(2) });
          try {
            await send();
            return true;
          } catch (error) {
            if (!(error instanceof ConditionalCheckFailedException)) throw error;
            return false;
          }
        };
        const viaApi = await isDone(() => client.db.request('DeleteItem', request));
        const viaStatement = await isDone(() =>
          client.answer(`DELETE FROM Tab WHERE pk = 'z' AND sk = '1' AND (NOT (NOT (${partiql})))`),
        );
        expect(viaStatement).toBe(viaApi);
      }),
      { numRuns: 200 },
    );
    await client.db.request('DeleteItem', { TableName: 'Tab', Key: { pk: S('z'), sk: S('1') } });
  });
});
