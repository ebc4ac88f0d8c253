import { describe, expect, it } from 'vitest';
import { faultOf, type Operation, replyOf, wireCallOf } from './operations.ts';
import { operationsOf } from './requests.ts';
import { scenarioNames, scenarios } from './scenarios.ts';
import { itemOf, itemsPerPartition, type TableSpec, type WireObject } from './workload.ts';

const table: TableSpec = { name: 'Bench', itemCount: 1000, itemBytes: 1024, indexCount: 0, stream: false };

const changed = (reply: WireObject, change: (copy: Record<string, unknown>) => unknown): WireObject => {
  const copy = JSON.parse(JSON.stringify(reply)) as Record<string, unknown>;
  change(copy);
  return copy;
};

describe('what is asked', () => {
  it.each(scenarioNames)('%s: a reply as it should be has no fault', (scenario) => {
    for (const operation of operationsOf({ scenario, table, countMax: 20 }).slice(0, 20)) {
      const call = wireCallOf(operation, table);
      expect(JSON.stringify(call.input)).toContain('"Bench"');
      expect(faultOf(operation, table, replyOf(operation, table))).toBeUndefined();
    }
  });

  it.each(scenarioNames)('%s: every process draws the same, and only items that exist', (scenario) => {
    const ring = { scenario, table, countMax: 2000 };
    const operations = operationsOf(ring);
    expect(operationsOf(ring)).toEqual(operations);
    expect(operations.length % scenarios[scenario].restEvery).toBe(0);
    const items = operations.flatMap(itemsOf);
    expect(items.every((item) => Number.isSafeInteger(item) && item >= 0 && item < table.itemCount)).toBe(true);
  });

  it('reads ranges that are in one partition', () => {
    for (const scenario of ['query', 'query-200', 'filter'] as const) {
      for (const operation of operationsOf({ scenario, table, countMax: 500 })) {
        const [first = 0, last = 0] = [itemsOf(operation)[0], itemsOf(operation).at(-1)];
        expect(Math.floor(first / itemsPerPartition)).toBe(Math.floor(last / itemsPerPartition));
      }
    }
  });

  it('puts every item back that it deletes, before it rests', () => {
    const operations = operationsOf({ scenario: 'delete', table, countMax: 2000 });
    const { restEvery } = scenarios.delete;
    for (let start = 0; start < operations.length; start += restEvery) {
      const block = operations.slice(start, start + restEvery);
      const deleted = block.flatMap((each) => (each.kind === 'delete' ? [each.item] : []));
      const put = block.flatMap((each) => (each.kind === 'put' ? [each.item] : []));
      expect(new Set(deleted).size).toBe(restEvery / 2);
      expect(put).toEqual(deleted);
    }
  });

  it('mixes four reads with a write, and asks for some items again and again', () => {
    const operations = operationsOf({ scenario: 'mixed', table: { ...table, itemCount: 100_000 }, countMax: 5000 });
    const writes = operations.filter(({ kind }) => kind === 'put').length;
    expect(writes / operations.length).toBeGreaterThan(0.17);
    expect(writes / operations.length).toBeLessThan(0.23);
    // Uniform draws of 5,000 from 100,000 would name about 4,880 different ones.
    expect(new Set(operations.flatMap(itemsOf)).size).toBeLessThan(4000);
  });
});

describe('a fault', () => {
  const get: Operation = { kind: 'get', item: 7 };
  const query: Operation = { kind: 'query', first: 20, count: 20 };
  const batch: Operation = { kind: 'batch-get', items: [1, 2, 3] };

  it('is an item that is missing, another, or with another attribute; not one of a later version', () => {
    expect(faultOf(get, table, {})).toBe('item 7 is missing');
    expect(faultOf(get, table, { Item: itemOf(table, 8) })).toMatch(/item 7 has another SK/);
    const { Note: _note, ...less } = itemOf(table, 7);
    expect(faultOf(get, table, { Item: less })).toMatch(/other attributes/);
    expect(faultOf(get, table, { Item: { ...itemOf(table, 7), Note: { S: 'x' } } })).toMatch(/another Note/);
    expect(faultOf(get, table, { Item: itemOf(table, 7, 9) })).toBeUndefined();
  });

  it('is not the order of attributes or of the members of a set', () => {
    const item = Object.fromEntries(Object.entries(itemOf(table, 7)).toReversed());
    expect(faultOf(get, table, { Item: { ...item, Tags: { SS: ['insured', 'express', 'gift'] } } })).toBeUndefined();
    expect(faultOf(get, table, { Item: { ...item, Tags: { SS: ['insured', 'express'] } } })).toMatch(/another Tags/);
  });

  it('is a query that has too few items, or the wrong order', () => {
    const reply = replyOf(query, table);
    expect(
      faultOf(
        query,
        table,
        changed(reply, (copy) => (copy['Items'] as unknown[]).pop()),
      ),
    ).toMatch(/19 items/);
    expect(
      faultOf(
        query,
        table,
        changed(reply, (copy) => (copy['Items'] = (copy['Items'] as unknown[]).toReversed())),
      ),
    ).toMatch(/item 20/);
    expect(faultOf(query, table, {})).toBe('the reply has no items');
  });

  it('is a batch that lacks an item, whatever their order; and one that leaves writes over', () => {
    const reply = replyOf(batch, table);
    const responses = (copy: WireObject): unknown[] => (copy['Responses'] as Record<string, unknown[]>)['Bench'] ?? [];
    expect(
      faultOf(
        batch,
        table,
        changed(reply, (copy) => responses(copy).push(responses(copy).shift())),
      ),
    ).toBeUndefined();
    expect(
      faultOf(
        batch,
        table,
        changed(reply, (copy) => responses(copy).shift()),
      ),
    ).toMatch(/item 1 is missing/);
    const write: Operation = { kind: 'batch-write', items: [1], version: 1 };
    expect(faultOf(write, table, { UnprocessedItems: { Bench: [] } })).toMatch(/unprocessed/);
  });

  it('is a page of a scan that has an item twice, or is short in the middle', () => {
    const scan: Operation = { kind: 'scan', after: 3 };
    const reply = replyOf(scan, table);
    const short = changed(reply, (copy) => (copy['Items'] as unknown[]).pop());
    expect(faultOf(scan, table, short)).toMatch(/499 items/);
    const { LastEvaluatedKey: _key, ...last } = short;
    expect(faultOf(scan, table, last)).toBeUndefined();
    const twice = changed(reply, (copy) =>
      (copy['Items'] as unknown[]).splice(0, 2, itemOf(table, 9), itemOf(table, 9)),
    );
    expect(faultOf(scan, table, twice)).toMatch(/twice/);
  });
});

function itemsOf(operation: Operation): number[] {
  switch (operation.kind) {
    case 'transact':
    case 'batch-get':
    case 'batch-write':
      return [...operation.items];
    case 'query':
      return Array.from({ length: operation.count }, (_, offset) => operation.first + offset);
    case 'filter':
      return Array.from({ length: itemsPerPartition }, (_, offset) => operation.first + offset);
    case 'scan':
      return [operation.after];
    case 'get':
    case 'put':
    case 'update':
    case 'delete':
      return [operation.item];
  }
}
