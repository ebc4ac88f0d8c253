import type { GetItemOutput, ScanOutput } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { ask, expectAccessible, expectToFit, openStudio, type StudioWorld } from './studio-world.ts';

const browser = useBrowser();
let world: StudioWorld;
const many = 1_000;

beforeAll(async () => {
  world = await openStudio(browser);
  for (const TableName of ['Few', 'Many']) {
    await world.database.request('CreateTable', {
      TableName,
      AttributeDefinitions: ['PK', 'SK', 'Status'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: 'PK', KeyType: 'HASH' },
        { AttributeName: 'SK', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'ByStatus',
          KeySchema: [{ AttributeName: 'Status', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    });
  }
  await fill('Few', 4);
  await fill('Many', many);
});
afterAll(async () => await world.close());

async function fill(TableName: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 25) {
    const puts = Array.from({ length: Math.min(25, count - from) }, (_, at) => ({
      PutRequest: {
        Item: { PK: { S: 'all' }, SK: { S: String(from + at).padStart(4, '0') }, Status: { S: 'OPEN' } },
      },
    }));
    await world.database.request('BatchWriteItem', { RequestItems: { [TableName]: puts } });
  }
}

async function statuses(TableName: string): Promise<Readonly<Record<string, number>>> {
  const { Items = [] } = await ask<ScanOutput>(world.database, 'Scan', { TableName });
  const found: Record<string, number> = {};
  for (const { Status } of Items) found[Status?.S ?? 'none'] = (found[Status?.S ?? 'none'] ?? 0) + 1;
  return found;
}

const panel = { name: 'Many items' };

test('WB-32: by keys only: two items are selected, changed, one of them was changed meanwhile, and the other is taken back', async () => {
  await world.visit('/t/Few?pk=S%3Aall', async (page, { picture }) => {
    await page.locator('.row.item').nth(3).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('b');
    const bulk = page.getByRole('complementary', panel);
    await bulk.getByLabel('Attribute', { exact: true }).fill('Status');
    await bulk.getByLabel('Value', { exact: true }).fill('DONE');
    await bulk.getByText('2 items written').waitFor();
    await bulk.getByText('2 moved').waitFor();
    await bulk.getByText('6 WCU').waitFor();
    await picture('bulk');
    await expectAccessible(page);
    expect(await statuses('Few')).toEqual({ OPEN: 4 });
    await world.database.request('UpdateItem', {
      TableName: 'Few',
      Key: { PK: { S: 'all' }, SK: { S: '0001' } },
      UpdateExpression: 'SET #s = :s',
      ExpressionAttributeNames: { '#s': 'Status' },
      ExpressionAttributeValues: { ':s': { S: 'HELD' } },
    });
    await page.keyboard.press('Control+Enter');
    await bulk.getByText('1 of 2 written, 1 failed').waitFor();
    await bulk.getByRole('list', { name: 'Failed items' }).getByText('all · 0001 × changed in the meantime').waitFor();
    expect(await statuses('Few')).toEqual({ OPEN: 2, DONE: 1, HELD: 1 });
    await bulk.getByRole('button', { name: 'Read the failed items again and retry' }).click();
    await bulk.getByText('1 of 1 written, 0 failed').waitFor();
    expect(await statuses('Few')).toEqual({ OPEN: 2, DONE: 2 });
    await bulk.getByRole('button', { name: 'Close' }).last().click();
    await page.keyboard.press('Control+z');
    await page.getByText('Undone.').waitFor();
    expect(await statuses('Few')).toEqual({ OPEN: 2, DONE: 1, HELD: 1 });
    await page.keyboard.press('Control+z');
    await expect.poll(async () => await statuses('Few')).toEqual({ OPEN: 3, HELD: 1 });
  });
});

test('WB-32: 1,000 items are deleted with progress, stopped on the way, deleted to the end, and taken back', async () => {
  await world.visit('/t/Many?pk=S%3Aall', async (page) => {
    await page.locator('.row.item').first().waitFor();
    await page.getByRole('button', { name: /^Select/ }).click();
    // The rest is loaded by scrolling to it.
    await expect
      .poll(async () => {
        await page.locator('.grid').evaluate((grid) => grid.scrollBy(0, 100_000));
        return await page.getByRole('button', { name: /loaded$/ }).innerText();
      })
      .toBe('All 1,000 loaded');
    await page.getByRole('button', { name: /loaded$/ }).click();
    await page.getByRole('button', { name: /^Delete…/ }).click();
    const bulk = page.getByRole('complementary', panel);
    await bulk.getByText('2,000 WCU').waitFor();
    await bulk.getByRole('button', { name: /^Delete 1,000 items/ }).click();
    await bulk.getByRole('button', { name: 'Stop' }).click();
    await bulk.getByText(/ · stopped$/).waitFor();
    const left = (await statuses('Many'))['OPEN'] ?? 0;
    const said = /^([\d,]+) of 1,000 written, 0 failed/.exec(await bulk.getByRole('status').innerText())?.[1];
    expect(many - left).toBe(Number(said?.replace(',', '')));
    expect(left).toBeGreaterThan(0);
    await bulk.getByRole('button', { name: 'Close' }).last().click();
    // What was deleted is no longer among what is selected.
    await page.getByText(`${left.toLocaleString('en-US')} selected`).waitFor();
    await page.keyboard.press('d');
    await page.keyboard.press('Control+Enter');
    await bulk.getByText(/ · complete$/).waitFor();
    expect(await statuses('Many')).toEqual({});
    await bulk.getByRole('button', { name: 'Close' }).last().click();
    await page.keyboard.press('Control+z');
    await page.getByText('Undone.').waitFor();
    expect(await statuses('Many')).toEqual({ OPEN: left });
    await page.keyboard.press('Control+z');
    await expect.poll(async () => await statuses('Many')).toEqual({ OPEN: many });
  });
});

test('WB-32: a key is not changed in bulk, nor the part of an item that an index has', async () => {
  await world.visit('/t/Few/i/ByStatus', async (page) => {
    await page
      .locator('.row.item')
      .first()
      .click({ modifiers: ['Control'] });
    await page.keyboard.press('b');
    await page.getByText('ByStatus projects only some attributes. Change these items in the table.').waitFor();
  });
  await world.visit('/t/Few', async (page) => {
    await page
      .locator('.row.item')
      .first()
      .click({ modifiers: ['Control'] });
    await page.keyboard.press('b');
    await page.getByLabel('Attribute', { exact: true }).fill('SK');
    await page
      .getByRole('alert')
      .getByText(/SK is part of the key/)
      .waitFor();
    const Key = { PK: { S: 'all' }, SK: { S: '0000' } };
    expect((await ask<GetItemOutput>(world.database, 'GetItem', { TableName: 'Few', Key })).Item).toBeDefined();
  });
});

test.each([
  [360, true],
  [1280, false],
])('WB-08, WB-10: many items at %i px, dark: %s', async (width, isDark) => {
  await world.visit(
    '/t/Few',
    async (page, { picture }) => {
      await page.getByRole('button', { name: /^Select/ }).click();
      await page.locator('.row.item').first().click();
      await expectToFit(page);
      await expectAccessible(page);
      await picture(`selection-${width}`);
      await page.getByRole('button', { name: /^Change…/ }).click();
      await expectToFit(page);
      await expectAccessible(page);
      await picture(`bulk-${width}`);
    },
    { width, isDark },
  );
});
