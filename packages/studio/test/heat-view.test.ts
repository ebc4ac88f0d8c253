import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { createShop } from './shop-table.ts';
import { expectAccessible, expectToFit, openStudio, type StudioWorld } from './studio-world.ts';

const browser = useBrowser();
let world: StudioWorld;

beforeAll(async () => {
  world = await openStudio(browser);
  await createShop(world.database, 40);
  await fetch(`${world.server.url}/_singlet/heat/Shop`); // recorded from here on
  for (let n = 0; n < 200; n += 1) {
    const Item = { PK: { S: 'STATUS#PLACED' }, SK: { S: `ORDER#${n}` } };
    await world.database.request('PutItem', { TableName: 'Shop', Item });
    if (n % 10 > 0) continue;
    const Key = { PK: { S: `CUSTOMER#user00${10 + n / 10}` }, SK: { S: 'none' } };
    await world.database.request('GetItem', { TableName: 'Shop', Key });
  }
});
afterAll(async () => await world.close());

describe('heat', () => {
  test('WB-48, WB-49: the planted key is the first, and what sharding would make of it is said', async () => {
    await world.visit('/heat/Shop', async (page, { picture }) => {
      const keys = page.getByRole('region', { name: 'Hottest keys' }).getByRole('row');
      await keys.nth(1).getByRole('link', { name: 'STATUS#PLACED' }).waitFor();
      expect(await keys.nth(1).textContent()).toMatch(/STATUS#PLACED[89]\d %|STATUS#PLACED100 %/);
      const whatIf = page.getByTestId('what-if');
      await whatIf.getByText('10 requests, at least 5 RCU').waitFor();
      await page.getByLabel('Shards').fill('4');
      await whatIf.getByText('4 requests, at least 2 RCU').waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get('shards')).toBe('4');
      // With n shards the key is at one n-th on each, within a fifth, and its query takes n requests.
      for (const shards of [2, 4, 10]) {
        await page.getByLabel('Shards').fill(String(shards));
        await whatIf.getByText(`${shards} shards, at random`).waitFor();
        const [, now = ''] = /STATUS#PLACED.*?([\d.]+) write units/.exec((await whatIf.textContent()) ?? '') ?? [];
        const [, then = ''] = /at random.*?([\d.]+) write units/.exec((await whatIf.textContent()) ?? '') ?? [];
        expect(Number(now)).toBeGreaterThan(1);
        expect(Math.abs((Number(then) * shards) / Number(now) - 1)).toBeLessThan(0.2);
        await whatIf.getByText(`${shards} requests, at least`).waitFor();
      }
      await picture('heat');
      // The hottest range is the one that the server names for the key.
      const asked = await fetch(
        `${world.server.url}/_singlet/place/Shop?key=${encodeURIComponent(JSON.stringify({ PK: { S: 'STATUS#PLACED' } }))}`,
      );
      const { fraction } = (await asked.json()) as { fraction: number };
      const map = page.getByRole('slider', { name: 'Range of hashes' });
      expect(await map.getAttribute('aria-valuenow')).toBe(String(Math.floor(fraction * 64)));
      await map.press('ArrowDown');
      await expect.poll(() => new URL(page.url()).searchParams.get('row')).toBe(String(Math.floor(fraction * 64) + 1));
      await map.press('ArrowUp');
      await page.getByRole('link', { name: 'Show its items' }).click();
      await page.getByRole('img', { name: 'Heat of hash space' }).waitFor();
      expect(await page.locator('.ruler .level-5').count()).toBe(1); // WB-20
      await picture('heat-ruler');
    });
  });

  test('WB-48: reads, writes and throttles of each range over time are those of the server', async () => {
    const throttling = await openStudio(browser, { throttle: true });
    try {
      const { database, server } = throttling;
      await database.request('CreateTable', {
        TableName: 'Small',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
      });
      await fetch(`${server.url}/_singlet/heat/Small`); // recorded from here on
      const isRefused = async (operation: string, input: object): Promise<boolean> => {
        try {
          await database.request(operation, { TableName: 'Small', ...input });
          return false;
        } catch (error) {
          if ((error as Error).name !== 'ProvisionedThroughputExceededException') throw error;
          return true;
        }
      };
      let refused = 0;
      while (refused < 30) refused += (await isRefused('PutItem', { Item: { id: { S: 'hot' } } })) ? 1 : 0;
      for (const id of ['cold', 'colder']) expect(await isRefused('GetItem', { Key: { id: { S: id } } })).toBe(false);
      interface Rows {
        readonly rows: readonly Readonly<Record<'reads' | 'writes' | 'throttled', readonly number[]>>[];
      }
      const { rows } = (await (await fetch(`${server.url}/_singlet/heat/Small`)).json()) as Rows;
      for (const [kind, series] of [
        ['read', 'reads'],
        ['write', 'writes'],
        ['throttled', 'throttled'],
      ] as const) {
        const touched = rows.flatMap((row, at) => (row[series].some((value) => value > 0) ? [at] : []));
        expect(touched, kind).toHaveLength(kind === 'read' ? 2 : 1);
        await throttling.visit(`/heat/Small?kind=${kind}`, async (page) => {
          const map = page.getByRole('slider', { name: 'Range of hashes' });
          await map.waitFor();
          // The cells that are drawn are in those ranges, and in no others.
          const drawn = async (): Promise<readonly number[]> => {
            const paths = await map
              .locator('path[class^=level-]')
              .evaluateAll((all) => all.map((path) => path.getAttribute('d') ?? ''));
            const cells = [...paths.join('').matchAll(/M\d+ (\d+)h1/g)].map(([, row]) => Number(row));
            return [...new Set(cells)].toSorted((a, b) => a - b);
          };
          expect(await drawn()).toEqual(touched);
          if (kind !== 'throttled') return;
          await map.press('Enter');
          await page.getByText(`, ${refused} throttled.`).waitFor();
        });
      }
    } finally {
      await throttling.close();
    }
  });

  test('WB-24: after a failure the map stays, the view says when it asks again, and it continues by itself', async () => {
    await world.visit('/heat/Shop', async (page, { picture }) => {
      const map = page.getByRole('slider', { name: 'Range of hashes' });
      await map.waitFor();
      let answers = 0;
      await page.route('**/_singlet/heat/**', async (route) => {
        answers += 1;
        await route.fulfill({
          status: 400,
          contentType: 'application/json',
          body: JSON.stringify({ error: 'ThrottlingException', message: 'Rate exceeded for these tests.' }),
        });
      });
      const failure = page.getByRole('region', { name: 'Heat of hash space' }).getByRole('alert');
      await failure.getByText('× ThrottlingException').waitFor();
      await failure.getByText('Rate exceeded for these tests.').waitFor();
      await failure
        .getByText(/^The map shows the heat of \d\d:\d\d:\d\d\. The page asks again in \d+ seconds\.$/)
        .waitFor();
      // Each pause is twice as long as the one before.
      await failure.getByText(/The page asks again in (4|8|16|30) seconds\./).waitFor();
      expect(answers).toBeGreaterThan(1);
      await map.waitFor();
      await expectAccessible(page);
      await picture('heat-failure');
      await page.unroute('**/_singlet/heat/**');
      // Nothing is pressed.
      await failure.waitFor({ state: 'detached' });
      await map.waitFor();
    });
  });

  test('WB-24: another try asks for the heat at once', async () => {
    await world.visit('/settings', async (page) => {
      // The pause of 8 seconds never ends, so that only the button asks.
      await page.addInitScript(() => {
        const later = window.setTimeout.bind(window);
        const isEndless = (ms: unknown): boolean => typeof ms === 'number' && ms >= 8_000;
        const setTimeout = (run: () => void, ms?: number): number => (isEndless(ms) ? 0 : later(run, ms));
        Object.assign(window, { setTimeout });
      });
      const heat = await refusedHeat(page);
      await page.goto(`${world.server.url}/studio/heat/Shop`);
      const failure = page.getByRole('region', { name: 'Heat of hash space' }).getByRole('alert');
      await failure.getByText('The page asks again in 8 seconds.').waitFor();
      heat.isRefused = false;
      await failure.getByRole('button', { name: 'Try again' }).click();
      await failure.waitFor({ state: 'detached' });
    });
  });

  test('WB-24: on the ruler the heat continues after a failure, too', async () => {
    await world.visit('/settings', async (page) => {
      const heat = await refusedHeat(page);
      await page.goto(`${world.server.url}/studio/t/Shop?heat=on`);
      await page.getByText('Not authorized, in these tests.').waitFor();
      heat.isRefused = false;
      await page.getByRole('img', { name: 'Heat of hash space' }).waitFor();
    });
  });

  test('an earlier time is shown as it was, and its address shows it again', async () => {
    let nowMs = Date.UTC(2026, 0, 1, 8);
    const past = await openStudio(browser, { clock: { nowMs: () => nowMs } });
    try {
      await createShop(past.database, 2);
      await fetch(`${past.server.url}/_singlet/heat/Shop`); // recorded from here on
      nowMs += 60_000;
      const Item = { PK: { S: 'STATUS#PLACED' }, SK: { S: 'ORDER#1' } };
      await past.database.request('PutItem', { TableName: 'Shop', Item });
      nowMs += 7 * 60_000;
      await past.visit('/heat/Shop', async (page) => {
        await page.getByText('nothing was written in this time').waitFor();
        const time = page.getByRole('group', { name: 'Time shown' });
        expect(await time.getByRole('button', { name: 'Now' }).isDisabled()).toBe(true);
        await time.getByRole('button', { name: 'Earlier' }).click();
        await page.getByText('hottest cell').waitFor();
        await expect.poll(() => time.getByRole('button', { name: 'Earlier' }).isDisabled()).toBe(true); // not recorded
        await page.reload();
        await page.getByText('hottest cell').waitFor();
        await time.getByRole('button', { name: 'Later' }).click();
        await page.getByText('nothing was written in this time').waitFor();
        // Hours later it is in the last day.
        nowMs += 5 * 3_600_000;
        await page.getByRole('link', { name: '24 h' }).click();
        await page.getByText('hottest cell').waitFor();
        await page.reload();
        await page.getByText('hottest cell').waitFor();
        await page.getByRole('link', { name: '1 h', exact: true }).click();
        await page.getByText('nothing was written in this time').waitFor();
        await page.getByRole('link', { name: '5 min', exact: true }).click();
        await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(false);
      });
    } finally {
      await past.close();
    }
  });

  test.each([
    [360, true],
    [1280, false],
    [2560, true],
  ])('WB-08, WB-10: %i px wide, dark: %s', async (width, isDark) => {
    await world.visit(
      '/heat/Shop',
      async (page, { picture }) => {
        await page.getByTestId('what-if').waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`heat-${width}-${isDark ? 'dark' : 'light'}`);
      },
      { width, isDark },
    );
  });
});

