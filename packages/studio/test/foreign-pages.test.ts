import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDatabase, type Database, type DatabaseServer, serve } from 'singlet';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Forwarder, startForwarder } from '../../singlet/src/studio/forwarder.ts';
import { launch } from '../../../systems/testing/browser.ts';
import { createShop } from './shop-table.ts';

/*
 * Pages of web sites in a real browser. In it, names below `.example` are names of this machine: `evil.example` is a site that somebody visits
 * while the workbench runs, and `rebound.example` is a site whose owner has let its name point to this machine (DNS rebinding).
 */

let browser: Browser;
let database: Database;
let server: DatabaseServer;
let forwarder: Forwarder;
let site: Server;
/** What has reached the site. */
let reached: string[] = [];

beforeAll(async () => {
  browser = await launch(['--host-resolver-rules=MAP *.example 127.0.0.1']);
  database = await createDatabase({ weather: {} });
  server = await serve(database);
  await createShop(database, 2);
  forwarder = await startForwarder({
    endpoint: new URL(server.url),
    region: 'us-east-1',
    port: 0,
    nowMs: () => Date.now(),
    credentials: () => Promise.resolve({ accessKeyId: 'local', secretAccessKey: 'local' }),
  });
  site = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>evil</title><p>Welcome');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await browser.close();
  site.close();
  site.closeAllConnections();
  await forwarder.close();
  await server.close();
  await database.close();
});

type Target = 'singlet serve' | 'singlet studio';
const targets: readonly Target[] = ['singlet serve', 'singlet studio'];
const originOf = (target: Target): string => new URL(target === 'singlet serve' ? server.url : forwarder.url).origin;
const put = JSON.stringify({ TableName: 'Shop', Item: { PK: { S: 'EVIL' }, SK: { S: 'EVIL' } } });

/** Everything that a request could have changed. */
async function state(): Promise<string> {
  const weather = await (await fetch(`${server.url}/_singlet/weather`)).text();
  return JSON.stringify([await database.request('Scan', { TableName: 'Shop' }), weather]);
}

/** Visits a page of the site, and checks that nothing has changed afterwards. */
async function visit(story: (page: Page) => Promise<void>): Promise<void> {
  const before = await state();
  const context = await browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  await page.goto(`http://evil.example:${(site.address() as AddressInfo).port}/`);
  expect(await page.evaluate(() => location.hostname)).toBe('evil.example');
  await story(page);
  await context.close();
  expect(await state()).toBe(before);
}

/** Waits for the answers of the server to a page, and returns their status codes. */
async function statusesOf(page: Page, origin: string, story: () => Promise<unknown>): Promise<readonly number[]> {
  const answered: number[] = [];
  page.context().on('response', (response) => {
    if (response.url().startsWith(origin)) answered.push(response.status());
  });
  await story();
  return answered;
}

