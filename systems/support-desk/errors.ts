import { RuleError } from '@singlet/model';

/** Refusals by the desk's own rules. Nothing was written. */
export type SupportErrorCode = 'already-exists' | 'not-found' | 'changed-meanwhile' | 'not-open' | 'not-closed';

/** A request that the desk's rules refuse. */
export class SupportError extends Error {
  override readonly name = 'SupportError';
  readonly code: SupportErrorCode;
  /** The kind of the existing, missing or conflicting item. */
  readonly entity: string;

  constructor(code: SupportErrorCode, entity: string, cause?: unknown) {
    super(`${entity}: ${MESSAGES[code]}`, cause === undefined ? {} : { cause });
    this.code = code;
    this.entity = entity;
  }
}

const MESSAGES: Readonly<Record<SupportErrorCode, string>> = {
  'already-exists': 'there is one of that id',
  'not-found': 'there is no such one',
  'changed-meanwhile': 'somebody else has changed it',
  'not-open': 'it is closed',
  'not-closed': 'it is open',
};

/**
 * Waits for a write and translates its refusal into the desk's terms.
 *
 * @param whenNotMet - the meaning of an unmet condition of the write, derived from the present item.
 * @throws {SupportError} for refusals by the rules. All other errors are rethrown unchanged.
 */
export async function refusing<Result>(
  write: Promise<Result>,
  whenNotMet: (item: RuleError['item']) => SupportErrorCode = () => 'changed-meanwhile',
): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof RuleError)) {
      throw error;
    }
    const code = codeOf(error, whenNotMet);
    throw code === undefined ? error : new SupportError(code, error.entity, error);
  }
}

/** @throws {SupportError} `not-found` if there is no value. */
export function found<Thing>(thing: Thing | undefined, entity: string): Thing {
  if (thing === undefined) {
    throw new SupportError('not-found', entity);
  }
  return thing;
}

function codeOf(
  { code, item }: RuleError,
  whenNotMet: (item: RuleError['item']) => SupportErrorCode,
): SupportErrorCode | undefined {
  switch (code) {
    case 'already-exists':
      return 'already-exists';
    case 'not-found':
    case 'parent-missing':
      return 'not-found';
    case 'condition-failed':
      return whenNotMet(item);
    case 'busy':
      return 'changed-meanwhile';
    case 'not-unique':
    case 'stale-version':
      return undefined;
  }
}
