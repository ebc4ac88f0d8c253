import type pg from 'pg';
import type { BatchResponse, ChangeRecord } from '../../consumer/index.ts';
import { loadPackage } from '../../values/missing-package.ts';
import { type ItemChange, itemChangeOf, lastOfEach } from './item-change.ts';
import type { Sink } from './sink.ts';

/** The timeout of a statement, milliseconds; the batch is then retried. */
const statementMs = 30_000;
const connectionsMax = 10;

/**
 * Keeps a PostgreSQL table at the present state of the items: a row for each, with the item as `jsonb`. A row contains the sequence number of
 * its last change, and ignores older changes. For a deleted item the row remains as a tombstone without the item, so that a repeated change
 * does not restore it.
 *
 * @param table - created if it does not exist; checked to be an identifier.
 * @throws {MissingPackageError} | the errors of `pg` if the table cannot be created.
 */
export async function openPostgresSink(url: string, table: string): Promise<Sink> {
  const { default: client } = await loadPackage('singlet consume --to postgres:', () => import('pg'));
  const pool = new client.Pool({
    connectionString: url,
    max: connectionsMax,
    statement_timeout: statementMs,
    application_name: 'singlet consume',
  });
  // A connection lost while idle is replaced by the next query.
  pool.on('error', () => undefined);
  try {
    await pool.query(createTable(table));
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    handler: (records) => write(pool, table, records),
    close: () => pool.end(),
  };
}

function createTable(table: string): string {
  return `create table if not exists "${table}" (
    id text primary key,
    keys jsonb not null,
    item jsonb,
    sequence_number numeric not null,
    changed_at timestamptz not null
  )`;
}

function upsert(table: string): string {
  return `insert into "${table}" as present (id, keys, item, sequence_number, changed_at)
    select id, keys, item, sequence_number, to_timestamp(changed_at)
      from unnest($1::text[], $2::jsonb[], $3::jsonb[], $4::numeric[], $5::float8[])
        as change (id, keys, item, sequence_number, changed_at)
    on conflict (id) do update
      set item = excluded.item, sequence_number = excluded.sequence_number, changed_at = excluded.changed_at
      where present.sequence_number < excluded.sequence_number`;
}

/** A batch is one statement. If PostgreSQL refuses a value, the changes before it are written, and the error names it. */
async function write(
  pool: pg.Pool,
  table: string,
  records: readonly ChangeRecord<unknown>[],
): Promise<BatchResponse | undefined> {
  const changes = records.map(itemChangeOf);
  try {
    await writeAll(pool, table, lastOfEach(changes));
    return undefined;
  } catch (error) {
    if (!isOfData(error) || changes.length === 1) throw error;
  }
  for (const change of changes) {
    try {
      await writeAll(pool, table, [change]);
    } catch (error) {
      if (!isOfData(error)) throw error;
      // The first of the remaining changes, so its error becomes that of the batch and is logged.
      if (change === changes[0]) throw error;
      return { batchItemFailures: [{ itemIdentifier: change.sequenceNumber }] };
    }
  }
  return undefined;
}

async function writeAll(pool: pg.Pool, table: string, changes: readonly ItemChange[]): Promise<void> {
  await pool.query(upsert(table), [
    changes.map(({ id }) => id),
    changes.map(({ keys }) => keys),
    changes.map(({ item }) => item ?? null),
    changes.map(({ sequenceNumber }) => sequenceNumber),
    changes.map(({ changedAtEpochSeconds }) => changedAtEpochSeconds),
  ]);
}

/** Errors for values that PostgreSQL cannot store, such as a text with U+0000: class 22 of its error codes, and 54, program limits. */
function isOfData(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'string' && /^(22|54)/.test(code);
}
