export type ContributorInsightsMode = 'ACCESSED_AND_THROTTLED_KEYS' | 'THROTTLED_KEYS';

export type ContributorInsightsStatus = 'ENABLING' | 'ENABLED' | 'DISABLING' | 'DISABLED' | 'FAILED';

/** The contributor insights of a table or index, as stored. Absent until they are enabled for the first time. */
export interface ContributorInsightsRecord {
  readonly mode: ContributorInsightsMode;
  /** `failed`: the quota of rules was used up. */
  readonly state: 'enabled' | 'disabled' | 'failed';
  /** When the rules were created, which is part of their names. A change of the mode does not change it. */
  readonly rulesSinceMs: number;
  readonly changedAtMs: number;
  /** The change is in progress until then. */
  readonly untilMs: number;
}

export function contributorInsightsStatus(
  record: ContributorInsightsRecord | undefined,
  nowMs: number,
): ContributorInsightsStatus {
  if (record === undefined) return 'DISABLED';
  const isChanging = nowMs < record.untilMs;
  switch (record.state) {
    case 'enabled':
      return isChanging ? 'ENABLING' : 'ENABLED';
    case 'failed':
      return isChanging ? 'ENABLING' : 'FAILED';
    case 'disabled':
      return isChanging ? 'DISABLING' : 'DISABLED';
  }
}
