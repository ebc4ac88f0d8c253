import type { Bucket } from '../../transfer/buckets/bucket.ts';
import { gzip } from '../../transfer/formats/index.ts';
import { ValidationException } from '../../values/service-error.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import { hashOf, restOf, storeKey } from '../layout/spaces.ts';
import { ReadingTurn } from '../items/reading-turn.ts';
import type { EngineServices } from '../services.ts';
import { takeTurn } from '../background/background-pace.ts';
import { purgeTable, spacePurgeWrite } from '../tables/purge.ts';
import { advance, type ExportedFile, type ExportJob, keyOfText, keyText, readJob } from './backup-job.ts';
import { decodeBefore } from './changed-item.ts';
import { type ExportFilter, exportFilter } from './export-filter.ts';
import { type ExportLines, exportLines } from './export-lines.ts';
import { dataKey, manifestFiles, manifestObject, manifestSummary, md5Of } from './export-layout.ts';
import { decodeExportRecord, exportKey, type ExportRecord, exportWrite } from './export-record.ts';
import { MissingPackageError } from '../../values/missing-package.ts';

/*
 * Writes an export. A step writes a whole data file and then records it in the job, with the key at which it ends. After an
 * interruption, the file is written again under the same name. The manifests come last, so a reader that finds
 * them finds everything. After an interruption at that point, only the manifests are written again.
 *
 * Decision 0015 says why.
 */

/** Items read at a time. */
const exportPageItems = 100;

/** Bytes after which a page ends: a hundred large items would be 40 MB. */
const exportPageBytes = 1024 * 1024;

/** An incremental export is billed for at least this much. */
const incrementalBytesMin = 10_000_000;

/**
 * @returns once the export is complete or has failed, or when another process works on it or this process has no buckets.
 * @throws {ClosingSignal} when the engine closes.
 */
export async function writeExport(services: EngineServices, changesSpace: number): Promise<void> {
  const { store, objects } = services;
  const found = await readJob(store, changesSpace);
  if (found?.kind !== 'export' || found.phase === 'waiting' || objects === undefined) return;
  const key = exportKey(found, found.exportId);
  const record = await store.read([key], ([value]) =>
    value === undefined ? undefined : decodeExportRecord(key, value),
  );
  if (record === undefined) return;
  try {
    const bucket = await objects.open(record.bucket);
    if (found.files.length === 0) await bucket.write(manifestObject(record, '_started'), textChunks(''));
    const filter = exportFilter(record.filter);
    const lines = await exportLines(record, filter);
    let job: ExportJob = found;
    while (job.phase === 'writing') {
      const file = await writeFile(services, { job, record, bucket, filter, lines });
      const { cursor: _before, ...rest } = job;
      const files = [...job.files, file.written];
      // The phase marks the last file: a missing cursor alone looks like no file, and another process would write everything again.
      const next: ExportJob =
        file.cursor === undefined ? { ...rest, files, phase: 'complete' } : { ...rest, files, cursor: file.cursor };
      const after: ExportJob | 'finished' | 'overtaken' = await advance(store, job, [], () => ({ writes: [], next }));
      if (after === 'overtaken' || after === 'finished') return;
      job = after;
    }
    await complete(services, { job, record, bucket });
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    const { exportId } = found;
    services.environment.log({ level: 'warn', event: 'export-failed', exportId, ...failure });
    await finish(services, found, {
      ...record,
      ...failure,
      status: 'FAILED',
      endMs: services.environment.clock.nowMs(),
    });
  }
}

interface Writing {
  readonly job: ExportJob;
  readonly record: ExportRecord;
  readonly bucket: Bucket;
}

/** Writes the next data file. */
async function writeFile(
  services: EngineServices,
  { job, record, bucket, filter, lines }: Writing & { readonly filter: ExportFilter; readonly lines: ExportLines },
): Promise<{ readonly written: ExportedFile; readonly cursor: string | undefined }> {
  const content = new FileContent(services, job, { record, filter, lines });
  const key = dataKey(record, job.files.length);
  const { md5, etag } = await bucket.write(key, gzip(content.chunks()));
  return {
    written: { key, itemCount: content.itemCount, readBytes: content.readBytes, md5, etag },
    cursor: content.cursor,
  };
}

/** The text of one data file, from where the last one ended. */
class FileContent {
  readonly #services: EngineServices;
  readonly #job: ExportJob;
  readonly #record: ExportRecord;
  readonly #filter: ExportFilter;
  readonly #lines: ExportLines;
  itemCount = 0;
  /** The size of the items that were read. */
  readBytes = 0;
  /** Where the next file begins; undefined when this is the last. */
  cursor: string | undefined;

