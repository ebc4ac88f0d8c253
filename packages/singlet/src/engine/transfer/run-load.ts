import { type Bucket, BucketError, type ObjectSummary } from '../../transfer/buckets/bucket.ts';
import { decompress, FormatError, readRecords } from '../../transfer/formats/index.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { KeyAttributeType } from '../../values/attribute-value.ts';
import type { EngineServices } from '../services.ts';
import { ClosingSignal, pauseUntil, takeTurn } from '../background/background-pace.ts';
import { type LeaseGrant, leaseHolder, LeaseLostError } from '../background/lease.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import type { Table } from '../catalog/table.ts';
import { reportWrites, writeReport } from './bulk-report.ts';
import { endLoad } from './end-load.ts';
import { type ReadRecord, type RefusedRecord, writeBatch, type WrittenBatch } from './load-batch.ts';
import { type LoadReference, loadKey } from './load-keys.ts';
import {
  giveLoadBack,
  heldLoad,
  LoadCancelledSignal,
  OutOfOrderError,
  takeLoad,
  type TakenLoad,
} from './load-lease.ts';
import { decodeLoad, encodeLoad, type LoadCounts, type LoadRecord } from './load-record.ts';
import { MissingPackageError } from '../../values/missing-package.ts';

/** Records written in one decision, between which other requests run: few enough that a request waits a millisecond at most. */
const batchRecords = 50;

/** The maximum bytes of these records. */
const batchBytes = 1024 * 1024;

/** Batches in flight at one time: they share a group commit. */
const batchesAtOnce = 4;

/** How often a failing bucket is retried without any progress. */
const bucketRetriesMax = 5;

const bucketRetryDelayMs = 1000;

/** Ends a load early, with the texts of its description. */
class LoadFailedError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'LoadFailedError';
    this.code = code;
  }
}

/**
 * Runs a load until it is finished, from its recorded progress, which this process or another has made. Failures of
 * items are recorded in the load's record; only the engine's closing and failures of the store are thrown.
 *
 * Decision 0016 says why.
 *
 * @throws {ClosingSignal} if the engine closes.
 */
export async function runLoad(services: EngineServices, reference: LoadReference): Promise<void> {
  const { environment } = services;
  if (services.objects === undefined) {
    environment.log({ level: 'warn', event: 'load-without-buckets', loadId: reference.loadId });
    return;
  }
  const holder = leaseHolder(services);
  let processed = -1;
  for (let failures = 0; ;) {
    const taken = await takeLoad(services, reference, holder);
    if (taken === undefined) return;
    if ('heldUntilMs' in taken) {
      await pauseUntil(services, taken.heldUntilMs);
      continue;
    }
    const { load, grant } = taken;
    if (load.counts.processed > processed) failures = 0;
    processed = load.counts.processed;
    try {
      await new LoadRun(services, reference, taken).run();
      return;
    } catch (error) {
      if (error instanceof LeaseLostError) continue;
      if (error instanceof ClosingSignal) await giveLoadBack(services, reference, grant);
      if (!(error instanceof BucketError) || error.code !== 'io' || failures === bucketRetriesMax) {
        const outcome = outcomeOf(error);
        if (outcome === undefined) throw error;
        if (outcome.status === 'CANCELLED') await reportCancelled(services, reference);
        await endLoad(services, reference, grant, outcome);
        return;
      }
      environment.log({ level: 'warn', event: 'load-retried', loadId: reference.loadId, error });
      await pauseUntil(services, environment.clock.nowMs() + bucketRetryDelayMs * 2 ** failures);
      failures += 1;
    }
  }
}

/** The items that a cancelled operation did not write are reported, too; a failing bucket does not prevent its end. */
async function reportCancelled(services: EngineServices, reference: LoadReference): Promise<void> {
  const key = loadKey(reference);
  const load = await services.store.read([key], ([value]) => value && decodeLoad(key, value));
  if (load?.bulk === undefined) return;
  try {
    const output = await services.objects?.open(load.bulk.output.bucket, load.region);
    if (output !== undefined) await writeReport(services, reference, load, output);
  } catch (error) {
    if (!(error instanceof BucketError)) throw error;
    services.environment.log({ level: 'warn', event: 'load-report-not-written', loadId: reference.loadId, error });
  }
}

