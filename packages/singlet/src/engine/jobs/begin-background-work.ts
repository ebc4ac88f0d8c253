import { repeatTask } from '../background/background-task.ts';
import { asHolder } from '../background/held-work.ts';
import { keepBackups } from '../backups/backup-upkeep.ts';
import { keepDelivering } from '../kinesis/deliver-changes.ts';
import { replicateRegularly, replicationIntervalMs } from '../replication/replicate.ts';
import type { EngineServices } from '../services.ts';
import { keepStreams } from '../streams/stream-upkeep.ts';
import { sweepIdempotencyTokens } from '../transactions/idempotency-token.ts';
import { expirySweepIntervalMs, sweepRegularly } from '../ttl/sweep-expired-items.ts';
import { resumeBackgroundWork } from './background-work.ts';

/** How often expired data is swept and work of other processes is resumed, in milliseconds. */
const sweepIntervalMs = 60_000;

/** Resumes unfinished work and starts periodic work. It ends when the engine closes. */
export function beginBackgroundWork(
  services: EngineServices,
  intervals: {
    readonly expirySweepMs?: number | 'on-demand' | undefined;
    readonly replicationMs?: number | 'on-demand' | undefined;
  },
): void {
  const { tasks } = services.environment;
  resumeBackgroundWork(services);
  tasks.spawn('sweep', () => keepSwept(services));
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

/** Resumes what another process has left unfinished, and removes expired client tokens. */
async function keepSwept(services: EngineServices): Promise<void> {
  const { environment } = services;
  await repeatTask(services, {
    name: 'sweep',
    everyMs: sweepIntervalMs,
    postponedEvent: 'client-token-sweep-postponed',
    run: async () => {
      resumeBackgroundWork(services);
      await asHolder(services, 'sweep of client tokens', async ({ store }) => {
        const swept = await sweepIdempotencyTokens(store, environment.clock.nowMs());
        if (swept > 0) environment.log({ level: 'debug', event: 'client-tokens-swept', swept });
      });
    },
  });
}
