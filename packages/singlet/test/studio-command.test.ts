import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';

// The command as installed. Needs `npm run build`.

const command = useCommands();
let server: SingletProcess;
let endpoint: string;

beforeAll(async () => {
  server = new SingletProcess(['serve', '--memory', '--port', '0']);
  endpoint = await server.ready();
});
afterAll(async () => {
  await server.end('SIGTERM');
});

describe('the workbench', () => {
  test('WB-01: the server has it at /studio, and says so when it starts', async () => {
    const page = await fetch(`${endpoint}/studio`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<div id="root"></div>');
    await server.until(() => server.stderr.includes(`The workbench: ${endpoint}/studio`));
  });

  test('WB-01: by itself it prints its address on one line, and shows the endpoint that was named', async () => {
    const studio = new SingletProcess(['studio', '--endpoint', endpoint]);
    await studio.until(() => studio.stdout.includes('\n'));
    const [, url = ''] = /^singlet studio ready on (\S+)\n$/.exec(studio.stdout) ?? [];
    const page = await (await fetch(url)).text();
    expect(page).toContain(`<meta name="singlet-endpoint" content="${new URL(endpoint).host}">`);
    const listed = await fetch(new URL('/', url), {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDB_20120810.ListTables',
        'x-singlet-studio': '1',
      },
      body: '{}',
    });
    expect(await listed.json()).toEqual({ TableNames: [] });
    expect(await studio.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  test('WB-59: neither the command nor what it answers has the secret that signs its requests', async () => {
    const secret = 'wJalrXUtnFEMI-K7MDENG-PlantedSECRET0456';
    const forms = [
      secret,
      Buffer.from(secret).toString('base64').replaceAll('=', ''),
      Buffer.from(secret).toString('hex'),
    ];
    // Nothing listens there, so that errors are written, too. With credentials in the environment they are what signs.
    const env = { ...process.env, AWS_ACCESS_KEY_ID: 'AKIAPLANTED', AWS_SECRET_ACCESS_KEY: secret };
    const studio = new SingletProcess(['studio', '--endpoint', 'https://0.0.0.0:1', '--region', 'eu-west-1'], { env });
    await studio.until(() => studio.stdout.includes('\n'));
    const [, url = ''] = /^singlet studio ready on (\S+)\n$/.exec(studio.stdout) ?? [];
    const answer = await fetch(new URL('/', url), {
      method: 'POST',
      headers: { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'x-singlet-studio': '1' },
      body: '{}',
    });
    expect(answer.status).toBe(502);
    const page = await fetch(url);
    const texts = [await answer.text(), await page.text(), JSON.stringify([...answer.headers, ...page.headers])];
    expect(await studio.end('SIGTERM')).toEqual({ code: 0, signal: null });
    for (const text of [...texts, studio.stdout, studio.stderr])
      for (const form of forms) expect(text).not.toContain(form);
  });

  test('with --model it answers about models, whose patterns run on the endpoint, and about nothing else', async () => {
    const model = fileURLToPath(new URL('../../../systems/e-commerce/model.ts', import.meta.url));
    const studio = new SingletProcess(['studio', '--endpoint', endpoint, '--model', model]);
    await studio.until(() => studio.stdout.includes('\n'));
    const [, url = ''] = /^singlet studio ready on (\S+)\n$/.exec(studio.stdout) ?? [];
    const get = (path: string, headers = {}): Promise<Response> => fetch(new URL(path, url), { headers });
    const models = await (await get('/_singlet/models')).json();
    expect(models).toMatchObject({ models: [{ name: 'e-commerce', ok: true, fault: null }] });
    const run = (headers: Record<string, string>): Promise<Response> =>
      fetch(new URL('/_singlet/models/e-commerce/patterns/customerWithOrders/run', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ input: { username: 'alex' } }),
      });
    // The endpoint has no such table: that the request reached it is what its error says.
    expect(await (await run({ 'x-singlet-studio': '1' })).json()).toMatchObject({
      error: { name: 'ResourceNotFoundException' },
    });
    expect((await run({})).status).toBe(403);
    expect((await run({ 'x-singlet-studio': '1', origin: 'http://example.com' })).status).toBe(403);
    expect((await get('/_singlet/models', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await get('/_singlet/info')).status).toBe(404);
    expect((await get('/_singlet/events?topics=request')).status).toBe(404);
    const events = await get('/_singlet/events?topics=model');
    expect(events.headers.get('content-type')).toBe('text/event-stream');
    await events.body?.cancel();
    expect(await studio.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  test.each([
    [[], "required option '-e, --endpoint <url>' not specified"],
    [['--endpoint', 'nowhere'], '--endpoint takes a URL such as http://127.0.0.1:8000, not "nowhere".'],
    [['--endpoint', 'http://example.com'], 'use https for others'],
    [['--endpoint', 'https://me:secret@example.com'], 'credentials are those of the AWS SDK'],
    [['--endpoint', 'http://127.0.0.1:1', '--port', '70000'], '--port takes a number from 0 to 65535'],
  ])('refuses %j', async (args, sentence) => {
    const { code, stdout, stderr } = await command(['studio', ...args]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(sentence);
    expect(stdout).toBe('');
    expect(stderr).not.toContain('me:secret');
  });
});
