import { readFileSync } from 'node:fs';
import { createDatabase, DynamoError, type Database } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { strategies } from '../src/features/tour/strategies/all.ts';
import { tourItems, tourTableInput } from '../src/features/tour/tour-items.ts';
import { tourTable } from '../src/features/tour/tour-request.ts';
import { tourWrites } from '../src/features/tour/tour-table.ts';
import { CountedKeys } from './counted-keys.ts';
import { expectAccessible, expectToFit, openStudio, type StudioWorld } from './studio-world.ts';

const browser = useBrowser();

interface Answer {
  readonly Items?: readonly object[];
  readonly Item?: object;
  readonly Responses?: Readonly<Record<string, readonly object[]>>;
}

async function everything(database: Database): Promise<string> {
  return JSON.stringify(await database.request('Scan', { TableName: tourTable, ConsistentRead: true }));
}

describe('the strategies of the tour', () => {
  const catalogue = readFileSync(new URL('../../../systems/strategies/README.md', import.meta.url), 'utf8');
  let database: Database;

  beforeAll(async () => {
    database = await createDatabase();
    await database.request('CreateTable', tourTableInput);
    for (const Item of tourItems) await database.request('PutItem', { TableName: tourTable, Item });
  });
  afterAll(async () => await database.close());

  test('WB-47: it has every strategy, each in at most five steps of sixty words', () => {
    const listed = [...catalogue.matchAll(/^\| (S-\d\d) +\| (.+?) +\|/gm)].map(([, id, title]) => `${id} ${title}`);
    expect(listed.length).toBeGreaterThan(80);
    expect(strategies.map(({ id, title }) => `${id} ${title}`)).toEqual(listed.toSorted());
    for (const { id, steps } of strategies) {
      expect(steps.length, id).toBeGreaterThan(0);
      expect(steps.length, id).toBeLessThanOrEqual(5);
      for (const { ask, answer } of steps) {
        expect(ask, id).toContain('?');
        expect(`${ask} ${answer}`.split(/\s+/).length, `${id}: ${ask}`).toBeLessThanOrEqual(60);
      }
    }
  });

  test.each(strategies.map((strategy) => [strategy.id, strategy] as const))(
    'WB-47: %s runs as it says',
    async (_, { steps }) => {
      for (const { ask, operation, input, items, refusal } of steps) {
        try {
          const { Items, Item, Responses } = (await database.request(operation, input)) as Answer;
          expect(refusal, ask).toBeUndefined();
          const came = Items ?? (Item ? [Item] : Object.values(Responses ?? {}).flat());
          if (items !== undefined) expect(came.length, ask).toBe(items);
        } catch (error) {
          if (!(error instanceof DynamoError)) throw error;
          expect(error.name, ask).toBe(refusal);
        }
      }
    },
  );

  test('no step has changed an item, and what the table costs is what is said before', async () => {
    const other = await createDatabase();
    await other.request('CreateTable', tourTableInput);
    let units = 0;
    for (const Item of tourItems) {
      const { ConsumedCapacity } = (await other.request('PutItem', {
        TableName: tourTable,
        Item,
        ReturnConsumedCapacity: 'TOTAL',
      })) as { ConsumedCapacity: { CapacityUnits: number } };
      units += ConsumedCapacity.CapacityUnits;
    }
    expect(tourWrites()).toEqual({ items: tourItems.length, units });
    expect(await everything(database)).toBe(await everything(other));
    await other.close();
  });
});

