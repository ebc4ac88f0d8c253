/** Reads each form of a request back as the query that it was made from, for random queries. Rejections give a reason. */
import * as fc from 'fast-check';
import { createDatabase, type Database } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import type { TableDescription } from '../wire/table-description.ts';
import { createShop } from '../../test/shop-table.ts';
import { type BuiltQuery, builtOf, type Filter, filterOperators, requestOf, sortTermOperators } from './built-query.ts';
import { readRequestText } from './read-request-text.ts';
import { requestForms, requestText } from './request-text.ts';

let database: Database;
let table: TableDescription;

beforeAll(async () => {
  database = await createDatabase();
  await createShop(database, 30);
  const { Table } = (await database.request('DescribeTable', { TableName: 'Shop' })) as { Table: TableDescription };
  table = Table;
});
afterAll(async () => await database.close());

const text = fc.constantFrom(
  'ORDER#1VrgXBQ00000001',
  "it's",
  'a "b" )',
  '',
  ' ( ',
  'Omaha',
  '-- x',
  '\\',
  "\\'",
  'ACCEPTED',
  '𝄞',
);
const number = fc.constantFrom('0', '-1.5', '42', '0.5', '12345678901234567890123456789012345678', '1E-130');
const scalar: fc.Arbitrary<AttributeValue> = fc.oneof(
  text.map((S) => ({ S })),
  number.map((N) => ({ N })),
);
const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  scalar,
  fc.constantFrom<AttributeValue>({ BOOL: true }, { NULL: true }, { SS: ["it's", 'b'] }, { NS: ['1', '2.5'] }),
  fc.constantFrom<AttributeValue>(
    { L: [{ S: 'a' }, { NULL: true }] },
    { M: { "o'k": { N: '1' }, b: { BOOL: false } } },
  ),
);
const attribute = fc.constantFrom(
  'Status',
  'Amount',
  'ShippedTo.City',
  'Tags[0].x',
  '"a.b"',
  '"with ""quotes"""',
  '"Order"',
  'size',
);
const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc
    .record({
      attribute,
      operator: fc.constantFrom(...filterOperators),
      first: value,
      second: scalar,
      texts: fc.array(scalar, { minLength: 1, maxLength: 3 }),
      type: fc.constantFrom('S', 'N', 'M'),
    })
    .map(({ attribute: name, operator, first, second, texts, type }): Filter => {
      if (operator === 'exists' || operator === 'not exists') return { attribute: name, operator, values: [] };
      if (operator === 'type') return { attribute: name, operator, values: [{ S: type }] };
      if (operator === 'begins_with') return { attribute: name, operator, values: [{ S: 'x' }] };
      if (operator === 'between') return { attribute: name, operator, values: [second, second] };
      if (operator === 'in') return { attribute: name, operator, values: texts };
      if (['<', '<=', '>', '>='].includes(operator)) return { attribute: name, operator, values: [second] };
      return { attribute: name, operator, values: [first] };
    }),
  fc.constantFrom<Filter>(
    { expression: `"Status" = 'OPEN' OR "Amount" > 5` },
    { expression: `size("Tags") > 2` },
    { expression: `NOT ("Amount" BETWEEN 1 AND 2 OR "Note" = ' AND ')` },
  ),
);
const built: fc.Arbitrary<BuiltQuery> = fc
  .record({
    isIndex: fc.boolean(),
    partition: fc.option(
      text.filter((each) => each !== ''),
      { nil: undefined },
    ),
    sortOperator: fc.option(fc.constantFrom(...sortTermOperators), { nil: undefined }),
    sortTexts: fc.tuple(text, text),
    filters: fc.array(filter, { maxLength: 3 }),
    projection: fc.uniqueArray(attribute, { maxLength: 3 }),
    isDescending: fc.boolean(),
    isConsistent: fc.boolean(),
    limit: fc.option(fc.integer({ min: 1, max: 500 }), { nil: undefined }),
  })
  .map(({ isIndex, partition, sortOperator, sortTexts, ...rest }) => ({
    ...rest,
    index: isIndex ? 'GSI1' : undefined,
    partition: partition === undefined ? undefined : { S: partition },
    sort:
      partition === undefined || sortOperator === undefined
        ? undefined
        : {
            operator: sortOperator,
            values: (sortOperator === 'between' ? [...sortTexts].sort() : [sortTexts[0]]).map((S) => ({ S })),
          },
    isDescending: partition !== undefined && rest.isDescending,
  }));

const sortKeys = { undefined: 'SK', GSI1: 'GSI1SK' } as const;

describe('a built query', () => {
  test('WB-37: every form is read back as what it was made from', () => {
    fc.assert(
      fc.property(built, fc.constantFrom(...requestForms), (query, { form }) => {
        const { operation, input } = requestOf(table, query);
        const sortKey = sortKeys[query.index === undefined ? 'undefined' : 'GSI1'];
        const written = requestText(form, operation, input, { endpoint: 'http://x', sortKey });
        const read = readRequestText(form, written, table, query);
        expect(requestOf(table, read)).toEqual({ operation, input });
      }),
      { numRuns: 500 },
    );
  });

  test('WB-35: every query that the builder makes is one that the database takes', async () => {
    await fc.assert(
      fc.asyncProperty(built, async (query) => {
        const { operation, input } = requestOf(table, query);
        try {
          await database.request(operation, input);
        } catch (error) {
          // The service rejects these by its rules, not by its grammar.
          expect(String(error)).toMatch(
            /empty string|Strongly consistent|consistent reads|overlap|Filter Expression can only|upper bound|Invalid FilterExpression: The (function|operand|BETWEEN)|Incorrect operand|must not be empty/i,
          );
        }
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    ['request', '{', /JSON/],
    ['request', '{"TableName":"Other"}', /builder shows Shop/],
    ['request', '{"TableName":"Shop","Segment":1}', /no field for Segment/],
    [
      'request',
      '{"TableName":"Shop","KeyConditionExpression":"PK = :a OR PK = :a","ExpressionAttributeValues":{":a":{"S":"x"}}}',
      /equality/,
    ],
    ['request', '{"TableName":"Shop","KeyConditionExpression":"PK = :a"}', /:a is not in/],
    [
      'request',
      '{"TableName":"Shop","KeyConditionExpression":"PK = :a","ExpressionAttributeValues":{":a":{"N":"1"}}}',
      /of type S/,
    ],
    ['sdk', "client.send(new PutItemCommand({ TableName: 'Shop' }));", /not PutItem/],
    ['sdk', 'new QueryCommand({ TableName: name })', /at “name/],
    ['cli', 'aws s3 ls', /must be aws dynamodb/],
    ['partiql', `UPDATE "Shop" SET "a" = 1 WHERE "PK" = 'x'`, /must be SELECT/],
    ['partiql', `SELECT * FROM "Shop" WHERE "PK" IN ['a', 'b']`, /one value of PK/],
    ['partiql', `SELECT * FROM "Shop" WHERE "PK" = ?`, /write the value|one value/],
    ['partiql', `SELECT * FROM "Shop"."Nope"`, /no index Nope/],
    ['partiql', `SELECT * FROM "Shop" LIMIT 3`, /WHERE or ORDER BY/],
  ] as const)('WB-37: %s %s says why not', (form, typed, why) => {
    const known = builtOf(table, { TableName: 'Shop' });
    expect(() => requestOf(table, readRequestText(form, typed, table, known))).toThrow(why);
  });
});
