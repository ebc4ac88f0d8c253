/** The models of a server: verdicts that follow the file, and patterns that are run. */
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ServedModels } from '../src/cli/model/served-models.ts';
import { createDatabase, type Database } from '../src/index.ts';
import { SingletProcess } from './singlet-process.ts';

const entry = fileURLToPath(new URL('../../model/src/index.ts', import.meta.url));
const text = `{ '~standard': { version: 1, vendor: 'test', jsonSchema: { output: () => ({ type: 'string' }), input: () => ({ type: 'string' }) }, validate: (value: unknown) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no text' }] }) } } as const`;

/** A model of notes by author. */
const notes = (served: string, more = ''): string => `import { entity, model } from ${JSON.stringify(entry)};
${more}const text = ${text};
export const notes = model('notes')
  .entities({ Note: entity({ noteId: text, author: text, body: text }) })
  .relationships([])
  .patterns({
    note: { id: 'N-1', reads: 'Note', by: ['author', 'noteId'] },
    byAuthor: { id: 'N-2', reads: ['Note'], by: ['author'], limit: 10 },
    write: { id: 'N-3', creates: 'Note' },
  })
  .tables({ Notes: { key: ['PK', 'SK'] } })
  .keys({ Note: { Notes: ['AUTHOR#{author}', 'NOTE#{noteId}'] } })
  .served({ note: 'GetItem', byAuthor: ${served}, write: 'PutItem' });
`;
const proven = "{ query: 'Notes' }";

let directory: string;
let file: string;
let database: Database;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'singlet-models-'));
  file = join(directory, 'notes.model.ts');
  await writeFile(file, notes(proven));
  database = await createDatabase({
    inspection: {
      models: new ServedModels({ paths: [file], tables: { Notes: 'notes-test' }, database: () => database }),
    },
  });
  await database.request('CreateTable', {
    TableName: 'notes-test',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['PK', 'SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
  });
});

