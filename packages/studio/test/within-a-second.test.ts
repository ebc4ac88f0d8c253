import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useShop } from './shop-table.ts';

const world = useShop(20);

/*
 * What happens elsewhere is shown within a second. The server looks for events every 200 milliseconds; what is left of the second is measured by
 * the clock of the page, which only the test moves. So a busy machine, which may need longer for everything, makes no difference.
 */
const serverMs = 200;

const countArrivals = `
  window.arrived = 0;
  const Source = window.EventSource;
  window.EventSource = class extends Source {
    constructor(...given) {
      super(...given);
      this.addEventListener('record', () => (window.arrived += 1));
    }
  };
`;

async function openWithClock(page: Page, path: string, isLive: () => Promise<void>): Promise<void> {
  await page.addInitScript(countArrivals);
  await page.clock.install();
  await page.goto(`${world.server.url}/studio${path}`);
  await isLive();
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
}

/** Waits until this many records have reached the page, and lets the rest of a second pass. */
async function untilSecondHasPassed(page: Page, records: number): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { arrived: number }).arrived))
    .toBeGreaterThanOrEqual(records);
  await page.clock.runFor(1000 - serverMs);
}

const order = (id: string) => ({ PK: { S: 'CUSTOMER#alexdebrie' }, SK: { S: `#ORDER#${id}` } });

async function setAmount(id: string, amount: string): Promise<void> {
  await world.database.request('UpdateItem', {
    TableName: 'Shop',
    Key: order(id),
    UpdateExpression: 'SET Amount = :a',
    ExpressionAttributeValues: { ':a': { N: amount } },
  });
}

test.each([
  ['a collection', '/t/Shop?pk=S%3ACUSTOMER%23alexdebrie'],
  [
    'the whole table',
    `/t/Shop?item=${encodeURIComponent('[{"S":"CUSTOMER#alexdebrie"},{"S":"#ORDER#1VrgXBQ00000001"}]')}`,
  ],
  ['an index', '/t/Shop/i/GSI1?pk=S%3AORDER%231VrgXBQ00000001'],
])(
  'WB-23: in %s an item that is written elsewhere is marked within a second, and nothing moves',
  async (where, path) => {
    await world.visit(
      '/settings',
      async (page) => {
        await openWithClock(page, path, async () => {
          await page.locator('.row.item').first().waitFor();
          await page.locator('.collections[data-live=live]').waitFor();
        });
        const places = (): Promise<readonly string[]> =>
          page
            .locator('.row.item')
            .evaluateAll((rows) =>
              rows.map((row) => `${row.getBoundingClientRect().top} ${row.querySelector('.key')?.textContent}`),
            );
        const before = await places();
        const amount = String(7000 + where.length);
        await setAmount('1VrgXBQ00000001', amount);
        await untilSecondHasPassed(page, 1);
        await page.locator('.row.item.marked-changed').filter({ hasText: amount }).first().waitFor();
        expect(await places()).toEqual(before);
      },
      { width: 1500 },
    );
  },
);

test('WB-50: records of a stream are shown within a second', async () => {
  await world.visit('/settings', async (page) => {
    await openWithClock(page, '/streams/Shop', () => page.getByText('live', { exact: true }).waitFor());
    await setAmount('1VrgXBQ00000002', '8001');
    await setAmount('1VrgXBQ00000002', '8002');
    await untilSecondHasPassed(page, 2);
    await expect.poll(() => page.locator('.record ins').allTextContents()).toEqual(['8002', '8001']);
  });
});
