import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createDatabase, type Database, type DatabaseServer, serve } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../systems/testing/browser.ts';
import { expectSound, visit } from '../systems/testing/visits.ts';

/** The site as a reader has it: built by `npm run build`, served beside the workbench, in a browser that reaches nothing else. */
const built = fileURLToPath(new URL('../packages/studio/dist/page/docs/', import.meta.url));
const browser = useBrowser();
let database: Database;
let server: DatabaseServer;
let docs: string;

beforeAll(async () => {
  expect(existsSync(`${built}index.html`), 'the site is built: npm run build').toBe(true);
  database = await createDatabase();
  server = await serve(database);
  docs = `${server.url}/studio/docs/`;
});
afterAll(async () => {
  await server.close();
  await database.close();
});

type Page = Parameters<Parameters<typeof visit>[2]>[0];

const h1 = async (page: Page): Promise<string> => (await page.locator('h1').first().innerText()).trim();

describe('the site in a browser', () => {
  test('search finds pages and headings by keys only, and says when there is nothing', async () => {
    await visit(browser(), docs, async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('encrytion key'); // misspelled; the guide comes before the decision record
      const results = page.locator('#results');
      await results.getByRole('link').first().waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/encryption\.html/);
      await page.goBack();

      await page.keyboard.press('/');
      await page.keyboard.type('sparse index');
      await results.getByRole('link').nth(1).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      const second = results.getByRole('link').nth(1);
      expect(await second.evaluate((link) => link === document.activeElement)).toBe(true);
      const target = (await second.getAttribute('href')) ?? '';
      await page.keyboard.press('Enter');
      await page.waitForURL(new URL(target, page.url()).href);
      await page.keyboard.press('/');
      await page.keyboard.type('zzzzqqqq');
      await results.getByText('Nothing was found for “zzzzqqqq”.').waitFor();
      await page.keyboard.press('Escape');
      await results.waitFor({ state: 'hidden' });
    });
  });

  test('search works from a page in a folder, where links lead elsewhere', async () => {
    await visit(browser(), `${docs}rules/scan.html`, async (page) => {
      await page.getByRole('searchbox').fill('tutorial');
      await page.locator('#results').getByRole('link').first().click();
      await page.waitForURL(/\/studio\/docs\/tutorial\.html/);
    });
  });

  test('every page is reached by links from the first, and the server has each of them', async () => {
    const seen = new Set<string>();
    const missing: string[] = [];
    const open = [docs];
    while (open.length > 0) {
      const url = open.pop()!;
      if (seen.has(url)) continue;
      seen.add(url);
      const answer = await fetch(url);
      if (answer.status !== 200) missing.push(`${answer.status} ${url}`);
      const body = await answer.text();
      if (!/html/.test(answer.headers.get('content-type') ?? '') || url.includes('/files/')) continue;
      for (const [, to = ''] of body.matchAll(/<(?:a|img|link|script)\b[^>]*\s(?:href|src)="([^"#]+)/g)) {
        const target = new URL(to, url).href;
        if (target.startsWith(docs)) open.push(target);
      }
    }
    expect(missing).toEqual([]);
    expect([...seen].filter((url) => url.endsWith('.html')).length).toBeGreaterThan(300);
  });

  test('links within a page lead to its headings, and the tree marks the page', async () => {
    await visit(browser(), `${docs}testing.html`, async (page) => {
      await page
        .getByRole('navigation', { name: 'On this page' })
        .getByRole('link', { name: 'Members of a seed' })
        .click();
      const heading = page.getByRole('heading', { name: 'Members of a seed' });
      await expect
        .poll(async () => await heading.evaluate((element) => element.getBoundingClientRect().top))
        .toBeLessThan(200);
      expect(await page.locator('[aria-current=page]').innerText()).not.toBe('');
      await page.locator('a[rel=next]').click();
      await page.waitForURL((url) => !url.pathname.endsWith('testing.html'));
      expect(await h1(page)).not.toBe('');
    });
  });

  // The first page, long texts, wide tables, much code, pictures, generated pages.
  test.each([
    'index.html',
    'tutorial.html',
    'compatibility.html',
    'studio.html',
    'strategies/s-47.html',
    'rules/scan.html',
    'systems/blog/index.html',
  ])('%s fits 360 and 1280 px and has no barrier, light and dark', async (name) => {
    await visit(browser(), docs + name, async (_, watched) => {
      await expectSound(watched, `site-${name.replaceAll(/\W/g, '-')}`);
    });
  });

  test('without a network: a page opened as a file has its text, its style and its links', async () => {
    const context = await browser().newContext({ offline: true, viewport: { width: 1280, height: 800 } });
    try {
      const page = await context.newPage();
      await page.goto(pathToFileURL(`${built}when-not.html`).href);
      expect(await h1(page)).toMatch(/not/i);
      const columns = await page.locator('.columns').evaluate((element) => getComputedStyle(element).display);
      expect(columns, 'the style sheet applies').toBe('grid');
      await page.locator('nav.tree a').first().click();
      expect(await h1(page)).not.toBe('');
    } finally {
      await context.close();
    }
  });
});
