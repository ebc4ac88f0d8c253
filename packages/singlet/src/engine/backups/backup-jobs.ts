import type { EngineServices } from '../services.ts';
import { type BackupJob, listJobs, readJob, spaceOfJob } from './backup-job.ts';
import { fillRestoredTable } from './fill-restored-table.ts';
import { writeExport } from './write-export.ts';
import { makeImage } from './make-image.ts';

/** The spaces that unfinished work on backups is filling. */
export async function listBackupWork({ store }: EngineServices): Promise<readonly number[]> {
  return (await listJobs(store)).map(spaceOfJob);
}

/**
 * Does the work that fills a space, and what follows from it.
 *
 * @throws {ClosingSignal} when the engine closes.
 */
export async function doBackupWork(services: EngineServices, filledSpace: number): Promise<void> {
  const job = await readJob(services.store, filledSpace);
  if (job === undefined) return;
  const next = await run(services, job);
  if (next !== undefined) await doBackupWork(services, next);
}

/** @returns the space whose filling can continue now. */
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
