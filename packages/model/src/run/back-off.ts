import type { Context } from './context.ts';

/** Delays between attempts: doubled each time, with jitter, so that conflicting writers diverge. */
export async function backOff({ pause, random }: Context, attempt: number): Promise<void> {
  await pause(Math.min(1000, 20 * 2 ** attempt) * (0.5 + random() / 2));
}
