import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { useBookShop } from './book-shop.ts';

const world = useBookShop(3, useBrowser());
const table = 'EcommerceTable';
const alex = `/t/${table}?pk=S%3ACUSTOMER%23alex`;
const item = encodeURIComponent(JSON.stringify([{ S: 'CUSTOMER#alex' }, { S: 'CUSTOMER#alex' }]));
const statement = encodeURIComponent(`SELECT * FROM ${table} WHERE PK = 'CUSTOMER#alex'`);

/** What the strip of a view says once the view has been read: requests, items, units, time. */
interface Told {
  readonly view: string;
  readonly path: string;
  readonly ready: (page: Page) => Promise<void>;
  readonly figures: RegExp;
}

const row = (page: Page): Promise<void> => page.locator('.row.item').nth(3).waitFor();

const views: readonly Told[] = [
  {
    view: 'all tables',
    path: '',
    ready: (page) => page.getByRole('link', { name: /GSI1/ }).first().waitFor(),
    figures: /\d+ requests0 read, 0 returned0 RCU[\d.]+ m?s$/,
  },
  { view: 'a table', path: `/t/${table}`, ready: row, figures: /1 request8 read, 8 returned0.5 RCU[\d.]+ m?s$/ },
  {
    view: 'an index',
    path: `/t/${table}/i/GSI1`,
    ready: row,
    figures: /1 request6 read, 6 returned0.5 RCU[\d.]+ m?s$/,
  },
  {
    view: 'a collection beside an item',
    path: `${alex}&item=${item}`,
    ready: async (page) => {
      await row(page);
      await page.getByLabel('Name', { exact: true }).waitFor();
    },
    figures: /2 requests5 read, 5 returned1.5 RCU[\d.]+ m?s$/,
  },
  {
    view: 'a collection that is not there',
    path: `/t/${table}?pk=S%3ACUSTOMER%23nobody`,
    ready: (page) => page.getByText(/has no items with the partition key/).waitFor(),
    figures: /1 request0 read, 0 returned0.5 RCU[\d.]+ m?s$/,
  },
  {
    view: 'a query',
    path: `/q/${table}?pk=S%3ACUSTOMER%23alex&sk=begins_with%3A%23ORDER%23&run=1`,
    ready: (page) =>
      page
        .getByRole('row', { name: /ACCEPTED/ })
        .nth(2)
        .waitFor(),
    figures: /\d requests?3 read, 3 returned0.5 RCU[\d.]+ m?s$/,
  },
  {
    view: 'a statement',
    path: `/sql?run=1&s=${statement}`,
    ready: (page) =>
      page
        .getByRole('row', { name: /ACCEPTED/ })
        .nth(2)
        .waitFor(),
    figures: /\d requests?4 read, 4 returned0.5 RCU[\d.]+ m?s$/,
  },
  {
    view: 'a pattern that ran',
    path: '/m?p=customerWithOrders&in={"username":"alex"}',
    ready: async (page) => {
      await page.getByRole('button', { name: /^Run Ctrl/ }).click();
      await page.getByTestId('run-sums').waitFor();
    },
    figures: /\d requests?4 read, 4 returned0.5 RCU[\d.]+ m?s$/,
  },
  {
    view: 'a stream from its start',
    path: `/streams/${table}?from=start`,
    ready: (page) => page.locator('.record').nth(7).waitFor(),
    // Each open shard is asked until it has nothing more.
    figures: /\d+ requests\d+ read, \d+ returned\d+ stream RRU[\d.]+ m?s$/,
  },
  {
    view: 'heat',
    path: `/heat/${table}`,
    ready: (page) => page.getByRole('slider', { name: 'Range of hashes' }).waitFor(),
    figures: /\d+ requests?0 read, 0 returned0 RCU[\d.]+ m?s$/,
  },
  {
    view: 'requests',
    path: '/requests',
    ready: (page) => page.getByText('live', { exact: true }).waitFor(),
    figures: /\d+ requests?0 read, 0 returned0 RCU[\d.]+ m?s$/,
  },
  {
    view: 'migrations',
    path: '/migrations',
    ready: (page) =>
      page
        .getByText(/e-commerce/)
        .first()
        .waitFor(),
    figures: /\d+ requests?0 read, 0 returned0 RCU[\d.]+ m?s$/,
  },
  {
    view: 'settings',
    path: '/settings',
    ready: (page) => page.getByText('us-east-1, 000000000000').waitFor(),
    figures: /\d+ requests?0 read, 0 returned0 RCU[\d.]+ m?s$/,
  },
];

/** The parts of the strip that a person cannot see as a whole: without a size, cut off by the strip, or beyond the window. */
function unseen(page: Page): Promise<readonly string[]> {
  return page.locator('.strip').evaluate((strip) => {
    const whole = strip.getBoundingClientRect();
    return [...strip.querySelectorAll<HTMLElement>('.sums > :not(.subject)')].flatMap((part) => {
      const { left, right, top, bottom, width } = part.getBoundingClientRect();
      const isSeen =
        width > 0 &&
        part.scrollWidth <= part.clientWidth + 1 &&
        left >= whole.left &&
        right <= Math.min(whole.right, window.innerWidth) &&
        top >= whole.top &&
        bottom <= Math.min(whole.bottom, window.innerHeight) &&
        part.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
      return isSeen ? [] : [part.textContent];
    });
  });
}

describe('the strip tells requests, items read and returned, units and time, at every width', () => {
  test.each(views)('WB-22: $view', async ({ path, ready, figures }) => {
    await world.visit(
      path,
      async (page, { picture }) => {
        await ready(page);
        await expect.poll(async () => await page.getByTestId('sums').textContent()).toMatch(figures);
        for (const width of [360, 768, 1280, 2560]) {
          await page.setViewportSize({ width, height: 800 });
          await expect.poll(() => unseen(page), { message: `${width} px` }).toEqual([]);
          // On a phone the code of the last request is beside its name, and the figures are in lines of their own.
          const [name = 0, figure = 0, code = 0] = await page
            .locator('.strip .subject, .strip .sums > :nth-child(2), .strip .forms button:first-child')
            .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().bottom));
          if (width === 360) expect([Math.abs(name - code) < 12, figure - name > 12]).toEqual([true, true]);
          await picture(`strip-${path.replaceAll(/\W+/g, '-').slice(0, 40)}-${width}`);
        }
      },
      { width: 1280 },
    );
  });

  test('WB-22: records that the server sends by itself are counted, and the connection once', async () => {
    await world.visit(`/streams/${table}`, async (page) => {
      await page.getByText('live', { exact: true }).waitFor();
      const before = (await page.getByTestId('sums').textContent()) ?? '';
      expect(before).toMatch(/0 read, 0 returned0 RCU/);
      for (const name of ['one', 'two', 'three']) {
        const Item = { PK: { S: `STRIP#${name}` }, SK: { S: name } };
        await world.database.request('PutItem', { TableName: table, Item });
      }
      await expect.poll(async () => await page.getByTestId('sums').textContent()).toMatch(/3 read, 3 returned0 RCU/);
    });
  });
});
