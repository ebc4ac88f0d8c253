import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDatabase, type Database, type DatabaseServer, serve } from 'singlet';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { localInspection } from '../../singlet/src/cli/model/local-inspection.ts';
import { ServedModels } from '../../singlet/src/cli/model/served-models.ts';
import { createModelInspect } from '../../singlet/src/inspect/index.ts';
import { callEndpoint, type Forwarder, startForwarder } from '../../singlet/src/studio/forwarder.ts';
import { bookShopModel, createTable } from './book-shop.ts';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { createShop } from './shop-table.ts';
import { plantedSecret } from './planted-secret.ts';
import { visiting } from './studio-world.ts';

/*
 * The workbench by itself, for an endpoint that has the public API and nothing else: what is below `/_singlet/`, and every action that
 * is Singlet's own, is refused there, as Amazon's and Alternator's endpoints do.
 */

const browser = useBrowser();
const order = { PK: { S: 'CUSTOMER#alexdebrie' }, SK: { S: '#ORDER#1VrgXBQ00000000' } };
let database: Database;
let server: DatabaseServer;
let endpoint: Server;
let forwarder: Forwarder;
/** With the models of files, as `singlet studio --model` has it. */
let withModels: Forwarder;
const refused: string[] = [];

beforeAll(async () => {
  database = await createDatabase();
  server = await serve(database);
  await createShop(database, 10);
  endpoint = createServer((request, response) => {
    const target = String(request.headers['x-amz-target']);
    const isPublic = request.method === 'POST' && request.url === '/' && /^DynamoDB(Streams)?_20120810\./.test(target);
    if (!isPublic) refused.push(`${request.method} ${request.url} ${target}`);
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        if (!isPublic) {
          response.writeHead(400, { 'content-type': 'application/json' }).end('{"__type":"UnknownOperationException"}');
          return;
        }
        const headers = { 'x-amz-target': target, 'content-type': 'application/x-amz-json-1.0' };
        void fetch(server.url, { method: 'POST', headers, body: Buffer.concat(chunks) }).then(async (answer) => {
          response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
          response.end(Buffer.from(await answer.arrayBuffer()));
        });
      });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const to = {
    endpoint: new URL(`http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`),
    region: 'us-east-1',
    nowMs: () => Date.now(),
    credentials: () => Promise.resolve({ accessKeyId: 'local', secretAccessKey: plantedSecret }),
  };
  forwarder = await startForwarder({ ...to, port: 0 });
  const asDatabase = {
    clientConfig: () => ({ endpoint: to.endpoint.href, region: to.region, credentials: to.credentials }),
    request: (action: string, input: object) => callEndpoint(to, action, input),
  };
  const inspect = createModelInspect({
    models: new ServedModels({ paths: [bookShopModel], tables: {}, database: () => asDatabase }),
    peers: undefined,
    nowMs: to.nowMs,
    pause: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs).unref()),
  });
  withModels = await startForwarder({ ...to, port: 0, inspection: localInspection(inspect, to.region) });
});
afterAll(async () => {
  await forwarder.close();
  await withModels.close();
  endpoint.close();
  endpoint.closeAllConnections();
  await server.close();
  await database.close();
});

const visit = (path: string, story: (page: Page) => Promise<void>): Promise<void> =>
  visiting(browser(), `${forwarder.url}${path}`, story, { width: 1280 });

