import type { Row } from './row.ts';
import { applies, runRow } from './run-row.ts';
import type { RunOptions } from './run-row.ts';
import type { Target } from './targets.ts';

export interface RowResult {
  readonly subject: string;
  readonly id: string;
  readonly outcome: 'passed' | 'failed' | 'left out';
  readonly milliseconds: number;
  /** Why it failed. */
  readonly message?: string;
}

export interface RunRowsOptions extends RunOptions {
  /** Rows that run at the same time. */
  readonly concurrency: number;
  /** Called with each result as it arrives. */
  readonly onResult?: (result: RowResult, done: number, of: number) => void;
}

/** Runs rows against a target, several at a time. Rows that move the clock run alone, after all others. */
export async function runRows(
  rowsBySubject: Readonly<Record<string, readonly Row[]>>,
  target: Target,
  options: RunRowsOptions,
): Promise<readonly RowResult[]> {
  const all = Object.entries(rowsBySubject).flatMap(([subject, rows]) => rows.map((row) => ({ subject, row })));
  const alone = all.filter(({ row }) => row.needs.includes('clock'));
  const together = all.filter(({ row }) => !row.needs.includes('clock'));
  const results: RowResult[] = [];
  const runOne = async ({ subject, row }: { subject: string; row: Row }): Promise<void> => {
    const result = await resultOf(subject, row, target, options);
    results.push(result);
    options.onResult?.(result, results.length, all.length);
  };
  const waiting = together.values();
  const worker = async (): Promise<void> => {
    for (const one of waiting) await runOne(one);
  };
  await Promise.all(Array.from({ length: Math.max(1, options.concurrency) }, worker));
  for (const one of alone) await runOne(one);
  return results;
}

async function resultOf(subject: string, row: Row, target: Target, options: RunOptions): Promise<RowResult> {
  const base = { subject, id: row.id };
  if (!applies(row, target, options)) return { ...base, outcome: 'left out', milliseconds: 0 };
  const started = performance.now();
  try {
    await runRow(row, target, options);
    return { ...base, outcome: 'passed', milliseconds: performance.now() - started };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      ...base,
      outcome: 'failed',
      milliseconds: performance.now() - started,
      message: message.startsWith(row.id) ? message : `${row.id}\n  ${message}`,
    };
  }
}
