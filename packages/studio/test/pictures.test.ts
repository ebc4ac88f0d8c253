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
}

const alex = '/t/EcommerceTable?pk=S%3ACUSTOMER%23alex';
const order = encodeURIComponent(JSON.stringify([{ S: 'CUSTOMER#alex' }, { S: '#ORDER#1VrgXBQ0VCshuQUnh1HrDIHQN03' }]));

const pictures: readonly Picture[] = [
  { name: 'tables', path: '', ready: async (page) => await page.getByRole('link', { name: /GSI1/ }).first().waitFor() },
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
    ready: async (page) =>
      await page
        .getByRole('row', { name: /ACCEPTED/ })
        .nth(11)
        .waitFor(),
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
      await page.getByRole('button', { name: 'Make SingletTour' }).click();
      await page.getByRole('button', { name: 'End the tour…' }).waitFor();
      await page.getByRole('button', { name: /Now run it/ }).click();
      await page.getByText('Parent and children by one request').waitFor();
    },
  },
];

test.each(pictures)('the picture of $name shows what the view shows', async ({ name, path, ready, doNumbersVary }) => {
  await world.visit(
    path,
    async (page) => {
      await ready(page);
      await expectPicture(page, name, doNumbersVary === undefined ? {} : { doNumbersVary });
    },
    { width: 1280 },
  );
});
