import type { ConsumptionNote, Engine, EngineLogEvent } from '../../engine/index.ts';
import { StorageError } from '../../storage/index.ts';

/**
 * How often this worker reports its consumption to the others, milliseconds. If throughput is enforced, workers together may admit too much for
 * this long; otherwise a second suffices for reports and scaling.
 */
const shareMs = { throttled: 20, unthrottled: 1000 };

/** Reports the throughput of tables that this process has consumed, as long as it runs. Does not keep the process alive. */
export function shareConsumption(
  engine: Engine,
  { isThrottled }: { readonly isThrottled: boolean },
  tell: (notes: readonly ConsumptionNote[]) => void,
): void {
  const share = (): void => {
    const notes = engine.takeConsumption();
    if (notes.length > 0) tell(notes);
  };
  setInterval(share, isThrottled ? shareMs.throttled : shareMs.unthrottled).unref();
}

/** Adds the consumption reported by another worker. */
export async function addConsumption(
  engine: Engine,
  notes: readonly ConsumptionNote[],
  log: (event: EngineLogEvent) => void,
): Promise<void> {
  try {
    await engine.addConsumption(notes);
  } catch (error) {
    // This worker is being closed, or the store does not answer. The next reports make up for it.
    if (!(error instanceof StorageError)) throw error;
    log({ level: 'debug', event: 'consumption-not-added', error });
  }
}
