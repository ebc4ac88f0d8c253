import { StorageError } from '../../storage/storage-error.ts';
import { keepBackups } from '../backups/backup-upkeep.ts';
import { keepDelivering } from '../kinesis/deliver-changes.ts';
import { replicateRegularly, replicationIntervalMs } from '../replication/replicate.ts';
import type { EngineServices } from '../services.ts';
import { keepStreams } from '../streams/stream-upkeep.ts';
import { sweepIdempotencyTokens } from '../transactions/idempotency-token.ts';
import { expirySweepIntervalMs, sweepRegularly } from '../ttl/sweep-expired-items.ts';
import { resumeBackgroundWork } from './background-work.ts';

/** How often what has run out is swept, and work taken up that another process has left, in milliseconds. */
const sweepIntervalMs = 60_000;

/** Takes up work that was left unfinished, and begins what is done from time to time. It ends when the engine closes. */
export function beginBackgroundWork(
  services: EngineServices,
  intervals: {
    readonly expirySweepMs?: number | 'on-demand' | undefined;
    readonly replicationMs?: number | 'on-demand' | undefined;
  },
): void {
  const { tasks } = services.environment;
  resumeBackgroundWork(services);
  tasks.spawn('sweep', () => sweep(services));
  tasks.spawn('upkeep of streams', () => keepStreams(services));
  tasks.spawn('delivery of changes', () => keepDelivering(services));
  tasks.spawn('upkeep of backups', () => keepBackups(services));
  const { expirySweepMs = expirySweepIntervalMs, replicationMs = replicationIntervalMs } = intervals;
  if (expirySweepMs !== 'on-demand') {
    tasks.spawn('expiry sweep', () => sweepRegularly(services, expirySweepMs));
  }
  if (replicationMs !== 'on-demand') {
    tasks.spawn('replication', () => replicateRegularly(services, replicationMs));
  }
}

async function sweep(services: EngineServices): Promise<void> {
  const { store, environment, closing } = services;
  for (;;) {
    await environment.tasks.pause(sweepIntervalMs, closing);
    if (closing?.aborted === true) return;
    resumeBackgroundWork(services);
    try {
      const swept = await sweepIdempotencyTokens(store, environment.clock.nowMs());
      if (swept > 0) environment.log({ level: 'debug', event: 'client tokens swept', swept });
    } catch (error) {
      if (!(error instanceof StorageError) || error.code === 'format') throw error;
      if (error.code === 'closed') return;
      environment.log({ level: 'warn', event: 'sweep of client tokens failed', error });
    }
  }
}
