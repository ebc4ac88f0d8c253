import type pg from 'pg';
import type { BatchResponse, ChangeRecord } from '../../consumer/index.ts';
import { loadPackage } from '../../values/missing-package.ts';
import { type ItemChange, itemChangeOf, lastOfEach } from './item-change.ts';
import type { Sink } from './sink.ts';

/** How long a statement may take, milliseconds: then the batch comes again. */
const statementMs = 30_000;
const connectionsMax = 10;

/**
 * Keeps a table of PostgreSQL at the present state of the items: a row for each, with the item as `jsonb`. A row remembers the sequence number of the
 * change that it is of, and takes none that is older; of a deleted item it stays, without the item, so that a change that comes again does not bring it back.
 *
 * @param table - created where it is missing; checked to be an identifier.
 * @throws {MissingPackageError} | whatever `pg` throws where the table cannot be created.
 */
export async function openPostgresSink(url: string, table: string): Promise<Sink> {
  const { default: client } = await loadPackage('singlet consume --to postgres:', () => import('pg'));
  const pool = new client.Pool({
    connectionString: url,
    max: connectionsMax,
    statement_timeout: statementMs,
    application_name: 'singlet consume',
  });
  // A connection that is lost while it waits is replaced by the next query.
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

/** A batch is one statement. Where PostgreSQL refuses a value, those before it are written and it is named. */
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
      // The first of what is left: then its error is the batch's, and is logged.
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

/** A value that PostgreSQL cannot hold, a text with U+0000 above all: class 22 of its error codes, and 54, program limits. */
function isOfData(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'string' && /^(22|54)/.test(code);
}
