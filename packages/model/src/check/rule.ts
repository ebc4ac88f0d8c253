import type { ResolvedModel } from '../resolve/resolved.ts';
import type { Report } from './finding.ts';

/** One rule of good modelling, as data and a function. */
export interface Rule {
  /** Stable, in kebab case. The documentation page has this name. */
  readonly code: string;
  readonly level: 'error' | 'warning' | 'hint';
  /** Ids of the principle in the catalogues of patterns, lessons and strategies, such as `LP-12` and `S-45`. */
  readonly ids: readonly string[];
  readonly title: string;
  /** Why it matters: a few sentences for the documentation page. */
  readonly why: string;
  readonly remedy: string;
  /** Looks at the whole model and reports each place where it does not hold. */
  readonly look: (model: ResolvedModel) => readonly Report[];
}
