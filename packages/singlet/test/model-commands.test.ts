import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CommandEnd, useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';

/** The commands for models, as installed, on their own server. */
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

const command = useCommands();
const singlet = async (...args: readonly string[]): Promise<CommandEnd> => command(args, { cwd: directory });

/** A model with a pattern that is not served, in its own file. */
async function unserved(): Promise<string> {
  const file = join(directory, 'notes.model.ts');
  const entry = new URL('../../model/src/index.ts', import.meta.url).href;
  await writeFile(
    file,
    `import { entity, model } from ${JSON.stringify(fileURLToPath(entry))};
const text = { '~standard': { version: 1, vendor: 'test', jsonSchema: { output: () => ({ type: 'string' }), input: () => ({ type: 'string' }) }, validate: (value: unknown) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no text' }] }) } } as const;
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

  test.each([
    [
      'that cannot be parsed',
      'export const a = 1;\nexport const b = ;\n',
      /^singlet: \.broken\/broken\.model\.ts:2:18 cannot be read: Unexpected token/,
    ],
    [
      'that throws',
      'const a: any = undefined;\n\nexport const b = a.b.c;\n',
      /^singlet: \.broken\/broken\.model\.ts:3 cannot be run: TypeError: /,
    ],
    [
      'that leaves out a section of its model',
      'const entities = (): any => ({});\n\nexport const b = entities().patterns({});\n',
      /^singlet: \.broken\/broken\.model\.ts:3 cannot be run: TypeError: entities\(\.\.\.\)\.patterns is not a function\. A model states entities, relationships, patterns, .*, in this order\./,
    ],
    [
      'that calls a misspelled import',
      "import { modell } from './other.ts';\n\nexport const b = modell('b');\n",
      /^singlet: \.broken\/broken\.model\.ts:3 cannot be run: TypeError: modell is not a function$/m,
    ],
    [
      'that imports what is not there',
      "import { a } from './other.ts';\nimport { b } from './absent.ts';\nexport { a, b };\n",
      /^singlet: \.broken\/broken\.model\.ts:2 cannot be run: Cannot find module '\.\/absent\.ts'/,
    ],
    [
      'that imports one that throws',
      "import { a } from './thrower.ts';\nexport { a };\n",
      /^singlet: \.broken\/thrower\.ts:2 cannot be run: RangeError: too many$/m,
    ],
  ])('names file, line and cause of a file %s', async (_, text, expected) => {
    const broken = join(directory, '.broken');
    await mkdir(broken, { recursive: true });
    await writeFile(join(broken, 'other.ts'), 'export const a = 1;\n');
    await writeFile(join(broken, 'thrower.ts'), "export const a = 1;\nthrow new RangeError('too many');\n");
    await writeFile(join(broken, 'broken.model.ts'), text);
    const { code, stderr } = await singlet('check', '.broken/broken.model.ts');
    expect(stderr).toMatch(expected);
    expect(code).toBe(1);
    const machine = await singlet('check', '.broken/broken.model.ts', '--json');
    expect(JSON.parse(machine.stdout)).toEqual([
      {
        file: '.broken/broken.model.ts',
        ok: false,
        error: expect.stringMatching(new RegExp(expected.source.replace('^singlet: ', ''), expected.flags)),
        patterns: [],
        findings: [],
      },
    ]);
    expect(machine).toMatchObject({ code: 1, stderr });
  });

  test('lists what a model accepts with the reason, and marks what it declares unproven', async () => {
    const file = await unserved();
    const source = await readFile(file, 'utf8');
    const reads = "{ id: 'N-2', reads: ['Note'], by: ['author'], limit: 10 }";
    expect(source).toContain(reads);
    await writeFile(
      file,
      source
        .replace(
          reads,
          "{ reads: ['Note'], order: 'author asc', limit: 10, unproven: 'few notes', accepts: { scan: 'once a day' } }",
        )
        .replace("{ query: 'Notes' } }", "{ scan: 'Notes', because: 'an export' } }"),
    );
    const { code, stdout } = await singlet('check', file);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\? +byAuthor +Scan on Notes$/m);
    expect(stdout).toMatch(/accepted order-not-served\n .*\n {2}Accepted: few notes$/m);
    expect(stdout).toMatch(/accepted scan\n .*\n {2}Accepted: once a day$/m);
    expect(stdout).toMatch(/2 of 2 patterns served as declared, 1 of them unproven; 0 errors, .* 2 accepted$/m);
    expect((await singlet('check', file, '--quiet')).stdout).not.toContain('Accepted');
    const { stdout: json } = await singlet('check', file, '--json');
    const [{ patterns }] = JSON.parse(json) as [{ patterns: { pattern: string; unproven?: string }[] }];
    expect(patterns.map(({ unproven }) => unproven)).toEqual([undefined, 'few notes']);
    expect((await singlet('explain', file, 'byAuthor')).stdout).toMatch(/^ {2}unproven +few notes$/m);
  });

  test('names file, line and cause of a model that no program could check further', async () => {
    const file = await unserved();
    const malformed = join(directory, '.malformed', 'malformed.model.ts');
    await mkdir(join(directory, '.malformed'), { recursive: true });
    await writeFile(malformed, (await readFile(file, 'utf8')).replace("by: ['author']", "by: 'author' as never"));
    const { code, stdout } = await singlet('check', malformed);
    expect(stdout).toMatch(
      /^\.malformed\/malformed\.model\.ts:6:\d+ error bad-declaration\n {2}patterns\.byAuthor\.by is not a list of/,
    );
    expect(code).toBe(1);
    for (const command of [['explain'], ['cost'], ['prove'], ['docs']]) {
      const refused = await singlet(...command, malformed);
      expect(refused.stderr).toMatch(
        /^singlet: \.malformed\/malformed\.model\.ts:6:\d+ cannot be used: patterns\.byAuthor\.by is not a list of/,
      );
      expect(refused.code).not.toBe(0);
    }
  });

  test('what it refutes is not run', async () => {
    const file = await unserved();
    const commands = [
      ['run', file, 'byAuthor', '--author', 'a', '--endpoint', endpoint],
      ['migrate', 'plan', file],
      ['migrate', 'run', file, '--endpoint', endpoint],
      ['migrate', 'resume', file, '--endpoint', endpoint],
      ['migrate', 'follow', file, '--into', 'Notes=notes-2', '--endpoint', endpoint],
    ];
    for (const command of commands) {
      const refused = await singlet(...command);
      expect(refused.stderr).toMatch(
        /^singlet: notes\.model\.ts:9:30 not-served: .* Nothing was sent: correct the model first/,
      );
      expect(refused.code).toBe(1);
    }
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

  test('says of machines, too, which keys a read asks for and what it costs', async () => {
    const { stdout } = await singlet('check', shop, '--json');
    const [report] = JSON.parse(stdout) as [
      { patterns: { pattern: string; ranges?: { cases: { requests: object[] }[] }; cost?: object }[] },
    ];
    const read = report.patterns.find(({ pattern }) => pattern === 'olderOrders');
    expect(read?.ranges?.cases[0]?.requests).toMatchObject([
      {
        operation: 'Query',
        partition: { PK: 'CUSTOMER#{username}' },
        range: { from: '#ORDER#{orderId.from}', to: '#ORDER#{orderId.to}', toBeginnings: false },
      },
    ]);
    expect(read?.cost).toMatchObject({ readUnits: 0.5, rate: 40 });
    expect(report.patterns.find(({ pattern }) => pattern === 'rename')).not.toHaveProperty('ranges');
  });

  test('checks again when a file has changed, also one that cannot be run', async () => {
    const file = await unserved();
    const watching = new SingletProcess(['check', file, '--watch'], { cwd: directory });
    started.push(watching);
    const seen = async (text: RegExp): Promise<void> => watching.until(() => text.test(watching.stdout));
    await seen(/notes: 1 of 2 patterns served as declared[^]*Waiting for changes/);
    const source = await readFile(file, 'utf8');
    await writeFile(file, `${source}\nthrow new Error('half written');\n`);
    await seen(/half written[^]*Waiting for changes/);
    await writeFile(file, source.replace(", by: ['author'], limit: 10 }", ", by: ['noteId'], limit: 10 }"));
    await seen(/half written[^]*notes: 2 of 2 patterns served as declared/);
    expect((await singlet('check', file, '--watch', '--json')).stderr).toContain('cannot be combined with --json');
  });

  test.each([
    [['check', 'nowhere.ts'], 'There is no nowhere.ts.'],
    [['check', '.'], '. has no model: name the file model.ts or NAME.model.ts'],
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

describe('singlet prove', () => {
  /** A model that answers correctly, and one whose read ignores the part of `by` beyond the key, because of its schema. */
  const notes = async (): Promise<string> => {
    const file = join(directory, 'proven.model.ts');
    const entry = new URL('../../model/src/index.ts', import.meta.url).href;
    await writeFile(
      file,
      `import { entity, model } from ${JSON.stringify(fileURLToPath(entry))};
const text = { '~standard': { version: 1, vendor: 'test', jsonSchema: { output: () => ({ type: 'string' }), input: () => ({ type: 'string' }) }, validate: (value: unknown) => (typeof value === 'string' && /^[a-z]+$/.test(value) ? { value } : { issues: [{ message: 'no text' }] }) } } as const;
// Each value that is taken is stored as another one.
let count = 0;
const restless = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => (value === undefined ? { issues: [{ message: 'none' }] } : { value: 'v' + String((count += 1)) }) } } as const;
export const notes = model('notes')
  .entities({ Note: entity({ author: text, note: text }) })
  .relationships([])
  .patterns({ note: { reads: 'Note', by: ['author', 'note'] }, notes: { reads: ['Note'], by: ['author'], limit: 3 }, write: { creates: 'Note' } })
  .tables({ Notes: { key: ['PK', 'SK'] } })
  .keys({ Note: { Notes: ['A#{author}', 'N#{note}'] } })
  .served({ note: 'GetItem', notes: { query: 'Notes' }, write: 'PutItem' });
