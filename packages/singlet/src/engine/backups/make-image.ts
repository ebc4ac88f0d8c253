import type { StoreWrite } from '../../storage/store.ts';
import { ResourceNotFoundException } from '../../values/service-error.ts';
import { copyStoredItem, decodeStoredItem, storedItemUnder } from '../layout/item-codec.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import { hashOf, restOf, spaceStart, storeKey } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { takeTurn } from '../background/background-pace.ts';
import { purgeTable } from '../tables/purge.ts';
import { changeTable } from '../catalog/table-change.ts';
import { decodeBefore, encodeBefore } from './changed-item.ts';
import { advance, type ImageJob, type JobStep, keyOfText, keyText, readJob } from './backup-job.ts';
import {
  changeLogBucketCount,
  itemKeyOfEntry,
  momentOfEntry,
  OpenChangeLog,
} from '../followers/recovery/recovery-log.ts';
import { withChangeLog } from './change-log-switch.ts';
import { imageCompleted, ownerKey } from './image-owner.ts';

/*
 * Builds the image of a table, its items as they were at a moment, while requests keep writing.
 *
 * First the present items are copied, page by page, without haste. Then every change that the log has recorded after the
 * moment is undone in the copy, the latest first, so that of several changes of an item the earliest is applied last: it
 * holds the item as it was at the moment. Changes recorded after the copying ended are not in the copy, and undoing them
 * as well does no harm. An item that has not changed since the moment is copied as it was.
 *
 * An image of the changes between two moments is built in the same way. It copies the items that the log names between
 * the two moments, and stores their former states beside them.
 *
 * Decision 0014 says why.
 */

/** Items copied, or changes undone, in one step. */
export const imagePageEntries = 100;

/** Entries are read up to this size in one step, so that steps over large items are smaller. */
const imagePageBytes = 1024 * 1024;

/**
 * @returns whether the image is complete; if not, another process works on it.
 * @throws {ClosingSignal} when the engine closes.
 */
export async function makeImage(services: EngineServices, imageSpace: number): Promise<boolean> {
  let job = await readJob(services.store, imageSpace);
  while (job !== undefined) {
    if (job.kind !== 'image') return false;
    const after: ImageJob | 'finished' | 'overtaken' = await step(services, job);
    if (after === 'overtaken') return false;
    if (after === 'finished') return true;
    job = after;
    await takeTurn(services);
  }
  return true;
}

async function step(services: EngineServices, job: ImageJob): Promise<ImageJob | 'finished' | 'overtaken'> {
  switch (job.phase) {
    case 'copying':
      return job.changes === undefined ? copyPage(services, job) : copyChanges(services, job, job.changes);
    case 'undoing':
      return undoPage(services, job);
    case 'complete':
      return cleanUp(services, job);
  }
}

async function copyPage({ store }: EngineServices, job: ImageJob): Promise<ImageJob | 'finished' | 'overtaken'> {
  const from = job.cursor === undefined ? spaceStart(job.itemSpace) : after(keyOfText(job.cursor));
  const writes: StoreWrite[] = [];
  let last: Buffer | undefined;
  let bytes = 0;
  let sizeBytes = 0;
  const range = { from, to: spaceStart(job.itemSpace + 1), limit: imagePageEntries };
  const end = await store.range(range, (key, value) => {
    last = Buffer.from(key);
    const item = decodeStoredItem(key, value);
    const imageKey = inSpace(job.imageSpace, key);
    writes.push({ key: imageKey, value: storedItemUnder(item, imageKey) });
    sizeBytes += item.sizeBytes;
    bytes += value.length;
    return bytes < imagePageBytes;
  });
  const { cursor: _before, ...rest } = job;
  const next: ImageJob = {
    ...rest,
    itemCount: job.itemCount + writes.length,
    sizeBytes: job.sizeBytes + sizeBytes,
    ...(end === 'end' ? { phase: 'undoing' as const } : { cursor: keyText(last ?? from) }),
  };
  return advance(store, job, [], () => ({ writes, next }));
}

