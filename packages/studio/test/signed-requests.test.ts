import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SingletProcess } from '../../singlet/test/singlet-process.ts';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { bookShopModel } from './book-shop.ts';
import { SecretWatch } from './planted-secret.ts';
import { expectAccessible, expectToFit, visiting } from './studio-world.ts';

/* The page of a server that identifies its callers: no view takes the refusals for something else, and each says what to do. */

const browser = useBrowser();
let folder: string;
let server: SingletProcess;
let origin: string;
let accessKey: { readonly accessKeyId: string; readonly secretAccessKey: string };

const TableName = 'Notes';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'singlet-signed-'));
  const [auth, policy] = [join(folder, 'auth.json'), join(folder, 'policy.json')];
  const created = new SingletProcess(['identity', 'create', 'alice', '--json', '--auth', auth]);
  await created.ended;
  accessKey = JSON.parse(created.stdout) as typeof accessKey;
  const Statement = [{ Effect: 'Allow', Action: ['dynamodb:*', 'singlet:*'], Resource: '*' }];
  await writeFile(policy, JSON.stringify({ Version: '2012-10-17', Statement }));
  await new SingletProcess(['identity', 'attach', 'alice', '--policy', policy, '--auth', auth]).ended;
  server = new SingletProcess(['serve', '--port', '0', '--memory', '--auth', auth, '--model', bookShopModel]);
  origin = new URL(await server.ready()).origin;
});
afterAll(async () => {
  await server.end('SIGTERM');
  await rm(folder, { recursive: true });
});

test.each([
  [1280, false],
  [360, true],
])('a server with --auth: each view says that it takes signed requests only, %i px wide', async (width, isDark) => {
  await visiting(
    browser(),
    `${origin}/studio`,
    async (page, { picture }) => {
      for (const path of [
        '',
        '/t/Shop',
        '/q/Shop',
        '/m',
        '/requests',
        '/heat/Shop',
        '/migrations',
        '/tour',
        '/settings',
      ]) {
        await page.goto(`${origin}/studio${path}`);
        const line = page.getByRole('complementary', { name: 'Signatures required' });
        await line.getByText('This server requires signed requests').waitFor();
        await line.getByText(`npx singlet studio --endpoint ${origin}`).waitFor();
        await page.locator('main').waitFor();
        expect(await page.getByText('is not a Singlet server').count(), path).toBe(0);
      }
      await expectToFit(page);
      await expectAccessible(page);
      await picture(`signed-requests-${width}`);
    },
    { width, isDark },
  );
});

test('WB-59: an access key that is typed in signs what the page sends, events too, and is nowhere but in its memory', async () => {
  const client = new DynamoDBClient({ endpoint: origin, region: 'us-east-1', credentials: accessKey });
  await client.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  const put = async (id: string): Promise<unknown> =>
    await client.send(new PutItemCommand({ TableName, Item: { id: { S: id }, text: { S: 'hello' } } }));
  await put('first note');
  await visiting(browser(), `${origin}/studio/settings`, async (page) => {
    const watch = new SecretWatch(page, accessKey.secretAccessKey);
    const form = page.getByRole('form', { name: 'Sign in' });
    await form.getByLabel('Access key ID').fill(accessKey.accessKeyId);
    await form.getByLabel('Secret access key').fill('not the secret');
    await page.keyboard.press('Enter');
    await form.getByRole('alert').getByText('InvalidSignatureException').waitFor();
    await expectAccessible(page);
    await form.getByLabel('Secret access key').fill(accessKey.secretAccessKey);
    await page.keyboard.press('Enter');
    await page.getByText(`Requests are signed with ${accessKey.accessKeyId}.`).waitFor();
    expect(await page.getByRole('complementary', { name: 'Signatures required' }).count()).toBe(0);
    await page.getByText('Requests must be signed.').waitFor();

    await page.keyboard.press('t');
    await page.locator('main').getByRole('link', { name: TableName }).first().click();
    await page.getByText('first note').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('heading', { name: 'Entities' }).waitFor();

    // Events arrive on a connection that is signed as well.
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByText('live', { exact: true }).waitFor();
    await put('second note');
    await page.getByRole('row', { name: /PutItem Notes/ }).waitFor();
    expect(await watch.found()).toEqual([]);

    await page.keyboard.press('g');
    await page.keyboard.press(',');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('complementary', { name: 'Signatures required' }).waitFor();
    await form.waitFor();
    expect(await watch.found()).toEqual([]);
  });
  client.destroy();
});
