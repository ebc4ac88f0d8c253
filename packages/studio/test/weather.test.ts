import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { createShop } from './shop-table.ts';
import { expectAccessible, openStudio, useStudio, type StudioWorld } from './studio-world.ts';

const browser = useBrowser();
const openWithWeather = async (): Promise<StudioWorld> => {
  const opened = await openStudio(browser, { weather: {} });
  await createShop(opened.database, 2);
  return opened;
};
const world = useStudio(openWithWeather);
const again = useStudio(openWithWeather);

/** Which of fifty reads of the table were throttled. */
async function throttledReads({ server }: StudioWorld, TableName = 'Shop'): Promise<string> {
  let drawn = '';
  for (let n = 0; n < 50; n += 1) {
    const { status } = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.GetItem' },
      body: JSON.stringify({ TableName, Key: { PK: { S: `CUSTOMER#${n}` }, SK: { S: 'none' } } }),
    });
    drawn += status === 200 ? '.' : 'x';
  }
  return drawn;
}

async function setWeather(page: Page, seed: string): Promise<void> {
  const weather = page.getByRole('region', { name: 'Weather' });
  await weather.getByLabel('Where').selectOption('Shop');
  await weather.getByLabel('Seed').fill(seed);
  await weather.getByLabel('throttling, rate').fill('0.5');
  await weather.getByRole('button', { name: 'Set the weather' }).click();
}

test('WB-55: the weather is off at first, acts on the table it is set for, is named in every view, and a seed repeats it', async () => {
  const drawn: string[] = [];
  for (const [each, seed] of [
    [world, '7'],
    [again, '7'],
    [again, '8'],
  ] as const) {
    await each.visit('/settings', async (page, { picture }) => {
      await page.getByRole('button', { name: 'Set the weather' }).waitFor();
      if (drawn.length < 2) {
        expect(await page.locator('.sky').count()).toBe(0);
        await page.getByRole('banner').getByRole('link', { name: 'Weather: clear' }).waitFor();
        expect(await throttledReads(each)).toBe('.'.repeat(50));
      }
      await setWeather(page, seed);
      await page.locator('.sky').waitFor();
      drawn.push(await throttledReads(each));
      await page.goto(`${each.server.url}/studio/t/Shop`);
      await page.locator('.sky').waitFor(); // where rows are, too
      await picture('weather');
      await page.goto(`${each.server.url}/studio/settings`);
      await page.getByRole('table', { name: 'How often the weather has acted' }).getByText('Shop').first().waitFor();
    });
  }
  expect(drawn[0]).toMatch(/x/);
  expect(drawn[0]).toMatch(/\./);
  expect(drawn[1]).toBe(drawn[0]);
  expect(drawn[2]).not.toBe(drawn[0]);
});

test('WB-55: what is read while the weather acts has a sign that says what happened, and is asked again only then', async () => {
  await world.visit('/settings', async (page, { picture }) => {
    const weather = page.getByRole('region', { name: 'Weather' });
    await weather.getByLabel('Where').selectOption('Shop');
    await weather.getByLabel('throttling, rate').fill('0');
    await weather.getByLabel('short pages, rate').fill('1');
    await weather.getByRole('button', { name: 'Set the weather' }).click();
    await page.locator('.sky').waitFor();
    const open = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: /^Shop/ }).first();
    await open.click();
    const signs = page.getByRole('img', { name: 'While this was read, the weather acted on Shop: short-page' });
    const rows = page.locator('.row.item');
    await signs.first().waitFor();
    await expect.poll(async () => (await signs.count()) === (await rows.count())).toBe(true);
    expect(await rows.count()).toBeGreaterThan(5);
    await picture('weather-signs');
    await expectAccessible(page);

    await page.goto(`${world.server.url}/studio/settings`);
    await weather.getByLabel('short pages, rate').fill('0');
    await weather.getByRole('button', { name: 'Set the weather' }).click();
    await page.locator('.sky').waitFor({ state: 'detached' });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await open.click();
    await rows.nth(5).waitFor();
    expect(await signs.count()).toBe(0);
    expect(asked).not.toContain('/_singlet/weather');
  });
});
