import type { EngineLogEvent } from '../../engine/index.ts';

/** The minimum time between two lines about one kind of refusal, milliseconds. */
export const refusalLogMs = 10_000;

export interface RefusalLogOptions {
  readonly log: (event: EngineLogEvent) => void;
  readonly nowMs: () => number;
  /** The line, without its count. */
  readonly line: (refused: string) => EngineLogEvent;
}

/**
 * Writes at most one line every ten seconds about refusals, so that many of them do not fill the log. A line names the latest refused caller;
 * `count` is the number of refusals since the previous line.
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
