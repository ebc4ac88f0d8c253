import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServedModels } from '../src/cli/model/served-models.ts';
import { modelEventsEndpoint } from '../src/inspect/events/events.ts';
import { EventAnswer } from '../src/inspect/events/event-answer.ts';
import type { InspectionRequest } from '../src/server/index.ts';

const entry = fileURLToPath(new URL('../../model/src/index.ts', import.meta.url));
const text = `{ '~standard': { version: 1, vendor: 'test', jsonSchema: { output: () => ({ type: 'string' }), input: () => ({ type: 'string' }) }, validate: (value: unknown) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no text' }] }) } } as const`;
const notes = (more = ''): string => `import { entity, model } from ${JSON.stringify(entry)};
const text = ${text};
export const notes = model('notes')
  .entities({ Note: entity({ noteId: text${more} }) })
  .relationships([])
  .patterns({ note: { reads: 'Note', by: ['noteId'] } })
  .tables({ Notes: { key: ['PK', 'SK'] } })
  .keys({ Note: { Notes: ['NOTE#{noteId}', 'NOTE'] } })
  .served({ note: 'GetItem' });
`;
let directory: string;

beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), 'singlet-model-events-'))));
afterAll(async () => await rm(directory, { recursive: true }));

/*
 * By a clock of its own, which only the server's pauses move: reading a file takes as long as the machine needs.
 */
test('WB-42: a saved file is told within two seconds, and a broken one with file, line and column', async () => {
  const file = join(directory, 'notes.model.ts');
  await writeFile(file, notes());
  let nowMs = 0;
  let onPause = async (): Promise<void> => undefined;
  const services = {
    models: new ServedModels({
      paths: [file],
      tables: {},
      database: () => {
        throw new ReferenceError('no pattern runs here');
      },
    }),
    peers: undefined,
    nowMs: () => nowMs,
    pause: async (delayMs: number) => {
      nowMs += delayMs;
      await onPause();
    },
  };
  const query = new URLSearchParams('topics=model');
  const request = { query, headers: {}, context: { region: 'us-east-1' } } as unknown as InspectionRequest; // all that it reads
  const answer = await modelEventsEndpoint.answer(request, services, []);
  if (!(answer instanceof EventAnswer)) throw new TypeError('not a stream of events');
  const abort = new AbortController();
  const events = answer.source(abort.signal)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => ((await events.next()) as { value: string }).value;
  expect(await next()).toContain('event: open');

  const toldAfterMs = async (contents: string): Promise<{ readonly afterMs: number; readonly data: unknown }> => {
    let savedAtMs = 0;
    onPause = async () => {
      await writeFile(file, contents);
      savedAtMs = nowMs;
      onPause = async () => undefined;
    };
    let told = await next();
    while (!told.includes('event: model')) told = await next();
    return { afterMs: nowMs - savedAtMs, data: JSON.parse(told.slice(told.indexOf('data: ') + 6)) as unknown };
  };
  for (let round = 0; round < 3; round += 1) {
    const { afterMs, data } = await toldAfterMs(notes(`, author${round}: text`));
    expect(afterMs).toBeLessThanOrEqual(2000);
    expect(data).toMatchObject({ name: 'notes', ok: true, version: round + 2, fault: null });
  }
  const broken = await toldAfterMs(`${notes()}export const broken = (;\n`);
  expect(broken.afterMs).toBeLessThanOrEqual(2000);
  // The last good version stays.
  expect(broken.data).toMatchObject({
    name: 'notes',
    ok: true,
    patterns: 1,
    fault: { file: expect.stringContaining('notes.model.ts') as string, line: 10, column: 24 },
  });
  abort.abort();
});
