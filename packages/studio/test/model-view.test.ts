import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { SingletProcess } from '../../singlet/test/singlet-process.ts';
import { bookShopModel, createTable, openModels, orderIdOf, useBookShop } from './book-shop.ts';
import { expectAccessible, expectToFit, openStudio, type StudioWorld } from './studio-world.ts';

const browser = useBrowser();
const orders = 12;
const world = useBookShop(orders, browser);

async function answer(): Promise<{ document: Record<string, never>; check: Record<string, never> }> {
  const response = await fetch(`${world.server.url}/_singlet/models/e-commerce`);
  return (await response.json()) as Awaited<ReturnType<typeof answer>>;
}

async function stored(key: object): Promise<Record<string, object> | undefined> {
  const { Item } = (await world.database.request('GetItem', {
    TableName: 'EcommerceTable',
    Key: key,
    ConsistentRead: true,
  })) as { Item?: Record<string, object> };
  return Item;
}

const wide = { width: 1280 };

/** What the installed command prints. */
async function json(...args: readonly string[]): Promise<unknown> {
  const command = new SingletProcess(args);
  await command.ended;
  return JSON.parse(command.stdout);
}

const runner = (page: Page): ReturnType<Page['getByRole']> => page.getByRole('complementary', { name: /^Run / });

