import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ValidationException } from '../../values/service-error.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { putItem } from '../operations/put-item.ts';
import { updateItem } from '../operations/update-item.ts';
import { updateTable } from '../operations/update-table.ts';
import { firstDataSpace, spaceStart } from '../layout/spaces.ts';
import { onDemandTable } from '../testing/table-requests.ts';
import { createdTable, inconsistencies, presentTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { found, vectorIndex, vectorOf } from '../testing/vector-tables.ts';

const tableName = 'Table';
const create = { tableName, vectorIndexUpdates: [{ create: vectorIndex() }] };
const remove = { tableName, vectorIndexUpdates: [{ delete: { indexName: 'vectors' } }] };

async function put(services: TestServices, id: number, x: number): Promise<void> {
  await putItem(services, { tableName, item: { PK: { S: `item-${id}` }, v: vectorOf(x, 0, 0) } }, testContext);
}

describe('a vector index that is added to a table', () => {
  test('is refused to searches until it is complete, and cannot be deleted before it is being filled', async () => {
    const services = testServices({ lifecycleDelayMs: 1000 });
    await createdTable(services, onDemandTable());
    services.clock.advance(1000);
    await put(services, 1, 1);
    await updateTable(services, create, testContext);
    await expect(found(services, [0, 0, 0])).rejects.toThrow('The table does not have the specified index: vectors');
    await expect(updateTable(services, remove, testContext)).rejects.toThrow(
      'Attempt to change a resource which is still in use: Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the index is active. Table: Table Index: vectors',
    );
    await expect(updateTable(services, create, testContext)).rejects.toThrow(
      'Attempt to change a resource which is still in use: Index is being created.  Table: Table Index: vectors',
    );
    await expect(
      updateTable(
        services,
        { tableName, vectorIndexUpdates: [{ create: vectorIndex({ indexName: 'second' }) }] },
        testContext,
      ),
    ).rejects.toThrow('Only 1 online index can be created or deleted simultaneously per table');
    await expect(deleteTable(services, { tableName }, testContext)).rejects.toThrow(
      'Cannot delete table while indexes are being created, updated, or deleted.',
    );
    let whileFilling: unknown;
    services.tasks.atPause = async () => {
      whileFilling ??= await found(services, [0, 0, 0]).catch((error: unknown) => error);
    };
    for (let id = 2; id < 150; id += 1) await put(services, id, id);
    services.clock.advance(1000);
    await services.tasks.settle();
    expect(whileFilling).toEqual(new ValidationException('Cannot search backfilling vector index: vectors'));
    expect(await found(services, [0, 0, 0], { topK: 2 })).toEqual(['item-1:1', 'item-2:2']);
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('is complete and counted, whatever is written meanwhile', async () => {
    const change = fc.record({
      id: fc.nat(180),
      x: fc.integer({ min: -5, max: 5 }),
      kind: fc.constantFrom('put', 'bare', 'update', 'delete'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 20, maxLength: 60 }), async (changes) => {
        const services = testServices();
        await createdTable(services, onDemandTable());
        for (let id = 0; id < 160; id += 1) {
          if (id % 4 !== 0) await put(services, id, id);
          // A value that is not a vector was allowed before there was an index, and is not in it.
          else await putItem(services, { tableName, item: { PK: { S: `item-${id}` }, v: { S: 'x' } } }, testContext);
        }
        const pending = changes.values();
        services.tasks.atPause = async () => {
          for (let count = 0; count < 10; count += 1) {
            const next = pending.next();
            if (next.done === true) return;
            const { id, x, kind } = next.value;
            const key = { PK: { S: `item-${id}` } };
            if (kind === 'put') await put(services, id, x);
            else if (kind === 'bare') await putItem(services, { tableName, item: key }, testContext);
            else if (kind === 'delete') await deleteItem(services, { tableName, key }, testContext);
            else {
              const expressionAttributeValues = { ':n': { N: String(x) } };
              const updateExpression = 'SET n = :n';
              await updateItem(services, { tableName, key, updateExpression, expressionAttributeValues }, testContext);
            }
          }
        };
        await updateTable(services, create, testContext);
        await services.tasks.settle();
        expect(services.logged).toEqual([]);
        expect((await presentTable(services, tableName)).vectorIndexes[0]?.readable).toBe(true);
        expect(await inconsistencies(services, tableName)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  test('is filled by another process when the first one dies', async () => {
    const services = testServices();
    await createdTable(services, onDemandTable());
    for (let id = 0; id < 250; id += 1) await put(services, id, id);
    services.tasks.killAfterPauses(1);
    await updateTable(services, create, testContext);
    await services.tasks.died;
    const survivor = testServices({ store: services.store, seed: 2 });
    const { resumeBackgroundWork } = await import('../jobs/background-work.ts');
    resumeBackgroundWork(survivor);
    await survivor.tasks.settle();
    expect(await found(survivor, [0, 0, 0], { topK: 1 })).toEqual(['item-0:0']);
    expect(await inconsistencies(survivor, tableName)).toEqual([]);
  });

  test('leaves nothing behind when it is deleted, nor when its table is', async () => {
    const services = testServices();
    await createdTable(services, onDemandTable());
    for (let id = 0; id < 20; id += 1) await put(services, id, id);
    await updateTable(services, create, testContext);
    await services.tasks.settle();
    await put(services, 1, 5);
    const { vectorIndexes } = await presentTable(services, tableName);
    const spaces = vectorIndexes.flatMap((index) => [index.space, index.journalSpace]);
    expect(await spacesInUse(services)).toEqual(expect.arrayContaining(spaces));
    await updateTable(services, remove, testContext);
    await services.tasks.settle();
    expect((await spacesInUse(services)).filter((space) => spaces.includes(space))).toEqual([]);
    expect((await presentTable(services, tableName)).record).not.toHaveProperty('vectorIndexes');
    await updateTable(services, create, testContext);
    await services.tasks.settle();
    await put(services, 1, 6);
    await deleteTable(services, { tableName }, testContext);
    await services.tasks.settle();
    expect(await spacesInUse(services)).toEqual([]);
  });
});

/** The spaces of items, entries and journals that have entries. */
async function spacesInUse({ store }: TestServices): Promise<readonly number[]> {
  const spaces = new Set<number>();
  await store.range({ from: spaceStart(firstDataSpace), to: spaceStart(0xffff_ffff) }, (key) => {
    spaces.add(Buffer.from(key).readUInt32BE(0));
    return true;
  });
  return [...spaces];
}
