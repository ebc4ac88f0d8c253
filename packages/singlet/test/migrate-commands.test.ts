import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandEnd, useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';

/** The commands for versions and migrations, as installed, on their own server. */
let directory: string;
let server: SingletProcess;
let endpoint: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'singlet-migrate-'));
  server = new SingletProcess(['serve', '--port', '0', '--memory']);
  endpoint = await server.ready();
});

afterAll(async () => {
  await server.end('SIGTERM');
  await rm(directory, { recursive: true });
});

const command = useCommands();
const singlet = async (...args: readonly string[]): Promise<CommandEnd> => command(args, { cwd: directory });

const text = `{ '~standard': { version: 1, vendor: 'test', jsonSchema: { output: () => ({ type: 'string' }), input: () => ({ type: 'string' }) }, validate: (value: unknown) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no text' }] }) } } as const`;

/** Notes, before and after they got a slug and an index by author. */
async function writeModel(version: 1 | 2): Promise<void> {
  const entry = fileURLToPath(new URL('../../model/src/index.ts', import.meta.url));
  const slug = version === 1 ? '' : ', slug: text';
  const key = version === 1 ? '' : ", GSI1: ['AUTHOR#{author}', '{slug}']";
  await writeFile(
    join(directory, 'notes.model.ts'),
    `import { entity, model } from ${JSON.stringify(entry)};
const text = ${text};
export const notes = model('notes')
  .entities({ Note: entity({ noteId: text, author: text${slug} }) })
  .relationships([])
  .patterns({ note: { reads: 'Note', by: ['noteId'] }, write: { creates: 'Note' } })
  .tables({ Notes: { key: ['PK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({ Note: { Notes: ['NOTE#{noteId}']${key} } })
  .served({ note: 'GetItem', write: 'PutItem' });
`,
  );
}

test('from an accepted version to the next: diff, plan, run, status, verify, undo', async () => {
  const model = 'notes.model.ts';
  const at = ['--endpoint', endpoint];
  await writeModel(1);
  expect(await singlet('diff', model)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'There is no notes.accepted.json: write it with singlet accept notes.model.ts',
    ) as string,
  });
  expect(await singlet('accept', model)).toEqual({ code: 0, stdout: 'notes.accepted.json\n', stderr: '' });
  expect((await singlet('diff', model, '--check')).stdout).toBe('Nothing has changed.\n');
  expect((await singlet('migrate', 'plan', model)).stdout).toBe('Nothing has changed.\n');
  await singlet('seed', model, '--create', '--items', '30', ...at);
  expect((await singlet('migrate', 'run', model, ...at)).stderr).toContain('There is no migration in migrations');

  await writeModel(2);
  const diff = await singlet('diff', model, '--check');
  expect(diff.code).toBe(1);
  expect(diff.stdout).toMatch(/^backfill +entities\.Note\.slug +attribute-required/m);
  expect((await singlet('accept', model, '--check')).stderr).toContain('is not this version');

  const plan = await singlet('migrate', 'plan', model);
  expect(plan.stdout).toContain('1. write items of Notes: Note');
  expect(plan.stdout).toContain('Missing before it can run');
  const files = (await readdir(join(directory, 'migrations'))).toSorted();
  expect(files.map((file) => file.replace(/[0-9a-f]{12}/, 'id'))).toEqual(['0001-id.json', '0001-id.ts']);
  expect((await singlet('migrate', 'plan', model)).stdout).toContain('Known as: migrations/0001-');
  expect((await singlet('migrate', 'run', model, ...at)).stderr).toContain(
    "the migration's function failed: say what becomes of Note",
  );

  // An interrupted run is resumed. This one has its own checkpoint file, so it starts over.
  const failing = ['--failures', '30', '--checkpoints', 'failing.json'];
  const failed = await singlet('migrate', 'run', model, ...failing, ...at);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('0 written, 0 already correct, 0 deleted meanwhile, 30 failed');
  expect(failed.stderr.match(/say what becomes of Note/g)).toHaveLength(30);
  expect((await singlet('migrate', 'run', model, '--failures', 'none', ...at)).stderr).toContain('--failures takes');

  const file = join(directory, 'migrations', files[1] ?? '');
  const written = await readFile(file, 'utf8');
  await writeFile(
    file,
    written.replace(
      /throw new TypeError\('say what becomes of Note'\);/,
      'return { slug: item.slug ?? String(item.author).toLowerCase() };',
    ),
  );
  const dry = await singlet('migrate', 'run', model, '--dry-run', ...at);
  expect(dry.stdout).toContain('30 written');
  expect(dry.stdout).toContain('Dry run: nothing was written.');
  expect((await singlet('migrate', 'resume', model, '--checkpoints', 'progress.json', ...at)).stderr).toContain(
    'nothing to resume',
  );
  const run = await singlet('migrate', 'run', model, '--checkpoints', 'progress.json', ...at);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain('30 written, 0 already correct, 0 deleted meanwhile');
  expect((await singlet('migrate', 'status', model, '--checkpoints', 'progress.json', ...at)).stdout).toMatch(
    /^[0-9a-f]{12} run: ended/,
  );
  const verified = await singlet('migrate', 'verify', model, ...at);
  expect(verified).toMatchObject({ code: 0, stdout: 'Note: 30\nGSI1, Note: 30 of 30\n30 items read, 0 faults\n' });

  const complete = await readFile(file, 'utf8');
  await writeFile(file, complete.replace('byHand: []', "byHand: [], untyped: ['Absent']"));
  expect((await singlet('migrate', 'run', model, '--dry-run', ...at)).stderr).toContain('Absent is untyped');
  await writeFile(file, complete);

  expect((await singlet('migrate', 'undo', model, ...at)).stdout).toContain('Undone.');
  const left = await singlet('migrate', 'verify', model, '--json', ...at);
  expect(left.code).toBe(1);
  expect((JSON.parse(left.stdout) as { faultCount: number }).faultCount).toBe(90);
  expect((await singlet('migrate', 'verify', model, '--endpoint', 'http://127.0.0.1:1')).stderr).toContain(
    'Nothing answers at',
  );
});