afterEach(async () => {
  await database.close();
  await rm(directory, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

async function ask(path: string, body?: object): Promise<Answer> {
  const answer = await database.handle({
    method: body === undefined ? 'GET' : 'POST',
    url: `/_singlet/${path}`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
  });
  return { status: answer.status, json: JSON.parse(Buffer.from(answer.body).toString('utf8')) as Answer['json'] };
}

const run = (pattern: string, body: object): Promise<Answer> => ask(`models/notes/patterns/${pattern}/run`, body);

test('a model is shown with its verdicts, costs, and how its items are recognised', async () => {
  expect((await ask('models')).json).toEqual({
    models: [expect.objectContaining({ name: 'notes', version: 1, patterns: 3, errors: 0, fault: null })],
  });
  expect((await ask('info')).json).toMatchObject({
    models: ['notes'],
    features: expect.arrayContaining(['models']) as string[],
  });
  const { json } = await ask('models/notes');
  expect(json).toMatchObject({
    name: 'notes',
    export: 'notes',
    tables: { Notes: 'notes-test' },
    check: {
      ok: true,
      patterns: [{ pattern: 'note' }, { pattern: 'byAuthor', served: { operation: 'Query' } }, { pattern: 'write' }],
    },
    document: { name: 'notes' },
    entities: [
      {
        name: 'Note',
        table: 'Notes',
        forms: [
          {
            place: 'table',
            attributes: {
              PK: [{ text: 'AUTHOR#' }, { variable: 'author' }],
              SK: [{ text: 'NOTE#' }, { variable: 'noteId' }],
            },
          },
        ],
      },
    ],
    patterns: [
      {
        name: 'note',
        writes: false,
        needed: ['author', 'noteId'],
        schema: {
          type: 'object',
          properties: { author: { type: 'string' }, noteId: { type: 'string' } },
          required: ['author', 'noteId'],
        },
      },
      { name: 'byAuthor', writes: false, needed: ['author'], shapes: { author: { optional: false } } },
      { name: 'write', writes: true, inputs: ['noteId', 'author', 'body'] },
    ],
    fault: null,
  });
  expect((await ask('models/none')).status).toBe(404);
});

test('a changed file has new verdicts; a broken one says where, and leaves the last good one', async () => {
  const modelNow = async (): Promise<Record<string, unknown>> => (await ask('models/notes')).json;
  expect(await modelNow()).toMatchObject({ version: 1, check: { ok: true } });
  await save(notes("'GetItem'"));
  const refuted = await modelNow();
  expect(refuted).toMatchObject({ version: 2, check: { ok: false }, fault: null });
  const [finding] = (refuted['check'] as { findings: { code: string; excerpt: { lines: string[] } }[] }).findings;
  expect(finding?.excerpt.lines.join('\n')).toContain(".served({ note: 'GetItem', byAuthor: 'GetItem'");
  expect(refuted['rules']).toHaveProperty(
    finding?.code ?? '',
    expect.objectContaining({ why: expect.any(String) as string }),
  );
  await save(notes(proven));
  expect(await modelNow()).toMatchObject({ version: 3, check: { ok: true } });
  await save(`${notes(proven)}\nexport const broken = (;\n`);
  const broken = await modelNow();
  expect(broken).toMatchObject({ version: 4, check: { ok: true } });
  expect(broken['fault']).toMatchObject({
    file: expect.stringContaining('notes.model.ts') as string,
    line: 15,
    message: expect.stringContaining('cannot be read') as string,
  });
  await save(notes(proven, "throw new TypeError('not today');\n"));
  expect((await modelNow())['fault']).toMatchObject({ message: expect.stringContaining('not today') as string });
  expect((await run('note', { input: { author: 'a', noteId: '1' } })).status).toBe(200);
});

/** With its own modification time, because two saves in one tick of the file system's clock look the same. */
async function save(content: string): Promise<void> {
  await writeFile(file, content);
  const time = new Date(Date.UTC(2026, 0, 1) + content.length * 1000);
  await utimes(file, time, time);
}

test('a pattern is run, and says what it sent and which items it touched', async () => {
  for (const noteId of ['1', '2']) {
    const { json } = await run('write', { input: { author: 'ada', noteId, body: 'text' } });
    expect(json).toMatchObject({
      error: null,
      requests: [{ operation: 'PutItem', capacity: { CapacityUnits: 1 } }],
      read: [],
      written: [{ table: 'notes-test', place: 'table', key: { PK: { S: 'AUTHOR#ada' }, SK: { S: `NOTE#${noteId}` } } }],
    });
  }
  const { json } = await run('byAuthor', { input: { author: 'ada' } });
  expect(json).toMatchObject({
    error: null,
    requests: [{ operation: 'Query', input: { TableName: 'notes-test' }, capacity: { CapacityUnits: 0.5 } }],
    read: [
      { table: 'notes-test', place: 'table', key: { PK: { S: 'AUTHOR#ada' }, SK: { S: 'NOTE#1' } } },
      { table: 'notes-test', place: 'table', key: { PK: { S: 'AUTHOR#ada' }, SK: { S: 'NOTE#2' } } },
    ],
    written: [],
    filteredAway: 0,
  });
  expect(JSON.stringify(json['result'])).toContain('"noteId":"2"');
});

test('what a filter left out is named', async () => {
  await save(notes(proven).replace("by: ['author'], limit: 10", "by: ['author'], where: { body: 'yes' }"));
  for (const [noteId, body] of [
    ['1', 'yes'],
    ['2', 'no'],
    ['3', 'yes'],
  ]) {
    await run('write', { input: { author: 'ada', noteId, body } });
  }
  const { json } = await run('byAuthor', { input: { author: 'ada' } });
  expect(json).toMatchObject({
    filteredAway: 1,
    filtered: [{ table: 'notes-test', place: 'table', key: { PK: { S: 'AUTHOR#ada' }, SK: { S: 'NOTE#2' } } }],
    error: null,
  });
  expect(json['read']).toHaveLength(2);
});

test('what would be sent is shown without sending it', async () => {
  const { json } = await run('write', { input: { author: 'ada', noteId: '1', body: 'text' }, dryRun: true });
  expect(json).toMatchObject({ requests: [{ operation: 'PutItem', input: { TableName: 'notes-test' } }] });
  expect(await database.request('Scan', { TableName: 'notes-test' })).toMatchObject({ Count: 0 });
});

test('what the database refuses is the outcome of the run; what the pattern does not take is refused', async () => {
  const note = { input: { author: 'ada', noteId: '1', body: 'text' } };
  await run('write', note);
  expect((await run('write', note)).json).toMatchObject({ result: null, error: { name: 'RuleError' } });
  expect(await run('note', { input: { author: 1 } })).toMatchObject({ status: 400, json: { error: 'ModelRefused' } });
  expect(await run('none', { input: {} })).toMatchObject({ status: 400, json: { error: 'ModelRefused' } });
  expect(await run('toString', { input: {} })).toMatchObject({ status: 400, json: { error: 'ModelRefused' } });
  expect(await run('note', { input: {}, dryRun: 1 })).toMatchObject({ status: 400 });
  await save(notes("'GetItem'"));
  const refuted = await run('note', note);
  expect(refuted).toMatchObject({ status: 400, json: { error: 'ModelRefused' } });
});

test('a server has none that it was not started with', async () => {
  const other = await createDatabase();
  const { body } = await other.handle({ method: 'GET', url: '/_singlet/models', headers: {}, body: Buffer.alloc(0) });
  expect(Buffer.from(body).toString('utf8')).toBe('{"models":[]}');
  await other.close();
});

test('singlet serve --model shows them, and sends an event when the file has changed', async () => {
  const server = new SingletProcess([
    'serve',
    '--port',
    '0',
    '--memory',
    '--model',
    file,
    '--table',
    'Notes=notes-test',
  ]);
  const end = new AbortController();
  try {
    const url = await server.ready();
    const shown = (await (await fetch(`${url}/_singlet/models/notes`)).json()) as Answer['json'];
    expect(shown).toMatchObject({ check: { ok: true }, tables: { Notes: 'notes-test' } });
    const events = await fetch(`${url}/_singlet/events?topics=model`, { signal: end.signal });
    const decoder = new TextDecoder();
    let received = '';
    let isSaved = false;
    for await (const chunk of events.body!) {
      received += decoder.decode(chunk, { stream: true });
      if (!isSaved && received.includes('event: open')) {
        isSaved = true;
        await save(notes("'GetItem'"));
      }
      if (received.includes('event: model')) break;
    }
    expect(received).toContain('"ok":false');
  } finally {
    end.abort();
    await server.end('SIGTERM');
  }
});
