import { describe, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { useBookShop } from './book-shop.ts';
import { createShop, useShop } from './shop-table.ts';
import { expectAccessible, expectToFit, openStudio } from './studio-world.ts';
import { isTask, milliseconds, traced } from './trace.ts';

const browser = useBrowser();
const world = useShop(20, browser);
const books = useBookShop(3);
const wide = { width: 1280 };

/** Sends a request as an application does. */
async function send(action: string, input: object, { server } = world, who = 'an-application'): Promise<number> {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${action}`,
      'user-agent': `${who}/1.0`,
      authorization: 'AWS4-HMAC-SHA256 Credential=someone/20260101/us-east-1/dynamodb/aws4_request, Signature=x',
    },
    body: JSON.stringify(input),
  });
  await response.arrayBuffer();
  return response.status;
}

const filtered = {
  TableName: 'Shop',
  FilterExpression: '#s = :s',
  ExpressionAttributeNames: { '#s': 'Status' },
  ExpressionAttributeValues: { ':s': { S: 'SHIPPED' } },
};
const query = {
  TableName: 'Shop',
  KeyConditionExpression: 'PK = :p',
  ExpressionAttributeValues: { ':p': { S: 'CUSTOMER#alexdebrie' } },
};
const mine = '/requests?who=an-application';

describe('requests', () => {
  test('WB-53: a request that is one of a pattern names it, whichever client sent it, and leads to it', async () => {
    await books.visit(
      '/requests',
      async (page, { picture }) => {
        await page.getByText('live', { exact: true }).waitFor();
        const TableName = 'EcommerceTable';
        const row = page.locator('.feed-rows tbody tr');
        const ofCustomer = {
          TableName,
          KeyConditionExpression: 'PK = :p AND SK BETWEEN :from AND :to',
          ExpressionAttributeValues: {
            ':p': { S: 'CUSTOMER#alex' },
            ':from': { S: '#ORDER#' },
            ':to': { S: 'CUSTOMER#alex' },
          },
          ScanIndexForward: false,
        };
        expect(await send('Query', ofCustomer, books)).toBe(200);
        expect(await send('Query', { ...query, TableName }, books)).toBe(200);
        await row.nth(1).waitFor();
        await page.getByLabel('Pattern').selectOption({ label: 'customerWithOrders' });
        await expect.poll(() => row.count()).toBe(1);
        await picture('requests-patterns');
        await expectToFit(page);
        await page.reload(); // WB-04
        await row.first().click();
        await page
          .getByRole('complementary', { name: 'Request' })
          .getByRole('link', { name: /customerWithOrders/ })
          .click();
        await page.getByRole('complementary', { name: 'Run customerWithOrders' }).waitFor();
      },
      wide,
    );
  });

  test('WB-53: each appears as it is sent, with key, units, time and who; scans and errors stand out', async () => {
    await world.visit(
      mine,
      async (page, { picture }) => {
        await page.getByText('live', { exact: true }).waitFor();
        expect(await send('Query', query)).toBe(200);
        expect(await send('Scan', filtered)).toBe(200);
        expect(await send('GetItem', { TableName: 'Shop', Key: {} })).toBe(400);
        const row = (name: RegExp): ReturnType<typeof page.getByRole> => page.getByRole('row', { name });
        await row(/Query Shop CUSTOMER#alexdebrie 5 \/ 5 0.5 R .* someone an-application\/1.0/).waitFor();
        await row(/Scan Shop ! scan/).waitFor();
        await row(/GetItem Shop × ValidationException/).waitFor();
        await picture('requests');
        // What comes in a second and how long it takes, of what is shown.
        const pace = (): Promise<string | null> => page.getByTestId('pace').textContent();
        await expect
          .poll(async () => {
            await send('Query', query);
            return await pace();
          })
          .toMatch(/^[\d.]+\/s · p50 [\d.]+ m?s · p99 [\d.]+ m?s$/);
        await page.getByRole('button', { name: 'Errors' }).click();
        await expect.poll(async () => await page.locator('.feed-rows tbody tr').count()).toBe(1);
        expect(new URL(page.url()).searchParams.get('error')).toBe('1');
        await page.reload(); // WB-04
        await row(/GetItem Shop × ValidationException/).waitFor();
      },
      wide,
    );
  });

  test('WB-53: slow requests stand out, and can be shown alone', async () => {
    const slow = await openStudio(browser, { weather: {} });
    const weather = async (forecast: object): Promise<void> => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(forecast);
      expect((await fetch(`${slow.server.url}/_singlet/weather`, { method: 'PUT', headers, body })).status).toBe(200);
    };
    try {
      await createShop(slow.database, 1);
      await slow.visit(
        '/requests?who=an-application',
        async (page, { picture }) => {
          await page.getByText('live', { exact: true }).waitFor();
          await weather({ Everywhere: { LatencyMs: 400 } });
          for (let n = 0; n < 16; n += 1) await send('Query', query, slow);
          await weather({});
          const { requests } = (await (await fetch(`${slow.server.url}/_singlet/requests?limit=200`)).json()) as {
            requests: readonly { durationMs: number; who: { userAgent: string | null } }[];
          };
          const durations = requests
            .filter(({ who }) => who.userAgent?.startsWith('an-application') === true)
            .map(({ durationMs }) => durationMs);
          expect(durations).toHaveLength(16);
          const count = durations.filter((ms) => ms >= 50).length;
          expect(count).toBeGreaterThan(0);
          const rows = page.locator('.feed-rows tbody tr');
          await expect.poll(() => rows.count()).toBe(16);
          const signs = rows.locator('.sign.warn').filter({ hasText: /^! / });
          expect(await signs.count()).toBe(count);
          await picture('requests-slow');
          await page.getByRole('button', { name: 'Slower than 50 ms' }).click();
          await expect.poll(() => rows.count()).toBe(count);
          expect(new URL(page.url()).searchParams.get('slow')).toBe('50');
        },
        wide,
      );
    } finally {
      await slow.close();
    }
  });

  test('WB-54: by keys only: a request says why it cost what it cost, and what it would read now', async () => {
    await world.visit(
      `${mine}&scan=1`,
      async (page) => {
        await page.getByText('live', { exact: true }).waitFor();
        await send('Scan', filtered);
        await page
          .getByRole('row', { name: /Scan Shop ! scan/ })
          .first()
          .waitFor();
        await page.keyboard.press('ArrowDown');
        const panel = page.getByRole('complementary', { name: 'Request' });
        await panel.getByText(/It is a scan: it read \d+ items/).waitFor();
        await panel.getByText(/the filter is applied after reading/).waitFor();
        await panel.getByText('"FilterExpression": "#s = :s"').waitFor();
        await page.keyboard.press('e');
        await panel.getByText(/This is a scan: it reads all \d+ items of Shop/).waitFor();
        await expectAccessible(page);
        await page.keyboard.press('Escape');
        await panel.waitFor({ state: 'detached' });
      },
      wide,
    );
  });

  test('WB-53: many requests are drawn in few batches, and none is lost', async () => {
    await world.visit('/requests?who=an-application&action=GetItem&table=Shop', async (page) => {
      await page.getByText('live', { exact: true }).waitFor();
      const key = { PK: { S: 'CUSTOMER#alexdebrie' }, SK: { S: 'CUSTOMER#alexdebrie' } };
      await page.evaluate(() => {
        const rows = document.querySelector('.feed-rows');
        const counter = { batches: 0 };
        if (rows) new MutationObserver(() => (counter.batches += 1)).observe(rows, { childList: true, subtree: true });
        Object.assign(window, { counter });
      });
      for (let from = 0; from < 300; from += 50)
        await Promise.all(Array.from({ length: 50 }, () => send('GetItem', { TableName: 'Shop', Key: key })));
      await expect.poll(async () => await page.getByText(/^\d+ of [\d,]+$/).textContent()).toMatch(/^30[01] of/);
      expect(await page.locator('.feed-rows tbody tr').count()).toBe(200);
      const batches = await page.evaluate(
        () => (window as unknown as { counter: { batches: number } }).counter.batches,
      );
      expect(batches).toBeLessThan(300);
    });
  });

  test('WB-53: thousands of requests, as fast as they can be sent, do not freeze the page', async () => {
    await world.visit('/requests?action=GetItem&table=Shop', async (page) => {
      await page.getByText('live', { exact: true }).waitFor();
      const key = { PK: { S: 'CUSTOMER#alexdebrie' }, SK: { S: 'CUSTOMER#alexdebrie' } };
      const row = page.locator('.feed-rows tbody tr').first();
      const events = await traced(browser(), page, async () => {
        let sent = 0;
        const all = (async () => {
          for (; sent < 3_000; sent += 100)
            await Promise.all(Array.from({ length: 100 }, () => send('GetItem', { TableName: 'Shop', Key: key })));
        })();
        // Meanwhile the page does what it is asked to.
        await row.click();
        await page.getByRole('complementary', { name: 'Request' }).waitFor();
        await page.getByRole('button', { name: 'Errors' }).click();
        await expect.poll(() => new URL(page.url()).searchParams.get('error')).toBe('1');
        await page.getByRole('button', { name: 'Errors' }).click();
        await all;
        await send('GetItem', { TableName: 'Shop', Key: { ...key, SK: { S: 'the last one' } } });
        // 2,000 are kept, the newest ones.
        await expect.poll(() => page.getByText(/^[\d,]+ of [\d,]+$/).textContent()).toMatch(/^2,000 of 2,000$/);
      });
      const tasks = events.filter(isTask);
      expect(tasks.length).toBeGreaterThan(50);
      // By the clock of the processor, since the machine may be busy.
      expect(Math.max(...tasks.map(({ tdur }) => milliseconds(tdur)))).toBeLessThan(200);
      expect(await page.locator('.feed-rows tbody tr').count()).toBe(200);
    });
  });

  test.each([
    [360, true],
    [1280, false],
    [2560, true],
  ])('WB-08, WB-10: %i px wide, dark: %s', async (width, isDark) => {
    // One that no other test sends as: a row that is clicked does not move.
    const who = `a-client-at-${width}`;
    await world.visit(
      `/requests?who=${who}`,
      async (page, { picture }) => {
        await page.getByText('live', { exact: true }).waitFor();
        for (let n = 0; n < 5; n += 1) await send('Query', query, world, who);
        await send('Scan', filtered, world, who);
        await page
          .getByRole('row', { name: /! scan/ })
          .first()
          .click();
        await page.getByText(/It is a scan: it read/).waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`requests-${width}-${isDark ? 'dark' : 'light'}`);
      },
      { width, isDark },
    );
  });
});
