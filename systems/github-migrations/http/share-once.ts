import { found } from '../../github/http/found.ts';
import type { Requests } from '../../http/requests.ts';
import type { Gist } from '../connection.ts';
import { GitHubError } from '../../github/errors.ts';
import type { Gists, NewGist } from '../gists.ts';

/** Shares a gist. */
export type ShareGist = (username: string, gist: NewGist, key: string | undefined) => Promise<Gist>;

/** Shares a gist once for each idempotency key. GHM-02, and GHM-04 where an earlier attempt has shared it. */
export function shareOnce(gists: Gists, requests: Requests): ShareGist {
  return async (username, gist, key) => {
    const { id: gistId } = await requests.attempt(['gist', username], key);
    try {
      return await gists.create(username, gist, gistId);
    } catch (error) {
      if (!(error instanceof GitHubError && error.code === 'AlreadyExists')) throw error;
      return found(await gists.find({ username, gistId }), 'gist');
    }
  };
}