test('tables, collections, items with their preview and history, queries, PartiQL, streams and the tour work', async () => {
  await visit('', async (page) => {
    await page.getByRole('link', { name: /^Shop/ }).first().click();
    await page.getByRole('grid').waitFor();
    await page.locator('.row.item').first().waitFor();
    const item = encodeURIComponent(JSON.stringify([order.PK, order.SK]));
    await page.goto(`${forwarder.url}/t/Shop?pk=S%3ACUSTOMER%23alexdebrie&item=${item}`);
    await page.getByLabel('Status', { exact: true }).fill('RETURNED');
    await page.getByRole('region', { name: 'What this save changes' }).getByText('2 WCU').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: /Saved. Undo/ }).waitFor();
    const { Item } = (await database.request('GetItem', { TableName: 'Shop', Key: order })) as {
      Item: Record<string, object>;
    };
    expect(Item['Status']).toEqual({ S: 'RETURNED' });
    await page.getByRole('tab', { name: 'History' }).click();
    await page.locator('.version').nth(1).waitFor();

    await page.goto(`${forwarder.url}/q/Shop?pk=S%3ACUSTOMER%23alexdebrie&run=1`);
    await page.getByRole('row', { name: /Customer/ }).waitFor();
    await page.goto(
      `${forwarder.url}/sql?run=1&s=${encodeURIComponent('SELECT * FROM "Shop" WHERE PK = \'CUSTOMER#alexdebrie\'')}`,
    );
    await page.getByRole('row', { name: /Alex DeBrie/ }).waitFor();
    await page.goto(`${forwarder.url}/streams/Shop`);
    await page.getByText('This endpoint sends no events').waitFor();
    await page.getByRole('button', { name: 'Read from the start' }).click();
    await page.locator('.record').first().waitFor();
    await page.getByText('RETURNED', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Read again' }).waitFor();

    await page.goto(`${forwarder.url}/tour/S-29`);
    await page.getByRole('button', { name: 'Create SingletTour' }).click();
    await page.getByRole('button', { name: 'End the tour…' }).waitFor();
    await page.getByRole('button', { name: /Run it/ }).click();
    await page.getByText('One request returns the parent with its children').waitFor();
  });
});

test('with --model, models and patterns work on the endpoint; a write shows its requests before it is sent', async () => {
  await createTable(database, 'EcommerceTable', ['GSI1']);
  const input = {
    customer: { username: 'alex', email: 'alex@example.com', name: 'Alex', createdAt: '2026-11-22T08:00:00Z' },
    reservation: { email: 'alex@example.com', username: 'alex' },
  };
  const run = (pattern: string, given: object): string =>
    `${withModels.url}/m?section=patterns&p=${pattern}&in=${encodeURIComponent(JSON.stringify(given))}`;
  await visiting(
    browser(),
    run('signUp', input),
    async (page) => {
      const runner = page.getByRole('complementary', { name: /^Run / });
      await runner.getByRole('button', { name: /^(Run|Preview)/ }).click();
      const preview = page.getByRole('region', { name: 'What this run writes' });
      await preview.getByText('This endpoint cannot preview a write').waitFor();
      expect(await preview.locator('pre').textContent()).toContain('"TransactItems"');
      const { Count } = (await database.request('Scan', { TableName: 'EcommerceTable' })) as { Count: number };
      expect(Count).toBe(0);
      await page.keyboard.press('Control+Enter');
      await page.getByTestId('run-sums').waitFor();
      await page.goto(run('customerWithOrders', { username: 'alex' }));
      await runner.getByRole('button', { name: /^Run/ }).click();
      await page
        .getByTestId('run-sums')
        .getByText(/1 read/)
        .waitFor();
      await page.goto(`${withModels.url}/t/EcommerceTable`);
      await page.getByTitle('Customer').first().waitFor();
      await page.goto(`${withModels.url}/migrations`);
      await page.getByText(/There is no .*e-commerce.accepted.json/).waitFor();
    },
    { width: 1280 },
  );
});

test('what only Singlet tells says so, and its own requests never reach the endpoint', async () => {
  await visit('/m', async (page) => {
    await page.getByText(/is not a Singlet server and has no models/).waitFor();
    await page.goto(`${forwarder.url}/migrations`);
    await page.getByText(/is not a Singlet server and runs no migrations/).waitFor();
    await page.goto(`${forwarder.url}/heat/Shop`);
    await page.getByText(/is not a Singlet server and reports no heat/).waitFor();
    await page.goto(`${forwarder.url}/requests`);
    await page.getByText(/is not a Singlet server, and has no log of requests/).waitFor();
    await page.goto(`${forwarder.url}/settings`);
    await page.getByText(/is not a Singlet server, and reports no region/).waitFor();
    await page.goto(`${forwarder.url}/t/Shop?heat=on`);
    await page.getByText(/is not a Singlet server, and reports no heat/).waitFor();
    const statement = encodeURIComponent(`SELECT * FROM "Shop" WHERE PK = 'CUSTOMER#alexdebrie'`);
    await page.goto(`${forwarder.url}/sql?run=1&s=${statement}`);
    await page.getByRole('row', { name: /Alex DeBrie/ }).waitFor();
    await page.getByText(/is not a Singlet server, and explains no requests/).waitFor();
    // Nothing has failed, so nothing is an alert, and there is nothing to try again.
    expect(await page.getByRole('alert').count()).toBe(0);
  });
  expect(refused).toEqual([]);
});