/** Like {@link copyPage}, for the items that were changed between two moments. */
async function copyChanges(
  { store }: EngineServices,
  job: ImageJob,
  changes: NonNullable<ImageJob['changes']>,
): Promise<ImageJob | 'finished' | 'overtaken'> {
  const page = await readLogPage(store, job, { after: changes.after, upTo: job.after });
  const { cursor: _before, ...rest } = job;
  if (page.entries.size === 0) {
    return advance(store, job, [], () => ({ writes: [], next: { ...rest, phase: 'undoing', bucket: 0 } }));
  }
  const entries = [...page.entries.values()];
  const keysIn = (spaceId: number): readonly Buffer[] => entries.map(({ itemKey }) => inSpace(spaceId, itemKey));
  const [itemKeys, beforeKeys, imageKeys] = [keysIn(job.itemSpace), keysIn(changes.space), keysIn(job.imageSpace)];
  return advance(store, job, [...itemKeys, ...beforeKeys], (values) => {
    let { itemCount, sizeBytes } = job;
    const writes = entries.flatMap(({ lastMoment, before }, at): readonly StoreWrite[] => {
      const [beforeKey, imageKey] = [beforeKeys[at] as Buffer, imageKeys[at] as Buffer]; // one of each for each entry
      const known = values[entries.length + at];
      // The log is read backwards: the latest change comes first, the earliest last.
      const last = known === undefined ? lastMoment : decodeBefore(beforeKey, known).lastMoment;
      const changed = { key: beforeKey, value: encodeBefore(beforeKey, { lastMoment: last, before }) };
      if (known !== undefined) return [changed];
      const value = values[at];
      const present = value && decodeStoredItem(itemKeys[at] as Buffer, value);
      itemCount += present === undefined ? 0 : 1;
      sizeBytes += present?.sizeBytes ?? 0;
      return [changed, { key: imageKey, value: present && storedItemUnder(present, imageKey) }];
    });
    const cursor = page.cursor === undefined ? {} : { cursor: keyText(page.cursor) };
    return { writes, next: { ...rest, ...cursor, bucket: page.bucket, itemCount, sizeBytes } };
  });
}

async function undoPage({ store }: EngineServices, job: ImageJob): Promise<ImageJob | 'finished' | 'overtaken'> {
  const page = await readLogPage(store, job, { after: job.after });
  if (page.entries.size === 0) return complete(store, job);
  const entries = [...page.entries.values()];
  const keys = entries.map(({ itemKey }) => inSpace(job.imageSpace, itemKey));
  const { changes } = job;
  const changed = changes === undefined ? [] : entries.map(({ itemKey }) => inSpace(changes.space, itemKey));
  return advance(store, job, [...keys, ...changed], (values) => {
    let { itemCount, sizeBytes } = job;
    const writes = entries.flatMap(({ before }, at): readonly StoreWrite[] => {
      if (changes !== undefined && values[entries.length + at] === undefined) return [];
      const imageKey = keys[at] as Buffer; // one for each entry
      const value = values[at];
      const copied = value && decodeStoredItem(imageKey, value);
      itemCount += (before === undefined ? 0 : 1) - (copied === undefined ? 0 : 1);
      sizeBytes += (before?.sizeBytes ?? 0) - (copied?.sizeBytes ?? 0);
      return [{ key: imageKey, value: before && storedItemUnder(before, imageKey) }];
    });
    const { cursor: _before, ...rest } = job;
    const cursor = page.cursor === undefined ? {} : { cursor: keyText(page.cursor) };
    return { writes, next: { ...rest, ...cursor, bucket: page.bucket, itemCount, sizeBytes } };
  });
}

