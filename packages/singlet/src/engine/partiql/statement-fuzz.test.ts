import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  compositeTable,
  indexedTable,
  openPartiqlClient,
  type PartiqlClient,
  problemOf,
} from './testing/partiql-client.ts';

/* Whatever the request, the answer is one that the service could give: `problemOf` throws for anything else. */

let client: PartiqlClient;
beforeAll(async () => {
  client = await openPartiqlClient();
  await client.table('Tab', compositeTable);
  await client.table('Indexed', indexedTable);
});
afterAll(() => client.db.close());

const operand = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('pk', 'sk', 'a', 'a.b[0]', 'g', 'l', '"x y"') },
  {
    weight: 3,
    arbitrary: fc.constantFrom("'1'", "''", '1', '-1e3', 'true', 'null', '?', '[1]', '<<1>>', "{'a': 1}", '<<>>'),
  },
  fc.constantFrom('size(a)', 'attribute_exists(a)', 'size(1)', 'nope(a)', 'a + 1', '- a', 'MISSING', '(a = 1)'),
);
const simple = fc.oneof(
  fc.tuple(operand, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), operand).map((parts) => parts.join(' ')),
  fc.tuple(operand, operand, operand).map(([a, b, c]) => `${a} BETWEEN ${b} AND ${c}`),
  fc.tuple(operand, fc.array(operand, { maxLength: 4 })).map(([a, list]) => `${a} IN [${list.join(', ')}]`),
  fc
    .tuple(operand, fc.constantFrom('MISSING', 'NULL', 'STRING', 'LIST', 'INT'))
    .map(([a, type]) => `${a} IS NOT ${type}`),
  fc
    .tuple(fc.constantFrom('begins_with', 'contains', 'attribute_type'), operand, operand)
    .map(([name, a, b]) => `${name}(${a}, ${b})`),
  fc.constantFrom("pk = '1'", "sk = '1'", "pk = '1' AND sk = '1'", "g = '1'", 'pk = ?', "pk IN ['1', '2']", "sk > '0'"),
);
const { where } = fc.letrec<{ where: string }>((tie) => ({
  where: fc.oneof(
    { maxDepth: 3 },
    simple,
    fc
      .tuple(tie('where'), fc.constantFrom('AND', 'OR'), tie('where'))
      .map(([a, operator, b]) => `(${a}) ${operator} ${b}`),
    tie('where').map((inner) => `NOT (${inner})`),
  ),
}));
const source = fc.constantFrom(
  'Tab',
  '"Indexed"',
  'Indexed.gsi',
  'Indexed."all"',
  'Indexed.lsi',
  'Indexed.multi',
  'nowhere',
  'Tab.x',
);
const action = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'a.b', 'l', 'pk', 'g', 's'), operand).map(([name, value]) => `SET ${name} = ${value}`),
  fc.constantFrom(
    'REMOVE a',
    'REMOVE a.b[0]',
    "SET s = set_add(s, <<'1'>>)",
    'SET s = set_delete(s, ?)',
    'SET l = list_append(l, ?)',
  ),
);
const returning = fc.constantFrom('', '', ' RETURNING ALL OLD *', ' RETURNING MODIFIED NEW *');
const statement = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('*', 'a, pk', 'a.b[0]', 'count(*)', 'a, a'),
      source,
      where,
      fc.constantFrom('', ' ORDER BY sk', ' ORDER BY pk DESC'),
    )
    .map(([columns, from, condition, order]) => `SELECT ${columns} FROM ${from} WHERE ${condition}${order}`),
  fc
    .tuple(source, fc.array(action, { minLength: 1, maxLength: 3 }), where, returning)
    .map(([from, actions, condition, end]) => `UPDATE ${from} ${actions.join(' ')} WHERE ${condition}${end}`),
  fc.tuple(source, where, returning).map(([from, condition, end]) => `DELETE FROM ${from} WHERE ${condition}${end}`),
  fc
    .tuple(source, operand, operand)
    .map(([into, a, b]) => `INSERT INTO ${into} VALUE {'pk': ${a}, 'sk': '1', 'a': ${b}}`),
  fc.tuple(source, where).map(([from, condition]) => `EXISTS(SELECT * FROM ${from} WHERE ${condition})`),
);

const value = fc.oneof(
  fc.constantFrom<object>(
    { S: '1' },
    { N: '1' },
    { N: 'x' },
    { NULL: true },
    { SS: ['1'] },
    { SS: [] },
    { L: [{ S: '' }] },
    { M: {} },
    {},
    { B: 'AA==' },
  ),
);

/** Usually as many parameters as there are question marks. */
function parametersFor(text: string, values: readonly object[]): object {
  const count = text.split('?').length - 1;
  const parameters = Array.from(
    { length: count },
    (_, index) => values[index % Math.max(values.length, 1)] ?? { S: '1' },
  );
  return parameters.length === 0 ? {} : { Parameters: parameters };
}

describe('nothing but the errors of the service', () => {
  it('ExecuteStatement', async () => {
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(statement, fc.array(value), fc.constantFrom(undefined, 1, 3), async (text, values, Limit) => {
        const outcome = await problemOf(() =>
          client.answer(text, { ...parametersFor(text, values), ...(Limit && { Limit }) }),
        );
        outcomes.add(outcome.split(':')[0] ?? '');
      }),
      { numRuns: 3000 },
    );
    expect(outcomes).toContain('accepted');
    expect(outcomes).toContain('ValidationException');
  });

  it.each([
    ['BatchExecuteStatement', 'Statements'],
    ['ExecuteTransaction', 'TransactStatements'],
  ])('%s', async (actionName, member) => {
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 4 }), fc.array(value), async (texts, values) => {
        const statements = texts.map((text) => ({ Statement: text, ...parametersFor(text, values) }));
        await problemOf(() => client.db.request(actionName, { [member]: statements }));
      }),
      { numRuns: 1000 },
    );
  });
});
