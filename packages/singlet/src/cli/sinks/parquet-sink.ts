import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type * as Parquet from 'hyparquet-writer';
import { type ChangeRecord, lambdaRecord } from '../../consumer/index.ts';
import { makeDirectories } from '../../transfer/buckets/index.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { loadPackage } from '../../values/missing-package.ts';
import { plainJson } from '../transfer/plain-json.ts';
import type { Sink } from './sink.ts';

type Writer = typeof Parquet;

/**
 * Writes each batch as a Parquet file with a row for each change: `DIRECTORY/dt=2026-11-23/SHARD-SEQUENCE.parquet`, named by its first change.
 * A batch that is retried replaces its file. If batches are then cut differently, a change may be in two files; `event_id` identifies it.
 *
 * @throws {MissingPackageError}
 */
export async function openParquetSink(directory: string): Promise<Sink> {
  const parquet = await loadPackage('singlet consume --to parquet:', () => import('hyparquet-writer'));
  await makeDirectories(directory);
  return {
    handler: (records, { shardId }) => write(parquet, directory, shardId, records),
    close: () => Promise.resolve(),
  };
}

/** Lanes of a shard write concurrently, but never to the same file, because a change is in only one lane. */
async function write(
  parquet: Writer,
  directory: string,
  shardId: string,
  records: readonly ChangeRecord<unknown>[],
): Promise<void> {
  const [first] = records;
  if (first === undefined) return;
  const day = new Date(first.createdAtEpochSeconds * 1000).toISOString().slice(0, 10);
  const folder = join(directory, `dt=${day}`);
  await makeDirectories(folder);
  const path = join(folder, `${shardId}-${first.sequenceNumber}.parquet`);
  await writeFile(`${path}.partial`, parquet.parquetWriteBuffer({ columnData: columnsOf(records) }));
  await rename(`${path}.partial`, path);
  await sync(folder);
}

function columnsOf(records: readonly ChangeRecord<unknown>[]): Parquet.ColumnSource[] {
  const images = records.map(({ source }) => lambdaRecord(source, '').dynamodb);
  const text = (name: string, data: readonly (string | null)[], nullable = false): Parquet.ColumnSource => ({
    name,
    data: [...data],
    type: 'STRING',
    nullable,
  });
  return [
    text(
      'event_id',
      records.map(({ eventId }) => eventId),
    ),
    text(
      'event_name',
      records.map(({ eventName }) => eventName),
    ),
    text(
      'sequence_number',
      records.map(({ sequenceNumber }) => sequenceNumber),
    ),
    {
      name: 'changed_at',
      data: records.map(({ createdAtEpochSeconds }) => new Date(createdAtEpochSeconds * 1000)),
      type: 'TIMESTAMP',
      nullable: false,
    },
    text(
      'keys',
      images.map(({ Keys }) => imageText(Keys) ?? '{}'),
    ),
    text(
      'new_image',
      images.map(({ NewImage }) => imageText(NewImage)),
      true,
    ),
    text(
      'old_image',
      images.map(({ OldImage }) => imageText(OldImage)),
      true,
    ),
  ];
}

function imageText(image: object | undefined): string | null {
  return image === undefined ? null : plainJson({ M: image as UncheckedAttributeMap });
}

async function writeFile(path: string, bytes: ArrayBuffer): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(new Uint8Array(bytes));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the file's name durable, too. */
async function sync(folder: string): Promise<void> {
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
