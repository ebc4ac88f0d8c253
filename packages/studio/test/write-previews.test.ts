import type { Page, Response } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { itemBytes } from '../src/values/attribute-size.ts';
import { bytesText } from '../src/ui/figures.ts';
import { ask, openStudio, useStudio } from './studio-world.ts';

/*
 * WB-27, whole: writes of every kind, made in the page. What the page says before each is compared with what the database then has: the entries of
 * each index, the record in the stream with its images, and the units of the table and of each index.
 */

const browser = useBrowser();
const world = useStudio(async () => {
  const opened = await openStudio(browser);
  await createTable((input) => opened.database.request('CreateTable', input));
  return opened;
});

const indexNames = ['All', 'Keys', 'Some', 'Local'];

async function createTable(create: (input: object) => Promise<unknown>): Promise<void> {
  const key = (...names: string[]): object[] =>
    names.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' }));
  await create({
    TableName: 'Ripple',
    AttributeDefinitions: ['PK', 'SK', 'A', 'B'].map((AttributeName) => ({
      AttributeName,
      AttributeType: AttributeName === 'B' ? 'N' : 'S',
    })),
    KeySchema: key('PK', 'SK'),
    GlobalSecondaryIndexes: [
      { IndexName: 'All', KeySchema: key('A', 'B'), Projection: { ProjectionType: 'ALL' } },
      { IndexName: 'Keys', KeySchema: key('A'), Projection: { ProjectionType: 'KEYS_ONLY' } },
      { IndexName: 'Some', KeySchema: key('B'), Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['C'] } },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: 'Local',
        KeySchema: key('PK', 'A'),
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['D'] },
      },
    ],
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
}

type Item = Record<string, Record<string, unknown>>;

/** All that the table has beside its items. */
interface State {
  readonly items: readonly Item[];
  readonly entries: Readonly<Record<string, readonly Item[]>>;
  readonly records: readonly StreamRecord[];
}

interface StreamRecord {
  readonly eventName: string;
  readonly dynamodb: { readonly NewImage?: Item; readonly OldImage?: Item; readonly SequenceNumber: string };
}

async function present(): Promise<State> {
  const scan = async (IndexName?: string): Promise<readonly Item[]> =>
    (
      await ask<{ Items: readonly Item[] }>(world.database, 'Scan', {
        TableName: 'Ripple',
        ...(IndexName !== undefined && { IndexName }),
      })
    ).Items;
  const entries = await Promise.all(indexNames.map(async (name) => [name, await scan(name)] as const));
  return { items: await scan(), entries: Object.fromEntries(entries), records: await streamRecords() };
}

async function streamRecords(): Promise<readonly StreamRecord[]> {
  const { Table } = await ask<{ Table: { LatestStreamArn: string } }>(world.database, 'DescribeTable', {
    TableName: 'Ripple',
  });
  const StreamArn = Table.LatestStreamArn;
  const { StreamDescription } = await ask<{ StreamDescription: { Shards: { ShardId: string }[] } }>(
    world.database,
    'DescribeStream',
    { StreamArn },
  );
  const found: StreamRecord[] = [];
  for (const { ShardId } of StreamDescription.Shards) {
    const { ShardIterator } = await ask<{ ShardIterator: string }>(world.database, 'GetShardIterator', {
      StreamArn,
      ShardId,
      ShardIteratorType: 'TRIM_HORIZON',
    });
    const { Records } = await ask<{ Records: readonly StreamRecord[] }>(world.database, 'GetRecords', {
      ShardIterator,
    });
    found.push(...Records);
  }
  return found;
}

const idOf = ({ PK, SK }: Item): string => JSON.stringify([PK, SK]);
const keysOf: Readonly<Record<string, readonly string[]>> = {
  All: ['A', 'B'],
  Keys: ['A'],
  Some: ['B'],
  Local: ['PK', 'A'],
};

/** What a page calls a change of an entry. */
function changeOf(name: string, before: Item | undefined, after: Item | undefined): RegExp {
  if (before === undefined) return after === undefined ? /^no entry\b/ : /^a new entry$/;
  if (after === undefined) return /^the entry is deleted\b/;
  if (JSON.stringify(sorted(before)) === JSON.stringify(sorted(after))) return /^the entry stays as it is$/;
  const keyOf = (entry: Item): string => JSON.stringify((keysOf[name] ?? []).map((each) => entry[each]));
  return keyOf(before) === keyOf(after)
    ? /^the entry stays in place, rewritten$/
    : /^the entry moves: one delete, one put$/;
}

