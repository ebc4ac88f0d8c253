import { RuleError } from '@singlet/model';

/** Refusals by the shop's own rules. Nothing was written. */
export type ShopErrorCode = 'already-exists' | 'not-found' | 'busy' | 'too-many-items';

/** A request that the shop's rules refuse. */
export class ShopError extends Error {
  override readonly name = 'ShopError';
  readonly code: ShopErrorCode;
  /** The kind of the existing or missing item. */
  readonly entity: string;

  constructor(code: ShopErrorCode, entity: string, cause?: unknown) {
    super(`${entity}: ${MESSAGES[code]}`, cause === undefined ? {} : { cause });
    this.code = code;
    this.entity = entity;
  }
}

const MESSAGES: Readonly<Record<ShopErrorCode, string>> = {
  'already-exists': 'there is one already',
  'not-found': 'there is no such one',
  busy: 'others are writing to it',
  'too-many-items': 'an order has at most 98',
};

/**
 * Waits for a write and translates its refusal into the shop's terms.
 *
 * @throws {ShopError} for refusals by the rules. All other errors are rethrown unchanged.
 */
export async function refusing<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    const code = error instanceof RuleError ? codeOf(error) : undefined;
    throw error instanceof RuleError && code !== undefined ? new ShopError(code, error.entity, error) : error;
  }
}

function codeOf({ code }: RuleError): ShopErrorCode | undefined {
  switch (code) {
    case 'already-exists':
      return 'already-exists';
    case 'not-found':
    case 'parent-missing':
      return 'not-found';
    case 'busy':
      return 'busy';
    case 'condition-failed':
    case 'not-unique':
    case 'stale-version':
      return undefined;
  }
}
