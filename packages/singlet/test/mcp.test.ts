import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';

/** `singlet mcp` as an assistant starts it, with the client of the protocol's own package. Needs `npm run build`. */
const program = fileURLToPath(new URL('../bin/singlet.js', import.meta.url));
const modelEntry = fileURLToPath(new URL('../../model/src/index.ts', import.meta.url));

let directory: string;
let file: string;
let database: Database;
let server: DatabaseServer;
let reading: Client;
let writing: Client;

/** Two patterns. The test chooses the name of a note's text in its key. */
const source = (attribute: string): string => `import { entity, model } from ${JSON.stringify(modelEntry)};
console.log('a model may print');
const text = { '~standard': { version: 1, vendor: 'test', jsonSchema: { output: () => ({ type: 'string' }), input: () => ({ type: 'string' }) }, validate: (value: unknown) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no text' }] }) } } as const;
export const notes = model('notes')
  .entities({ Note: entity({ noteId: text, author: text }) })
  .relationships([])
  .patterns({ note: { id: 'N-1', reads: 'Note', by: ['noteId'] }, write: { id: 'N-2', creates: 'Note' } })
  .tables({ Notes: { key: ['PK'] } })
  .keys({ Note: { Notes: ['NOTE#{${attribute}}'] } })
  .served({ note: 'GetItem', write: 'PutItem' });
`;

/** `singlet mcp` for other files, and what it has written to standard error. */
async function startedFor(
  path: string,
): Promise<{ readonly transport: StdioClientTransport; readonly client: Client }> {
  const client = new Client({ name: 'test', version: '1' });
  const args = [program, 'mcp', path];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' });
  await client.connect(transport);
  return { transport, client };
}

async function started(...flags: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const args = [program, 'mcp', file, '--endpoint', server.url, ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  return client;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'singlet-mcp-'));
  file = join(directory, 'notes.model.ts');
  await writeFile(file, source('noteId'));
  database = await createDatabase();
  await database.request('CreateTable', {
    TableName: 'Notes',
    AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  server = await serve(database);
  [reading, writing] = await Promise.all([started(), started('--allow-writes')]);
});

afterAll(async () => {
  await Promise.all([reading.close(), writing.close()]);
  await server.close();
  await database.close();
  await rm(directory, { recursive: true });
});

interface Outcome {
  readonly isError: boolean;
  readonly text: string;
}

async function call(client: Client, name: string, input: object = {}): Promise<Outcome> {
  const { content, isError } = (await client.callTool({ name, arguments: { ...input } })) as {
    readonly content: readonly { readonly text: string }[];
    readonly isError?: boolean;
  };
  return { isError: isError === true, text: content.map(({ text }) => text).join('') };
}

async function answer(client: Client, name: string, input: object = {}): Promise<unknown> {
  const { isError, text } = await call(client, name, input);
  expect(isError, text).toBe(false);
  return JSON.parse(text);
}

