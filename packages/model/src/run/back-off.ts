import type { Context } from './context.ts';

/** Times to pause between attempts: doubled each time and jittered, so that writers in each other's way move apart. */
export async function backOff({ pause, random }: Context, attempt: number): Promise<void> {
  await pause(Math.min(1000, 20 * 2 ** attempt) * (0.5 + random() / 2));
}
