import type { Database } from '../index.ts';

/** A request in the log of a database. */
export interface LoggedRequest {
  readonly seq: number;
  readonly action: string | null;
  readonly table: string | null;
  readonly index: string | null;
  readonly scan: boolean;
  /** The name of the returned error. */
  readonly error: string | null;
}

interface LogPage {
  readonly dropped: number;
  readonly requests: readonly LoggedRequest[];
}

/** There were more requests than the log keeps, so a statement about all of them is impossible. */
export class ForgottenRequestsError extends Error {
  override readonly name = 'ForgottenRequestsError';
}

const noBody = Buffer.alloc(0);

/**
 * The client requests to a database that logs its requests, the oldest first.
 *
 * @throws {ForgottenRequestsError} if there were more than the log keeps.
 */
export async function* loggedRequests(database: Database): AsyncGenerator<LoggedRequest> {
  let after = 0;
  for (;;) {
    const page = (await askLog(database, `requests?after=${after}&limit=1000`)) as LogPage;
    if (page.dropped > 0)
      throw new ForgottenRequestsError(`${page.dropped} requests were dropped, so they cannot be checked`);
    yield* page.requests;
    const seen = page.requests.at(-1)?.seq ?? after;
    if (seen === after) return;
    after = seen;
  }
}

/** The database's answer to a request below `/_singlet/`. */
export async function askLog(database: Database, path: string): Promise<unknown> {
  const { status, body } = await database.handle({
    method: 'GET',
    url: `/_singlet/${path}`,
    headers: {},
    body: noBody,
  });
  const text = Buffer.from(body).toString('utf8');
  if (status !== 200) throw new TypeError(`the requests of the test cannot be read: ${text}`);
  return JSON.parse(text);
}
