import { expect, test } from 'vitest';
import { useShop } from './shop-table.ts';
import { expectAccessible } from './studio-world.ts';

const world = useShop(20);

test('WB-23: what others write changes in place or is marked, and new items are announced, without moving what is read', async () => {
  const { database } = world;
  await world.visit('/t/Shop?pk=S%3ACUSTOMER%23alexdebrie', async (page, { picture }) => {
    const rows = page.locator('.row.item');
    await rows.nth(4).waitFor();
    await page.locator('.collections[data-live=live]').waitFor();
    const place = (): Promise<object | null> => rows.nth(3).boundingBox();
    const before = await place();
    const order = (id: string) => ({ PK: { S: 'CUSTOMER#alexdebrie' }, SK: { S: `#ORDER#${id}` } });
    await database.request('UpdateItem', {
      TableName: 'Shop',
      Key: order('1VrgXBQ00000001'),
      UpdateExpression: 'SET Amount = :a',
      ExpressionAttributeValues: { ':a': { N: '7777' } },
    });
    await database.request('DeleteItem', { TableName: 'Shop', Key: order('1VrgXBQ00000002') });
    await database.request('PutItem', { TableName: 'Shop', Item: { ...order('0'), Type: { S: 'Order' } } });
    await database.request('PutItem', { TableName: 'Shop', Item: { PK: { S: 'CUSTOMER#else' }, SK: { S: 'x' } } });
    await page.locator('.row.marked-changed', { hasText: '7777' }).waitFor();
    await page.locator('.row.marked-filtered', { hasText: '1VrgXBQ00000002' }).waitFor();
    await page.getByRole('status').getByText('1 new item').waitFor();
    expect(await rows.count()).toBe(5);
    expect(await place()).toEqual(before);
    await picture('live');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByRole('row', { name: /^#ORDER#0 / }).waitFor();
    await expect.poll(async () => await page.locator('.marked-changed, .marked-filtered').count()).toBe(0);
    expect(await rows.count()).toBe(5);
  });
});
