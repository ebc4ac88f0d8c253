import type { Store, StoreValue, StoreWrite } from '../../storage/store.ts';
import { RecordCodec } from '../layout/record-codec.ts';
import { space, spaceStart, storeKey } from '../layout/spaces.ts';

/*
 * Work on backups that outlasts the request that caused it, as stored: what is to be done, and how far it has progressed.
 *
 * A step is one decision. It reads the job, does its part only if no other process has progressed further meanwhile, and writes
 * its progress together with its result. So each step takes effect once, even if a process crashes, and of two processes on the
 * same job, one finds itself overtaken and leaves the job to the other.
 */

const jobFormat = 1;

interface JobBase {
  readonly format: typeof jobFormat;
  /** The number of steps so far. */
  readonly step: number;
  /** The store key at which the last step ended, in base64. */
  readonly cursor?: string;
}

/** Builds an image: the items of a table as they were at a moment, in a space of their own. */
export interface ImageJob extends JobBase {
  readonly kind: 'image';
  /** The table. It may be deleted meanwhile, and its items are kept until the image is complete. */
  readonly accountId: string;
  readonly region: string;
  readonly tableName: string;
  readonly itemSpace: number;
  readonly logSpace: number;
  /** Changes after this moment are undone. */
  readonly after: number;
  readonly imageSpace: number;
  /**
   * Only the items that were changed after this moment, up to the job's `after`. Their former states are written to this space,
   * under their keys: the moment of the last change 8, and the item as it was stored, or nothing.
   */
  readonly changes?: { readonly after: number; readonly space: number };
  /** `copying`: copies the present items. `undoing`: undoes later changes. `complete`: only cleaning up is left. */
  readonly phase: 'copying' | 'undoing' | 'complete';
  /** The bucket of the log that is being read. */
  readonly bucket: number;
  readonly itemCount: number;
  readonly sizeBytes: number;
  /** What waits for the image: a backup, by its key in base64, or the job that continues with it, by the space that it fills. */
  readonly owner: { readonly kind: 'backup'; readonly key: string } | { readonly kind: 'job'; readonly space: number };
}

/** Fills a table from an image. */
export interface RestoreJob extends JobBase {
  readonly kind: 'restore';
  readonly accountId: string;
  /** The table that is being restored. */
  readonly region: string;
  readonly tableName: string;
  readonly itemSpace: number;
  /** When CREATING may end. */
  readonly untilMs: number;
  readonly imageSpace: number;
  /** `waiting`: the image is not complete yet. */
  readonly phase: 'waiting' | 'filling';
  /** The key of the backup that the image belongs to, in base64. Absent: the image exists only for this restore. */
  readonly backup?: string;
}

/** Writes an image, or the changes between two moments, into the files of an export. */
export interface ExportJob extends JobBase {
  readonly kind: 'export';
  readonly accountId: string;
  readonly region: string;
  readonly tableName: string;
  readonly exportId: string;
  /** The space of the changes, for an incremental export; empty for a full one. */
  readonly changesSpace: number;
  readonly imageSpace: number;
  /** `waiting`: the image is not complete yet. `complete`: all files are written, but not the manifests. */
  readonly phase: 'waiting' | 'writing' | 'complete';
  /** Size of the image. */
  readonly sizeBytes: number;
  /** The files written so far. */
  readonly files: readonly ExportedFile[];
}

export interface ExportedFile {
  readonly key: string;
  readonly itemCount: number;
  /** Size of the items that were read for it. */
  readonly readBytes?: number;
  /** In base64. */
  readonly md5: string;
  readonly etag: string;
}

export type BackupJob = ImageJob | RestoreJob | ExportJob;

export const firstStep: Pick<JobBase, 'format' | 'step'> = { format: jobFormat, step: 0 };

/** The space that a job fills, which identifies the job. */
export function spaceOfJob(job: BackupJob): number {
  switch (job.kind) {
    case 'image':
      return job.imageSpace;
    case 'restore':
      return job.itemSpace;
    case 'export':
      return job.changesSpace;
  }
}

/** @param filledSpace - of {@link spaceOfJob}. */
export function jobKey(filledSpace: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(filledSpace, 0);
  return storeKey(space.backupJobs, undefined, bytes);
}

const jobs = new RecordCodec<BackupJob>(jobFormat, () => 'Work on a backup');

export function jobWrite(job: BackupJob): StoreWrite {
  return jobs.write(jobKey(spaceOfJob(job)), job);
}

export async function readJob(store: Store, filledSpace: number): Promise<BackupJob | undefined> {
  const key = jobKey(filledSpace);
  return store.read([key], ([value]) => decodeJob(key, value));
}

/** All unfinished jobs. */
export async function listJobs(store: Store): Promise<readonly BackupJob[]> {
  const listed: BackupJob[] = [];
  await store.range({ from: spaceStart(space.backupJobs), to: spaceStart(space.backupJobs + 1) }, (key, value) => {
    listed.push(jobs.decode(key, value));
    return true;
  });
  return listed;
}

/** @throws {StorageError} as {@link RecordCodec.decode}. */
export function decodeJob(key: Uint8Array, value: StoreValue): BackupJob | undefined {
  return value === undefined ? undefined : jobs.decode(key, value);
}

/** The result of a step. */
export interface JobStep<J extends BackupJob> {
  readonly writes: readonly StoreWrite[];
  /** The job after the step, apart from its step number; undefined when it is finished. */
  readonly next: J | undefined;
}

/**
 * Performs one step of a job.
 *
 * @param furtherKeys - read with the job and passed to `decide`, which is pure, as decisions are.
 * @returns the job after the step; `finished`; or `overtaken` when another process has progressed further, and nothing was done.
 */
export async function advance<J extends BackupJob>(
  store: Store,
  job: J,
  furtherKeys: readonly Uint8Array[],
  decide: (values: readonly StoreValue[]) => JobStep<J>,
): Promise<J | 'finished' | 'overtaken'> {
  const key = jobKey(spaceOfJob(job));
  return store.write<J | 'finished' | 'overtaken'>([key, ...furtherKeys], ([stored, ...values]) => {
    if (decodeJob(key, stored)?.step !== job.step) return { answer: 'overtaken', writes: [] };
    const { writes, next } = decide(values);
    if (next === undefined) {
      return { answer: 'finished', writes: [...writes, { key, value: undefined }] };
    }
    const after: J = { ...next, step: job.step + 1 };
    return { answer: after, writes: [...writes, jobWrite(after)] };
  });
}

export function keyText(key: Uint8Array): string {
  return Buffer.from(key).toString('base64');
}

export function keyOfText(text: string): Buffer {
  return Buffer.from(text, 'base64');
}
