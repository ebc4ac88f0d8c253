import { type ContinuousBackupsDescription, describeRecovery } from '../backups/describe-recovery.ts';
import { sourceTable } from '../backups/source-table.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';

export type { ContinuousBackupsDescription };

export interface DescribeContinuousBackupsRequest {
  readonly tableName: string;
}

export interface DescribeContinuousBackupsResult {
  readonly continuousBackupsDescription: ContinuousBackupsDescription;
}

/**
 * Describes whether point-in-time recovery is on, and to which times a table can be restored.
 *
 * @throws {TableNotFoundException} also while the table is being created.
 * @see Amazon DynamoDB API Reference, DescribeContinuousBackups; conformance/backups
 */
export async function describeContinuousBackups(
  services: EngineServices,
  { tableName }: DescribeContinuousBackupsRequest,
  context: RequestContext,
): Promise<DescribeContinuousBackupsResult> {
  const { record } = await sourceTable(services, context, tableName);
  return { continuousBackupsDescription: describeRecovery(record, services.environment.clock.nowMs()) };
}
