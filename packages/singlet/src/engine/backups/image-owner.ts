import { assert } from '../../values/assert.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import { decodeJob, type ImageJob, jobKey, jobWrite, keyOfText } from './backup-job.ts';
import { backupWrite, decodeBackupRecord } from './backup-record.ts';

export function ownerKey({ owner }: ImageJob): Buffer {
  return owner.kind === 'backup' ? keyOfText(owner.key) : jobKey(owner.space);
}

/** The writes for a completed image: its backup becomes available, or the job that waits for it continues. */
export function imageCompleted(image: ImageJob, value: StoreValue): readonly StoreWrite[] {
  assert(value !== undefined, 'who waits for an image is not removed before it is complete');
  const { owner, itemCount, sizeBytes } = image;
  const key = ownerKey(image);
  if (owner.kind === 'backup') {
    return [backupWrite({ ...decodeBackupRecord(key, value), status: 'AVAILABLE', itemCount, sizeBytes })];
  }
  const job = decodeJob(key, value);
  assert(job !== undefined && job.kind !== 'image', 'no image waits for another');
  const step = job.step + 1;
  return [
    jobWrite(
      job.kind === 'restore' ? { ...job, step, phase: 'filling' } : { ...job, step, phase: 'writing', sizeBytes },
    ),
  ];
}
