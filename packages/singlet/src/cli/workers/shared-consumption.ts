import type { ConsumptionNote, Engine, EngineLogEvent } from '../../engine/index.ts';
import { StorageError } from '../../storage/index.ts';

/**
 * How often this worker reports its consumption to the others, milliseconds. Where throughput is enforced that is how
 * long all may admit too much before they know of each other; elsewhere reports and scaling are content with a second.
 */
const shareMs = { throttled: 20, unthrottled: 1000 };

/** Tells, as long as the process runs, what of the throughput of tables it has consumed. Keeps no process alive. */
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

/** Takes over what another worker has told. */
export async function addConsumption(
  engine: Engine,
  notes: readonly ConsumptionNote[],
  log: (event: EngineLogEvent) => void,
): Promise<void> {
  try {
    await engine.addConsumption(notes);
  } catch (error) {
    // This worker is being closed, or the store does not answer: what it refuses then, the next notes put right.
    if (!(error instanceof StorageError)) throw error;
    log({ level: 'debug', event: 'consumption-not-added', error });
  }
}
