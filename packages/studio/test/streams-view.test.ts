import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { Page } from 'playwright-core';
import { createConsumer } from 'singlet/consumer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { createShop } from './shop-table.ts';
import { expectAccessible, expectToFit, openStudio, type StudioWorld } from './studio-world.ts';

const browser = useBrowser();
/** As long as the browser waits: the machine may be busy. */
let world: StudioWorld;
const wide = { width: 1280 };

beforeAll(async () => {
  world = await openStudio(browser);
  await createShop(world.database, 10);
  await world.database.request('UpdateTimeToLive', {
    TableName: 'Shop',
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
  });
});
afterAll(async () => await world.close());

const order = { PK: { S: 'CUSTOMER#alexdebrie' }, SK: { S: '#ORDER#1VrgXBQ00000000' } };

async function setStatus(status: string): Promise<void> {
  await world.database.request('UpdateItem', {
    TableName: 'Shop',
    Key: order,
    UpdateExpression: 'SET #s = :s',
    ExpressionAttributeNames: { '#s': 'Status' },
    ExpressionAttributeValues: { ':s': { S: status } },
  });
}

async function openLive(page: Page): Promise<void> {
  await page.getByText('live', { exact: true }).waitFor();
}

const records = (page: Page): ReturnType<Page['locator']> => page.locator('.record');

