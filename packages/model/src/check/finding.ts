/** Errors fail a check; warnings and hints do not. What is accepted in the model, with its reason, is only listed. */
export type Level = 'error' | 'warning' | 'hint' | 'accepted';

/** Something a rule has found in a model. */
export interface Finding {
  /** The rule: stable, for tools and for `accepts`. */
  readonly code: string;
  /** How grave it is. */
  readonly level: Level;
  /** The place in the model, such as `served.openOrders` or `keys.Order.GSI1`. */
  readonly path: string;
  /** What was found, in a sentence. */
  readonly message: string;
  /** The smallest change that would silence it. */
  readonly remedy: string;
  /** Why the model accepts it. */
  readonly because?: string;
}

/** What a rule reports: its code, level and usual remedy are added to it. */
export interface Report {
  readonly path: string;
  readonly message: string;
  /** Instead of the rule's own. */
  readonly remedy?: string;
  /** Instead of the rule's own. */
  readonly level?: 'error' | 'warning' | 'hint';
}
