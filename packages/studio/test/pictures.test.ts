import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { useBookShop } from './book-shop.ts';
import { expectPicture } from './doc-picture.ts';

const world = useBookShop(12);

interface Picture {
  readonly name: string;
  readonly path: string;
  /** What has to be there before it is taken. */
  readonly ready: (page: Page) => Promise<void>;
  readonly doNumbersVary?: boolean;
  /** Parts whose look varies, by a selector. */
  readonly varying?: string;
}

const alex = '/t/EcommerceTable?pk=S%3ACUSTOMER%23alex';
const order = encodeURIComponent(JSON.stringify([{ S: 'CUSTOMER#alex' }, { S: '#ORDER#1VrgXBQ0VCshuQUnh1HrDIHQN03' }]));

const pictures: readonly Picture[] = [
  {
    name: 'tables',
    path: '',
    ready: async (page) => await page.getByRole('columnheader', { name: 'Reads/s' }).waitFor(),
    doNumbersVary: true,
  },
  {
    name: 'collections',
    path: `${alex}&item=${order}`,
    async ready(page) {
      await page.locator('.row.item').nth(12).waitFor();
      await page.getByLabel('Status', { exact: true }).fill('SHIPPED');
      await page.getByRole('region', { name: 'What this save changes' }).waitFor();
    },
  },
  {
    name: 'model',
    path: '/m?section=patterns&p=customerWithOrders&in={"username":"alex"}',
    async ready(page) {
      const runner = page.getByRole('complementary', { name: /^Run / });
      await runner.getByRole('button', { name: /^Run/ }).click();
      await page.getByTestId('run-sums').waitFor();
    },
  },
  {
    name: 'query',
    path: '/q/EcommerceTable?pk=S%3ACUSTOMER%23alex&sk=begins_with%3A%23ORDER%23&dir=desc&limit=5&run=1',
    ready: async (page) =>
      await page
        .getByRole('row', { name: /ACCEPTED/ })
        .nth(4)
        .waitFor(),
  },
  {
    name: 'streams',
    path: '/streams/EcommerceTable?entity=Order&from=start',
    ready: async (page) => await page.locator('.record').nth(11).waitFor(),
  },
  {
    name: 'partiql',
    path: `/sql?run=1&s=${encodeURIComponent("SELECT Status, Amount FROM EcommerceTable\nWHERE PK = 'CUSTOMER#alex' AND begins_with(SK, '#ORDER#')")}`,
    async ready(page) {
      await page
        .getByRole('row', { name: /ACCEPTED/ })
        .nth(11)
        .waitFor();
      await page.getByText(/The first page reads/).waitFor();
    },
  },
  {
    name: 'items',
    path: `${alex}&item=${order}`,
    async ready(page) {
      const panel = page.getByRole('complementary', { name: /^Item/ });
      await panel.getByLabel('Status', { exact: true }).waitFor();
      // Only now, so that the strip names the request for the history, whose answer is the last.
      await panel.getByText('History', { exact: true }).click();
      await panel.getByLabel('Compare with').waitFor();
    },
    doNumbersVary: true,
  },
  {
    name: 'time-travel',
    path: `${alex}&time=0`,
    async ready(page) {
      const handle = page.getByRole('slider', { name: 'Time' });
      await handle.waitFor();
      await handle.press('End');
      for (let step = 0; step < 6; step += 1) await handle.press('ArrowLeft');
      await page.getByText(/As it was after/).waitFor();
    },
    doNumbersVary: true,
  },
  {
    name: 'table',
    path: '/table/EcommerceTable',
    ready: async (page) => await page.getByRole('heading', { name: 'Requests to send' }).waitFor(),
    doNumbersVary: true,
  },
  {
    name: 'requests',
    path: '/requests?who=book-shop',
    async ready(page) {
      await page.getByText('live', { exact: true }).waitFor();
      const pk = { S: 'CUSTOMER#alex' };
      await send('Query', { KeyConditionExpression: 'PK = :pk', ExpressionAttributeValues: { ':pk': pk } });
      await send('GetItem', { Key: { PK: pk, SK: pk } });
      await send('Scan', {
        FilterExpression: 'Amount > :amount',
        ExpressionAttributeValues: { ':amount': { N: '25' } },
      });
      await send('PutItem', { Item: { PK: pk } });
      await page.getByRole('row', { name: /PutItem/ }).waitFor();
      await page.getByRole('row', { name: /Scan/ }).click();
      await page.getByText(/the filter is applied after reading/).waitFor();
    },
    doNumbersVary: true,
    // What can be chosen is what has been logged until then, and decides how wide it is.
    varying: '.feed-bar, .feed-rows',
  },
  {
    name: 'heat',
    path: '/heat/EcommerceTable?kind=read',
    async ready(page) {
      await page.getByRole('slider', { name: 'Range of hashes' }).waitFor();
      for (let n = 0; n < 200; n += 1) {
        const pk = { S: n % 5 === 0 ? 'CUSTOMER#sam' : 'CUSTOMER#alex' };
        await send('GetItem', { Key: { PK: pk, SK: pk } });
      }
      await page.reload();
      await page.getByRole('link', { name: 'CUSTOMER#sam' }).waitFor();
      await page.getByTestId('what-if').waitFor();
    },
    doNumbersVary: true,
  },
  {
    name: 'settings',
    path: '/settings',
    ready: async (page) => await page.getByRole('heading', { name: 'Weather' }).waitFor(),
    doNumbersVary: true,
  },
  {
    name: 'tour',
    path: '/tour/S-29',
    async ready(page) {
      await page.getByRole('button', { name: 'Create SingletTour' }).click();
      await page.getByRole('button', { name: 'End the tour…' }).waitFor();
      await page.getByRole('button', { name: /Run it/ }).click();
      await page.getByText('One request returns the parent with its children').waitFor();
    },
  },
];

/** Sends a request to the table as the application does. */
async function send(action: string, input: object): Promise<void> {
  const response = await fetch(world.server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${action}`,
      'user-agent': 'book-shop/1.0',
    },
    body: JSON.stringify({ TableName: 'EcommerceTable', ...input }),
  });
  await response.arrayBuffer();
}

test.each(pictures)('the picture of $name shows what the view shows', async ({ name, path, ready, ...options }) => {
  await world.visit(
    path,
    async (page) => {
      await ready(page);
      await expectPicture(page, name, options);
    },
    { width: 1280 },
  );
});
