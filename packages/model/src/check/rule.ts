import type { ResolvedModel } from '../resolve/resolved.ts';
import type { Report } from './finding.ts';

/** One rule of good modelling, as data and a function. */
export interface Rule {
  /** Stable, in kebab case. The documentation page has this name. */
  readonly code: string;
  /** How severe a violation is. */
  readonly level: 'error' | 'warning' | 'hint';
  /** Ids of the strategies (`S-45`), patterns (`P-13`) and other principles of modelling (`LP-12`, `LB-1`) behind the rule. */
  readonly ids: readonly string[];
  /** The heading of its documentation page. */
  readonly title: string;
  /** Why it matters: a few sentences for the documentation page. */
  readonly why: string;
  /** The remedy: a few sentences for the documentation page. */
  readonly remedy: string;
  /** It reports what is not proven about a pattern, which a model cannot accept as a finding. `unproven` marks such a pattern. */
  readonly proof?: true;
  /** What it reports makes calls fail, or answer wrongly, so that no reason accepts it. */
  readonly isRefused?: true;
  /** Checks the whole model and reports each place that breaks the rule. */
  readonly look: (model: ResolvedModel) => readonly Report[];
}
