import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { snapshot, snapshotText } from '@singlet/model/versions';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SingletProcess } from '../../singlet/test/singlet-process.ts';
import { loadModel } from '../../singlet/src/cli/model/load-models.ts';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { createTable, openModels } from './book-shop.ts';
import { CountedKeys } from './counted-keys.ts';
import { expectPicture } from './doc-picture.ts';
import { expectAccessible, expectToFit, type StudioWorld } from './studio-world.ts';

const browser = useBrowser();
const notes = 120;
const entry = fileURLToPath(new URL('../../model/src/index.ts', import.meta.url));
const text = `{ '~standard': { version: 1, vendor: 'test', jsonSchema: { output: () => ({ type: 'string' }), input: () => ({ type: 'string' }) }, validate: (value: unknown) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no text' }] }) } } as const`;
let directory: string;
let file: string;
let world: StudioWorld;

/** Notes; then notes with a slug and an index by author; then with a second index, which asks for no function. */
async function writeModel(version: 1 | 2 | 3): Promise<void> {
  const slug = version === 1 ? '' : ', slug: text';
  const second = version === 3 ? ", GSI2: ['GSI2PK', 'GSI2SK']" : '';
  const indexes = version === 1 ? '' : `, indexes: { GSI1: ['GSI1PK', 'GSI1SK']${second} }`;
  const secondKey = version === 3 ? ", GSI2: ['SLUG#{slug}', '{noteId}']" : '';
  const key = version === 1 ? '' : `, GSI1: ['AUTHOR#{author}', '{slug}']${secondKey}`;
  await writeFile(
    file,
    `import { entity, model } from ${JSON.stringify(entry)};
const text = ${text};
export const notes = model('notes')
  .entities({ Note: entity({ noteId: text, author: text${slug} }) })
  .relationships([])
  .patterns({ note: { reads: 'Note', by: ['noteId'] }, write: { creates: 'Note' } })
  .tables({ Notes: { key: ['PK', 'SK']${indexes} } })
  .keys({ Note: { Notes: ['NOTE#{noteId}', 'NOTE']${key} } })
  .served({ note: 'GetItem', write: 'PutItem' });
`,
  );
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'singlet-studio-migrations-'));
  file = join(directory, 'notes.model.ts');
  await writeModel(1);
  world = await openModels(browser, [file]);
  const { model } = await loadModel(file);
  await writeFile(join(directory, 'notes.accepted.json'), snapshotText(snapshot(model)));
  await createTable(world.database, 'Notes');
  for (let number = 0; number < notes; number += 1) {
    const id = { S: String(number) };
    const key = { PK: { S: `NOTE#${number}` }, SK: { S: 'NOTE' } };
    const Item = { ...key, noteId: id, author: { S: `Author ${number % 3}` }, Type: { S: 'Note' } };
    await world.database.request('PutItem', { TableName: 'Notes', Item });
  }
});
afterAll(async () => {
  await world.close();
  await rm(directory, { recursive: true });
});

async function stored(number: number): Promise<Record<string, object>> {
  const Key = { PK: { S: `NOTE#${number}` }, SK: { S: 'NOTE' } };
  const { Item } = (await world.database.request('GetItem', { TableName: 'Notes', Key, ConsistentRead: true })) as {
    Item: Record<string, object>;
  };
  return Item;
}

