import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openPage, useBrowser } from '../../../systems/testing/browser.ts';
import { createTable, openModels, bookShopModel } from './book-shop.ts';
import { createShop } from './shop-table.ts';
import { expectAccessible, expectToFit, useStudio } from './studio-world.ts';

const browser = useBrowser();
const world = useStudio(async () => {
  const opened = await openModels(browser, [bookShopModel]);
  await createShop(opened.database, 5);
  await createTable(opened.database, 'EcommerceTable', ['GSI1']);
  return opened;
});
const alex = '/t/Shop?pk=S%3ACUSTOMER%23alexdebrie';

/** Answers an operation in the place of the server, until the returned function is called. */
async function instead(
  page: Page,
  operation: string,
  answer: (route: Route) => Promise<void>,
): Promise<() => Promise<void>> {
  const handler = async (route: Route): Promise<void> => {
    const target = route.request().headers()['x-amz-target'] ?? '';
    if (target.endsWith(`.${operation}`)) await answer(route);
    else await route.fallback();
  };
  await page.route('**/*', handler);
  return () => page.unroute('**/*', handler);
}

function refusal(name: string, message: string): (route: Route) => Promise<void> {
  return async (route) =>
    await route.fulfill({
      status: 400,
      contentType: 'application/x-amz-json-1.0',
      body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message }),
    });
}

