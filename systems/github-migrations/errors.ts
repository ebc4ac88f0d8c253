import { GitHubError, refusing as refusingEarlier } from '../github/errors.ts';

/** What is done, and not named: doing it twice is refused as done, not as a name that is taken. */
const DEED = 'GitHubAppInstallation';

/**
 * Waits for a write and says in the site's terms why it was refused.
 *
 * @throws {GitHubError} for what the rules refuse; everything else goes through as it is.
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
