import type { EngineLogEvent } from '../../engine/index.ts';

/** Least time between two lines about one kind of refusal, milliseconds. */
export const refusalLogMs = 10_000;

export interface RefusalLogOptions {
  readonly log: (event: EngineLogEvent) => void;
  readonly nowMs: () => number;
  /** The line, without its count. */
  readonly line: (refused: string) => EngineLogEvent;
}

/**
 * Writes at most one line each ten seconds about refusals: a flood of them must not flood the log. A line names the one that was refused last, and
 * says in `count` how many there were since the line before.
 */
export function refusalLog({ log, nowMs, line }: RefusalLogOptions): (refused: string) => void {
  let count = 0;
  let nextMs = -Infinity;
  return (refused) => {
    count += 1;
    const now = nowMs();
    if (now < nextMs) return;
    log({ ...line(refused), count });
    count = 0;
    nextMs = now + refusalLogMs;
  };
}
