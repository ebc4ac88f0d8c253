import type { EngineLogEvent } from '../engine/index.ts';
import { endWithNpx } from './end-with-npx.ts';

/**
 * The first SIGINT or SIGTERM stops the process gracefully, and so does the end of the npx that started it; a second signal stops it at once.
 *
 * @param stop - begins the shutdown, which eventually ends the process.
 * @param kill - ends other processes that would outlive this one.
 */
export function stopOnSignals(
  log: (event: EngineLogEvent) => void,
  stop: () => void,
  kill: () => void = () => undefined,
): void {
  let isStopping = false;
  const begin = (cause: { readonly signal: NodeJS.Signals } | { readonly reason: string }): void => {
    isStopping = true;
    log({ level: 'info', event: 'stopping', ...cause });
    stop();
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      kill();
      process.exit(signal === 'SIGINT' ? 130 : 143);
    }
    begin({ signal });
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  endWithNpx(() => {
    if (!isStopping) begin({ reason: 'npx has ended' });
  });
}
