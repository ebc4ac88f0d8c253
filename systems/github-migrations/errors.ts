import { GitHubError, refusing as refusingEarlier } from '../github/errors.ts';

/** Actions without a name: repeating one is refused as already done, not as a taken name. */
const DEED = 'GitHubAppInstallation';

/**
 * Waits for a write and translates its refusal into the site's terms.
 *
 * @throws {GitHubError} for refusals by the rules. All other errors are rethrown unchanged.
 */
export async function refusing<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await refusingEarlier(write);
  } catch (error) {
    if (error instanceof GitHubError && error.code === 'AlreadyExists' && error.entity === DEED) {
      throw new GitHubError('AlreadyDone', DEED, error.cause);
    }
    throw error;
  }
}
