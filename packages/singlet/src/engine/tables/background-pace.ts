import type { EngineServices } from '../services.ts';

/** How long background work sleeps at most before it looks whether it is to stop. */
const napMs = 100;

/** Not an error: the signal that the engine closes, and that background work ends here. It is taken up at the next start. */
export class ClosingSignal extends Error {
  constructor() {
    super('the engine is closing');
    this.name = 'ClosingSignal';
  }
}

/**
 * Lets requests have their turn. Background work calls it between its steps.
 *
 * @throws {ClosingSignal} when the engine closes.
 */
export async function takeTurn(services: EngineServices): Promise<void> {
  await services.environment.tasks.pause(0);
  if (services.closing?.aborted === true) throw new ClosingSignal();
}

/**
 * Waits for a point in time.
 *
 * @throws {ClosingSignal} when the engine closes.
 */
export async function pauseUntil(services: EngineServices, untilMs: number): Promise<void> {
  const { clock, tasks } = services.environment;
  for (;;) {
    if (services.closing?.aborted === true) throw new ClosingSignal();
    const restMs = untilMs - clock.nowMs();
    if (restMs <= 0) return;
    await tasks.pause(Math.min(restMs, napMs));
  }
}
