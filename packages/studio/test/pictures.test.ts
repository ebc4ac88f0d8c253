import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useBookShop } from './book-shop.ts';

/*
 * The pictures of docs/studio.md. Beside each is the text that was on the page when it was taken: where a view shows another text now, its
 * picture is stale, and `UPDATE_GOLDEN=1` takes both again.
 */

const folder = fileURLToPath(new URL('../../../docs/pictures', import.meta.url));
const isUpdating = process.env['UPDATE_GOLDEN'] === '1';
const world = useBookShop(12);

interface Picture {
  readonly name: string;
  readonly path: string;
  /** What has to be there before it is taken. */
  readonly ready: (page: Page) => Promise<void>;
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

test.each(pictures)('the picture of $name shows what the view shows', async ({ name, path, ready }) => {
  await world.visit(
    path,
    async (page) => {
      await ready(page);
      if (isUpdating) {
        mkdirSync(folder, { recursive: true });
        await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled', caret: 'hide' });
        writeFileSync(join(folder, `${name}.txt`), await textOf(page));
      }
      expect(existsSync(join(folder, `${name}.png`))).toBe(true);
      const shown = readFileSync(join(folder, `${name}.txt`), 'utf8');
      // What is still on its way when the rest is there is waited for.
      await expect.poll(() => textOf(page), { message: 'UPDATE_GOLDEN=1 takes the picture again' }).toBe(shown);
    },
    { width: 1280 },
  );
});

/** The text of a view, without what another run shows otherwise: times, and the order in which requests ended. */
async function textOf(page: Page): Promise<string> {
  const text = await page.evaluate(() =>
    document.querySelector('main')?.innerText.replace(/\n*Requests of this view/, ''),
  );
  const strip = (await page.locator('.strip').innerText()).split('\n');
  const lines = (text ?? '').split('\n').filter((line) => !strip.includes(line));
  return `${lines
    .map((line) =>
      line
        .trim()
        .replaceAll(/\d\d:\d\d(:\d\d)?/g, 'TIME')
        .replaceAll(/[\d.]+ m?s\b/g, 'TIME'),
    )
    .filter((line) => line !== '')
    .join('\n')}\n`;
}