describe('an assistant', () => {
  test('is told the tools, and which of them change nothing', async () => {
    const { tools } = await reading.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['list_patterns', true],
      ['check_model', true],
      ['explain_pattern', true],
      ['prove_model', true],
      ['model_docs', true],
      ['run_pattern', true],
    ]);
    const others = await writing.listTools();
    expect(others.tools.find(({ name }) => name === 'run_pattern')?.annotations?.readOnlyHint).toBe(false);
  });

  test('lists, checks, explains, proves and documents', async () => {
    expect(await answer(reading, 'list_patterns')).toMatchObject([
      {
        name: 'notes',
        patterns: [
          { name: 'note', writes: false, inputs: ['noteId'], served: { operation: 'GetItem' } },
          { name: 'write', writes: true },
        ],
      },
    ]);
    expect(await answer(reading, 'check_model')).toMatchObject({ ok: true });
    expect(await answer(reading, 'explain_pattern', { pattern: 'note' })).toMatchObject({ cost: { items: 1 } });
    expect(await answer(reading, 'prove_model', { model: 'notes', runs: 2, writes: true })).toMatchObject({ ok: true });
    expect(await answer(reading, 'model_docs')).toMatchObject({ text: expect.stringContaining('NOTE#'), next: null });
  });

  test('runs patterns that read, and those that write where that is allowed', async () => {
    const input = { noteId: '1', author: 'Ada' };
    const refused = await call(reading, 'run_pattern', { pattern: 'write', input });
    expect(refused).toEqual({
      isError: true,
      text: 'write writes, and this server only reads: start singlet mcp with --allow-writes.',
    });
    expect(await answer(reading, 'run_pattern', { pattern: 'note', input: { noteId: '1' } })).toBeNull();
    expect(await answer(reading, 'run_pattern', { pattern: 'write', input, dry_run: true })).toMatchObject([
      { operation: 'PutItem', input: { TableName: 'Notes' } },
    ]);
    expect(await answer(reading, 'run_pattern', { pattern: 'note', input: { noteId: '1' } })).toBeNull();
    await answer(writing, 'run_pattern', { pattern: 'write', input });
    expect(await answer(reading, 'run_pattern', { pattern: 'note', input: { noteId: '1' } })).toEqual(input);
  });

  test.each([
    ['forget', {}, /^There is no tool forget; there are list_patterns, /],
    ['run_pattern', { pattern: 'all' }, /^notes has no pattern all; it has note, write\.$/],
    ['run_pattern', {}, /^The argument pattern is missing\.$/],
    ['run_pattern', { pattern: 'note', input: { noteId: 7 } }, /^note does not accept 7 as noteId\.$/],
    ['run_pattern', { pattern: 'note', input: { id: '7' } }, /^note has no input id; it has noteId\.$/],
    ['run_pattern', { pattern: 'note' }, /^note needs the input noteId\.$/],
    ['list_patterns', { pattern: 'all' }, /^list_patterns has no argument pattern; it has none\.$/],
    ['explain_pattern', { pattern: 'all' }, /^notes has no pattern all; it has note, write\.$/],
    ['check_model', { model: 'shop' }, /^There is no model shop; the models are notes\.$/],
    ['check_model', { file: '/etc/passwd' }, /^check_model has no argument file; it has model\.$/],
    ['prove_model', { runs: 100_000 }, /^The argument runs is not a whole number from 1 to 500\.$/],
  ])('reads what is wrong with %s %j', async (name, input, text) => {
    expect(await call(reading, name, input)).toEqual({ isError: true, text: expect.stringMatching(text) });
  });

  test('is answered by the model as it is now, and nothing is sent for one that is refuted', async () => {
    await writeFile(file, `${source('author')}// changed\n`);
    expect(await answer(reading, 'check_model')).toMatchObject({ ok: false });
    const run = await call(reading, 'run_pattern', { pattern: 'note', input: { noteId: '1' } });
    expect(run).toEqual({ isError: true, text: expect.stringContaining('Nothing was sent: correct the model first') });
    await writeFile(file, 'export const = 1;');
    expect(await call(reading, 'check_model')).toEqual({
      isError: true,
      text: expect.stringContaining('notes.model.ts'),
    });
    await writeFile(file, source('noteId'));
    expect(await answer(reading, 'check_model')).toMatchObject({ ok: true });
    expect(await readFile(file, 'utf8')).toBe(source('noteId'));
  });

  test('is told that a directory has no models, and the log names a line that is no message', async () => {
    const empty = await mkdtemp(join(directory, 'empty-'));
    const { transport, client } = await startedFor(empty);
    try {
      let log = '';
      transport.stderr?.on('data', (text: Buffer) => (log += text.toString()));
      for (const tool of ['list_patterns', 'check_model']) {
        expect(await call(client, tool)).toEqual({
          isError: true,
          text: `${empty} has no model: name the file model.ts or NAME.model.ts, or name it instead of the directory.`,
        });
      }
      await transport.send('broken' as never);
      await expect
        .poll(() => log)
        .toBe('singlet: A line of standard input was ignored: it is not a message of JSON-RPC.\n');
      expect(await call(client, 'list_patterns')).toMatchObject({ isError: true });
    } finally {
      await client.close();
    }
  });
});