function sorted(item: Item): object {
  return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** One list of the preview: what it says of the table, of each index and of the stream, with its units. */
interface Told {
  readonly what: Readonly<Record<string, string>>;
  readonly units: Readonly<Record<string, number>>;
}

async function told(page: Page): Promise<{ readonly writeUnits: number; readonly lists: readonly Told[] }> {
  const region = page.getByRole('region', { name: /^What this (save|move|deletion) changes$/ });
  await region.waitFor();
  const lists = await region
    .locator('.ripple')
    .evaluateAll((all) =>
      all.map((list) =>
        [...list.querySelectorAll('li')].map((line) => [
          line.querySelector('b')?.textContent ?? '',
          line.querySelector('.what')?.textContent ?? '',
          line.lastElementChild?.textContent ?? '',
        ]),
      ),
    );
  const total = /([\d.,]+) WCU/.exec((await region.locator('h3').textContent()) ?? '')?.[1] ?? 'NaN';
  return {
    writeUnits: Number(total),
    lists: lists.map((lines) => ({
      what: Object.fromEntries(lines.map(([name = '', what = '']) => [name, what])),
      units: Object.fromEntries(lines.map(([name = '', , units = '']) => [name, Number(units)])),
    })),
  };
}

interface Capacity {
  readonly CapacityUnits: number;
  readonly Table: { readonly CapacityUnits: number };
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits: number }>>;
  readonly LocalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits: number }>>;
}

/** Saves what is in the form, and compares what was said with what happened. */
async function saveAndCompare(page: Page): Promise<void> {
  const said = await told(page);
  const before = await present();
  const answered = page.waitForResponse((response: Response) =>
    /(UpdateItem|PutItem|DeleteItem|TransactWriteItems)$/.test(response.request().headers()['x-amz-target'] ?? ''),
  );
  await page.keyboard.press('Control+Enter');
  const { ConsumedCapacity } = (await (await answered).json()) as { ConsumedCapacity: Capacity | readonly [Capacity] };
  const consumed = Array.isArray(ConsumedCapacity)
    ? (ConsumedCapacity as readonly [Capacity])[0]
    : (ConsumedCapacity as Capacity);
  const after = await present();

  // The units: those of the table and of each index, and all together.
  expect(said.writeUnits).toBe(consumed.CapacityUnits);
  const sumOf = (name: string): number => said.lists.reduce((sum, { units }) => sum + (units[name] ?? 0), 0);
  expect(sumOf('Table')).toBe(consumed.Table.CapacityUnits);
  const ofIndexes = { ...consumed.GlobalSecondaryIndexes, ...consumed.LocalSecondaryIndexes };
  for (const name of indexNames) expect([name, sumOf(name)]).toEqual([name, ofIndexes[name]?.CapacityUnits ?? 0]);

  // Each item that was written: its entries, and its record.
  const find = (items: readonly Item[] | undefined, id: string): Item | undefined =>
    items?.find((each) => idOf(each) === id);
  const ids = [...new Set([...before.items, ...after.items].map(idOf))];
  const written = ids
    .map((id) => ({ id, old: find(before.items, id), now: find(after.items, id) }))
    .filter(({ old, now }) => JSON.stringify(old && sorted(old)) !== JSON.stringify(now && sorted(now)))
    // A move shows the item that goes first.
    .sort((a, b) => Number(a.now !== undefined) - Number(b.now !== undefined));
  expect(written).toHaveLength(said.lists.length);
  const seen = new Set(before.records.map(({ dynamodb }) => dynamodb.SequenceNumber));
  const fresh = after.records.filter(({ dynamodb }) => !seen.has(dynamodb.SequenceNumber));
  expect(fresh).toHaveLength(written.length);
  for (const [at, { id, old, now }] of written.entries()) {
    const what = said.lists[at]?.what ?? {};
    for (const name of indexNames)
      expect(`${name}: ${what[name] ?? ''}`).toMatch(
        new RegExp(
          `^${name}: ${changeOf(name, find(before.entries[name], id), find(after.entries[name], id)).source.slice(1)}`,
        ),
      );
    const [oldSize, newSize] = [old, now].map((item) => bytesText(item === undefined ? 0 : itemBytes(item as never)));
    const event = old === undefined ? 'INSERT' : now === undefined ? 'REMOVE' : 'MODIFY';
    expect(what['Table']).toBe(
      {
        INSERT: `a new item of ${newSize ?? ''}`,
        REMOVE: `the item of ${oldSize ?? ''} is deleted`,
        MODIFY: `rewritten, ${oldSize ?? ''} to ${newSize ?? ''}`,
      }[event],
    );
    expect(what['Stream']).toBe(`${event} with both images`);
    const record = fresh.find(({ dynamodb }) => idOf(dynamodb.NewImage ?? dynamodb.OldImage ?? {}) === id);
    expect(record?.eventName).toBe(event);
    expect(record?.dynamodb.NewImage).toEqual(now);
    expect(record?.dynamodb.OldImage).toEqual(old);
  }
}

