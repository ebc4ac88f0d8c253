/**
 * Why a migration cannot begin or continue. Each write is atomic, and `resume` continues after the last one.
 *
 * Codes: `by-hand`, `function-missing`, `function-failed`, `not-idempotent`, `value-missing`, `item-refused`, `not-unique`, `key-taken`,
 * `busy`, `too-soon`, `not-on-access`, `unfinished`, `not-begun`, `other-migration`, `no-checkpoint-key`, `no-checkpoint-type`, `bad-checkpoint`, `bad-option`.
 */
export class MigrationError extends Error {
  override readonly name: string = 'MigrationError';
  readonly code: string;
  /** The key of the item, if the error concerns one. */
  readonly key: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: string,
    message: string,
    about: { readonly key?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.code = code;
    this.key = about.key;
  }
}
