import { createServer, request as ask, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageRoute } from '../../singlet/src/studio/page-files.ts';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { useBookShop } from './book-shop.ts';
import { expectAccessible, expectToFit, visiting } from './studio-world.ts';

const browser = useBrowser();
const world = useBookShop(1, browser);
const table = 'EcommerceTable';
const elsewhere = 'dynamodb.eu-west-1.amazonaws.com';

/** The page as `singlet studio --endpoint https://dynamodb.eu-west-1.amazonaws.com` serves it; the tests' own database answers in its place. */
let production: Server;

beforeAll(async () => {
  const page = pageRoute({ endpoint: elsewhere });
  production = createServer((request, response) => {
    if (page(request, response)) return;
    const { port } = new URL(world.server.url);
    const { method, url, headers } = request;
    const forwarded = ask({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => production.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  production.close();
  production.closeAllConnections();
});

const titles: readonly (readonly [path: string, view: string])[] = [
  ['', 'Tables'],
  [`/t/${table}`, `Items of ${table}`],
  [`/t/${table}/i/GSI1`, `Items of ${table}, GSI1`],
  [`/table/${table}`, `Settings of ${table}`],
  ['/table', 'New table'],
  [`/q/${table}`, `Query of ${table}`],
  ['/sql', 'PartiQL'],
  ['/m', 'Model e-commerce'],
  [`/heat/${table}`, `Heat of ${table}`],
  [`/streams/${table}`, `Stream of ${table}`],
  ['/requests', 'Requests'],
  ['/migrations', 'Migrations'],
  ['/tour/S-29', 'Tour, S-29 '],
  ['/settings', 'Settings'],
];

function escaped(text: string): string {
  return text.replaceAll(/[.()]/g, String.raw`\$&`);
}

describe('the title of the tab names view, table and server', () => {
  test.each(titles)('WB-07: %s is %s', async (path, view) => {
    const { host } = new URL(world.server.url);
    const beginning = view.endsWith(' ') ? view : `${view} · `;
    await world.visit(path, async (page) => {
      await expect.poll(() => page.title()).toMatch(new RegExp(`^${escaped(beginning)}`));
      expect(await page.title()).toMatch(new RegExp(` · ${escaped(host)} · Singlet$`));
    });
  });
});

/** The line above the header of a view. */
const lineOf = (page: Page): ReturnType<Page['getByRole']> =>
  page.getByRole('complementary', { name: 'Not on this machine' });

describe('a server that is not on this machine', () => {
  const at = (path: string): string => `http://127.0.0.1:${(production.address() as AddressInfo).port}/studio${path}`;

  test.each([
    [360, false],
    [1280, true],
  ])('WB-07: has its name on a coloured line above every view, %i px wide, dark: %s', async (width, isDark) => {
    await visiting(
      browser(),
      at(''),
      async (page, { picture }) => {
        for (const [path] of titles) {
          await page.goto(at(path));
          const line = lineOf(page);
          await line.getByText(elsewhere).waitFor();
          await expect.poll(() => page.title()).toContain(` · ${elsewhere} · Singlet`);
          const { y, width: whole } = (await line.boundingBox()) ?? {};
          expect([y, whole]).toEqual([0, width]);
          const colour = await line.evaluate((element) => getComputedStyle(element).backgroundColor);
          expect(colour).toBe(isDark ? 'rgb(230, 180, 80)' : 'rgb(138, 90, 0)'); // that of warnings
        }
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`production-${width}`);
      },
      { width, isDark },
    );
  });

  test('WB-07: asks for the name of the table before many items are changed', async () => {
    await visiting(browser(), at(`/t/${table}?pk=S%3ACUSTOMER%23alex`), async (page) => {
      await page.locator('.row.item').nth(1).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('x');
      await page.keyboard.press('d');
      const remove = page.getByRole('button', { name: /^Delete \d items/ });
      await remove.waitFor();
      expect(await remove.isDisabled()).toBe(true);
      await page.getByLabel(`Type ${table} to continue`).fill(table);
      await expect.poll(() => remove.isDisabled()).toBe(false);
    });
  });

  test('WB-07: and a server on this machine has none of it', async () => {
    await world.visit('', async (page) => {
      await page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor();
      expect(await lineOf(page).count()).toBe(0);
    });
  });
});