const address = (sk: string): string => `/t/Ripple?item=${encodeURIComponent(JSON.stringify([{ S: 'p' }, { S: sk }]))}`;

async function add(page: Page, name: string, type: string, text: string): Promise<void> {
  await page.getByLabel('Add…').fill(name);
  await page.keyboard.press('Enter');
  await page.getByLabel(`Type of ${name}`).selectOption(type);
  await page.getByLabel(name, { exact: true }).fill(text);
}

/** Each begins with what the one before it left. */
const writes: readonly (readonly [title: string, path: string, act: (page: Page) => Promise<void>])[] = [
  [
    'a new item that is in every index',
    '/t/Ripple?item=new',
    async (page) => {
      await page.getByLabel('PK', { exact: true }).last().fill('p');
      await page.getByLabel('SK', { exact: true }).last().fill('s');
      await add(page, 'A', 'S', 'a');
      await add(page, 'B', 'N', '12.50');
      await add(page, 'C', 'S', 'c');
      await add(page, 'D', 'S', 'd');
    },
  ],
  [
    'an attribute that two of four indexes have',
    address('s'),
    (page) => page.getByLabel('C', { exact: true }).fill('other'),
  ],
  [
    'a value that makes the item larger than 1 KB',
    address('s'),
    (page) => page.getByLabel('D', { exact: true }).fill('x'.repeat(1500)),
  ],
  ['a key attribute of three indexes', address('s'), (page) => page.getByLabel('A', { exact: true }).fill('moved')],
  ['a key attribute that is removed', address('s'), (page) => page.getByRole('button', { name: 'Remove B' }).click()],
  ['a key attribute that is added', address('s'), (page) => add(page, 'B', 'N', '7')],
  [
    'several changes at once',
    address('s'),
    async (page) => {
      await page.getByLabel('B', { exact: true }).fill('8');
      await page.getByLabel('C', { exact: true }).fill('y'.repeat(2100));
      await page.getByRole('button', { name: 'Remove A' }).click();
    },
  ],
  [
    'an item that moves to another key',
    address('s'),
    async (page) => {
      await page.getByRole('button', { name: 'Move to another key…' }).click();
      await page.locator('.item-panel').getByLabel('SK', { exact: true }).fill('t');
    },
  ],
  ['an item that is deleted', address('t'), (page) => page.getByRole('button', { name: 'Delete…' }).click()],
];