export const unsorted = model('unsorted')
  .entities({ Note: entity({ author: text, note: text }) })
  .relationships([])
  .patterns({ sorted: { reads: ['Note'], by: ['author'], order: 'note asc', limit: 3 }, note: { reads: 'Note', by: ['author', 'note'] } })
  .tables({ Notes: { key: ['PK', 'SK'] } })
  .keys({ Note: { Notes: ['A#{author}', '{note}#N'] } })
  .served({ sorted: { query: 'Notes' }, note: 'GetItem' });
export const restlessNotes = model('restless')
  .entities({ Note: entity({ author: text, note: text, seen: restless }) })
  .relationships([])
  .patterns({ notes: { reads: ['Note'], by: ['author'] }, write: { creates: 'Note' } })
  .tables({ Notes: { key: ['PK', 'SK'] } })
  .keys({ Note: { Notes: ['A#{author}', 'N#{note}'] } })
  .served({ notes: { query: 'Notes' }, write: 'PutItem' });
`,
    );
    return file;
  };

  test('names file, line and cause of a model that no program can run', async () => {
    const { code, stderr } = await singlet('prove', await unserved());
    expect(stderr).toMatch(/^singlet: notes\.model\.ts:9:\d+ cannot be run: served\.byAuthor: /);
    expect(code).toBe(1);
  });

  test('checks and proves the other models of a directory in which a file cannot be run', async () => {
    const several = join(directory, 'several');
    await mkdir(several, { recursive: true });
    await rename(await notes(), join(several, 'notes.model.ts'));
    await rename(await unserved(), join(several, 'unserved.model.ts'));
    await writeFile(join(several, 'broken.model.ts'), "export const a = 1;\nthrow new RangeError('too many');\n");
    const stderr = 'singlet: several/broken.model.ts:2 cannot be run: RangeError: too many\n';
    const checked = await singlet('check', 'several');
    expect(checked).toMatchObject({ code: 1, stderr });
    expect(checked.stdout).toMatch(/^notes: 3 of 3 patterns served as declared/m);
    expect(checked.stdout).toMatch(/^notes: 1 of 2 patterns served as declared/m);
    const { stdout } = await singlet('check', 'several', '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      { file: 'several/notes.model.ts', export: 'notes' },
      { file: 'several/notes.model.ts', export: 'restlessNotes' },
      { file: 'several/notes.model.ts', export: 'unsorted' },
      { file: 'several/unserved.model.ts' },
      { file: 'several/broken.model.ts', ok: false, error: expect.stringContaining('too many') as string },
    ]);
    const proven = await singlet('prove', 'several', '--runs', '1', '--json');
    expect(proven.code).toBe(1);
    expect(proven.stderr).toContain(stderr.trim());
    expect(JSON.parse(proven.stdout)).toMatchObject([
      { export: 'notes', ok: true },
      { export: 'restlessNotes', ok: true },
      { export: 'unsorted', ok: true },
      { file: 'several/broken.model.ts', ok: false },
      {
        file: 'several/unserved.model.ts',
        export: 'notes',
        ok: false,
        error: expect.stringMatching(/^several.*:9:\d+ /) as string,
      },
    ]);
  });

  test('says of each pattern that it answers as declared, in a database of its own or on an endpoint', async () => {
    const file = await notes();
    for (const at of [[], ['--endpoint', endpoint]]) {
      const { code, stdout, stderr } = await singlet('prove', file, '--model', 'notes', '--runs', '3', ...at);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^\+ {2}note {3}agrees {3}\d+ calls$/m);
      expect(stdout).toMatch(/^- {2}write {2}not run$/m);
      expect(stdout).toMatch(/^notes: 2 of 2 patterns answer as declared; \d+ calls on 3 sets of items, seed 1$/m);
      expect(stdout).toMatch(/^1 pattern that writes was not run: add --writes$/m);
    }
  });

  test('says why a pattern is not run', async () => {
    const { code, stdout } = await singlet('prove', await notes(), '--model', 'unsorted', '--runs', '1');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^- {2}sorted {2}not run {2}check refuses it: order-not-served$/m);
  });

  test('writes, too', async () => {
    const file = await notes();
    const { code, stdout, stderr } = await singlet('prove', file, '--model', 'notes', '--runs', '3', '--writes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\+ {2}write {2}agrees {2}\d+ calls$/m);
    expect(stdout).not.toContain('not run');
    const restless = await singlet(
      'prove',
      file,
      '--model',
      'restless',
      '--runs',
      '3',
      '--writes',
      '--path',
      '1.writes',
    );
    expect(restless.code).toBe(1);
    expect(restless.stdout).toMatch(/^writes: broken invariant$/m);
    expect(restless.stdout).toContain('again: --writes --seed 1 --path 1.writes');
    expect(restless.stdout).toContain("test('writes keep the rules'");
  });

  test('prints a wrong answer as a test, and fails', async () => {
    const { code, stdout } = await singlet('prove', await notes(), '--model', 'restless', '--runs', '2', '--writes');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^x {2}write {2}differs/m);
    expect(stdout).toMatch(/again: --writes --seed 1 --path \d+\.writes/);
    expect(stdout).toContain("test('writes keep the rules'");
  });

  test('speaks to machines, and repeats one call', async () => {
    const file = await notes();
    const { code, stdout } = await singlet('prove', file, '--json', '--runs', '2', '--writes');
    expect(code).toBe(1);
    const reports = JSON.parse(stdout) as { model: string; ok: boolean; counterexamples: { path: string }[] }[];
    expect(reports.map(({ model, ok }) => [model, ok])).toEqual([
      ['notes', true],
      ['restless', false],
      ['unsorted', true],
    ]);
    const path = reports[1]?.counterexamples[0]?.path ?? '';
    expect((await singlet('prove', file, '--model', 'restless', '--writes', '--path', path)).code).toBe(1);
  });

  test('refuses what is not a number, and no model', async () => {
    const file = await notes();
    expect((await singlet('prove', file, '--runs', 'many')).stderr).toContain('--runs takes a whole number from 1');
    expect((await singlet('prove', file, '--model', 'other')).stderr).toContain('has no model other');
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
    expect(explained.stdout).toMatch(
      /asks for +Query Shop: PK = CUSTOMER#\{username\}, SK from #ORDER# to CUSTOMER#\{username\}\n/,
    );
    expect(explained.stdout).toMatch(/there +Order \(#ORDER#\{orderId\}\), Customer \(CUSTOMER#\{username\}\)\n/);
    expect(explained.stdout).toMatch(/measured +1 request, 1 item read, 1 returned/);
  });

  test('name the entities for which no sample value fits, after the others are written', async () => {
    const file = join(directory, 'coded.model.ts');
    const entry = fileURLToPath(new URL('../../model/src/index.ts', import.meta.url));
    await writeFile(
      file,
      `import { entity, model } from ${JSON.stringify(entry)};