function outcomeOf(error: unknown): Parameters<typeof endLoad>[3] | undefined {
  if (error instanceof LoadFailedError)
    return { status: 'FAILED', failure: { code: error.code, message: error.message } };
  if (error instanceof BucketError) {
    return { status: 'FAILED', failure: { code: bucketFailureCodes[error.code], message: error.message } };
  }
  if (error instanceof MissingPackageError) {
    return { status: 'FAILED', failure: { code: 'MissingPackage', message: error.message } };
  }
  return error instanceof LoadCancelledSignal
    ? {
        status: 'CANCELLED',
        failure: { code: 'OperationCancelled', message: 'The operation was cancelled by a request.' },
      }
    : undefined;
}

/** Only the first is known. */
const bucketFailureCodes = {
  'no-such-bucket': 'S3NoSuchBucket',
  'no-such-key': 'S3NoSuchKey',
  'access-denied': 'S3AccessDenied',
  exists: 'S3Error',
  'invalid-key': 'S3InvalidKey',
  io: 'S3Error',
} as const;

/** One attempt at a load, under the lease. */
class LoadRun {
  readonly #services: EngineServices;
  readonly #reference: LoadReference;
  readonly #grant: LeaseGrant;
  #load: LoadRecord;
  /** Until when a rate-limited load has to wait. */
  #paceMs: number | undefined;

  constructor(services: EngineServices, reference: LoadReference, { load, grant }: TakenLoad) {
    this.#services = services;
    this.#reference = reference;
    this.#grant = grant;
    this.#load = load;
    this.#paceMs = load.bulk?.maxWriteRequestUnits === undefined ? undefined : 0;
  }

