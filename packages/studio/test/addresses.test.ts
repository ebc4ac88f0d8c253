import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openPage, useBrowser } from '../../../systems/testing/browser.ts';
import { bookShopModel, createBookShop, openModels } from './book-shop.ts';
import { createShop } from './shop-table.ts';
import { useStudio } from './studio-world.ts';

const browser = useBrowser();
const world = useStudio(async () => {
  const opened = await openModels(browser, [bookShopModel]);
  await createBookShop(opened, 3);
  await createShop(opened.database, 60);
  // A request for the log, so that one can be named.
  await fetch(`${opened.server.url}/_singlet/requests`);
  await fetch(opened.server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.Scan' },
    body: JSON.stringify({ TableName: 'Shop', FilterExpression: 'Amount > Amount' }),
  });
  await fetch(`${opened.server.url}/_singlet/heat/Shop`);
  return opened;
});

const key = encodeURIComponent(JSON.stringify([{ S: 'CUSTOMER#alexdebrie' }, { S: '#ORDER#1VrgXBQ00000001' }]));
const alex = '/t/Shop?pk=S%3ACUSTOMER%23alexdebrie';

/** A state of an address, and what is on the screen in it and in no other. */
type State = readonly [path: string, shown: (page: Page) => Promise<unknown>];

const pressed = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, pressed: true }).first().waitFor();
const current = (page: Page, name: string): Promise<void> =>
  page.getByRole('link', { name, exact: true }).and(page.locator('[aria-current]')).first().waitFor();
const has = (page: Page, label: string, value: string): Promise<void> =>
  expect.poll(() => page.getByLabel(label, { exact: true }).first().inputValue()).toBe(value);

