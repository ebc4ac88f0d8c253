import type { ResolvedModel } from '../resolve/resolved.ts';
import type { Report } from './finding.ts';

/** One rule of good modelling, as data and a function. */
export interface Rule {
  /** Stable, in kebab case. The documentation page has this name. */
  readonly code: string;
  /** How grave a violation is. */
  readonly level: 'error' | 'warning' | 'hint';
  /** Ids of the principle in the catalogues of patterns, lessons and strategies, such as `LP-12` and `S-45`. */
  readonly ids: readonly string[];
  /** The heading of its documentation page. */
  readonly title: string;
  /** Why it matters: a few sentences for the documentation page. */
  readonly why: string;
  /** What helps: a few sentences for the documentation page. */
  readonly remedy: string;
  /** It says what is not proven of a pattern: no model can accept that. `unproven` marks the pattern. */
  readonly proof?: true;
  /** Looks at the whole model and reports each place where it does not hold. */
  readonly look: (model: ResolvedModel) => readonly Report[];
}
