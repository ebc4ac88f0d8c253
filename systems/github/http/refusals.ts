import { HttpError } from '../../http/http-error.ts';
import { GitHubError } from '../errors.ts';

const NOUNS: Readonly<Record<string, string>> = {
  User: 'user',
  Organization: 'organization',
  Repo: 'repository',
  Issue: 'issue',
  PullRequest: 'pull request',
  IssueComment: 'comment',
  PRComment: 'comment',
  Gist: 'gist',
  GitHubApp: 'app',
};

/** The site's refusals over HTTP; undefined for other errors. */
export function errorOf(error: unknown): HttpError | undefined {
  if (!(error instanceof GitHubError)) return undefined;
  const noun = NOUNS[error.entity] ?? 'thing';
  switch (error.code) {
    case 'NotFound':
      return new HttpError(404, 'not-found', `There is no such ${noun}.`);
    case 'AlreadyExists':
      return new HttpError(409, 'taken', `There is a ${noun} of this name already.`);
    case 'AlreadyDone':
      return new HttpError(409, 'already-done', 'This has been done before.');
    case 'LimitExceeded':
      return new HttpError(409, 'limit', 'There are as many as are allowed.');
  }
}
