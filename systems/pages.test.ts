import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startSite } from './big-time-deals/http/site-server.ts';
import { startSupportDesk } from './support-desk/http/start.ts';
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

describe('support-desk', () => {
  test('a customer opens a ticket, an agent takes, answers and closes it; who comes too late is told so', async () => {
    const database = await openEmbeddedDatabase();
    const server = await startSupportDesk({ database, port: 0, scale: 0.002, say: () => undefined });
    const { url } = server;
    try {
      await visiting(url, async (page, { picture }) => {
        const alert = page.getByRole('alert');
        await page.getByRole('heading', { name: 'Who is calling?' }).waitFor();
        await picture('support-desk-home');
        const newCustomer = page.getByRole('form', { name: 'Create customer' });
        await newCustomer.getByLabel('Name').fill('Ada Keller');
        await newCustomer.getByLabel('E-mail address').fill('nowhere');
        await newCustomer.getByRole('button').click();
        await expectText(alert, /email/i);
        await newCustomer.getByLabel('E-mail address').fill('ada@example.org');
        await newCustomer.getByRole('button').click();
        await page.getByRole('heading', { name: 'Ada Keller' }).waitFor();
        expect(await alert.isVisible()).toBe(false);
        await page.getByLabel('Subject').fill('<i>Export</i> stops half way');
        await page.getByLabel('What is it about?').fill('It worked last week.');
        await page.getByRole('button', { name: 'Open ticket' }).click();
        await page.getByRole('heading', { name: '<i>Export</i> stops half way' }).waitFor();
        await sees(page.locator('.conversation li.customer'), 'It worked last week.');
        const ticketUrl = page.url();

        const agent = await page.locator('#me option').nth(1).textContent();
        const agentId = await page.locator('#me option').nth(1).getAttribute('value');
        await visiting(`${url}/#agent/${agentId}`, async (fresh) => {
          await fresh.getByRole('heading', { name: agent ?? '', exact: true }).waitFor();
          expect(await fresh.locator('#me option:checked').textContent()).toBe(agent);
        });
        await page.locator('#me').selectOption({ index: 1 });
        await page.getByRole('heading', { name: agent ?? '', exact: true }).waitFor();
        await page.goto(ticketUrl);
        await page.getByRole('button', { name: 'Take it' }).click();
        await page.getByRole('link', { name: 'you', exact: true }).waitFor();
        await page.getByLabel('Write a message').fill('I am looking into it.');
        await page.getByRole('button', { name: 'Send' }).click();
        await sees(page.locator('.conversation li.agent'), 'I am looking into it.');
        await picture('support-desk-ticket');

        await visiting(
          ticketUrl,
          async (other) => {
            await other.getByRole('button', { name: 'Close' }).click();
            await sees(other.locator('main .state'), 'Closed');
            await expectToFit(other);
          },
          { width: PHONE_WIDTH, isDark: true },
        );
        await page.getByRole('button', { name: 'Close' }).click();
        await expectText(alert, /^Ticket: it is closed$/);
        await page.getByRole('button', { name: 'Reopen' }).click();
        await sees(page.locator('main .state'), 'Open');

        await page.getByRole('link', { name: 'Ada Keller' }).click();
        await sees(page, 'Open tickets (1)');
        await page.getByRole('button', { name: 'Show all' }).click();
        await expectCount(page.locator('.subject'), 3);
        await picture('support-desk-customer');
        await page.getByRole('link', { name: 'Support desk' }).click();
        await page.getByRole('link', { name: 'Ada Keller' }).waitFor();
        await page.getByLabel('Id of a customer').fill('absent');
        await page.getByRole('button', { name: 'Look up customer' }).click();
        await expectText(alert, /there is no such one|not/);
      });
    } finally {
      await server.close();
      await database.close();
    }
  });
});
