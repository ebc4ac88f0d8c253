import type { PageRequest, RepoName } from '../../github/connection.ts';
import { GitHubError } from '../../github/errors.ts';
import { found } from '../../github/http/found.ts';
import { CONSISTENTLY, orAlready } from '../../http/or-already.ts';
import type { Requests } from '../../http/requests.ts';
import { type NewApp, slugOf } from '../apps.ts';
import type { AppName, Gist, GitHubApp, Installation } from '../connection.ts';
import type { NewGist } from '../gists.ts';
import type { MigratedGitHub } from '../migrated-github.ts';

/** Shares gists, and creates and installs apps, once for each request, whatever becomes of the answers. */
export class MadeOnce {
  readonly #site: Pick<MigratedGitHub, 'gists' | 'apps'>;
  readonly #requests: Requests;

  constructor(site: Pick<MigratedGitHub, 'gists' | 'apps'>, requests: Requests) {
    this.#site = site;
    this.#requests = requests;
  }

  /** GHM-02, and GHM-04 where an earlier attempt has shared it. */
  async gist(username: string, gist: NewGist, key: string | undefined): Promise<Gist> {
    const { gists } = this.#site;
    const { id: gistId } = await this.#requests.attempt(['gist', username], key);
    return await orAlready(gists.create(username, gist, gistId), isRefused('AlreadyExists'), async () =>
      found(await gists.find({ username, gistId }, CONSISTENTLY), 'gist'),
    );
  }

  /** GHM-05, and GHM-08 where an earlier attempt has created it. @throws {GitHubError} `AlreadyExists`; `NotFound` */
  async app(account: string, app: NewApp, key: string | undefined): Promise<GitHubApp> {
    const { apps } = this.#site;
    return await this.#requests.createNamed(['app', account, app.name], key, {
      create: async (at) => await apps.create(account, app, at),
      isTaken: isRefused('AlreadyExists'),
      find: async () =>
        (await apps.installationsOf({ account, app: slugOf(app.name) }, { ...CONSISTENTLY, limit: 1 })).app,
    });
  }

  /** GHM-07, and GHM-08 where the app is installed there. @throws {GitHubError} `NotFound` */
  async installation(app: AppName, { owner, repo }: RepoName): Promise<Installation> {
    const { apps } = this.#site;
    return await orAlready(apps.install(app, { owner, repo }), isRefused('AlreadyDone'), async () => {
      let cursor: PageRequest['cursor'];
      do {
        const page = await apps.installationsOf(app, { ...CONSISTENTLY, cursor });
        const installed = page.installations.find((each) => each.owner === owner && each.repo === repo);
        if (installed !== undefined) return installed;
        ({ cursor } = page);
      } while (cursor !== undefined);
      return undefined;
    });
  }
}

function isRefused(code: GitHubError['code']): (error: unknown) => boolean {
  return (error) => error instanceof GitHubError && error.code === code;
}
