import type { Database } from '../index.ts';

/** A test of a database with `failOnScan` scanned a table or an index. */
export class UnexpectedScanError extends Error {
  override readonly name = 'UnexpectedScanError';
}

interface LoggedRequest {
  readonly seq: number;
  readonly action: string | null;
  readonly table: string | null;
  readonly index: string | null;
  readonly scan: boolean;
}

interface LogPage {
  readonly last: number;
  readonly dropped: number;
  readonly requests: readonly LoggedRequest[];
}

const noBody = Buffer.alloc(0);

/**
 * Looks through what clients have asked of a database that logs its requests.
 *
 * @throws {UnexpectedScanError} when any of it reads a whole table or index, as a Scan or a statement without a key does; and when there were more
 *   requests than are remembered.
 */
export async function refuseScans(database: Database): Promise<void> {
  const scans: string[] = [];
  let after = 0;
  for (;;) {
    const page = await requestsAfter(database, after);
    if (page.dropped > 0)
      throw new UnexpectedScanError(`${page.dropped} requests were forgotten, so nothing can be said of them`);
    for (const request of page.requests) if (request.scan) scans.push(await textOf(database, request));
    const seen = page.requests.at(-1)?.seq ?? after;
    if (seen === after) break;
    after = seen;
  }
  if (scans.length > 0)
    throw new UnexpectedScanError(`the test reads all of a table or index: ${[...new Set(scans)].join(', ')}`);
}

/** What reads too much: the action and the table, or the statements. */
async function textOf(database: Database, { seq, action, table, index }: LoggedRequest): Promise<string> {
  const name = action ?? 'a request';
  if (table !== null) return `${name} on ${table}${index === null ? '' : `.${index}`}`;
  const { bodies } = (await ask(database, `requests/${seq}`)) as {
    readonly bodies: { readonly request: string | null };
  };
  const statements = [...(bodies.request ?? '').matchAll(/"Statement":"((?:[^"\\]|\\.)*)"/g)].map(
    ([, text = '']) => text,
  );
  return [name, statements.join('; ')].filter((part) => part !== '').join(': ');
}

async function requestsAfter(database: Database, after: number): Promise<LogPage> {
  return (await ask(database, `requests?after=${after}&limit=1000`)) as LogPage;
}

async function ask(database: Database, path: string): Promise<unknown> {
  const { status, body } = await database.handle({
    method: 'GET',
    url: `/_singlet/${path}`,
    headers: {},
    body: noBody,
  });
  const text = Buffer.from(body).toString('utf8');
  if (status !== 200) throw new UnexpectedScanError(`the requests of the test cannot be read: ${text}`);
  return JSON.parse(text);
}
