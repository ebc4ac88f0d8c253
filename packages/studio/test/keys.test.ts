import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useBookShop } from './book-shop.ts';
import { expectAccessible, expectToFit } from './studio-world.ts';

const world = useBookShop(12);
const table = '/t/EcommerceTable';
const alex = `${table}?pk=S%3ACUSTOMER%23alex`;

const focused = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.getAttribute('role'));
/** The text of the row with the keyboard focus. */
const current = (page: Page): Promise<string> =>
  page.locator('.grid').evaluate((grid) => {
    const id = grid.getAttribute('aria-activedescendant');
    return (id === null ? null : document.getElementById(id))?.textContent ?? '';
  });

async function opened(page: Page): Promise<void> {
  await page.locator('.row.item').first().waitFor();
  await page.getByRole('grid').focus();
}

test('WB-06: the keys of a view are listed by ? and by the palette, and the focus returns to where it was', async () => {
  await world.visit(table, async (page, { picture }) => {
    await opened(page);
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByRole('region', { name: 'In this view' }).getByText('open it in its first field').waitFor();
    await dialog.getByRole('region', { name: 'Everywhere' }).getByText('Migrations').waitFor();
    await expectAccessible(page);
    await picture('keys');
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await expectToFit(page);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('grid');
    // In another view it has others.
    await page.goto(`${world.server.url}/studio/requests`);
    await page.getByText('live', { exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('keys of');
    await page.getByRole('option', { name: /Keys of this view/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByText('explain the open request').waitFor();
    expect(await dialog.getByText('peek at it').count()).toBe(0);
  });
});

test('WB-06: from collection to collection, and to the first and the last that is loaded', async () => {
  await world.visit(table, async (page) => {
    await opened(page);
    await page.keyboard.press('Control+ArrowUp');
    const headers = async (): Promise<readonly string[]> =>
      await page.locator('.row.collection .key').allTextContents();
    const [first = '', second = ''] = await headers();
    await expect.poll(() => current(page)).toContain(first);
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => current(page)).toContain(second);
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => current(page)).toContain(first);
    await page.keyboard.press('Alt+ArrowUp'); // there is none before it
    await expect.poll(() => current(page)).toContain(first);
    await page.keyboard.press('Control+ArrowDown');
    await expect.poll(async () => (await headers()).at(-1) ?? '-').toMatch(/./);
    await expect.poll(async () => (await current(page)).includes((await headers()).at(-1) ?? '-')).toBe(true);
  });
});

test('WB-06: by a number to the table and its indexes', async () => {
  await world.visit(table, async (page) => {
    await opened(page);
    await page.keyboard.press('2');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/studio/t/EcommerceTable/i/GSI1');
    await opened(page);
    await page.keyboard.press('3'); // there is none
    await page.keyboard.press('1');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/studio/t/EcommerceTable');
  });
});

test('WB-06: peek shows a whole row without a request, follows the arrows, and leaves the focus where it is', async () => {
  await world.visit(alex, async (page, { picture }) => {
    await opened(page);
    await page.keyboard.press('Home');
    await page.locator('.row.item').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    let requests = 0;
    page.on('request', () => (requests += 1));
    await page.keyboard.press('Space');
    const peek = page.locator('.peek');
    await peek.getByText('ORDER#1VrgXBQ0VCshuQUnh1HrDIHQN00').first().waitFor();
    await peek.getByText('NumberItems').waitFor(); // a column that the row has no room for
    await page.keyboard.press('ArrowDown');
    await peek.getByText('ORDER#1VrgXBQ0VCshuQUnh1HrDIHQN01').first().waitFor();
    await expectAccessible(page);
    await picture('peek');
    expect(await focused(page)).toBe('grid');
    expect(requests).toBe(0);
    await page.keyboard.press('Escape');
    await peek.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('pk')).toBe('S:CUSTOMER#alex'); // Escape has closed one thing
  });
});

test('WB-54: E explains the last read of a collection, where it was made', async () => {
  await world.visit(alex, async (page, { picture }) => {
    await opened(page);
    await page.keyboard.press('e');
    const why = page.getByRole('region', { name: 'Why this request costs what it costs' });
    await why.getByText(/The first page reads 13 items, returns 13 and costs/).waitFor();
    await expectAccessible(page);
    await picture('collection-explained');
    await page.keyboard.press('Escape');
    await why.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('grid');
    await page.goto(`${world.server.url}/studio${table}`);
    await opened(page);
    await page.keyboard.press('e');
    await why.getByText(/This is a scan: it reads all 26 items/).waitFor();
  });
});

test('WB-06, WB-27: D on a row shows what its deletion changes, and deletes nothing by itself', async () => {
  const key = { PK: { S: 'CUSTOMER#alex' }, SK: { S: '#ORDER#1VrgXBQ0VCshuQUnh1HrDIHQN11' } };
  const stored = async (): Promise<unknown> =>
    ((await world.database.request('GetItem', { TableName: 'EcommerceTable', Key: key })) as { Item?: object }).Item;
  await world.visit(
    alex,
    async (page) => {
      await opened(page);
      await page.getByRole('row', { name: /DIHQN11/ }).click({ modifiers: ['ControlOrMeta'] }); // selects it
      await page.keyboard.press('Escape');
      await page.getByRole('grid').focus();
      await page.keyboard.press('d');
      const effects = page.getByRole('region', { name: 'What this deletion changes' });
      await expect.poll(() => effects.textContent()).toMatch(/GSI1the entry is deleted1/);
      expect(await stored()).toBeDefined();
      await page.keyboard.press('Control+Enter');
      await expect.poll(stored).toBeUndefined();
      await page.getByRole('button', { name: /Deleted. Undo/ }).click();
      await expect.poll(stored).toBeDefined();
    },
    { width: 1280 },
  );
});

test('WB-06: R leads to the patterns from any view, and Filter to the query builder with the same keys', async () => {
  await world.visit('/tables', async (page) => {
    await page.getByRole('link', { name: /GSI1/ }).first().waitFor();
    await page.keyboard.press('r');
    await expect.poll(() => new URL(page.url()).search).toBe('?section=patterns');
    await page.goto(`${world.server.url}/studio${alex}&sk=begins_with%3A%23ORDER%23`);
    await opened(page);
    await page.getByRole('link', { name: 'Filter…' }).click();
    await expect.poll(() => page.locator('#query-pk').inputValue()).toBe('CUSTOMER#alex');
    expect(new URL(page.url()).searchParams.get('sk')).toBe('begins_with:#ORDER#');
  });
});

test('WB-04, WB-06: an item opens in place of the rows, which the address keeps, and closes to where it was', async () => {
  await world.visit(
    alex,
    async (page, { picture }) => {
      await opened(page);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Shift+Enter');
      const panel = page.getByRole('complementary', { name: 'Item', exact: true });
      const isFull = async (): Promise<boolean> => ((await panel.boundingBox())?.width ?? 0) > 1000;
      await page.getByLabel('Status', { exact: true }).waitFor();
      await expect.poll(isFull).toBe(true);
      await expectToFit(page);
      await expectAccessible(page);
      await picture('item-full-page');
      await page.reload();
      await page.getByLabel('Status', { exact: true }).waitFor();
      await expect.poll(isFull).toBe(true);
      await page.getByRole('button', { name: 'Full page', pressed: true }).click();
      await expect.poll(isFull).toBe(false);
      await page.getByRole('button', { name: 'Close' }).click();
      expect(await focused(page)).toBe('grid');
      expect(new URL(page.url()).searchParams.get('full')).toBe(null);
    },
    { width: 1280 },
  );
});

test('the panel of an item is as wide as it was dragged or moved by keys, from 320 to 640 px, and stays so', async () => {
  const order = encodeURIComponent(JSON.stringify([{ S: 'CUSTOMER#alex' }, { S: 'CUSTOMER#alex' }]));
  await world.visit(
    `${alex}&item=${order}`,
    async (page) => {
      const width = async (): Promise<number> =>
        (await page.getByRole('complementary', { name: 'Item', exact: true }).boundingBox())?.width ?? 0;
      const edge = page.getByRole('separator', { name: 'Width of the item' });
      await page.getByLabel('Name', { exact: true }).waitFor();
      expect(await width()).toBe(404);
      const { x, y, height } = (await edge.boundingBox()) ?? { x: 0, y: 0, height: 0 };
      await page.mouse.move(x + 3, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x - 97, y + height / 2, { steps: 4 });
      await page.mouse.up();
      expect(await width()).toBe(504);
      await page.reload();
      await page.getByLabel('Name', { exact: true }).waitFor();
      expect(await width()).toBe(504);
      await edge.press('ArrowRight');
      expect(await width()).toBe(484);
      for (let step = 0; step < 12; step += 1) await edge.press('ArrowLeft');
      expect(await width()).toBe(640);
      for (let step = 0; step < 20; step += 1) await edge.press('ArrowRight');
      expect(await width()).toBe(320);
      await expectToFit(page);
      await expectAccessible(page);
      // A narrow page has no room for both.
      await page.setViewportSize({ width: 360, height: 800 });
      await expect.poll(width).toBe(360);
      expect(await edge.isVisible()).toBe(false);
    },
    { width: 1280 },
  );
});
