import { expect, test } from 'vitest';
import { startShop } from './e-commerce/http/start.ts';
import { serving } from './testing/applications.ts';
import { useBrowser } from './testing/browser.ts';
import { expectSound, visit } from './testing/visits.ts';

// The strip of costs at the bottom of a screen, as a visitor finds it and leaves it.
const browser = useBrowser();

const ROOM = { width: 1280, height: 900 };

test('the strip is open on the first visit where there is room, and from then on as the visitor has left it', async () => {
  await serving(startShop, async ({ url }) => {
    await visit(browser(), url, async (page, watched) => {
      const isOpen = async (): Promise<boolean> =>
        await page
          .locator('.receipt details')
          .evaluate((strip) => (strip as unknown as { readonly open: boolean }).open);
      const summary = page.locator('.receipt summary');
      for (const [size, open] of [
        [{ width: 1099, height: 900 }, false],
        [{ width: 1280, height: 800 }, false],
        [ROOM, true],
      ] as const) {
        await page.setViewportSize(size);
        await page.goto(url);
        expect([size, await isOpen()]).toEqual([size, open]);
      }
      await page.getByRole('button', { name: 'Continue as reader00000' }).click();
      await page.getByRole('heading', { level: 1, name: 'Your orders' }).waitFor();
      expect(await isOpen()).toBe(true);

      // What the page shows and what it has read are marked together.
      const order = page.locator('main a[href^="/orders/"]').first();
      const id = (await order.getAttribute('href'))?.split('/').at(-1) ?? '';
      const row = page.locator(`.requests [data-key="#ORDER#${id}"]`);
      expect(await page.locator('.requests li').first().textContent()).toMatch(/CUSTOMER#reader00000\s*Customer/);
      await order.hover();
      await expect.poll(async () => await row.getAttribute('data-on')).toBe('');
      await row.hover();
      await expect.poll(async () => await order.getAttribute('data-on')).toBe('');
      await watched.picture('strip-open');

      await summary.press('Enter');
      expect(await isOpen()).toBe(false);
      await page.reload();
      expect(await isOpen()).toBe(false);
      await summary.click();
      await page.setViewportSize({ width: 360, height: 800 });
      await page.reload();
      expect(await isOpen()).toBe(true);
      await expectSound(watched, 'strip');
    });
    await visit(
      browser(),
      url,
      async (page) => {
        await page.setViewportSize(ROOM);
        await page.locator('.receipt summary').click();
        await page.getByText('Access patterns: ').waitFor();
      },
      { scripts: false },
    );
  });
});

test('no key that is a token is listed', async () => {
  await serving(startShop, async ({ url }) => {
    await visit(browser(), url, async (page) => {
      await page.getByRole('button', { name: 'Continue as reader00000' }).click();
      await page.getByRole('heading', { level: 1, name: 'Your orders' }).waitFor();
      const [session] = await page.context().cookies();
      const token = session?.value ?? '';
      expect(token.length).toBeGreaterThan(20);
      expect(await page.content()).not.toContain(token);
      expect(await page.content()).not.toContain('SessionToken');
    });
  });
});
