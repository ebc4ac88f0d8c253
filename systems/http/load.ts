/** An action that callers repeat. */
export interface LoadAction {
  readonly name: string;
  /** How often, compared with the others. */
  readonly weight: number;
  readonly act: () => Promise<Response>;
  /** Statuses that are not failures although they are not success, for example of a repeated action. */
  readonly allows?: readonly number[];
}

export interface LoadOptions {
  readonly actions: readonly LoadAction[];
  /** Concurrent callers. Each waits for its answer before it continues. */
  readonly callers: number;
  readonly durationMs: number;
  readonly random: { weightedIndex(weights: readonly number[]): number };
}

export interface ActionFigures {
  readonly name: string;
  /** Ascending: milliseconds until the body arrived. */
  readonly latenciesMs: readonly number[];
  readonly failures: number;
}

export interface LoadResult {
  readonly durationMs: number;
  readonly actions: readonly ActionFigures[];
  readonly failures: number;
}

/** Lets callers act for a time, and records the latency of each answer. An answer that is not 2xx, or none, is a failure. */
export async function runLoad({ actions, callers, durationMs, random }: LoadOptions): Promise<LoadResult> {
  const figures = actions.map(({ name }) => ({ name, latenciesMs: [] as number[], failures: 0 }));
  const weights = actions.map(({ weight }) => weight);
  const startedAtMs = performance.now();
  const call = async (): Promise<void> => {
    while (performance.now() - startedAtMs < durationMs) {
      const index = random.weightedIndex(weights);
      const [action, figure] = [actions[index], figures[index]];
      if (action === undefined || figure === undefined) return;
      const sentAtMs = performance.now();
      if (!(await succeeds(action))) figure.failures += 1;
      figure.latenciesMs.push(performance.now() - sentAtMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  for (const { latenciesMs } of figures) latenciesMs.sort((left, right) => left - right);
  const failures = figures.reduce((sum, each) => sum + each.failures, 0);
  return { durationMs: performance.now() - startedAtMs, actions: figures, failures };
}

async function succeeds({ act, allows = [] }: LoadAction): Promise<boolean> {
  try {
    const response = await act();
    await response.arrayBuffer();
    return response.ok || allows.includes(response.status);
  } catch {
    return false;
  }
}

/** A line of figures for each action, and one for all together. */
export function loadReport({ actions, durationMs }: LoadResult): string {
  const all = {
    name: 'together',
    latenciesMs: actions.flatMap(({ latenciesMs }) => latenciesMs).sort((left, right) => left - right),
    failures: actions.reduce((sum, { failures }) => sum + failures, 0),
  };
  const rows = [...actions, all].map(({ name, latenciesMs, failures }) => [
    name,
    String(latenciesMs.length),
    (latenciesMs.length / (durationMs / 1000)).toFixed(0),
    ...[0.5, 0.99, 1].map((share) => quantile(latenciesMs, share).toFixed(1)),
    String(failures),
  ]);
  const header = ['action', 'requests', 'per second', 'p50 ms', 'p99 ms', 'longest ms', 'failures'];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [header, ...rows]
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? 0;
}
