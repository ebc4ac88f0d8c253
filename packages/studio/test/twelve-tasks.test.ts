import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { bookShopModel, createBookShop, createTable, openModels, orderIdOf } from './book-shop.ts';
import { CountedKeys } from './counted-keys.ts';
import { ask, useStudio } from './studio-world.ts';

/*
 * The tasks for which the workbench is made, by keys only, each in at most the steps that its design allows. What is on the screen before a task
 * begins is named by the address; nothing is clicked. Migrations and the tour have their tasks (11, 12) in their own tests.
 */

const browser = useBrowser();
const orders = 40;
const lessonShop = fileURLToPath(new URL('../../../systems/lesson-shop/model.ts', import.meta.url));

const world = useStudio(async () => {
  const opened = await openModels(browser, [lessonShop, bookShopModel]);
  await createBookShop(opened, orders);
  await createTable(opened.database, 'lesson-shop');
  for (const userId of ['ada', 'grace']) {
    const Item = {
      PK: { S: `USER#${userId}` },
      SK: { S: 'PROFILE' },
      entity_type: { S: 'User' },
      userId: { S: userId },
      name: { S: userId },
      email: { S: `${userId}@example.com` },
      createdAt: { S: '2026-11-22T08:00:00Z' },
    };
    await opened.database.request('PutItem', { TableName: 'lesson-shop', Item });
  }
  return opened;
});

const TableName = 'EcommerceTable';
const PK = { S: 'CUSTOMER#alex' };
const alex = `/t/${TableName}?pk=S%3ACUSTOMER%23alex`;
const sortKey = (number: number): string => `#ORDER#${orderIdOf(number)}`;

/** The address of the collection with the keyboard focus on an order. */
async function selectFirstOrder(page: Page): Promise<string> {
  await page.locator('.row.item').nth(3).waitFor();
  for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  return (await page.locator('.row.item[aria-selected=true] .key').textContent()) ?? '';
}

async function order(sk: string): Promise<Record<string, Record<string, string>>> {
  const { Item } = await ask<{ Item: Record<string, Record<string, string>> }>(world.database, 'GetItem', {
    TableName,
    Key: { PK, SK: { S: sk } },
    ConsistentRead: true,
  });
  return Item;
}

interface Task {
  readonly number: number;
  readonly title: string;
  readonly stepsMax: number;
  readonly from: string;
  readonly story: (keys: CountedKeys, page: Page) => Promise<void>;
}

