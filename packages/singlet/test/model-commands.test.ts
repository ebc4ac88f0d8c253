import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { SingletProcess } from './singlet-process.ts';

/** The commands for models, as they are installed, on a server of their own. */
const shop = fileURLToPath(new URL('../../model/test/shop.model.ts', import.meta.url));

let directory: string;
let server: SingletProcess;
let endpoint: string;
const started: SingletProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'singlet-model-'));
  server = new SingletProcess(['serve', '--port', '0', '--memory']);
  endpoint = await server.ready();
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((process) => process.end('SIGKILL')));
});

afterAll(async () => {
  await server.end('SIGTERM');
  await rm(directory, { recursive: true });
});

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function singlet(...args: readonly string[]): Promise<Outcome> {
  const process = new SingletProcess(args, { cwd: directory });
  started.push(process);
  const { code } = await process.ended;
  return { code, stdout: process.stdout, stderr: process.stderr };
}

/** A model with a pattern that nothing serves, in a file of its own. */
async function unserved(): Promise<string> {
  const file = join(directory, 'notes.model.ts');
  const entry = new URL('../../model/src/index.ts', import.meta.url).href;
  await writeFile(
    file,
    `import { entity, model } from ${JSON.stringify(fileURLToPath(entry))};
const text = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no text' }] }) } } as const;
export const notes = model('notes')
  .entities({ Note: entity({ noteId: text, author: text }) })
  .relationships([])
  .patterns({ note: { id: 'N-1', reads: 'Note', by: ['noteId'] }, byAuthor: { id: 'N-2', reads: ['Note'], by: ['author'], limit: 10 } })
  .tables({ Notes: { key: ['PK'] } })
  .keys({ Note: { Notes: ['NOTE#{noteId}'] } })
  .served({ note: 'GetItem', byAuthor: { query: 'Notes' } });
`,
  );
  return file;
}

describe('singlet check', () => {
  test('lists each pattern with its operation, and succeeds', async () => {
    const { code, stdout, stderr } = await singlet('check', shop);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^\+ {2}EC-06 {2}customerWithOrders +Query on Shop +PK = CUSTOMER#\{username\} AND SK BETWEEN/m,
    );
    expect(stdout).toMatch(/shop: 10 of 10 patterns served as declared; 0 errors/);
  });

  test('fails where a pattern is not served, and says where, why and what would help', async () => {
    const file = await unserved();
    const { code, stdout } = await singlet('check', file);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /notes\.model\.ts:9:30 error not-served\n.*needs more than the inputs\n {2}Add an index GSI1 to Notes, give Note the key/,
    );
  });

  test('speaks to machines', async () => {
    const { stdout } = await singlet('check', await unserved(), '--json');
    const [report] = JSON.parse(stdout) as [
      { ok: boolean; patterns: { id: string; verdict: string }[]; findings: { place: string }[] },
    ];
    expect(report.ok).toBe(false);
    expect(report.patterns.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['N-1', 'served'],
      ['N-2', 'refused'],
    ]);
    expect(report.findings.every(({ place }) => /notes\.model\.ts:\d+:\d+$/.test(place))).toBe(true);
  });

  test.each([
    [['check', 'nowhere.ts'], 'There is no nowhere.ts.'],
    [['check', '.'], '. exports no model'],
    [['check'], "missing required argument 'model'"],
  ])('%j is answered with one line', async (args, line) => {
    await rm(join(directory, 'notes.model.ts'), { force: true });
    const { code, stderr, stdout } = await singlet(...args);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(`singlet: ${line}`);
    expect(stderr.trim().split('\n').length).toBe(1);
  });
});

describe('singlet repl', () => {
  test('has patterns that show their requests at once', async () => {
    const input = 'db.customer.request({ username: "alex" })[0].operation\n.exit\n';
    const process = new SingletProcess(['repl', shop, '--endpoint', endpoint], { cwd: directory, input });
    started.push(process);
    expect((await process.ended).code).toBe(0);
    expect(process.stdout).toContain("'GetItem'");
  });
});

describe('singlet docs', () => {
  test('writes Markdown or a page, and notices when a file is out of date', async () => {
    expect((await singlet('docs', shop)).stdout).toContain('## Access patterns');
    expect((await singlet('docs', shop, '--out', 'docs/shop.html')).code).toBe(0);
    const page = join(directory, 'docs/shop.html');
    expect(await readFile(page, 'utf8')).toMatch(/^<!doctype html>/);
    expect((await singlet('docs', shop, '--out', 'docs/shop.html', '--check')).code).toBe(0);
    await writeFile(page, 'something else');
    const outdated = await singlet('docs', shop, '--out', 'docs/shop.html', '--check');
    expect(outdated).toMatchObject({ code: 1, stderr: expect.stringContaining('is not up to date') as string });
  });
});