  constructor(
    services: EngineServices,
    job: ExportJob,
    {
      record,
      filter,
      lines,
    }: { readonly record: ExportRecord; readonly filter: ExportFilter; readonly lines: ExportLines },
  ) {
    this.#services = services;
    this.#job = job;
    this.#record = record;
    this.#filter = filter;
    this.#lines = lines;
    this.cursor = job.cursor;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    do {
      const chunk = Buffer.from(await this.#page(), 'utf8');
      bytes += chunk.length;
      if (chunk.length > 0) yield chunk;
      await takeTurn(this.#services);
    } while (this.cursor !== undefined && bytes < this.#services.limits.exportFileBytes);
  }

  async #page(): Promise<string> {
    const { imageSpace, changesSpace } = this.#job;
    const spaceId = this.#record.incremental === undefined ? imageSpace : changesSpace;
    const all = this.#filter.range(spaceId);
    const from = this.cursor === undefined ? all.from : Buffer.concat([keyOfText(this.cursor), Uint8Array.of(0)]);
    const entries: { readonly key: Buffer; readonly value: Buffer }[] = [];
    const range = { from, to: all.to, limit: exportPageItems };
    let bytes = 0;
    const end = await this.#services.store.range(range, (key, value) => {
      entries.push({ key: Buffer.from(key), value: Buffer.from(value) });
      bytes += value.length;
      return bytes < exportPageBytes;
    });
    const last = entries.at(-1);
    this.cursor = end === 'end' || last === undefined ? undefined : keyText(last.key);
    const found =
      this.#record.incremental === undefined
        ? await this.#inTurns(entries, ({ key, value }) => this.#item(copyStoredItem(key, value)))
        : await this.#changes(entries);
    this.itemCount += found.length;
    return found.join('');
  }

  #item(item: StoredItem): string | readonly string[] {
    this.readBytes += item.sizeBytes;
    return this.#lines.item(item) ?? [];
  }

  async #changes(entries: readonly { readonly key: Buffer; readonly value: Buffer }[]): Promise<readonly string[]> {
    const keys = entries.map(({ key }) => storeKey(this.#job.imageSpace, hashOf(key), restOf(key)));
    const images = await this.#services.store.read(keys, (values) =>
      values.map((value, at) => value && copyStoredItem(keys[at] as Buffer, value)),
    );
    return this.#inTurns(entries, ({ key, value }, at) => {
      const change = { ...decodeBefore(key, value), after: images[at] };
      this.readBytes += (change.after ?? change.before)?.sizeBytes ?? 0;
      return this.#lines.change(change) ?? [];
    });
  }

  /** The lines of some entries. A filter may take much work for each of them, so requests are served between entries. */
  async #inTurns<T>(
    entries: readonly T[],
    linesOf: (entry: T, at: number) => string | readonly string[],
  ): Promise<readonly string[]> {
    const lines: string[] = [];
    const turn = new ReadingTurn(this.#services.environment.clock);
    for (const [at, entry] of entries.entries()) {
      lines.push(...[linesOf(entry, at)].flat());
      if (!turn.isOver(this.#filter.lastUnits())) continue;
      await takeTurn(this.#services);
      turn.begin();
    }
    return lines;
  }
}

/** Writes the manifests, and marks the export as complete. */
async function complete(services: EngineServices, { job, record, bucket }: Writing): Promise<void> {
  const { incremental, filter } = record;
  // A key condition reduces what an export reads; a filter is applied after reading.
  const sizeBytes =
    filter?.keys === undefined ? job.sizeBytes : job.files.reduce((sum, { readBytes = 0 }) => sum + readBytes, 0);
  const done: ExportRecord = {
    ...record,
    status: 'COMPLETED',
    endMs: services.environment.clock.nowMs(),
    itemCount: job.files.reduce((sum, { itemCount }) => sum + itemCount, 0),
    billedSizeBytes: incremental === undefined ? sizeBytes : Math.max(sizeBytes, incrementalBytesMin),
  };
  const files = manifestFiles(job.files);
  await bucket.write(manifestObject(record, 'manifest-files.json'), textChunks(files));
  await bucket.write(manifestObject(record, 'manifest-files.md5'), textChunks(md5Of(files)));
  const summary = manifestSummary(done);
  await bucket.write(manifestObject(record, 'manifest-summary.json'), textChunks(summary));
  await bucket.write(manifestObject(record, 'manifest-summary.md5'), textChunks(md5Of(summary)));
  await finish(services, job, done);
}

/** Records the end of the export, and removes the data that was kept only for it. */
async function finish(services: EngineServices, job: ExportJob, record: ExportRecord): Promise<void> {
  const present = await readJob(services.store, job.changesSpace);
  if (present?.kind !== 'export') return;
  const spaces = [job.imageSpace, job.changesSpace];
  const finished = await advance<ExportJob>(services.store, present, [], () => ({
    writes: [exportWrite(record), ...spaces.map((spaceId) => spacePurgeWrite(job, spaceId))],
    next: undefined,
  }));
  if (finished !== 'finished') return;
  for (const spaceId of spaces) await purgeTable(services, spaceId);
}

/** A failure of the bucket or the filter, in the service's codes; undefined for any other error. */
function failureOf(error: unknown): Pick<ExportRecord, 'failureCode' | 'failureMessage'> | undefined {
  if (error instanceof MissingPackageError) return { failureCode: 'UNKNOWN', failureMessage: error.message };
  // A filter exceeded the work limit of one item.
  if (error instanceof ValidationException) return { failureCode: 'UNKNOWN', failureMessage: error.message };
  // Buckets are passed to the engine, so their errors are recognised by name and code.
  if (!(error instanceof Error) || error.name !== 'BucketError' || !('code' in error)) return undefined;
  switch (error.code) {
    case 'no-such-bucket':
      return {
        failureCode: 'S3NoSuchBucket',
        failureMessage: `The specified bucket does not exist (${error.message})`,
      };
    case 'access-denied':
      return { failureCode: 'S3AccessDenied', failureMessage: `Access Denied (${error.message})` };
    default:
      return { failureCode: 'UNKNOWN', failureMessage: error.message };
  }
}

async function* textChunks(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield Buffer.from(text, 'utf8');
}
