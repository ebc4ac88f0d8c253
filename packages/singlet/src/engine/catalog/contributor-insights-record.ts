export type ContributorInsightsMode = 'ACCESSED_AND_THROTTLED_KEYS' | 'THROTTLED_KEYS';

export type ContributorInsightsStatus = 'ENABLING' | 'ENABLED' | 'DISABLING' | 'DISABLED' | 'FAILED';

/** The contributor insights of a table or index, as stored. Absent until they are enabled for the first time. */
export interface ContributorInsightsRecord {
  readonly mode: ContributorInsightsMode;
  /** `failed`: there were no rules left to give. */
  readonly state: 'enabled' | 'disabled' | 'failed';
  /** When the rules were made, which their names tell; a change of the mode leaves it. */
  readonly rulesSinceMs: number;
  readonly changedAtMs: number;
  /** Until then the change is under way. */
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
