import type { ContinuousBackupsDescription } from '../../engine/index.ts';
import { double, enumeration, integer, result, type Shape } from '../shapes/shape.ts';

type Recovery = ContinuousBackupsDescription['pointInTimeRecoveryDescription'];

/** What the actions on continuous backups answer. */
export const continuousBackupsDescription: Shape<ContinuousBackupsDescription> = result<ContinuousBackupsDescription>({
  continuousBackupsStatus: enumeration(['ENABLED']),
  pointInTimeRecoveryDescription: result<Recovery>({
    earliestRestorableDateTime: double,
    latestRestorableDateTime: double,
    pointInTimeRecoveryStatus: enumeration(['ENABLED', 'DISABLED']),
    recoveryPeriodInDays: integer(),
  }),
});
