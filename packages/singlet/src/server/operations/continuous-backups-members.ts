import type { ContinuousBackupsDescription } from '../../engine/index.ts';
import { double, enumeration, integer, result, type Shape } from '../shapes/shape.ts';

type Recovery = ContinuousBackupsDescription['pointInTimeRecoveryDescription'];

/** The answer of the actions on continuous backups. */
export const continuousBackupsDescription: Shape<ContinuousBackupsDescription> = result<ContinuousBackupsDescription>({
  continuousBackupsStatus: enumeration(['ENABLED']),
  pointInTimeRecoveryDescription: result<Recovery>({
    earliestRestorableDateTime: double,
    latestRestorableDateTime: double,
    pointInTimeRecoveryStatus: enumeration(['ENABLED', 'DISABLED']),
    recoveryPeriodInDays: integer(),
  }),
});