  async run(): Promise<void> {
    if (this.#load.status === 'CANCELLING') throw new LoadCancelledSignal();
    const { input, bulk } = this.#load;
    const bucket = await this.#open(input.bucket);
    const output = bulk === undefined ? undefined : await this.#open(bulk.output.bucket);
    await this.#countObjects(bucket);
    for await (const object of bucket.list(input.keyPrefix ?? '')) {
      if (this.#isDone(object)) continue;
      await this.#loadObject(bucket, object);
      await takeTurn(this.#services);
    }
    if (output !== undefined) await writeReport(this.#services, this.#reference, this.#load, output);
    await endLoad(this.#services, this.#reference, this.#grant, { status: 'COMPLETED' });
  }

  async #open(bucketName: string): Promise<Bucket> {
    // Checked by the operation that began the load, and by runLoad.
    const bucket = await this.#services.objects?.open(bucketName, this.#load.region);
    if (bucket === undefined) throw new LoadFailedError('S3NoSuchBucket', `There is no bucket ${bucketName}.`);
    return bucket;
  }

  /** Lists all objects once, before reading any: their number and their size. */
  async #countObjects(bucket: Bucket): Promise<void> {
    if (this.#load.totalBytes !== undefined) return;
    const { limits } = this.#services;
    let count = 0;
    let totalBytes = 0;
    for await (const { key, bytes } of bucket.list(this.#load.input.keyPrefix ?? '')) {
      count += 1;
      totalBytes += bytes;
      if (count > limits.loadObjectCountMax) {
        throw new LoadFailedError(
          'S3ObjectCountExceeded',
          `More than ${limits.loadObjectCountMax} objects have keys with the given prefix.`,
        );
      }
      if (this.#load.kind === 'bulk' && bytes > limits.bulkObjectBytesMax) {
        throw new LoadFailedError('S3ObjectTooLarge', `${key} is larger than ${limits.bulkObjectBytesMax} bytes.`);
      }
    }
    await this.#change((load) => ({ ...load, totalBytes }));
  }

  #isDone({ key }: ObjectSummary): boolean {
    const { objectKey, isObjectDone } = this.#load.position;
    if (objectKey === undefined) return false;
    const order = Buffer.compare(Buffer.from(key), Buffer.from(objectKey));
    return order < 0 || (order === 0 && isObjectDone);
  }

  async #loadObject(bucket: Bucket, { key }: ObjectSummary): Promise<void> {
    const before = this.#load.position.objectKey === key ? this.#load.position : this.#positionBefore(key);
    const bytes = { read: before.readBytesBefore, plain: before.plainBytesBefore };
    const { input } = this.#load;
    const source = counted(await bucket.read(key), (length) => (bytes.read += length));
    const plain = counted(decompress(source, input.compression), (length) => (bytes.plain += length));
    const records = readRecords(plain, {
      format: input.format,
      recordBytesMax: this.#services.limits.loadRecordBytesMax,
      csv: { ...input.csv, keyTypes: await this.#keyTypes() },
    });
    /** The progress at this moment: a decision may run twice and must give the same result, while the reading continues. */
    const progressNow = (): ProgressAt => {
      const { read, plain: plainBytes } = bytes;
      return (recordCount, isObjectDone) => ({
        position: { ...before, recordCount, isObjectDone },
        readBytes: read,
        plainBytes,
      });
    };
    let ordinal = 0;
    let batch: ReadRecord[] = [];
    let batchStart = bytes.plain;
    const underWay = new WritesUnderWay();
    const write = async (): Promise<void> => {
      if (batch.length === 0) return;
      const [written, progress] = [batch, progressNow()];
      batch = [];
      batchStart = bytes.plain;
      await underWay.add((previous) => this.#write(written, progress, previous));
      if (this.#paceMs === undefined) return;
      await underWay.settle();
      await pauseUntil(this.#services, this.#paceMs);
    };
    try {
      for await (const record of records) {
        ordinal += 1;
        if (ordinal <= before.recordCount) continue;
        batch.push({ ordinal, record });
        if (batch.length < batchRecords && bytes.plain - batchStart < batchBytes) continue;
        await write();
        await takeTurn(this.#services);
      }
      await write();
      await underWay.settle();
      await this.#finishObject(progressNow()(ordinal, true), []);
    } catch (error) {
      if (!(error instanceof FormatError)) {
        // Waits for the writes in flight: the next attempt would not know about them.
        await underWay.settle().catch(() => undefined);
        throw error;
      }
      await write();
      await underWay.settle();
      await this.#abandonObject(key, error, progressNow()(ordinal, true));
    }
  }

  #positionBefore(objectKey: string): LoadRecord['position'] {
    const { readBytes, plainBytes } = this.#load.counts;
    return { objectKey, recordCount: 0, isObjectDone: false, readBytesBefore: readBytes, plainBytesBefore: plainBytes };
  }

  /**
   * Writes a batch after the one before it. Both are decided at about the same time; if this one comes too early, or the
   * table changes, it is retried once the other is done.
   */
  async #write(batch: readonly ReadRecord[], progress: ProgressAt, previous: Promise<void>): Promise<void> {
    const objectKey = progress(0, false).position.objectKey ?? '';
    let isAlone = false;
    for (let records = batch; records.length > 0;) {
      try {
        const { done, rest } = await writeBatch(this.#services, this.#reference, {
          table: await this.#table(),
          grant: this.#grant,
          objectKey,
          records,
          advance: (load, written, lastOrdinal, count) => advanced(load, written, count, progress(lastOrdinal, false)),
          sideWrites: (load, refused) => reportWrites(this.#reference, load, objectKey, refused),
        });
        this.#logRefused(objectKey, done.refused);
        this.#paceMs = this.#nextPaceMs(done);
        records = rest;
      } catch (error) {
        const isEarly = error instanceof OutOfOrderError;
        // If no batch before it is in flight any more, another process has worked on the load.
        if (isEarly && isAlone) throw new LeaseLostError();
        if (!isEarly && !(error instanceof StaleTableError)) throw error;
        await previous;
        isAlone = true;
        await takeTurn(this.#services);
      }
    }
    await previous;
  }

  /** An unreadable record ends the reading of its object, and counts as one failed record. */
  async #abandonObject(key: string, error: FormatError, progress: ObjectProgress): Promise<void> {
    const refused: RefusedRecord[] = [
      { line: error.line, item: undefined, error: new ValidationException(error.reason) },
    ];
    this.#logRefused(key, refused);
    await this.#finishObject(progress, refused);
  }

  async #finishObject(progress: ObjectProgress, refused: readonly RefusedRecord[]): Promise<void> {
    await this.#change(
      (load) => advanced(load, { outcomes: [], refused }, refused.length, progress),
      (load) => reportWrites(this.#reference, load, progress.position.objectKey ?? '', refused),
    );
  }

  /** Changes the load's record in a decision of its own, and keeps the result. */
  async #change(
    change: (load: LoadRecord) => LoadRecord,
    sideWrites: (load: LoadRecord) => ReturnType<typeof reportWrites> = () => [],
  ): Promise<void> {
    const { store, environment } = this.#services;
    const key = loadKey(this.#reference);
    const nowMs = environment.clock.nowMs();
    this.#load = await store.write([key], ([value]) => {
      const load = heldLoad(key, value, this.#grant, nowMs);
      const next = change(load);
      return { answer: next, writes: [{ key, value: encodeLoad(key, next) }, ...sideWrites(load)] };
    });
  }

  async #table(): Promise<Table> {
    const { tableName, tableId } = this.#load;
    const table = await this.#services.catalog.load(this.#load, tableName);
    if (table === undefined || table.record.tableId !== tableId || table.record.transition?.status === 'DELETING') {
      throw new LoadFailedError('TableNotFound', `Table ${tableName} was deleted while items were written to it.`);
    }
    return table;
  }

  async #keyTypes(): Promise<ReadonlyMap<string, KeyAttributeType>> {
    const { record } = await this.#table();
    return new Map(record.attributeDefinitions.map((it) => [it.attributeName, it.attributeType]));
  }

  #nextPaceMs({ outcomes }: WrittenBatch): number | undefined {
    const unitsPerSecond = this.#load.bulk?.maxWriteRequestUnits;
    if (unitsPerSecond === undefined) return undefined;
    let units = 0;
    for (const { tableCapacityUnits, indexChanges } of outcomes) {
      units += tableCapacityUnits;
      for (const { capacityUnits } of indexChanges) units += capacityUnits;
    }
    return Math.max(this.#paceMs ?? 0, this.#services.environment.clock.nowMs()) + (units / unitsPerSecond) * 1000;
  }

  #logRefused(objectKey: string, refused: readonly RefusedRecord[]): void {
    for (const { line, error } of refused) {
      this.#services.environment.log({
        level: 'warn',
        event: 'item-not-loaded',
        loadId: this.#load.loadId,
        table: this.#load.tableName,
        object: objectKey,
        line,
        reason: `${error.name}: ${error.message}`,
      });
    }
  }
}

