import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { get } from 'node:http';
import { expect, test } from 'vitest';
import { BODY_BYTES_MAX } from '../../http/body-text.ts';
import { openEmbeddedDatabase } from '../../testing/databases.ts';
import { github } from '../model.ts';
import { routes } from './routes.ts';
import { samplesAt, startGitHub } from './start.ts';

test('the application starts on an empty database, serves page, API and description', async () => {
  const database = await openEmbeddedDatabase();
  const client = new DynamoDBClient(database.clientConfig);
  const said: string[] = [];
  const say = (line: string): number => said.push(line);
  const onFault = (error: unknown): void => expect.fail(String(error));
  const options = { database, client, port: 0, scale: 0.001, say, onFault, checksAnswers: true };
  const server = await startGitHub(options);
  try {
    const description = (await (await fetch(`${server.url}/openapi.json`)).json()) as { openapi: string };
    expect(description.openapi).toBe('3.1.0');
    const tooLong = await fetch(`${server.url}/api/users`, { method: 'POST', body: 'x'.repeat(BODY_BYTES_MAX + 1) });
    expect([tooLong.status, tooLong.headers.get('content-type')]).toEqual([413, 'application/problem+json']);
    expect(await statusWithHost(server.url, 'a:b:c')).toBe(400);

    const another = new DynamoDBClient(database.clientConfig);
    await (await startGitHub({ ...options, client: another })).close();
    another.destroy();
    expect(said).toEqual([expect.stringMatching(/^\d+ items$/)]);
  } finally {
    await server.close();
    client.destroy();
    await database.close();
  }
});

test('the start page has names to begin with', () => {
  expect(samplesAt(0.001)).toEqual({
    people: expect.arrayContaining(['ada-codes-1']) as string[],
    repos: expect.arrayContaining([{ owner: 'book-corp-1', repo: 'brisk-book-1' }]) as object[],
  });
  expect(samplesAt(0)).toEqual({ people: [], repos: [] });
});

test('every pattern is served by an operation', () => {
  const served = routes.flatMap(({ patterns }) => patterns);
  expect(new Set(served)).toEqual(new Set(Object.values(github.patterns).map(({ id }) => id)));
});

async function statusWithHost(url: string, host: string): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    get(url, { headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).once('error', reject);
  });
}
