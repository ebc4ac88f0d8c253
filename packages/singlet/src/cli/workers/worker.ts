import type { EngineLogEvent } from '../../engine/index.ts';
import { StorageError } from '../../storage/index.ts';
import { finish, type Serving } from '../serving.ts';
import { UsageError } from '../usage-error.ts';
import { engineOf } from '../../database/create-database.ts';
import { addConsumption, shareConsumption } from './shared-consumption.ts';
import { OtherWorkers } from './other-workers.ts';
import { primaryMessageOf, type WorkerMessage } from './worker-message.ts';

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
    if (message.singlet === 'consumed') {
      void serving.then(({ database }) => addConsumption(engineOf(database), message.notes, log));
      return;
    }
    const command = message.singlet === 'stop' ? 'stop' : 'background work';
    void serving.then((server) => obey(command, server, log));
  });
  const { server, database, sharesThroughStore } = await serving;
  if (!sharesThroughStore) {
    shareConsumption(engineOf(database), { isThrottled }, (notes) => void tell({ singlet: 'consumed', notes }));
  }
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

async function obey(
  command: 'background work' | 'stop',
  serving: Serving,
  log: (event: EngineLogEvent) => void,
): Promise<void> {
  if (command === 'stop') return finish(serving, log);
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
