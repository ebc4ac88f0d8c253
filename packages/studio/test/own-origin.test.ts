import { expect, test } from 'vitest';
import { openPage, useBrowser } from '../../../systems/testing/browser.ts';
import { useShop } from './shop-table.ts';

const browser = useBrowser();
const world = useShop(2, browser);

const views = [
  '',
  '/t/Shop',
  '/table/Shop',
  '/m',
  '/q/Shop',
  '/sql',
  '/streams/Shop',
  '/requests',
  '/heat/Shop',
  '/migrations',
  '/tour',
  '/settings',
];

/* Every visit of the suite watches for this (`openPage`); here each view is opened for it, and the watch has something to find. */
test('WB-02: no view sends a request to another origin, and a page that tries is stopped and noticed', async () => {
  const { origin } = new URL(world.server.url);
  await world.visit('', async (page) => {
    const asked = new Set<string>();
    page.on('request', (request) => {
      if (request.url().startsWith('http')) asked.add(new URL(request.url()).origin);
    });
    for (const view of views) {
      await page.goto(`${origin}/studio${view}`);
      await page.locator('main').waitFor();
      await page.getByTestId('sums').or(page.locator('.nothing')).first().waitFor();
    }
    expect([...asked]).toEqual([origin]);
  });
  const watched = await openPage(browser(), `${origin}/studio/settings`);
  await watched.page.evaluate(() => fetch('http://127.0.0.1:9/').then(String, String));
  expect(watched.problems.join()).toMatch(/Content Security Policy|asks for/);
  await watched.close();
});
