import { describe, expect, test } from 'vitest';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { putItem } from '../operations/put-item.ts';
import { query, type QueryRequest } from '../operations/query.ts';
import type { PageResult } from '../operations/page-request.ts';
import { scan } from '../operations/scan.ts';
import { createdTable, mapOf, rankedKey } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';

const tableName = 'long';
const itemCount = 200;
const sortKeyAt = (at: number): string => String(at).padStart(4, '0');
const keyAt = (at: number): AttributeMap => ({ pk: { S: 'p' }, sk: { S: sortKeyAt(at) } });

/** A table whose partition `p` holds items 0 to 199. */
async function openTable(): Promise<TestServices> {
  const services = testServices();
  await createdTable(services, { tableName, ...rankedKey });
  for (let at = 0; at < itemCount; at += 1) {
    const item = { ...keyAt(at), rank: { N: String(at) }, text: { S: at % 3 === 0 ? 'fizz' : 'buzz' } };
    await putItem(services, { tableName, item }, testContext);
  }
  return services;
}

/** The same services on a machine so slow that every turn is over when the clock is read; counts the turns that are given up. */
function onSlowMachine(services: TestServices): { readonly slow: TestServices; readonly turns: () => number } {
  let nowMs = services.clock.nowMs();
  let turnCount = 0;
  const { atPause } = services.tasks;
  services.tasks.atPause = async () => {
    turnCount += 1;
    await atPause?.();
  };
  const clock = { nowMs: () => (nowMs += 10) };
  return { slow: { ...services, environment: { ...services.environment, clock } }, turns: () => turnCount };
}

const wholeCollection: QueryRequest = {
  tableName,
  keyConditionExpression: 'pk = :pk',
  expressionAttributeValues: { ':pk': { S: 'p' } },
};

const sortKeysOf = ({ items = [] }: PageResult): readonly string[] =>
  items.map((item) => {
    const sk = mapOf(item)?.['sk'];
    return sk !== undefined && 'S' in sk ? sk.S : '';
  });

/** The content of a page, regardless of the memory that holds its items. */
const wireOf = (page: PageResult): unknown => JSON.parse(JSON.stringify(page));

describe('a page that takes long', () => {
  test.each<[string, Partial<QueryRequest>]>([
    ['forwards', {}],
    ['backwards', { scanIndexForward: false }],
    ['with a limit', { limit: 77 }],
    ['backwards with a limit', { limit: 77, scanIndexForward: false }],
    ['with a limit at the end of a turn', { limit: 48 }],
    ['within bounds', { exclusiveStartKey: keyAt(150), scanIndexForward: false }],
    ['with a filter', { filterExpression: '#t = :t', expressionAttributeNames: { '#t': 'text' } }],
    ['through an index', { indexName: 'byRank', select: 'ALL_ATTRIBUTES' }],
    ['through an index, backwards', { indexName: 'byRank', select: 'ALL_ATTRIBUTES', scanIndexForward: false }],
  ])('is read in turns, and is the same page: %s', async (_, more) => {
    const services = await openTable();
    const values = more.filterExpression === undefined ? {} : { ':t': { S: 'fizz' } };
    const request: QueryRequest = {
      ...wholeCollection,
      ...more,
      expressionAttributeValues: { ':pk': { S: 'p' }, ...values },
    };
    const atOnce = await query(services, request, testContext);
    const { slow, turns } = onSlowMachine(services);
    expect(wireOf(await query(slow, request, testContext))).toEqual(wireOf(atOnce));
    expect(turns()).toBeGreaterThanOrEqual(Math.floor(atOnce.scannedCount / 16) - 2);
    expect(turns()).toBeGreaterThan(0);
  });

  test('is read at once where there is time for it', async () => {
    const services = await openTable();
    let turnCount = 0;
    services.tasks.atPause = () => void (turnCount += 1);
    expect((await scan(services, { tableName }, testContext)).scannedCount).toBe(itemCount);
    expect(turnCount).toBe(0);
  });

  test('ends a turn by the work that its filter was, whatever the clock says', async () => {
    const services = await openTable();
    for (let at = 0; at < 3; at += 1) {
      const item = { pk: { S: 'large' }, sk: { S: String(at) }, text: { S: 'a'.repeat(330_000) } };
      await putItem(services, { tableName, item }, testContext);
    }
    let turnCount = 0;
    services.tasks.atPause = () => void (turnCount += 1);
    const conditions = Array.from({ length: 20 }, (_, at) => `contains(#t, :n${at})`);
    const page = await query(
      services,
      {
        tableName,
        keyConditionExpression: 'pk = :pk',
        filterExpression: conditions.join(' OR '),
        expressionAttributeNames: { '#t': 'text' },
        expressionAttributeValues: {
          ':pk': { S: 'large' },
          ...Object.fromEntries(conditions.map((_, at) => [`:n${at}`, { S: `aab${at}` }])),
        },
      },
      testContext,
    );
    expect(page).toMatchObject({ count: 0, scannedCount: 3 });
    expect(turnCount).toBe(3);
  });

  test('sees what others do meanwhile behind the place that it has come to, and no item twice', async () => {
    const services = await openTable();
    services.tasks.atPause = async () => {
      services.tasks.atPause = undefined;
      await deleteItem(services, { tableName, key: keyAt(3) }, testContext);
      await deleteItem(services, { tableName, key: keyAt(15) }, testContext); // the last that was read
      await deleteItem(services, { tableName, key: keyAt(100) }, testContext);
      await putItem(services, { tableName, item: { pk: { S: 'p' }, sk: { S: '0120a' } } }, testContext);
    };
    let nowMs = 0;
    const clock = { nowMs: () => (nowMs += 3) };
    const slow = { ...services, environment: { ...services.environment, clock } };
    const found = sortKeysOf(await query(slow, wholeCollection, testContext));
    expect(found).toHaveLength(new Set(found).size);
    expect(found).toContain('0003');
    expect(found).not.toContain('0100');
    expect(found).toContain('0120a');
    expect(found).toHaveLength(itemCount);
  });

  test('notices that its table is deleted', async () => {
    const services = await openTable();
    services.tasks.atPause = async () => {
      services.tasks.atPause = undefined;
      await deleteTable(services, { tableName }, testContext);
    };
    const { slow } = onSlowMachine(services);
    await expect(query(slow, wholeCollection, testContext)).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});
