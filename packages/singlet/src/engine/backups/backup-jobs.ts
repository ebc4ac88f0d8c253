import type { EngineServices } from '../services.ts';
import { type BackupJob, listJobs, readJob, spaceOfJob } from './backup-job.ts';
import { fillRestoredTable } from './fill-restored-table.ts';
import { writeExport } from './write-export.ts';
import { makeImage } from './make-image.ts';

/** The spaces that unfinished backup jobs are filling. */
export async function listBackupWork({ store }: EngineServices): Promise<readonly number[]> {
  return (await listJobs(store)).map(spaceOfJob);
}

/**
 * Runs the job that fills a space, and the jobs that follow from it.
 *
 * @throws {ClosingSignal} when the engine closes.
 */
export async function doBackupWork(services: EngineServices, filledSpace: number): Promise<void> {
  const job = await readJob(services.store, filledSpace);
  if (job === undefined) return;
  const next = await run(services, job);
  if (next !== undefined) await doBackupWork(services, next);
}

/** @returns the space of the job that can continue now. */
async function run(services: EngineServices, job: BackupJob): Promise<number | undefined> {
  if (job.kind === 'restore') {
    await fillRestoredTable(services, job.itemSpace);
    return undefined;
  }
  if (job.kind === 'export') {
    await writeExport(services, job.changesSpace);
    return undefined;
  }
  const isComplete = await makeImage(services, job.imageSpace);
  return isComplete && job.owner.kind === 'job' ? job.owner.space : undefined;
}
