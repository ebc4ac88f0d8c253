/**
 * Minimum rate at which a body must arrive and an answer be read, bytes per second. A slower client holds memory that others could use
 * meanwhile.
 */
const paceBytesPerSecondMin = 64 * 1024;

/** Whether less of a body has arrived than the minimum rate requires. @param afterMs - the time before the rate applies. */
export function isTooSlow(receivedBytes: number, elapsedMs: number, afterMs: number): boolean {
  return elapsedMs > afterMs && receivedBytes < (elapsedMs / 1000) * paceBytesPerSecondMin;
}

/** Whether an answer should have been read by now. Partial progress is not visible, so the answer is judged as a whole. */
export function isOverdue(answerBytes: number, elapsedMs: number, afterMs: number): boolean {
  return elapsedMs > afterMs + (answerBytes / paceBytesPerSecondMin) * 1000;
}
