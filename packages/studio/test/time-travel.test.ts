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

test('WB-52: after each change a collection is what a copy of it was then', async () => {
  const { database } = world;
  const PK = { S: 'COPIED' };
  const copies: string[][] = [[]];
  const keep = async (): Promise<void> => {
    const { Items } = (await database.request('Query', {
      TableName: 'Shop',
      KeyConditionExpression: 'PK = :pk',
      ExpressionAttributeValues: { ':pk': PK },
    })) as { Items: readonly { SK: AttributeValue.SMember; Name: AttributeValue.SMember }[] };
    copies.push(Items.map(({ SK, Name }) => `${SK.S} ${Name.S}`));
  };
  const put = async (sk: string, name: string): Promise<void> => {
    const Item = { PK, SK: { S: sk }, Type: { S: 'Note' }, Name: { S: name } };
    await database.request('PutItem', { TableName: 'Shop', Item });
    await keep();
  };
  const remove = async (sk: string): Promise<void> => {
    await database.request('DeleteItem', { TableName: 'Shop', Key: { PK, SK: { S: sk } } });
    await keep();
  };
  await put('b', 'first');
  await put('d', 'second');
  await put('b', 'changed');
  await remove('d');
  await put('a', 'before all');
  await put('d', 'again');
  await remove('b');
  await put('a', 'changed, too');
  await world.visit('/t/Shop?pk=S%3ACOPIED&time=0', async (page) => {
    const handle = page.getByRole('slider', { name: 'Time' });
    await handle.waitFor();
    expect(await handle.getAttribute('max')).toBe(String(copies.length - 1));
    const shown = (): Promise<readonly string[]> =>
      page
        .locator('.row.item')
        .evaluateAll((rows) =>
          rows
            .toSorted((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
            .map(
              (row) => `${row.querySelector('.key')?.textContent} ${row.querySelector('.mono:not(.key)')?.textContent}`,
            ),
        );
    for (const [at, copy] of copies.entries()) {
      await expect.poll(() => handle.inputValue()).toBe(String(at));
      await expect.poll(shown, { message: `after ${at} changes` }).toEqual(copy);
      await handle.press('ArrowRight');
    }
  });
});

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
