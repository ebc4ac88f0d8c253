/** Errors fail a check; warnings and hints do not. Findings that the model accepts, with a reason, are only listed. */
export type Level = 'error' | 'warning' | 'hint' | 'accepted';

/** A violation of a rule in a model. */
export interface Finding {
  /** The rule: stable, for tools and for `accepts`. */
  readonly code: string;
  /** How severe it is. */
  readonly level: Level;
  /** The place in the model, such as `served.openOrders` or `keys.Order.GSI1`. */
  readonly path: string;
  /** What was found, in a sentence. */
  readonly message: string;
  /** The smallest change that would remove it. */
  readonly remedy: string;
  /** Why the model accepts it. */
  readonly because?: string;
}

/** What a rule reports. Its code, level and usual remedy are added. */
export interface Report {
  readonly path: string;
  readonly message: string;
  /** Replaces the rule's own. */
  readonly remedy?: string;
  /** Replaces the rule's own. */
  readonly level?: 'error' | 'warning' | 'hint';
  /** The service refuses every call: no reason makes that acceptable. */
  readonly isRefused?: boolean;
}
