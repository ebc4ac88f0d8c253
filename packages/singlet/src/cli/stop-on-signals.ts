import type { EngineLogEvent } from '../engine/index.ts';

/**
 * The first SIGINT or SIGTERM stops the process gracefully; a second one, at once.
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
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      kill();
      process.exit(signal === 'SIGINT' ? 130 : 143);
    }
    isStopping = true;
    log({ level: 'info', event: 'stopping', signal });
    stop();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}
