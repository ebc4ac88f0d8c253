import { itemReader } from '@singlet/model';
import { load } from '@singlet/model/samples';
import { describe, expect, test } from 'vitest';
import { drawn } from '../testing/drawn.ts';
import { createModelTable } from '../testing/model-tables.ts';
import type { RawItem } from '../testing/raw-table.ts';
import { twoDatabases } from '../testing/two-databases.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { FIXTURE } from './fixture.ts';
import { shop } from './model.ts';
import { seedShop } from './seed.ts';
import { Shop } from './shop.ts';
import { orderCreatedAt } from './stored-objects.ts';

const KEY_ATTRIBUTES = ['PK', 'SK', 'GSI1PK', 'GSI1SK', 'Type'];

function byKey(items: readonly RawItem[]): RawItem[] {
  const key = (item: RawItem): string => `${String(item['PK'])} ${String(item['SK'])}`;
  return items.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
}

describe.each(drawn('the model of the shop', twoDatabases))('the model of the shop, $name', (database) => {
  const workbench = useWorkbench(database);

  test('S-19, S-22: the keys of an item follow from its other attributes, and stay behind when it is read', async () => {
    const { client } = workbench();
    const [original, copy] = [await createModelTable(workbench(), shop), await createModelTable(workbench(), shop)];
    await original.putAll(FIXTURE);
    const read = itemReader(shop);
    for (const stored of await original.scanTyped()) {
      const { entity, item } = read(stored)!;
      expect(Object.keys(item).filter((name) => KEY_ATTRIBUTES.includes(name))).toEqual([]);
      await load(shop, entity, [item as never], { client, tables: { EcommerceTable: copy.name } });
    }
    expect(byKey(await copy.scan())).toEqual(byKey(FIXTURE));
  });

  test('sample data is there at any scale, the same each time, and adds up', async () => {
    const { client } = workbench();
    const tables: RawItem[][] = [];
    for (let time = 0; time < 2; time += 1) {
      const table = await createModelTable(workbench(), shop);
      const { customers, orders } = await seedShop({ client, tableName: table.name, scale: 0.01 });
      const items = byKey(await table.scan());
      const ofType = (type: string): RawItem[] => items.filter((item) => item['Type'] === type);
      expect([ofType('Customer').length, ofType('CustomerEmail').length]).toEqual([customers, customers]);
      expect(ofType('Order')).toHaveLength(orders);
      tables.push(items);

      const clock = { nowMs: () => Date.parse('2026-01-01T00:00:00Z') };
      const seeded = new Shop({ client, tableName: table.name, clock, newOrderId: () => '' });
      const order = ofType('Order')[0]!;
      const detail = await seeded.viewOrder(String(order['OrderId']));
      expect(detail.lines.reduce((sum, line) => sum + (line.quantity ?? 1), 0)).toBe(detail.order.numberItems);
      expect((await seeded.viewAccount(String(order['Username']))).orders.length).toBeGreaterThan(0);
    }
    expect(tables[0]).toEqual(tables[1]);
  });
});

test('an order is as old as its id says', () => {
  for (const item of FIXTURE.filter(({ Type }) => Type === 'Order')) {
    expect(orderCreatedAt(String(item['OrderId']))).toEqual(new Date(String(item['CreatedAt'])));
  }
});
