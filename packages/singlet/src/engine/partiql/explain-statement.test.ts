import { beforeAll, describe, expect, it } from 'vitest';
import { createdTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { explainStatement } from './explain-statement.ts';

let services: TestServices;
beforeAll(async () => {
  services = testServices();
  await createdTable(services, {
    tableName: 'Orders',
    keySchema: [
      { attributeName: 'pk', keyType: 'HASH' },
      { attributeName: 'sk', keyType: 'RANGE' },
    ],
    attributeDefinitions: [
      { attributeName: 'pk', attributeType: 'S' },
      { attributeName: 'sk', attributeType: 'S' },
      { attributeName: 'g', attributeType: 'N' },
    ],
    globalSecondaryIndexes: [
      {
        indexName: 'byG',
        keySchema: [{ attributeName: 'g', keyType: 'HASH' }],
        projection: { projectionType: 'ALL' },
      },
    ],
  });
});

/** One line for each read. */
async function plan(statement: string): Promise<readonly string[]> {
  const explained = await explainStatement(services, { statement }, testContext);
  if (explained.kind === 'write') return [`${explained.operation} ${JSON.stringify(explained.key)}`];
  return explained.reads.map(({ operation, keyConditions, filter }) => {
    const conditions = keyConditions.map(
      ({ attributeName, operator, operands }) =>
        `${attributeName} ${operator} ${operands.map((operand) => Object.values(operand).join('')).join('..')}`,
    );
    const source = explained.indexName === undefined ? '' : ` ${explained.indexName}`;
    const order = explained.scanIndexForward ? '' : ' backwards';
    return `${operation}${source}: ${conditions.join(', ')}${filter === undefined ? '' : ` | ${filter}`}${order}`;
  });
}

describe('what a statement would do', () => {
  it.each([
    ['SELECT * FROM Orders', ['Scan: ']],
    ["SELECT * FROM Orders WHERE a = 1 AND sk = 'x'", [`Scan:  | ("a" = 1 AND "sk" = 'x')`]],
    ["SELECT * FROM Orders WHERE pk = 'x'", ['Query: pk = x']],
    ["SELECT * FROM Orders WHERE pk = 'x' AND sk = 'y'", ['GetItem: pk = x, sk = y']],
    ["SELECT * FROM Orders WHERE a = 1 AND pk = 'x' AND sk = 'y'", ['GetItem: pk = x, sk = y | ("a" = 1)']],
    [
      "SELECT * FROM Orders WHERE pk = 'x' AND begins_with(sk, 'y') AND (a = 1 OR b = 2)",
      ['Query: pk = x, sk begins_with y | ("a" = 1 OR "b" = 2)'],
    ],
    ["SELECT * FROM Orders WHERE pk = 'x' AND sk BETWEEN 'a' AND 'b'", ['Query: pk = x, sk BETWEEN a..b']],
    ["SELECT * FROM Orders WHERE pk = 'x' ORDER BY sk DESC", ['Query: pk = x backwards']],
    [
      "SELECT * FROM Orders WHERE pk IN ['y', 'x'] AND sk IN ['2', '1']",
      ['GetItem: pk = x, sk = 1', 'GetItem: pk = x, sk = 2', 'GetItem: pk = y, sk = 1', 'GetItem: pk = y, sk = 2'],
    ],
    ["SELECT * FROM Orders WHERE pk = 'x' OR a = 1", [`Scan:  | ("pk" = 'x' OR "a" = 1)`]],
    ["SELECT * FROM Orders WHERE NOT pk = 'x'", [`Scan:  | (NOT "pk" = 'x')`]],
    ['SELECT * FROM Orders.byG WHERE g = 1 AND a = 2', ['Query byG: g = 1 | ("a" = 2)']],
    ["SELECT * FROM Orders.byG WHERE pk = 'x'", [`Scan byG:  | ("pk" = 'x')`]],
    [
      "SELECT * FROM Orders WHERE pk = 'x' AND NOT sk = '1' OR pk = 'x' AND sk = '2'",
      [`Query: pk = x | ("pk" = 'x' AND NOT "sk" = '1' OR "pk" = 'x' AND "sk" = '2')`],
    ],
    ["INSERT INTO Orders VALUE {'pk': 'x', 'sk': 'y', 'a': 1}", ['PutItem {"pk":{"S":"x"},"sk":{"S":"y"}}']],
    ["UPDATE Orders SET a = 1 WHERE pk = 'x' AND sk = 'y' AND b = 2", ['UpdateItem {"pk":{"S":"x"},"sk":{"S":"y"}}']],
    ["DELETE FROM Orders WHERE pk = 'x' AND sk = 'y'", ['DeleteItem {"pk":{"S":"x"},"sk":{"S":"y"}}']],
    [
      "EXISTS(SELECT * FROM Orders WHERE pk = 'x' AND sk = 'y' AND a = 1)",
      ['ConditionCheck {"pk":{"S":"x"},"sk":{"S":"y"}}'],
    ],
  ])('%s', async (statement, expected) => {
    expect(await plan(statement)).toEqual(expected);
  });
});
