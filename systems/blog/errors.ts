import { RuleError } from '@singlet/model';

/** Refusals by the blog's own rules. Nothing was written. */
export type BlogErrorCode = 'already-exists' | 'not-found' | 'busy' | 'bad-time';

/** A request that the blog's rules refuse. */
export class BlogError extends Error {
  override readonly name = 'BlogError';
  readonly code: BlogErrorCode;
  /** The kind of the existing or missing item, or the invalid time. */
  readonly subject: string;

  constructor(code: BlogErrorCode, subject: string, cause?: unknown) {
    super(`${subject}: ${MESSAGES[code]}`, cause === undefined ? {} : { cause });
    this.code = code;
    this.subject = subject;
  }
}

const MESSAGES: Readonly<Record<BlogErrorCode, string>> = {
  'already-exists': 'there is one already',
  'not-found': 'there is no such one',
  busy: 'others are writing to it',
  'bad-time': 'is not an ISO-8601 time',
};

/**
 * Waits for a write and translates its refusal into the blog's terms.
 *
 * @throws {BlogError} for refusals by the rules. All other errors are rethrown unchanged.
 */
export async function refusing<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    const code = error instanceof RuleError ? codeOf(error) : undefined;
    throw error instanceof RuleError && code !== undefined ? new BlogError(code, error.entity, error) : error;
  }
}

/** @throws {BlogError} `not-found` if there is no value. */
export function found<Thing>(thing: Thing | undefined, entity: string): Thing {
  if (thing === undefined) {
    throw new BlogError('not-found', entity);
  }
  return thing;
}

function codeOf({ code }: RuleError): BlogErrorCode | undefined {
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
