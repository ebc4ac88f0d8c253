import { RuleError } from '@singlet/model';

/** Refusals by the site's own rules. Nothing was written. */
export type GitHubErrorCode = 'AlreadyExists' | 'AlreadyDone' | 'NotFound' | 'LimitExceeded';

/** A request that the site's rules refuse. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  readonly code: GitHubErrorCode;
  /** The kind of the existing or missing item. */
  readonly entity: string;

  constructor(code: GitHubErrorCode, entity: string, cause?: unknown) {
    super(`${entity}: ${MESSAGES[code]}`, cause === undefined ? {} : { cause });
    this.code = code;
    this.entity = entity;
  }
}

const MESSAGES: Readonly<Record<GitHubErrorCode, string>> = {
  AlreadyExists: 'there is one of that name',
  AlreadyDone: 'that has been done',
  NotFound: 'there is no such one',
  LimitExceeded: 'there are as many as there can be',
};

/**
 * Waits for a write and translates its refusal into the site's terms.
 *
 * @throws {GitHubError} for refusals by the rules. All other errors are rethrown unchanged.
 */
export async function refusing<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof RuleError)) {
      throw error;
    }
    const code = codeOf(error);
    throw code === undefined ? error : new GitHubError(code, error.entity, error);
  }
}

/** An existing star or membership is already done. Any other existing item has taken the name. */
const DEEDS: ReadonlySet<string> = new Set(['Star', 'Membership']);

function codeOf({ code, entity }: RuleError): GitHubErrorCode | undefined {
  switch (code) {
    case 'already-exists':
      return DEEDS.has(entity) ? 'AlreadyDone' : 'AlreadyExists';
    case 'not-found':
    case 'parent-missing':
      return 'NotFound';
    case 'condition-failed':
      return entity === 'User' ? 'LimitExceeded' : 'AlreadyDone';
    case 'not-unique':
    case 'stale-version':
    case 'busy':
      return undefined;
  }
}

/** A write for an account of either kind. One name is one account, so the second is tried if there is no user of that name. */
export async function forEither<T>(user: () => Promise<T>, organization: () => Promise<T>): Promise<T> {
  try {
    return await user();
  } catch (error) {
    if (!(error instanceof GitHubError) || error.code !== 'NotFound') throw error;
    return await organization();
  }
}
