import { appendFile } from 'node:fs/promises';
import type { KeyAttributeType } from '../../values/attribute-value.ts';
import { serviceLimits } from '../../values/limits.ts';
import { type CsvReading, decompress, FormatError, itemMapOf, readRecords } from '../../transfer/formats/index.ts';
import { UsageError } from '../usage-error.ts';
import type { RefusedItem } from './batch-writer.ts';
import { BatchesUnderWay } from './batches-under-way.ts';
import type { CheckpointFile } from './checkpoint-file.ts';
import type { TableEndpoint } from './dynamodb-endpoint.ts';
import type { ImportSource, SourceFile } from './import-source.ts';
import type { Progress } from './progress.ts';
import { RecordBatch } from './record-batch.ts';

/** The progress of an import: the files before `key` are done, and this many of its records. */
export interface ImportState {
  readonly key: string;
  readonly records: number;
  /** In all files together. */
  readonly written: number;
  readonly refused: number;
}

export interface ImportRun {
  readonly endpoint: TableEndpoint;
  readonly source: ImportSource;
  readonly checkpoint: CheckpointFile<ImportState>;
  readonly progress: Progress;
  readonly isInterrupted: () => boolean;
  /** The number of batches written concurrently. */
  readonly concurrency: number;
  /** Where refused items are written; without it the first refusal ends the import. */
  readonly rejectedPath: string | undefined;
  readonly csv: Omit<CsvReading, 'keyTypes'>;
}

export interface ImportOutcome {
  readonly written: number;
  readonly refused: number;
  readonly isFinished: boolean;
}

/** The number of batches between checkpoints. Writing one after each batch would take as long as some of the items. */
const batchesPerCheckpoint = 32;

/**
 * Writes the items of all files to a table, several batches concurrently, while the next ones are read. The checkpoint records what is done. An
 * interrupted import writes some batches twice, which is idempotent.
 *
 * @throws {UsageError} at the first record that cannot be read or is refused; earlier ones are written.
 */
export async function runImport(run: ImportRun): Promise<ImportOutcome> {
  const { source, checkpoint } = run;
  let state: ImportState = (await checkpoint.read()) ?? { key: '', records: 0, written: 0, refused: 0 };
  let bytesDone = 0;
  for (const file of source.files) {
    const order = Buffer.compare(Buffer.from(file.key), Buffer.from(state.key));
    if (order >= 0) {
      state = order === 0 ? state : { ...state, key: file.key, records: 0 };
      const read = await importFile(run, file, state, bytesDone);
      state = read.state;
      if (!read.isFinished) return { ...state, isFinished: false };
    }
    bytesDone += file.bytes;
  }
  await checkpoint.remove();
  return { ...state, isFinished: true };
}

async function importFile(
  run: ImportRun,
  file: SourceFile,
  from: ImportState,
  bytesBefore: number,
): Promise<{ readonly state: ImportState; readonly isFinished: boolean }> {
  let bytes = bytesBefore;
  const chunks = counted(await run.source.bucket.read(file.key), (length) => (bytes += length));
  const records = readRecords(decompress(chunks, file.compression), {
    format: file.format,
    recordBytesMax: serviceLimits.loadRecordBytesMax,
    csv: { ...run.csv, keyTypes: keyTypesOf(run.endpoint) },
  });
  let state = from;
  let unremembered = 0;
  const remember = async (): Promise<void> => {
    unremembered = 0;
    // Without progress there is nothing to continue, and a file would only refuse the next import.
    if (state.written + state.refused > 0) await run.checkpoint.write(state);
  };
  const keyNames = (run.endpoint.table.KeySchema ?? []).map(({ AttributeName = '' }) => AttributeName);
  let seen = 0;
  let batch = new RecordBatch(keyNames);
  const underWay = new BatchesUnderWay(run.endpoint, run.concurrency, async ({ count, refused }) => {
    await putDown(run, file, refused);
    state = {
      ...state,
      records: state.records + count,
      written: state.written + count - refused.length,
      refused: state.refused + refused.length,
    };
    run.progress.update(bytes, state.written);
    unremembered += 1;
    // Refused items must not be recorded a second time.
    if (unremembered >= batchesPerCheckpoint || refused.length > 0) await remember();
  });
  const finish = async (): Promise<void> => {
    if (batch.records.length > 0) await underWay.add(batch);
    await underWay.settle();
    await remember();
  };
  try {
    for await (const record of records) {
      if (record.condition !== undefined) {
        throw new FormatError(record.line, 'it has a condition, which only StartBulkPutItems supports');
      }
      seen += 1;
      if (seen <= from.records || batch.add(record)) continue;
      await underWay.add(batch);
      batch = new RecordBatch(keyNames);
      batch.add(record);
      if (!run.isInterrupted()) continue;
      await finish();
      return { state, isFinished: false };
    }
    await finish();
    return { state, isFinished: true };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    await finish();
    throw new UsageError(`${file.key}, ${error.message}. All lines before it are written; correct it and continue.`, {
      cause: error,
    });
  } finally {
    // Whatever happens, nothing is being written after this returns.
    await underWay.abandon();
  }
}

/** @throws {UsageError} if no file for refused items was given. */
async function putDown(run: ImportRun, file: SourceFile, refused: readonly RefusedItem[]): Promise<void> {
  const [first] = refused;
  if (first === undefined) return;
  if (run.rejectedPath === undefined) {
    throw new UsageError(
      `${file.key}, line ${first.record.line}: ${first.reason} (--rejected FILE records such items and continues)`,
    );
  }
  const lines = refused.map(({ record, reason }) =>
    JSON.stringify({ Item: itemMapOf(record), File: file.key, Line: record.line, Reason: reason }),
  );
  await appendFile(run.rejectedPath, `${lines.join('\n')}\n`);
}

function keyTypesOf({ table }: TableEndpoint): ReadonlyMap<string, KeyAttributeType> {
  return new Map(
    (table.AttributeDefinitions ?? []).map(({ AttributeName = '', AttributeType = 'S' }) => [
      AttributeName,
      AttributeType,
    ]),
  );
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onChunk: (length: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    onChunk(chunk.length);
    yield chunk;
  }
}
