import type { CatalogServices } from '../catalog/catalog-services.ts';

/** Not an error: signals that the engine is closing and that background work stops here. It resumes at the next start. */
export class ClosingSignal extends Error {
  constructor() {
    super('the engine is closing');
    this.name = 'ClosingSignal';
  }
}

/**
 * Lets requests run. Background work calls it between its steps.
 *
 * @throws {ClosingSignal} when the engine closes.
 */
export async function takeTurn(services: CatalogServices): Promise<void> {
  await services.environment.tasks.pause(0);
  if (services.closing?.aborted === true) throw new ClosingSignal();
}

/**
 * Waits for a point in time.
 *
 * @throws {ClosingSignal} when the engine closes.
 */
export async function pauseUntil({ environment, closing }: CatalogServices, untilMs: number): Promise<void> {
  const { clock, tasks } = environment;
  for (;;) {
    if (closing?.aborted === true) throw new ClosingSignal();
    const restMs = untilMs - clock.nowMs();
    if (restMs <= 0) return;
    await tasks.pause(restMs, closing);
  }
}
