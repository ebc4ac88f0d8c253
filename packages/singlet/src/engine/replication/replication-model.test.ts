import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { createTable } from '../operations/create-table.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { putItem } from '../operations/put-item.ts';
import { scan } from '../operations/scan.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { updateTable } from '../operations/update-table.ts';
import { findInconsistencies } from '../testing/consistency.ts';
import { index, keys, onDemandTable, strings } from '../testing/table-requests.ts';
import { mapOf } from '../testing/test-engine.ts';
import { testServices, type TestServices } from '../testing/test-services.ts';
import { compareVersions, nextVersion, type Version } from '../catalog/item-version.ts';
import { replicate } from './replicate.ts';

const tableName = 'Table';
const accountId = '000000000000';
const regions = ['us-west-2', 'eu-west-1', 'us-east-1'] as const;
type Region = (typeof regions)[number];

interface Write {
  readonly kind: 'put' | 'update' | 'delete' | 'transact';
  readonly region: Region;
  readonly id: number;
  readonly value: number;
  /** How far the clock advances before it, in milliseconds; at zero or less, it is the same moment. */
  readonly afterMs: number;
}

interface Route {
  readonly kind: 'replicate';
  readonly from: Region;
  readonly to: Region;
}

/**
 * The plain model: in each region a map from item to the last write that it knows. Replication copies later writes. The model
 * shares only the order of versions with the engine.
 */
class Model {
  readonly known = new Map(regions.map((region) => [region, new Map<number, { version: Version; n?: number }>()]));
  #latest = new Map<number, { version: Version; n?: number }>();

  write({ kind, region, id, value }: Write, nowMs: number): void {
    const mine = this.known.get(region)!;
    const before = mine.get(id);
    if (kind === 'delete' && before?.n === undefined) return;
    const version = nextVersion(before?.version, nowMs, region);
    const after =
      kind === 'delete' ? { version } : { version, n: kind === 'update' ? (before?.n ?? 0) + value : value };
    mine.set(id, after);
    const latest = this.#latest.get(id);
    if (latest === undefined || compareVersions(version, latest.version) > 0) this.#latest.set(id, after);
  }

  replicate({ from, to }: Route): void {
    const theirs = this.known.get(to)!;
    for (const [id, state] of this.known.get(from)!) {
      const known = theirs.get(id);
      if (known === undefined || compareVersions(state.version, known.version) > 0) theirs.set(id, state);
    }
  }

  items(region: Region): Record<string, number> {
    return itemsOf(this.known.get(region)!);
  }

  /** The last of all writes of each item. */
  get outcome(): Record<string, number> {
    return itemsOf(this.#latest);
  }
}

function itemsOf(states: ReadonlyMap<number, { readonly n?: number }>): Record<string, number> {
  return Object.fromEntries([...states].flatMap(([id, { n }]) => (n === undefined ? [] : [[`item-${id}`, n]])));
}

async function itemsIn(services: TestServices, region: Region): Promise<Record<string, number>> {
  const { items = [] } = await scan(services, { tableName }, { accountId, region });
  return Object.fromEntries(
    items.map((item) => {
      const { PK, n } = mapOf(item) as { PK: { S: string }; n: { N: string } };
      return [PK.S, Number(n.N)];
    }),
  );
}

async function apply(services: TestServices, { kind, region, id, value }: Write): Promise<void> {
  const context = { accountId, region };
  const key: AttributeMap = { PK: { S: `item-${id}` }, SK: { S: 's' } };
  const item = { ...key, n: { N: String(value) }, ...(value % 2 === 0 && { owner: { S: `owner-${value % 3}` } }) };
  switch (kind) {
    case 'put':
      await putItem(services, { tableName, item }, context);
      break;
    case 'update': {
      const expressionAttributeValues = { ':n': { N: String(value) } };
      const updateExpression = 'ADD n :n';
      await updateItem(services, { tableName, key, updateExpression, expressionAttributeValues }, context);
      break;
    }
    case 'delete':
      await deleteItem(services, { tableName, key }, context);
      break;
    case 'transact':
      await transactWriteItems(services, { transactItems: [{ put: { tableName, item } }] }, context);
      break;
  }
}

async function globalTable(): Promise<TestServices> {
  const services = testServices();
  const table = onDemandTable({
    attributeDefinitions: strings('PK', 'SK', 'owner'),
    keySchema: keys('PK', 'SK'),
    globalSecondaryIndexes: [index('by-owner', 'owner')],
    localSecondaryIndexes: [index('by-owner-here', 'PK', 'owner')],
  });
  await createTable(services, table, { accountId, region: regions[0] });
  for (const regionName of regions.slice(1)) {
    const request = { tableName, replicaUpdates: [{ create: { regionName } }] };
    await updateTable(services, request, { accountId, region: regions[0] });
  }
  return services;
}

async function expectConsistent(services: TestServices): Promise<void> {
  for (const region of regions) {
    const table = await services.catalog.load({ accountId, region }, tableName);
    expect(await findInconsistencies(services.store, table!)).toEqual([]);
  }
}

const region = fc.constantFrom(...regions);
const write: fc.Arbitrary<Write> = fc.record({
  kind: fc.constantFrom<Write['kind']>('put', 'put', 'update', 'delete', 'transact'),
  region,
  id: fc.nat(4),
  value: fc.integer({ min: 1, max: 9 }),
  afterMs: fc.constantFrom(0, 0, 1, 1500),
});
const route: fc.Arbitrary<Route> = fc
  .record({ kind: fc.constant('replicate' as const), from: region, to: region })
  .filter(({ from, to }) => from !== to);

describe('writes in three regions, replicated in any order', () => {
  test('are in each region what a plain model says, and at last the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof({ weight: 2, arbitrary: write }, route), { maxLength: 60 }), async (steps) => {
        const services = await globalTable();
        const model = new Model();
        for (const step of steps) {
          if (step.kind === 'replicate') {
            await replicate(services, { from: step.from, to: step.to });
            model.replicate(step);
            expect(await itemsIn(services, step.to)).toEqual(model.items(step.to));
          } else {
            services.clock.advance(step.afterMs);
            await apply(services, step);
            model.write(step, services.clock.nowMs());
            expect(await itemsIn(services, step.region)).toEqual(model.items(step.region));
          }
        }
        await expectConsistent(services);
        for (let rounds = 0; !(await replicate(services)).isSettled; rounds++) expect(rounds).toBeLessThan(5);
        for (const name of regions) expect(await itemsIn(services, name)).toEqual(model.outcome);
        await expectConsistent(services);
        expect(services.logged).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('reach a region through another one when there is no other way', async () => {
    const services = await globalTable();
    const [west, ireland, east] = regions;
    await apply(services, { kind: 'put', region: west, id: 1, value: 7, afterMs: 0 });
    await replicate(services, { from: west, to: ireland });
    await replicate(services, { from: ireland, to: east });
    expect(await itemsIn(services, east)).toEqual({ 'item-1': 7 });
  });
});
