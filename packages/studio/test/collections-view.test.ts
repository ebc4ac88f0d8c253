import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useShop } from './shop-table.ts';
import { expectAccessible, expectToFit } from './studio-world.ts';

const customers = 600; // some 3,000 items
const world = useShop(customers);

const alex = '/t/Shop?pk=S%3ACUSTOMER%23alexdebrie';

function sortKeys(page: Page): Promise<string[]> {
  return page.locator('.row.item .key').allTextContents();
}

/** The sort keys of the rows in view, without those that are drawn above and below it, which depend on what has been read. */
function sortKeysInView(page: Page): Promise<string[]> {
  return page.getByRole('grid').evaluate((grid) => {
    const view = grid.getBoundingClientRect();
    return [...grid.querySelectorAll('.row.item')]
      .filter((row) => row.getBoundingClientRect().top >= view.top && row.getBoundingClientRect().bottom <= view.bottom)
      .map((row) => row.querySelector('.key')?.textContent ?? '');
  });
}

async function sumsOf(page: Page): Promise<string> {
  return (await page.getByTestId('sums').textContent()) ?? '';
}

describe('item collections', () => {
  test('WB-11, WB-12, WB-13, WB-22: one collection with its items in order, entities, indexes, and what it cost', async () => {
    await world.visit(alex, async (page, { picture }) => {
      await page.getByRole('row', { name: /CUSTOMER#alexdebrie 5 items · \d+ B · 0.5 RCU/ }).waitFor();
      expect(await sortKeys(page)).toEqual([
        ...[0, 1, 2, 3].map((number) => `#ORDER#1VrgXBQ0000000${number}`),
        'CUSTOMER#alexdebrie',
      ]);
      await expect
        .poll(async () => await page.locator('.row.item .badge').allTextContents())
        .toEqual(['Or', 'Or', 'Or', 'Or', 'Cu']);
      await page.getByRole('img', { name: 'not in GSI1: it has no GSI1PK' }).waitFor();
      expect(await page.getByRole('img', { name: 'in GSI1', exact: true }).count()).toBe(4);
      expect(await sumsOf(page)).toMatch(/^Query Shop1 request5 read, 5 returned0.5 RCU/);
      await picture('collection');
      await page.getByRole('button', { name: 'PartiQL' }).click();
      expect(await page.getByRole('region', { name: 'Request as code' }).locator('pre').textContent()).toBe(
        `SELECT * FROM "Shop"\nWHERE "PK" = 'CUSTOMER#alexdebrie'`,
      );
    });
  });

  test('WB-11: a table, a local and a global index group items by partition key, in the order of numbers, bytes and text', async () => {
    const { database } = world;
    const keys = (partition: string, sort: string): object[] => [
      { AttributeName: partition, KeyType: 'HASH' },
      { AttributeName: sort, KeyType: 'RANGE' },
    ];
    await database.request('CreateTable', {
      TableName: 'Kinds',
      AttributeDefinitions: Object.entries({ PK: 'S', number: 'N', bytes: 'B', place: 'N', text: 'S' }).map(
        ([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }),
      ),
      KeySchema: keys('PK', 'number'),
      LocalSecondaryIndexes: [
        { IndexName: 'ByBytes', KeySchema: keys('PK', 'bytes'), Projection: { ProjectionType: 'ALL' } },
      ],
      GlobalSecondaryIndexes: [
        { IndexName: 'ByText', KeySchema: keys('place', 'text'), Projection: { ProjectionType: 'ALL' } },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    });
    // Neither the order of the digits, nor that of signed bytes, nor that of a dictionary.
    const numbers = ['10', '-2', '9', '0.5', '-10', '12345678901234567890123456789012345678'];
    const bytes = ['/wA=', 'AQ==', 'gA==', 'AQA=', 'fw=='];
    const texts = ['b', 'B', 'é', 'a', '\u{10FFFF}', '\uFFFD'];
    for (const PK of ['one', 'two'])
      for (const [at, number] of numbers.entries()) {
        const Item = {
          PK: { S: PK },
          number: { N: number },
          ...(bytes[at] !== undefined && { bytes: { B: bytes[at] } }),
          place: { N: PK === 'one' ? '7' : '70' },
          text: { S: texts[at] ?? '' },
        };
        await database.request('PutItem', { TableName: 'Kinds', Item });
      }
    const ordered: Readonly<Record<string, readonly string[]>> = {
      '': ['-10', '-2', '0.5', '9', '10', '12345678901234567890123456789012345678'],
      '/i/ByBytes': ['AQ==', 'AQA=', 'fw==', 'gA==', '/wA='],
      '/i/ByText': ['B', 'a', 'b', 'é', '\uFFFD', '\u{10FFFF}'],
    };
    for (const [place, wanted] of Object.entries(ordered)) {
      await world.visit(`/t/Kinds${place}`, async (page) => {
        await expect.poll(async () => (await sortKeys(page)).length).toBe(wanted.length * 2);
        const rows = await page.locator('[data-row]').evaluateAll((all) =>
          all
            .toSorted((a, b) => Number((a as HTMLElement).dataset['row']) - Number((b as HTMLElement).dataset['row']))
            .filter((row) => row.matches('.collection, .item'))
            .map((row) => (row.matches('.collection') ? '' : (row.querySelector('.key')?.textContent ?? ''))),
        );
        expect(rows).toEqual(['', ...wanted, '', ...wanted]);
        const collections = await page.locator('.row.collection .key').allTextContents();
        expect(collections.toSorted()).toEqual(place === '/i/ByText' ? ['7', '70'] : ['one', 'two']);
        // WB-14: ten of twelve items have bytes.
        const parts = page.getByRole('navigation', { name: 'Table and indexes' }).getByRole('img');
        expect(await parts.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))).toEqual([
          '100 % of the items are in this index',
          '83 % of the items are in this index',
        ]);
      });
    }
  });

  test('WB-11, WB-21: the next index keeps the item in view, or says that it is not there', async () => {
    await world.visit(alex, async (page) => {
      await page.locator('.row.item').first().waitFor();
      await page.keyboard.press('ArrowDown'); // the header
      await page.keyboard.press('ArrowDown'); // the first order
      await page.keyboard.press(']');
      await page.getByRole('row', { name: /ORDER#1VrgXBQ00000000 2 items/ }).waitFor();
      expect(await sortKeys(page)).toEqual(['ITEM#bk-0419', 'ORDER#1VrgXBQ00000000']);
      expect(await page.locator('.row[aria-selected=true] .key').textContent()).toBe('ORDER#1VrgXBQ00000000');
      expect(new URL(page.url()).pathname).toBe('/studio/t/Shop/i/GSI1');
      await page.keyboard.press('[');
      await page.getByRole('row', { name: /CUSTOMER#alexdebrie 5 items/ }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown'); // the customer
      await page.keyboard.press(']');
      await page.getByText('This item is not in GSI1: it has no GSI1PK').waitFor();
    });
  });

  test('where there is room for three columns, the open item is shown in another index as well, by one request', async () => {
    const order = encodeURIComponent(JSON.stringify([{ S: 'CUSTOMER#alexdebrie' }, { S: '#ORDER#1VrgXBQ00000000' }]));
    await world.visit(
      `${alex}&item=${order}`,
      async (page, { picture }) => {
        const beside = page.getByRole('complementary', { name: 'In GSI1' });
        await beside.getByText('2 items').waitFor();
        await beside.getByRole('link', { name: 'ITEM#bk-0419' }).waitFor();
        expect(await beside.locator('li.open .key').textContent()).toBe('ORDER#1VrgXBQ00000000');
        await expect.poll(() => sumsOf(page)).toMatch(/^Query Shop3 requests8 read, 8 returned2 RCU/);
        const columns = await page
          .locator('.grid-place, .item-panel, .beside')
          .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left));
        expect(columns).toEqual(columns.toSorted((a, b) => a - b));
        await expectToFit(page);
        await expectAccessible(page);
        await picture('collections-three-columns');
        await beside.getByRole('link', { name: 'ITEM#bk-0419' }).click();
        await page.getByRole('complementary', { name: 'In Table' }).waitFor();
        await page.goBack();
        await beside.getByText('2 items').waitFor();
        await page.setViewportSize({ width: 1280, height: 800 });
        await beside.waitFor({ state: 'detached' });
      },
      { width: 2560 },
    );
  });

  test('WB-16: scrolling holds few rows and asks once for 200 items; nothing is asked while the page rests', async () => {
    await world.visit('/t/Shop', async (page) => {
      await page.locator('.row.item').first().waitFor();
      const asked = new Set<Request>();
      page.on('request', (request) => {
        // What happens on the server is told by a request that does not end.
        if (!request.url().includes('/_singlet/events')) asked.add(request);
      });
      page.on('requestfinished', (request) => asked.delete(request));
      page.on('requestfailed', (request) => asked.delete(request));
      const grid = page.getByRole('grid');
      for (let step = 0; step < 30; step += 1) {
        await grid.evaluate((element) => element.scrollBy(0, 1500));
        expect(await page.locator('[data-row]').count()).toBeLessThanOrEqual(60);
      }
      await expect.poll(async () => await sumsOf(page)).toMatch(/read/);
      const [, requests = '', read = ''] = /(\d+) requests?([\d,]+) read/.exec(await sumsOf(page)) ?? [];
      expect(Number(requests)).toBeLessThanOrEqual(Number(read.replace(',', '')) / 200 + 1);
      // Once all that is wanted has come, nothing more is asked.
      let before = '';
      await expect
        .poll(
          async () => {
            const last = before;
            before = await sumsOf(page);
            return asked.size === 0 && last === before;
          },
          { interval: 300 },
        )
        .toBe(true);
      await page.waitForTimeout(300);
      expect(await sumsOf(page)).toBe(before);
    });
  });

  test('WB-15, WB-20: the last item by Shift G and by the ruler, a place in the middle by a click', async () => {
    const story = async (page: Page): Promise<void> => {
      await page.locator('.row.item').first().waitFor();
      const Items = await lastItems();
      await page.keyboard.press('Shift+G');
      await expect.poll(async () => (await sortKeys(page)).at(-1)).toBe(Items.at(-1));
      const ruler = page.getByRole('slider', { name: 'Place in hash space' });
      const box = await ruler.boundingBox();
      if (box === null) throw new TypeError('the ruler is not drawn');
      await page.mouse.click(box.x + 10, box.y + box.height * 0.4);
      await expect.poll(() => new URL(page.url()).searchParams.get('at')).toMatch(/^0\.(39|4)/);
      await expect.poll(async () => await ruler.getAttribute('aria-valuenow')).toMatch(/^(3[5-9]|4\d)$/);
      // Dragged to its end it is at the last item, too.
      await page.mouse.move(box.x + 10, box.y + box.height * 0.4);
      await page.mouse.down();
      for (const part of [0.5, 0.7, 0.9, 1.2]) {
        const shown = Math.min(100, Math.round(part * 100));
        await expect
          .poll(async () => {
            await page.mouse.move(box.x + 10, box.y + box.height * part);
            return Math.abs(Number(await ruler.getAttribute('aria-valuenow')) - shown);
          })
          .toBeLessThan(2);
      }
      expect((await sortKeys(page)).at(-1)).not.toBe(Items.at(-1)); // nothing is read until it is let go
      await page.mouse.up();
      await expect.poll(async () => (await sortKeys(page)).at(-1)).toBe(Items.at(-1));
      await page.mouse.click(box.x + 10, box.y + box.height * 0.4);
      await expect.poll(async () => await ruler.getAttribute('aria-valuenow')).toMatch(/^(3[5-9]|4\d)$/);
      const middle = await sortKeysInView(page);
      expect(middle.length).toBeGreaterThan(5);
      await page.reload(); // WB-04
      await expect.poll(async () => await sortKeysInView(page)).toEqual(middle);
      await page.getByRole('grid').focus();
      await page.keyboard.press('g');
      await page.keyboard.press('g');
      await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe(null);
      await page.getByRole('grid').focus();
      await page.keyboard.press('End');
      await expect.poll(async () => (await sortKeys(page)).at(-1)).toBe(Items.at(-1));
    };
    // On this width the strip has one line, whatever its figures are, and the grid keeps its height.
    await world.visit('/t/Shop', story, { width: 1280 });
  });

  test('WB-20: the ruler has the partitions that the server has, their heat, what is loaded, and where one is', async () => {
    const { database, server } = world;
    await database.request('CreateTable', {
      TableName: 'Parted',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      ProvisionedThroughput: { ReadCapacityUnits: 1000, WriteCapacityUnits: 5000 },
    });
    await fetch(`${server.url}/_singlet/heat/Parted`); // recorded from here on
    for (let from = 0; from < 1500; from += 25) {
      const puts = Array.from({ length: 25 }, (_, n) => ({ PutRequest: { Item: { id: { S: `id${from + n}` } } } }));
      await database.request('BatchWriteItem', { RequestItems: { Parted: puts } });
    }
    // One key is hotter than all others, and so is its part of hash space.
    for (let n = 0; n < 300; n += 1)
      await database.request('PutItem', { TableName: 'Parted', Item: { id: { S: 'hot' } } });
    const key = encodeURIComponent(JSON.stringify({ id: { S: 'hot' } }));
    const { fraction } = (await (await fetch(`${server.url}/_singlet/place/Parted?key=${key}`)).json()) as {
      readonly fraction: number;
    };
    const answer = (await (await fetch(`${server.url}/_singlet/heat/Parted`)).json()) as {
      readonly partitions: readonly { readonly hashFrom: string }[];
      readonly rows: readonly { readonly writes: readonly number[] }[];
    };
    const starts = answer.partitions
      .slice(1)
      .map(({ hashFrom }) => Number.parseInt(hashFrom.slice(0, 8), 16) / 2 ** 32);
    expect(starts.length).toBeGreaterThanOrEqual(4); // 1,000 writes a second each
    await world.visit('/t/Parted', async (page, { picture }) => {
      await page.locator('.row.item').first().waitFor();
      const ruler = page.getByRole('slider', { name: 'Place in hash space' });
      expect(await ruler.locator('.partition').count()).toBe(0);
      await page.keyboard.press('h');
      await ruler.locator('.partition').first().waitFor();
      const { y = 0, height = 1 } = (await ruler.boundingBox()) ?? {};
      const lines = await ruler
        .locator('.partition')
        .evaluateAll((all) => all.map((line) => line.getBoundingClientRect().top));
      for (const [at, line] of lines.entries()) expect((line - y) / height).toBeCloseTo(starts[at] ?? -1, 2);
      expect(lines).toHaveLength(starts.length);
      // Each part that was written has a colour.
      const written = answer.rows.filter(({ writes }) => writes.some((units) => units > 0)).length;
      await expect.poll(() => ruler.locator('.heat-bar rect').count()).toBeGreaterThanOrEqual(written);
      const hottest = ruler.locator('.heat-bar .level-5');
      const places = await hottest.evaluateAll((all) => all.map((part) => Number(part.getAttribute('y'))));
      expect(places).toEqual([Math.floor(fraction * answer.rows.length)]);
      // What is not loaded is hatched, and the loaded part is where it is.
      expect(await ruler.evaluate((element) => getComputedStyle(element).backgroundImage)).toContain(
        'repeating-linear',
      );
      const held = (await ruler.locator('.held').boundingBox()) ?? { y: 0, height: 0 };
      expect(held.height).toBeLessThan(height * 0.6);
      await page.mouse.click((await ruler.boundingBox())?.x ?? 0, y + height * 0.75);
      await expect.poll(async () => Number(await ruler.getAttribute('aria-valuenow'))).toBeGreaterThan(70);
      const moved = (await ruler.locator('.held').boundingBox()) ?? { y: 0, height: 0 };
      expect((moved.y - y) / height).toBeGreaterThan(0.5);
      await picture('ruler-partitions');
    });
  });

  async function lastItems(): Promise<readonly string[]> {
    const keys: string[] = [];
    let after: object | undefined;
    do {
      const page = (await world.database.request('Scan', {
        TableName: 'Shop',
        ...(after && { ExclusiveStartKey: after }),
      })) as {
        Items: { SK: { S: string } }[];
        LastEvaluatedKey?: object;
      };
      keys.push(...page.Items.map(({ SK }) => SK.S));
      after = page.LastEvaluatedKey;
    } while (after !== undefined);
    return keys;
  }

  test('what is read before the rows in view leaves them where they are', async () => {
    await world.visit('/t/Shop?at=0.5', async (page) => {
      await page.locator('.row.item').first().waitFor();
      const grid = page.getByRole('grid');
      // Scrolled to the top again and again, the start is reached, and each item is met once.
      const seen = new Set<string>();
      await expect
        .poll(async () => {
          await grid.evaluate((element) => element.scrollBy(0, -2000));
          for (const key of await page.locator('.row.item').evaluateAll((rows) => rows.map((row) => row.textContent)))
            seen.add(key);
          return await page.getByRole('slider').getAttribute('aria-valuenow');
        })
        .toBe('0');
      expect(seen.size).toBeGreaterThan(100);
    });
  });

  test('keys and sort keys are asked for; a collection that is not there is said; Escape shows all', async () => {
    await world.visit('/t/Shop', async (page) => {
      await page.locator('.row.item').first().waitFor();
      await page.keyboard.press('f');
      await page.keyboard.type('CUSTOMER#alexdebrie');
      await page.keyboard.press('Enter');
      await page.getByRole('row', { name: /CUSTOMER#alexdebrie 5 items/ }).waitFor();
      await page.getByLabel('SK', { exact: true }).fill('#ORDER#');
      await page.getByRole('button', { name: 'Query' }).click();
      await page.getByRole('row', { name: /CUSTOMER#alexdebrie 4 items/ }).waitFor();
      expect(new URL(page.url()).searchParams.get('sk')).toBe('begins_with:#ORDER#');
      await page.goBack();
      await page.getByRole('row', { name: /CUSTOMER#alexdebrie 5 items/ }).waitFor();
      await page.getByLabel('PK =').fill('CUSTOMER#absent');
      await page.keyboard.press('Enter');
      await page.getByText('This table has no items with the partition key').waitFor();
      await page.getByRole('button', { name: 'Show all collections' }).click();
      await page.locator('.row.item').first().waitFor();
    });
  });

  test('entities are left out and taken back, collections folded', async () => {
    await world.visit(alex, async (page) => {
      await page.getByRole('button', { name: 'Customer' }).click();
      await expect.poll(async () => (await sortKeys(page)).length).toBe(4);
      expect(new URL(page.url()).searchParams.get('e')).toBe('Order');
      await page.getByRole('button', { name: 'Customer' }).click();
      await expect.poll(async () => (await sortKeys(page)).length).toBe(5);
      await page.getByRole('grid').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowLeft');
      await expect.poll(async () => (await sortKeys(page)).length).toBe(0);
      await page.keyboard.press('ArrowRight');
      await expect.poll(async () => (await sortKeys(page)).length).toBe(5);
    });
  });

  test('WB-05: the palette finds a key by the part that is typed, a table, an index, a place and a command', async () => {
    await world.visit('/t/Shop', async (page, { picture }) => {
      await page.locator('.row.item').first().waitFor();
      const choose = async (text: string, name: string | RegExp): Promise<void> => {
        await page.keyboard.press('Control+k');
        await page.keyboard.type(text);
        await page.getByRole('option', { name, selected: true }).waitFor();
        if (text === 'alexdebrie') {
          await page.getByText(/Query Shop · \d requests · [\d.]+ RCU/).waitFor(); // nothing is asked in secret
          await expectAccessible(page);
          await picture('palette');
        }
        await page.keyboard.press('Enter');
      };
      await choose('alexdebrie', /Key CUSTOMER#alexdebrie/);
      await page.getByRole('row', { name: /CUSTOMER#alexdebrie 5 items/ }).waitFor();
      await choose(':73%', /73 % of hash space/);
      await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe('0.73');
      await choose('gsi', /GSI1/);
      await expect.poll(() => new URL(page.url()).pathname).toBe('/studio/t/Shop/i/GSI1');
      await choose('>dark', /Theme: dark/);
      await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await choose('all tab', /All tables/);
      await page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor();
    });
  });

  test('WB-24: a table or an index that is not there is said in the words of the service', async () => {
    await world.visit('/t/Nothing', async (page) => {
      await page.getByRole('alert').getByText('ResourceNotFoundException').waitFor();
      await expectAccessible(page);
    });
    await world.visit('/t/Shop/i/Nothing', async (page) => {
      await page.getByText('The table Shop has no index Nothing.').waitFor();
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
      '/t/Shop',
      async (page, { picture }) => {
        await page.locator('.row.item').first().waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`collections-${width}-${isDark ? 'dark' : 'light'}`);
      },
      { width, isDark },
    );
  });
});
