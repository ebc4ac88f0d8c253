/** Named calls whose CPU time is compared. */
export type Calls = Readonly<Record<string, () => unknown>>;

/**
 * Microseconds of CPU per call, by name. The calls take turns, round by round, so that a slow moment of the machine affects all of
 * them. The best round of each counts.
 */
export async function cpuTimes(calls: Calls, { rounds, repeat }: { rounds: number; repeat: number }) {
  const best: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, call] of Object.entries(calls)) {
      const time = await timed(call, repeat);
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, time);
    }
  }
  return best;
}

async function timed(call: () => unknown, repeat: number): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < repeat; i++) {
    const result = call();
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / repeat;
}
