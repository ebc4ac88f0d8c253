import { RuleError } from '@singlet/model';
import type { RepoName } from '../../github/connection.ts';
import { GitHubError } from '../../github/errors.ts';
import type { OnFault } from '../../http/faults.ts';
import type { Pause } from '../../pause.ts';
import type { MigratedGitHub } from '../migrated-github.ts';

const BETWEEN_MS = 100;

/** Visitors who keep clicking while the table is migrated: they open issues, close every second one, and read the list. */
export class Visitors {
  acts = 0;
  /** Requests that were refused or failed. */
  faults = 0;
  isOn = false;
  #isClosed = false;
  readonly #clicking: Promise<void>;

  constructor(options: {
    readonly site: MigratedGitHub;
    readonly repos: readonly RepoName[];
    readonly author: string;
    readonly pause: Pause;
    readonly onFault: OnFault;
  }) {
    this.#clicking = this.#click(options);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#clicking;
  }

  async #click({ site, repos, author, pause, onFault }: ConstructorParameters<typeof Visitors>[0]): Promise<void> {
    while (!this.#isClosed) {
      const repo = repos[this.acts % repos.length];
      if (this.isOn && repo !== undefined) {
        try {
          const { number } = await site.issues.create(repo, { title: 'It rains in', body: '', author });
          if (this.acts % 2 === 0) await site.issues.setStatus({ ...repo, number }, 'Closed');
          await site.issues.of(repo, { status: 'Open' });
        } catch (error) {
          this.faults += 1;
          if (!(error instanceof GitHubError) && !(error instanceof RuleError)) onFault(error, 'a visitor');
        }
        this.acts += 1;
      }
      await pause(BETWEEN_MS);
    }
  }
}