describe('settings', () => {
  test.each([
    [360, true],
    [1280, false],
  ])('WB-08, WB-09, WB-10: the server, theme and keys, %i px wide, dark: %s', async (width, isDark) => {
    await world.visit(
      '/settings',
      async (page, { picture }) => {
        await page.getByText('us-east-1, 000000000000').waitFor();
        await page.getByRole('region', { name: 'Weather' }).getByText('Clear.').waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`settings-${width}-${isDark ? 'dark' : 'light'}`);
        await page.getByRole('button', { name: isDark ? 'light' : 'dark', exact: true }).click();
        const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(background).toBe(isDark ? 'rgb(251, 250, 248)' : 'rgb(16, 18, 20)');
      },
      { width, isDark },
    );
  });

  test('single letters do nothing where they are turned off', async () => {
    await world.visit('/settings', async (page) => {
      await page.getByLabel('Single letters are shortcuts').uncheck();
      await page.getByRole('heading', { name: 'Keys' }).click();
      await page.keyboard.press('t');
      await page.keyboard.press('g');
      await page.keyboard.press('m');
      expect(new URL(page.url()).pathname).toBe('/studio/settings');
      await page.getByLabel('Single letters are shortcuts').check();
      await page.getByRole('heading', { name: 'Keys' }).click();
      await page.keyboard.press('t');
      await page.getByRole('searchbox', { name: 'Search tables and indexes' }).waitFor();
    });
  });
});

/** Refuses requests for heat while `isRefused`. */
async function refusedHeat(page: Page): Promise<{ isRefused: boolean }> {
  const state = { isRefused: true };
  await page.route('**/_singlet/heat/**', async (route) => {
    if (!state.isRefused) return await route.fallback();
    await route.fulfill({
      status: 400,
      contentType: 'application/json',
      body: JSON.stringify({ error: 'AccessDeniedException', message: 'Not authorized, in these tests.' }),
    });
  });
  return state;
}