describe('what the page says before a write is what happens', () => {
  test.each(writes)('WB-27: %s', async (_, path, act) => {
    await world.visit(
      path,
      async (page) => {
        await page.getByRole('complementary', { name: 'Item', exact: true }).waitFor();
        if (path.endsWith('=new')) await page.getByRole('heading', { name: /^New item/ }).waitFor();
        else await page.getByRole('button', { name: 'Delete…' }).waitFor();
        await act(page);
        await saveAndCompare(page);
      },
      { width: 1280 },
    );
  });

  test('WB-27: a statement, by the preview of the server', async () => {
    await world.database.request('PutItem', {
      TableName: 'Ripple',
      Item: { PK: { S: 'p' }, SK: { S: 'sql' }, A: { S: 'a' }, B: { N: '1' } },
    });
    const statement = `UPDATE "Ripple" SET "A" = 'b' REMOVE "B" WHERE "PK" = 'p' AND "SK" = 'sql'`;
    await world.visit(`/sql?s=${encodeURIComponent(statement)}`, async (page) => {
      await page.locator('#statement').focus();
      await page.keyboard.press('Control+Enter');
      const region = page.getByRole('region', { name: 'What this statement changes' });
      await region.waitFor();
      const lines = await region.locator('li').allTextContents();
      const costs = await region.getByText(/^It costs/).textContent();
      const before = await present();
      const answered = page.waitForResponse((response) =>
        (response.request().headers()['x-amz-target'] ?? '').endsWith('ExecuteStatement'),
      );
      await page.keyboard.press('Control+Enter');
      const { ConsumedCapacity } = (await (await answered).json()) as { ConsumedCapacity: Capacity };
      const after = await present();
      expect(costs).toBe(`It costs ${ConsumedCapacity.CapacityUnits} WCU.`);
      const id = idOf({ PK: { S: 'p' }, SK: { S: 'sql' } });
      const units = { ...ConsumedCapacity.GlobalSecondaryIndexes, ...ConsumedCapacity.LocalSecondaryIndexes };
      for (const name of indexNames) {
        const find = (state: State): Item | undefined => state.entries[name]?.find((each) => idOf(each) === id);
        const change = changeOf(name, find(before), find(after)).source.slice(1).replace(/\$$/, '');
        const line = lines.find((each) => each.startsWith(`${name} `)) ?? '';
        expect(line).toMatch(new RegExp(`^${name} ${change}`));
        const [, told = '0'] = / (\d+) WCU$/.exec(line) ?? [];
        expect([name, Number(told)]).toEqual([name, units[name]?.CapacityUnits ?? 0]);
      }
      expect(lines.at(-1)).toBe('Stream MODIFY, NEW_AND_OLD_IMAGES');
      expect(after.records.length).toBe(before.records.length + 1);
      expect(after.records.some(({ dynamodb }) => dynamodb.NewImage?.['A']?.['S'] === 'b')).toBe(true);
    });
  });

  test('WB-27: a change of many items', async () => {
    const keys = ['one', 'two', 'three'];
    for (const SK of keys)
      await world.database.request('PutItem', {
        TableName: 'Ripple',
        // One is without A, and so without the entries of three indexes.
        Item: { PK: { S: 'many' }, SK: { S: SK }, ...(SK !== 'two' && { A: { S: 'a' } }), B: { N: '1' } },
      });
    await world.visit(
      '/t/Ripple?pk=S%3Amany',
      async (page) => {
        await page.locator('.row.item').nth(2).waitFor();
        await page.getByRole('button', { name: 'Select' }).click();
        await page.getByRole('button', { name: 'All 3' }).click();
        await page.keyboard.press('b');
        await page.getByRole('combobox', { name: 'Attribute' }).fill('A=z');
        const region = page.getByRole('region', { name: 'What this changes' });
        await region.waitFor();
        const lines = Object.fromEntries(
          (await region.locator('li').allTextContents()).map((line) => [/^[A-Z][a-z]+/.exec(line)?.[0] ?? '', line]),
        );
        const [, units = ''] = /([\d.]+) WCU/.exec((await region.locator('h3').textContent()) ?? '') ?? [];
        const before = await present();
        let consumed = 0;
        page.on('response', (response) => {
          if ((response.request().headers()['x-amz-target'] ?? '').endsWith('UpdateItem'))
            void response.json().then((answer: { ConsumedCapacity: Capacity }) => {
              consumed += answer.ConsumedCapacity.CapacityUnits;
            });
        });
        await page.keyboard.press('Control+Enter');
        await page.getByText(/3 of 3 written, 0 failed/).waitFor();
        const after = await present();
        await expect.poll(() => consumed).toBe(Number(units));
        const counts = (name: string): Readonly<Record<string, number>> => {
          const found: Record<string, number> = {};
          for (const SK of keys) {
            const id = idOf({ PK: { S: 'many' }, SK: { S: SK } });
            const find = (state: State): Item | undefined => state.entries[name]?.find((each) => idOf(each) === id);
            const kind = changeOf(name, find(before), find(after)).source;
            found[kind] = (found[kind] ?? 0) + 1;
          }
          return found;
        };
        for (const name of ['All', 'Keys', 'Local']) {
          expect(counts(name)).toEqual({ '^the entry moves: one delete, one put$': 2, '^a new entry$': 1 });
          expect(lines[name]).toMatch(/2 moved/);
          expect(lines[name]).toMatch(/1 added/);
        }
        expect(counts('Some')).toEqual({ '^the entry stays as it is$': 3 });
        expect(lines['Some']).toMatch(/3 unchanged/);
        expect(after.records.length).toBe(before.records.length + 3);
      },
      { width: 1280 },
    );
  });
});
