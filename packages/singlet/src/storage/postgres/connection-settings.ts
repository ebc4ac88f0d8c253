/**
 * How connections to PostgreSQL are made: from a URL, and with the settings that this driver relies on.
 */
import type { ClientConfig } from 'pg';
import { StorageError } from '../storage-error.ts';

export interface PostgresUrl {
  /** The URL for the client: without the parameters that are ours. */
  readonly connectionString: string;
  readonly schema: string;
  /** Without the password, for messages. */
  readonly shown: string;
}

/** Whether a text is the URL of a store on PostgreSQL. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/**
 * The parts of `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME`. All other parameters are the client's, such as `sslmode`.
 *
 * @throws {StorageError} `open` for a text that is not such a URL. The message does not repeat the text, which may hold a password.
 */
export function parsePostgresUrl(text: string): PostgresUrl {
  if (!isPostgresUrl(text) || !URL.canParse(text)) {
    throw new StorageError('open', 'The store is not a URL of PostgreSQL: postgres://USER:PASSWORD@HOST:PORT/DATABASE');
  }
  const url = new URL(text);
  const schema = url.searchParams.get('schema') ?? 'singlet';
  url.searchParams.delete('schema');
  const shown = new URL(url);
  shown.password = '';
  shown.search = '';
  return { connectionString: url.href, schema, shown: shown.href };
}

/** Timeout for a new connection, milliseconds. */
const connectMs = 5_000;
/** PostgreSQL's timeout for a statement, milliseconds. After that it has not been carried out. */
const statementMs = 8_000;
/** How long to wait for an answer, milliseconds: after that the connection counts as lost. Longer than PostgreSQL's own timeout. */
const answerMs = 10_000;

/** Plans by index, whatever the statistics say: otherwise a table that was empty when a statement was prepared would later be scanned. */
const sessionSettings: Readonly<Record<string, string>> = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  random_page_cost: '1',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  statement_timeout: `${statementMs}`,
  idle_in_transaction_session_timeout: `${answerMs}`,
  default_transaction_isolation: 'read\\ committed',
};

export function clientConfig({ connectionString }: PostgresUrl): ClientConfig {
  const options = Object.entries(sessionSettings).map(([name, value]) => `-c ${name}=${value}`);
  return {
    connectionString,
    options: options.join(' '),
    application_name: 'singlet',
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
    // All results are read as PostgreSQL's text.
    types: { getTypeParser: () => (text: string) => text },
  };
}
