import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startSite } from './big-time-deals/http/site-server.ts';
import { openPage, useBrowser, type WatchedPage } from './testing/browser.ts';
import { openEmbeddedDatabase } from './testing/databases.ts';

// A visitor clicks through the pages of the applications in a real browser.
const PHONE_WIDTH = 360;
const browser = useBrowser();

/** Runs a visitor's story on a page, which must end without any console output. */
async function visiting(
  url: string,
  story: (page: Page, watched: WatchedPage) => Promise<void>,
  options: Parameters<typeof openPage>[2] = {},
): Promise<void> {
  const watched = await openPage(browser(), url, options);
  try {
    await story(watched.page, watched);
    expect(watched.problems).toEqual([]);
  } finally {
    await watched.close();
  }
}

async function sees(where: Page | Locator, text: string | RegExp): Promise<void> {
  await where.getByText(text).first().waitFor();
}

async function expectText(where: Locator, text: string | RegExp): Promise<void> {
  await expect.poll(async () => await where.textContent()).toMatch(text);
}

async function expectCount(where: Locator, count: number): Promise<void> {
  await expect.poll(async () => await where.count()).toBe(count);
}

async function expectToFit(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE_WIDTH);
}

describe('big-time-deals', () => {
  const TOKEN = 'a-token-of-editors';

  test('a hunter looks, likes, watches and signs up; an editor adds a deal, which reaches both lists and the inbox', async () => {
    const database = await openEmbeddedDatabase();
    const server = await startSite({ database, port: 0, editorToken: TOKEN, seedScale: 0.01, pollIntervalMs: 20 });
    const { url } = server;
    try {
      await visiting(url, async (page, { picture }) => {
        const notice = page.getByRole('status');
        const nav = (name: string) => page.locator('#nav').getByRole('link', { name });
        const rows = page.locator('.list li');
        await expectCount(rows, 25);
        await page.getByRole('button', { name: 'More' }).click();
        await expectCount(rows, 50);
        await picture('big-time-deals-home');
        await page.setViewportSize({ width: 1280, height: 800 });
        const tops = await page.evaluate(
          "[...document.querySelectorAll('header > div > *')].map((each) => each.getBoundingClientRect()).map(({ top, height }) => top + height / 2)",
        );
        expect(Math.max(...(tops as number[])) - Math.min(...(tops as number[]))).toBeLessThan(12);

        await nav('Settings').click();
        await page.getByRole('heading', { name: 'hunter1' }).waitFor();
        await page.getByLabel('You are').fill('clicker');
        await page.getByLabel('You are').press('Enter');
        await page.getByRole('heading', { name: 'clicker' }).waitFor();
        await sees(page, 'There is no such user yet.');
        await page.getByLabel('E-mail address').fill('nowhere');
        await page.getByRole('button', { name: 'Sign up' }).click();
        await expectText(notice, /email/i);
        await page.getByLabel('E-mail address').fill('clicker@example.org');
        await page.getByRole('button', { name: 'Sign up' }).click();
        await expectText(notice, /^Welcome\.$/);
        await page.getByLabel('Birthday').fill('1990-02-03');
        await page.getByRole('button', { name: 'Save' }).click();
        await expectText(notice, /^Saved\.$/);
        await sees(page, /^Member since/);

        await nav('Brands').click();
        await page.getByRole('link', { name: 'Alder Works' }).click();
        await page.getByRole('button', { name: 'Like' }).click();
        await expectText(notice, /^Liked\.$/);
        await page.getByRole('button', { name: 'Like' }).click();
        await expectText(notice, /^You have done so already\.$/);
        await page.getByRole('button', { name: 'Watch' }).click();
        await expectText(notice, /^New deals now come to your inbox\.$/);
        await sees(page, /[1-9]\d* likes, [1-9]\d* watch it/);
        await picture('big-time-deals-brand');

        await nav('Editors').click();
        await page.getByLabel('Title').fill('Umbrella, 20% off');
        await page.getByRole('button', { name: 'Add deal' }).click();
        await expectText(notice, /^This takes the token of an editor\.$/);
        await page.getByLabel('Token').fill(TOKEN);
        await page.getByLabel('Price').fill('12.5');
        await page.getByLabel('Category').selectOption('Fashion');
        await picture('big-time-deals-editors');
        await page.getByRole('button', { name: 'Add deal' }).click();
        await page.getByRole('heading', { name: 'Umbrella, 20% off' }).waitFor();
        await sees(page, '$12.50');
        await picture('big-time-deals-deal');
        await page.getByRole('link', { name: 'Fashion' }).click();
        await expectText(rows.first(), /^Umbrella, 20% off by Alder Works/);

        // The cache of the front page and the messages follow from the stream.
        await expect
          .poll(async () => {
            await nav('Front page').click();
            await page.reload();
            await rows.first().waitFor();
            return await rows.first().textContent();
          })
          .toMatch(/^Umbrella, 20% off/);
        const message = page.locator('.unread', { hasText: 'New from Alder Works: Umbrella, 20% off' });
        await expect
          .poll(async () => {
            await page.goto(`${url}/#/inbox/unread`);
            await page.reload();
            await page.getByRole('heading', { name: 'Inbox' }).waitFor();
            return await message.count();
          })
          .toBe(1);
        await message.getByRole('button', { name: 'Read' }).click();
        await message.waitFor({ state: 'detached' });
        await page.goto(`${url}/#/deal/none`);
        await expectText(notice, /^There is nothing of that name\.$/);
      });
      await visiting(
        url,
        async (page) => {
          await page.locator('.list li').first().waitFor();
          await expectToFit(page);
          await page.goto(`${url}/#/editor`);
          await page.getByRole('heading', { name: 'Tell everybody' }).waitFor();
          await expectToFit(page);
        },
        { width: PHONE_WIDTH, isDark: true },
      );
    } finally {
      await server.close();
      await database.close();
    }
  });
});
