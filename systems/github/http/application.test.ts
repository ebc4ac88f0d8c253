import { get } from 'node:http';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { BODY_BYTES_MAX } from '../../http/body-text.ts';
import { Workbench } from '../../testing/workbench.ts';
import { quickDatabase } from '../fixture.ts';
import { pageFor, startGitHub } from './application.ts';
import { sendVisitors } from './visitors.ts';

test('the application starts on an empty database, serves page, API and description, and takes visitors', async () => {
  const workbench = new Workbench(await quickDatabase.open());
  const said: string[] = [];
  const options = { client: workbench.client, port: 0, scale: 0.001, say: (line: string) => said.push(line) };
  const server = await startGitHub(options);
  try {
    const page = await fetch(server.url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const description = (await (await fetch(`${server.url}/openapi.json`)).json()) as { openapi: string };
    expect(description.openapi).toBe('3.1.0');
    const tooLong = await fetch(`${server.url}/users`, { method: 'POST', body: 'x'.repeat(BODY_BYTES_MAX + 1) });
    expect(tooLong.status).toBe(413);
    expect(await statusWithHost(server.url, 'a:b:c')).toBe(400);

    const { requests, kinds } = await sendVisitors({ url: server.url, clients: 4, requestsMax: 150 });
    expect(requests).toBe(150);
    expect(kinds.reduce((sum, kind) => sum + kind.requests, 0)).toBe(150);
    expect(kinds.filter(({ refused }) => refused > 0)).toEqual([]);

    const second = await startGitHub(options);
    await second.close();
    expect(said).toEqual([
      expect.stringMatching(/^Filled the table GitHubTable with \d+ items in \d+ ms$/),
      'The table GitHubTable is there already and stays as it is',
    ]);
  } finally {
    await server.close();
    await workbench.close();
  }
});

test('the page has names to begin with, and its script is one', async () => {
  const html = await pageFor(0.002);
  const [, suggestions = ''] = /<script id="suggestions" type="application\/json">([^<]*)</.exec(html) ?? [];
  expect(JSON.parse(suggestions)).toEqual({
    users: ['ada-codes-1'],
    repositories: [expect.stringMatching(/^[\w-]+\/[\w-]+$/), expect.stringMatching(/^[\w-]+\/[\w-]+$/)],
  });
  const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(html) ?? [];
  expect(script.length).toBeGreaterThan(1000);
  expect(() => new Script(`(async () => {${script}})`)).not.toThrow();
  expect(JSON.parse(/type="application\/json">([^<]*)</.exec(await pageFor(0))?.[1] ?? '')).toEqual({
    users: [],
    repositories: [],
  });
});

async function statusWithHost(url: string, host: string): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    get(url, { headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).once('error', reject);
  });
}
