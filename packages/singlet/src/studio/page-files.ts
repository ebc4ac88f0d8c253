import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, relative, sep } from 'node:path';
import { findPage, type PageLocation } from './page-location.ts';

/** The page's address. Below it, paths of its assets are files; all other paths are routes within the page, which the page interprets. */
const basePath = '/studio';
const assetsPath = `${basePath}/assets/`;
/** The documentation (decision 0116): a page for each file below its folder, and no routes within a page. */
const docsPath = `${basePath}/docs`;

/** The page sends requests only to its own server, runs only its own files, and cannot be framed. */
const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
};

/** Compressed copies beside a file, in order of preference. */
const codings = [
  { coding: 'br', suffix: '.br' },
  { coding: 'gzip', suffix: '.gz' },
] as const;

export interface PageOptions {
  /** By default, finds the page of the installed package. */
  readonly find?: () => PageLocation;
  /** The endpoint that the page uses, if it is not the server that serves the page. */
  readonly endpoint?: string;
}

/**
 * Serves the workbench's page below `/studio`, and the documentation below `/studio/docs/`. Nothing is loaded before it is requested, and only the names of files are cached.
 * Other names are not looked up on the disk.
 *
 * @returns a route that reports whether it answers the request.
 */
export function pageRoute({ find = findPage, endpoint }: PageOptions = {}): (
  request: IncomingMessage,
  response: ServerResponse,
) => boolean {
  let found: FoundPage | undefined;
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (path !== basePath && !path.startsWith(`${basePath}/`)) return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answerText(response, 405, 'The workbench is read with GET.', { allow: 'GET, HEAD' });
      return true;
    }
    found ??= foundPage(find());
    if ('problem' in found) {
      answerText(response, 404, found.problem);
      found = undefined; // it may be installed later
    } else if (path === docsPath || path.startsWith(`${docsPath}/`)) {
      void answerDocs({ request, response, path, page: found, endpoint });
    } else {
      void answerFile({ request, response, path, page: found, endpoint });
    }
    return true;
  };
}

interface BuiltPage {
  readonly directory: string;
  readonly assets: ReadonlySet<string>;
  /** Paths of the documentation's files, below its folder. */
  readonly docs: ReadonlySet<string>;
}

type FoundPage = BuiltPage | { readonly problem: string };

function foundPage(location: PageLocation): FoundPage {
  if ('problem' in location) return location;
  const assets = new Set(readdirSync(join(location.directory, 'assets')).filter((name) => !/\.(br|gz)$/.test(name)));
  return { directory: location.directory, assets, docs: filesBelow(join(location.directory, 'docs')) };
}

function filesBelow(directory: string): ReadonlySet<string> {
  if (!existsSync(directory)) return new Set();
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return new Set(
    entries.flatMap((entry) =>
      entry.isFile() ? relative(directory, join(entry.parentPath, entry.name)).replaceAll(sep, '/') : [],
    ),
  );
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly page: BuiltPage;
  readonly endpoint: string | undefined;
}

async function answerFile({ request, response, path, page, endpoint }: Asked): Promise<void> {
  const asset = path.startsWith(assetsPath) ? path.slice(assetsPath.length) : undefined;
  if (asset !== undefined && !page.assets.has(asset)) return answerText(response, 404, 'There is no such file.');
  const file = asset === undefined ? join(page.directory, 'index.html') : join(page.directory, 'assets', asset);
  const type = types[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const isNamed = asset === undefined && endpoint !== undefined;
  const copy = isNamed ? undefined : copyOf(file, request.headers['accept-encoding'] ?? '');
  let body: Buffer;
  try {
    body = await readFile(copy === undefined ? file : file + copy.suffix);
  } catch {
    return answerText(response, 404, 'The workbench was rebuilt or removed: load the page again.');
  }
  if (isNamed) body = withEndpoint(body, endpoint);
  response.writeHead(200, {
    ...securityHeaders,
    'content-type': type,
    'content-length': body.length,
    // The name of an asset contains a hash of its contents; the page refers to the names of its own build.
    'cache-control': asset === undefined ? 'no-cache' : 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    ...(copy && { 'content-encoding': copy.coding }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** A page of the documentation, a file that it links to, or its search. Links within it are relative, so its root ends with a slash. */
async function answerDocs({ request, response, path, page }: Asked): Promise<void> {
  if (page.docs.size === 0) return answerText(response, 404, 'The documentation was not built: npm run docs');
  if (path === docsPath) {
    return answerText(response, 308, 'The documentation is one level below.', { location: `${docsPath}/` });
  }
  const named = path.slice(docsPath.length + 1);
  const name = named === '' || named.endsWith('/') ? `${named}index.html` : named;
  if (!page.docs.has(name)) return answerText(response, 404, 'There is no such page. The documentation: /studio/docs/');
  let body: Buffer;
  try {
    body = await readFile(join(page.directory, 'docs', name));
  } catch {
    return answerText(response, 404, 'The documentation was rebuilt or removed: load the page again.');
  }
  response.writeHead(200, {
    ...securityHeaders,
    'content-type': types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    'content-length': body.length,
    'cache-control': 'no-cache',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function copyOf(file: string, accepted: string): (typeof codings)[number] | undefined {
  return codings.find(
    ({ coding, suffix }) =>
      new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\b)`).test(accepted) && existsSync(file + suffix),
  );
}

function withEndpoint(html: Buffer, endpoint: string): Buffer {
  const content = endpoint.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return Buffer.from(
    html.toString('utf8').replace('</head>', () => `<meta name="singlet-endpoint" content="${content}">\n</head>`),
  );
}

function answerText(
  response: ServerResponse,
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = `${sentence}\n`;
  response.writeHead(status, { ...securityHeaders, 'content-type': 'text/plain; charset=utf-8', ...headers });
  response.end(body);
}
