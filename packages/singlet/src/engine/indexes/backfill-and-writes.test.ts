import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { putItem } from '../operations/put-item.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { updateTable } from '../operations/update-table.ts';
import { index, onDemandTable, strings } from '../testing/table-requests.ts';
import { createdTable, inconsistencies } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';

const tableName = 'Table';
const newIndex = {
  tableName,
  attributeDefinitions: strings('a'),
  globalSecondaryIndexUpdates: [{ create: index('gsi', 'a') }],
};

interface Change {
  readonly id: number;
  readonly value: number;
  readonly kind: 'put' | 'bare' | 'update' | 'delete' | 'batch' | 'transact';
}

async function apply(services: TestServices, { id, value, kind }: Change): Promise<void> {
  const key = { PK: { S: `item-${id}` } };
  const item = { ...key, a: { S: 'x'.repeat(1 + value) } };
  switch (kind) {
    case 'put':
      await putItem(services, { tableName, item }, testContext);
      break;
    case 'bare':
      await putItem(services, { tableName, item: key }, testContext);
      break;
    case 'update': {
      const expressionAttributeValues = { ':b': { N: String(value) } };
      await updateItem(
        services,
        { tableName, key, updateExpression: 'SET b = :b', expressionAttributeValues },
        testContext,
      );
      break;
    }
    case 'delete':
      await deleteItem(services, { tableName, key }, testContext);
      break;
    case 'batch':
      await batchWriteItem(services, { requestItems: { [tableName]: [{ putRequest: { item } }] } }, testContext);
      break;
    case 'transact':
      await transactWriteItems(services, { transactItems: [{ put: { tableName, item } }] }, testContext);
      break;
  }
}

describe('DB-059 writes while a global index is being filled', () => {
  test('before the walk comes to their items', async () => {
    const services = testServices({ tasks: 'held' });
    await createdTable(services, onDemandTable());
    for (const id of [1, 2, 3]) await apply(services, { id, value: 0, kind: 'put' });
    await updateTable(services, newIndex, testContext);
    await apply(services, { id: 1, value: 5, kind: 'put' });
    await apply(services, { id: 2, value: 0, kind: 'delete' });
    await apply(services, { id: 4, value: 0, kind: 'put' });
    await services.tasks.run();
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('of every kind, at every moment', async () => {
    const kind = fc.constantFrom<Change['kind']>('put', 'bare', 'update', 'delete', 'batch', 'transact');
    const change: fc.Arbitrary<Change> = fc.record({ id: fc.nat(260), value: fc.nat(3), kind });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 30, maxLength: 90 }), async (changes) => {
        const inner = openMemoryStore();
        const services = testServices({ store: inner });
        await createdTable(services, onDemandTable());
        for (let id = 0; id < 250; id++) await apply(services, { id, value: id % 4, kind: id % 3 ? 'put' : 'bare' });
        const pending = changes.values();
        const disturb = async (): Promise<void> => {
          for (let count = 0; count < 8; count++) {
            const { value } = pending.next();
            if (value !== undefined) await apply(services, value);
          }
        };
        // Other writers write between the reading of a page and the decision about it.
        const disturbed: Store = {
          manifest: inner.manifest,
          read: (keys, body) => inner.read(keys, body),
          write: (keys, decide) => inner.write(keys, decide),
          close: () => inner.close(),
          range: async (request, visit) => {
            const end = await inner.range(request, visit);
            await disturb();
            return end;
          },
        };
        const filling = testServices({ store: disturbed });
        filling.tasks.atPause = disturb;
        await updateTable(filling, newIndex, testContext);
        await filling.tasks.settle();
        expect(filling.logged).toEqual([]);
        expect(await inconsistencies(services, tableName)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});
