/**
 * Migrations of a server's models with `/_singlet/migrations`, together with the commands of `singlet migrate` on the same tables. With several
 * workers, any of them answers for the one that runs a migration.
 */
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandEnd, useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';

const entry = fileURLToPath(new URL('../../model/src/index.ts', import.meta.url));
const text = `{ '~standard': { version: 1, vendor: 'test', jsonSchema: { output: () => ({ type: 'string' }), input: () => ({ type: 'string' }) }, validate: (value: unknown) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no text' }] }) } } as const`;
const items = 40;

let directory: string;
let server: SingletProcess;
let endpoint: string;

/** Notes, before and after they got a slug and an index by author. */
async function writeModel(version: 1 | 2): Promise<void> {
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

const command = useCommands();
const singlet = async (...args: readonly string[]): Promise<CommandEnd> => command(args, { cwd: directory });

interface Counted {
  readonly text: string;
  readonly count: { readonly scanned: number; readonly written: number; readonly current: number };
}

interface Answer {
  readonly error?: string;
  readonly message?: string;
  readonly models?: readonly {
    readonly problem: string | null;
    readonly migrations: readonly { readonly id: string }[];
  }[];
  readonly isWritten?: boolean;
  readonly isPresent?: boolean;
  readonly refusals?: readonly string[];
  readonly steps?: readonly { readonly text: string }[];
  readonly state?: { readonly direction: string; readonly endedAt?: number; readonly step: number } | null;
  readonly job?: {
    readonly state: string;
    readonly dryRun: boolean;
    readonly steps: readonly Counted[];
    readonly failures: readonly string[];
    readonly unsent: readonly object[];
    readonly verified: { readonly ok: boolean; readonly scanned: number; readonly faultCount: number } | null;
    readonly error: { readonly message: string } | null;
  } | null;
}

async function ask(path: string, body?: object): Promise<Answer> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  // A connection of its own for each request: workers get them in turn.
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(`${endpoint}/_singlet/migrations${path}`, { agent: false, ...(body && post) }, resolve)
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
  return JSON.parse((await response.setEncoding('utf8').toArray()).join('')) as Answer;
}

/** Starts work and waits until it has ended. */
async function work(id: string, name: string, settings: object = {}): Promise<NonNullable<Answer['job']>> {
  const begun = await ask(`/${id}/${name}`, settings);
  expect(begun).not.toHaveProperty('error');
  await expect.poll(async () => (await ask(`/${id}`)).job?.state).not.toBe('running');
  const { job } = await ask(`/${id}`);
  if (job === undefined || job === null) throw new TypeError('There is work');
  return job;
}

/** A client that is told of migrations by events. */
class MigrationEvents {
  readonly jobs: NonNullable<Answer['job']>[] = [];
  readonly #response: IncomingMessage;
  #changed: () => void = () => undefined;

