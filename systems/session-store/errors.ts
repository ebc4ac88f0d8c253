export type SessionStoreErrorCode = 'token-taken' | 'revocation-unfinished' | 'invalid-input';

/** What the session store can fail with by its own rules. `code` is stable, the message is for people. */
export class SessionStoreError extends Error {
  readonly code: SessionStoreErrorCode;

  constructor(code: SessionStoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** Every token that was drawn belongs to a session already. Nothing was written. `cause` is the last refusal. */
export class TokenTakenError extends SessionStoreError {
  constructor(attempts: number, cause: unknown) {
    super('token-taken', `No unused session token in ${attempts} attempt(s)`, { cause });
  }
}

/** The index still lists sessions of the user after many rounds. What was deleted stays deleted: run it again. */
export class RevocationUnfinishedError extends SessionStoreError {
  constructor(username: string) {
    super('revocation-unfinished', `The sessions of ${JSON.stringify(username)} could not all be confirmed deleted`);
  }
}

/** A value that the store cannot take. Nothing was sent. */
export class InvalidInputError extends SessionStoreError {
  readonly field: string;

  constructor(field: string, message: string) {
    super('invalid-input', message);
    this.field = field;
  }
}