describe('WB-24: states', () => {
  test('WB-24: an empty table offers three ways to fill it, each one click, and the first request to copy', async () => {
    await world.visit('/t/EcommerceTable', async (page, { picture }) => {
      const grid = page.getByRole('region', { name: 'Item collections' });
      await grid.getByText('This table has no items.').waitFor();
      expect(await grid.locator('pre').textContent()).toMatch(
        /^aws dynamodb put-item .*"TableName":"EcommerceTable","Item":\{"PK":\{"S":"one"\},"SK":\{"S":"one"\}\}/s,
      );
      await expectAccessible(page);
      await picture('state-empty-table');
      await page.setViewportSize({ width: 360, height: 800 });
      await expectToFit(page);
      await page.setViewportSize({ width: 1000, height: 800 });
      await grid
        .locator('.ways')
        .getByRole('button', { name: /^New item/ })
        .click();
      await page
        .getByRole('complementary', { name: 'Item' })
        .getByRole('heading', { name: /^New item/ })
        .waitFor();
      await page.keyboard.press('Escape');
      await grid.getByRole('link', { name: 'Import a file' }).click();
      await page
        .getByRole('heading', { name: /Import/ })
        .first()
        .waitFor();
      await page.goBack();
      await grid.getByRole('link', { name: 'Run a pattern that creates' }).click();
      await page.getByRole('region', { name: 'Access patterns' }).waitFor();
    });
    await world.visit('/t/EcommerceTable/i/GSI1', async (page) => {
      await page.getByText('This table has no items.').waitFor();
    });
  });

  test('WB-24: an empty result has the request, what it read, and the nearest keys before and after', async () => {
    await world.visit(`${alex}&sk=${encodeURIComponent('=:#ORDER#1VrgXBQ00000001x')}`, async (page, { picture }) => {
      await page.getByText('has no items with the partition key CUSTOMER#alexdebrie and that sort key').waitFor();
      const nearest = page.getByRole('list', { name: 'Nearest keys' }).getByRole('listitem');
      await expect
        .poll(() => nearest.allTextContents())
        .toEqual(['before #ORDER#1VrgXBQ00000001', 'after #ORDER#1VrgXBQ00000002']);
      expect(await page.getByTestId('sums').textContent()).toMatch(/3 requests2 read, 2 returned1.5 RCU/);
      await expectAccessible(page);
      await picture('state-empty-result');
      await nearest.last().getByRole('link').click();
      await page.getByRole('row', { name: /#ORDER#1VrgXBQ00000002/ }).waitFor();
    });
    await world.visit(`${alex}&sk=${encodeURIComponent('>:X')}`, async (page) => {
      const nearest = page.getByRole('list', { name: 'Nearest keys' }).getByRole('listitem');
      await expect.poll(() => nearest.allTextContents()).toEqual(['before CUSTOMER#alexdebrie', 'after nothing']);
    });
  });

  test('WB-24: what takes longer than a moment is drawn as rows in their true heights', async () => {
    await world.visit('/settings', async (page, { picture }) => {
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const end = await instead(page, 'Scan', async (route) => {
        await released;
        await route.fallback();
      });
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: /^Shop/ }).click();
      const awaited = page.getByRole('status', { name: 'Reading' });
      await awaited.waitFor();
      expect(await awaited.evaluate((element) => getComputedStyle(element).animationDelay)).toBe('0.12s');
      const heights = await awaited
        .locator('span')
        .evaluateAll((rows) => rows.slice(0, 3).map((row) => row.getBoundingClientRect().height));
      await picture('state-loading');
      release();
      await page.locator('.row.item').first().waitFor();
      await awaited.waitFor({ state: 'detached' });
      const height = (selector: string): Promise<number> =>
        page
          .locator(selector)
          .first()
          .evaluate((row) => row.getBoundingClientRect().height);
      expect(heights).toEqual([await height('.row.collection'), await height('.row.item'), await height('.row.item')]);
      await end();
    });
  });

  test('WB-24: a failure has the name and the text of the service, the request, and another try, in the place of what failed', async () => {
    await world.visit('/settings', async (page, { picture }) => {
      const end = await instead(page, 'Query', refusal('ThrottlingException', 'Rate exceeded for these tests.'));
      await page.goto(`${world.server.url}/studio${alex}`);
      const failure = page.locator('.grid-place').getByRole('alert');
      await failure.getByText('× ThrottlingException').waitFor();
      await failure.getByText('Rate exceeded for these tests.').waitFor();
      expect(await page.getByTestId('sums').textContent()).toMatch(/^Query Shop4 requests/); // tried again, three times
      await expectAccessible(page);
      await picture('state-failure');
      await end();
      await failure.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('row', { name: /CUSTOMER#alexdebrie 5 items/ }).waitFor();
    });
  });

  test('WB-24: a write that is refused says which action is denied, and keeps what was typed', async () => {
    await world.visit(alex, async (page) => {
      await page.locator('.row.item').first().waitFor();
      await instead(
        page,
        'UpdateItem',
        refusal('AccessDeniedException', 'User reader is not authorized to perform: dynamodb:UpdateItem on Shop'),
      );
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByLabel('Status', { exact: true }).fill('RETURNED');
      await page.getByRole('button', { name: /^Save/ }).click();
      const panel = page.getByRole('complementary', { name: 'Item' });
      await panel.getByRole('alert').getByText('× AccessDeniedException').waitFor();
      await panel.getByText('not authorized to perform: dynamodb:UpdateItem').waitFor();
      expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('RETURNED');
      await panel.getByRole('button', { name: 'Discard' }).click();
    });
  });

  test('WB-24: while the server does not answer, a line says so and what is shown stays; then it goes by itself', async () => {
    const { page, problems, picture, close } = await openPage(browser(), `${world.server.url}/studio/tables`);
    await page.getByRole('row', { name: /^Shop/ }).waitFor();
    const line = page.getByRole('complementary', { name: 'Connection lost' });
    expect(await line.count()).toBe(0);
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await line.getByText('The server does not answer.').waitFor();
    expect(await page.getByRole('row', { name: /^Shop/ }).isVisible()).toBe(true);
    const [below, header] = [await line.boundingBox(), await page.getByRole('banner').boundingBox()];
    expect(below?.y).toBe((header?.y ?? 0) + (header?.height ?? 0));
    await expectAccessible(page);
    await picture('state-lost-connection');
    await page.context().setOffline(false);
    await line.waitFor({ state: 'detached' });
    expect(problems.filter((problem) => !problem.includes('net::ERR_INTERNET_DISCONNECTED'))).toEqual([]);
    await close();
  });
});
