import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { examplesIn } from './http/examples.ts';
import type { Application } from './http/start-options.ts';
import { serving } from './testing/applications.ts';

// Every access pattern, write and job of the specifications is reachable over HTTP: an operation of its application, or of a later
// version of it, names it. The examples of the operations are what the schemas beside them say.

const listed = await readFile(new URL('ids.txt', import.meta.url), 'utf8');
const required = listed
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' '));
const systems = [...new Set(required.map(([system = '']) => system))];

/** What is no request of a caller. */
const NO_REQUEST: Readonly<Record<string, string>> = {
  'AC-P8': 'a queue outside the table, in place of the one inside: `memory-queue.ts`',
};

/** A later version has the operations of the one before, and their examples. */
const COMES_FROM: Readonly<Record<string, string>> = { 'github-migrations': 'github' };

/** It takes a job that has failed until it is dead, which only a storm brings about. */
const REDRIVE = 'redrive';

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly 'x-access-patterns'?: readonly string[];
  readonly requestBody?: Contents;
  readonly responses: Readonly<Record<string, Contents>>;
}

interface Contents {
  readonly content?: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

async function descriptionOf(system: string): Promise<Description> {
  const { application } = (await import(`./${system}/http/serve.ts`)) as { readonly application: Application };
  let description: Description = { paths: {} };
  const start: Parameters<typeof serving>[0] = async (options) => await application.start(options);
  await serving(
    start,
    async ({ url }) => {
      description = (await (await fetch(`${url}/openapi.json`)).json()) as Description;
    },
    { scale: 0 },
  );
  return description;
}

/** The bodies and answers in the examples of an operation that its schemas refuse. */
function faultsOf({ operationId, requestBody, responses }: Operation): readonly string[] {
  const described = [['body', requestBody ?? {}] as const, ...Object.entries(responses)];
  return described.flatMap(([what, { content = {} }]) =>
    Object.values(content).flatMap(({ schema, example }) => {
      if (example === undefined) return [];
      const { error } = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(example);
      return error === undefined ? [] : [`${operationId}, ${what}: ${z.prettifyError(error)}`];
    }),
  );
}

/** How many bodies and answers have an example. */
function examplesOf({ requestBody = {}, responses }: Operation): number {
  return [requestBody, ...Object.values(responses)]
    .flatMap(({ content = {} }) => Object.values(content))
    .filter(({ example }) => example !== undefined).length;
}

describe.each(systems)('%s', (system) => {
  test('every id of its specification is named by an operation of its description, and every operation has an example', async () => {
    const { paths } = await descriptionOf(system);
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const named = new Set(operations.flatMap((operation) => operation['x-access-patterns'] ?? []));
    const ids = required.flatMap(([name, id = '']) => (name === system ? [id] : []));
    const tested = [system, ...(system in COMES_FROM ? [COMES_FROM[system]] : [])].flatMap((name) =>
      Object.keys(examplesIn(new URL(`${name}/http/examples.json`, import.meta.url))),
    );
    expect(operations.map(({ operationId }) => operationId).filter((id) => !tested.includes(id))).toEqual(
      system === 'access-control' ? [REDRIVE] : [],
    );
    expect(operations.flatMap(faultsOf)).toEqual([]);
    expect(operations.reduce((sum, operation) => sum + examplesOf(operation), 0)).toBeGreaterThan(ids.length / 2);
    expect(ids.length).toBeGreaterThan(5);
    expect(ids.filter((id) => !named.has(id))).toEqual(ids.filter((id) => id in NO_REQUEST));
  });
});

test('an example that is not as its schema says is found, however deep', () => {
  const entry = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const schema = { type: 'object', properties: { items: { type: 'array', items: entry } }, required: ['items'] };
  const operationOf = (example: unknown): Operation => ({
    operationId: 'list',
    requestBody: { content: { 'application/json': { schema, example } } },
    responses: { 200: { content: { 'application/json': { schema, example } } } },
  });
  expect(faultsOf(operationOf({ items: [{ name: 'Ada' }] }))).toEqual([]);
  expect(faultsOf(operationOf({ items: [{ name: 'Ada' }, { label: 'Ben' }] }))).toHaveLength(2);
  expect(faultsOf(operationOf({ items: [{ name: 7 }] }))).toHaveLength(2);
});
