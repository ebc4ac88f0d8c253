import { RuleError } from '@singlet/model';

/** What can be refused by the blog's own rules. Nothing has been written then. */
export type BlogErrorCode = 'already-exists' | 'not-found' | 'busy' | 'bad-time';

/** A request that the blog's rules refuse. */
export class BlogError extends Error {
  override readonly name = 'BlogError';
  readonly code: BlogErrorCode;
  /** The kind of thing that is there already or missing; the text that is no time. */
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
 * Waits for a write and says in the blog's terms why it was refused.
 *
 * @throws {BlogError} for what the rules refuse; everything else goes through as it is.
 */
export async function refusing<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    const code = error instanceof RuleError ? codeOf(error) : undefined;
    throw error instanceof RuleError && code !== undefined ? new BlogError(code, error.entity, error) : error;
  }
}

/** @throws {BlogError} `not-found` where there is none. */
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
