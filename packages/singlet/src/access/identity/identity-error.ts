/** Invalid identities, or an invalid change to them. The message says where, what is wrong, and what to do. */
export class IdentityError extends Error {
  readonly code = 'invalid-identities';

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'IdentityError';
  }
}
