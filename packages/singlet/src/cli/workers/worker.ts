import type { EngineLogEvent } from '../../engine/index.ts';
import { StorageError } from '../../storage/index.ts';
import { finish, type Serving } from '../serving.ts';
import { UsageError } from '../usage-error.ts';
import { engineOf } from '../../database/create-database.ts';
import { addConsumption, shareConsumption } from './shared-consumption.ts';
import { OtherWorkers } from './other-workers.ts';
import { type PrimaryMessage, primaryMessageOf, type WorkerMessage } from './worker-message.ts';

/**
 * Serves as one of several processes: listens, tells the primary, and follows its instructions. When the primary has exited, Node.js ends this
 * process, like every worker whose channel breaks, since it could receive no more connections.
 *
 * @param start - opens the database, without background work, and listens.
 */
export async function serveAsWorker(
  start: (others: OtherWorkers) => Promise<Serving>,
  { log, isThrottled }: { readonly log: (event: EngineLogEvent) => void; readonly isThrottled: boolean },
): Promise<void> {
  // A terminal and a service manager send their signals to every process. The primary decides when workers stop.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  const others = new OtherWorkers({
    send: (message) => void tell(message),
    onError: (error) => log({ level: 'error', event: 'worker-not-answering', error }),
  });
  const serving = started(() => start(others));
  process.on('message', (value) => {
    const message = primaryMessageOf(value);
    // Never rejects: a worker that cannot start has exited by then.
    if (message === undefined || others.heard(message)) return;
    void serving.then((server) => hear(message, server, log));
  });
  const { server, database, limits, sharesThroughStore } = await serving;
  if (!sharesThroughStore) {
    shareConsumption(engineOf(database), { isThrottled }, (notes) => void tell({ singlet: 'consumed', notes }));
  }
  limits.share((report) => void tell({ singlet: 'limits', report }));
  await tell({ singlet: 'ready', url: server.url, port: server.port });
}

async function started(start: () => Promise<Serving>): Promise<Serving> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof StorageError)) throw error;
    await tell({ singlet: 'refused', sentence: error.message });
    process.exit(1);
  }
}

async function hear(message: PrimaryMessage, serving: Serving, log: (event: EngineLogEvent) => void): Promise<void> {
  switch (message.singlet) {
    case 'stop':
      return finish(serving, log);
    case 'background work':
      return beginBackgroundWork(serving);
    case 'consumed':
      return addConsumption(engineOf(serving.database), message.notes, log);
    case 'report limits':
      return tell({ singlet: 'limits', report: serving.limits.report(true) });
    case 'limits of':
      return serving.limits.add(message.worker, message.report);
    case 'worker lost':
      return serving.limits.forget(message.worker);
    default: // answers, which the others have heard
  }
}

async function beginBackgroundWork(serving: Serving): Promise<void> {
  try {
    await serving.beginBackgroundWork();
  } catch (error) {
    // The worker was stopped just before.
    if (!(error instanceof StorageError && error.code === 'closed')) throw error;
  }
}

function tell(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    // If the primary has exited, there is no process to report to.
    process.send?.(message, undefined, undefined, () => resolve());
  });
}
