import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useShop } from './shop-table.ts';
import { expectAccessible, expectToFit } from './studio-world.ts';

const world = useShop(20);
/** The item beside the grid; on less it is above it. */
const wide = { width: 1280 };

const order = { PK: { S: 'CUSTOMER#alexdebrie' }, SK: { S: '#ORDER#1VrgXBQ00000000' } };
const alex = '/t/Shop?pk=S%3ACUSTOMER%23alexdebrie';
const opened = `${alex}&item=${encodeURIComponent(JSON.stringify([order.PK, order.SK]))}`;

type Item = Record<string, Record<string, unknown>>;

async function stored(Key: object = order): Promise<Item | undefined> {
  return ((await world.database.request('GetItem', { TableName: 'Shop', Key })) as { Item?: Item }).Item;
}

async function write(expression: string, value: object): Promise<void> {
  await world.database.request('UpdateItem', {
    TableName: 'Shop',
    Key: order,
    UpdateExpression: `SET ${expression} = :v`,
    ExpressionAttributeNames: { '#status': 'Status' },
    ExpressionAttributeValues: { ':v': value },
  });
}

const effects = (page: Page): ReturnType<Page['getByRole']> => page.getByRole('region', { name: /What this/ });

describe('an item', () => {
  test('WB-26, WB-27, WB-29, WB-31: by keys only: open, change, read what it does, save, take back', async () => {
    await world.visit(alex, async (page, { picture }) => {
      await page.locator('.row.item').first().waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByLabel('Status', { exact: true }).fill('RETURNED');
      await expectText(effects(page), /2 WCU/);
      await expectText(effects(page), /rewritten, 2\d\d B to 2\d\d B/);
      await expectText(effects(page), /GSI1the entry stays in place, rewritten1/);
      await expectText(effects(page), /MODIFY with both images/);
      await expectText(effects(page), /only if Status is still ACCEPTED/);
      expect(await page.locator('.attribute.changed').count()).toBe(1);
      await picture('item');
      const [sent] = await Promise.all([
        page.waitForRequest((each) => (each.headers()['x-amz-target'] ?? '').endsWith('.UpdateItem')),
        page.keyboard.press('Control+Enter'),
      ]);
      await page.getByRole('button', { name: /Saved. Undo/ }).waitFor();
      // It is what happened: the units of the table and of each index, and the stream record with its images.
      const answer: unknown = await (await sent.response())?.json();
      expect(answer).toMatchObject({
        ConsumedCapacity: {
          CapacityUnits: 2,
          Table: { CapacityUnits: 1 },
          GlobalSecondaryIndexes: { GSI1: { CapacityUnits: 1 } },
        },
      });
      const key = encodeURIComponent(JSON.stringify(order));
      const history = await (await fetch(`${world.server.url}/_singlet/history/Shop?key=${key}`)).json();
      expect((history as { changes: readonly object[] }).changes[0]).toMatchObject({
        eventName: 'MODIFY',
        before: { Status: { S: 'ACCEPTED' } },
        after: { Status: { S: 'RETURNED' } },
      });
      expect((await stored())?.['Status']).toEqual({ S: 'RETURNED' });
      await page.getByRole('row', { name: /1VrgXBQ00000000 .*RETURNED/ }).waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid');
      await page.keyboard.press('Control+z');
      await page.getByText('Undone.').waitFor();
      expect((await stored())?.['Status']).toEqual({ S: 'ACCEPTED' });
      await page.getByRole('row', { name: /1VrgXBQ00000000 .*ACCEPTED/ }).waitFor();
    });
  });

  test('WB-26: a change by somebody else is not overwritten, and both are shown side by side', async () => {
    await world.visit(
      opened,
      async (page) => {
        await page.getByLabel('Status', { exact: true }).fill('SHIPPED');
        await write('#status', { S: 'CANCELLED' });
        await page.getByRole('button', { name: /^Save/ }).click();
        const theirs = page.getByRole('alert', { name: 'Changed in the meantime' });
        await theirs.getByRole('row', { name: 'Status ACCEPTED CANCELLED SHIPPED' }).waitFor();
        expect((await stored())?.['Status']).toEqual({ S: 'CANCELLED' });
        await expectAccessible(page);
        await theirs.getByRole('button', { name: 'Apply my changes to theirs' }).click();
        await page.getByRole('button', { name: /^Save/ }).click();
        await page.getByRole('button', { name: /Saved. Undo/ }).waitFor();
        expect((await stored())?.['Status']).toEqual({ S: 'SHIPPED' });
        await write('#status', { S: 'DELIVERED' });
        await page.getByRole('button', { name: /Saved. Undo/ }).click();
        await page.getByText('Not undone: the item has changed since.').waitFor(); // WB-31
        expect((await stored())?.['Status']).toEqual({ S: 'DELIVERED' });
        await write('#status', { S: 'ACCEPTED' });
      },
      wide,
    );
  });

  test('WB-25: text keeps its field and its focus while it grows, and its lines when it is pasted', async () => {
    await world.visit(
      opened,
      async (page) => {
        const field = page.getByLabel('Status', { exact: true });
        await field.fill('');
        await page.keyboard.type('a text that is far longer than the field that it is typed into, and longer');
        expect(await page.evaluate(() => document.activeElement?.id)).toBe('attribute-Status');
        await page.keyboard.insertText('\nand a second line');
        await page.keyboard.press('Control+Enter');
        await page.getByRole('button', { name: /Saved. Undo/ }).waitFor();
        const typed = 'a text that is far longer than the field that it is typed into, and longer\nand a second line';
        expect((await stored())?.['Status']).toEqual({ S: typed });
        await page.getByRole('button', { name: /Saved. Undo/ }).click();
        await expect.poll(async () => (await stored())?.['Status']).toEqual({ S: 'ACCEPTED' });
      },
      wide,
    );
  });

  test('WB-26: only what was changed is sent: another attribute that changes meanwhile stays', async () => {
    await world.visit(opened, async (page) => {
      await page.getByLabel('ShippedTo', { exact: true }).fill('{"City":{"S":"Omaha"},"Street":{"S":"1 Elm St"}}');
      await write('#status', { S: 'PACKED' });
      await page.getByRole('button', { name: /^Save/ }).click();
      await page.getByRole('button', { name: /Saved. Undo/ }).waitFor();
      const item = await stored();
      expect(item?.['Status']).toEqual({ S: 'PACKED' });
      expect(item?.['ShippedTo']).toEqual({ M: { City: { S: 'Omaha' }, Street: { S: '1 Elm St' } } });
      await write('#status', { S: 'ACCEPTED' });
    });
  });

  test('WB-30, WB-31: a changed key is a move: shown, made in one transaction, and taken back', async () => {
    const from = { PK: { S: 'CUSTOMER#alexdebrie' }, SK: { S: '#ORDER#1VrgXBQ00000002' } };
    const to = { ...from, SK: { S: '#ORDER#1VrgXBQ00000009' } };
    const path = `${alex}&item=${encodeURIComponent(JSON.stringify([from.PK, from.SK]))}`;
    const before = await stored(from);
    await world.visit(
      path,
      async (page, { picture }) => {
        await page.getByRole('button', { name: 'Move to another key…' }).click();
        await page.locator('.item-panel').getByLabel('SK', { exact: true }).fill(to.SK.S);
        const move = page.getByRole('region', { name: 'What this move changes' });
        await expectText(move, /6 WCU/); // twice two for the table, two for the index
        await expectText(move, /REMOVE with both images/);
        await expectText(move, /INSERT with both images/);
        await picture('item-move');
        const [request] = await Promise.all([
          page.waitForRequest((each) => (each.headers()['x-amz-target'] ?? '').endsWith('TransactWriteItems')),
          page.getByRole('button', { name: /^Move Ctrl/ }).click(),
        ]);
        const answer = (await (await request.response())?.json()) as {
          ConsumedCapacity: readonly { CapacityUnits: number }[];
        };
        expect(answer.ConsumedCapacity.map(({ CapacityUnits }) => CapacityUnits)).toEqual([6]);
        await page.getByRole('button', { name: /Moved. Undo/ }).waitFor();
        expect(await stored(from)).toBeUndefined();
        expect(await stored(to)).toEqual({ ...before, ...to });
        await page.getByRole('row', { name: /1VrgXBQ00000009/ }).waitFor();
        expect(await page.getByRole('row', { name: /1VrgXBQ00000002/ }).count()).toBe(0);
        await page.getByRole('button', { name: /Moved. Undo/ }).click();
        await expect.poll(() => stored(to)).toBeUndefined();
        expect(await stored(from)).toEqual(before);
      },
      wide,
    );
  });

  test('WB-34: versions with what changed, any two compared; an earlier one, and a deleted one, are restored by a save', async () => {
    const key = { PK: { S: 'CUSTOMER#alexdebrie' }, SK: { S: '#ORDER#1VrgXBQ00000003' } };
    const path = `${alex}&tab=history&item=${encodeURIComponent(JSON.stringify([key.PK, key.SK]))}`;
    const first = await stored(key);
    const set = (status: string): Promise<unknown> =>
      world.database.request('UpdateItem', {
        TableName: 'Shop',
        Key: key,
        UpdateExpression: 'SET #s = :s',
        ExpressionAttributeNames: { '#s': 'Status' },
        ExpressionAttributeValues: { ':s': { S: status } },
      });
    await set('LOST');
    await set('FOUND');
    await world.visit(
      path,
      async (page, { picture }) => {
        const versions = page.locator('.version');
        await versions.nth(2).waitFor();
        expect(await versions.count()).toBe(3);
        expect(await versions.nth(0).textContent()).toMatch(/MODIFY.*as it is now.*Status LOST FOUND/);
        await picture('item-history');
        const against = page.getByLabel('Compare with');
        await against.selectOption({ label: 'the item as it is now' });
        await expect.poll(() => versions.nth(2).textContent()).toMatch(/INSERT.*Status FOUND \w+/);
        // Any two: all with the second one, which the address keeps.
        await against.selectOption({ index: 3 });
        await expect.poll(() => versions.nth(0).textContent()).toMatch(/MODIFY.*Status LOST FOUND/);
        expect(await versions.nth(1).textContent()).toMatch(/the version that the others are compared with/);
        expect(await versions.nth(2).textContent()).toMatch(/INSERT.*Status LOST \w+/);
        await page.reload();
        await expect.poll(() => versions.nth(2).textContent()).toMatch(/INSERT.*Status LOST \w+/);
        await expectAccessible(page);
        await picture('item-history-compared');
        await versions.nth(2).getByRole('button', { name: 'Restore…' }).click();
        // It is a change like every other: shown before, and saved when that is asked for.
        await expectText(effects(page), /2 WCU/);
        expect((await stored(key))?.['Status']).toEqual({ S: 'FOUND' });
        await page.keyboard.press('Control+Enter');
        await page.getByRole('button', { name: /Saved. Undo/ }).waitFor();
        expect(await stored(key)).toEqual(first);

        await world.database.request('DeleteItem', { TableName: 'Shop', Key: key });
        await page.goto(`${world.server.url}/studio${path}`);
        await page.getByText(/This item does not exist/).waitFor();
        await versions.first().getByRole('button', { name: 'Restore…' }).click();
        await expectText(effects(page), /a new item/);
        await page.keyboard.press('Control+Enter');
        await page.getByRole('button', { name: /Created. Undo/ }).waitFor();
        expect(await stored(key)).toEqual(first);
      },
      wide,
    );
  });

  test('WB-25, WB-33: values of every kind come back as they were, by form and by JSON', async () => {
    const deep = Array.from({ length: 31 }).reduce<object>((inner) => ({ L: [inner] }), { N: '1E-130' });
    const item = {
      PK: { S: 'VALUES#1' },
      SK: { S: 'VALUES#1' },
      long: { N: '1234567890123456789012345678901234567.8' },
      small: { N: `0.${'0'.repeat(129)}1` },
      empty: { S: '' },
      bytes: { B: 'AP8=' },
      numbers: { NS: ['1', '22'] },
      texts: { SS: ['a', 'b'] },
      binaries: { BS: ['AA==', 'AQ=='] },
      deep,
      yes: { BOOL: true },
      none: { NULL: true },
      exact: { N: '-9.9999999999999999999999999999999999999E+125' },
      large: { S: '' },
    };
    // 400 KB in all, but for a few bytes.
    item.large.S = `${'x'.repeat(399 * 1024)}é\u{10FFFF}`;
    await world.database.request('PutItem', { TableName: 'Shop', Item: item });
    const before = await stored({ PK: item.PK, SK: item.SK });
    const path = `/t/Shop?pk=S%3AVALUES%231&item=${encodeURIComponent(JSON.stringify([item.PK, item.SK]))}`;
    await world.visit(
      path,
      async (page) => {
        expect(await page.getByLabel('long', { exact: true }).inputValue()).toBe(item.long.N);
        expect(await page.locator('.row.item').first().textContent()).not.toContain('x'.repeat(300));
        await page.getByLabel('empty', { exact: true }).fill('now');
        await page.keyboard.press('Control+Enter');
        await page.getByRole('button', { name: /Saved. Undo/ }).waitFor();
        expect(await stored({ PK: item.PK, SK: item.SK })).toEqual({ ...before, empty: { S: 'now' } });
        await page.getByRole('tab', { name: 'JSON' }).click();
        const json = page.getByLabel('Item in DynamoDB JSON');
        const text = await json.inputValue();
        expect(JSON.parse(text)).toEqual({ ...before, empty: { S: 'now' } });
        await json.fill(text.replace('"now"', '"by JSON"'));
        await page.keyboard.press('Control+Enter');
        await expect
          .poll(async () => await stored({ PK: item.PK, SK: item.SK }))
          .toEqual({ ...before, empty: { S: 'by JSON' } });
        // Each kind is changed in its field and taken back: what is not changed comes back byte for byte, and so does what was.
        await page.getByRole('tab', { name: 'Form' }).click();
        const edits: Readonly<Record<string, readonly [typed: string, value: object]>> = {
          long: ['9'.repeat(38), { N: '9'.repeat(38) }],
          exact: ['1E-130', { N: `0.${'0'.repeat(129)}1` }],
          bytes: ['/wA=', { B: '/wA=' }],
          numbers: ['["1","22","-0.5"]', { NS: ['-0.5', '1', '22'] }],
          texts: ['["a","é"]', { SS: ['a', 'é'] }],
          binaries: ['["AA=="]', { BS: ['AA=='] }],
        };
        for (const [name, [typed]] of Object.entries(edits)) await page.getByLabel(name, { exact: true }).fill(typed);
        await page.keyboard.press('Control+Enter');
        const edited = Object.fromEntries(Object.entries(edits).map(([name, [, value]]) => [name, value]));
        const sorted = (stored: Item | undefined): object =>
          Object.fromEntries(
            Object.entries(stored ?? {}).map(([name, value]) => [
              name,
              Object.fromEntries(
                Object.entries(value).map(([type, inner]) => [
                  type,
                  type.endsWith('S') && Array.isArray(inner) ? inner.map(String).toSorted() : inner,
                ]),
              ),
            ]),
          );
        await expect
          .poll(async () => sorted(await stored({ PK: item.PK, SK: item.SK })))
          .toEqual(sorted({ ...before, empty: { S: 'by JSON' }, ...edited }));
        await page.getByRole('button', { name: /Saved. Undo/ }).click();
        await expect
          .poll(async () => await stored({ PK: item.PK, SK: item.SK }))
          .toEqual({ ...before, empty: { S: 'by JSON' } });
        // WB-33: the grid alone cuts a value off; copying and exporting have all of it.
        const shown = await page.locator('.row.item').first().textContent();
        expect(shown).not.toContain('x'.repeat(257));
        await page.getByRole('tab', { name: 'JSON' }).click();
        await json.selectText();
        const copied = await page.evaluate(() => {
          const field = document.querySelector<HTMLTextAreaElement>('#item-body textarea');
          return field?.value.slice(field.selectionStart, field.selectionEnd) ?? '';
        });
        expect((JSON.parse(copied) as Item)['large']).toEqual(item.large);
        await page.goto(`${world.server.url}/studio/q/Shop?pk=S%3AVALUES%231&run=1`);
        await page.locator('.item-table tbody tr').first().waitFor();
        const [saved] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: 'DynamoDB JSON' }).click(),
        ]);
        const file = (await readFile(await saved.path())).toString('utf8');
        expect(file).toContain(item.large.S);
      },
      wide,
    );
  });

  test('what is not a value is said, and not sent', async () => {
    await world.visit(opened, async (page) => {
      await page.getByLabel('Amount', { exact: true }).fill('1e');
      await page
        .getByRole('alert')
        .getByText('Amount: N: The parameter cannot be converted to a numeric value')
        .waitFor();
      await page.keyboard.press('Control+Enter');
      expect(await page.getByRole('button', { name: /^Save/ }).count()).toBe(0);
      await page.getByRole('tab', { name: 'JSON' }).click();
      await page.getByLabel('Item in DynamoDB JSON').fill('{ "PK": { "S": "other" } }');
      await page.getByText('PK: the key cannot be changed here').waitFor();
      expect((await stored())?.['Amount']).toEqual({ N: '0.5' });
    });
  });

  test('WB-13, WB-27: taking a key attribute away takes the item out of the index, and says so before', async () => {
    await world.visit(opened, async (page) => {
      await page.getByRole('button', { name: 'Remove GSI1PK' }).click();
      await expectText(effects(page), /GSI1the entry is deleted: it has no GSI1PK1/);
      await page.getByRole('tab', { name: 'Indexes' }).click();
      await page.getByText('Not in this index: it has no GSI1PK. With GSI1PK and GSI1SK it would be.').waitFor();
      await page.getByRole('button', { name: 'Discard' }).click();
      expect(await effects(page).count()).toBe(0);
    });
  });

  test('WB-27, WB-31: a new item, its deletion with a preview, and both taken back', async () => {
    await world.visit(alex, async (page) => {
      await page.locator('.row.item').first().waitFor();
      await page.keyboard.press('n');
      await page.getByLabel('PK', { exact: true }).fill('CUSTOMER#alexdebrie');
      await page.getByLabel('SK', { exact: true }).last().fill('NOTE#1');
      await page.getByLabel('Add…').fill('Text');
      await page.keyboard.press('Enter');
      await page.getByLabel('Text', { exact: true }).fill('call back');
      await expectText(effects(page), /a new item of \d\d B/);
      await expectText(effects(page), /only if there is no such item yet/);
      await page.keyboard.press('Control+Enter');
      await page.getByRole('row', { name: /NOTE#1/ }).waitFor();
      const key = { PK: order.PK, SK: { S: 'NOTE#1' } };
      expect((await stored(key))?.['Text']).toEqual({ S: 'call back' });
      await page.getByRole('button', { name: 'Delete…' }).click();
      await expectText(effects(page), /the item of \d\d B is deleted/);
      expect(await stored(key)).toBeDefined();
      await page.getByRole('button', { name: /^Delete/ }).click();
      await page.getByRole('row', { name: /NOTE#1/ }).waitFor({ state: 'detached' });
      expect(await stored(key)).toBeUndefined();
      await page.keyboard.press('Control+z');
      await page.getByRole('row', { name: /NOTE#1/ }).waitFor();
      expect((await stored(key))?.['Text']).toEqual({ S: 'call back' });
      await page.keyboard.press('Control+z'); // and the creation
      await expect.poll(async () => await stored(key)).toBeUndefined();
    });
  });

  test('WB-28: typing on the grid, and chords that are not ours, change nothing', async () => {
    const before = JSON.stringify(await world.database.request('Scan', { TableName: 'Shop' }));
    await world.visit(alex, async (page) => {
      await page.locator('.row.item').first().waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.type('x9 Qdelete');
      for (const chord of ['Control+2', 'Control+x', 'Control+v', 'Alt+d', 'Delete', 'Backspace', 'Control+Enter'])
        await page.keyboard.press(chord);
    });
    expect(JSON.stringify(await world.database.request('Scan', { TableName: 'Shop' }))).toBe(before);
  });

  test('WB-29: leaving with unsaved changes asks once', async () => {
    await world.visit(opened, async (page) => {
      const asked: string[] = [];
      page.on('dialog', (dialog) => {
        asked.push(dialog.message());
        void (asked.length === 1 ? dialog.dismiss() : dialog.accept());
      });
      await page.getByLabel('Status', { exact: true }).fill('LOST');
      await page.getByRole('button', { name: 'Close' }).click();
      expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('LOST');
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('complementary', { name: 'Item' }).waitFor({ state: 'detached' });
      expect(asked).toEqual(Array.from({ length: 2 }, () => 'The item has unsaved changes. Leave anyway?'));
      expect((await stored())?.['Status']).toEqual({ S: 'ACCEPTED' });
    });
  });

  test.each([
    [360, true],
    [1280, false],
    [1280, true],
    [2560, false],
  ])('WB-04, WB-08, WB-10: from its address, %i px wide, dark: %s', async (width, isDark) => {
    await world.visit(
      opened,
      async (page, { picture }) => {
        await page.getByLabel('Status', { exact: true }).fill('SHIPPED');
        await effects(page).waitFor();
        // What the save changes takes room from the form, and the field that is typed into stays in view.
        await expect
          .poll(() =>
            page.evaluate(() => {
              const field = document.activeElement?.getBoundingClientRect();
              const body = document.getElementById('item-body')?.getBoundingClientRect();
              return field !== undefined && body !== undefined && field.bottom <= body.bottom + 1;
            }),
          )
          .toBe(true);
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`item-${width}-${isDark ? 'dark' : 'light'}`);
      },
      { width, isDark },
    );
  });

  test('WB-29: the back button asks as well, once; what is kept is kept as it was typed', async () => {
    await world.visit(
      '/tables',
      async (page) => {
        await page.getByRole('row', { name: /^Shop/ }).waitFor();
        await page.getByRole('link', { name: 'Shop', exact: true }).first().click();
        await page.getByLabel('PK =').fill('CUSTOMER#alexdebrie');
        await page.keyboard.press('Enter');
        await page.getByRole('row', { name: /CUSTOMER#alexdebrie 5 items/ }).waitFor();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.getByLabel('Status', { exact: true }).fill('UNSAVED');
        const before = page.url();
        const asked: string[] = [];
        page.on('dialog', (dialog) => {
          asked.push(dialog.message());
          void (asked.length === 1 ? dialog.dismiss() : dialog.accept());
        });
        await page.evaluate(() => window.history.back());
        await expect.poll(() => [asked.length, page.url()]).toEqual([1, before]);
        expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('UNSAVED');
        await page.evaluate(() => window.history.back());
        await expect.poll(() => [asked.length, new URL(page.url()).search]).toEqual([2, '']);
        await page.evaluate(() => window.history.back());
        await page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor();
        expect(asked).toHaveLength(2);
      },
      wide,
    );
  });
});

async function expectText(where: ReturnType<Page['getByRole']>, text: RegExp): Promise<void> {
  await expect.poll(async () => await where.textContent()).toMatch(text);
}
