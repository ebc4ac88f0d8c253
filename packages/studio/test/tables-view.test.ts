import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { expectAccessible, expectToFit, openStudio, type StudioWorld } from './studio-world.ts';

const browser = useBrowser();
let world: StudioWorld;

beforeAll(async () => {
  world = await openStudio(browser);
  await createTables(world);
});
afterAll(async () => await world.close());

async function createTables({ database }: StudioWorld): Promise<void> {
  await database.request('CreateTable', {
    TableName: 'Sessions',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
  });
  await database.request('CreateTable', {
    TableName: 'Shop',
    AttributeDefinitions: ['PK', 'SK', 'GSI1PK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'GSI1',
        KeySchema: [{ AttributeName: 'GSI1PK', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  });
  for (const SK of ['a', 'b', 'c', 'd']) {
    const Item = { PK: { S: 'one' }, SK: { S: SK }, ...(SK === 'a' && { GSI1PK: { S: 'x' } }) };
    await database.request('PutItem', { TableName: 'Shop', Item });
  }
}

describe('tables', () => {
  test('WB-24: a server without tables says how to create one; then they are there', async () => {
    const empty = await openStudio(browser);
    await empty.visit('', async (page) => {
      await page.getByText('This server has no tables yet').waitFor();
      await expectAccessible(page);
      await createTables(empty);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByRole('row', { name: /^Shop 4/ }).waitFor();
    });
    await empty.close();
  });

  test('WB-01, WB-07, WB-14, WB-22: tables and indexes with their keys, part of the items, title and requests', async () => {
    await world.visit(
      '',
      async (page, { picture }) => {
        await page.getByRole('row', { name: /^Shop 4 .* PK · SK on demand/ }).waitFor();
        await page.getByRole('row', { name: /^GSI1 1 .* GSI1PK 25 % of the items/ }).waitFor();
        await page.getByRole('row', { name: /^Sessions 0 0 B .* id provisioned/ }).waitFor();
        expect(await page.title()).toBe(`Tables · ${new URL(world.server.url).host} · Singlet`);
        expect(await page.getByTestId('sums').textContent()).toMatch(/^DescribeTable all tables\d requests/);
        await picture('tables-light');
        await page.getByRole('button', { name: 'CLI' }).click();
        const code = page.getByRole('region', { name: 'Request as code' });
        expect(await code.locator('pre').textContent()).toContain(
          `aws dynamodb describe-table --endpoint-url ${world.server.url}`,
        );
        await page.keyboard.press('Escape');
        await code.waitFor({ state: 'detached' });
        expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('CLI');
      },
      { width: 1280 },
    );
  });

  test('reads and writes a second, and the heat of partitions, are those of the server, and follow what is written', async () => {
    interface Rates {
      readonly reads: { readonly consumedUnitsPerSecond: number };
      readonly writes: { readonly consumedUnitsPerSecond: number };
      readonly partitions: readonly { readonly heat: number }[];
    }
    const { database, server } = world;
    const told = async (): Promise<{ table: Rates; globalSecondaryIndexes: Record<string, Rates> }> =>
      (await (await fetch(`${server.url}/_singlet/capacity/Shop`)).json()) as Awaited<ReturnType<typeof told>>;
    await world.visit(
      '',
      async (page, { picture }) => {
        const cells = (name: RegExp): Promise<readonly string[]> =>
          page.getByRole('row', { name }).first().locator('td.rate').allTextContents();
        await expect.poll(() => cells(/^Shop /)).toHaveLength(3);
        const [readsBefore = '', writesBefore = ''] = await cells(/^Shop /);
        for (let n = 0; n < 400; n += 1) {
          const Item = { PK: { S: 'hot' }, SK: { S: String(n) }, GSI1PK: { S: 'x' } };
          await database.request('PutItem', { TableName: 'Shop', Item });
          await database.request('GetItem', {
            TableName: 'Shop',
            Key: { PK: Item.PK, SK: Item.SK },
            ConsistentRead: true,
          });
        }
        const after = await told();
        // What is asked for again is shown: 400 units in the last minute are more than six a second.
        await expect.poll(async () => Number((await cells(/^Shop /))[1])).toBeGreaterThan(Number(writesBefore) + 4);
        const [reads = '', writes = ''] = await cells(/^Shop /);
        expect(Number(reads)).toBeGreaterThan(Number(readsBefore) + 4);
        expect(Number(writes)).toBeLessThanOrEqual(after.table.writes.consumedUnitsPerSecond + 1);
        expect(Number((await cells(/^GSI1 /))[1])).toBeGreaterThan(4);
        expect(Number((await cells(/^Sessions /))[1])).toBe(0);
        const hottest = Math.max(...after.table.partitions.map(({ heat }) => heat));
        expect(hottest).toBeGreaterThan(0);
        const bars = page
          .getByRole('row', { name: /^Shop / })
          .getByRole('img', { name: /^4 partitions, the hottest at/ });
        expect(await bars.locator('rect').count()).toBe(after.table.partitions.length);
        expect(await bars.locator('rect[class^=level-]').count()).toBe(
          after.table.partitions.filter(({ heat }) => heat > 0).length,
        );
        // They count as requests, and the list of tables stays the last one that is shown as code.
        expect(await page.getByTestId('sums').textContent()).toMatch(/^DescribeTable all tables/);
        await picture('tables-rates');
      },
      { width: 1280 },
    );
  });

  test('WB-04: search and order are in the address and survive a reload', async () => {
    await world.visit('/tables', async (page) => {
      await page.getByRole('searchbox').fill('gsi');
      await page.getByRole('row', { name: /^Shop/ }).waitFor();
      await page.getByRole('row', { name: /^Sessions/ }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Items', exact: true }).click();
      expect(new URL(page.url()).search).toBe('?q=gsi&sort=items');
      await page.reload();
      await page.getByRole('columnheader', { name: 'Items' }).and(page.locator('[aria-sort=descending]')).waitFor();
      expect(await page.getByRole('searchbox').inputValue()).toBe('gsi');
    });
  });

  test.each([
    [360, false],
    [360, true],
    [1280, true],
    [2560, false],
  ])('WB-08, WB-10: %i px wide, dark: %s', async (width, isDark) => {
    await world.visit(
      '',
      async (page, { picture }) => {
        await page.getByRole('row', { name: /^Shop/ }).waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`tables-${width}-${isDark ? 'dark' : 'light'}`);
      },
      { width, isDark },
    );
  });

  test('WB-09: the theme is chosen and kept', async () => {
    await world.visit('', async (page) => {
      const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(await background()).toBe('rgb(251, 250, 248)');
      await page.getByRole('button', { name: 'Theme: system' }).click();
      await page.getByRole('button', { name: 'Theme: light' }).click();
      await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
      expect(await background()).toBe('rgb(16, 18, 20)');
      await page.reload();
      await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
      expect(await background()).toBe('rgb(16, 18, 20)');
    });
  });
});

test('WB-03: the first load is as small as promised', () => {
  const path = fileURLToPath(new URL('../dist/size.json', import.meta.url));
  const { scriptAndStyle, withFonts } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>;
  expect(scriptAndStyle).toBeLessThanOrEqual(200 * 1024);
  expect(withFonts).toBeLessThanOrEqual(250 * 1024);
});
