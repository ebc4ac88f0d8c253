import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { useShop } from './shop-table.ts';
import { expectAccessible, expectToFit } from './studio-world.ts';

const world = useShop(1);

const Key: Record<string, AttributeValue> = { PK: { S: 'CUSTOMER#alexdebrie' }, SK: { S: '#ORDER#1VrgXBQ00000000' } };
const alex = '/t/Shop?pk=S%3ACUSTOMER%23alexdebrie';

test.each([
  [1280, false],
  [360, true],
])(
  'WB-52: at %i px, a collection is shown as it was after any of its changes, and what changed since is marked',
  async (width, isDark) => {
    await world.visit(
      alex,
      async (page, { picture }) => {
        const rows = page.locator('.row.item');
        await rows.nth(4).waitFor();
        await world.database.request('UpdateItem', {
          TableName: 'Shop',
          Key,
          UpdateExpression: 'SET CreatedAt = :v',
          ExpressionAttributeValues: { ':v': { S: `changed at ${width}` } },
        });
        const { Attributes } = (await world.database.request('DeleteItem', {
          TableName: 'Shop',
          Key: { ...Key, SK: { S: '#ORDER#1VrgXBQ00000001' } },
          ReturnValues: 'ALL_OLD',
        })) as { Attributes: object };
        await page.getByRole('button', { name: 'Time' }).click();
        const handle = page.getByRole('slider', { name: 'Time' });
        await handle.waitFor();
        await page.getByText(/before the first change in the stream/).waitFor();
        expect(await rows.count()).toBe(0);
        await handle.press('End');
        await page.getByText(/As it was after REMOVE CUSTOMER#alexdebrie · #ORDER#1VrgXBQ00000001/).waitFor();
        await expect.poll(async () => await rows.count()).toBe(4);
        await handle.press('ArrowLeft');
        await page.getByText(/1 item marked/).waitFor();
        await expect.poll(async () => await rows.count()).toBe(5);
        expect(await page.locator('.row.marked-changed').innerText()).toContain('#ORDER#1VrgXBQ00000001');
        await page.locator('.row.item', { hasText: `changed at ${width}` }).waitFor();
        await handle.press('ArrowLeft');
        await page.getByText(/2 items marked/).waitFor();
        await page.locator('.row.item', { hasText: `changed at ${width}` }).waitFor({ state: 'detached' });
        await picture(`time-${width}`);
        await expectAccessible(page);
        await expectToFit(page);
        // The address is the state.
        await page.reload();
        await page.getByText(/2 items marked/).waitFor();
        await page.getByRole('button', { name: 'Now' }).click();
        await expect.poll(async () => await rows.count()).toBe(4);
        await world.database.request('PutItem', { TableName: 'Shop', Item: Attributes });
      },
      { width, isDark },
    );
  },
);

test('WB-52: what cannot be shown as it was says why', async () => {
  await world.visit('/t/Shop?time=0', async (page) => {
    await page.getByText('Query a partition key first: time travel shows one collection.').waitFor();
  });
});

test('WB-52: beyond the limit of records the page says so, and shows nothing that may be wrong', async () => {
  const { database } = world;
  for (let at = 0; at < 20_000; at += 25) {
    const puts = Array.from({ length: 25 }, (_, n) => ({
      PutRequest: { Item: { PK: { S: 'many' }, SK: { S: String(at + n) } } },
    }));
    await database.request('BatchWriteItem', { RequestItems: { Shop: puts } });
  }
  await world.visit(`${alex}&time=0`, async (page) => {
    await page.getByText('The stream of this table has more than 20,000 records').waitFor();
    expect(await page.getByRole('slider', { name: 'Time' }).count()).toBe(0);
  });
});
