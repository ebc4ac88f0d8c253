/**
 * Least pace at which a body must come and an answer be taken, bytes per second. Who is slower holds memory for what others could do
 * meanwhile.
 */
const paceBytesPerSecondMin = 64 * 1024;

/** Whether less of a body has come than should have by now. @param afterMs - for so long there is no least pace. */
export function isTooSlow(receivedBytes: number, elapsedMs: number, afterMs: number): boolean {
  return elapsedMs > afterMs && receivedBytes < (elapsedMs / 1000) * paceBytesPerSecondMin;
}

/** Whether an answer should have been taken by now. What is on its way is not seen, so it is judged as a whole. */
export function isOverdue(answerBytes: number, elapsedMs: number, afterMs: number): boolean {
  return elapsedMs > afterMs + (answerBytes / paceBytesPerSecondMin) * 1000;
}