/** Writes that were started in order; the number in flight is limited. */
class WritesUnderWay {
  #pending: Promise<void>[] = [];

  /** Starts a write, passing it the one before; if too many are in flight, waits for the oldest. */
  async add(begin: (previous: Promise<void>) => Promise<void>): Promise<void> {
    const write = begin(this.#pending.at(-1) ?? Promise.resolve());
    // It is awaited later; this prevents an unhandled rejection until then.
    write.catch(() => undefined);
    this.#pending.push(write);
    if (this.#pending.length >= batchesAtOnce) await this.#pending.shift();
  }

  /** Resolves when all are done. @throws the error of the first that failed. */
  async settle(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    const [failed] = (await Promise.allSettled(pending)).filter((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

interface ObjectProgress {
  readonly position: LoadRecord['position'];
  readonly readBytes: number;
  readonly plainBytes: number;
}

type ProgressAt = (recordCount: number, isObjectDone: boolean) => ObjectProgress;

/** @param count - records that were read, including refused ones. */
function advanced(
  load: LoadRecord,
  { outcomes, refused }: WrittenBatch,
  count: number,
  { position, readBytes, plainBytes }: ObjectProgress,
): LoadRecord {
  const conditionFailed = refused.filter(({ error }) => error.name === 'ConditionalCheckFailedException').length;
  const counts: LoadCounts = {
    processed: load.counts.processed + count,
    written: load.counts.written + outcomes.length,
    failed: load.counts.failed + refused.length - conditionFailed,
    conditionFailed: load.counts.conditionFailed + conditionFailed,
    readBytes,
    plainBytes,
    ...(load.kind === 'bulk' ? usageAfter(load.counts, outcomes) : { tableBytes: 0, indexBytes: {} }),
  };
  return { ...load, position, counts };
}

function usageAfter(
  counts: LoadCounts,
  outcomes: WrittenBatch['outcomes'],
): Pick<LoadCounts, 'tableBytes' | 'indexBytes'> {
  let { tableBytes } = counts;
  const indexBytes = new Map(Object.entries(counts.indexBytes));
  for (const { after, indexChanges } of outcomes) {
    tableBytes += after?.sizeBytes ?? 0;
    for (const { index, writes } of indexChanges) {
      for (const { value } of writes) {
        indexBytes.set(index.indexName, (indexBytes.get(index.indexName) ?? 0) + (value?.length ?? 0));
      }
    }
  }
  return { tableBytes, indexBytes: Object.fromEntries(indexBytes) };
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
