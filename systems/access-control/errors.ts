/** What the application refuses by its own rules. */
export type AccessErrorCode =
  | 'no-role'
  | 'no-user'
  | 'no-policy'
  | 'already-held'
  | 'not-held'
  | 'busy'
  | 'job-dead'
  | 'job-missing'
  | 'job-not-dead';

export class AccessError extends Error {
  override readonly name = 'AccessError';
  readonly code: AccessErrorCode;

  constructor(code: AccessErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Another worker has the job by now: the worker that gets this stops working on it. What it wrote does no harm. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor(jobId: string, options?: ErrorOptions) {
    super(`The lease of ${jobId} has passed on`, options);
  }
}