describe('streams', () => {
  test('WB-50: inserts, changes and removals appear with what they changed, filtered by kind, entity and key', async () => {
    await world.visit(
      '/streams/Shop',
      async (page, { picture }) => {
        await openLive(page);
        const Item = {
          PK: { S: 'CUSTOMER#new' },
          SK: { S: 'CUSTOMER#new' },
          Type: { S: 'Customer' },
          Name: { S: 'New' },
        };
        await world.database.request('PutItem', { TableName: 'Shop', Item });
        await setStatus('PACKED');
        await setStatus('POSTED');
        await world.database.request('DeleteItem', { TableName: 'Shop', Key: { PK: Item.PK, SK: Item.SK } });
        await expect.poll(async () => await records(page).count()).toBe(4);
        expect(await page.getByTestId('pace').textContent()).toMatch(/^[\d.]+\/s$/);
        const change = records(page).filter({ hasText: 'POSTED' });
        await change.getByText('~ MODIFY').waitFor();
        expect(await change.locator('del').textContent()).toBe('PACKED');
        expect(await change.locator('ins').textContent()).toBe('POSTED');
        await records(page).filter({ hasText: '+ INSERT' }).getByText('New', { exact: true }).waitFor();
        await records(page).filter({ hasText: '− REMOVE' }).waitFor();
        await picture('streams');
        await page.getByRole('button', { name: 'INSERT' }).click();
        await expect.poll(async () => await records(page).count()).toBe(1);
        await page.getByRole('button', { name: 'INSERT' }).click();
        await page.getByLabel('Entity').selectOption('Order');
        await expect.poll(async () => await records(page).count()).toBe(2);
        await page.getByLabel('Entity').selectOption('all entities');
        await page.getByLabel('Key', { exact: true }).fill('#new');
        await expect.poll(async () => await records(page).count()).toBe(2);
        expect(new URL(page.url()).search).toBe('?key=%23new');
      },
      wide,
    );
  });

  test('WB-50: over a connection that breaks no record is lost or shown twice', async () => {
    await world.visit('/streams/Shop', async (page) => {
      await openLive(page);
      await setStatus('ONE');
      await records(page).filter({ hasText: 'ONE' }).first().waitFor();
      await page.context().setOffline(true);
      await setStatus('TWO');
      await setStatus('THREE');
      await page.context().setOffline(false);
      await setStatus('FOUR');
      await records(page).filter({ hasText: 'FOUR' }).waitFor();
      const now = await records(page).locator('ins').allTextContents();
      expect(now).toEqual(['FOUR', 'THREE', 'TWO', 'ONE']);
      // Again and again, with more records than one answer has, and of every kind.
      const wanted: string[] = [];
      for (let round = 0; round < 4; round += 1) {
        await page.context().setOffline(round % 2 === 0);
        for (let n = 0; n < 10; n += 1) {
          const name = `R${round}N${n}`;
          wanted.push(name);
          const key = { PK: { S: 'RECONNECT' }, SK: { S: `#${name}#` } };
          await world.database.request('PutItem', { TableName: 'Shop', Item: { ...key, Name: { S: name } } });
          if (n % 5 === 0) await world.database.request('DeleteItem', { TableName: 'Shop', Key: key });
        }
      }
      await page.context().setOffline(false);
      await page.getByLabel('Key', { exact: true }).fill('RECONNECT');
      await expect.poll(() => records(page).count()).toBe(wanted.length + 8);
      const inserted = await records(page).filter({ hasText: '+ INSERT' }).locator('ins').allTextContents();
      expect(inserted.filter((each) => each.startsWith('R')).toSorted()).toEqual(wanted.toSorted());
      expect(await records(page).filter({ hasText: '− REMOVE' }).count()).toBe(8);
    });
  });

  test('WB-04, WB-51: read from the start, with what the server reports of the stream and of time to live', async () => {
    const past = { TableName: 'Shop', Item: { PK: { S: 'old' }, SK: { S: 'old' }, expiresAt: { N: '1' } } };
    await world.visit(
      '/streams/Shop',
      async (page) => {
        await page.getByRole('button', { name: 'Read from the start' }).click();
        await expect.poll(async () => await records(page).count()).toBeGreaterThan(48);
        const count = await records(page).count();
        await page.getByText(/NEW_AND_OLD_IMAGES: \d+ records in \d shards?, \d open/).waitFor();
        await page.getByText('TTL expiresAt: 0 due').waitFor();
        await world.database.request('PutItem', past);
        await page.reload();
        await expect.poll(async () => await records(page).count()).toBeGreaterThan(count);
      },
      wide,
    );
  });

  test('WB-51: expired items that are still there are counted, until they are removed', async () => {
    const nowMs = Date.UTC(2026, 0, 1);
    const expiring = await openStudio(browser, { clock: { nowMs: () => nowMs } });
    try {
      const { database } = expiring;
      await createShop(database, 1);
      await database.request('UpdateTimeToLive', {
        TableName: 'Shop',
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      });
      for (let n = 0; n < 7; n += 1) {
        const expiresAt = { N: String(nowMs / 1000 + (n < 5 ? -60 : 60)) };
        const Item = { PK: { S: `old ${n}` }, SK: { S: 'old' }, expiresAt };
        await database.request('PutItem', { TableName: 'Shop', Item });
      }
      await expiring.visit(
        '/streams/Shop',
        async (page) => {
          await page.getByText('TTL expiresAt: 5 due').waitFor();
          await database.sweepExpiredItems();
          await page.getByText('TTL expiresAt: 0 due').waitFor();
        },
        wide,
      );
    } finally {
      await expiring.close();
    }
  });

  test('WB-51: the lag of replicas is that of the server, and goes when they have caught up', async () => {
    const replicated = await openStudio(browser, { replicationMs: 'on-demand' });
    try {
      const { database, server } = replicated;
      await createShop(database, 2);
      await database.request('UpdateTable', {
        TableName: 'Shop',
        ReplicaUpdates: [{ Create: { RegionName: 'eu-west-1' } }],
      });
      while (!(await database.replicate()).isSettled);
      for (const name of ['one', 'two', 'three']) {
        await database.request('PutItem', { TableName: 'Shop', Item: { PK: { S: name }, SK: { S: name } } });
      }
      const answer = await fetch(`${server.url}/_singlet/replicas`);
      const { replicas } = (await answer.json()) as { replicas: { from: string; pendingItemCount: number }[] };
      expect(replicas.find(({ from }) => from === 'us-east-1')?.pendingItemCount).toBe(3);
      await replicated.visit(
        '/streams/Shop',
        async (page, { picture }) => {
          await page.getByText(/us-east-1 to eu-west-1: 3 items pending, \d[\d.]* m?s behind/).waitFor();
          await page.getByText('eu-west-1 to us-east-1: 0 items pending').waitFor();
          await picture('streams-replicas');
          await expectToFit(page);
          while (!(await database.replicate()).isSettled);
          await page.reload();
          await page.getByText('us-east-1 to eu-west-1: 0 items pending').waitFor();
        },
        wide,
      );
    } finally {
      await replicated.close();
    }
  });

  test('WB-51: a reader of the stream is named, with what it has not read yet', async () => {
    const read = await openStudio(browser);
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const connection = { endpoint: read.server.url, region: 'us-east-1', credentials };
    let doHandle = true;
    const consumer = createConsumer({
      dynamodb: new DynamoDBClient(connection),
      streams: new DynamoDBStreamsClient(connection),
      tableName: 'Shop',
      checkpointTable: 'search-index',
      handler: () => {
        if (!doHandle) throw new TypeError('not now');
      },
    });
    try {
      await createShop(read.database, 2);
      await consumer.start();
      await read.visit(
        '/streams/Shop',
        async (page, { picture }) => {
          const reports = page.getByRole('group', { name: 'Reports' });
          await reports.getByText('search-index: up to date').waitFor();
          doHandle = false;
          const Item = { PK: { S: 'unread' }, SK: { S: 'unread' } };
          await read.database.request('PutItem', { TableName: 'Shop', Item });
          await reports.getByText(/search-index: 1 record unread, [\d.]+ m?s behind/).waitFor();
          await picture('streams-readers');
          await expectToFit(page);
          doHandle = true;
          await reports.getByText('search-index: up to date').waitFor();
        },
        wide,
      );
    } finally {
      await consumer.stop();
      await read.close();
    }
  });

  test('WB-24: a table without a stream says how it gets one', async () => {
    await world.visit('/streams/Nothing', async (page) => {
      await page.getByText('The table Nothing has no stream, or is not here.').waitFor();
      await expectAccessible(page);
    });
  });

  test.each([
    [360, true],
    [1280, false],
    [2560, true],
  ])('WB-08, WB-10: %i px wide, dark: %s', async (width, isDark) => {
    await world.visit(
      '/streams/Shop?from=start',
      async (page, { picture }) => {
        await records(page).first().waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`streams-${width}-${isDark ? 'dark' : 'light'}`);
      },
      { width, isDark },
    );
  });
});
