import { RuleError } from '@singlet/model';

/** What can be refused by the desk's own rules. Nothing has been written then. */
export type SupportErrorCode = 'already-exists' | 'not-found' | 'changed-meanwhile' | 'not-open' | 'not-closed';

/** A request that the desk's rules refuse. */
export class SupportError extends Error {
  override readonly name = 'SupportError';
  readonly code: SupportErrorCode;
  /** The kind of thing that is there already, missing or in the way. */
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
 * Waits for a write and says in the desk's terms why it was refused.
 *
 * @param whenNotMet - what it means that the item does not meet the write's condition, from the item as it is.
 * @throws {SupportError} for what the rules refuse; everything else goes through as it is.
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

/** @throws {SupportError} `not-found` where there is none. */
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