  /** Resolves when all later events will be sent. */
  static async open(): Promise<MigrationEvents> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(`${endpoint}/_singlet/events?topics=migration`, { agent: false }, resolve).on('error', reject).end();
    });
    return await new Promise((resolve) => {
      const events: MigrationEvents = new MigrationEvents(response, () => resolve(events));
    });
  }

  private constructor(response: IncomingMessage, onOpen: () => void) {
    this.#response = response;
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      const blocks = (text + part).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.includes('event: open')) onOpen();
        const [, data] = /event: migration\ndata: (.*)/.exec(block) ?? [];
        if (data !== undefined) this.jobs.push(JSON.parse(data) as NonNullable<Answer['job']>);
      }
      this.#changed();
    });
  }

  async until(isDone: (jobs: MigrationEvents['jobs']) => boolean): Promise<void> {
    while (!isDone(this.jobs)) await new Promise<void>((resolve) => (this.#changed = resolve));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#response.once('close', resolve));
    this.#response.destroy();
    await closed;
  }
}

async function presentId(): Promise<string> {
  const { models = [] } = await ask('');
  return models[0]?.migrations.at(-1)?.id ?? '';
}

const status = async (): Promise<unknown> =>
  JSON.parse(
    (await singlet('migrate', 'status', 'notes.model.ts', '--json', '--endpoint', endpoint)).stdout,
  ) as unknown;

describe.each([
  { server: 'one process', storage: ['--memory'] },
  { server: 'three workers', storage: ['--data', 'data', '--workers', '3'] },
])('the migrations of $server', ({ storage }) => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'singlet-served-migrations-'));
    await writeModel(1);
    server = new SingletProcess(['serve', '--port', '0', ...storage, '--model', 'notes.model.ts'], { cwd: directory });
    endpoint = await server.ready();
    await singlet('accept', 'notes.model.ts');
    await singlet('seed', 'notes.model.ts', '--create', '--items', String(items), '--endpoint', endpoint);
  });

  afterAll(async () => {
    await server.end('SIGTERM');
    await rm(directory, { recursive: true });
  });

  test('plan, count, run, verify, pause, resume, undo and accept: the same as the commands at every step', async () => {
    expect((await ask('')).models).toMatchObject([{ problem: null, migrations: [] }]);
    await writeModel(2);
    const id = await presentId();

    // Reading the state writes no file; planning does, as the command would have.
    const unplanned = await ask(`/${id}`);
    expect(unplanned).toMatchObject({ isWritten: false, isPresent: true, state: null, job: null });
    expect(unplanned.refusals?.join()).toContain('has no function for Note');
    expect(await readdir(directory)).not.toContain('migrations');
    expect(await ask(`/${id}/run`, {})).toMatchObject({ error: 'MigrationRefused' });
    expect(await ask(`/${id}/plan`, {})).toMatchObject({ isWritten: true });
    const planned = JSON.parse((await singlet('migrate', 'plan', 'notes.model.ts', '--json')).stdout) as Answer & {
      readonly id: string;
    };
    const shown = await ask(`/${id}`);
    expect(planned.id).toBe(id);
    expect(shown.refusals).toEqual(planned.refusals);
    expect(shown.steps).toMatchObject(planned.steps ?? []);

    const file = join(directory, 'migrations', `0001-${id}.ts`);
    expect((await work(id, 'run', { failures: 3 })).state).toBe('failed');
    const written = await readFile(file, 'utf8');
    await writeFile(
      file,
      written.replace(
        /throw new TypeError\('say what becomes of Note'\);/,
        'return { slug: item.slug ?? String(item.author).toLowerCase() };',
      ),
    );
    expect((await ask(`/${id}`)).refusals).toEqual([]);

    // Clients are told of it, whichever process runs it.
    const told = await MigrationEvents.open();
    // A dry run counts, and changes nothing.
    const counted = await work(id, 'run', { dryRun: true });
    expect(counted).toMatchObject({ state: 'done', dryRun: true, steps: [{ count: { written: items, current: 0 } }] });
    await told.until((jobs) => jobs.some(({ state, dryRun }) => state === 'done' && dryRun));
    // Its unsent requests can be previewed like any write.
    expect(counted.unsent).toHaveLength(3);
    const preview = await fetch(`${endpoint}/_singlet/preview`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(counted.unsent[0]),
    });
    expect(await preview.json()).toMatchObject({
      ok: true,
      items: [{ table: 'Notes', indexes: [{ name: 'GSI1', change: 'put' }] }],
    });
    expect((await work(id, 'verify')).verified?.ok).toBe(false);
    await told.until((jobs) => jobs.some(({ verified }) => verified !== null));
    await told.close();
    expect(told.jobs.find(({ state, dryRun }) => state === 'done' && dryRun)).toMatchObject({ steps: counted.steps });
    const verified = told.jobs.filter((job) => job.verified !== null);
    expect(verified.at(-1)).toMatchObject({ state: 'done', verified: { ok: false } });
    // An event is sent when something has changed.
    const texts = told.jobs.map((job) => JSON.stringify(job));
    expect(texts.filter((text, at) => text === texts[at - 1])).toEqual([]);

    // Resumes what the failed run began, at a rate at which it can be paused.
    await ask(`/${id}/resume`, { writeUnits: 1 });
    expect(await ask(`/${id}/verify`, {})).toMatchObject({ error: 'MigrationRefused' });
    const paused = await ask(`/${id}/pause`, {});
    expect(paused.job?.state).toBe('paused');
    expect(paused.state).toMatchObject({ direction: 'run', step: 0 });
    expect(paused.state).not.toHaveProperty('endedAt');
    expect(await status()).toMatchObject({ direction: 'run', step: 0 });
    expect(await ask(`/${id}/pause`, {})).toMatchObject({ error: 'MigrationRefused' });

    // And the command resumes what was paused here.
    expect((await singlet('migrate', 'resume', 'notes.model.ts', '--endpoint', endpoint)).code).toBe(0);
    const ended = await ask(`/${id}`);
    expect(ended.state?.endedAt).toBeTypeOf('number');
    expect(await status()).toMatchObject({ direction: 'run', endedAt: ended.state?.endedAt });
    expect((await work(id, 'verify')).verified).toMatchObject({ ok: true, faultCount: 0 });

    expect((await work(id, 'undo')).state).toBe('done');
    expect(await status()).toMatchObject({ direction: 'undo' });
    expect((await work(id, 'run')).steps).toMatchObject([{ count: { written: items } }]);
    expect((await work(id, 'run')).steps).toMatchObject([{ count: { written: 0, current: items } }]);

    expect(await ask(`/${id}/accept`, {})).toMatchObject({ isPresent: false, isWritten: true });
    expect((await singlet('accept', 'notes.model.ts', '--check')).code).toBe(0);
    expect((await ask('')).models).toMatchObject([{ migrations: [{ id, isPresent: false }] }]);
  });

  test('what is wrong with a request is refused with its reason', async () => {
    const id = await presentId();
    expect(await ask('/0123456789ab')).toMatchObject({ error: 'ResourceNotFoundException' });
    expect(await ask(`/${id}/follow`, {})).toMatchObject({ error: 'ResourceNotFoundException' });
    expect(await ask(`/${id}/verify`, { dryRun: true })).toMatchObject({
      error: 'ValidationException',
      message: 'verify takes segments, readUnits, not "dryRun".',
    });
    expect(await ask(`/${id}/run`, { segments: 'many' })).toMatchObject({ error: 'ValidationException' });
    const { job } = { job: await work(id, 'run', { segments: 1.5 }) };
    expect(job).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('segments') as string } });
  });
});