/** Tags by page, then by tag in a table with another key, which no table can become in place. */
async function writeTags(version: 1 | 2): Promise<void> {
  const entry = fileURLToPath(new URL('../../model/src/index.ts', import.meta.url));
  const key = version === 1 ? "['page', 'label']" : "['label', 'page']";
  const templates = version === 1 ? "['{page}', '{label}']" : "['{label}', '{page}']";
  await writeFile(
    join(directory, 'tags.model.ts'),
    `import { entity, model } from ${JSON.stringify(entry)};
const text = ${text};
export const tags = model('tags')
  .entities({ Tag: entity({ page: text, label: text }) })
  .relationships([])
  .patterns({ tag: { reads: 'Tag', by: ['page', 'label'] }, write: { creates: 'Tag' } })
  .tables({ Tags: { key: ${key} } })
  .keys({ Tag: { Tags: ${templates} } })
  .served({ tag: 'GetItem', write: 'PutItem' });
`,
  );
}

test('P-38 into a new table: follow, compare, and back', async () => {
  const model = 'tags.model.ts';
  const sides = ['--into', 'Tags=tags-2', '--migrations', 'tags-migrations', '--endpoint', endpoint];
  await writeTags(1);
  await singlet('accept', model);
  await singlet('seed', model, '--create', '--items', '12', '--endpoint', endpoint);
  await writeTags(2);
  expect((await singlet('migrate', 'plan', model, '--migrations', 'tags-migrations')).stdout).toContain(
    'migrate follow',
  );

  expect(
    await singlet('migrate', 'follow', model, '--migrations', 'tags-migrations', '--endpoint', endpoint),
  ).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--into Tags=tags-2') as string,
  });
  const followed = await singlet('migrate', 'follow', model, ...sides);
  expect(followed).toMatchObject({ code: 0, stdout: expect.stringContaining('Caught up') as string });
  expect(followed.stdout).toMatch(/^[1-9]\d* scanned, 0 changes followed: [1-9]\d* written/);
  expect((await singlet('migrate', 'compare', model, ...sides)).stdout).toMatch(
    /^[1-9]\d* items compared, 0 faults\n$/,
  );

  const input = { page: 'p', label: 'l' };
  const written = await singlet(
    'run',
    model,
    'write',
    '--input',
    JSON.stringify(input),
    '--table',
    'Tags=tags-2',
    '--endpoint',
    endpoint,
  );
  expect(written).toMatchObject({ code: 0 });
  expect(await singlet('migrate', 'compare', model, ...sides)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('count-differs') as string,
  });
  expect((await singlet('migrate', 'follow', model, ...sides, '--back')).stdout).toContain('1 written');
  expect((await singlet('migrate', 'compare', model, ...sides, '--back')).code).toBe(0);
});
