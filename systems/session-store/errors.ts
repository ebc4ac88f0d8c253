export type SessionStoreErrorCode = 'token-taken' | 'revocation-unfinished' | 'invalid-input';

/** Errors of the session store's own rules. `code` is stable, the message is for people. */
export class SessionStoreError extends Error {
  readonly code: SessionStoreErrorCode;

  constructor(code: SessionStoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** Every drawn token already belongs to a session. Nothing was written. `cause` is the last refusal. */
export class TokenTakenError extends SessionStoreError {
  constructor(attempts: number, cause: unknown) {
    super('token-taken', `No unused session token in ${attempts} attempt(s)`, { cause });
  }
}

/** The index still lists sessions of the user after many rounds. Deleted sessions stay deleted: run it again. */
export class RevocationUnfinishedError extends SessionStoreError {
  constructor(username: string) {
    super('revocation-unfinished', `The sessions of ${JSON.stringify(username)} could not all be confirmed deleted`);
  }
}

/** An invalid value. Nothing was sent. */
export class InvalidInputError extends SessionStoreError {
  readonly field: string;

  constructor(field: string, message: string) {
    super('invalid-input', message);
    this.field = field;
  }
}
