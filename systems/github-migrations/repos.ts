import type { ReadOptions } from '@singlet/model';
import type { RepoName } from '../github/connection.ts';
import { Repos } from '../github/repos.ts';
import type { CodeOfConduct, MigratedConnection, Repo } from './connection.ts';
import { refusing } from './errors.ts';

/** Repositories, which may have a code of conduct. */
export class MigratedRepos extends Repos {
  readonly #connection: MigratedConnection;

  constructor(connection: MigratedConnection) {
    super(connection);
    this.#connection = connection;
  }

  override async find({ owner, repo }: RepoName, options: ReadOptions = {}): Promise<Repo | undefined> {
    return await this.#connection.db.repo({ owner, repo }, options);
  }

  /** Adds a code of conduct, or replaces the existing one. @throws {GitHubError} `NotFound` */
  async setCodeOfConduct({ owner, repo }: RepoName, codeOfConduct: CodeOfConduct): Promise<void> {
    await refusing(this.#connection.db.setCodeOfConduct({ owner, repo, codeOfConduct }));
  }

  /** Idempotent. @throws {GitHubError} `NotFound` */
  async removeCodeOfConduct({ owner, repo }: RepoName): Promise<void> {
    await refusing(this.#connection.db.removeCodeOfConduct({ owner, repo }));
  }
}
