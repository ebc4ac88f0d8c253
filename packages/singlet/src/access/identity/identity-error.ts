/** Identities, or a change of them, that cannot be. The message says where, what is wrong, and what to do. */
export class IdentityError extends Error {
  readonly code = 'invalid-identities';

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'IdentityError';
  }
}
