import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { useBookShop } from './book-shop.ts';
import { createShop } from './shop-table.ts';
import { openStudio, useStudio } from './studio-world.ts';

const browser = useBrowser();
const world = useBookShop(2, browser);
const plain = useStudio(async () => {
  const opened = await openStudio(browser);
  await createShop(opened.database, 1);
  for (const SK of ['NOTE#1', 'NOTE#2', 'no prefix'])
    await opened.database.request('PutItem', { TableName: 'Shop', Item: { PK: { S: 'DIARY' }, SK: { S: SK } } });
  return opened;
});

/** By the name of the entity: text and colour of its badges, which have to be the same wherever they are. */
async function badges(page: Page): Promise<Readonly<Record<string, string>>> {
  const all = await page
    .getByRole('main')
    .locator('.badge')
    .evaluateAll((found) =>
      found.map((badge) => [
        badge.getAttribute('title') ?? '',
        `${badge.textContent} ${getComputedStyle(badge).backgroundColor}`,
      ]),
    );
  for (const [name = '', look] of all)
    expect(all.filter(([other]) => other === name).map(([, each]) => each)).toEqual(
      all.filter(([other]) => other === name).map(() => look),
    );
  return Object.fromEntries(all) as Record<string, string>;
}

/** The colour of each entity by its number, in the theme that is shown. */
async function colours(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    const found = Array.from({ length: 8 }, (_, at) => {
      probe.style.setProperty('color', `var(--e${at + 1})`);
      return getComputedStyle(probe).color;
    });
    probe.remove();
    return found;
  });
}

describe('entities', () => {
  test.each([false, true])(
    'WB-12: have the colours of the order in which the model declares them, in every view, dark: %s',
    async (isDark) => {
      const { entities } = (await (await fetch(`${world.server.url}/_singlet/models/e-commerce`)).json()) as {
        entities: readonly { readonly name: string }[];
      };
      const letters = ['Cu', 'CE', 'Or', 'OI'];
      expect(entities.map(({ name }) => name)).toHaveLength(letters.length);
      const statement = encodeURIComponent('SELECT * FROM EcommerceTable');
      const views: Readonly<Record<string, string>> = {
        '/t/EcommerceTable': '.row.item',
        '/t/EcommerceTable/i/GSI1': '.row.item',
        '/streams/EcommerceTable?from=start': '.record',
        '/q/EcommerceTable?run=1': '.item-table tbody tr',
        [`/sql?run=1&s=${statement}`]: '.item-table tbody tr',
        '/m': '.pattern-list a',
        '/m?section=keys': '.sample',
      };
      await world.visit(
        '/settings',
        async (page) => {
          await page.getByRole('heading', { name: 'Connection' }).waitFor();
          const known = await colours(page);
          const wanted = Object.fromEntries(
            entities.map(({ name }, at) => [name, `${badgeOf(name)} ${known[at]}`] as const),
          );
          expect(
            Object.values(wanted)
              .map((look) => look.slice(0, 2))
              .toSorted(),
          ).toEqual(letters.toSorted());
          for (const [path, ready] of Object.entries(views)) {
            await page.goto(`${world.server.url}/studio${path}`);
            await page.locator(ready).first().waitFor();
            await page.locator('main .badge').first().waitFor();
            const shown = await badges(page);
            expect(Object.keys(shown).length, path).toBeGreaterThan(1);
            expect(wanted, path).toMatchObject(shown);
          }
          // The spine of a row has the colour of its badge.
          await page.goto(`${world.server.url}/studio/t/EcommerceTable`);
          await page.locator('.row.item').first().waitFor();
          const rows = await page
            .locator('.row.item')
            .evaluateAll((all) =>
              all.map((row) =>
                ['.spine', '.badge'].map((part) => getComputedStyle(row.querySelector(part) ?? row).backgroundColor),
              ),
            );
          for (const [spine, badge] of rows) expect(spine).toBe(badge);
        },
        { width: 1280, isDark },
      );
    },
  );

  test('WB-12: without a model, are those of the type attribute or of the prefix of the sort key, or none', async () => {
    await plain.visit('/t/Shop', async (page) => {
      await page.locator('.row.item').nth(8).waitFor();
      const shown = Object.keys(await badges(page));
      expect(shown.toSorted()).toEqual(['Customer', 'NOTE', 'Order', 'OrderItem']);
      const row = page.getByRole('row', { name: /^no prefix/ });
      expect(await row.locator('.badge').count()).toBe(0);
      expect(await row.locator('.spine').evaluate((spine) => getComputedStyle(spine).backgroundColor)).toBe(
        'rgba(0, 0, 0, 0)',
      );
    });
  });
});

/** The first letters of the words of a name, or the first two letters of its only word. */
function badgeOf(name: string): string {
  const [first = '', second] = name.match(/[A-Z][a-z]*/g) ?? [];
  return second === undefined ? first.slice(0, 2) : `${first.charAt(0)}${second.charAt(0)}`;
}