const states: readonly State[] = [
  [
    '/tables?q=gsi&sort=size',
    async (page) => {
      await page.getByRole('columnheader', { name: 'Size' }).and(page.locator('[aria-sort]')).waitFor();
      await has(page, 'Search tables and indexes', 'gsi');
    },
  ],
  ['/table/Shop', (page) => page.getByRole('heading', { name: 'Requests to send' }).waitFor()],
  [alex, (page) => page.getByRole('row', { name: /CUSTOMER#alexdebrie 5 items/ }).waitFor()],
  [
    '/t/Shop/i/GSI1?pk=S%3AORDER%231VrgXBQ00000001',
    (page) => page.getByRole('row', { name: /ORDER#1VrgXBQ00000001 2 items/ }).waitFor(),
  ],
  [
    `${alex}&sk=${encodeURIComponent('begins_with:#ORDER#')}`,
    (page) => page.getByRole('row', { name: /CUSTOMER#alexdebrie 4 items/ }).waitFor(),
  ],
  [
    `${alex}&e=Customer`,
    async (page) => {
      await page.getByRole('button', { name: 'Order', pressed: false }).waitFor();
      await expect.poll(() => page.locator('.row.item').count()).toBe(1);
    },
  ],
  [
    '/t/Shop?at=0.7',
    (page) =>
      expect
        .poll(async () =>
          Number(await page.getByRole('slider', { name: 'Place in hash space' }).getAttribute('aria-valuenow')),
        )
        .toBeGreaterThan(55),
  ],
  [`${alex}&item=${key}`, (page) => has(page, 'Status', 'SHIPPED')],
  [`/t/Shop?item=${key}`, (page) => has(page, 'Status', 'SHIPPED')],
  [`${alex}&item=${key}&tab=json`, (page) => page.getByLabel('Item in DynamoDB JSON').waitFor()],
  [`${alex}&item=${key}&tab=indexes`, (page) => page.getByRole('tab', { name: 'Indexes', selected: true }).waitFor()],
  [`${alex}&item=${key}&tab=history`, (page) => page.locator('.version').first().waitFor()],
  [`${alex}&item=new`, (page) => page.getByRole('heading', { name: /^New item/ }).waitFor()],
  [`${alex}&time=0`, (page) => page.getByRole('slider', { name: 'Time' }).waitFor()],
  ['/t/Shop?heat=on', (page) => pressed(page, 'Heat H')],
  [
    '/q/Shop?pk=S%3ACUSTOMER%23alexdebrie&sk=begins_with%3A%23ORDER%23&dir=desc&limit=2&cons=strong&run=1',
    async (page) => {
      await page
        .getByRole('row', { name: /CANCELLED/ })
        .first()
        .waitFor();
      expect(await page.locator('.item-table tbody tr').count()).toBe(2);
      await has(page, 'Limit', '2');
    },
  ],
  [
    '/q/Shop?index=GSI1&as=cli',
    async (page) => {
      // On a page as wide as this all four are shown, and the address keeps the one that a narrow page shows.
      await expect.poll(() => page.locator('.form-pane.chosen header b').textContent()).toBe('CLI');
    },
  ],
  [
    `/sql?run=1&s=${encodeURIComponent(`SELECT * FROM Shop WHERE PK = 'CUSTOMER#alexdebrie'`)}`,
    (page) => expect.poll(() => page.locator('.item-table tbody tr').count()).toBe(5),
  ],
  [
    '/m/e-commerce?section=patterns&q=order&p=customerWithOrders&in=%7B%22username%22%3A%22alex%22%7D',
    async (page) => {
      await has(page, 'Search patterns', 'order');
      await expect
        .poll(() =>
          page.getByRole('complementary', { name: 'Run customerWithOrders' }).getByLabel('username').inputValue(),
        )
        .toBe('alex');
    },
  ],
  ['/m?section=keys', (page) => page.getByRole('region', { name: 'Items of GSI1' }).waitFor()],
  ['/m?section=cost', (page) => page.getByRole('region', { name: 'Cost of each pattern' }).waitFor()],
  [
    '/m?section=decisions',
    (page) => page.getByRole('region', { name: 'Decisions' }).getByRole('listitem').first().waitFor(),
  ],
  [
    '/heat/Shop?minutes=1440&kind=read&row=9&shards=7',
    async (page) => {
      await current(page, '24 h');
      await current(page, 'Reads');
      await expect
        .poll(() => page.getByRole('slider', { name: 'Range of hashes' }).getAttribute('aria-valuenow'))
        .toBe('9');
      await page.getByRole('region', { name: 'What if' }).waitFor();
    },
  ],
  ['/heat/Shop/i/GSI1', (page) => has(page, 'Table or index', 'GSI1')],
  [
    '/streams/Shop?entity=Order&kind=INSERT&key=alexdebrie&from=start',
    async (page) => {
      await page.locator('.record').nth(3).waitFor();
      await expect.poll(() => page.locator('.record').count()).toBe(4);
      await pressed(page, 'INSERT');
      await has(page, 'Key', 'alexdebrie');
    },
  ],
  [
    '/requests?table=Shop&action=Scan&scan=1',
    (page) =>
      page
        .getByRole('row', { name: /Scan Shop ! scan/ })
        .first()
        .waitFor(),
  ],
  [
    '/requests?who=none&slow=50&error=1',
    async (page) => {
      await page.getByText('live', { exact: true }).waitFor();
      await pressed(page, 'Errors');
    },
  ],
  ['/tour/S-29?step=2', (page) => expect.poll(() => page.getByTestId('step').textContent()).toMatch(/^2\//)],
  [
    '/migrations',
    (page) =>
      page
        .getByText(/e-commerce/)
        .first()
        .waitFor(),
  ],
  ['/settings', (page) => page.getByRole('heading', { name: 'Connection' }).waitFor()],
];

describe('WB-04: the address is the state', () => {
  test.each(states)(
    'WB-04: %s: by a copied link in a fresh browser, by reload, and by back and forward',
    async (path, shown) => {
      const url = `${world.server.url}/studio${path}`;
      const { page, problems, close } = await openPage(browser(), url, { width: 1280 });
      await shown(page);
      const settled = page.url();
      // A part that is unknown, or is what is shown without it, may be left out; nothing else.
      expect(decodeURIComponent(settled)).toBe(decodeURIComponent(url));
      await page.reload();
      await shown(page);
      await page.getByRole('link', { name: path === '/settings' ? 'Tour' : 'Settings', exact: true }).click();
      await page
        .getByRole('main')
        .locator(path === '/settings' ? '.tour' : '.settings')
        .waitFor();
      await page.goBack();
      await shown(page);
      expect(page.url()).toBe(settled);
      await page.goForward();
      await page
        .getByRole('main')
        .locator(path === '/settings' ? '.tour' : '.settings')
        .waitFor();
      await page.goBack();
      await shown(page);
      expect(problems).toEqual([]);
      await close();
    },
  );

  test.each([undefined, 'GSI1'])(
    'WB-04: an item that the address names is shown in its row, wherever in a whole table or index it is: %s',
    async (index) => {
      const { Items } = (await world.database.request('Scan', {
        TableName: 'Shop',
        ...(index !== undefined && { IndexName: index }),
      })) as { Items: readonly Readonly<Record<string, { S: string }>>[] };
      expect(Items.length).toBeGreaterThan(230); // more than the first page has
      for (const item of [Items[Math.floor(Items.length / 2)], Items.at(-12), Items[3]]) {
        if (item === undefined) throw new TypeError('the item is not there');
        const place = encodeURIComponent(JSON.stringify([item['PK'], item['SK']]));
        await world.visit(
          `/t/Shop${index === undefined ? '' : `/i/${index}`}?item=${place}`,
          async (page, { picture }) => {
            const row = page.locator('.row.item.open');
            await row.and(page.locator('[aria-selected=true]')).waitFor();
            await expect
              .poll(() =>
                row.evaluate((element) => {
                  const { top, bottom } = element.getBoundingClientRect();
                  const grid = element.closest('.grid')?.getBoundingClientRect();
                  return grid !== undefined && top >= grid.top - 1 && bottom <= grid.bottom + 1;
                }),
              )
              .toBe(true);
            // Its neighbours are those that it has in the order of the service.
            const at = Items.indexOf(item);
            const leading = index === undefined ? 'SK' : `${index}SK`;
            const after = Items.slice(at + 1, at + 4).map((each) => each[leading]?.S);
            await expect
              .poll(() =>
                page.evaluate(() => {
                  const rows = [...document.querySelectorAll<HTMLElement>('.row.item')];
                  rows.sort((a, b) => Number(a.dataset['row']) - Number(b.dataset['row']));
                  const open = rows.findIndex((row) => row.classList.contains('open'));
                  return rows.slice(open + 1, open + 4).map((row) => row.querySelector('.key')?.textContent);
                }),
              )
              .toEqual(after);
            await picture(`item-by-address-${at}`);
          },
          { width: 1280 },
        );
      }
    },
  );

  test('WB-04: what is unknown in an address is dropped, and never an error', async () => {
    for (const path of [
      '/nowhere',
      '/t',
      '/heat/Shop?minutes=7&row=x',
      '/tables?sort=colour',
      '/t/Shop?at=9&tab=none',
      '/%E0%A4%A',
    ]) {
      const { page, problems, close } = await openPage(browser(), `${world.server.url}/studio${path}`);
      await page.locator('main .strip').waitFor();
      expect([path, problems]).toEqual([path, []]);
      await close();
    }
  });
});
