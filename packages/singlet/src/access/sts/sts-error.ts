/** An error of the STS API. */
export class StsError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, { status = 400, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StsError';
    this.code = code;
    this.status = status;
  }
}

/** The error for a value that violates the constraint of its member. */
export function stsValidationError(member: string, value: string, constraint: string): StsError {
  return new StsError(
    'ValidationError',
    `1 validation error detected: Value '${value}' at '${member}' failed to satisfy constraint: Member must ${constraint}`,
  );
}
