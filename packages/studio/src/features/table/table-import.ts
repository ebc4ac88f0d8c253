import type { AttributeMap, KeyAttributeType } from '../../../../singlet/src/values/attribute-value.ts';
import { type ImportedItem, type ImportFormat, importedItems } from '../../values/imported-items.ts';
import { call, type Exchange } from '../../wire/client.ts';
import { inFlight } from '../../wire/in-flight.ts';
import type { TableDescription } from '../../wire/table-description.ts';

/** What an import has done so far. */
export interface ImportProgress {
  readonly bytesRead: number;
  readonly bytes: number;
  readonly written: number;
  readonly refused: number;
  /** The first {@link refusalsMax}. */
  readonly refusals: readonly Refusal[];
  readonly durationMs: number;
  readonly isDone: boolean;
  /** Why it ended early. What was written stays. */
  readonly error?: Error | undefined;
}

export interface Refusal {
  readonly line: number;
  readonly problem: string;
}

export const refusalsMax = 1_000;
const batchItems = 25;
const pauseMs = 100;

/** The text of a file in pieces, unpacked if it is gzip. */
export async function* textOfFile(file: File, onBytes: (bytes: number) => void): AsyncGenerator<string> {
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        onBytes(chunk.length);
        controller.enqueue(chunk);
      },
    }),
  );
  const unpacked = /\.gz$/i.test(file.name) ? counted.pipeThrough(new DecompressionStream('gzip')) : counted;
  const reader = unpacked.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

interface ImportOptions {
  readonly table: TableDescription;
  readonly file: File;
  readonly format: ImportFormat;
  readonly signal: AbortSignal;
  readonly onExchange: (exchange: Exchange) => void;
  readonly onProgress: (progress: ImportProgress) => void;
}

/**
 * Puts the items of a file into a table, in batches. An item with a key that exists replaces it. What cannot be read or is refused is
 * counted, with its line, and the others are put.
 */
export async function importFile({
  table,
  file,
  format,
  signal,
  onExchange,
  onProgress,
}: ImportOptions): Promise<void> {
  const startedMs = performance.now();
  const TableName = table.TableName;
  let progress: ImportProgress = {
    bytesRead: 0,
    bytes: file.size,
    written: 0,
    refused: 0,
    refusals: [],
    durationMs: 0,
    isDone: false,
  };
  const tell = (change: Partial<ImportProgress>): void => {
    progress = { ...progress, ...change, durationMs: performance.now() - startedMs };
    onProgress(progress);
  };
  const refuse = (line: number, problem: string): void =>
    tell({
      refused: progress.refused + 1,
      refusals: progress.refusals.length < refusalsMax ? [...progress.refusals, { line, problem }] : progress.refusals,
    });
  const putOne = async ({ line, item }: Read): Promise<void> => {
    try {
      await call('PutItem', { TableName, Item: item }, { onExchange });
      tell({ written: progress.written + 1 });
    } catch (error) {
      if (!(error instanceof Error && /^(Validation|ItemCollectionSizeLimitExceeded)/.test(error.name))) throw error;
      refuse(line, error.message);
    }
  };
  let failure: Error | undefined;
  const stop = new AbortController();
  const put = async (batch: readonly Read[]): Promise<void> => {
    try {
      await putBatch(batch, putOne);
    } catch (error) {
      failure ??= error as Error; // call() throws errors only
      stop.abort();
    }
  };
  const putBatch = async (batch: readonly Read[], one: (read: Read) => Promise<void>): Promise<void> => {
    let puts: readonly object[] = batch.map(({ item }) => ({ PutRequest: { Item: item } }));
    try {
      while (puts.length > 0) {
        const input = { RequestItems: { [TableName]: puts } };
        const { UnprocessedItems = {} }: { UnprocessedItems?: Record<string, readonly object[]> } = await call(
          'BatchWriteItem',
          input,
          { onExchange },
        );
        const left = UnprocessedItems[TableName] ?? [];
        tell({ written: progress.written + puts.length - left.length });
        puts = left;
        if (puts.length > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    } catch (error) {
      // One bad item refuses its batch, and so do two items of one key: each is then put by itself, in order.
      if (!(error instanceof Error && error.name === 'ValidationException')) throw error;
      for (const each of batch) await one(each);
    }
  };
  const keyTypes = Object.fromEntries(
    table.AttributeDefinitions.map(({ AttributeName, AttributeType }): [string, KeyAttributeType] => [
      AttributeName,
      AttributeType,
    ]),
  );
  const texts = textOfFile(file, (bytes) => tell({ bytesRead: progress.bytesRead + bytes }));
  try {
    await inFlight(
      batchesOf(importedItems(format, texts, keyTypes), refuse),
      put,
      AbortSignal.any([signal, stop.signal]),
    );
  } catch (error) {
    failure ??= error as Error; // the file cannot be read
  }
  tell({ isDone: true, error: failure });
}

interface Read {
  readonly line: number;
  readonly item: AttributeMap;
}

async function* batchesOf(
  items: AsyncIterable<ImportedItem>,
  refuse: (line: number, problem: string) => void,
): AsyncGenerator<readonly Read[]> {
  let batch: Read[] = [];
  for await (const each of items) {
    if ('problem' in each) refuse(each.line, each.problem);
    else batch.push(each);
    if (batch.length < batchItems) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