const schema = (accepts: (value: unknown) => boolean) => ({ '~standard': { version: 1, vendor: 'test', jsonSchema: { output: () => ({ type: 'string' }), input: () => ({ type: 'string' }) }, validate: (value: unknown) => (accepts(value) ? { value: String(value) } : { issues: [{ message: 'no' }] }) } } as const);
export const coded = model('coded')
  .entities({ Note: entity({ noteId: schema((value) => typeof value === 'string') }), Code: entity({ code: schema((value) => value === 'only this') }) })
  .relationships([])
  .patterns({ note: { reads: 'Note', by: ['noteId'] }, code: { reads: 'Code', by: ['code'] } })
  .tables({ Coded: { key: ['PK'] } })
  .keys({ Note: { Coded: ['NOTE#{noteId}'] }, Code: { Coded: ['CODE#{code}'] } })
  .served({ note: 'GetItem', code: 'GetItem' });
`,
    );
    const seeded = await singlet('seed', file, '--create', '--items', '3', '--endpoint', endpoint);
    expect(seeded).toEqual({
      code: 1,
      stdout: 'Note: 3\n',
      stderr:
        "singlet: No sample value fits Code. Give examples of what its attributes accept, in the second argument of entity: { examples: { attribute: ['…', '…'] } }.\n",
    });
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

  test('take and print values as they are stored, where the application has dates', async () => {
    const bookings = fileURLToPath(new URL('../../model/test/bookings.model.ts', import.meta.url));
    const at = ['--endpoint', endpoint] as const;
    expect(await singlet('seed', bookings, '--create', '--items', '1', ...at)).toMatchObject({ code: 0 });
    const from = '2031-03-01T10:00:00.000Z';
    const booked = await singlet('run', bookings, 'book', '--room', 'a', '--from', from, ...at);
    expect(booked).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(booked.stdout)).toEqual({ room: 'a', from, made: '2020-01-01T00:00:00.000Z' });
    const range = JSON.stringify({ room: 'a', from: { from, to: from } });
    const found = await singlet('run', bookings, 'ofRoom', '--input', range, ...at);
    expect(JSON.parse(found.stdout)).toMatchObject({ items: [{ room: 'a', from }] });
    const explained = await singlet('explain', bookings, 'booking', '--room', 'a', '--from', from, ...at);
    expect(explained).toMatchObject({ code: 0, stderr: '' });
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
      'lacks none, or an index of it: create the tables',
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

describe('singlet init', () => {
  test('writes a model that passes every check, and replaces nothing', async () => {
    // Where zod and the toolkit are found, as in a project that has them.
    const project = await mkdtemp(join(fileURLToPath(new URL('../../model/', import.meta.url)), '.init-'));
    try {
      const file = join(project, 'orders.model.ts');
      const written = await singlet('init', file);
      expect(written).toMatchObject({ code: 0, stderr: '' });
      expect(written.stdout).toContain(`Next: npx singlet check ${file} --watch`);
      const { code, stdout } = await singlet('check', file);
      expect(stdout).toContain('orders: 6 of 6 patterns served as declared; 0 errors, 0 warnings');
      expect(code).toBe(0);
      const { counterexamples } = JSON.parse((await singlet('prove', file, '--runs', '2', '--json')).stdout)[0] as {
        counterexamples: unknown[];
      };
      expect(counterexamples).toEqual([]);
      expect((await singlet('init', file)).stderr).toContain('exists, and is not overwritten');
    } finally {
      await rm(project, { recursive: true });
    }
  });

  test('says what to install where there is nothing', async () => {
    expect((await singlet('init', 'first.model.ts')).stdout).toContain(
      'Next: npm i zod @singlet/model, then npx singlet check first.model.ts --watch',
    );
  });

  test('refuses what no model can be called', async () => {
    expect((await singlet('init', '9.model.ts')).stderr).toContain('name the file by letters and digits');
    expect((await singlet('init', 'new.model.ts')).stderr).toContain('"new", a reserved word of JavaScript');
    for (const name of ['model', 'z', 'id', 'email'])
      expect((await singlet('init', `${name}.model.ts`)).stderr).toContain('the file needs that name');
    expect((await singlet('init', 'orders.json')).stderr).toContain('is not a TypeScript file');
  });
});

describe('singlet cost', () => {
  test('has the patterns that cost most first, and the whole', async () => {
    const { code, stdout } = await singlet('cost', shop);
    expect(code).toBe(0);
    expect(stdout).toMatch(/per second +read units +write units +USD a month +hottest partition\nplaceOrder +30 /);
    expect(stdout).toMatch(/requests on demand +USD [\d.]+ a month, peaks 3 times the average\n/);
    const { stdout: json } = await singlet('cost', shop, '--json', '--peak-to-average', '1');
    const { stdout: usual } = await singlet('cost', shop, '--json');
    const onDemand = (text: string): number => (JSON.parse(text) as { onDemandPerMonth: number }).onDemandPerMonth;
    expect(onDemand(json)).toBeCloseTo(3 * onDemand(usual), 6);
  });

  test('refuses a peak below the average', async () => {
    const { code, stderr } = await singlet('cost', shop, '--peak-to-average', '0.5');
    expect(code).toBe(1);
    expect(stderr).toContain('takes a number from 1');
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
