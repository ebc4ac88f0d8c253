import { expect, test } from 'vitest';
import { useBookShop } from './book-shop.ts';
import { expectAccessible } from './studio-world.ts';

const world = useBookShop(1);

test('WB-05: from any view, the palette finds an item by a value that fills a key template of a model, and a pattern', async () => {
  await world.visit('/settings', async (page) => {
    await page.getByRole('heading', { name: 'Connection' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Pattern customerWithOrders/ }).waitFor();
    await page.keyboard.type('alex');
    await page.getByRole('option', { name: /^Key Cu CUSTOMER#alex EcommerceTable/, selected: true }).waitFor();
    await page.getByText(/^Query EcommerceTable · \d requests · [\d.]+ RCU$/).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /CUSTOMER#alex 2 items/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('#customerwith');
    await page.getByRole('option', { name: /customerWithOrders/, selected: true }).waitFor();
    expect(await page.getByRole('listbox', { name: 'Choices' }).getByRole('option').allInnerTexts()).toHaveLength(1);
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Run customerWithOrders' }).waitFor();
  });
});
