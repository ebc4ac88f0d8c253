import type { DescribeContributorInsightsResult } from '../../engine/index.ts';
import { enumeration, type Shape, string } from '../shapes/shape.ts';

type Mode = NonNullable<DescribeContributorInsightsResult['contributorInsightsMode']>;
type Status = DescribeContributorInsightsResult['contributorInsightsStatus'];

/** In the order in which the service lists them. */
export const contributorInsightsMode: Shape<Mode> = enumeration(['THROTTLED_KEYS', 'ACCESSED_AND_THROTTLED_KEYS']);

export const contributorInsightsStatus: Shape<Status> = enumeration([
  'ENABLING',
  'ENABLED',
  'DISABLING',
  'DISABLED',
  'FAILED',
]);

/** The operation checks the length of an index's name, with its own message. */
export const insightsIndexName: Shape<string> = string();
