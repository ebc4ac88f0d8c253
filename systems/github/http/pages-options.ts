import type { SignIn } from '../../http/sign-in.ts';
import type { RepoName } from '../connection.ts';
import type { GitHub } from '../github.ts';
import type { Once } from './once.ts';

/** Where a visitor can begin: no pattern lists everything. */
export interface Samples {
  readonly people: readonly string[];
  readonly repos: readonly RepoName[];
}

export interface PagesOptions {
  readonly site: GitHub;
  readonly once: Once;
  readonly signIn: SignIn;
  readonly samples: Samples;
  /** The path of the screen to begin with. */
  readonly start: string;
  /** Screens of a later version, linked from those of accounts and repositories. */
  readonly additions?: { readonly account: readonly Tab[]; readonly repo: readonly Tab[] };
}

/** A further screen of an account or a repository. */
export interface Tab {
  /** The last part of its path. */
  readonly path: string;
  readonly label: string;
}
