/** Requests that the application's rules refuse. */
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

/** Another worker has the job by now, so the worker that gets this error stops. What it wrote does no harm. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor(jobId: string, options?: ErrorOptions) {
    super(`The lease of ${jobId} has passed on`, options);
  }
}
