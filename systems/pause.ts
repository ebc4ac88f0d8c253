/** Waits before a retry. It is passed in, so that a test need not wait. */
export type Pause = (delayMs: number) => Promise<void>;

/**
 * Waits between half and one and a half times `delayMs`. Two callers that conflicted would do so again
 * if both waited equally long.
 */
export const pauseWithJitter: Pause = (delayMs) =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs * (0.5 + Math.random()));
  });