describe('the model', () => {
  test('WB-41: entities, keys, patterns and costs are what check, docs and explain say', async () => {
    const { document } = (await answer()) as unknown as {
      document: {
        entityChart: { chart: { rows: string[][] } }[];
        costChart: { rows: string[][] };
        decisions: string[];
        views: { place: { name: string }; collections: { partition: string }[] }[];
      };
    };
    await world.visit('/m', async (page, { picture }) => {
      await expect.poll(async () => await page.getByTestId('proven').textContent()).toBe(' 18 of 18 patterns proven');
      expect(await page.title()).toMatch(/^Model e-commerce · /);
      await page.getByRole('img', { name: /Customer to Order is 1:N; Order to OrderItem is 1:N/ }).waitFor();
      const chart = page.getByRole('region', { name: 'Entity chart of EcommerceTable' });
      for (const [entity = '', partition = '', sort = ''] of document.entityChart[0]?.chart.rows ?? []) {
        const titles = await chart
          .getByRole('row', { name: new RegExp(`${entity} `) })
          .first()
          .locator('[title]:not(.badge)')
          .evaluateAll((all) => all.map((each) => each.getAttribute('title')));
        expect(titles.slice(0, 2)).toEqual([partition, sort]);
      }
      const list = page.getByRole('region', { name: 'Access patterns' }).getByRole('link');
      expect(await list.count()).toBe(18);
      await page
        .getByRole('link', { name: /proven EC-06 customerWithOrders Cu Or Query EcommerceTable .*300\/s \$32\.85/ })
        .waitFor();
      await picture('model-overview');
      await page.getByRole('link', { name: 'Cost', exact: true }).click();
      const costs = page.getByRole('region', { name: 'Cost of each pattern' }).getByRole('row');
      for (const [at, cells] of document.costChart.rows.entries())
        expect(
          await costs
            .nth(at + 1)
            .locator('td')
            .allTextContents(),
        ).toEqual(cells);
      await page.getByRole('link', { name: 'Decisions', exact: true }).click();
      expect(await page.getByRole('region', { name: 'Decisions' }).getByRole('listitem').allTextContents()).toEqual(
        document.decisions,
      );
      await page.getByRole('link', { name: 'Keys', exact: true }).click();
      for (const { place, collections } of document.views) {
        const samples = page.getByRole('region', { name: `Items of ${place.name}` });
        expect(await samples.getByRole('heading').allTextContents()).toEqual(
          collections.slice(0, 12).map(({ partition }) => partition),
        );
      }
    });
  });

  test('WB-41: patterns, verdicts, operations, costs and accepted findings are those of `singlet check --json` and `explain --json`', async () => {
    interface Verdict {
      readonly pattern: string;
      readonly id: string;
      readonly verdict: 'served' | 'remarked' | 'refused';
      readonly served: { readonly operation: string; readonly place: string };
      readonly cost: { readonly onDemandPerMonth: number };
    }
    interface Checked {
      readonly patterns: readonly Verdict[];
      readonly findings: readonly { readonly code: string; readonly message: string; readonly level: string }[];
    }
    const [checked] = (await json('check', bookShopModel, '--json')) as readonly Checked[];
    if (checked === undefined) throw new TypeError('The command has checked no model');
    expect(checked.patterns).toHaveLength(18);
    const words = { served: 'proven', remarked: 'proven, with a warning', refused: 'not proven' };
    await world.visit(
      '/m?section=patterns',
      async (page) => {
        const links = page.getByRole('region', { name: 'Access patterns' }).getByRole('link');
        await links.first().waitFor();
        const cells = await links.evaluateAll((all) =>
          all.map((link) =>
            ['.verdict .hidden', '.id', 'b', '.how', '.cost'].map((part) => link.querySelector(part)?.textContent),
          ),
        );
        const shown = cells.map(([verdict, id, name, how, cost]) => [
          verdict,
          id,
          name,
          how,
          Number(cost?.replace(/[$,]/g, '')),
        ]);
        const wanted = checked.patterns.map(({ pattern, id, verdict, served, cost }) => [
          words[verdict],
          id,
          pattern,
          expect.stringMatching(new RegExp(`^${served.operation} .*${served.place} `)) as string,
          expect.closeTo(cost.onDemandPerMonth, 1) as number, // in cents
        ]);
        expect(shown).toEqual(wanted);
        await page.getByRole('link', { name: 'Overview', exact: true }).click();
        await page.getByTestId('proven').waitFor();
        const open = checked.findings.filter(({ level }) => level !== 'accepted');
        expect(await page.getByRole('article').count()).toBe(open.length);
        for (const { code, message } of open)
          await page.getByRole('article').filter({ hasText: code }).filter({ hasText: message }).waitFor();
      },
      wide,
    );
    for (const pattern of ['customerWithOrders', 'changeStatus']) {
      const explained = (await json('explain', bookShopModel, pattern, '--json')) as {
        readonly served: { readonly operation: string };
        readonly cost: { readonly readUnits: number; readonly writeUnits: number };
      };
      await world.visit(`/m?section=patterns&p=${pattern}`, async (page) => {
        const plan = runner(page).getByRole('region', { name: 'Plan' });
        await plan.getByText(explained.served.operation).first().waitFor();
        const { readUnits, writeUnits } = explained.cost;
        const units = readUnits > 0 ? `${readUnits} RCU` : `${writeUnits} WCU`;
        expect(await plan.textContent()).toContain(units);
      });
    }
  });

  test('WB-43: each pattern has a field for each of its inputs, and sends nothing while one is missing', async () => {
    interface Field {
      readonly shape: { readonly kind: string; readonly fields?: Readonly<Record<string, Field>> };
      readonly optional: boolean;
    }
    const { patterns } = (await answer()) as unknown as {
      patterns: readonly {
        readonly name: string;
        readonly many: boolean;
        readonly inputs: unknown;
        readonly shapes: Readonly<Record<string, Field>>;
      }[];
    };
    expect(patterns).toHaveLength(18);
    const namesOf = (fields: Readonly<Record<string, Field>>, depth = 0): readonly string[] =>
      Object.entries(fields).flatMap(([name, { shape }]) =>
        shape.kind === 'object' && depth < 3 ? namesOf(shape.fields ?? {}, depth + 1) : [name],
      );
    const requiredOf = (fields: Readonly<Record<string, Field>>, depth = 0): number =>
      Object.values(fields)
        .filter(({ optional }) => !optional)
        .reduce(
          (sum, { shape }) =>
            sum + (shape.kind === 'object' && depth < 3 ? requiredOf(shape.fields ?? {}, depth + 1) : 1),
          0,
        );
    const sent: string[] = [];
    await world.visit('/m?section=patterns', async (page) => {
      page.on('request', (request) => {
        if (new URL(request.url()).pathname.endsWith('/run')) sent.push(request.url());
      });
      for (const { name, many, inputs, shapes } of patterns) {
        await page.goto(`${world.server.url}/studio/m?section=patterns&p=${name}`);
        await runner(page)
          .getByRole('button', { name: /^(Run|Preview)/ })
          .waitFor();
        if (many || inputs === null) continue;
        const labels = await runner(page)
          .locator('.input-field label')
          .evaluateAll((all) => all.map((label) => label.firstChild?.textContent?.trim()));
        expect(labels, name).toEqual(namesOf(shapes));
        await runner(page)
          .getByRole('button', { name: /^(Run|Preview)/ })
          .click();
        await expect
          .poll(() => runner(page).locator('.input-field').filter({ hasText: '× needs a value' }).count(), {
            message: name,
          })
          .toBe(requiredOf(shapes));
      }
    });
    expect(sent).toEqual([]);
  });

  test('WB-04, WB-06: patterns by keys alone: go there, choose, type, run, show the rows', async () => {
    await world.visit('', async (page) => {
      await page.getByRole('heading', { name: 'Tables', exact: true }).first().waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('m');
      await page
        .getByRole('link', { name: /EC-01 signUp/ })
        .and(page.locator(':focus'))
        .waitFor();
      for (let step = 0; step < 10; step += 1) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await runner(page).getByLabel('username').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('alex');
      await page.keyboard.press('Control+Enter');
      await expect.poll(async () => await page.getByTestId('run-sums').textContent()).toMatch(/^11 read11 returned/);
      await expect.poll(() => new URL(page.url()).searchParams.get('in')).toBe('{"username":"alex"}');
      await page.keyboard.press('v');
      await page.getByRole('row', { name: /CUSTOMER#alex 13 items/ }).waitFor();
      // WB-44: of twelve orders the ten newest, the one that tells of a next page, and the customer… as the run has said.
      expect(await page.locator('.row.marked-read').count()).toBe(11);
      expect(await page.locator('.row.item:not(.marked-read)').count()).toBe(2);
      await page.goBack();
      await runner(page).getByLabel('username').waitFor();
      expect(await runner(page).getByLabel('username').inputValue()).toBe('alex');
    });
  });

  test('a pattern is explained, and its requests copied as code, before it runs', async () => {
    await world.visit('/m?section=patterns&p=customerWithOrders&in={"username":"alex"}', async (page, { picture }) => {
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Model 18/18' }).waitFor();
      await runner(page)
        .getByRole('button', { name: /^Explain/ })
        .click();
      const explained = runner(page).getByRole('region', { name: 'Explanation' });
      await explained.getByText(/The first page reads 11 items, returns 11 and costs 0.5 RCU/).waitFor();
      await runner(page).getByLabel('Copy as').selectOption('CLI');
      const code = runner(page).getByRole('region', { name: 'Requests as code' });
      await expect.poll(() => code.locator('pre').textContent()).toMatch(/^aws dynamodb query .*CUSTOMER#alex/s);
      await expectAccessible(page);
      await picture('model-copy-as');
      await runner(page).getByLabel('username').fill('');
      await runner(page).getByLabel('Copy as').selectOption('SDK');
      await runner(page).getByText('× needs a value').waitFor();
      expect(await page.getByTestId('run-sums').count()).toBe(0); // nothing was run
    });
    await world.visit('/m?section=patterns&p=changeStatus', async (page) => {
      expect(
        await runner(page)
          .getByRole('button', { name: /^Explain/ })
          .count(),
      ).toBe(0);
      await runner(page).getByLabel('username').fill('alex');
      await runner(page).getByLabel('orderId').fill(orderIdOf(3));
      await runner(page).getByLabel('status').selectOption('SHIPPED');
      await runner(page).getByLabel('Copy as').selectOption('SDK');
      const code = runner(page).getByRole('region', { name: 'Requests as code' });
      await expect.poll(() => code.locator('pre').textContent()).toMatch(/new UpdateItemCommand\(/);
      const key = { PK: { S: 'CUSTOMER#alex' }, SK: { S: `#ORDER#${orderIdOf(3)}` } };
      expect((await stored(key))?.['Status']).toEqual({ S: 'ACCEPTED' }); // nothing was written
    });
  });

  test('WB-43: a form by the schema refuses what the schema refuses, before anything is sent', async () => {
    await world.visit('/m?section=patterns&p=finishOrder', async (page) => {
      const field = (name: string): ReturnType<Page['getByLabel']> =>
        runner(page).getByRole('textbox', { name: new RegExp(`^${name} `) });
      await runner(page).getByRole('button', { name: 'Preview' }).click();
      expect(await runner(page).getByText('× needs a value').count()).toBe(6);
      expect(await runner(page).getByLabel('status').locator('option').allTextContents()).toEqual([
        '–',
        'ACCEPTED',
        'SHIPPED',
        'DELIVERED',
        'CANCELLED',
      ]);
      await field('orderId').fill(orderIdOf(90));
      await field('username').fill('alex');
      await field('createdAt').fill('yesterday');
      await runner(page).getByLabel('status').selectOption('SHIPPED');
      await field('amount').fill('much');
      await field('numberItems').fill('1');
      await runner(page).getByRole('button', { name: 'Preview' }).click();
      await runner(page).getByText('× must be a number').waitFor();
      await field('amount').fill('18.5');
      await runner(page).getByRole('button', { name: 'Preview' }).click();
      await runner(page)
        .getByRole('alert')
        .getByText(/ModelRefused Order\.createdAt: Invalid ISO datetime/)
        .waitFor();
      expect(await field('createdAt').getAttribute('aria-invalid')).toBe('true');
      await field('createdAt').fill('2026-11-22T08:00:00Z');
      await runner(page).getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('region', { name: 'What this run writes' }).waitFor();
      expect(await stored({ PK: { S: 'CUSTOMER#alex' }, SK: { S: `#ORDER#${orderIdOf(90)}` } })).toBeUndefined();
    });
  });

  test('WB-45: a write is shown before it is made, and made when it is pressed again', async () => {
    const key = { PK: { S: 'CUSTOMER#alex' }, SK: { S: `#ORDER#${orderIdOf(3)}` } };
    await world.visit('/m?section=patterns&p=changeStatus', async (page, { picture }) => {
      await runner(page).getByLabel('username').fill('alex');
      await runner(page).getByLabel('orderId').fill(orderIdOf(3));
      await runner(page).getByLabel('status').selectOption('SHIPPED');
      await page.keyboard.press('Control+Enter');
      const preview = page.getByRole('region', { name: 'What this run writes' });
      await preview.getByText('the entry stays in place, rewritten').waitFor();
      expect(await preview.textContent()).toMatch(/2 WCU.*UpdateItem.*MODIFY/s);
      expect((await stored(key))?.['Status']).toEqual({ S: 'ACCEPTED' });
      await picture('model-write-preview');
      await runner(page).getByRole('button', { name: 'Write it' }).click();
      await expect.poll(async () => await page.getByTestId('run-sums').textContent()).toMatch(/1 written2 WCU/);
      expect((await stored(key))?.['Status']).toEqual({ S: 'SHIPPED' });
      // What has been typed since the preview is shown again before it is written.
      await runner(page).getByLabel('status').selectOption('DELIVERED');
      await runner(page).getByRole('button', { name: 'Preview' }).click();
      await preview.waitFor();
      await runner(page).getByLabel('status').selectOption('CANCELLED');
      await runner(page).getByRole('button', { name: 'Preview' }).waitFor();
      expect((await stored(key))?.['Status']).toEqual({ S: 'SHIPPED' });
    });
  });

  test.each([
    [360, true],
    [1280, false],
    [2560, true],
  ])('WB-08, WB-10: %i px wide, dark: %s', async (width, isDark) => {
    const theme = isDark ? 'dark' : 'light';
    await world.visit(
      '/m',
      async (page, { picture }) => {
        await page.getByTestId('proven').waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`model-${width}-${theme}`);
        await page.goto(`${world.server.url}/studio/m?section=keys`);
        await page.getByRole('region', { name: 'Items of GSI1' }).waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`model-keys-${width}-${theme}`);
        await page.goto(`${world.server.url}/studio/m?section=patterns&p=customerWithOrders&in={"username":"alex"}`);
        await runner(page).getByRole('button', { name: 'Run' }).click();
        await page.getByTestId('run-sums').waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`model-run-${width}-${theme}`);
      },
      { width, isDark },
    );
  });
});

describe('a file that changes', () => {
  const entry = fileURLToPath(new URL('../../model/src/index.ts', import.meta.url));
  const text = `{ '~standard': { version: 1, vendor: 'test', jsonSchema: { output: () => ({ type: 'string' }), input: () => ({ type: 'string' }) }, validate: (value: unknown) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no text' }] }) } } as const`;
  const notes = (more: string): string => `import { entity, model } from ${JSON.stringify(entry)};
const text = ${text};
export const notes = model('notes')
  .entities({ Note: entity({ noteId: text, author: text, status: text }) })
  .relationships([])
  .patterns({
    note: { id: 'N-1', reads: 'Note', by: ['author', 'noteId'] },
    open: { id: 'N-2', reads: ['Note'], by: ['author'], where: { status: 'OPEN' }${more} },
  })
  .tables({ Notes: { key: ['PK', 'SK'] } })
  .keys({ Note: { Notes: ['AUTHOR#{author}', 'NOTE#{noteId}'] } })
  .served({ note: 'GetItem', open: { query: 'Notes' } });
`;
  let directory: string;
  let file: string;
  let other: StudioWorld;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'singlet-studio-model-'));
    file = join(directory, 'notes.model.ts');
    await writeFile(file, notes(''));
    other = await openModels(browser, [file]);
    await createTable(other.database, 'Notes');
    for (const [SK, status] of [
      ['1', 'OPEN'],
      ['2', 'DONE'],
      ['3', 'OPEN'],
    ] as const) {
      const Item = {
        PK: { S: 'AUTHOR#ada' },
        SK: { S: `NOTE#${SK}` },
        noteId: { S: SK },
        author: { S: 'ada' },
        status: { S: status },
        Type: { S: 'Note' },
      };
      await other.database.request('PutItem', { TableName: 'Notes', Item });
    }
  });
  afterAll(async () => {
    await other.close();
    await rm(directory, { recursive: true });
  });

  test('WB-42, WB-46: new verdicts, a broken file with its place, findings with theirs and their rule', async () => {
    await other.visit('/m', async (page, { picture }) => {
      await page.getByText('version 1').waitFor();
      await page
        .getByRole('article')
        .filter({ hasText: 'filter-selects' })
        .getByRole('button', { name: 'Open in model' })
        .click();
      await expect.poll(() => new URL(page.url()).searchParams.get('finding')).toMatch(/^\d$/);
      const lines = page.getByLabel(/^Lines of .*notes\.model\.ts:\d+:\d+$/);
      expect(await lines.locator('.here').textContent()).toContain("open: { query: 'Notes' }");
      await page.getByText('Remedy.').waitFor();
      const [rule] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('link', { name: 'The page of filter-selects' }).click(),
      ]);
      await rule.getByRole('heading', { name: 'A filter does the work of a key', level: 1 }).waitFor();
      await rule.getByText('filter-selects', { exact: true }).first().waitFor();
      await rule.close();
      await picture('model-finding');
      await writeFile(file, notes(', limit: 10'));
      await page.getByText('version 2').waitFor();
      expect(await page.getByTestId('proven').textContent()).toBe('× 1 of 2 patterns proven');
      await writeFile(file, `${notes('')}\nexport const broken = (;\n`);
      await page
        .getByRole('alert')
        .getByText(/notes\.model\.ts:14:24/)
        .first()
        .waitFor();
      await page.getByText('The page shows the last version that could be read.').waitFor();
      expect(await page.getByRole('link', { name: /N-1 note/ }).count()).toBe(1);
      await picture('model-fault');
      await writeFile(file, notes(''));
      await page.getByRole('alert').waitFor({ state: 'detached' });
    });
  });

  test('WB-24: an address with a model that does not exist says so above the one that is shown', async () => {
    await world.visit('/m/absent', async (page) => {
      const notice = page.getByText('There is no model absent. This page shows another one.');
      await notice.waitFor();
      const above = await notice.boundingBox();
      const below = await page.getByRole('region', { name: 'Overview' }).boundingBox();
      const head = await page.getByRole('navigation', { name: 'Parts of the model' }).boundingBox();
      const ends = (box: typeof above): number => (box === null ? Number.NaN : box.y + box.height);
      expect(ends(head)).toBeLessThanOrEqual(above?.y ?? 0);
      expect(ends(above)).toBeLessThanOrEqual(below?.y ?? 0);
      await expectToFit(page);
    });
  });

  test('WB-44: rows that were filtered away are struck through in the collection', async () => {
    await other.visit('/m?p=open&in={"author":"ada"}', async (page, { picture }) => {
      await runner(page).getByRole('button', { name: 'Run' }).click();
      await expect
        .poll(async () => await page.getByTestId('run-sums').textContent())
        .toMatch(/^3 read2 returned1 filtered/);
      await page.getByRole('button', { name: /^Show in collection/ }).click();
      await page.locator('.row.marked-filtered').waitFor();
      expect(await page.locator('.row.marked-filtered .key').allTextContents()).toEqual(['NOTE#2']);
      expect(await page.locator('.row.marked-read .key').allTextContents()).toEqual(['NOTE#1', 'NOTE#3']);
      await picture('model-marked');
    });
  });
});

test('WB-24: a server without models says how to name one', async () => {
  const empty = await openStudio(browser);
  await empty.visit('/m', async (page) => {
    await page.getByText('This server was started without a model').waitFor();
    await expectAccessible(page);
  });
  await empty.close();
});
