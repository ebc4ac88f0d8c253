import type { Database } from '../index.ts';
import { askLog, type LoggedRequest, loggedRequests } from './logged-requests.ts';

/** A test of a database with `failOnScan` scanned a table or an index. */
export class UnexpectedScanError extends Error {
  override readonly name = 'UnexpectedScanError';
}

/**
 * Checks the client requests to a database that logs its requests.
 *
 * @throws {UnexpectedScanError} if any of them reads a whole table or index, by a Scan or a statement without a key.
 */
export async function refuseScans(database: Database): Promise<void> {
  const scans = new Set<string>();
  for await (const request of loggedRequests(database)) {
    if (request.scan) scans.add(await textOf(database, request));
  }
  if (scans.size > 0) throw new UnexpectedScanError(`the test scans a table or index: ${[...scans].join(', ')}`);
}

/** Describes a scanning request: the action and the table, or the statements. */
async function textOf(database: Database, { seq, action, table, index }: LoggedRequest): Promise<string> {
  const name = action ?? 'a request';
  if (table !== null) return `${name} on ${table}${index === null ? '' : `.${index}`}`;
  const { bodies } = (await askLog(database, `requests/${seq}`)) as {
    readonly bodies: { readonly request: string | null };
  };
  const statements = [...(bodies.request ?? '').matchAll(/"Statement":"((?:[^"\\]|\\.)*)"/g)].map(
    ([, text = '']) => text,
  );
  return [name, statements.join('; ')].filter((part) => part !== '').join(': ');
}
