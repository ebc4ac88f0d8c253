import { describeExportRecord, type ExportDescription } from '../backups/describe-export.ts';
import { findExport } from '../backups/find-export.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';

export interface DescribeExportRequest {
  readonly exportArn: string;
}

export interface DescribeExportResult {
  readonly exportDescription: ExportDescription;
}

/**
 * Describes an export, whether or not its table still exists.
 *
 * @throws {ValidationException} if it is not the ARN of an export.
 * @throws {ExportNotFoundException} | {AccessDeniedException}
 * @see Amazon DynamoDB API Reference, DescribeExport; conformance/exports
 */
export async function describeExport(
  services: EngineServices,
  { exportArn }: DescribeExportRequest,
  context: RequestContext,
): Promise<DescribeExportResult> {
  return { exportDescription: describeExportRecord(await findExport(services, exportArn, context)) };
}