describe('DB-269: singlet seed, run and explain', () => {
  test('fill tables, run a pattern and measure it', async () => {
    const seeded = await singlet('seed', shop, '--create', '--items', '8', '--endpoint', endpoint);
    expect(seeded).toEqual({ code: 0, stdout: 'Customer: 8\nOrder: 8\nOrderItem: 8\n', stderr: '' });

    const run = await singlet('run', shop, 'customer', '--username', 'alex', '--endpoint', endpoint);
    expect(JSON.parse(run.stdout)).toMatchObject({ username: 'alex', email: 'alex@example.com' });

    const explained = await singlet(
      'explain',
      shop,
      'customerWithOrders',
      '--username',
      'alex',
      '--endpoint',
      endpoint,
    );
    expect(explained.stdout).toMatch(/operation +Query\n/);
    expect(explained.stdout).toMatch(/measured +1 requests, \d+ items read, \d+ returned/);
  });

  test('take text that looks like a number as text, where the pattern does', async () => {
    const { stdout } = await singlet('run', shop, 'customer', '--username', '007', '--request');
    expect(stdout).toContain('CUSTOMER#007');
    const plain = await singlet('run', shop, 'customer', '--username', '7', '--request');
    expect(plain).toMatchObject({ code: 0, stdout: expect.stringContaining('CUSTOMER#7') as string });
  });

  test('explain all patterns of a model in a table', async () => {
    const { stdout } = await singlet('explain', shop);
    expect(stdout).toMatch(/served by +requests +items +read units/);
    expect(stdout).toMatch(/^customerWithOrders +Query on Shop +1 /m);
    const { stdout: json } = await singlet('explain', shop, '--json');
    expect((JSON.parse(json) as { pattern: string }[]).map(({ pattern }) => pattern)).toContain('customerWithOrders');
  });

  test('show a request without sending it', async () => {
    const { stdout } = await singlet(
      'run',
      shop,
      'customer',
      '--username=alex',
      '--request',
      '--endpoint',
      'http://127.0.0.1:1',
    );
    expect(JSON.parse(stdout)).toEqual([
      {
        operation: 'GetItem',
        input: { TableName: 'Shop', Key: { PK: { S: 'CUSTOMER#alex' }, SK: { S: 'CUSTOMER#alex' } } },
      },
    ]);
  });

  test.each([
    [['run', shop, 'nothing'], 'shop has no pattern nothing; it has createCustomer,'],
    [['run', shop, 'customer', '--username'], '--username needs a value.'],
    [
      ['run', shop, 'customer', '--username', 'a', '--endpoint', 'http://127.0.0.1:1'],
      'Nothing answers at http://127.0.0.1:1',
    ],
    [['run', shop, 'customer', '--input', '{'], '--input is not JSON'],
    [['explain', shop, 'nothing'], 'shop has no pattern nothing'],
    [['run', shop, 'customer', '--user', 'a'], 'customer has no input user; it takes --username.'],
    [['run', shop, 'customer'], 'customer needs --username.'],
    [
      ['run', shop, 'customer', '--username', 'a', '--table', 'Shop=none'],
      'lacks none, or an index of it: make tables',
    ],
    [['explain', shop, 'customer', '--username', 'a', '--table', 'Shop=none'], 'lacks none, or an index of it'],
    [['explain', shop, 'customer', '--username', 'a#b'], 'Customer.username: "a#b" has the separator'],
    [['run', shop, 'placeOrder', '--order', '{}'], 'placeOrder needs --lines.'],
    [['explain', shop, 'customer', '--name', 'a'], 'customer has no input name; it takes --username.'],
  ])('%j says what is wrong in one line', async (args, line) => {
    const at = args.includes('--endpoint') ? [] : ['--endpoint', endpoint];
    const { code, stderr } = await singlet(...args, ...at);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^singlet: .*\n$/);
    expect(stderr).toContain(line);
  });
});

describe('DB-272: singlet ksuid', () => {
  test('makes ids and takes them apart', async () => {
    const { stdout } = await singlet('ksuid', '--count', '3');
    expect(stdout).toMatch(/^([0-9A-Za-z]{27}\n){3}$/);
    const { stdout: parts } = await singlet('ksuid', '1YnlHOfSSk3DhX4BR6lMAceAo1V');
    expect(parts).toBe(
      'string     1YnlHOfSSk3DhX4BR6lMAceAo1V\nraw        0AF14D665D6068ACBE766CF717E210D69C94D115\n' +
        'time       2020-03-07T13:02:30Z\ntimestamp  183586150\npayload    5D6068ACBE766CF717E210D69C94D115\n',
    );
    expect((await singlet('ksuid', 'nonsense')).stderr).toBe('singlet: nonsense: is not a KSUID\n');
  });
});
