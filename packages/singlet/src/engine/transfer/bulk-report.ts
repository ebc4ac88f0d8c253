import type { StoreWrite } from '../../storage/store.ts';
import type { Bucket } from '../../transfer/buckets/bucket.ts';
import { gzip } from '../../transfer/formats/index.ts';
import { RecordCodec } from '../layout/record-codec.ts';
import type { EngineServices } from '../services.ts';
import { takeTurn } from '../background/background-pace.ts';
import { streamLabel } from '../catalog/utc-text.ts';
import type { RefusedRecord } from './load-batch.ts';
import { failureKey, failureKeys, type LoadReference } from './load-keys.ts';
import type { BulkOutputType, LoadRecord } from './load-record.ts';

/*
 * The report of a bulk operation on the items that it did not write. The store keeps them, written in the decision that
 * records the progress past them. At the end they become one object for each type of output:
 *
 *     PREFIX/AWSDynamoDB/ID/error/00000000.json.gz
 *     PREFIX/AWSDynamoDB/ID/condition-check-failure/00000000.json.gz
 *     PREFIX/AWSDynamoDB/ID/manifest-summary.json
 *
 * A line of an object is `{"Item", "ExistingItem", "ErrorCode", "ErrorMessage", "S3Key", "Line"}`, as far as each is known.
 * Assumed: the service documents its layout, but it is not recorded here.
 */

const failureFormat = 1;

interface StoredFailure {
  /** Absent in lines that were stored before there was a format number. */
  readonly format?: typeof failureFormat;
  readonly type: BulkOutputType;
  /** The line of the report. */
  readonly text: string;
}

const failures = new RecordCodec<StoredFailure>(failureFormat, () => 'A line of the report of a bulk operation');

const folders: Readonly<Record<BulkOutputType, string>> = {
  ERROR: 'error',
  CONDITION_CHECK_FAILURE: 'condition-check-failure',
};

/** Failures read, or removed, in one step. */
const stepFailures = 100;

/**
 * The writes that keep refused items for the report, in the decision that records the progress past them. None for an import.
 *
 * @param load - as it is before that decision.
 */
export function reportWrites(
  reference: LoadReference,
  load: LoadRecord,
  objectKey: string,
  refused: readonly RefusedRecord[],
): readonly StoreWrite[] {
  const { bulk, counts } = load;
  if (bulk === undefined) return [];
  return refused.flatMap(({ line, item, error, existing }, at) => {
    const type = error.name === 'ConditionalCheckFailedException' ? 'CONDITION_CHECK_FAILURE' : 'ERROR';
    if (!bulk.output.outputTypes.includes(type)) return [];
    const text = JSON.stringify({
      Item: item,
      ExistingItem: existing,
      ErrorCode: error.name,
      ErrorMessage: error.message,
      S3Key: objectKey,
      Line: line,
    });
    const failure: StoredFailure = { format: failureFormat, type, text };
    // The number of failures before it, which never decreases.
    const number = counts.failed + counts.conditionFailed + at;
    return [failures.write(failureKey(reference, number), failure)];
  });
}

/** Writes the report of an operation, replacing that of an earlier attempt. */
export async function writeReport(
  services: EngineServices,
  reference: LoadReference,
  load: LoadRecord,
  output: Bucket,
): Promise<void> {
  const { bulk, counts } = load;
  if (bulk === undefined) return;
  const { keyPrefix = '', outputTypes } = bulk.output;
  const folder = `${keyPrefix === '' || keyPrefix.endsWith('/') ? keyPrefix : `${keyPrefix}/`}AWSDynamoDB/${load.loadId}`;
  const objects = [];
  for (const type of outputTypes) {
    const key = `${folder}/${folders[type]}/00000000.json.gz`;
    let itemCount = 0;
    const lines = async function* (): AsyncGenerator<Uint8Array> {
      for await (const failure of failuresOf(services, reference)) {
        if (failure.type !== type) continue;
        itemCount += 1;
        yield Buffer.from(`${failure.text}\n`, 'utf8');
      }
    };
    const { md5, etag } = await output.write(key, gzip(lines()));
    objects.push({ outputType: type, itemCount, dataFileS3Key: key, md5Checksum: md5, etag });
  }
  const summary = {
    version: '2020-06-30',
    startTime: `${streamLabel(load.startedAtMs)}Z`,
    processedItemCount: counts.processed,
    failedItemCount: counts.failed,
    conditionCheckFailureCount: counts.conditionFailed,
    outputFiles: objects,
  };
  await output.write(`${folder}/manifest-summary.json`, single(`${JSON.stringify(summary)}\n`));
}

/** Removes the failures that were kept for the report. */
export async function removeFailures(services: EngineServices, reference: LoadReference): Promise<void> {
  for (;;) {
    const keys: Buffer[] = [];
    const end = await services.store.range({ ...failureKeys(reference), limit: stepFailures }, (key) => {
      keys.push(Buffer.from(key));
      return true;
    });
    if (keys.length > 0) {
      await services.store.write([], () => ({
        answer: undefined,
        writes: keys.map((key) => ({ key, value: undefined })),
      }));
    }
    if (end === 'end') return;
    await takeTurn(services);
  }
}

async function* failuresOf(services: EngineServices, reference: LoadReference): AsyncGenerator<StoredFailure> {
  const { to } = failureKeys(reference);
  for (let { from } = failureKeys(reference); ;) {
    const page: StoredFailure[] = [];
    const end = await services.store.range({ from, to, limit: stepFailures }, (key, value) => {
      page.push(failures.decode(key, value));
      from = Buffer.concat([key, Uint8Array.of(0)]);
      return true;
    });
    yield* page;
    if (end === 'end') return;
    await takeTurn(services);
  }
}

async function* single(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'utf8');
}
