import { gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import type {
  DescribeTableOutput,
  DescribeTimeToLiveOutput,
  GetItemOutput,
  ListTablesOutput,
  ScanOutput,
} from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { useShop } from './shop-table.ts';
import { ask, expectAccessible, expectToFit } from './studio-world.ts';

const world = useShop(20);

test('WB-57: a table with an index and time to live is created, changed and deleted, each request shown before it is sent', async () => {
  const { database } = world;
  await world.visit('/tables', async (page, { picture }) => {
    await page.getByRole('link', { name: 'Create table' }).click();
    await page.getByLabel('Table name').fill('Books');
    await page.getByRole('button', { name: 'Add a global index' }).click();
    await page.getByLabel('Time to live attribute').fill('expiresAt');
    const input = page.getByLabel('Input of CreateTable');
    expect(await input.inputValue()).toContain('"IndexName": "GSI1"');
    expect((await ask<ListTablesOutput>(database, 'ListTables', {})).TableNames).not.toContain('Books');
    // What the form does not have is written into the request.
    const text = await input.inputValue();
    await input.fill(text.replace('"BillingMode"', '"SSESpecification": { "Enabled": true }, "BillingMode"'));
    await picture('table-new');
    await page.getByRole('button', { name: 'Create the table' }).click();
    await page.getByText('Created Books.').waitFor();
    const { Table } = await ask<DescribeTableOutput>(database, 'DescribeTable', { TableName: 'Books' });
    expect(Table?.SSEDescription?.Status).toBe('ENABLED');
    const { TimeToLiveDescription } = await ask<DescribeTimeToLiveOutput>(database, 'DescribeTimeToLive', {
      TableName: 'Books',
    });
    expect(TimeToLiveDescription?.AttributeName).toBe('expiresAt');

    await page
      .getByRole('link', { name: /^Tables$/ })
      .or(page.getByRole('link', { name: 'All tables' }))
      .first()
      .click();
    await page.getByRole('link', { name: 'Settings of Books' }).click();
    await page.getByText('Nothing to send: the table matches the form.').waitFor();
    await page.getByRole('combobox', { name: 'Stream', exact: true }).selectOption('NEW_IMAGE');
    await page.getByRole('button', { name: 'Remove GSI1' }).click();
    await page.getByText('Deletes GSI1: queries of it fail from then on. The items stay in the table.').waitFor();
    await page.getByRole('button', { name: 'Send 2 requests' }).click();
    await page.getByText('Nothing to send: the table matches the form.').waitFor();
    const changed = await ask<DescribeTableOutput>(database, 'DescribeTable', { TableName: 'Books' });
    expect(changed.Table?.StreamSpecification?.StreamViewType).toBe('NEW_IMAGE');
    expect(changed.Table?.GlobalSecondaryIndexes ?? []).toEqual([]);

    await page.getByRole('button', { name: 'Delete Books…' }).click();
    const remove = page.getByRole('button', { name: 'Delete Books', exact: true });
    expect(await remove.isDisabled()).toBe(true);
    await page.getByLabel('Type Books to continue').fill('Books');
    await remove.click();
    await page.getByRole('row', { name: /^Shop/ }).waitFor();
    expect((await ask<ListTablesOutput>(database, 'ListTables', {})).TableNames).toEqual(['Shop']);
  });
});

test('WB-57: a refused change shows the error of the service where it happened, and what went before stays', async () => {
  const { database } = world;
  await world.visit('/table/Shop', async (page) => {
    await page.getByLabel('Deletion protection').check();
    await page.getByLabel('Time to live attribute').fill('x'.repeat(256));
    await page.getByRole('button', { name: 'Send 2 requests' }).click();
    await page
      .getByRole('alert')
      .getByText(/ValidationException/)
      .waitFor();
    const { Table } = await ask<DescribeTableOutput>(database, 'DescribeTable', { TableName: 'Shop' });
    expect(Table?.DeletionProtectionEnabled).toBe(true);
    // The table has been read again: one request is left, with its error.
    await page.getByRole('button', { name: 'Send 1 request' }).waitFor();
    expect(
      await page
        .getByRole('alert')
        .getByText(/ValidationException/)
        .isVisible(),
    ).toBe(true);
  });
});

test('WB-57: an import shows what it will write, then progress, speed and each refusal; an export has every item', async () => {
  const { database } = world;
  await database.request('CreateTable', {
    TableName: 'Imported',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  const items = Array.from({ length: 300 }, (_, at) => ({
    id: { S: `item ${at}` },
    exact: { N: '12345678901234567890123456789012345678' },
  }));
  const lines = items.map((Item) => JSON.stringify({ Item }));
  lines.splice(10, 0, '{"Item":{"id":{"N":"5"}}}', '{"Item":{"id":{"S":"item 3"},"again":{"BOOL":true}}}', 'not json');
  await world.visit('/table/Imported', async (page, { picture }) => {
    await page.getByLabel('File to import').setInputFiles({
      name: 'items.json.gz',
      mimeType: 'application/gzip',
      buffer: gzipSync(lines.join('\n')),
    });
    await page.getByLabel('First items of the file').getByText('"item 4"').waitFor();
    expect((await ask<ScanOutput>(database, 'Scan', { TableName: 'Imported', Select: 'COUNT' })).Count).toBe(0);
    await page.getByRole('button', { name: 'Import into Imported' }).click();
    await page
      .getByRole('status')
      .getByText(/^301 items written, 2 refused · [\d,]+ a second · .* · complete$/)
      .waitFor();
    const refused = await page.getByLabel('Refused items').innerText();
    expect(
      refused
        .split('\n')
        .map((line) => line.slice(0, 8))
        .sort(),
    ).toEqual(['line 11:', 'line 13:']);
    await picture('table-import');
    const { Count } = await ask<ScanOutput>(database, 'Scan', { TableName: 'Imported', Select: 'COUNT' });
    expect(Count).toBe(300);
    const { Item } = await ask<GetItemOutput>(database, 'GetItem', {
      TableName: 'Imported',
      Key: { id: { S: 'item 3' } },
    });
    expect(Item).toEqual({ id: { S: 'item 3' }, again: { BOOL: true } });

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export Imported' }).click();
    const path = await (await download).path();
    const exported = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { Item: { id: { S: string } } });
    const expected = items.map((item) => (item.id.S === 'item 3' ? Item : item));
    expect(new Map(exported.map((each) => [each.Item.id.S, each.Item]))).toEqual(
      new Map(expected.map((each) => [each?.id?.S, each])),
    );
    await page.getByText(/^300 items read · .* · complete$/).waitFor();
  });
});

test.each([
  [360, false],
  [1280, true],
  [2560, false],
])('WB-08, WB-10: settings of a table at %i px, dark: %s', async (width, isDark) => {
  await world.visit(
    '/table/Shop',
    async (page, { picture }) => {
      await page.getByRole('button', { name: 'Add a global index' }).click();
      await page.getByLabel('Input of UpdateTable').waitFor();
      await expectToFit(page);
      await expectAccessible(page);
      await picture(`table-${width}`);
    },
    { width, isDark },
  );
});