interface LogPage {
  /** The items as they were before the earliest of their changes on the page. Empty at the end of the log. */
  readonly entries: ReadonlyMap<string, LoggedItem>;
  /** Where to continue: in this bucket, before this entry, or at its end. */
  readonly bucket: number;
  readonly cursor: Buffer | undefined;
}

interface LoggedItem {
  /** Its key in the table. */
  readonly itemKey: Buffer;
  readonly before: StoredItem | undefined;
  /** The moment of the last of its changes on the page. */
  readonly lastMoment: number;
}

/** The next changes in the log between two moments, the latest first. Buckets without changes are skipped. */
async function readLogPage(
  store: EngineServices['store'],
  job: ImageJob,
  bounds: { readonly after: number; readonly upTo?: number },
): Promise<LogPage> {
  const log = new OpenChangeLog(job.logSpace);
  let cursor = job.cursor === undefined ? undefined : keyOfText(job.cursor);
  for (let bucket = job.bucket; bucket < changeLogBucketCount; bucket++) {
    const { from, to } = log.entryRange(bucket, bounds);
    const entries = new Map<string, LoggedItem>();
    let last: Buffer | undefined;
    let bytes = 0;
    const range = { from, to: cursor ?? to, reverse: true, limit: imagePageEntries };
    const end = await store.range(range, (key, value) => {
      last = Buffer.from(key);
      const itemKey = itemKeyOfEntry(key, job.itemSpace);
      const name = itemKey.toString('latin1');
      const lastMoment = entries.get(name)?.lastMoment ?? momentOfEntry(key);
      const before = value.length === 0 ? undefined : copyStoredItem(key, value);
      entries.set(name, { itemKey, before, lastMoment });
      bytes += value.length;
      return bytes < imagePageBytes;
    });
    if (entries.size > 0) {
      return end === 'end' ? { entries, bucket: bucket + 1, cursor: undefined } : { entries, bucket, cursor: last };
    }
    cursor = undefined;
  }
  return { entries: new Map(), bucket: changeLogBucketCount, cursor: undefined };
}

/** Notifies the owner of the image, in the decision that marks the image as complete. */
async function complete(store: EngineServices['store'], job: ImageJob): Promise<ImageJob | 'finished' | 'overtaken'> {
  const { cursor: _last, ...rest } = job;
  const next: ImageJob = { ...rest, phase: 'complete', bucket: changeLogBucketCount };
  return advance(store, job, [ownerKey(job)], ([owner]): JobStep<ImageJob> => {
    return { writes: imageCompleted(job, owner), next };
  });
}

/** Removes the image from the readers of the log, and deletes the data that was kept only for it. */
async function cleanUp(services: EngineServices, job: ImageJob): Promise<ImageJob | 'finished' | 'overtaken'> {
  await releaseLog(services, job);
  const finished = await advance(services.store, job, [], () => ({ writes: [], next: undefined }));
  // The log, if this was its last reader; and the table, if it was deleted meanwhile.
  await purgeTable(services, job.logSpace);
  await purgeTable(services, job.itemSpace);
  return finished;
}

async function releaseLog(services: EngineServices, { imageSpace, itemSpace, ...source }: ImageJob): Promise<void> {
  try {
    await changeTable(services, source, source.tableName, ({ record }) => {
      const { changeLog, transition } = record;
      const isOurs = record.itemSpace === itemSpace && transition?.status !== 'DELETING';
      if (changeLog === undefined || !isOurs) return { record };
      const readers = changeLog.readers.filter((reader) => reader.imageSpace !== imageSpace);
      if (readers.length === changeLog.readers.length) return { record };
      return withChangeLog(record, { ...changeLog, readers });
    });
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error; // the table was deleted together with its log
  }
}

function inSpace(spaceId: number, key: Uint8Array): Buffer {
  return storeKey(spaceId, hashOf(key), restOf(key));
}

function after(key: Buffer): Buffer {
  return Buffer.concat([key, Uint8Array.of(0)]);
}