const tasks: readonly Task[] = [
  {
    number: 1,
    title: 'see all about one customer',
    stepsMax: 3,
    from: '/settings',
    async story(keys, page) {
      await page.getByRole('heading', { name: 'Connection' }).waitFor();
      await keys.press('Control+k');
      await keys.type('alex');
      await page.getByRole('option', { name: /^Key Cu CUSTOMER#alex EcommerceTable/, selected: true }).waitFor();
      await keys.press('Enter');
      await page.getByRole('row', { name: new RegExp(`CUSTOMER#alex ${orders + 1} items`) }).waitFor();
    },
  },
  {
    number: 2,
    title: 'see the same item in an index, and which items are not there',
    stepsMax: 1,
    from: alex,
    async story(keys, page) {
      const selected = await selectFirstOrder(page);
      expect(await page.getByRole('img', { name: 'in GSI1', exact: true }).count()).toBeGreaterThan(0); // without a step
      await keys.press(']');
      await page.getByRole('row', { name: /^ORDER#\S+ 2 items/ }).waitFor();
      expect(selected).toBe(sortKey(0));
      expect(await page.locator('.row.item[aria-selected=true]').count()).toBe(1);
    },
  },
  {
    number: 3,
    title: 'change an attribute, and lose no update of anybody else',
    stepsMax: 3,
    from: alex,
    async story(keys, page) {
      const sk = await selectFirstOrder(page);
      const before = await order(sk);
      await keys.press('F2');
      const field = page.locator('#item-body :is(input, textarea):focus');
      await field.waitFor();
      const name = ((await field.getAttribute('id')) ?? '').replace('attribute-', '');
      await keys.type('2026-12-24T12:00:00Z');
      const effects = page.getByRole('region', { name: 'What this save changes' });
      await effects.getByText(/WCU/).waitFor(); // the preview is read, which is no step
      expect(await order(sk)).toEqual(before);
      await keys.press('Control+Enter');
      await page.getByRole('button', { name: /Saved. Undo/ }).waitFor();
      expect(await order(sk)).toEqual({ ...before, [name]: { S: '2026-12-24T12:00:00Z' } });
    },
  },
  {
    number: 4,
    title: 'write a query and take it into code',
    stepsMax: 3,
    from: `/t/${TableName}`,
    async story(keys, page) {
      await page.locator('.row.item').first().waitFor();
      await keys.press('f');
      await keys.type('CUSTOMER#alex');
      await keys.press('Control+c');
      await page.getByText('The request is copied').waitFor();
      await page.context().grantPermissions(['clipboard-read']);
      const code = await page.evaluate(() => navigator.clipboard.readText());
      expect(code).toContain('new QueryCommand(');
      expect(code).toContain(`TableName: '${TableName}'`);
      expect(code).toContain("S: 'CUSTOMER#alex'");
    },
  },
  {
    number: 5,
    title: 'is every access pattern served, and what does it cost',
    stepsMax: 1,
    from: '/settings',
    async story(keys, page) {
      await page.getByRole('heading', { name: 'Connection' }).waitFor();
      await keys.press('g m');
      expect(await page.getByTestId('proven').innerText()).toMatch(/(\d+)\s+of \1 patterns proven/);
      await page
        .locator('.model-head')
        .getByText(/a month at peak/)
        .waitFor();
    },
  },
  {
    number: 6,
    title: 'run a pattern and see which rows it touched',
    stepsMax: 5,
    from: '/settings',
    async story(keys, page) {
      await page.getByRole('heading', { name: 'Connection' }).waitFor();
      await keys.press('g p');
      await page.locator('.pattern-list a:focus').waitFor();
      await keys.press('Enter');
      await page.getByRole('complementary', { name: 'Run user' }).locator('input:focus').waitFor();
      await keys.type('grace');
      await keys.press('Control+Enter');
      await page.getByTestId('run-sums').waitFor();
      await keys.press('v');
      await page.locator('.row.marked-read', { hasText: 'PROFILE' }).waitFor();
    },
  },
  {
    number: 7,
    title: 'which key is hot, and why',
    stepsMax: 2,
    from: '/settings',
    async story(keys, page) {
      await fetch(`${world.server.url}/_singlet/heat/${TableName}`); // recorded from here on
      for (let n = 0; n < 100; n += 1) {
        const Item = { PK: { S: 'STATUS#PLACED' }, SK: { S: `ORDER#${n}` } };
        await world.database.request('PutItem', { TableName, Item });
      }
      await page.getByRole('heading', { name: 'Connection' }).waitFor();
      await keys.press('g h');
      const hottest = page.getByRole('region', { name: 'Hottest keys' }).getByRole('row').nth(1);
      await hottest.getByText('STATUS#PLACED').waitFor();
      await page.locator('.heat-map svg:focus').waitFor();
      await keys.press('Enter');
      await page.getByText(/write units a second on average/).waitFor();
      await page.getByTestId('what-if').waitFor();
    },
  },
  {
    number: 8,
    title: 'what my application changes when I click there',
    stepsMax: 1,
    from: '/settings',
    async story(keys, page) {
      await page.getByRole('heading', { name: 'Connection' }).waitFor();
      await keys.press('g s');
      await page.getByText('live', { exact: true }).waitFor();
      await world.database.request('UpdateItem', {
        TableName,
        Key: { PK, SK: { S: sortKey(3) } },
        UpdateExpression: 'SET #s = :s',
        ExpressionAttributeNames: { '#s': 'Status' },
        ExpressionAttributeValues: { ':s': { S: 'POSTED' } },
      });
      await page.locator('.record', { hasText: 'ACCEPTED' }).locator('ins', { hasText: 'POSTED' }).waitFor();
    },
  },
  {
    number: 9,
    title: 'why is this slow or expensive',
    stepsMax: 1,
    from: `/q/${TableName}?f=${encodeURIComponent(JSON.stringify([['Status', '=', { S: 'LOST' }]]))}`,
    async story(keys, page) {
      await page.getByRole('button', { name: /^Explain/ }).waitFor();
      await keys.press('e');
      await page.getByRole('region', { name: 'Explanation' }).getByText(/scan/i).first().waitFor();
    },
  },
  {
    number: 10,
    title: 'change forty items alike, and take it back',
    stepsMax: 5,
    from: `${alex}&sk=begins_with%3A%23ORDER%23`,
    async story(keys, page) {
      await page.getByRole('row', { name: new RegExp(`CUSTOMER#alex ${orders} items`) }).waitFor();
      await page.keyboard.press('ArrowDown'); // on the collection
      const before = await order(sortKey(20));
      await keys.press('x');
      await keys.press('b');
      await page.locator('.bulk-panel input:focus').waitFor();
      await keys.type('Status=LOST');
      await page.getByRole('region', { name: 'What this changes' }).getByText(`${orders} items written`).waitFor();
      await keys.press('Control+Enter');
      await page.getByText(new RegExp(`^${orders} of ${orders} written, 0 failed .* complete$`)).waitFor();
      expect(await order(sortKey(20))).toEqual({ ...before, Status: { S: 'LOST' } });
      await keys.press('Control+z');
      await expect.poll(async () => await order(sortKey(20))).toEqual(before);
    },
  },
];

describe('the tasks', () => {
  test.each(tasks)('WB-06: task $number, $title, in at most $stepsMax steps', async ({ stepsMax, from, story }) => {
    await world.visit(
      from,
      async (page) => {
        const keys = new CountedKeys(page);
        await story(keys, page);
        expect(keys.steps).toBeLessThanOrEqual(stepsMax);
      },
      { width: 1280 },
    );
  });
});
