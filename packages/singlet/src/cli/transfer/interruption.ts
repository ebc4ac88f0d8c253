/** Whether an interruption was requested, so that work can stop at a point from which it can continue. */
export interface Interruption {
  readonly isAsked: () => boolean;
  /** Restores the default handling of signals. */
  release(): void;
}

/** The first SIGINT or SIGTERM requests the end; the second one ends the process at once. */
export function onInterruption(): Interruption {
  let isAsked = false;
  const ask = (): void => {
    if (isAsked) process.exit(130);
    isAsked = true;
  };
  process.on('SIGINT', ask);
  process.on('SIGTERM', ask);
  return {
    isAsked: () => isAsked,
    release: () => {
      process.off('SIGINT', ask);
      process.off('SIGTERM', ask);
    },
  };
}

/** The exit code of a command that was interrupted. */
export const interruptedExitCode = 130;