describe('the tour', () => {
  let world: StudioWorld;
  beforeAll(async () => {
    world = await openStudio(browser);
  });
  afterAll(async () => await world.close());

  test('WB-06, WB-47: a strategy is chosen, its table made when asked for, stepped through by keys, and removed', async () => {
    await world.visit('/tour', async (page, { picture }) => {
      await page.getByRole('button', { name: 'Create SingletTour' }).waitFor();
      await page.getByLabel('Search strategies').fill('composite primary key');
      await page.getByRole('link', { name: 'S-29 Composite primary key and Query' }).click();
      await page.getByText('1/3').waitFor();
      expect(await page.getByRole('button', { name: /Run it/ }).isDisabled()).toBe(true);
      expect((await world.database.request('ListTables', {})) as object).toEqual({ TableNames: [] });
      await page.getByRole('button', { name: 'Create SingletTour' }).click();
      await page.getByRole('button', { name: 'End the tour…' }).waitFor();

      // Three steps by keys: run, next, run.
      await page.getByRole('heading', { name: /S-29/ }).click();
      await page.keyboard.press('Control+Enter');
      await page.getByText('One request returns the parent with its children').waitFor();
      expect(await page.getByTestId('cost').textContent()).toBe('1 request, 4 items read, 4 returned, 0.5 RCU');
      await picture('tour');
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => new URL(page.url()).searchParams.get('step')).toBe('2');
      await page.keyboard.press('Control+Enter');
      await page.getByText('Three items are read, and three are returned').waitFor();
      await page.getByRole('link', { name: 'Show the collection' }).click();
      await page.getByRole('row', { name: /ORG#BERKSHIRE 4 items/ }).waitFor();
      await page.goBack();

      // A write that is refused changes nothing, and says so.
      await page.goto(`${world.server.url}/studio/tour/S-74`);
      await page.getByRole('button', { name: /Run it/ }).click();
      await page.getByText(/Nothing was written/).waitFor();
      await page.getByText(/Silently replace the customer/).waitFor();

      await page.getByRole('button', { name: 'End the tour…' }).click();
      await page.getByRole('button', { name: 'Remove SingletTour with all its items' }).click();
      await page.getByRole('button', { name: 'Create SingletTour' }).waitFor();
      expect((await world.database.request('ListTables', {})) as object).toEqual({ TableNames: [] });
    });
  });

  test('WB-06: task 12, learn a strategy, by keys only, in at most 3 steps', async () => {
    await world.visit('/tour', async (page) => {
      await page.getByRole('button', { name: 'Create SingletTour' }).click();
      await page.getByRole('button', { name: 'End the tour…' }).waitFor();
      await page.goto(`${world.server.url}/studio/settings`);
      await page.getByRole('heading', { name: 'Connection' }).waitFor();
      const keys = new CountedKeys(page);
      await keys.press('g u');
      await page.locator('.tour-list input:focus').waitFor();
      await keys.type('S-29');
      await page.getByRole('heading', { name: /S-29/ }).waitFor();
      await keys.press('Control+Enter');
      await page.getByText('One request returns the parent with its children').waitFor();
      expect(keys.steps).toBeLessThanOrEqual(3);
      // The same key leads to the next step.
      await page.keyboard.press('Control+Enter');
      await expect.poll(() => new URL(page.url()).searchParams.get('step')).toBe('2');
      await page.getByRole('button', { name: 'End the tour…' }).click();
      await page.getByRole('button', { name: 'Remove SingletTour with all its items' }).click();
      await page.getByRole('button', { name: 'Create SingletTour' }).waitFor();
    });
  });

  test('a step that is run before the tables are listed runs as soon as they are', async () => {
    await world.visit('/tour', async (page) => {
      await page.getByRole('button', { name: 'Create SingletTour' }).click();
      await page.getByRole('button', { name: 'End the tour…' }).waitFor();
      let pressed = (): void => undefined;
      const isPressed = new Promise<void>((resolve) => (pressed = resolve));
      await page.route(`${world.server.url}/`, async (route) => {
        if (route.request().headers()['x-amz-target']?.endsWith('ListTables')) await isPressed;
        await route.continue();
      });
      await page.goto(`${world.server.url}/studio/tour/S-29`);
      await page.getByRole('heading', { name: /S-29/ }).waitFor();
      await page.keyboard.press('Control+Enter');
      pressed();
      await page.getByText('One request returns the parent with its children').waitFor();
      await page.getByRole('button', { name: 'End the tour…' }).click();
      await page.getByRole('button', { name: 'Remove SingletTour with all its items' }).click();
      await page.getByRole('button', { name: 'Create SingletTour' }).waitFor();
    });
  });

  test.each([
    [360, true],
    [1280, false],
    [2560, true],
  ])('WB-08, WB-10: %i px wide, dark: %s', async (width, isDark) => {
    await world.visit(
      '/tour/S-31',
      async (page, { picture }) => {
        await page.getByRole('button', { name: 'Create SingletTour' }).click();
        await page.getByRole('button', { name: 'End the tour…' }).waitFor();
        await page.getByRole('button', { name: /Run it/ }).click();
        await page.getByText(/keys are sorted byte by byte/).waitFor();
        await expectToFit(page);
        const wider = await page.locator('.tour > .scroll').evaluate((each) => each.scrollWidth - each.clientWidth);
        expect(wider).toBe(0);
        await expectAccessible(page);
        await picture(`tour-${width}-${isDark ? 'dark' : 'light'}`);
        await page.getByRole('button', { name: 'End the tour…' }).click();
        await page.getByRole('button', { name: 'Remove SingletTour with all its items' }).click();
        await page.getByRole('button', { name: 'Create SingletTour' }).waitFor();
      },
      { width, isDark },
    );
  });
});
