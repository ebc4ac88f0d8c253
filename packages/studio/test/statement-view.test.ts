import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useBookShop } from './book-shop.ts';
import { useShop } from './shop-table.ts';
import { expectAccessible, expectToFit } from './studio-world.ts';

const world = useShop(40);
const books = useBookShop(2);
const wide = { width: 1280 };

const statement = (page: Page): ReturnType<Page['getByLabel']> => page.getByLabel('Statement', { exact: true });
const alex = `SELECT * FROM "Shop" WHERE "PK" = 'CUSTOMER#alexdebrie'`;
const order = { PK: { S: 'CUSTOMER#alexdebrie' }, SK: { S: '#ORDER#1VrgXBQ00000000' } };

async function statusOfOrder(): Promise<unknown> {
  const { Item } = (await world.database.request('GetItem', { TableName: 'Shop', Key: order })) as {
    Item?: Record<string, unknown>;
  };
  return Item?.['Status'];
}

describe('PartiQL', () => {
  test('WB-39: by keys only: completed, explained while it is typed, run, kept without values', async () => {
    await world.visit(
      '/tables',
      async (page, { picture }) => {
        await page.getByRole('row', { name: /^Shop/ }).waitFor();
        await page.keyboard.press('g');
        await page.keyboard.press('l');
        await statement(page).waitFor();
        await page.keyboard.press('f');
        await page.keyboard.type('SELECT * FROM Sh');
        await page.getByRole('option', { name: '"Shop"', exact: true }).waitFor();
        await page.keyboard.press('Tab');
        await expect.poll(async () => await statement(page).inputValue()).toBe('SELECT * FROM "Shop"');
        await page.getByText(/This is a scan: it reads all \d+ items of Shop/).waitFor();
        await page.keyboard.press('End');
        await page.keyboard.type(` WHERE "PK" = 'CUSTOMER#alexdebrie' AND "Status" = 'SHIPPED'`);
        await page.getByText('A page reads 5 items to return 1: Status is looked at after reading.').waitFor();
        await page.keyboard.press('Control+Enter');
        await page.getByRole('link', { name: 'CUSTOMER#alexdebrie' }).waitFor();
        await picture('statement');
        const history = page.getByRole('region', { name: 'History' });
        await history.getByText('SELECT * FROM "Shop" WHERE "PK" = ? AND "Status" = ?').waitFor();
        const kept = await page.evaluate(() => JSON.stringify(Object.entries(window.localStorage)));
        expect(kept).not.toMatch(/alexdebrie|SHIPPED/);
        await page.reload(); // WB-04
        await page.getByRole('link', { name: 'CUSTOMER#alexdebrie' }).waitFor();
      },
      wide,
    );
  });

  test('WB-39: tables, indexes, attributes and entities are completed', async () => {
    await books.visit(
      '/sql',
      async (page) => {
        const completes = async (typed: string, choices: readonly string[], whole: string): Promise<void> => {
          await page.keyboard.type(typed);
          const options = page
            .getByRole('listbox', { name: 'Completions' })
            .locator('[role=option]:not([aria-disabled=true])');
          await expect.poll(() => options.allTextContents()).toEqual(choices);
          await page.keyboard.press('Tab');
          await expect.poll(() => statement(page).inputValue()).toBe(whole);
        };
        await statement(page).click();
        const table = '"EcommerceTable"';
        await completes('SELECT * FROM ec', [table, `${table}."GSI1"`], `SELECT * FROM ${table}`);
        await completes('.', [`${table}."GSI1"`], `SELECT * FROM ${table}."GSI1"`);
        await completes(' WHERE gsi1s', ['"GSI1SK"'], `SELECT * FROM ${table}."GSI1" WHERE "GSI1SK"`);
        // An attribute that is not part of a key is known once items have been seen.
        await statement(page).fill(`SELECT * FROM ${table} WHERE "PK" = 'CUSTOMER#alex'`);
        await page.keyboard.press('Control+Enter');
        await page.locator('.item-table tbody tr').first().waitFor();
        await statement(page).fill(`SELECT * FROM ${table} WHERE `);
        await completes('numberi', ['"NumberItems"'], `SELECT * FROM ${table} WHERE "NumberItems"`);
        await statement(page).fill(`SELECT * FROM ${table} WHERE "Type" = '`);
        await completes('Or', ['Order', 'OrderItem'], `SELECT * FROM ${table} WHERE "Type" = 'Order`);
        // The caret is behind what was inserted before another key can come.
        await statement(page).fill('SELECT * FROM ec WHERE "PK" = 1');
        const [value, caret] = await statement(page).evaluate(async (area: HTMLTextAreaElement, at) => {
          const press = async (key: string, ctrlKey = false): Promise<void> => {
            area.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }));
            await new Promise<void>(queueMicrotask);
            await new Promise<void>(queueMicrotask);
          };
          area.setSelectionRange(at, at);
          await press(' ', true);
          await press('Tab');
          return [area.value, area.selectionStart] as const;
        }, 'SELECT * FROM ec'.length);
        expect([value, caret]).toEqual([`SELECT * FROM ${table} WHERE "PK" = 1`, `SELECT * FROM ${table}`.length]);
      },
      wide,
    );
  });

  test('a write is shown before it is made, and taken back afterwards', async () => {
    const update = `UPDATE "Shop" SET "Status" = 'RETURNED' WHERE "PK" = 'CUSTOMER#alexdebrie' AND "SK" = '${order.SK.S}'`;
    await world.visit(
      `/sql?s=${encodeURIComponent(update)}&run=1`,
      async (page) => {
        const before = await statusOfOrder();
        await page.getByText('UpdateItem').waitFor(); // opened, explained, and not run
        await page.getByRole('button', { name: /Preview the write/ }).click();
        const effects = page.getByRole('region', { name: 'What this statement changes' });
        await effects.getByText('RETURNED').waitFor();
        await effects.getByText('GSI1 the entry stays in place, rewritten').waitFor();
        await effects.getByText('MODIFY, NEW_AND_OLD_IMAGES').waitFor();
        await expectAccessible(page);
        expect(await statusOfOrder()).toEqual(before);
        await page.getByRole('button', { name: /^Write/ }).click();
        await page.getByText('Written.', { exact: true }).waitFor();
        expect(await statusOfOrder()).toEqual({ S: 'RETURNED' });
        await page.getByRole('button', { name: /Written. Undo/ }).click();
        await page.getByText('Undone.').waitFor();
        expect(await statusOfOrder()).toEqual(before);
      },
      wide,
    );
  });

  test('WB-24: what cannot be read is said in the words of the service', async () => {
    await world.visit('/sql?s=SELECT', async (page) => {
      await page.getByRole('alert').getByText('ValidationException').waitFor();
    });
  });

  test.each([
    [360, true],
    [1280, false],
    [2560, true],
  ])('WB-08, WB-10: %i px wide, dark: %s', async (width, isDark) => {
    await world.visit(
      `/sql?s=${encodeURIComponent(alex)}&run=1`,
      async (page, { picture }) => {
        await page.locator('.item-table tbody tr').first().waitFor();
        await page.getByRole('region', { name: 'Explanation' }).waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`statement-${width}-${isDark ? 'dark' : 'light'}`);
      },
      { width, isDark },
    );
  });
});
