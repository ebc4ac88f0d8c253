import { expect, test } from 'vitest';
import { serveHttp } from '../http/node-server.ts';
import { openPage, useBrowser } from './browser.ts';

const browser = useBrowser();

/** The script of a page, and the problems reported for the page then. */
const FAULTS: readonly (readonly [string, RegExp])[] = [
  [`console.error('it broke')`, /^says it broke$/],
  [`throw new Error('thrown')`, /^throws thrown$/],
  [`void Promise.reject(new Error('lost'))`, /^throws lost$/],
  [`void fetch('/fault')`, /^gets 500 from .*\/fault$/],
  [`void fetch('http://elsewhere.example/').catch(() => 0)`, /^asks for http:\/\/elsewhere\.example\/$/],
];

test.each(FAULTS)('a page is watched: %s', async (script, expected) => {
  const server = await serveHttp(async (request) => pageWith(script, request), { port: 0 });
  const watched = await openPage(browser(), server.url);
  try {
    await expect.poll(() => watched.problems).toContainEqual(expect.stringMatching(expected));
  } finally {
    await watched.close();
    await server.close();
  }
});

test('a refusal, a warning and a picture of its own are not problems', async () => {
  const script = `console.warn('hm'); fetch('/refused').then(() => (document.title = 'done'))`;
  const server = await serveHttp(async (request) => pageWith(script, request), { port: 0 });
  const watched = await openPage(browser(), server.url);
  try {
    await expect.poll(async () => await watched.page.title()).toBe('done');
    expect(watched.problems).toEqual([]);
  } finally {
    await watched.close();
    await server.close();
  }
});

function pageWith(script: string, request: Request): Response {
  const { pathname } = new URL(request.url);
  if (pathname === '/fault') return new Response('', { status: 500 });
  if (pathname === '/refused') return new Response('', { status: 409 });
  // A browser requests an icon unless the page says that it has none.
  const html = `<!doctype html><link rel="icon" href="data:," /><title>A page</title><script>${script}</script>`;
  return new Response(html, { headers: { 'content-type': 'text/html' } });
}