/** What a command says of the migration, as JSON. */
async function commanded<Answer>(name: string): Promise<Answer> {
  const connection = name === 'plan' ? [] : ['--endpoint', world.server.url, '--region', 'us-east-1'];
  const command = new SingletProcess(['migrate', name, file, '--json', ...connection], {
    env: { ...process.env, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  });
  await command.ended;
  expect(command.stderr.replaceAll(/\(node:.*|.*NodeVersionSupport.*|.*--trace-warnings.*/g, '')).not.toMatch(
    /^error/m,
  );
  return JSON.parse(command.stdout) as Answer;
}

interface Told {
  readonly changes: unknown;
  readonly steps: readonly object[];
  readonly order: unknown;
  readonly refusals: unknown;
  readonly state: { readonly texts: unknown } | null;
  readonly job: { readonly verified: unknown } | null;
}

/** The page has a sentence for each step as well. */
function planOf({ changes, steps, order, refusals }: Told): object {
  return { changes, steps: steps.map((step) => ({ ...step, text: undefined })), order, refusals };
}

/** What the page has been told: the migration that exists, or leads to the model as it is. */
async function told(): Promise<Told> {
  const { models } = (await (await fetch(`${world.server.url}/_singlet/migrations`)).json()) as {
    readonly models: readonly { readonly migrations: readonly { readonly id: string }[] }[];
  };
  const id = models[0]?.migrations.at(-1)?.id ?? '';
  return (await (await fetch(`${world.server.url}/_singlet/migrations/${id}`)).json()) as Told;
}

/** The page and the command say the same of how far the migration is. */
async function expectAgreement(): Promise<void> {
  const { state } = await told();
  const { texts: _, ...progress } = state ?? { texts: [] };
  const { steps: __, ...byCommand } = (await commanded<{ readonly steps: unknown } | null>('status')) ?? { steps: [] };
  expect(progress).toEqual(byCommand);
}

const button = (page: Page, name: string): ReturnType<Page['getByRole']> =>
  page.getByRole('button', { name, exact: true });
const stages = (page: Page): Promise<string | null> => page.getByRole('list', { name: 'Stages' }).textContent();

describe('migrations', () => {
  test('WB-56: plan, count, run, pause, resume, verify, undo and accept, and nothing before it was shown', async () => {
    await world.visit('', async (page, { picture }) => {
      await page.getByRole('heading', { name: 'Tables', exact: true }).first().waitFor();
      await page.getByRole('link', { name: 'Migrations' }).click();
      await page.getByText(/notes has not changed since it was accepted/).waitFor();

      // A saved model shows what it asks of the items, and nothing is written for it.
      await writeModel(2);
      await page.getByRole('region', { name: 'Changes' }).getByText('entities.Note.slug').waitFor();
      expect(await readdir(directory)).not.toContain('migrations');
      await page
        .getByRole('region', { name: 'Required before it can run' })
        .getByText(/no function for Note/)
        .waitFor();
      await button(page, 'Plan').click();
      await button(page, 'Count what it would write').waitFor();
      expect(planOf(await told())).toEqual(planOf(await commanded<Told>('plan')));
      await expectAgreement(); // it has not begun
      await button(page, 'Count what it would write').click();
      await page
        .getByRole('alert')
        .getByText(/say what becomes of Note/)
        .waitFor();
      const [, name = ''] = await readdir(join(directory, 'migrations'));
      const written = await readFile(join(directory, 'migrations', name), 'utf8');
      await writeFile(
        join(directory, 'migrations', name),
        written.replace(
          /throw new TypeError\('say what becomes of Note'\);/,
          "return { slug: item.slug ?? String(item.author).toLowerCase().replace(' ', '-') };",
        ),
      );
      await button(page, 'Count what it would write').click();
      const counted = page.getByRole('region', { name: 'What it would write' });
      await counted.getByText(`It would write ${notes} items; the first 3:`).waitFor();
      await counted.getByText('slug author-').first().waitFor();
      await page.setViewportSize({ width: 1280, height: 800 });
      await counted.evaluate((element) => element.scrollIntoView({ block: 'start' }));
      await expectPicture(page, 'migrations', { doNumbersVary: true });
      await page.setViewportSize({ width: 1000, height: 800 });
      expect((await stored(1))['slug']).toBeUndefined();
      await picture('migration-counted');

      // At one unit a second it takes half a minute, unless it is paused.
      await page.getByLabel('Write units a second').fill('1');
      await button(page, 'Run it').click();
      await button(page, 'Pause').click();
      await button(page, 'Count what is left').waitFor();
      await expectAgreement();
      await button(page, 'Count what is left').click();
      await page.getByLabel('Write units a second').fill('');
      await button(page, 'Resume').click();
      await expect.poll(() => stages(page)).toMatch(/Run +done/);
      expect(await stored(1)).toMatchObject({ slug: { S: 'author-1' }, GSI1PK: { S: 'AUTHOR#Author 1' } });
      await expectAgreement();

      await button(page, 'Verify').click();
      const verification = page.getByRole('region', { name: 'Verification' });
      await verification.getByText(/Every item is as the new version/).waitFor();
      await verification.getByText(`GSI1, Note: ${notes} of ${notes}`, { exact: false }).waitFor();
      expect((await told()).job?.verified).toEqual(await commanded('verify'));
      await picture('migration-verified');

      // WB-04: the address holds which one it is.
      await page.getByRole('combobox', { name: 'Migration' }).selectOption({ index: 0 });
      await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/studio\/migrations\/[0-9a-f]{12}$/);
      await button(page, 'Undo…').click();
      await counted.getByText(`Undoing it would write ${notes} items`, { exact: false }).waitFor();
      expect((await stored(1))['slug']).toEqual({ S: 'author-1' });
      await button(page, 'Undo it').click();
      await expect.poll(async () => (await stored(1))['GSI1PK']).toBeUndefined();
      await expect.poll(() => button(page, 'Undo it').count()).toBe(0);
      await expect.poll(() => button(page, 'Pause').count()).toBe(0);
      await expectAgreement();

      await button(page, 'Count what it would write').click();
      await button(page, 'Run it').click();
      await expect.poll(() => stages(page)).toMatch(/Run +done/);
      await button(page, 'Accept').click();
      await expect.poll(() => stages(page)).toMatch(/Accept +done/);
      const { model } = await loadModel(file);
      expect(model.name).toBe('notes');
      expect(await readFile(join(directory, 'notes.accepted.json'), 'utf8')).toContain('"slug"');
    });
  });

  test('WB-06: task 11, migrate to the next version of the model, by keys only, in at most 5 steps', async () => {
    await world.visit('/settings', async (page) => {
      await page.getByRole('heading', { name: 'Connection' }).waitFor();
      await writeModel(3);
      const keys = new CountedKeys(page);
      await keys.press('g i');
      await page.getByRole('region', { name: 'Changes' }).getByText(/GSI2/).first().waitFor();
      await button(page, 'Plan').waitFor();
      await keys.press('Control+Enter');
      await button(page, 'Count what it would write').waitFor();
      await keys.press('Control+Enter');
      await page.getByRole('region', { name: 'What it would write' }).waitFor();
      await button(page, 'Run it').waitFor();
      await keys.press('Control+Enter');
      await expect.poll(() => stages(page)).toMatch(/Run +done/);
      await button(page, 'Verify').waitFor();
      await keys.press('Control+Enter');
      await page
        .getByRole('region', { name: 'Verification' })
        .getByText(/Every item is as the new version/)
        .waitFor();
      expect(keys.steps).toBeLessThanOrEqual(5);
      await writeModel(2);
    });
  });

  test.each([
    [360, true],
    [1280, false],
    [2560, true],
  ])('WB-08, WB-10: %i px wide, dark: %s', async (width, isDark) => {
    await world.visit(
      '/migrations',
      async (page, { picture }) => {
        await page.getByRole('region', { name: 'Changes' }).waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await picture(`migration-${width}-${isDark ? 'dark' : 'light'}`);
      },
      { width, isDark },
    );
  });
});
