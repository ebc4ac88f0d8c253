import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import * as sdk from '@aws-sdk/client-dynamodb';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { createShop } from './shop-table.ts';
import { expectAccessible, expectToFit, openStudio, type StudioWorld } from './studio-world.ts';

const browser = useBrowser();
/** As long as the browser waits: the machine may be busy. */
let world: StudioWorld;
const wide = { width: 1280 };
/** The descending orders of a customer that cost more than 20. */
const orders = `/q/Shop?pk=S%3ACUSTOMER%23alexdebrie&sk=begins_with%3A%23ORDER%23&dir=desc&f=${encodeURIComponent(
  JSON.stringify([['Amount', '>', { N: '20' }]]),
)}`;

beforeAll(async () => {
  world = await openStudio(browser);
  await createShop(world.database, 40);
});
afterAll(async () => await world.close());

const form = (page: Page, title: string): ReturnType<Page['getByLabel']> => page.getByLabel(`${title}, may be edited`);

async function rowKeys(page: Page): Promise<readonly string[]> {
  return page.locator('.item-table tbody tr td:nth-child(3)').allTextContents();
}

describe('the query builder', () => {
  test('WB-06, WB-35: by keys only: fields, a filter, explain, run; the address says all of it', async () => {
    await world.visit(
      '/tables',
      async (page, { picture }) => {
        await page.getByRole('row', { name: /^Shop/ }).waitFor();
        await page.keyboard.press('g');
        await page.keyboard.press('q');
        await page.getByText(/Scan of Shop: all \d+ items, [\d.]+ KB, [\d.]+ RCU/).waitFor(); // WB-38
        await page.keyboard.press('f');
        await page.keyboard.type('CUSTOMER#alexdebrie');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Tab');
        await page.keyboard.type('#ORDER#');
        await page.getByText('one partition key').waitFor();
        await page.getByRole('button', { name: 'Add a filter' }).press('Enter');
        await page.getByLabel('Attribute', { exact: true }).fill('Status');
        await page.getByLabel('Value', { exact: true }).fill('SHIPPED');
        await page.getByLabel('Descending').check();
        expect(await form(page, 'PartiQL').inputValue()).toBe(
          `SELECT * FROM "Shop"\nWHERE "PK" = 'CUSTOMER#alexdebrie' AND begins_with("SK", '#ORDER#') AND "Status" = 'SHIPPED'\nORDER BY "SK" DESC`,
        );
        await page.getByRole('button', { name: 'Explain' }).press('Enter');
        await page.getByText('A page reads 4 items to return 1: Status is looked at after reading.').waitFor();
        await page.keyboard.press('Control+Enter');
        await expect.poll(async () => await rowKeys(page)).toEqual(['#ORDER#1VrgXBQ00000001']);
        expect(await page.getByTestId('sums').textContent()).toMatch(/^Query Shop2 requests4 read, 1 returned0.5 RCU/);
        await picture('query');
        await page.reload(); // WB-04
        await expect.poll(async () => await rowKeys(page)).toEqual(['#ORDER#1VrgXBQ00000001']);
        expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('SHIPPED');
      },
      wide,
    );
  });

  test('WB-36: request, SDK code, command line and PartiQL return the same items', async () => {
    await world.visit(
      orders,
      async (page) => {
        const texts = Object.fromEntries(
          await Promise.all(
            ['Request', 'SDK', 'CLI', 'PartiQL'].map(async (title) => [title, await form(page, title).inputValue()]),
          ),
        ) as Record<string, string>;
        const wanted = ((await world.database.request('Query', JSON.parse(texts['Request'] ?? '') as object)) as Answer)
          .Items;
        expect(wanted.map(({ SK }) => SK?.['S'])).toEqual(['#ORDER#1VrgXBQ00000003', '#ORDER#1VrgXBQ00000002']);
        expect((await runSdk(texts['SDK'] ?? '')).Items).toEqual(wanted);
        const { action, input } = runCli(texts['CLI'] ?? '');
        expect(action).toBe('query');
        expect(((await world.database.request('Query', input)) as Answer).Items).toEqual(wanted);
        const Statement = texts['PartiQL'];
        expect(((await world.database.request('ExecuteStatement', { Statement })) as Answer).Items).toEqual(wanted);
        await page.getByRole('button', { name: 'Run' }).click();
        await expect.poll(async () => await rowKeys(page)).toEqual(wanted.map(({ SK }) => SK?.['S']));
      },
      wide,
    );
  });

  test('WB-37: an edit of a form is followed by the others, or says why not', async () => {
    await world.visit(
      '/q/Shop',
      async (page) => {
        await form(page, 'PartiQL').fill(`SELECT * FROM "Shop"."GSI1" WHERE "GSI1PK" = 'ORDER#1VrgXBQ00000000'`);
        await expect.poll(async () => await form(page, 'CLI').inputValue()).toContain('"IndexName":"GSI1"');
        expect(await page.getByLabel('GSI1PK =').inputValue()).toBe('ORDER#1VrgXBQ00000000');
        await form(page, 'Request').fill('{ "TableName": "Shop", "Limit": 7 }');
        await expect.poll(async () => await page.getByLabel('Limit').inputValue()).toBe('7');
        expect(await form(page, 'SDK').inputValue()).toContain('new ScanCommand');
        await form(page, 'SDK').fill('client.send(new DeleteTableCommand({ }))');
        await page.getByText('The builder makes a Query or a Scan, not DeleteTable.').waitFor();
        expect(await form(page, 'Request').inputValue()).toContain('"Limit": 7');
        await page.getByRole('button', { name: 'Discard the edit' }).click();
        expect(await form(page, 'SDK').inputValue()).toContain('new ScanCommand');
      },
      wide,
    );
  });

  test('WB-38: a scan is named with all that it would read; the explanation names the index to query', async () => {
    const filter = encodeURIComponent(JSON.stringify([['GSI1PK', '=', { S: 'ORDER#1VrgXBQ00000000' }]]));
    await world.visit(
      `/q/Shop?f=${filter}`,
      async (page) => {
        await page.getByText(/Scan of Shop: all \d+ items/).waitFor();
        await page.getByRole('button', { name: 'Explain' }).click();
        await page.getByText('Query GSI1 by GSI1PK, which the conditions already name.').waitFor();
        await expectAccessible(page);
      },
      wide,
    );
  });

  test('WB-24, WB-40: an empty result says what was read; what is returned is saved whole', async () => {
    await world.visit('/q/Shop?pk=S%3Aabsent&run=1', async (page) => {
      await page.getByText('Nothing was returned: 0 items read.').waitFor();
    });
    await world.visit(`${orders}&run=1`, async (page) => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'DynamoDB JSON' }).click();
      const stream = await (await saved).createReadStream();
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const items = JSON.parse(Buffer.concat(chunks).toString()) as Answer['Items'];
      expect(items.map(({ SK }) => SK?.['S'])).toEqual(['#ORDER#1VrgXBQ00000003', '#ORDER#1VrgXBQ00000002']);
      expect(Object.keys(items[0] ?? {})).toContain('ShippedTo');
    });
  });

  test('WB-40: all pages of a result, and the whole of each value, are saved as DynamoDB JSON, JSON and CSV', async () => {
    const text = `"quoted", ${'long '.repeat(200)}\r\nand a second line`;
    const items = Array.from({ length: 7 }, (_, at) => ({
      PK: { S: 'EXPORT' },
      SK: { S: `#${at}` },
      exact: { N: '1234567890123456789012345678901234567.8' },
      text: { S: text },
      ...(at === 3 && { texts: { SS: ['a', 'b'] }, nested: { M: { list: { L: [{ N: '0.1' }, { NULL: true }] } } } }),
    }));
    for (const Item of items) await world.database.request('PutItem', { TableName: 'Shop', Item });
    const stored = (
      (await world.database.request('Query', {
        TableName: 'Shop',
        KeyConditionExpression: 'PK = :pk',
        ExpressionAttributeValues: { ':pk': { S: 'EXPORT' } },
      })) as Answer
    ).Items;
    expect(stored).toHaveLength(7);
    await world.visit('/q/Shop?pk=S%3AEXPORT&limit=3&run=1', async (page) => {
      await page.getByText('3 of 3 shown').waitFor();
      await page.getByRole('button', { name: 'Read all' }).click();
      await page.getByText('7 of 7 shown').waitFor();
      const saved = async (name: string): Promise<string> => {
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name, exact: true }).click(),
        ]);
        expect(file.suggestedFilename()).toBe(name === 'CSV' ? 'Shop.csv' : 'Shop.json');
        return await readFile(await file.path(), 'utf8');
      };
      expect(JSON.parse(await saved('DynamoDB JSON'))).toEqual(stored);
      const plain = await saved('JSON');
      const parsed = JSON.parse(plain) as readonly Record<string, unknown>[];
      expect(parsed.map(({ SK }) => SK)).toEqual(items.map(({ SK }) => SK.S));
      expect(parsed.map((each) => each['text'])).toEqual(items.map(() => text));
      expect(parsed[3]).toMatchObject({ texts: ['a', 'b'], nested: { list: [0.1, null] } });
      expect(plain.split('1234567890123456789012345678901234567.8')).toHaveLength(8); // every digit, seven times
      const [names = [], ...rows] = csvRows(await saved('CSV'));
      const column = (name: string): readonly (string | undefined)[] => rows.map((row) => row[names.indexOf(name)]);
      expect(names.toSorted()).toEqual(['PK', 'SK', 'exact', 'nested', 'text', 'texts']);
      expect(column('SK')).toEqual(items.map(({ SK }) => SK.S));
      expect(column('exact')).toEqual(items.map(({ exact }) => exact.N));
      expect(column('text')).toEqual(items.map(() => text));
      expect(column('nested')[3]).toBe('{"list":[0.1,null]}');
      expect(column('nested')[2]).toBe('');
    });
  });

  test('WB-37: an edit of each of the four forms is followed by the other three and by the fields', async () => {
    const customer = (name: string): string => `CUSTOMER#${name}`;
    const forms = ['Request', 'SDK', 'CLI', 'PartiQL'];
    await world.visit(
      `/q/Shop?pk=S%3A${encodeURIComponent(customer('user0001'))}&dir=desc`,
      async (page) => {
        for (const [at, edited] of forms.entries()) {
          const [before, after] = [customer(`user000${at + 1}`), customer(`user000${at + 2}`)];
          const text = await form(page, edited).inputValue();
          expect(text, edited).toContain(before);
          await form(page, edited).fill(text.replace(before, after));
          for (const other of forms) await expect.poll(() => form(page, other).inputValue()).toContain(after);
          for (const other of forms) expect(await form(page, other).inputValue(), other).not.toContain(before);
          expect(await page.getByLabel('PK =').inputValue()).toBe(after);
          expect(new URL(page.url()).searchParams.get('pk')).toBe(`S:${after}`);
          expect(await page.getByLabel('Descending').isChecked()).toBe(true); // what was not edited stays
        }
      },
      wide,
    );
  });

  test('what the service refuses is said in its words; a table that is not there as well', async () => {
    await world.visit(`/q/Shop?index=GSI1&cons=strong&run=1`, async (page) => {
      await page
        .getByRole('alert')
        .getByText(/Consistent reads are not supported on global/)
        .waitFor();
    });
    await world.visit('/q/Nothing', async (page) => {
      await page.getByRole('alert').getByText('There is no table Nothing here.').waitFor();
    });
  });

  test.each([
    [360, true],
    [768, false],
    [1280, false],
    [1280, true],
    [2560, true],
  ])('WB-08, WB-10: %i px wide, dark: %s', async (width, isDark) => {
    await world.visit(
      `${orders}&run=1`,
      async (page, { picture }) => {
        await page.locator('.item-table tbody tr').first().waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`query-${width}-${isDark ? 'dark' : 'light'}`);
      },
      { width, isDark },
    );
  });
});

interface Answer {
  readonly Items: readonly Record<string, { readonly S?: string }>[];
}

/** The cells of a CSV file by RFC 4180. */
function csvRows(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

/** Runs the code with the SDK; what it imports is given to it. */
async function runSdk(code: string): Promise<Answer> {
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' });
  const [, names = '', body = ''] = /^import \{ (.*) \} from '@aws-sdk\/client-dynamodb';([\s\S]*)$/.exec(code) ?? [];
  const url = `data:text/javascript,${encodeURIComponent(`export const run = async ({ ${names} }) => {${body}; return output; };`)}`;
  const { run } = (await import(/* @vite-ignore */ url)) as { run: (module: typeof sdk) => Promise<Answer> };
  return run(sdk);
}

/** Has the shell take the command apart, as it would for the command line of the service. */
function runCli(command: string): { readonly action: string | undefined; readonly input: object } {
  const words = execFileSync('sh', ['-c', `aws() { printf '%s\\0' "$@"; }; ${command}`], { encoding: 'utf8' }).split(
    '\0',
  );
  return { action: words[1], input: JSON.parse(words[words.indexOf('--cli-input-json') + 1] ?? '') as object };
}
