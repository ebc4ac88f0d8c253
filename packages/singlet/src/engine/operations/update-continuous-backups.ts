import { ResourceNotFoundException } from '../../values/service-error.ts';
import { invalidRequest, sourceTableNotFound } from '../backups/backup-errors.ts';
import { PresentChangeLog } from '../backups/begin-image.ts';
import { type ContinuousBackupsDescription, describeRecovery } from '../backups/describe-recovery.ts';
import { disableRecovery, enableRecovery } from '../backups/recovery-switch.ts';
import { sourceTable } from '../backups/source-table.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { spawnPurge } from '../jobs/background-work.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import { changeTable } from '../catalog/table-change.ts';

export interface PointInTimeRecoverySpecification {
  readonly pointInTimeRecoveryEnabled: boolean;
  /** If absent, the longest possible period. */
  readonly recoveryPeriodInDays?: number | undefined;
}

export interface UpdateContinuousBackupsRequest {
  readonly tableName: string;
  readonly pointInTimeRecoverySpecification: PointInTimeRecoverySpecification;
}

export interface UpdateContinuousBackupsResult {
  readonly continuousBackupsDescription: ContinuousBackupsDescription;
}

/**
 * Switches point-in-time recovery on or off, or changes its recovery period. While it is on, every write keeps the version it replaces;
 * switching it off deletes all of them.
 *
 * @throws {ValidationException} if a period is given when switching it off.
 * @throws {TableNotFoundException} also while the table is being created.
 * @see Amazon DynamoDB API Reference, UpdateContinuousBackups; conformance/backups
 */
export async function updateContinuousBackups(
  services: EngineServices,
  { tableName, pointInTimeRecoverySpecification }: UpdateContinuousBackupsRequest,
  context: RequestContext,
): Promise<UpdateContinuousBackupsResult> {
  const { pointInTimeRecoveryEnabled: isEnabled, recoveryPeriodInDays: periodDays } = pointInTimeRecoverySpecification;
  if (!isEnabled && periodDays !== undefined) {
    throw invalidRequest('Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.');
  }
  const { catalog, limits, environment } = services;
  const { before, after } = await catalog.retryWhenStale(async () => {
    const known = await sourceTable(services, context, tableName);
    const log = new PresentChangeLog(known);
    try {
      const changed = await changeTable(
        services,
        context,
        tableName,
        (input) => {
          if (input.record.transition?.status === 'DELETING') throw new StaleTableError(known);
          return isEnabled
            ? enableRecovery(input, { periodDays, log, heads: input.values, limits })
            : disableRecovery(input);
        },
        log.keys,
      );
      return { before: known.record, after: changed.record };
    } catch (error) {
      if (error instanceof ResourceNotFoundException) throw sourceTableNotFound(tableName);
      throw error;
    }
  });
  if (before.changeLog !== undefined && after.changeLog === undefined) spawnPurge(services, before.changeLog.space);
  return { continuousBackupsDescription: describeRecovery(after, environment.clock.nowMs()) };
}