describe.each(targets)('%s refuses', (target) => {
  test('WB-58: what scripts of other origins send, with every method and content type that they may choose', async () => {
    const origin = originOf(target);
    await visit(async (page) => {
      const outcomes = await page.evaluate(
        async ({ to, body }) => {
          const inspection = JSON.stringify({ operation: 'PutItem', input: JSON.parse(body) as object });
          const target = { 'x-amz-target': 'DynamoDB_20120810.PutItem' };
          const plain = { 'content-type': 'text/plain' };
          const json = { 'content-type': 'application/json', 'x-singlet-studio': '1' };
          const sent: readonly (readonly [path: string, RequestInit])[] = [
            ['/', { method: 'POST', headers: { ...target, 'content-type': 'application/x-amz-json-1.0' }, body }],
            ['/', { method: 'POST', headers: plain, body }],
            ['/', { method: 'POST', headers: { ...json, ...target }, body }],
            ['/_singlet/info', {}],
            ['/_singlet/requests', {}],
            ['/_singlet/preview', { method: 'POST', headers: json, body: inspection }],
            ['/_singlet/preview', { method: 'POST', headers: plain, body: inspection }],
            ['/_singlet/weather', { method: 'PUT', headers: json, body: '{"Everywhere":{"LatencyMs":1000}}' }],
            ['/_singlet/scrub', { method: 'POST', headers: plain, body: '{}' }],
          ];
          return await Promise.all(
            sent.map(([path, request]) =>
              fetch(to + path, request).then(
                ({ status }) => `${path} answered ${status}`,
                () => 'refused',
              ),
            ),
          );
        },
        { to: origin, body: put },
      );
      expect(outcomes).toEqual(outcomes.map(() => 'refused'));
    });
  });

  test('WB-58: what they send without looking at the answer', async () => {
    const origin = originOf(target);
    await visit(async (page) => {
      const statuses = await statusesOf(page, origin, () =>
        page.evaluate(
          async ({ to, body }) => {
            const beacon = new Blob([body], { type: 'text/plain' });
            navigator.sendBeacon(`${to}/`, beacon);
            for (const path of ['/', '/_singlet/preview', '/_singlet/scrub'])
              await fetch(to + path, { method: 'POST', mode: 'no-cors', body });
            await fetch(`${to}/_singlet/requests`, { mode: 'no-cors' });
          },
          { to: origin, body: put },
        ),
      );
      expect(statuses.length).toBeGreaterThanOrEqual(4);
      expect(new Set(statuses)).toEqual(new Set([403]));
    });
  });

  test('WB-58: forms', async () => {
    const origin = originOf(target);
    for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      for (const path of ['/', '/_singlet/preview', '/_singlet/scrub']) {
        await visit(async (page) => {
          const [answer] = await Promise.all([
            page.waitForResponse((each) => each.url() === origin + path),
            page.evaluate(
              ({ action, type, body }) => {
                const form = document.body.appendChild(document.createElement('form'));
                Object.assign(form, { action, method: 'post', enctype: type });
                // As plain text, name and value together are JSON.
                const field = form.appendChild(document.createElement('input'));
                Object.assign(field, { name: `${body.slice(0, -1)},"x":"`, value: '"}' });
                form.submit();
              },
              { action: origin + path, type: enctype, body: put },
            ),
          ]);
          expect([path, answer.status()]).toEqual([path, 403]);
        });
      }
    }
  });

  test('WB-58: streams of events', async () => {
    const origin = originOf(target);
    await visit(async (page) => {
      const outcome = await page.evaluate(
        (url) =>
          new Promise<string>((resolve) => {
            const events = new EventSource(url);
            events.addEventListener('open', () => resolve('open'));
            events.addEventListener('error', () => resolve(`closed: ${events.readyState === EventSource.CLOSED}`));
          }),
        `${origin}/_singlet/events`,
      );
      expect(outcome).toBe('closed: true');
    });
  });

  test('WB-58: frames, and to be read as a script or a picture', async () => {
    const origin = originOf(target);
    await visit(async (page) => {
      const refusals: string[] = [];
      page.on('console', (message) => refusals.push(message.text()));
      await page.evaluate((url) => {
        const frame = document.createElement('iframe');
        frame.src = url;
        document.body.append(frame);
      }, `${origin}/studio`);
      await expect.poll(() => refusals.join('\n')).toContain('frame-ancestors');
      const [, frame] = page.frames();
      expect(await frame?.locator('#root').count()).toBe(0);
      const loaded = await page.evaluate(async (to) => {
        const load = (element: HTMLScriptElement | HTMLImageElement, src: string): Promise<string> =>
          new Promise((resolve) => {
            element.addEventListener('load', () => resolve(`loaded ${src}`));
            element.addEventListener('error', () => resolve('refused'));
            element.src = src;
            document.body.append(element);
          });
        const asset = await load(document.createElement('script'), `${to}/studio`);
        const answer = await load(document.createElement('script'), `${to}/_singlet/info`);
        return [asset, answer, await load(new Image(), `${to}/_singlet/info`)];
      }, origin);
      expect(loaded).toEqual(['refused', 'refused', 'refused']);
    });
  });

  test('WB-58: a page that was opened by another one is out of its reach', async () => {
    const origin = originOf(target);
    await visit(async (page) => {
      const [opened] = await Promise.all([
        page.context().waitForEvent('page'),
        page.evaluate((url) => Object.assign(window, { workbench: window.open(url) }), `${origin}/studio`),
      ]);
      await opened.getByRole('heading', { name: 'Tables', level: 1 }).waitFor(); // following a link is the reader's own act
      expect(await opened.evaluate(() => window.opener)).toBe(null);
      expect(await page.evaluate(() => (window as unknown as { workbench: Window }).workbench.closed)).toBe(true);
    });
  });

  test('WB-58: names of hosts that are not its own, for the page and for everything else', async () => {
    const { port } = new URL(originOf(target));
    await visit(async (page) => {
      const status = target === 'singlet serve' ? 403 : 421;
      for (const path of ['/studio', '/studio/t/Shop', '/_singlet/info', '/_singlet/events']) {
        const answer = await page.goto(`http://rebound.example:${port}${path}`);
        expect([path, answer?.status()]).toEqual([path, status]);
      }
      // Here the page is of the server's own origin, by its name: no rule of the browser protects the data any more.
      const outcome = await page.evaluate(async (body) => {
        const headers = {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': 'DynamoDB_20120810.PutItem',
          'x-singlet-studio': '1',
        };
        const { status: of } = await fetch('/', { method: 'POST', headers, body });
        return of;
      }, put);
      expect(outcome).toBe(status);
    });
  });
});

test('WB-58: the page sends nothing elsewhere: forms, frames, scripts and requests of its own are stopped by its policy', async () => {
  const context = await browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  const elsewhere = `http://evil.example:${(site.address() as AddressInfo).port}/`;
  reached = [];
  await page.goto(`${server.url}/studio/settings`);
  await page.getByRole('heading', { name: 'Connection' }).waitFor();
  await page.evaluate(async (url) => {
    const found: string[] = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => found.push(effectiveDirective));
    await fetch(url).catch(() => undefined);
    const add = (name: 'iframe' | 'img' | 'form', members: object): HTMLElement =>
      document.body.appendChild(Object.assign(document.createElement(name), members));
    add('iframe', { src: url });
    add('img', { src: url });
    (add('form', { action: url, method: 'post' }) as HTMLFormElement).submit();
    for (const text of ['inline', 'address']) {
      const script = document.createElement('script');
      try {
        if (text === 'inline') script.textContent = 'window.ran = true';
        else script.src = url;
        document.body.append(script);
      } catch {
        found.push(`${text} refused`);
      }
    }
    document.body.setAttribute('style', 'color: red');
    Object.assign(window, { found });
  }, elsewhere);
  const stopped = (): Promise<readonly string[]> =>
    page.evaluate(() => (window as unknown as { found: string[] }).found);
  const directives = [
    'connect-src',
    'frame-src',
    'img-src',
    'form-action',
    'style-src-attr',
    'inline refused',
    'address refused',
  ];
  await expect.poll(async () => (await stopped()).toSorted()).toEqual(expect.arrayContaining(directives.toSorted()));
  expect(await page.evaluate(() => 'ran' in window)).toBe(false);
  expect(reached).toEqual([]);
  await context.close();
});
